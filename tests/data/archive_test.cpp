#include "pdegcn/data/archive.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "tests/support/data_folder.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace pdegcn::data {
namespace {

std::vector<ArchiveMember> two_members() {
  std::vector<ArchiveMember> members;
  members.push_back({"a.txt", File("", "hello\n")});
  members.push_back({"folder/b.bin", File("", std::string(100000, '\0') + "end")});
  return members;
}

TEST(Archive, ZipReturnsWhatWentIn) {
  for (const Compression compression : {Compression::kStored, Compression::kDeflated}) {
    const File archive("x.zip", zip(two_members(), compression));
    const auto members = read_archive(archive);
    ASSERT_EQ(members.size(), 2u);
    EXPECT_EQ(members[0].path, "a.txt");
    EXPECT_EQ(members[0].file.name(), "x.zip/a.txt");
    EXPECT_EQ(members[0].file.content(), "hello\n");
    EXPECT_EQ(members[1].path, "folder/b.bin");
    EXPECT_EQ(members[1].file.content(), std::string(100000, '\0') + "end");
  }
}

TEST(Archive, DeflatedIsSmallerAndBytesRepeat) {
  EXPECT_LT(zip(two_members()).size(), 1000u);
  EXPECT_GT(zip(two_members(), Compression::kStored).size(), 100000u);
  EXPECT_EQ(zip(two_members()), zip(two_members()));
}

TEST(Archive, HoldsNamesBeyondAscii) {
  std::vector<ArchiveMember> members;
  members.push_back({"größe.txt", File("", "1")});
  EXPECT_EQ(read_archive(File("x.zip", zip(members))).at(0).path, "größe.txt");
}

RC_GTEST_PROP(Archive, AnyContentReturns, (std::vector<std::string> contents, bool stored)) {
  RC_PRE(!contents.empty());
  std::vector<ArchiveMember> members;
  for (std::size_t k = 0; k < contents.size(); ++k)
    members.push_back({std::to_string(k), File("", contents[k])});
  const auto read = read_archive(
      File("x.zip", zip(members, stored ? Compression::kStored : Compression::kDeflated)));
  RC_ASSERT(read.size() == members.size());
  for (std::size_t k = 0; k < read.size(); ++k) {
    RC_ASSERT(read[k].path == members[k].path);
    RC_ASSERT(read[k].file.content() == contents[k]);
  }
}

TEST(Archive, UnpacksNoMoreThanTheLimits) {
  std::vector<ArchiveMember> bomb;
  bomb.push_back({"zeros", File("", std::string(std::size_t{20} << 20, '\0'))});
  const File archive("bomb.zip", zip(bomb));
  ASSERT_LT(archive.content().size(), 30000u);
  PDEGCN_EXPECT_ERROR(read_archive(archive), "bomb.zip/zeros: unpacks to more than 16777216 bytes");
  EXPECT_EQ(read_archive(archive, {.ratio = 2000}).size(), 1u);
  PDEGCN_EXPECT_ERROR(read_archive(archive, {.ratio = 2000, .member = 1000}), "more than 1000");
  PDEGCN_EXPECT_ERROR(read_archive(archive, {.ratio = 2000, .total = 1000}), "more than 1000");
}

TEST(Archive, TotalCountsAllMembers) {
  std::vector<ArchiveMember> many;
  for (int k = 0; k < 10; ++k)
    many.push_back({std::to_string(k), File("", std::string(1000, 'x'))});
  const File archive("many.zip", zip(many, Compression::kStored));
  EXPECT_EQ(read_archive(archive, {.total = 10000}).size(), 10u);
  PDEGCN_EXPECT_ERROR(read_archive(archive, {.total = 9999}), "many.zip/9: unpacks to more than");
}

TEST(Archive, EveryTruncationIsAnError) {
  const std::string whole = zip(two_members());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(read_archive(File("cut.zip", whole.substr(0, size))), Error) << size;
}

TEST(Archive, ChangedContentIsAnError) {
  std::string bytes = zip(two_members(), Compression::kStored);
  bytes[bytes.find("hello")] = 'j';
  PDEGCN_EXPECT_ERROR(read_archive(File("x.zip", bytes)), "x.zip/a.txt: ");
}

TEST(Archive, WhatIsNoArchiveIsAnError) {
  EXPECT_THROW(read_archive(File("empty", "")), Error);
  EXPECT_THROW(read_archive(File("text", "no archive at all")), Error);
  PDEGCN_EXPECT_ERROR(read_archive(std::filesystem::path("/nonexistent.zip")), "/nonexistent.zip");
}

TEST(Archive, ReadsRealTarballs) {
  PDEGCN_NEEDS_DATA("mesh_poses");
  const auto members = read_archive(tests::data_folder() / "mesh_poses" / "cat-poses.tgz");
  EXPECT_EQ(std::count_if(members.begin(), members.end(),
                          [](const auto& m) { return m.path.ends_with(".obj"); }),
            10);
}

}  // namespace
}  // namespace pdegcn::data
