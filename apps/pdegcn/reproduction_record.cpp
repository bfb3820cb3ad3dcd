#include "reproduction_record.h"

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "command.h"
#include "pdegcn/data/file.h"
#include "pdegcn/data/splits.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/report/atomic_file.h"
#include "pdegcn/train/fingerprint.h"

namespace pdegcn::app {
namespace {

namespace fs = std::filesystem;
using train::RunConfig;

fs::path record_path(const CellRun& run) {
  return run.folder.string() + ".json";
}

// What the scores of a run are of.
std::string fingerprint_of(const CellRun& run) {
  return train::data_fingerprint(*run.data, train::find_split(*run.data, run.config.split), true);
}

}  // namespace

report::FolderLock wait_for(const fs::path& folder) {
  for (;;) try {
      return report::FolderLock(folder);
    } catch (const report::InUse&) {
      if (stop_requested()) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

void write_record(const CellRun& run) {
  const RunRecord& r = *run.record;
  const auto number = [](double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  };
  nlohmann::ordered_json json{{"test", nlohmann::ordered_json::object()},
                              {"validation", number(r.validation)},
                              {"epochs", r.epochs},
                              {"selected_epoch", r.best_epoch},
                              {"alpha", r.alpha},
                              {"seconds", number(r.seconds)},
                              {"data", fingerprint_of(run)}};
  for (const auto& [protocol, score] : r.test) json["test"][protocol] = number(score);
  report::write_atomically(record_path(run), json.dump(2) + "\n");
}

bool has_record(const CellRun& run) {
  return fs::exists(record_path(run)) && fs::exists(report::RunFiles{run.folder}.config());
}

std::vector<std::string> protocols_of(const RunConfig& config) {
  if (config.protocol == "both") return {kValidation, kPeek};
  return {config.protocol};
}

RunRecord read_record(const CellRun& run) {
  const fs::path path = record_path(run);
  try {
    const auto json = nlohmann::json::parse(data::File(path).content());
    const auto number = [](const nlohmann::json& value) {
      return value.is_null() ? std::nan("") : value.get<double>();
    };
    RunRecord record{{},
                     number(json.at("validation")),
                     json.at("epochs").get<std::int64_t>(),
                     json.at("selected_epoch").get<std::int64_t>(),
                     json.at("alpha").get<std::vector<double>>(),
                     number(json.at("seconds"))};
    for (const std::string& protocol : protocols_of(run.config))
      record.test[protocol] = number(json.at("test").at(protocol));
    if (record.epochs < 1) throw Error("{}: the record has no epochs", path.string());
    for (const auto& [protocol, score] : record.test)
      if (score < 0 || score > 1)
        throw Error("{}: the record has a score of {}, which is none", path.string(), score);
    if (json.at("data").get<std::string>() != fingerprint_of(run))
      throw Error(
          "{}: the run there is of other data: graph, features, split or labels of {} have changed "
          "since; delete it, or choose another --out",
          run.folder.string(), run.config.data);
    return record;
  } catch (const nlohmann::json::exception& error) {
    throw Error("{}: the record of a run is damaged: {}", path.string(), error.what());
  }
}

report::RunFolder open_folder(const CellRun& run) {
  const fs::path config = report::RunFiles{run.folder}.config();
  if (fs::exists(config)) return report::RunFolder::resume(run.folder);
  try {
    auto folder = report::RunFolder::create(run.folder, train::to_toml(run.config));
    fs::remove(record_path(run));  // of a run that was deleted
    return folder;
  } catch (const Error&) {
    if (!fs::exists(config)) throw;
    return report::RunFolder::resume(run.folder);  // another process was quicker
  }
}

void forget_optimiser(const CellRun& run) {
  std::error_code error;
  fs::remove(report::RunFiles{run.folder}.last(), error);
}

void check_config(const CellRun& run) {
  const fs::path path = report::RunFiles{run.folder}.config();
  if (!fs::exists(path)) return;
  RunConfig found;
  train::apply_settings(found, train::read_settings(data::File(path).content(), path.string()));
  for (const train::Field& f : train::fields())
    if (train::is_recorded(found, f) && train::text_of(found, f) != train::text_of(run.config, f))
      throw Error("{}: the run there has {} '{}', not '{}': delete it, or choose another --out",
                  run.folder.string(), f.name, train::text_of(found, f),
                  train::text_of(run.config, f));
}

}  // namespace pdegcn::app
