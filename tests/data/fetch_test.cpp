#include "pdegcn/data/fetch.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "pdegcn/data/archive.h"
#include "pdegcn/data/sha256.h"
#include "tests/support/data_folder.h"
#include "tests/support/expect_error.h"
#include "tests/support/http_server.h"
#include "tests/support/temporary_folder.h"

namespace pdegcn::data {
namespace {

namespace fs = std::filesystem;
using tests::honest;
using tests::HttpRequest;
using tests::HttpResponse;
using tests::HttpServer;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string body_of(std::size_t size) {
  std::string body(size, '\0');
  for (std::size_t k = 0; k < size; ++k) body[k] = static_cast<char>(k * 2654435761u >> 13);
  return body;
}

class Download : public testing::Test {
 protected:
  Download() {
    ::setenv("no_proxy", "127.0.0.1", 1);
    options_.first_wait = 0.001;
    options_.max_wait = 0.01;
    options_.connect_timeout = 5;
  }

  RemoteFile remote(const std::vector<std::string>& urls, bool verified = true) const {
    return {"set/file", urls, verified ? sha256(body_) : "", 1 << 20};
  }
  fs::path destination() const { return folder_.path() / "set" / "file"; }
  void get(const RemoteFile& file) const { Downloader(options_).get(file, destination()); }

  // What lies beside the file: nothing, or parts of it.
  int leftovers() const {
    int count = 0;
    for (const auto& entry : fs::directory_iterator(folder_.path() / "set"))
      count += entry.path() != destination();
    return count;
  }

  const std::string body_ = body_of(300000);
  DownloadOptions options_;
  tests::TemporaryFolder folder_;
};

TEST_F(Download, GetsAFile) {
  HttpServer server([&](const HttpRequest& r) { return honest(r, body_); });
  std::uint64_t received = 0;
  std::uint64_t expected = 0;
  options_.progress = [&](const RemoteFile& file, std::uint64_t have, std::uint64_t all) {
    EXPECT_EQ(file.path, "set/file");
    EXPECT_GT(have, received);
    received = have;
    expected = all;
  };
  get(remote({server.address() + "/a"}));
  EXPECT_EQ(read(destination()), body_);
  EXPECT_EQ(received, body_.size());
  EXPECT_EQ(expected, body_.size());
  EXPECT_EQ(leftovers(), 0);
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(Download, ResumesWhereItWasCutOff) {
  HttpServer server([&](const HttpRequest& r) {
    HttpResponse response = honest(r, body_);
    if (r.number < 2) response.send_only = 100000;
    return response;
  });
  get(remote({server.address() + "/a"}));
  EXPECT_EQ(read(destination()), body_);
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_FALSE(requests[0].range_from.has_value());
  EXPECT_EQ(requests[1].range_from, 100000u);
  EXPECT_EQ(requests[2].range_from, 200000u);
}

TEST_F(Download, ResumesInANewProcess) {
  options_.attempts = 1;
  HttpServer server([&](const HttpRequest& r) {
    HttpResponse response = honest(r, body_);
    if (r.number == 0) response.send_only = 50000;
    return response;
  });
  const RemoteFile file = remote({server.address() + "/a"});
  PDEGCN_EXPECT_ERROR(get(file), "set/file cannot be downloaded");
  EXPECT_FALSE(fs::exists(destination()));
  EXPECT_EQ(leftovers(), 1);
  get(file);
  EXPECT_EQ(read(destination()), body_);
  EXPECT_EQ(server.requests()[1].range_from, 50000u);
  EXPECT_EQ(leftovers(), 0);
}

TEST_F(Download, StartsAgainWhenTheServerKnowsNoRanges) {
  HttpServer server([&](const HttpRequest& r) {
    HttpResponse response;
    response.body = body_;
    if (r.number == 0) response.send_only = 100000;
    return response;
  });
  get(remote({server.address() + "/a"}));
  EXPECT_EQ(read(destination()), body_);
}

TEST_F(Download, StartsAgainWhenTheServerSendsAnotherRange) {
  HttpServer server([&](const HttpRequest& r) {
    HttpResponse response = honest(r, body_);
    if (r.number == 0) response.send_only = 100000;
    if (r.number == 1) response.headers = {"Content-Range: bytes 7-299999/300000"};
    return response;
  });
  get(remote({server.address() + "/a"}, false));
  EXPECT_EQ(read(destination()), body_);
  EXPECT_EQ(server.requests().size(), 3u);
}

TEST_F(Download, GoesOnWhenTheServerSendsLessOfTheRange) {
  HttpServer server([&](const HttpRequest& r) {
    HttpResponse response = honest(r, body_);
    if (r.number == 0) response.send_only = 100000;
    if (r.number == 1) {
      response.body.resize(50000);
      response.headers = {"Content-Range: bytes 100000-149999/300000"};
    }
    if (r.number == 2) response.body.clear();
    return response;
  });
  get(remote({server.address() + "/a"}, false));
  EXPECT_EQ(read(destination()), body_);
  EXPECT_EQ(server.requests().size(), 4u);
}

TEST_F(Download, TakesAnEmptyFileForWhatItIs) {
  HttpServer server([&](const HttpRequest& r) {
    HttpResponse response = honest(r, body_);
    if (r.number == 0) response.send_only = 100000;
    return r.number == 0 ? response : HttpResponse{};
  });
  get(remote({server.address() + "/a"}, false));
  EXPECT_EQ(fs::file_size(destination()), 0u);
}

TEST_F(Download, StartsAgainWhenThePartIsWrong) {
  HttpServer server([&](const HttpRequest& r) { return honest(r, body_); });
  const std::string url = server.address() + "/a";
  const std::string part = "set/file." + sha256(url).substr(0, 8) + ".part";
  for (const std::size_t size : {std::size_t{1000}, body_.size(), body_.size() + 1000}) {
    folder_.write(part, std::string(size, '!'));
    get(remote({url}));
    EXPECT_EQ(read(destination()), body_);
  }
}

TEST_F(Download, TriesAgainAfterServerErrors) {
  HttpServer server([&](const HttpRequest& r) {
    HttpResponse response = honest(r, body_);
    if (r.number < 3) response.status = r.number == 0 ? 500 : r.number == 1 ? 503 : 429;
    return response;
  });
  get(remote({server.address() + "/a"}));
  EXPECT_EQ(read(destination()), body_);
  EXPECT_EQ(server.requests().size(), 4u);
}

TEST_F(Download, GivesUpAfterSoManyAttempts) {
  HttpServer server([&](const HttpRequest&) {
    HttpResponse response;
    response.status = 500;
    return response;
  });
  PDEGCN_EXPECT_ERROR(get(remote({server.address() + "/a", server.address() + "/b"})),
                      "set/file cannot be downloaded:\n  " + server.address() +
                          "/a: the server answers 500\n  " + server.address() +
                          "/b: the server answers 500");
  EXPECT_EQ(server.requests().size(), 8u);
  EXPECT_EQ(leftovers(), 0);
}

TEST_F(Download, GoesToTheNextMirror) {
  HttpServer server([&](const HttpRequest& r) {
    HttpResponse response = honest(r, body_);
    if (r.path == "/missing") response.status = 404;
    if (r.path == "/changed") response.body = "<html>something else</html>";
    return response;
  });
  const std::string closed = "http://127.0.0.1:1/refused";
  const auto at = [&](const char* path) { return server.address() + path; };
  get(remote({closed, at("/missing"), at("/changed"), at("/good")}));
  EXPECT_EQ(read(destination()), body_);
  EXPECT_EQ(server.requests().size(), 3u);  // what cannot pass is not tried again
  EXPECT_EQ(leftovers(), 0);
}

TEST_F(Download, SaysWhichChecksumIsWrong) {
  HttpServer server([&](const HttpRequest& r) { return honest(r, "other bytes"); });
  fs::create_directories(destination().parent_path());
  std::ofstream(destination()) << "old content";
  PDEGCN_EXPECT_ERROR(get(remote({server.address() + "/a"})),
                      "its SHA-256 is " + sha256("other bytes") + ", not " + sha256(body_));
  EXPECT_EQ(read(destination()), "old content");
  EXPECT_EQ(leftovers(), 0);
}

TEST_F(Download, DoesNotBelieveALengthThatIsTooLong) {
  HttpServer server([&](const HttpRequest& r) {
    HttpResponse response = honest(r, body_);
    if (r.number < 2) response.content_length = response.body.size() + 500;
    return response;
  });
  get(remote({server.address() + "/a"}));
  EXPECT_EQ(read(destination()), body_);
}

TEST_F(Download, DoesNotBelieveALengthThatIsTooShort) {
  HttpServer server([&](const HttpRequest& r) {
    HttpResponse response = honest(r, body_);
    response.content_length = 1000;
    return response;
  });
  PDEGCN_EXPECT_ERROR(get(remote({server.address() + "/a"})), "its SHA-256 is");
}

TEST_F(Download, NeedsNoLength) {
  HttpServer server([&](const HttpRequest& r) {
    HttpResponse response = honest(r, body_);
    response.claims_length = false;
    return response;
  });
  get(remote({server.address() + "/a"}));
  EXPECT_EQ(read(destination()), body_);
}

TEST_F(Download, BoundsTheSize) {
  HttpServer server([&](const HttpRequest& r) {
    HttpResponse response = honest(r, r.path == "/said" ? "" : std::string(2 << 20, 'x'));
    if (r.path == "/said") response.content_length = std::uint64_t{1} << 50;
    response.claims_length = r.path == "/said";
    return response;
  });
  PDEGCN_EXPECT_ERROR(get(remote({server.address() + "/said", server.address() + "/unsaid"})),
                      "/unsaid: it is larger than 1048576 bytes");
  EXPECT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(leftovers(), 0);
}

TEST_F(Download, FollowsRedirectsButNotForEver) {
  HttpServer server([&](const HttpRequest& r) {
    if (r.path == "/end") return honest(r, body_);
    HttpResponse response;
    response.status = 302;
    response.body = "moved";
    const std::string next = r.path == "/loop" ? "/loop" : r.path == "/2" ? "/end" : "/2";
    response.headers = {r.path == "/file" ? "Location: file:///etc/passwd" : "Location: " + next};
    return response;
  });
  get(remote({server.address() + "/1"}));
  EXPECT_EQ(read(destination()), body_);
  PDEGCN_EXPECT_ERROR(get(remote({server.address() + "/loop"})), "redirects");
  PDEGCN_EXPECT_ERROR(get(remote({server.address() + "/file"}, false)), "rotocol");
  EXPECT_EQ(read(destination()), body_);
  EXPECT_LE(server.requests().size(), 3u + 6u + 1u);
}

TEST_F(Download, DoesNotWaitForAServerThatFellSilent) {
  options_.stall_timeout = 0.3;
  HttpServer server([&](const HttpRequest& r) {
    HttpResponse response = honest(r, body_);
    response.stalls = r.number == 0;
    if (response.stalls) response.send_only = 1000;
    return response;
  });
  get(remote({server.address() + "/a"}));
  EXPECT_EQ(read(destination()), body_);
  EXPECT_EQ(server.requests()[1].range_from, 1000u);
}

TEST_F(Download, AnswersThatAreNotHttp) {
  HttpServer server([&](const HttpRequest&) {
    HttpResponse response;
    response.headers = {std::string(300000, 'h')};
    return response;
  });
  PDEGCN_EXPECT_ERROR(get(remote({server.address() + "/a"})), "cannot be downloaded");
  PDEGCN_EXPECT_ERROR(get(remote({"file:///etc/passwd"})), "cannot be downloaded");
  PDEGCN_EXPECT_ERROR(get(remote({"not a url"})), "cannot be downloaded");
  PDEGCN_EXPECT_ERROR(get(remote({})), "no address is known");
}

TEST_F(Download, NeedsAFolderItCanWriteTo) {
  HttpServer server([&](const HttpRequest& r) { return honest(r, body_); });
  folder_.write("set", "a file where the folder should be");
  PDEGCN_EXPECT_ERROR(get(remote({server.address() + "/a"})), "a folder cannot be made");
  EXPECT_TRUE(server.requests().empty());
}

class Fetch : public Download {
 protected:
  FetchOptions options(const HttpServer& server) const {
    FetchOptions options;
    options.data_folder = folder_.path() / "data";
    options.mirrors = {server.address()};
    options.download = options_;
    options.download.attempts = 2;
    return options;
  }
};

TEST_F(Fetch, BringsWhatIsMissing) {
  HttpServer server([&](const HttpRequest& r) { return honest(r, "content of " + r.path); });
  RemoteSet set{.name = "tiny", .about = ""};
  set.files = {{"tiny/a", {}, sha256("content of /tiny/a")}, {"splits/b", {}}};
  const FetchOptions where = options(server);
  EXPECT_FALSE(is_fetched(set, where.data_folder));
  FetchReport report = fetch(set, where);
  EXPECT_EQ(report.fetched, 2);
  EXPECT_EQ(report.present, 0);
  EXPECT_EQ(report.unverified, 1);
  EXPECT_EQ(read(where.data_folder / "tiny/a"), "content of /tiny/a");
  EXPECT_EQ(read(where.data_folder / "splits/b"), "content of /splits/b");
  EXPECT_TRUE(is_fetched(set, where.data_folder));

  report = fetch(set, where);
  EXPECT_EQ(report.fetched, 0);
  EXPECT_EQ(report.present, 2);
  EXPECT_EQ(server.requests().size(), 2u);

  std::ofstream(where.data_folder / "tiny/a") << "damaged";
  report = fetch(set, where);
  EXPECT_EQ(report.fetched, 1);
  EXPECT_EQ(read(where.data_folder / "tiny/a"), "content of /tiny/a");

  FetchOptions with_archive = where;
  with_archive.archive = "x.zip";
  PDEGCN_EXPECT_ERROR(fetch(set, with_archive), "does not come as an archive");
}

TEST_F(Fetch, UnpacksAnArchive) {
  const std::vector<ArchiveMember> members = {{"M/a/train/1.off", File("1", "OFF")}};
  const std::string bytes = zip(members);
  HttpServer server([&](const HttpRequest& r) {
    return honest(r, r.path == "/good.zip" ? bytes : bytes.substr(0, 30));
  });
  RemoteSet set{.name = "shapes", .about = ""};
  set.archive = true;
  set.max_unpacked = 1000;
  set.files = {{"good.zip", {}}};
  const FetchOptions where = options(server);
  FetchReport report = fetch(set, where);
  EXPECT_EQ(report.fetched, 1);
  EXPECT_EQ(report.unverified, 1);
  EXPECT_EQ(read(where.data_folder / "shapes/M/a/train/1.off"), "OFF");
  EXPECT_FALSE(fs::exists(where.data_folder / "good.zip"));
  EXPECT_EQ(fetch(set, where).present, 1);
  EXPECT_EQ(server.requests().size(), 1u);

  set.name = "others";
  set.files = {{"cut.zip", {}}};
  PDEGCN_EXPECT_ERROR(fetch(set, where), "cut.zip");
  EXPECT_FALSE(fs::exists(where.data_folder / "others"));
  EXPECT_FALSE(fs::exists(where.data_folder / "cut.zip"));  // so that the next try starts anew
}

TEST_F(Fetch, ExplainsHowToComeByFaust) {
  HttpServer server([&](const HttpRequest& r) { return honest(r, ""); });
  const RemoteSet faust = remote_set("faust");
  FetchOptions where = options(server);
  PDEGCN_EXPECT_ERROR(fetch(faust, where), "pdegcn fetch faust --from MPI-FAUST.zip");
  EXPECT_TRUE(server.requests().empty());

  const std::vector<ArchiveMember> members = {
      {"MPI-FAUST/training/registrations/tr_reg_000.ply", File("r", "ply")},
      {"MPI-FAUST/training/scans/tr_scan_000.ply", File("s", "ply")}};
  where.archive = folder_.write("MPI-FAUST.zip", zip(members));
  EXPECT_EQ(fetch(faust, where).fetched, 1);
  EXPECT_TRUE(
      fs::exists(where.data_folder / "faust/MPI-FAUST/training/registrations/tr_reg_000.ply"));
  EXPECT_TRUE(fs::exists(where.archive));  // it is not ours to delete
}

TEST(Catalogue, HoldsTogether) {
  std::set<std::string> names;
  int verified = 0;
  std::set<std::string> paths;
  for (const RemoteSet& set : catalogue()) {
    EXPECT_TRUE(names.insert(set.name).second) << set.name;
    EXPECT_EQ(set.files.empty(), !set.steps.empty()) << set.name;
    EXPECT_EQ(set.archive, set.max_unpacked > 0) << set.name;
    for (const RemoteFile& file : set.files) {
      EXPECT_GE(file.urls.size(), 2u) << file.path;
      for (const std::string& url : file.urls) EXPECT_TRUE(url.starts_with("http")) << url;
      EXPECT_EQ(file.sha256.size(), set.archive ? 0u : 64u) << file.path;
      if (paths.insert(file.path).second) verified += !file.sha256.empty();
    }
  }
  EXPECT_EQ(names.size(), 11u);
  EXPECT_EQ(verified, 24 + 10 + 70);
  EXPECT_EQ(remote_set("cora").files.size(), 18u);
  PDEGCN_EXPECT_ERROR(remote_set("karate"), "there is no public data set 'karate'; there are cora");
}

TEST(Catalogue, KnowsTheChecksumsOfTheRealFiles) {
  PDEGCN_NEEDS_DATA("cora");
  for (const RemoteSet& set : catalogue())
    for (const RemoteFile& file : set.files)
      if (!file.sha256.empty()) {
        EXPECT_EQ(sha256_of_file(tests::data_folder() / file.path), file.sha256) << file.path;
      }
}

}  // namespace
}  // namespace pdegcn::data
