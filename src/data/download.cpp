#include "pdegcn/data/download.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

#include "pdegcn/data/sha256.h"
#include "pdegcn/graph/error.h"

namespace pdegcn::data {
namespace {

namespace fs = std::filesystem;

using Clock = std::chrono::steady_clock;

// What has arrived of a file, under a temporary name.
class Part {
 public:
  explicit Part(fs::path path)
      : path_(std::move(path)),
        descriptor_(::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644)) {
    if (descriptor_ < 0) fail("cannot be opened");
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      ::close(descriptor_);
      throw Error("{}: another process is downloading this file", path_.string());
    }
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) fail("cannot be read");
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~Part() { ::close(descriptor_); }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  const fs::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }

  void clear() {
    if (!try_clear()) fail("cannot be cut");
  }
  bool try_clear() {
    if (::ftruncate(descriptor_, 0) != 0) return false;
    size_ = 0;
    return true;
  }

  bool append(const char* bytes, std::size_t count) {
    while (count > 0) {
      const ssize_t written = ::pwrite(descriptor_, bytes, count, static_cast<off_t>(size_));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      bytes += written;
      count -= static_cast<std::size_t>(written);
      size_ += static_cast<std::uint64_t>(written);
    }
    return true;
  }

  void remove() { ::unlink(path_.c_str()); }

  void keep_as(const fs::path& destination) {
    if (::fsync(descriptor_) != 0) fail("cannot be synced");
    if (::rename(path_.c_str(), destination.c_str()) != 0)
      fail(fmt::format("cannot be renamed to {}", destination.string()));
    const int folder =
        ::open(destination.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    ::fsync(folder);  // not every file system can; the file itself is safe
    ::close(folder);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error("{}: {}: {}", path_.string(), what, std::strerror(errno));
  }

  fs::path path_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

// Of an attempt: all is there; it may work another time; it will not work at this address; it will
// not work at any.
enum class Outcome { kComplete, kTryAgain, kGiveUp, kStop };

std::optional<std::uint64_t> number_at(std::string_view line, std::size_t at) {
  std::uint64_t value = 0;
  if (at >= line.size() ||
      std::from_chars(line.data() + at, line.data() + line.size(), value).ec != std::errc{})
    return {};
  return value;
}

// One answer of a server, as its bytes come in.
struct Answer {
  Part& part;
  CURL* curl;
  const RemoteFile& file;
  const DownloadOptions& options;
  std::uint64_t from = 0;                         // the first byte that was asked for
  std::optional<std::uint64_t> range_begin = {};  // by its own word, the first byte that comes
  std::optional<std::uint64_t> whole_size = {};   // and the size of the whole file
  bool begun = false;
  Outcome verdict = Outcome::kGiveUp;  // when the transfer was ended from this side, and
  std::string complaint = {};          // why

  curl_off_t last_received = 0;
  Clock::time_point last_change = Clock::now();

  bool is_stalled(curl_off_t received) {
    if (received != last_received) {
      last_received = received;
      last_change = Clock::now();
    }
    return std::chrono::duration<double>(Clock::now() - last_change).count() >
           options.stall_timeout;
  }

  // "Content-Range: bytes 100-299/300" or ".../*"
  std::size_t header(std::string_view line) {
    constexpr std::string_view kName = "content-range:";
    if (line.starts_with("HTTP/")) {  // the next answer, after a redirect
      range_begin.reset();
      whole_size.reset();
    }
    if (line.size() > kName.size() && strncasecmp(line.data(), kName.data(), kName.size()) == 0) {
      range_begin = number_at(line, line.find_first_of("0123456789", kName.size()));
      whole_size = number_at(line, line.find('/') + 1);
    }
    return line.size();
  }

  std::size_t body(const char* bytes, std::size_t count) {
    if (!begun) {
      begun = true;
      long status = 0;
      curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
      if (status == 206 && range_begin != from) {
        part.try_clear();
        verdict = Outcome::kTryAgain;
        complaint = "the server sent another part than it was asked for";
        return 0;
      }
      // Without ranges the server sends the whole file.
      if (status != 206 && !part.try_clear()) return stop();
    }
    if (part.size() + count > file.max_bytes) {
      part.try_clear();
      complaint = fmt::format("it is larger than {} bytes", file.max_bytes);
      return 0;
    }
    if (!part.append(bytes, count)) return stop();
    if (options.progress) {
      curl_off_t length = 0;
      curl_easy_getinfo(curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
      const std::uint64_t base = range_begin ? from : 0;
      options.progress(file, part.size(),
                       length > 0 ? base + static_cast<std::uint64_t>(length) : 0);
    }
    return count;
  }

  std::size_t stop() {
    verdict = Outcome::kStop;
    complaint = fmt::format("{}: {}", part.path().string(), std::strerror(errno));
    return 0;
  }
};

void set(CURL* curl, CURLoption option, long value) {
  curl_easy_setopt(curl, option, value);
}

bool may_pass(long status) {
  return status == 408 || status == 429 || status >= 500;
}

// Asks once for what is missing of a file. Of what goes wrong it says why, and after how many
// seconds to ask again if the server named a time.
Outcome attempt(CURL* curl, const DownloadOptions& options, const RemoteFile& file,
                const std::string& url, Part& part, std::string& reason, double& retry_after) {
  curl_easy_reset(curl);  // keeps the connections
  Answer answer{.part = part, .curl = curl, .file = file, .options = options, .from = part.size()};
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "pdegcn");
  // Over HTTPS there is no way back to HTTP.
  const char* protocols = url.starts_with("https:") ? "https" : "http,https";
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, protocols);
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, protocols);
  set(curl, CURLOPT_FOLLOWLOCATION, 1);
  set(curl, CURLOPT_MAXREDIRS, options.max_redirects);
  set(curl, CURLOPT_FAILONERROR, 1);
  set(curl, CURLOPT_NOSIGNAL, 1);
  set(curl, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(1000 * options.connect_timeout));
  curl_easy_setopt(curl, CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(file.max_bytes));
  // Not CURLOPT_RESUME_FROM, which makes an error of a server that sends the whole file.
  const std::string range = fmt::format("{}-", answer.from);
  if (answer.from > 0) curl_easy_setopt(curl, CURLOPT_RANGE, range.c_str());

  using Receive = std::size_t (*)(char*, std::size_t, std::size_t, void*);
  const Receive on_header = [](char* bytes, std::size_t size, std::size_t count, void* to) {
    return static_cast<Answer*>(to)->header({bytes, size * count});
  };
  const Receive on_body = [](char* bytes, std::size_t size, std::size_t count, void* to) {
    return static_cast<Answer*>(to)->body(bytes, size * count);
  };
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &answer);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
  // libcurl's own limit on low speed looks at an average, and so comes late.
  using Tick = int (*)(void*, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
  const Tick on_tick = [](void* to, curl_off_t, curl_off_t received, curl_off_t, curl_off_t) {
    return static_cast<int>(static_cast<Answer*>(to)->is_stalled(received));
  };
  set(curl, CURLOPT_NOPROGRESS, 0);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_tick);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &answer);
  char details[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, details);

  const CURLcode code = curl_easy_perform(curl);
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  curl_off_t wait = 0;
  curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &wait);
  retry_after = static_cast<double>(wait);

  switch (code) {
    case CURLE_OK:
      break;
    case CURLE_HTTP_RETURNED_ERROR:
      reason = fmt::format("the server answers {}", status);
      if (status == 416) {  // the part is longer than the file
        part.clear();
        return Outcome::kTryAgain;
      }
      return may_pass(status) ? Outcome::kTryAgain : Outcome::kGiveUp;
    case CURLE_FILESIZE_EXCEEDED:
      reason = fmt::format("it is larger than {} bytes", file.max_bytes);
      return Outcome::kGiveUp;
    case CURLE_WRITE_ERROR:
      reason = answer.complaint;
      return answer.verdict;
    case CURLE_ABORTED_BY_CALLBACK:
      reason = fmt::format("no byte came for {} seconds", options.stall_timeout);
      return Outcome::kTryAgain;
    case CURLE_TOO_MANY_REDIRECTS:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_PEER_FAILED_VERIFICATION:
      reason = *details != '\0' ? details : curl_easy_strerror(code);
      return Outcome::kGiveUp;
    default:
      reason = *details != '\0' ? details : curl_easy_strerror(code);
      return Outcome::kTryAgain;
  }

  if (!answer.begun && status != 206) part.clear();  // the file is empty
  if (answer.whole_size && part.size() < *answer.whole_size) {
    reason = fmt::format("only {} of {} bytes came", part.size(), *answer.whole_size);
    return Outcome::kTryAgain;
  }
  if (file.sha256.empty()) return Outcome::kComplete;
  const std::string digest = sha256_of_file(part.path());
  if (digest == file.sha256) return Outcome::kComplete;
  reason = fmt::format("its SHA-256 is {}, not {}", digest, file.sha256);
  part.clear();
  // What was there from before may have been at fault.
  return answer.from > 0 ? Outcome::kTryAgain : Outcome::kGiveUp;
}

}  // namespace

struct Downloader::State {
  explicit State(DownloadOptions given) : options(std::move(given)) {}

  DownloadOptions options;
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl{curl_easy_init(), curl_easy_cleanup};
};

Downloader::Downloader(DownloadOptions options)
    : state_(std::make_unique<State>(std::move(options))) {
  if (!state_->curl) throw std::runtime_error("libcurl cannot be started");
}

Downloader::~Downloader() = default;

void Downloader::get(const RemoteFile& file, const fs::path& destination) {
  std::error_code error;
  fs::create_directories(fs::absolute(destination).parent_path(), error);
  if (error)
    throw Error("{}: a folder cannot be made: {}", destination.parent_path().string(),
                error.message());
  const DownloadOptions& options = state_->options;
  std::string reasons;
  for (const std::string& url : file.urls) {
    // Two addresses need not have the same bytes: each has a part of its own.
    const std::string tag = sha256(url).substr(0, 8);
    Part part(fmt::format("{}.{}.part", destination.string(), tag));
    std::string reason;
    double wait = options.first_wait;
    double retry_after = 0;
    for (int k = 0; k < options.attempts; ++k) {
      if (k > 0) {
        const double seconds = std::min(std::max(wait, retry_after), options.max_wait);
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
        wait *= 2;
      }
      const Outcome outcome =
          attempt(state_->curl.get(), options, file, url, part, reason, retry_after);
      if (outcome == Outcome::kComplete) {
        part.keep_as(destination);
        return;
      }
      if (outcome == Outcome::kStop) throw Error("{}: {}", file.path, reason);
      if (outcome == Outcome::kGiveUp) break;
    }
    if (part.size() == 0) part.remove();
    reasons += fmt::format("\n  {}: {}", url, reason);
  }
  throw Error("{} cannot be downloaded:{}", file.path,
              reasons.empty() ? " no address is known" : reasons);
}

}  // namespace pdegcn::data
