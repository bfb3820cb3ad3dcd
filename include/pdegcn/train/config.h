#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pdegcn::train {

// All that one call of `pdegcn train` is told. fields() describes each member; flags, TOML files
// and the JSON inside checkpoints all follow from that description.
struct RunConfig {
  std::string data = "demo";
  std::string data_dir;
  std::string task;   // empty: what the data set is made for
  std::string split;  // empty: the data set's first
  std::string features = "usual";
  std::string input;        // empty: what suits the task, see usual_input()
  std::int64_t points = 0;  // 0: as the data set has them
  std::int64_t knn = 10;
  std::string augment = "none";

  std::string model = "d";
  std::int64_t layers = 8;
  std::int64_t channels = 64;
  double step = 0.5;
  std::string activation = "tanh";
  std::string weights = "metropolis";
  bool nonsymmetric = false;
  bool shared_k = false;
  double alpha = 0.5;
  bool alpha_per_layer = false;
  double dropout = 0.5;
  double edge_dropout = 0;

  double lr = 0.01;
  double lr_pde = 1e-4;
  double lr_alpha = 0.01;
  double weight_decay = 5e-4;
  std::string schedule = "none";
  double clip = 0;
  std::int64_t epochs = 500;
  std::int64_t patience = 100;
  std::string select = "val-loss";
  std::string protocol = "validation";
  std::int64_t seed = 0;
  std::int64_t seeds = 1;
  std::int64_t batch = 0;  // 0: what suits the task
  std::string memory = "auto";

  // How, not what: these change no result.
  std::int64_t threads = 0;
  std::string out;
  bool resume = false;
  bool json = false;
  bool quiet = false;

  friend bool operator==(const RunConfig&, const RunConfig&) = default;
};

// The tasks, as bits, for Field::fits.
enum Task : unsigned { kNode = 1, kGraph = 2, kCorrespondence = 4, kAnyTask = 7 };
Task parse_task(std::string_view name);  // throws Error
std::string_view to_string(Task task);   // "node", "graph", "correspondence"

// One setting: a flag `--name` of the program and a key `name` in TOML.
struct Field {
  using Member = std::variant<std::string RunConfig::*, std::int64_t RunConfig::*,
                              double RunConfig::*, bool RunConfig::*>;
  std::string_view name;
  std::string_view value;  // what stands for the value in the help
  std::string_view help;
  Member member;
  std::vector<std::string_view> choices = {};  // all that is allowed; empty for anything
  bool list = false;                           // several of them, separated by commas
  double least = -std::numeric_limits<double>::infinity();
  double below = std::numeric_limits<double>::infinity();
  unsigned fits = kAnyTask;
  bool mixture = false;  // only the mixture has it
  bool recorded = true;  // whether it belongs to the run, and so to its config.toml
};
std::span<const Field> fields();

// The field of that name; throws Error with the nearest name. `where` begins the message.
const Field& field(std::string_view name, const std::string& where);

// A value as it was given, and where: "--lr", "my.toml, line 3".
struct Setting {
  std::string text;
  std::string where;
};
using Settings = std::map<std::string, Setting>;  // by the name of the field

// Reads settings from TOML text; `name` is that of the file. With a section given its settings are
// read too, and win; other sections and unknown keys are errors. Throws Error naming file and line.
Settings read_settings(std::string_view toml, const std::string& name,
                       std::span<const std::string_view> known_sections = {},
                       std::string_view section = {});

// Sets members; throws Error that names place and value when one is not possible.
void apply_settings(RunConfig& config, const Settings& settings);

// Defaults, then what experiments/ has for the data set, then the file, then the flags.
RunConfig resolve(const Settings& file, const Settings& flags);

// Throws Error for a setting that does not fit the task or, where `models` says so, the models: a
// complete file has those of the mixture for every model.
void check_fit(const Settings& given, const RunConfig& config, Task task, bool models);

// The value of a field as text, as it stands in TOML without quotes.
std::string text_of(const RunConfig& config, const Field& field);

// What belongs to the run and fits its task, for config.toml and for the metadata of checkpoints;
// and back.
std::string to_toml(const RunConfig& config);
std::string to_json(const RunConfig& config);
RunConfig config_from_json(const std::string& json, const std::string& where);

// The parts of a text with commas.
std::vector<std::string> parts_of(std::string_view text);

// The settings of experiments/<name>.toml as they were at build time; empty when there are none.
std::string_view experiment(std::string_view name);
std::vector<std::string_view> experiment_names();

}  // namespace pdegcn::train
