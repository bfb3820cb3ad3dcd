#include "pdegcn/report/run_folder.h"

#include <csignal>

#include "pdegcn/report/atomic_file.h"
#include "tests/report/scratch.h"

namespace pdegcn::report {
namespace {

using namespace pdegcn::tests;
namespace fs = std::filesystem;

TEST(RunFolder, IsCreatedFoundAndResumed) {
  const Scratch scratch;
  const fs::path folder = scratch.path() / "runs" / "cora";
  {
    const RunFolder run = RunFolder::create(folder, "seed = 3\n");
    EXPECT_EQ(run.files().folder, folder);
    EXPECT_FALSE(run.has_checkpoint());
    EXPECT_TRUE(content(run.files().config()).starts_with("# A run of pdegcn."));
    EXPECT_TRUE(content(run.files().config()).ends_with("\nseed = 3\n"));
    EXPECT_EQ(find_run(folder).config(), run.files().config());  // while it is going on
    put(run.files().last(), "x");
  }
  EXPECT_TRUE(RunFolder::resume(folder).has_checkpoint());
}

TEST(RunFolder, SeveralAreFoundInTheOrderOfTheirNumbers) {
  const Scratch scratch;
  for (const char* name : {"d-10-0", "d-2-0", "d-2-11", "d-2-3", "m-0-0"})
    RunFolder::create(scratch / "all" / name, "");
  put(scratch / "all/sweep.toml", "");
  fs::create_directories(scratch / "all/other");
  std::string names;
  for (const RunFiles& run : find_runs(scratch / "all"))
    names += run.folder.filename().string() + " ";
  EXPECT_EQ(names, "d-2-0 d-2-3 d-2-11 d-10-0 m-0-0 ");
  EXPECT_EQ(find_runs(scratch / "all/d-2-0").size(), 1u);
  EXPECT_TRUE(mentions(error_of([&] { find_runs(scratch / "all/other"); }), "holds no run"));
  EXPECT_TRUE(mentions(error_of([&] { find_run(scratch / "all"); }), "choose one, such as"));
  EXPECT_TRUE(mentions(error_of([&] { find_runs(scratch / "none"); }), "no such folder"));
}

TEST(RunFolder, NeverOverwritesARun) {
  const Scratch scratch;
  RunFolder::create(scratch / "a", "first = 1\n");
  const std::string message = error_of([&] { RunFolder::create(scratch / "a", "second = 2\n"); });
  EXPECT_TRUE(mentions(message, "--resume")) << message;
  EXPECT_TRUE(content(scratch / "a/config.toml").ends_with("first = 1\n"));
}

TEST(RunFolder, LeavesForeignFoldersAlone) {
  const Scratch scratch;
  put(scratch / "config.toml", "# somebody else's\n");
  const std::string message = error_of([&] { RunFolder::create(scratch.path(), "seed = 1\n"); });
  EXPECT_TRUE(mentions(message, "'config.toml'")) << message;
  EXPECT_TRUE(mentions(error_of([&] { RunFolder::resume(scratch.path()); }), "holds no run"));
  EXPECT_TRUE(mentions(error_of([&] { find_run(scratch.path()); }), "holds no run"));
  EXPECT_EQ(scratch.count(), 1u);  // not even a lock
  EXPECT_EQ(content(scratch / "config.toml"), "# somebody else's\n");
}

TEST(RunFolder, SaysWhatIsNoFolder) {
  const Scratch scratch;
  put(scratch / "file", "");
  EXPECT_TRUE(mentions(error_of([&] { find_run(scratch / "none"); }), "no such folder"));
  EXPECT_TRUE(mentions(error_of([&] { find_run(scratch / "file"); }), "not a folder"));
  EXPECT_TRUE(mentions(error_of([&] { RunFolder::resume(scratch / "none"); }), "no such folder"));
  EXPECT_FALSE(fs::exists(scratch / "none"));
  const std::string message = error_of([&] { RunFolder::create(scratch / "file/run", ""); });
  EXPECT_TRUE(message.starts_with((scratch / "file/run").string())) << message;
  EXPECT_TRUE(mentions(error_of([&] { RunFolder::create(scratch / "file", ""); }), "file"));
}

TEST(RunFolder, MovesIntoWhatAKillLeft) {
  const Scratch scratch;
  put(scratch / ".lock", "99999\n");
  put(scratch / "config.toml.99999.pdegcn-tmp", "# A ru");
  RunFolder::create(scratch.path(), "");
  EXPECT_FALSE(fs::exists(scratch / "config.toml.99999.pdegcn-tmp"));
  RunFolder::resume(scratch.path());
}

TEST(RunFolder, ResumeKeepsAllButTemporaryFiles) {
  const Scratch scratch;
  RunFolder::create(scratch / "a", "");
  put(scratch / "a/last.safetensors", "state");
  put(scratch / "a/notes.txt", "mine");
  put(scratch / "a/last.safetensors.12.pdegcn-tmp", "half");
  RunFolder::resume(scratch / "a");
  EXPECT_EQ(content(scratch / "a/last.safetensors"), "state");
  EXPECT_EQ(content(scratch / "a/notes.txt"), "mine");
  EXPECT_FALSE(fs::exists(scratch / "a/last.safetensors.12.pdegcn-tmp"));
}

// A child process takes the run, says so through a pipe, and waits to be killed.
TEST(RunFolder, IsForOneProcessAtATime) {
  const Scratch scratch;
  RunFolder::create(scratch / "a", "");
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const RunFolder run = RunFolder::resume(scratch / "a");
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const std::string message = error_of([&] { RunFolder::resume(scratch / "a"); });
  EXPECT_TRUE(mentions(message, "in use by process " + std::to_string(child))) << message;
  EXPECT_NO_THROW(find_run(scratch / "a"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(RunFolder::resume(scratch / "a"));  // the lock died with its holder
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(RunFolder, IsForOneHolderWithinAProcess) {
  const Scratch scratch;
  RunFolder first = RunFolder::create(scratch / "a", "");
  const RunFolder second = std::move(first);
  const std::string message = error_of([&] { RunFolder::resume(scratch / "a"); });
  EXPECT_TRUE(mentions(message, "process " + std::to_string(::getpid()))) << message;
}

TEST(RunFolder, SaysWhenTheFolderIsReadOnly) {
  const Scratch scratch;
  fs::permissions(scratch.path(), fs::perms(0555));
  const int result = in_child([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 77;
    const auto denied = [](const fs::path& folder) {
      const std::string message = error_of([&] { RunFolder::create(folder, ""); });
      return mentions(message, folder.string()) && mentions(message, "Permission denied");
    };
    return denied(scratch / "new") && denied(scratch.path()) ? 0 : 1;
  });
  fs::permissions(scratch.path(), fs::perms::owner_all);
  if (result == 77) GTEST_SKIP() << "root may write everywhere";
  EXPECT_EQ(result, 0);
  EXPECT_EQ(scratch.count(), 0u);
}

}  // namespace
}  // namespace pdegcn::report
