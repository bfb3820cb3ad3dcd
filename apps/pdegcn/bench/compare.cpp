#include "compare.h"

#include <cmath>
#include <limits>

#include "pdegcn/graph/error.h"
#include "side.h"

namespace pdegcn::bench {
namespace {

using Json = nlohmann::ordered_json;

// Sums in another order, or on the matrix unit, differ this much at most over 64 layers of floats.
constexpr double kTolerance = 1e-4;

struct Named {
  const char* name;
  Formulation formulation;
};
constexpr Named kFormulations[] = {
    {"paper", Formulation::paper}, {"torch", Formulation::torch}, {"tuned", Formulation::tuned}};

// `tuned` alone can do with the edge tensors of one layer.
std::int64_t least_bytes(Formulation formulation, const Workload& w) {
  const std::int64_t all = edge_bytes(formulation, w);
  return formulation == Formulation::tuned ? all / (w.what.layers + 3) * 3 : all;
}

double ratio_of(const Comparison& row, std::size_t side) {
  return row.sides[side].seconds / row.sides.front().seconds;
}

std::string number(double value) {
  if (!std::isfinite(value)) return "–";
  return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0);
}

Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

}  // namespace

Comparison compare(const Case& what, int threads, const Setting& setting) {
  train::set_threads(threads);
  const Workload workload(what, setting.quick);
  Comparison row;
  row.what = what;
  row.threads = threads;
  row.nodes = workload.nodes();
  row.edges = workload.edges();

  std::vector<std::unique_ptr<Side>> sides;
  sides.push_back(ours(workload));
  row.sides.push_back({"ours"});
  const Derivatives truth = sides.front()->derivatives();
  for (const auto& [name, formulation] : kFormulations) {
    Timed timed{name, std::numeric_limits<double>::quiet_NaN(), least_bytes(formulation, workload)};
    std::unique_ptr<Side> side;
    if (timed.peak_bytes <= available_memory()) {
      side = formulated(formulation, workload);
      timed.difference = difference(side->derivatives(), truth);
      if (!(timed.difference <= kTolerance))
        throw Error("{}: the formulation '{}' differs from ours by {:.1e} in loss or gradients",
                    what.name, name, timed.difference);
    }
    sides.push_back(std::move(side));
    row.sides.push_back(timed);
  }

  Machine machine(setting.product_size(), workload.nodes() * workload.what.channels * 4,
                  workload.what.channels);
  std::vector<Task> steps(sides.size());
  std::vector<Task*> tasks = machine.tasks();
  for (std::size_t k = 0; k < sides.size(); ++k) {
    if (!sides[k]) continue;
    steps[k].run = [side = sides[k].get()] {
      side->train();
      side->evaluate();
    };
    tasks.push_back(&steps[k]);
  }
  measure(tasks, setting.rounds, fmt::format("{}, threads {}{}", what.name, threads, setting.place),
          setting.progress, setting.stop);
  for (std::size_t k = 0; k < sides.size(); ++k) {
    if (!sides[k]) continue;
    row.sides[k].seconds = steps[k].seconds;
    row.sides[k].peak_bytes = steps[k].peak_bytes;
  }
  row.limit = limit(workload, machine);
  row.openblas_flops = machine.flops(machine.openblas);
  row.own_flops = machine.flops(machine.own);
  row.tanhs = machine.tanhs();
  row.bytes = machine.bytes();
  return row;
}

report::Table table(const std::vector<Comparison>& comparisons) {
  report::Table table({"case", "threads", "paper ms", "torch ms", "tuned ms", "ours ms", "limit ms",
                       "× paper", "× torch", "× tuned", "of limit"});
  for (const Comparison& row : comparisons) {
    std::vector<std::string> cells{row.what.name, fmt::format("{}", row.threads)};
    for (const std::size_t side : {1, 2, 3, 0})
      cells.push_back(number(1e3 * row.sides[side].seconds));
    cells.push_back(number(1e3 * row.limit.total()));
    for (const std::size_t side : {1, 2, 3}) cells.push_back(number(ratio_of(row, side)));
    cells.push_back(number(row.limit.total() / row.sides.front().seconds));
    table.add(cells);
  }
  return table;
}

Json json(const std::vector<Comparison>& comparisons) {
  Json rows = Json::array();
  for (const Comparison& row : comparisons) {
    Json sides;
    for (std::size_t k = 0; k < row.sides.size(); ++k) {
      const Timed& side = row.sides[k];
      const bool ran = std::isfinite(side.seconds);
      sides[side.name] = {{"seconds", number_or_null(side.seconds)},
                          {ran ? "peak_bytes" : "bytes_needed", side.peak_bytes}};
      if (k == 0) continue;
      sides[side.name]["ratio"] = number_or_null(ratio_of(row, k));
      if (ran) sides[side.name]["difference"] = side.difference;
    }
    rows.push_back({{"case", row.what.name},
                    {"threads", row.threads},
                    {"nodes", row.nodes},
                    {"edges", row.edges},
                    {"sides", std::move(sides)},
                    {"limit",
                     {{"seconds", row.limit.total()},
                      {"products", row.limit.products},
                      {"edges", row.limit.edges},
                      {"opening", row.limit.opening},
                      {"fraction", row.limit.total() / row.sides.front().seconds}}},
                    {"machine",
                     {{"openblas_flops", row.openblas_flops},
                      {"own_flops", row.own_flops},
                      {"tanh_per_second", row.tanhs},
                      {"copy_bytes_per_second", row.bytes}}}});
  }
  return rows;
}

std::vector<std::string> notes(const std::vector<Comparison>& comparisons) {
  std::vector<std::string> lines;
  for (const Comparison& row : comparisons)
    for (const Timed& side : row.sides)
      if (!std::isfinite(side.seconds))
        lines.push_back(fmt::format("{}: '{}' did not run, its edge tensors would need {:.0f} GB",
                                    row.what.name, side.name,
                                    static_cast<double>(side.peak_bytes) / 1e9));
  return lines;
}

}  // namespace pdegcn::bench
