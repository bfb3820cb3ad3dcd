#include "pdegcn/train/checkpoint.h"

#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>

#include "pdegcn/graph/error.h"
#include "pdegcn/report/safetensors.h"

namespace pdegcn::train {
namespace {

constexpr const char* kFormat = "pdegcn 1";

// Names of the optimiser's tensors, and of the best weights, begin with these.
constexpr const char* kMean = "adam.mean.";
constexpr const char* kSquare = "adam.square.";
constexpr const char* kBest = "best.";

template <class Action>
void for_each_tensor(const nn::Network& network, const Action& action) {
  for (const auto& item : network.named_parameters()) action(item.key(), item.value());
  for (const auto& item : network.named_buffers()) action(item.key(), item.value());
}

void put(report::Safetensors& file, const Weights& weights, const std::string& prefix = "") {
  for (const auto& [name, tensor] : weights) {
    const auto plain = tensor.detach().to(torch::kCPU, torch::kFloat32).contiguous();
    file.tensors[prefix + name] = report::Tensor::of(
        plain.sizes().vec(),
        std::span<const float>(plain.data_ptr<float>(), static_cast<std::size_t>(plain.numel())));
  }
}

// The tensors whose names begin with the prefix and, for none, those with no prefix at all.
Weights take(const report::Safetensors& file, const std::string& prefix = "") {
  Weights weights;
  for (const auto& [name, stored] : file.tensors) {
    const bool prefixed =
        name.starts_with(kMean) || name.starts_with(kSquare) || name.starts_with(kBest);
    if (prefix.empty() ? prefixed : !name.starts_with(prefix)) continue;
    const auto values = stored.values<float>();
    auto tensor = torch::empty(stored.shape, torch::kFloat32);
    if (!values.empty()) std::memcpy(tensor.data_ptr<float>(), values.data(), values.size_bytes());
    weights[name.substr(prefix.size())] = tensor;
  }
  return weights;
}

report::Safetensors read_own(const std::filesystem::path& path) {
  auto file = report::read_safetensors(path);
  const auto format = file.metadata.find("format");
  if (format == file.metadata.end() || format->second != kFormat)
    throw Error("{}: this file was not written by this version of pdegcn", path.string());
  if (!file.checked) throw Error("{}: the file is damaged: its checksum is missing", path.string());
  return file;
}

const std::string& entry(const report::Safetensors& file, const std::string& name,
                         const std::filesystem::path& path) {
  const auto found = file.metadata.find(name);
  if (found == file.metadata.end())
    throw Error("{}: the metadata have no entry '{}'", path.string(), name);
  return found->second;
}

template <class T>
T number(const report::Safetensors& file, const std::string& name,
         const std::filesystem::path& path) {
  const std::string& text = entry(file, name, path);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw Error("{}: entry '{}' of the metadata is not a number: '{}'", path.string(), name, text);
  return value;
}

void put(report::Safetensors& file, const Choice& choice, const std::string& name) {
  file.metadata[name + "_epoch"] = fmt::format("{}", choice.epoch);
  file.metadata[name + "_value"] = fmt::format("{}", choice.value);
  file.metadata[name + "_ended"] = fmt::format("{}", choice.ended);
}

Choice choice(const report::Safetensors& file, const std::string& name,
              const std::filesystem::path& path) {
  return {number<std::int64_t>(file, name + "_epoch", path),
          number<double>(file, name + "_value", path),
          number<std::int64_t>(file, name + "_ended", path)};
}

}  // namespace

Weights weights_of(const nn::Network& network) {
  Weights weights;
  for_each_tensor(network, [&](const std::string& name, const torch::Tensor& tensor) {
    weights[name] = tensor.detach().clone();
  });
  return weights;
}

void load_weights(nn::Network& network, const Weights& weights, const std::string& where) {
  const torch::NoGradGuard no_grad;
  const auto shape = [](const torch::Tensor& t) {
    std::string text;
    for (const std::int64_t size : t.sizes())
      text += fmt::format("{}{}", text.empty() ? "" : " x ", size);
    return text;
  };
  std::size_t used = 0;
  for_each_tensor(network, [&](const std::string& name, torch::Tensor tensor) {
    const auto found = weights.find(name);
    if (found == weights.end()) throw Error("{}: there is no tensor '{}'", where, name);
    if (found->second.sizes() != tensor.sizes())
      throw Error("{}: '{}' is {}, but the data set and the configuration ask for {}", where, name,
                  shape(found->second), shape(tensor));
    tensor.copy_(found->second);
    ++used;
  });
  if (used != weights.size())
    throw Error("{}: there are {} tensors, the network has {}", where, weights.size(), used);
}

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& c) {
  report::Safetensors file;
  put(file, c.weights);
  put(file, c.best, kBest);
  put(file, c.mean, kMean);
  put(file, c.square, kSquare);
  file.metadata = {{"format", kFormat},
                   {"config", to_json(c.config)},
                   {"data_fingerprint", c.fingerprint},
                   {"epoch", fmt::format("{}", c.standing.epoch)},
                   {"adam_steps", fmt::format("{}", c.steps)}};
  put(file, c.standing.chosen, "chosen");
  put(file, c.standing.peeked, "peeked");
  report::write_safetensors(path, file);
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  const auto file = read_own(path);
  Checkpoint c;
  c.config = config_from_json(entry(file, "config", path), path.string());
  c.fingerprint = entry(file, "data_fingerprint", path);
  c.standing.epoch = number<std::int64_t>(file, "epoch", path);
  c.standing.chosen = choice(file, "chosen", path);
  c.standing.peeked = choice(file, "peeked", path);
  c.steps = number<std::int64_t>(file, "adam_steps", path);
  c.weights = take(file);
  c.best = take(file, kBest);
  c.mean = take(file, kMean);
  c.square = take(file, kSquare);
  return c;
}

void write_trained(const std::filesystem::path& path, const Trained& trained) {
  report::Safetensors file;
  put(file, trained.weights);
  file.metadata = {{"format", kFormat},
                   {"config", to_json(trained.config)},
                   {"epoch", fmt::format("{}", trained.epoch)},
                   {"classes", nlohmann::json(trained.classes).dump()},
                   {"multi_label", fmt::format("{}", trained.multi_label ? 1 : 0)}};
  if (!trained.graph.empty()) file.metadata["graph_fingerprint"] = trained.graph;
  if (!trained.scaling.mean.empty()) {
    file.metadata["feature_mean"] = nlohmann::json(trained.scaling.mean).dump();
    file.metadata["feature_deviation"] = nlohmann::json(trained.scaling.deviation).dump();
  }
  report::write_safetensors(path, file);
}

Trained read_trained(const std::filesystem::path& path) {
  const auto file = read_own(path);
  std::vector<std::string> classes;
  Scaling scaling;
  try {
    nlohmann::json::parse(entry(file, "classes", path)).get_to(classes);
    if (file.metadata.contains("feature_mean")) {
      nlohmann::json::parse(entry(file, "feature_mean", path)).get_to(scaling.mean);
      nlohmann::json::parse(entry(file, "feature_deviation", path)).get_to(scaling.deviation);
    }
  } catch (const nlohmann::json::exception& error) {
    throw Error(
        "{}: the names of the classes, or mean and deviation of the features, are damaged: {}",
        path.string(), error.what());
  }
  if (scaling.mean.size() != scaling.deviation.size())
    throw Error("{}: mean and deviation of the features differ in length", path.string());
  return {config_from_json(entry(file, "config", path), path.string()),
          number<std::int64_t>(file, "epoch", path),
          std::move(classes),
          number<int>(file, "multi_label", path) != 0,
          take(file),
          file.metadata.contains("graph_fingerprint") ? file.metadata.at("graph_fingerprint") : "",
          std::move(scaling)};
}

}  // namespace pdegcn::train
