#include "pdegcn/data/modelnet.h"

#include <algorithm>
#include <exception>

#include "folder.h"

namespace pdegcn::data {
namespace {

namespace fs = std::filesystem;

// The folders in a folder that hold train or test, sorted.
std::vector<fs::path> class_folders(const fs::path& folder) {
  std::vector<fs::path> classes;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error))
    if (is_folder(entry->path() / "train") || is_folder(entry->path() / "test"))
      classes.push_back(entry->path());
  if (error) throw Error("{}: {}", folder.string(), error.message());
  std::sort(classes.begin(), classes.end());
  return classes;
}

std::vector<Split> modelnet_splits(const ModelNetTree& tree) {
  Split tenth{"default", {}, {}, {}};
  Split full{"full", {}, {}, {}};
  std::vector<std::vector<std::int32_t>> of_class(tree.class_names.size());
  for (std::size_t k = 0; k < tree.files.size(); ++k) {
    const auto item = static_cast<std::int32_t>(k);
    if (tree.files[k].test) {
      full.test.push_back(item);
    } else {
      full.train.push_back(item);
      of_class[tree.files[k].label].push_back(item);
    }
  }
  for (std::size_t c = 0; c < of_class.size(); ++c) {
    kernels::Random random(0, c);
    random.shuffle(std::span(of_class[c]));
    const std::size_t held_out = (of_class[c].size() + 5) / 10;
    for (std::size_t k = 0; k < of_class[c].size(); ++k)
      (k < held_out ? tenth.validation : tenth.train).push_back(of_class[c][k]);
  }
  std::sort(tenth.train.begin(), tenth.train.end());
  std::sort(tenth.validation.begin(), tenth.validation.end());
  tenth.test = full.test;
  return {std::move(tenth), std::move(full)};
}

}  // namespace

ModelNetTree list_modelnet(const fs::path& folder) {
  std::vector<fs::path> classes = class_folders(folder);
  for (const char* below : {"ModelNet10", "pcd"})
    if (classes.empty() && is_folder(folder / below)) classes = class_folders(folder / below);
  ModelNetTree tree;
  for (const fs::path& path : classes) {
    const auto label = static_cast<std::int32_t>(tree.class_names.size());
    tree.class_names.push_back(path.filename().string());
    for (const bool test : {false, true}) {
      const fs::path part = path / (test ? "test" : "train");
      if (!is_folder(part)) continue;
      for (fs::path& file : mesh_files(part)) tree.files.push_back({std::move(file), label, test});
    }
  }
  if (tree.files.empty())
    throw Error("{}: no shapes in <class>/train and <class>/test", folder.string());
  return tree;
}

Dataset read_modelnet(const fs::path& folder, const ModelNetOptions& options) {
  const ModelNetTree tree = list_modelnet(folder);
  Dataset out;
  out.name = last_name(folder);
  out.source = folder.string();
  out.class_names = tree.class_names;
  out.splits = modelnet_splits(tree);
  GraphLabels labels;
  for (const ModelNetFile& file : tree.files) labels.label.push_back(file.label);

  // Thousands of nearest-neighbour searches: worth every core. Of several errors the first in the
  // order of the files is reported, as a single thread would.
  const auto count = static_cast<std::int64_t>(tree.files.size());
  out.samples.resize(count);
  std::int64_t failed = count;
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic, 16)
  for (std::int64_t k = 0; k < count; ++k) {
    try {
      const fs::path& path = tree.files[k].path;
      kernels::Random random(options.seed, k);
      out.samples[k] = options.whole
                           ? shape_sample(path.string(), read_mesh(path))
                           : cloud_sample(path.string(), read_mesh(path), options.cloud, random);
      out.samples[k].name = path.stem().string();
    } catch (...) {
#pragma omp critical(pdegcn_read_modelnet)
      if (k < failed) {
        failed = k;
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
  out.targets = std::move(labels);
  out.check();
  return out;
}

}  // namespace pdegcn::data
