#include "pdegcn/train/result.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "pdegcn/kernels/targets.h"

namespace pdegcn::train {

std::string version() {
  return PDEGCN_VERSION;
}

std::string why_ended(const Result& r) {
  if (r.epochs < r.config.epochs)
    return fmt::format("no better epoch for {}: stopped at {}", r.config.patience, r.epochs);
  return fmt::format("all {} epochs", r.epochs);
}

std::string to_json(const Result& r) {
  using Json = nlohmann::ordered_json;
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  Json json{{"model", r.config.model}, {"split", r.config.split},
            {"seed", r.config.seed},   {"protocol", r.config.protocol},
            {"metric", r.metric},      {"epochs", r.epochs},
            {"ended", why_ended(r)},   {"selected_epoch", r.best_epoch}};
  for (const auto& [name, score] :
       {std::pair("train", &r.train), std::pair("validation", &r.validation),
        std::pair("test", &r.test)})
    json[name] = {
        {"loss", number(score->loss)}, {"score", number(score->score)}, {"count", score->count}};
  if (r.peeked)
    json["test_peek"] = {{"epochs", r.peeked->epochs},
                         {"selected_epoch", r.peeked->best_epoch},
                         {"score", number(r.peeked->score)}};
  if (!r.alpha.empty()) json["alpha"] = r.alpha;
  json["parameters"] = r.parameters;
  json["memory"] = r.config.memory;
  json["version"] = version();
  json["kernels"] = kernels::target();
  return json.dump(2);
}

report::Table results_table(std::span<const Result> results, std::int64_t peak_memory) {
  report::Table table({"model", "split", "seed", "protocol", "metric", "epochs", "selected_epoch",
                       "train", "validation", "test", "test_peek", "alpha", "parameters",
                       "seconds_per_epoch", "peak_memory_bytes", "version", "kernels"});
  const auto number = [](double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : "";
  };
  for (const Result& r : results) {
    std::string alpha;
    for (const double a : r.alpha) alpha += fmt::format("{}{}", alpha.empty() ? "" : " ", a);
    table.add({r.config.model, r.config.split, fmt::format("{}", r.config.seed), r.config.protocol,
               r.metric, fmt::format("{}", r.epochs), fmt::format("{}", r.best_epoch),
               number(r.train.score), number(r.validation.score), number(r.test.score),
               r.peeked ? number(r.peeked->score) : "", alpha, fmt::format("{}", r.parameters),
               number(r.seconds_per_epoch), fmt::format("{}", peak_memory), version(),
               kernels::target()});
  }
  return table;
}

}  // namespace pdegcn::train
