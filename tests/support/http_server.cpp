#include "tests/support/http_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace pdegcn::tests {
namespace {

constexpr int kTick = 20;  // milliseconds between looks at the stop sign

bool readable(int descriptor) {
  pollfd wait{descriptor, POLLIN, 0};
  return ::poll(&wait, 1, kTick) > 0;
}

}  // namespace

HttpResponse honest(const HttpRequest& request, const std::string& body) {
  HttpResponse response;
  response.body = body;
  if (!request.range_from) return response;
  if (*request.range_from >= body.size()) {
    response.status = 416;
    response.body.clear();
    return response;
  }
  response.status = 206;
  response.body = body.substr(*request.range_from);
  response.headers.push_back(fmt::format("Content-Range: bytes {}-{}/{}", *request.range_from,
                                         body.size() - 1, body.size()));
  return response;
}

HttpServer::HttpServer(Handler handler) : handler_(std::move(handler)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (listener_ < 0 || ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener_, 16) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("the test server cannot listen");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { run(); });
}

HttpServer::~HttpServer() {
  stop_ = true;
  thread_.join();
  ::close(listener_);
}

std::string HttpServer::address() const {
  return fmt::format("http://127.0.0.1:{}", port_);
}

std::vector<HttpRequest> HttpServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void HttpServer::run() {
  for (int served = 0; served < 1000 && !stop_;) {
    if (!readable(listener_)) continue;
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    serve(connection);
    ::close(connection);
    ++served;
  }
}

void HttpServer::serve(int connection) {
  std::string text;
  while (text.find("\r\n\r\n") == std::string::npos) {
    if (stop_ || text.size() > 16384) return;
    if (!readable(connection)) continue;
    char buffer[4096];
    const ssize_t got = ::recv(connection, buffer, sizeof(buffer), 0);
    if (got <= 0) return;
    text.append(buffer, static_cast<std::size_t>(got));
  }

  HttpRequest request;
  const std::size_t path = text.find(' ') + 1;
  request.path = text.substr(path, text.find(' ', path) - path);
  if (const std::size_t range = text.find("Range: bytes="); range != std::string::npos)
    request.range_from = std::strtoull(text.c_str() + range + 13, nullptr, 10);
  {
    const std::lock_guard lock(mutex_);
    request.number = static_cast<int>(std::ranges::count_if(
        requests_, [&](const HttpRequest& r) { return r.path == request.path; }));
    requests_.push_back(request);
  }

  const HttpResponse response = handler_(request);
  std::string answer =
      fmt::format("HTTP/1.1 {} Whatever\r\nConnection: close\r\n", response.status);
  for (const std::string& header : response.headers) answer += header + "\r\n";
  if (response.claims_length)
    answer += fmt::format("Content-Length: {}\r\n",
                          response.content_length.value_or(response.body.size()));
  answer += "\r\n" + response.body.substr(0, response.send_only);
  std::string_view rest = answer;
  while (!rest.empty() && !stop_) {
    const ssize_t sent = ::send(connection, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  if (!response.stalls) {
    ::shutdown(connection, SHUT_WR);
    return;
  }
  // Silent until the other side hangs up.
  while (!stop_ && !readable(connection)) {
  }
}

}  // namespace pdegcn::tests
