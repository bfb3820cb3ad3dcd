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
  double drop_edge = 0;
  double teleport = 0.1;
  double lambda = 0.5;

  double lr = 0.01;
  double lr_pde = 1e-4;
  double lr_alpha = 0.01;
  double weight_decay = 5e-4;
  double conv_weight_decay = 0.01;
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
  std::string reorder = "auto";

  // How, not what: these change no result.
  std::int64_t threads = 0;
  std::string out;
  bool resume = false;
  bool diagnose = false;
  bool json = false;
  bool quiet = false;

  friend bool operator==(const RunConfig&, const RunConfig&) = default;
};

// The tasks, as bits, for Field::fits.
enum Task : unsigned { kNode = 1, kGraph = 2, kCorrespondence = 4, kAnyTask = 7 };
Task parse_task(std::string_view name);  // throws Error
std::string_view to_string(Task task);   // "node", "graph", "correspondence"

// The models, as bits, for Field::models: the networks of the paper, and what it compares them
// with.
enum Model : unsigned {
  kDiffusion = 1,
  kHyperbolic = 2,
  kMixture = 4,
  kPde = 7,
  kMlp = 8,
  kGcn = 16,
  kGat = 32,
  kAppnp = 64,
  kJknet = 128,
  kInception = 256,
  kGcnii = 512,
  kGcniiStar = 1024,
  kDgcnn = 2048,
  kDgcnnDiffusion = 4096,
  kAnyModel = ~0u
};
struct ModelInfo {
  Model model;
  std::string_view name;   // of --model
  std::string_view title;  // in tables
  unsigned tasks = kNode;  // it can be trained for
};
std::span<const ModelInfo> models();
const ModelInfo& model_info(std::string_view name);  // throws Error
unsigned parse_models(std::string_view names);       // several with commas, as bits; throws Error

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
  std::string_view outside = {};  // what to do instead of a value out of these bounds
  unsigned fits = kAnyTask;
  unsigned models = kAnyModel;  // that have it
  bool recorded = true;         // whether it belongs to the run, and so to its config.toml
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

// Reads settings from TOML text; `name` is that of the file. Those of `sections` are read too,
// where they are there, and a later one wins. Unknown sections and keys are errors. Throws Error
// naming file and line.
Settings read_settings(std::string_view toml, const std::string& name,
                       std::span<const std::string_view> known_sections = {},
                       std::span<const std::string_view> sections = {});

// Sets members; throws Error that names place and value when one is not possible.
void apply_settings(RunConfig& config, const Settings& settings);

// What counts of the values in experiments/ for the data set and, of more weight, in
// experiments/models for the model (of several, for the first): those that neither file nor flags
// set.
Settings built_in(const Settings& file, const Settings& flags);

// Defaults, then what is built in, then the file, then the flags; fitting().
RunConfig resolve(const Settings& file, const Settings& flags);

// The config with defaults for all that its models do not have.
RunConfig fitting(RunConfig config);

// resolve() for each of several models alone.
std::vector<RunConfig> resolve_each(const Settings& file, const Settings& flags);

// Throws Error for a setting that does not fit the task or, where `with_models` says so, any of the
// models: a file may hold the settings of several.
void check_fit(const Settings& given, const RunConfig& config, Task task, bool with_models);

// The value of a field as text, as it stands in TOML without quotes.
std::string text_of(const RunConfig& config, const Field& field);

// A field as TOML: 'step = 0.5'. Throws Error when the value of a setting is not possible.
std::string toml_line(const RunConfig& config, const Field& field);
std::string toml_line(const Field& field, const Setting& setting);

// What belongs to the run and fits its task and model, for config.toml and for the metadata of
// checkpoints; and back.
bool is_recorded(const RunConfig& config, const Field& field);
std::string to_toml(const RunConfig& config);
std::string to_json(const RunConfig& config);
RunConfig config_from_json(const std::string& json, const std::string& where);

// The parts of a text with commas.
std::vector<std::string> parts_of(std::string_view text);

// The text of experiments/<name>.toml as it was at build time; empty when there is none. Names
// without a slash are those of data sets; "models/gcn" is a model, "tables/table-3" a table.
std::string_view experiment(std::string_view name);
std::vector<std::string_view> experiment_names();

}  // namespace pdegcn::train
