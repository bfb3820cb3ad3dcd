#include "pdegcn/data/open.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "pdegcn/data/file.h"
#include "pdegcn/data/sparse.h"

namespace pdegcn::data {
namespace {

namespace fs = std::filesystem;

// The fewest letters to insert, delete, replace or swap with the next.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, row);
  }
  return last.back();
}

[[noreturn]] void fail_unknown(const std::string& name) {
  const NamedSet* nearest = nullptr;
  std::size_t best = 1 + std::min<std::size_t>(3, name.size() / 2);
  std::string names;
  for (const NamedSet& set : named_sets()) {
    names += (names.empty() ? "" : ", ") + std::string(set.name);
    if (const std::size_t d = distance(name.substr(0, 100), set.name); d < best) {
      best = d;
      nearest = &set;
    }
  }
  throw Error("there is no data set and no path '{}'{}; the names are {}", name,
              nearest == nullptr ? "" : fmt::format("; did you mean {}?", nearest->name), names);
}

Dataset scaled(Dataset data, bool usually_normalized, FeatureScaling wanted) {
  if (wanted == FeatureScaling::kRowNormalized ||
      (wanted == FeatureScaling::kUsual && usually_normalized))
    row_normalize(data);
  return data;
}

Dataset open_path(const fs::path& path, const OpenOptions& options) {
  // What cannot be opened at all says so, before any format is tried.
  std::error_code error;
  if (!fs::is_directory(path, error)) File{path};
  std::string known;
  for (const Format& format : formats()) {
    if (format.matches(path))
      return scaled(format.read(path, options), format.row_normalized, options.features);
    known += "\n  " + std::string(format.shown_by);
  }
  throw Error("{}: the format is not recognised; these are:{}", path.string(), known);
}

}  // namespace

fs::path default_data_dir() {
  if (const char* folder = std::getenv("PDEGCN_DATA"); folder != nullptr && *folder != '\0')
    return folder;
  const char* home = std::getenv("HOME");
  return fs::path(home == nullptr ? "." : home) / ".cache" / "pdegcn";
}

std::optional<fs::path> find_set(const NamedSet& set, const fs::path& data_dir) {
  for (const std::string_view marker : set.markers)
    if (is_there(data_dir / marker)) return (data_dir / marker).parent_path();
  return std::nullopt;
}

Dataset open(const std::string& name_or_path, const OpenOptions& options) {
  const fs::path data_dir = options.data_dir.empty() ? default_data_dir() : options.data_dir;
  const auto sets = named_sets();
  const auto set = std::ranges::find(sets, name_or_path, &NamedSet::name);
  if (set != sets.end()) {
    const std::optional<fs::path> folder = find_set(*set, data_dir);
    if (folder || set->markers.empty())
      return scaled(set->read(folder.value_or(""), name_or_path, options), set->row_normalized,
                    options.features);
  }
  if (name_or_path.empty()) throw Error("the name of the data set is empty");
  if (is_there(name_or_path)) return open_path(name_or_path, options);
  if (is_there(data_dir / name_or_path)) return open_path(data_dir / name_or_path, options);
  if (set == sets.end()) fail_unknown(name_or_path);
  throw Error(
      "data set {} is not in {}: get it with 'pdegcn fetch {}', or say where it is with --data-dir "
      "or PDEGCN_DATA",
      name_or_path, data_dir.string(), name_or_path);
}

}  // namespace pdegcn::data
