#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "pdegcn/data/dataset.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/report/progress.h"
#include "pdegcn/report/run_folder.h"
#include "pdegcn/train/config.h"
#include "pdegcn/train/result.h"

namespace pdegcn::train {

// Opens the data set that a config names. A folder of meshes is one whose vertices correspond,
// unless it holds `unrelated` shapes without labels.
data::Dataset open_data(const RunConfig& config, bool unrelated = false);

// The settings that decide what is opened: where they agree, one data set serves both.
std::string opened_by(const RunConfig& config);

// The split of that name; "random:SEED" draws one, 60 % of every class to learn from and 20 % to
// choose by. Throws Error with the names there are.
data::Split find_split(const data::Dataset& data, const std::string& name);

// The config with all that depends on the data set filled in: task, split, batch, order of nodes,
// and the memory mode unless that differs between its models.
RunConfig settle(RunConfig config, const data::Dataset& data);

// The runs that a settled config asks for: every model with every split and every seed.
std::vector<RunConfig> single_runs(const RunConfig& config, const data::Dataset& data);

// The name of a run among those of one call: model, split and seed.
std::string run_name(const RunConfig& run);

// A loss, a gradient or a parameter that is not finite any more.
class NotFinite : public Error {
 public:
  using Error::Error;
};

// Who watches a run.
struct Audience {
  report::Progress* progress = nullptr;
  std::string name;       // "seed 2 of 10"; may be empty
  bool quiet = false;     // leaves out all but warnings
  bool introduce = true;  // whether the network is described at the start, or warned about
  bool test = true;       // whether the test part is looked at in the end
  std::int64_t until = std::numeric_limits<std::int64_t>::max();  // the epoch after which it stops
  // Asked before the first epoch and after every one.
  std::function<bool()> stop = [] { return false; };
};

// Trains one network, or goes on where the folder's checkpoint stands. `config` is one of
// single_runs(); `open_folder` is called when it has proven to fit the data. Throws NotFinite
// with the epoch; the state before that epoch is then in the folder.
Result train(const RunConfig& config, const data::Dataset& data,
             const std::function<report::RunFolder()>& open_folder, const Audience& audience);

// Describes the network that train() would train, and checks that it fits data and machine.
void forecast(const RunConfig& config, const data::Dataset& data, report::Progress& progress);

// Threads of all parallel parts; 0 stands for the cores available. Returns how many there are now.
int set_threads(std::int64_t threads);
int available_cores();

// The processor, for people: its name and the cores available.
std::string processor();

// The libraries below, for people: libtorch, the OpenBLAS build.
std::string library_versions();

// Whether a pthread build of OpenBLAS is loaded, which fights with OpenMP for the cores.
bool has_pthread_openblas();

}  // namespace pdegcn::train
