#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pdegcn/report/atomic_file.h"

namespace pdegcn::report {

// Writes metrics.csv: a head, then one row per epoch that begins with its number. Numbers are the
// shortest that read back as the same double; what was not measured, a NaN, is an empty cell. A row
// is in the file as soon as it is added.
class MetricsLog {
 public:
  // Starts an empty file; one that is there is overwritten. Columns are named without "epoch".
  static MetricsLog create(const std::filesystem::path& path,
                           const std::vector<std::string>& columns);

  // Continues after the row of `last_epoch`: later rows, and one that a kill left unfinished, are
  // cut off. Throws Error when the columns are others or that row is missing (0 stands for none).
  static MetricsLog resume(const std::filesystem::path& path,
                           const std::vector<std::string>& columns, std::int64_t last_epoch);

  // Adds a row with a value for each column; epochs ascend from 1.
  void add(std::int64_t epoch, std::span<const double> values);

  // Makes the rows outlive a power cut: to be called before the checkpoint that counts on them.
  void sync() { file_.sync(); }

 private:
  MetricsLog(AppendFile file, std::size_t columns, std::int64_t last_epoch)
      : file_(std::move(file)), columns_(columns), last_epoch_(last_epoch) {}

  AppendFile file_;
  std::size_t columns_;
  std::int64_t last_epoch_;
};

// What metrics.csv holds.
struct Metrics {
  std::vector<std::int64_t> epochs;
  std::vector<std::string> columns;         // without "epoch"
  std::vector<std::vector<double>> values;  // per column; NaN where a cell is empty

  // The values of a column, or nullptr when there is none of that name.
  const std::vector<double>* find(const std::string& column) const;
};

// Reads it, also while a run writes it: a last row without its end is left out. Rows may count
// something else than epochs, then from 0, as layers.csv does. Throws Error naming file and line.
Metrics read_metrics(const std::filesystem::path& path, const std::string& counter = "epoch");

}  // namespace pdegcn::report
