#include "pdegcn/report/dataset_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pdegcn/report/table.h"

namespace pdegcn::report {
namespace {

using data::DatasetStatistics;
using Task = DatasetStatistics::Task;

constexpr auto count = with_commas;

std::string homophily(const DatasetStatistics& set) {
  return set.homophily ? fmt::format("{:.3f}", *set.homophily) : "";
}

const char* task_name(Task task) {
  switch (task) {
    case Task::kNodeLabels:
      return "one label per node";
    case Task::kNodeMultiLabels:
      return "several labels per node";
    case Task::kGraphLabels:
      return "one label per graph";
    case Task::kNone:
      break;
  }
  return "no labels";
}

std::string edges_given(const DatasetStatistics& set) {
  std::string text = count(set.edges_given);
  if (set.self_loops > 0) text += fmt::format(", {} of them self-loops", count(set.self_loops));
  if (set.merged > 0) text += fmt::format(", {} repeated or reversed", count(set.merged));
  return text;
}

std::string bar(std::int64_t value, std::int64_t largest) {
  constexpr std::int64_t kWidth = 40;
  std::string text;
  for (std::int64_t k = (value * kWidth + largest - 1) / largest; k > 0; --k) text += "█";
  return text;
}

std::string degree_table(const DatasetStatistics& set) {
  std::int64_t largest = 1;
  for (const auto& bucket : set.degrees) largest = std::max(largest, bucket.nodes);
  Table table({"degree", "nodes", ""});
  for (const auto& [least, most, nodes] : set.degrees)
    table.add({least == most ? count(least) : count(least) + "-" + count(most), count(nodes),
               bar(nodes, largest)});
  return table.text();
}

std::string class_table(const DatasetStatistics& set) {
  constexpr std::size_t kListed = 30;
  const char* what = set.task == Task::kGraphLabels ? "graphs" : "nodes";
  if (set.class_counts.size() > kListed) {
    const auto [least, most] = std::ranges::minmax(set.class_counts);
    return fmt::format("{} classes with {} to {} {} each\n",
                       count(static_cast<std::int64_t>(set.class_counts.size())), count(least),
                       count(most), what);
  }
  Table table({set.task == Task::kNodeMultiLabels ? "label" : "class", what});
  for (std::size_t c = 0; c < set.class_counts.size(); ++c)
    table.add({c < set.class_names.size() ? set.class_names[c] : std::to_string(c),
               count(set.class_counts[c])});
  return table.text();
}

std::string split_table(const DatasetStatistics& set) {
  Table table({"split", "train", "validation", "test"});
  for (const auto& split : set.splits)
    table.add({split.name, count(split.train), count(split.validation), count(split.test)});
  return table.text();
}

nlohmann::ordered_json json_of(const DatasetStatistics& set) {
  nlohmann::ordered_json json;
  json["name"] = set.name;
  json["source"] = set.source;
  json["graphs"] = set.samples;
  json["nodes"] = set.nodes;
  json["edges_given"] = set.edges_given;
  json["self_loops"] = set.self_loops;
  json["merged"] = set.merged;
  json["edges"] = set.edges;
  json["odd_edge_attributes"] = set.odd_attributes;
  json["even_edge_attributes"] = set.even_attributes;
  json["triangles"] = set.triangles;
  json["features"] = set.features;
  json["nonzeros"] = set.nonzeros;
  json["density"] = set.density;
  json["task"] = task_name(set.task);
  json["classes"] = set.class_names;
  json["class_counts"] = set.class_counts;
  json["unlabelled"] = set.unlabelled;
  json["degree"] = {
      {"least", set.least_degree}, {"mean", set.mean_degree}, {"most", set.most_degree}};
  json["degrees"] = nlohmann::ordered_json::array();
  for (const auto& bucket : set.degrees)
    json["degrees"].push_back(
        {{"least", bucket.least}, {"most", bucket.most}, {"nodes", bucket.nodes}});
  json["isolated"] = set.isolated;
  json["components"] = set.components;
  json["largest_component"] = set.largest_component;
  json["homophily"] = set.homophily ? nlohmann::ordered_json(*set.homophily) : nullptr;
  json["splits"] = nlohmann::ordered_json::array();
  for (const auto& split : set.splits)
    json["splits"].push_back({{"name", split.name},
                              {"train", split.train},
                              {"validation", split.validation},
                              {"test", split.test}});
  return json;
}

}  // namespace

std::string dataset_info(const DatasetStatistics& set) {
  Table sizes({set.name, set.source});
  sizes.add({"graphs", count(set.samples)});
  sizes.add({"nodes", count(set.nodes)});
  sizes.add({"edges", count(set.edges)});
  sizes.add({"edges as given", edges_given(set)});
  if (set.odd_attributes + set.even_attributes > 0)
    sizes.add({"edge attributes",
               fmt::format("{} odd, {} even", set.odd_attributes, set.even_attributes)});
  if (set.triangles > 0) sizes.add({"triangles", count(set.triangles)});
  sizes.add({"features", count(set.features)});
  sizes.add(
      {"non-zero values", fmt::format("{} ({:.3g} %)", count(set.nonzeros), 100 * set.density)});
  sizes.add({"degree", fmt::format("{:.2f} on average, from {} to {}", set.mean_degree,
                                   count(set.least_degree), count(set.most_degree))});
  sizes.add({"components", fmt::format("{}, the largest of {} nodes", count(set.components),
                                       count(set.largest_component))});
  sizes.add({"isolated nodes", count(set.isolated)});
  if (set.homophily) sizes.add({"homophily", homophily(set)});
  sizes.add({"task", task_name(set.task)});
  if (set.task != Task::kNone)
    sizes.add({"classes", count(static_cast<std::int64_t>(set.class_counts.size()))});
  if (set.unlabelled > 0) sizes.add({"without a label", count(set.unlabelled)});

  std::string text = sizes.text();
  if (!set.degrees.empty()) text += "\n" + degree_table(set);
  if (!set.class_counts.empty()) text += "\n" + class_table(set);
  if (!set.splits.empty()) text += "\n" + split_table(set);
  return text;
}

std::string dataset_overview(std::span<const DatasetStatistics> sets) {
  Table table({"data set", "graphs", "nodes", "edges", "features", "non-zero %", "classes",
               "degree", "components", "isolated", "homophily", "splits"});
  for (const DatasetStatistics& set : sets)
    table.add({set.name, count(set.samples), count(set.nodes), count(set.edges),
               count(set.features), fmt::format("{:.3g}", 100 * set.density),
               count(static_cast<std::int64_t>(set.class_counts.size())),
               fmt::format("{:.2f}", set.mean_degree), count(set.components), count(set.isolated),
               homophily(set), count(static_cast<std::int64_t>(set.splits.size()))});
  return table.text();
}

std::string dataset_json(std::span<const DatasetStatistics> sets) {
  auto json = nlohmann::ordered_json::array();
  for (const DatasetStatistics& set : sets) json.push_back(json_of(set));
  // Names come from files and may be any bytes.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace pdegcn::report
