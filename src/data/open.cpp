#include "pdegcn/data/open.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "pdegcn/data/file.h"
#include "pdegcn/data/mesh.h"
#include "pdegcn/data/nearest.h"
#include "pdegcn/data/shapes.h"
#include "pdegcn/data/sparse.h"

namespace pdegcn::data {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_unknown(const std::string& name) {
  std::vector<std::string_view> names;
  for (const NamedSet& set : named_sets()) names.push_back(set.name);
  const std::string_view nearest = nearest_name(name, names);
  throw Error("there is no data set and no path '{}'{}; the names are {}", name,
              nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest),
              fmt::join(names, ", "));
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
  if (options.unrelated && !fs::is_directory(path, error) && has_mesh_extension(path))
    return read_shapes(path);
  const fs::path folder = path.parent_path().empty() ? "." : path.parent_path();
  std::string known;
  for (const Format& format : formats()) {
    if (format.matches(path))
      return scaled(format.read(path, options), format.row_normalized, options.features);
    known += "\n  " + std::string(format.shown_by);
  }
  if (!fs::is_directory(path, error) &&
      std::ranges::any_of(formats(), [&](const Format& f) { return f.matches(folder); }))
    throw Error("{}: this is one file of a data set: give its folder, {}", path.string(),
                folder.string());
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
