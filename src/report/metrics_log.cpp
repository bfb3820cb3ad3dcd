#include "pdegcn/report/metrics_log.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "pdegcn/data/text.h"

namespace pdegcn::report {
namespace {

std::string head_of(const std::vector<std::string>& columns) {
  std::set<std::string> names{"epoch"};
  std::string head = "epoch";
  for (const std::string& name : columns) {
    if (name.empty() || name.find_first_of(",\"\r\n\t ") != std::string::npos)
      throw Error("'{}' cannot be the name of a column", name);
    if (!names.insert(name).second) throw Error("there are two columns of the name '{}'", name);
    head += "," + name;
  }
  return head;
}

// The part of the file that is made of whole rows.
data::File whole_rows(const std::filesystem::path& path) {
  const data::File file(path);
  const std::size_t end = file.content().rfind('\n');
  return {file.name(),
          std::string(file.content().substr(0, end == std::string_view::npos ? 0 : end + 1))};
}

struct Reader {
  explicit Reader(const data::File& file, const std::string& counter = "epoch")
      : text(file), counts(counter), epoch(counter == "epoch" ? 0 : -1) {
    std::string_view field;
    if (!text.next_line() || !text.next_field(',', field) || field != counter)
      throw Error("{}: this is not a table of metrics: its head does not begin with '{}'",
                  file.name(), counter);
    while (text.next_field(',', field)) columns.emplace_back(field);
  }

  // Moves to the next row; false at the end.
  bool next() {
    if (!text.next_line()) return false;
    const auto number = text.number<std::int64_t>(',', ("the " + counts).c_str());
    if (number <= epoch) text.fail("{0} {1} comes after {0} {2}", counts, number, epoch);
    epoch = number;
    values.clear();
    for (const std::string& name : columns) {
      std::string_view field;
      if (!text.next_field(',', field)) text.fail("'{}' is missing", name);
      values.push_back(field.empty() ? std::numeric_limits<double>::quiet_NaN()
                                     : text.parse<double>(field, name.c_str()));
    }
    text.expect_end_of_line(',');
    return true;
  }

  data::TextReader text;
  std::string counts;
  std::vector<std::string> columns;
  std::int64_t epoch;
  std::vector<double> values;
};

}  // namespace

MetricsLog MetricsLog::create(const std::filesystem::path& path,
                              const std::vector<std::string>& columns) {
  const std::string head = head_of(columns);
  AppendFile file(path, 0);
  file.append(head + "\n");
  return {std::move(file), columns.size(), 0};
}

MetricsLog MetricsLog::resume(const std::filesystem::path& path,
                              const std::vector<std::string>& columns, std::int64_t last_epoch) {
  const data::File rows = whole_rows(path);
  Reader reader(rows);
  if (reader.columns != columns)
    throw Error("{}: the columns are {}; this run writes {}", rows.name(),
                fmt::join(reader.columns, ", "), fmt::join(columns, ", "));
  const auto end_of_line = [&] {
    const auto begin = static_cast<std::size_t>(reader.text.line().data() - rows.content().data());
    return rows.content().find('\n', begin) + 1;
  };
  std::size_t keep = end_of_line();
  std::int64_t reached = 0;
  while (reached < last_epoch && reader.next()) {
    if (reader.epoch > last_epoch) break;
    reached = reader.epoch;
    keep = end_of_line();
  }
  if (reached != last_epoch)
    throw Error("{}: the row of epoch {}, which the checkpoint is of, is missing", rows.name(),
                last_epoch);
  return {AppendFile(path, keep), columns.size(), last_epoch};
}

void MetricsLog::add(std::int64_t epoch, std::span<const double> values) {
  if (values.size() != columns_ || epoch <= last_epoch_)
    throw std::logic_error(fmt::format("a row of {} values for epoch {} after epoch {}, {} columns",
                                       values.size(), epoch, last_epoch_, columns_));
  std::string row = fmt::format("{}", epoch);
  for (const double value : values) row += std::isnan(value) ? "," : fmt::format(",{}", value);
  file_.append(row + "\n");
  last_epoch_ = epoch;
}

const std::vector<double>* Metrics::find(const std::string& column) const {
  const auto found = std::find(columns.begin(), columns.end(), column);
  return found == columns.end() ? nullptr
                                : &values[static_cast<std::size_t>(found - columns.begin())];
}

Metrics read_metrics(const std::filesystem::path& path, const std::string& counter) {
  const data::File rows = whole_rows(path);
  Reader reader(rows, counter);
  Metrics out{{}, reader.columns, std::vector<std::vector<double>>(reader.columns.size())};
  while (reader.next()) {
    out.epochs.push_back(reader.epoch);
    for (std::size_t k = 0; k < reader.values.size(); ++k)
      out.values[k].push_back(reader.values[k]);
  }
  return out;
}

}  // namespace pdegcn::report
