#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pdegcn::data {

// A file that can be had from the network.
struct RemoteFile {
  std::string path;                    // where it belongs, below the data folder
  std::vector<std::string> urls = {};  // tried in this order
  std::string sha256 = {};             // empty when it is not known
  std::uint64_t max_bytes = std::uint64_t{256} << 20;
};

struct DownloadOptions {
  int attempts = 4;       // at every address, when it fails for a reason that may pass
  double first_wait = 1;  // seconds before the second attempt; twice as long before each further
  double max_wait = 30;
  int max_redirects = 5;
  double connect_timeout = 20;  // seconds
  double stall_timeout = 30;    // seconds without a byte

  // Called as bytes arrive: how many there are, and how many there will be (0: unknown). It must
  // not throw.
  std::function<void(const RemoteFile& file, std::uint64_t received, std::uint64_t expected)>
      progress;
};

// Downloads files over HTTP and HTTPS, one after the other, keeping connections open.
class Downloader {
 public:
  explicit Downloader(DownloadOptions options = {});
  ~Downloader();
  Downloader(const Downloader&) = delete;
  Downloader& operator=(const Downloader&) = delete;

  // Gets a file and puts it at `destination`, replacing what is there, in one step: until it is
  // complete and its checksum right it lies beside it under a name that ends in ".part". When such
  // a part of an earlier attempt is there, the download goes on from its end.
  //
  // Throws Error with what went wrong at each address; then nothing is at the destination that was
  // not there before.
  void get(const RemoteFile& file, const std::filesystem::path& destination);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pdegcn::data
