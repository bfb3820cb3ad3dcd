#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace pdegcn::tests {

struct HttpRequest {
  std::string path;                         // "/cora/ind.cora.x"
  std::optional<std::uint64_t> range_from;  // of "Range: bytes=N-"
  int number = 0;                           // of the requests for this path, from 0
};

struct HttpResponse {
  int status = 200;
  std::string body;
  std::vector<std::string> headers;             // "Location: /elsewhere"
  std::optional<std::uint64_t> content_length;  // what it claims; the truth when not set
  bool claims_length = true;
  std::size_t send_only = std::string::npos;  // bytes of the body before it hangs up
  bool stalls = false;                        // instead of hanging up it falls silent
};

// The body, or what a range asks for of it, as an honest server sends it.
HttpResponse honest(const HttpRequest& request, const std::string& body);

// A server on the loopback interface that answers as it is told to, one request per connection, and
// stops with its object, or after a thousand requests.
class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  explicit HttpServer(Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // "http://127.0.0.1:PORT"
  std::string address() const;

  // All requests so far.
  std::vector<HttpRequest> requests() const;

 private:
  void run();
  void serve(int connection);

  Handler handler_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> stop_ = false;
  mutable std::mutex mutex_;
  std::vector<HttpRequest> requests_;
  std::thread thread_;
};

}  // namespace pdegcn::tests
