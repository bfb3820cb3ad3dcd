#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pdegcn/graph/error.h"

namespace pdegcn::report {

// Where the files of a run are.
struct RunFiles {
  std::filesystem::path folder;

  std::filesystem::path config() const { return folder / "config.toml"; }
  std::filesystem::path metrics() const { return folder / "metrics.csv"; }
  // TensorBoard looks for "tfevents" in the name.
  std::filesystem::path events() const { return folder / "events.out.tfevents.pdegcn"; }
  std::filesystem::path best() const { return folder / "best.safetensors"; }
  std::filesystem::path layers() const { return folder / "layers.csv"; }  // if asked for
  std::filesystem::path last() const { return folder / "last.safetensors"; }
  std::filesystem::path result() const { return folder / "result.json"; }  // when it has ended
};

// The run that a folder holds, for reading; it may be going on. Throws Error when the folder is
// missing or holds no run. A run is known by the first line of its config.toml.
RunFiles find_run(const std::filesystem::path& folder);

// The name of something that a folder holds, or nothing when it is free: what a kill leaves of a
// run or a search that was just being made does not count.
std::string occupant(const std::filesystem::path& folder);

// What whoever wants a folder gets that another process has.
class InUse : public Error {
 public:
  using Error::Error;
};

// A folder that this process alone writes to, for as long as this or a copy of it lives; whoever
// else tries to gets InUse, which names the process. The lock is a file '.lock', which may stay.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// The run that a folder holds, or all that its folders hold, by name with numbers in their order.
// Throws Error as find_run does when there is none.
std::vector<RunFiles> find_runs(const std::filesystem::path& folder);

// A run that this process writes to; no other process can for as long as this or a copy of it
// lives.
//
// A kill at any moment must leave something to resume from. So after an epoch, write in this order:
// rows and events; best.safetensors; sync both logs; last.safetensors. The logs are then never
// behind the checkpoint, and what they have beyond it is cut off on resume.
class RunFolder {
 public:
  // Makes the folder, and config.toml in it. Throws Error when it holds anything: a run, which
  // would be lost, or files of something else.
  static RunFolder create(const std::filesystem::path& folder, std::string_view config);

  // Takes up a run again and deletes the temporary files that a kill left. Throws Error as find_run
  // does, and InUse when another process has the run.
  static RunFolder resume(const std::filesystem::path& folder);

  const RunFiles& files() const { return files_; }

  // Whether there is a state to continue from; a run that was killed in its first epoch has none.
  bool has_checkpoint() const { return std::filesystem::exists(files_.last()); }

 private:
  explicit RunFolder(const std::filesystem::path& folder) : files_{folder}, lock_(folder) {}

  RunFiles files_;
  FolderLock lock_;
};

}  // namespace pdegcn::report
