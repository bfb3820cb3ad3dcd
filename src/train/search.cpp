#include "pdegcn/train/search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/random.h"
#include "toml_text.h"

namespace pdegcn::train {
namespace {

constexpr std::int64_t kReduction = 3;
constexpr std::int64_t kFewestEpochs = 10;
// What is the same for all trials: the data set, which is opened once, the model, and how they are
// judged.
constexpr std::array<std::string_view, 12> kFixed{"data",     "data-dir", "task",  "split",
                                                  "features", "points",   "model", "epochs",
                                                  "select",   "protocol", "seed",  "seeds"};

constexpr std::uint64_t kTrialStream = std::uint64_t{1} << 41;

// How far a trial lies from the one it is near to: the share of a range that numbers move by, and
// how often one of several values stays.
constexpr double kNearStep = 0.1;
constexpr double kNearStays = 0.75;

Range read_range(const toml::table& table, const std::string& where) {
  Range range;
  for (const auto& [key, node] : table) {
    if (key == "log" && node.is_boolean())
      range.log = *node.value<bool>();
    else if (key == "low" && node.is_number())
      range.low = *node.value<double>();
    else if (key == "high" && node.is_number())
      range.high = *node.value<double>();
    else
      throw Error("{}: '{}' is not one of low, high (numbers) and log (true or false)", where,
                  key.str());
  }
  if (!table.contains("low") || !table.contains("high"))
    throw Error("{}: a range needs low and high", where);
  if (!(range.low <= range.high) || (range.log && !(range.low > 0)))
    throw Error("{}: the range from {} to {} makes no sense", where, range.low, range.high);
  return range;
}

std::string draw_choice(const OneOf& choice, const std::string* centre, kernels::Random& random) {
  const bool stays = centre != nullptr && random.uniform() < kNearStays &&
                     std::ranges::find(choice.values, *centre) != choice.values.end();
  return stays ? *centre : choice.values[random.below(choice.values.size())];
}

// Of a text that is one; unlike std::stod it takes the smallest there are.
double number_in(const std::string& text) {
  return std::strtod(text.c_str(), nullptr);
}

std::string draw_number(const Range& range, const std::string* centre, kernels::Random& random) {
  const auto scaled = [&](double x) { return range.log ? std::log(x) : x; };
  const double low = scaled(range.low), high = scaled(range.high);
  double value = random.uniform(low, high);
  if (centre != nullptr) {
    const double inside = std::clamp(number_in(*centre), range.low, range.high);
    double step = kNearStep * (high - low);
    if (range.whole && !range.log) step = std::max(step, 1.0);  // less would be rounded away
    value = scaled(inside) + step * random.normal();
  }
  value = std::clamp(range.log ? std::exp(value) : value, range.low, range.high);
  // Three digits: a config that people can read is worth more than the rest.
  const std::string text =
      range.whole ? fmt::format("{}", std::llround(value)) : fmt::format("{:.3g}", value);
  const double rounded = number_in(text);
  return rounded < range.low || rounded > range.high ? fmt::format("{}", value) : text;
}

}  // namespace

Space read_space(std::string_view text, const std::string& name) {
  const toml::table table = parse_toml(text, name);
  Space space;
  for (const auto& [key, node] : table) {
    const std::string where =
        fmt::format("{}, line {}, {}", name, key.source().begin.line, key.str());
    const Field& f = field(key.str(), where);
    if (!f.recorded || std::ranges::find(kFixed, f.name) != kFixed.end())
      throw Error("{}: this is not something to search over", where);
    const auto check = [&](const std::string& value) {
      RunConfig trial;
      apply_settings(trial, {{std::string(f.name), {value, where}}});
    };
    if (const auto* list = node.as_array()) {
      OneOf choice;
      for (const auto& value : *list) choice.values.push_back(text_of(value, where));
      if (choice.values.empty()) throw Error("{}: there is nothing to choose from", where);
      for (const std::string& value : choice.values) check(value);
      space.push_back({std::string(f.name), std::move(choice), where});
    } else if (const auto* inner = node.as_table()) {
      Range range = read_range(*inner, where);
      range.whole = std::holds_alternative<std::int64_t RunConfig::*>(f.member);
      if (!range.whole && !std::holds_alternative<double RunConfig::*>(f.member))
        throw Error("{}: this is no number: give a list of values", where);
      for (const double end : {range.low, range.high}) check(fmt::format("{}", end));
      space.push_back({std::string(f.name), range, where});
    } else {
      throw Error("{}: give a list of values, or a table with low and high", where);
    }
  }
  if (space.empty()) throw Error("{}: there is nothing to search over", name);
  return space;
}

std::string default_space(Task task, Model model) {
  std::string text =
      "lr = {low = 0.002, high = 0.1, log = true}\n"
      "weight-decay = {low = 1e-5, high = 0.005, log = true}\n";
  if (task == kNode) text += "dropout = [0.3, 0.4, 0.5, 0.6, 0.7]\n";
  const auto add = [&](unsigned models, const char* line) {
    if ((models & model) != 0) text += line;
  };
  add(kPde, "step = {low = 0.02, high = 1.0, log = true}\n");
  add(kPde, "lr-pde = {low = 1e-6, high = 0.01, log = true}\n");
  add(kMixture, "lr-alpha = {low = 0.001, high = 0.1, log = true}\n");
  add(kGcn | kJknet | kInception, "drop-edge = [0.0, 0.2, 0.4, 0.6]\n");
  add(kAppnp | kGcnii | kGcniiStar, "teleport = [0.1, 0.2, 0.3, 0.5]\n");
  add(kGcnii | kGcniiStar, "lambda = [0.5, 1.0, 1.5]\n");
  add(kGcnii | kGcniiStar, "conv-weight-decay = {low = 1e-5, high = 0.01, log = true}\n");
  return text;
}

Settings draw_trial(const Space& space, std::uint64_t seed, std::int64_t trial,
                    const Settings* near) {
  kernels::Random random(seed, kTrialStream + static_cast<std::uint64_t>(trial));
  Settings settings;
  for (const Dimension& dimension : space) {
    const std::string* centre = near == nullptr ? nullptr : &near->at(dimension.name).text;
    settings[dimension.name] = {
        std::holds_alternative<OneOf>(dimension.domain)
            ? draw_choice(std::get<OneOf>(dimension.domain), centre, random)
            : draw_number(std::get<Range>(dimension.domain), centre, random),
        fmt::format("trial {}, {}", trial, dimension.name)};
  }
  return settings;
}

std::vector<Rung> halving(std::int64_t trials, std::int64_t epochs, std::int64_t patience) {
  const std::int64_t fewest = std::max(kFewestEpochs, std::min(patience, epochs / kReduction));
  std::vector<Rung> rungs{{trials, epochs}};
  for (;;) {
    // From the end: how few epochs may the first rung have, with a third left after each?
    std::int64_t left = trials;
    std::vector<Rung> longer;
    const auto count = static_cast<std::int64_t>(rungs.size()) + 1;
    for (std::int64_t r = 0; r < count; ++r) {
      std::int64_t share = 1;
      for (std::int64_t k = r + 1; k < count; ++k) share *= kReduction;
      longer.push_back({left, std::max<std::int64_t>(epochs / share, 1)});
      left = std::max<std::int64_t>((left + kReduction - 1) / kReduction, 1);
    }
    if (longer.front().epochs < fewest || longer[count - 2].trials == 1) break;
    rungs = std::move(longer);
  }
  return rungs;
}

}  // namespace pdegcn::train
