#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "pdegcn/report/atomic_file.h"

namespace pdegcn::report {

// A number to be shown as a curve of that name; a slash groups: "loss/train".
struct Scalar {
  std::string tag;
  double value = 0;  // stored as a float, which is all that the format has
};

// Writes a TensorBoard event file. Its bytes follow from its content alone, so that a resumed run
// leaves the same file as one that was never stopped: the wall time of an event is its step, in
// seconds since 1970.
class EventLog {
 public:
  // Starts an empty log; one that is there is overwritten.
  static EventLog create(const std::filesystem::path& path);

  // Continues after the events of `last_step`: later ones, and a record that a kill left
  // unfinished, are cut off. Throws Error when the file is no event log or ends before `last_step`.
  static EventLog resume(const std::filesystem::path& path, std::int64_t last_step);

  // Adds the scalars of a step; steps ascend.
  void add(std::int64_t step, std::span<const Scalar> scalars);

  // Makes the log outlive a power cut: to be called before the checkpoint that counts on it.
  void sync() { file_.sync(); }

 private:
  explicit EventLog(AppendFile file) : file_(std::move(file)) {}

  AppendFile file_;
};

}  // namespace pdegcn::report
