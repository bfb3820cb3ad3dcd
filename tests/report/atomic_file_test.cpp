#include "pdegcn/report/atomic_file.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <string>
#include <vector>

#include "tests/report/scratch.h"

namespace pdegcn::report {
namespace {

using namespace pdegcn::tests;
namespace fs = std::filesystem;

// Makes files of more than `bytes` impossible: for a writer, the same as a full disk.
void limit_file_size(rlim_t bytes) {
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

TEST(WriteAtomically, CreatesAndReplaces) {
  const Scratch scratch;
  const fs::path path = scratch / "a.bin";
  write_atomically(path, std::string_view("one\0two", 7));
  EXPECT_EQ(content(path), std::string("one\0two", 7));
  const std::vector<std::string_view> pieces{"he", "", "llo"};
  write_atomically(path, pieces);
  EXPECT_EQ(content(path), "hello");
  write_atomically(path, "");
  EXPECT_EQ(content(path), "");
  EXPECT_EQ(scratch.count(), 1u);  // no temporary file stays
}

TEST(WriteAtomically, WorksOnABareName) {
  const Scratch scratch;
  EXPECT_EQ(in_child([&] {
              if (::chdir(scratch.path().c_str()) != 0) return 1;
              write_atomically("bare.txt", "x");
              return 0;
            }),
            0);
  EXPECT_EQ(content(scratch / "bare.txt"), "x");
}

TEST(WriteAtomically, WritesThroughALink) {
  const Scratch scratch;
  put(scratch / "real", "old");
  fs::create_symlink("real", scratch / "link");
  write_atomically(scratch / "link", "new");
  EXPECT_TRUE(fs::is_symlink(scratch / "link"));
  EXPECT_EQ(content(scratch / "real"), "new");
}

TEST(WriteAtomically, RefusesWhatIsNoFile) {
  const Scratch scratch;
  EXPECT_TRUE(mentions(error_of([&] { write_atomically(scratch.path(), "x"); }), "folder"));
  ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(mentions(error_of([&] { write_atomically(scratch / "pipe", "x"); }), "regular"));
  EXPECT_TRUE(fs::is_fifo(scratch / "pipe"));
}

TEST(WriteAtomically, NamesThePathOfAMissingFolder) {
  const Scratch scratch;
  const fs::path path = scratch.path() / "none" / "a.bin";
  const std::string message = error_of([&] { write_atomically(path, "x"); });
  EXPECT_TRUE(mentions(message, path.string())) << message;
  EXPECT_TRUE(mentions(message, "No such file")) << message;
}

TEST(WriteAtomically, KeepsTheOldFileWhenTheDiskIsFull) {
  const Scratch scratch;
  put(scratch / "a", "old");
  EXPECT_EQ(in_child([&] {
              limit_file_size(1000);
              const std::string message =
                  error_of([&] { write_atomically(scratch / "a", std::string(5000, 'x')); });
              return mentions(message, (scratch / "a").string()) ? 0 : 1;
            }),
            0);
  EXPECT_EQ(content(scratch / "a"), "old");
  EXPECT_EQ(scratch.count(), 1u);
}

TEST(WriteAtomically, KeepsTheOldFileInAReadOnlyFolder) {
  const Scratch scratch;
  put(scratch / "a", "old");
  fs::permissions(scratch.path(), fs::perms(0555));
  const int result = in_child([&] {
    // Root may write everywhere, so the child becomes somebody else.
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 77;
    const std::string message = error_of([&] { write_atomically(scratch / "a", "new"); });
    return mentions(message, "Permission denied") ? 0 : 1;
  });
  fs::permissions(scratch.path(), fs::perms::owner_all);
  if (result == 77) GTEST_SKIP() << "root may write everywhere";
  EXPECT_EQ(result, 0);
  EXPECT_EQ(content(scratch / "a"), "old");
}

// A reader, and a kill at any moment, see one of the versions that were written, whole.
TEST(WriteAtomically, IsNeverSeenHalf) {
  const Scratch scratch;
  const fs::path path = scratch / "a";
  put(path, std::string(100000, '0'));
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (char c = 'a';; c = c == 'z' ? 'a' : static_cast<char>(c + 1))
        write_atomically(path, std::string(100000, c));
    }
    for (int look = 0; look <= round; ++look) {
      const std::string seen = content(path);
      EXPECT_EQ(seen, std::string(100000, seen[0]));
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const std::string seen = content(path);
    ASSERT_EQ(seen, std::string(100000, seen[0]));
  }
}

TEST(AppendFile, GrowsAndIsCutBack) {
  const Scratch scratch;
  const fs::path path = scratch / "log";
  {
    AppendFile log(path, 0);
    log.append("one\n");
    EXPECT_EQ(content(path), "one\n");  // at once, not when it is closed
    log.append("two\n");
    log.sync();
    EXPECT_EQ(log.size(), 8u);
  }
  AppendFile log(path, 4);
  EXPECT_EQ(content(path), "one\n");
  AppendFile moved = std::move(log);
  moved.append("2\n");
  EXPECT_EQ(content(path), "one\n2\n");
  EXPECT_EQ(moved.size(), 6u);
}

TEST(AppendFile, SaysWhenTheFileIsTooShort) {
  const Scratch scratch;
  put(scratch / "log", "abc");
  const std::string message = error_of([&] { AppendFile(scratch / "log", 4); });
  EXPECT_TRUE(mentions(message, "3 bytes")) << message;
  EXPECT_EQ(content(scratch / "log"), "abc");
}

TEST(AppendFile, AddsAllOrNothingWhenTheDiskIsFull) {
  const Scratch scratch;
  EXPECT_EQ(in_child([&] {
              limit_file_size(1000);
              AppendFile log(scratch / "log", 0);
              log.append(std::string(900, 'a'));
              const std::string message = error_of([&] { log.append(std::string(200, 'b')); });
              if (!mentions(message, (scratch / "log").string())) return 1;
              if (log.size() != 900) return 2;
              log.append(std::string(50, 'c'));
              return 0;
            }),
            0);
  EXPECT_EQ(content(scratch / "log"), std::string(900, 'a') + std::string(50, 'c'));
}

TEST(AppendFile, RefusesAFolder) {
  const Scratch scratch;
  EXPECT_TRUE(mentions(error_of([&] { AppendFile(scratch.path(), 0); }), scratch.path().string()));
}

}  // namespace
}  // namespace pdegcn::report
