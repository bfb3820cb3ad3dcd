#include "pdegcn/data/unpack.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "pdegcn/data/archive.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace pdegcn::data {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string zip_of(const std::vector<std::pair<std::string, std::string>>& files) {
  std::vector<ArchiveMember> members;
  for (const auto& [path, content] : files) members.push_back({path, File(path, content)});
  return zip(members);
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// What lies in a folder, but for one archive: nothing else must remain of a failure.
int entries(const fs::path& folder) {
  return static_cast<int>(std::distance(fs::directory_iterator(folder), {}));
}

class Unpack : public testing::Test {
 protected:
  fs::path write(const std::string& bytes) { return folder_.write("a.zip", bytes); }
  fs::path target() const { return folder_.path() / "target"; }
  void expect_failure(const std::string& bytes, const std::string& message,
                      const UnpackOptions& options = {}) {
    PDEGCN_EXPECT_ERROR(unpack_zip(write(bytes), target(), options), message);
    EXPECT_EQ(entries(folder_.path()), 1);
  }
  tests::TemporaryFolder folder_;
};

TEST_F(Unpack, WritesTheFiles) {
  const std::string long_text(100000, 'y');
  std::vector<std::string> seen;
  const UnpackOptions options{.progress = [&](const std::string& path) { seen.push_back(path); }};
  const fs::path archive =
      write(zip_of({{"a.txt", "hello"}, {"b/c/d.txt", long_text}, {"b/empty", ""}}));
  EXPECT_EQ(unpack_zip(archive, target(), options), 3);
  EXPECT_EQ(read(target() / "a.txt"), "hello");
  EXPECT_EQ(read(target() / "b/c/d.txt"), long_text);
  EXPECT_EQ(read(target() / "b/empty"), "");
  EXPECT_EQ(seen, (std::vector<std::string>{"a.txt", "b/c/d.txt", "b/empty"}));
  EXPECT_EQ(entries(folder_.path()), 2);
  PDEGCN_EXPECT_ERROR(unpack_zip(archive, target()), "target: already exists");
}

TEST_F(Unpack, TakesOnlyWhatIsAskedFor) {
  const std::string bytes =
      zip_of({{"F/training/scans/1.ply", "s"}, {"F/training/registrations/1.ply", "r"}});
  EXPECT_EQ(unpack_zip(write(bytes), target(), {.only = "training/registrations/"}), 1);
  EXPECT_TRUE(fs::exists(target() / "F/training/registrations/1.ply"));
  EXPECT_FALSE(fs::exists(target() / "F/training/scans"));
  fs::remove_all(target());
  expect_failure(bytes, "holds no file whose path holds 'nothing/'", {.only = "nothing/"});
}

TEST_F(Unpack, PassesOverTheFolderOfAnotherSystem) {
  EXPECT_EQ(unpack_zip(write(zip_of({{"a", "1"}, {"__MACOSX/a", "2"}})), target()), 1);
  EXPECT_EQ(entries(target()), 1);
}

TEST_F(Unpack, LetsNoPathLeaveTheTarget) {
  for (const std::string path :
       {"../evil", "/evil", "a/../../evil", "a/..", "..", "a\\..\\evil", "C:evil"}) {
    // The archive is written with a harmless path of the same length.
    std::string bytes = zip_of({{std::string(path.size(), 'q'), "x"}});
    replace_all(bytes, std::string(path.size(), 'q'), path);
    expect_failure(bytes, "is not allowed");
  }
}

TEST_F(Unpack, RefusesLinks) {
  std::string bytes = zip_of({{"link", "/etc/passwd"}});
  // The external attributes of the entry in the central directory: a symbolic link.
  const std::size_t central = bytes.rfind("PK\x01\x02");
  bytes[central + 5] = 3;  // made by Unix
  bytes[central + 40] = static_cast<char>(0xFF);
  bytes[central + 41] = static_cast<char>(0xA1);
  expect_failure(bytes, "is neither a file nor a folder");
}

TEST_F(Unpack, RefusesTheSamePathTwice) {
  std::string bytes = zip_of({{"aaaa", "1"}, {"bbbb", "2"}});
  replace_all(bytes, "bbbb", "aaaa");
  expect_failure(bytes, "'aaaa' occurs twice");
}

TEST_F(Unpack, KeepsToItsLimits) {
  const std::string bytes = zip_of({{"a", std::string(1 << 20, '0')}, {"b", "1"}});
  expect_failure(bytes, "unpacks to more than 1000000 bytes", {.max_bytes = 1000000});
  expect_failure(bytes, "holds more than 1 files", {.max_files = 1});
}

TEST_F(Unpack, FindsDamage) {
  const std::string good = zip_of({{"a", std::string(5000, 'a') + std::string(5000, 'b')}});
  std::string bad = good;
  const int data = 30 + bad[26] + bad[28];  // after the header, the name and the extra field
  bad[data + 10] ^= 0x55;
  expect_failure(bad, "a.zip");
  expect_failure(good.substr(0, good.size() / 2), "a.zip");
  expect_failure("", "a.zip");
  expect_failure("<html>not found</html>", "a.zip");
  PDEGCN_EXPECT_ERROR(unpack_zip(folder_.path() / "none", target()), "none");
}

}  // namespace
}  // namespace pdegcn::data
