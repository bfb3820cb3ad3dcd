#include "pdegcn/data/splits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pdegcn/kernels/random.h"

namespace pdegcn::data {
namespace {

void check(const RandomSplits& options) {
  const auto number = [&](const char* name, double value) {
    const bool whole = value >= 1 && value <= std::numeric_limits<std::int32_t>::max() &&
                       value == std::trunc(value);
    if (!(value >= 0 && value < 1) && !whole)
      throw Error("{}: {} is {}, neither a share below 1 nor a whole number", options.where, name,
                  value);
  };
  number("train", options.train);
  number("validation", options.validation);
  number("test", options.test);
  if (options.train == 0) throw Error("{}: train is 0", options.where);
  if (options.count < 1 || options.count > 1000)
    throw Error("{}: count is {}, not between 1 and 1000", options.where, options.count);
  double shares = 0;
  for (const double share : {options.train, options.validation, options.test})
    if (share < 1) shares += share;
  if (shares > 1 + 1e-9) throw Error("{}: the shares add up to {}", options.where, shares);
}

Split random_split(const std::vector<std::vector<std::int32_t>>& classes,
                   const RandomSplits& options, int number) {
  kernels::Random random(options.seed, static_cast<std::uint64_t>(number));
  Split split;
  split.name = std::to_string(number);
  std::vector<std::int32_t> rest;  // what is not given out by class
  for (std::vector<std::int32_t> nodes : classes) {
    if (nodes.empty()) continue;
    random.shuffle(std::span(nodes));
    std::size_t used = 0;
    const auto take = [&](std::vector<std::int32_t>& part, std::size_t wanted) {
      const std::size_t end = std::min(nodes.size(), used + wanted);
      part.insert(part.end(), nodes.begin() + static_cast<std::ptrdiff_t>(used),
                  nodes.begin() + static_cast<std::ptrdiff_t>(end));
      used = end;
    };
    const auto share = [&](double part) {
      return static_cast<std::size_t>(std::lround(part * static_cast<double>(nodes.size())));
    };
    take(split.train, options.train >= 1 ? static_cast<std::size_t>(options.train)
                                         : std::max<std::size_t>(1, share(options.train)));
    if (options.validation < 1) take(split.validation, share(options.validation));
    if (options.test > 0 && options.test < 1) take(split.test, share(options.test));
    take(rest, nodes.size());
  }
  random.shuffle(std::span(rest));
  std::size_t used = 0;
  const auto take = [&](std::vector<std::int32_t>& part, const char* name, double wanted) {
    if (static_cast<double>(rest.size() - used) < wanted)
      throw Error("{}: {} is {}, but only {} labelled nodes are left", options.where, name, wanted,
                  rest.size() - used);
    const auto begin = rest.begin() + static_cast<std::ptrdiff_t>(used);
    part.insert(part.end(), begin, begin + static_cast<std::ptrdiff_t>(wanted));
    used += static_cast<std::size_t>(wanted);
  };
  if (options.validation >= 1) take(split.validation, "validation", options.validation);
  if (options.test >= 1) take(split.test, "test", options.test);
  if (options.test == 0) take(split.test, "test", static_cast<double>(rest.size() - used));
  for (auto* part : {&split.train, &split.validation, &split.test})
    std::sort(part->begin(), part->end());
  return split;
}

}  // namespace

std::vector<Split> random_splits(std::span<const std::int32_t> labels,
                                 const RandomSplits& options) {
  check(options);
  std::vector<std::vector<std::int32_t>> classes;
  for (std::size_t k = 0; k < labels.size(); ++k) {
    if (labels[k] == kUnlabelled) continue;
    if (labels[k] >= static_cast<std::int64_t>(classes.size())) classes.resize(labels[k] + 1);
    classes[labels[k]].push_back(static_cast<std::int32_t>(k));
  }
  std::vector<Split> splits;
  splits.reserve(static_cast<std::size_t>(options.count));
  for (int k = 0; k < options.count; ++k) splits.push_back(random_split(classes, options, k));
  return splits;
}

std::vector<std::string> shortcomings(const Dataset& data, const Split& split) {
  const std::vector<std::int32_t>* labels = nullptr;
  if (const auto* graphs = std::get_if<GraphLabels>(&data.targets)) labels = &graphs->label;
  if (const auto* nodes = std::get_if<NodeLabels>(&data.targets);
      nodes != nullptr && data.samples.size() == 1)
    labels = &nodes->label;
  std::vector<std::string> found;
  if (labels == nullptr) return found;
  std::vector<bool> learnt(data.class_names.size());
  for (const auto& [part, name] :
       {std::pair(&split.train, "train"), std::pair(&split.validation, "validation")}) {
    std::size_t unlabelled = 0;
    for (const std::int32_t id : *part) {
      const std::int32_t label = (*labels)[id];
      unlabelled += label == kUnlabelled;
      if (label != kUnlabelled && part == &split.train) learnt[label] = true;
    }
    if (unlabelled > 0)
      found.push_back(fmt::format("{} of {} in the {} part have no label and are left out",
                                  unlabelled, part->size(), name));
  }
  for (std::size_t c = 0; c < learnt.size(); ++c)
    if (!learnt[c])
      found.push_back(
          fmt::format("the train part shows nothing of the class {:.40}", data.class_names[c]));
  return found;
}

Split split_from_masks(const Npz& masks, std::string name, std::int64_t nodes) {
  const auto indices = [&](const char* array) {
    const NpyArray mask = masks.at(array);
    mask.view().expect_shape({nodes});
    const std::vector<std::uint8_t> values = mask.view().as<std::uint8_t>();
    std::vector<std::int32_t> result(values.size());
    std::size_t count = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (values[k] > 1)
        throw Error("{}: element {} is {}, not 0 or 1", mask.view().name, k, values[k]);
      result[count] = static_cast<std::int32_t>(k);  // a mask is too random for a branch
      count += values[k];
    }
    result.resize(count);
    return result;
  };
  return {std::move(name), indices("train_mask"), indices("val_mask"), indices("test_mask")};
}

std::vector<Split> read_geom_gcn_splits(const std::filesystem::path& folder,
                                        const std::string& name, std::int64_t nodes) {
  std::vector<Split> splits;
  for (const auto& place : {folder / "splits", folder / ".." / "splits"}) {
    for (int k = 0; k < 10; ++k) {
      const auto file =
          (place / fmt::format("{}_split_0.6_0.2_{}.npz", name, k)).lexically_normal();
      if (is_there(file)) splits.push_back(split_from_masks(Npz(file), std::to_string(k), nodes));
    }
    if (!splits.empty()) break;
  }
  return splits;
}

}  // namespace pdegcn::data
