#include "pdegcn/train/run.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "pdegcn/data/file.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/kernels/adam.h"
#include "pdegcn/report/atomic_file.h"
#include "pdegcn/report/event_log.h"
#include "pdegcn/report/metrics_log.h"
#include "pdegcn/report/table.h"
#include "pdegcn/train/batch_stream.h"
#include "pdegcn/train/checkpoint.h"
#include "pdegcn/train/diagnose.h"
#include "pdegcn/train/footprint.h"
#include "pdegcn/train/problem.h"
#include "pdegcn/train/selection.h"
#include "scores.h"

namespace pdegcn::train {
namespace {

// Saving may take up to one part in this many of the time.
constexpr double kSavingShare = 20;

double rate_factor(const RunConfig& config, std::int64_t epoch) {
  const double done = static_cast<double>(epoch - 1) / static_cast<double>(config.epochs);
  if (config.schedule == "step") return done < 0.5 ? 1 : done < 0.75 ? 0.1 : 0.01;
  if (config.schedule == "cosine") return 0.5 * (1 + std::cos(3.14159265358979323846 * done));
  return 1;
}

// A number that has no sign when it is none.
std::string shown(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

// Into the memory of the last time, where there is one.
void copy(const torch::Tensor& from, torch::Tensor& to) {
  if (to.defined())
    to.copy_(from);
  else
    to = from.clone();
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// The predicted peak, in bytes; throws Error when the machine has less.
std::int64_t checked_footprint(const RunConfig& config, const data::Dataset& data,
                               const nn::Network& network) {
  const std::int64_t parameters = parameters_of(network);
  check_footprint(config, data, parameters, machine_memory());
  return footprint(config, data, parameters).peak();
}

// What cannot fit is refused before its weights are made.
std::shared_ptr<nn::Network> make_network(const RunConfig& config, const data::Dataset& data,
                                          const Problem& problem) {
  check_footprint(config, data, problem.least_parameters(), machine_memory());
  return problem.make_network();
}

// What is going to be trained, and whether its step size is a good one.
void introduce(const RunConfig& config, const Problem& problem, const nn::Network& network,
               std::int64_t memory, bool quiet, report::Progress& progress) {
  const auto* pde = dynamic_cast<const nn::PdeNetwork*>(&network);
  if (!quiet) {
    progress.message(fmt::format("{}: {} layers, {} channels, {} parameters",
                                 model_info(config.model).title, config.layers, config.channels,
                                 report::with_commas(parameters_of(network))));
    progress.message(
        fmt::format("memory: about {:.0f} MB at most{}", static_cast<double>(memory) / 1e6,
                    pde != nullptr ? fmt::format(", --memory {}", config.memory) : ""));
  }
  if (pde == nullptr) return;
  const double ratio = problem.stability_ratio(*pde);
  if (!(ratio <= 1 + 1e-6))
    progress.message(fmt::format(
        "warning: {} with {} layers on {}: the step {} is outside the bound of stability, {:.3g} "
        "times what it allows; a smaller one is safer",
        config.model, config.layers, config.data, config.step, ratio));
  else if (!quiet)
    progress.message(
        fmt::format("step {}: stable ({:.2g} % of the bound)", config.step, 100 * ratio));
}

class Training {
 public:
  Training(const RunConfig& config, const data::Dataset& data,
           const std::function<report::RunFolder()>& open_folder, const Audience& audience)
      : config_(config),
        data_(data),
        audience_(audience),
        problem_(data, find_split(data, config.split), config),
        network_(make_network(config, data, problem_)),
        adam_(*network_, {config.lr, config.lr_pde, config.lr_alpha, config.weight_decay,
                          config.conv_weight_decay}),
        selection_(config, problem_.has(Part::kValidation), problem_.has(Part::kTest)) {
    now_.config = config;
    now_.fingerprint = problem_.fingerprint();
    const auto alpha = alphas(*network_);
    columns_ = {"rate", "train_loss", "val_loss", "val_score"};
    if (selection_.sees_test()) columns_.insert(columns_.end(), {"test_loss", "test_score"});
    for (std::size_t k = 0; k < alpha.size(); ++k)
      columns_.push_back(alpha.size() == 1 ? "alpha" : fmt::format("alpha_{}", k + 1));
    footprint_ = checked_footprint(config, data, *network_);
    folder_ = open_folder();
    files_ = folder_->files();
    if (folder_->has_checkpoint())
      restore();
    else
      check_unbegun();
  }

  Result run() {
    const std::int64_t done = now_.standing.epoch;
    metrics_ = done > 0 ? report::MetricsLog::resume(files_.metrics(), columns_, done)
                        : report::MetricsLog::create(files_.metrics(), columns_);
    events_ = done > 0 ? report::EventLog::resume(files_.events(), done)
                       : report::EventLog::create(files_.events());
    report::Progress& progress = *audience_.progress;
    if (audience_.introduce)
      introduce(config_, problem_, *network_, footprint_, audience_.quiet, progress);
    progress.start(audience_.name, selection_.by_test() ? "test (peeking)" : "validation",
                   std::min(config_.epochs, audience_.until), done);

    const double start = report::Progress::steady_seconds();
    double saved = start;
    double saving = 0;
    if (done == 0) remember(0);
    const auto is_to_stop = [&](std::int64_t epoch) {
      return audience_.stop() || epoch >= audience_.until;
    };
    bool stopped = is_to_stop(done);
    while (!is_finished() && !stopped) {
      const std::int64_t epoch = now_.standing.epoch + 1;
      std::vector<double> row;
      try {
        row = learn(epoch, progress);
      } catch (const NotFinite& error) {
        // Where only the peeking goes on, what validation has chosen before stands.
        if (now_.standing.chosen.ended == 0) throw;
        progress.message(fmt::format("warning: no score for test-peek: {}", error.what()));
        Selection::give_up_peeking(now_.standing);
        save();
        break;
      }
      metrics_->add(epoch, row);
      std::vector<report::Scalar> scalars;
      for (std::size_t k = 0; k < columns_.size(); ++k)
        if (std::isfinite(row[k])) scalars.push_back({tag_of(columns_[k]), row[k]});
      events_->add(epoch, scalars);
      stopped = is_to_stop(epoch);
      const double time = report::Progress::steady_seconds();
      if (is_finished() || stopped || time - saved > kSavingShare * saving) {
        save();
        saved = report::Progress::steady_seconds();
        saving = saved - time;
      }
    }
    progress.finish();

    Result result;
    result.config = config_;
    const std::int64_t epoch = now_.standing.epoch;
    const Choice& chosen = now_.standing.chosen;
    result.interrupted = !is_finished();
    result.epochs = result.interrupted ? epoch : chosen.ended;
    result.best_epoch = chosen.epoch;
    result.seconds = report::Progress::steady_seconds() - start;
    result.seconds_per_epoch = epoch > done ? result.seconds / static_cast<double>(epoch - done)
                                            : std::numeric_limits<double>::quiet_NaN();
    if (!result.interrupted) {
      result.peeked = selection_.peeked(now_.standing);
      load_weights(*network_, now_.best, files_.last().string());
      fill_scores(result, problem_, *network_, data_, audience_.test);
      if (problem_.has(Part::kValidation))
        result.most_common = problem_.most_common(Part::kValidation);
      if (audience_.test) report::write_atomically(files_.result(), to_json(result) + "\n");
      if (config_.diagnose)
        report::write_atomically(files_.layers(), layers_csv(diagnose(problem_, *network_)));
    }
    return result;
  }

 private:
  bool is_finished() const { return selection_.has_ended(now_.standing); }

  // `slot` is the parameter that is to blame, if one is.
  [[noreturn]] void fail(std::int64_t epoch, const std::string& what,
                         const Adam::Slot* slot = nullptr) {
    save();
    load_weights(*network_, now_.weights, "the state before");
    const auto* network = dynamic_cast<const nn::PdeNetwork*>(network_.get());
    const std::string rates =
        slot != nullptr ? fmt::format("its learning rate (--{} {})", slot->setting, slot->rate)
        : network == nullptr
            ? fmt::format("the learning rate (--lr {})", config_.lr)
            : fmt::format("the learning rates (--lr {}, --lr-pde {})", config_.lr, config_.lr_pde);
    std::string advice = "Lower " + rates;
    if (network != nullptr) {
      const double ratio = problem_.stability_ratio(*network);
      advice = ratio > 1
                   ? fmt::format(
                         "The step size {} is {:.3g} times what the stability bound "
                         "allows: choose a smaller --step; or lower {}",
                         config_.step, ratio, rates)
                   : fmt::format("The step size {} is stable ({:.2g} % of the bound): lower {}",
                                 config_.step, 100 * ratio, rates);
    }
    throw NotFinite(
        "epoch {}: {}. {}, or clip the gradient (--clip 1). The state after epoch {} is kept in {}",
        epoch, what, advice, now_.standing.epoch, files_.last().string());
  }

  // One epoch; returns its row of metrics.
  std::vector<double> learn(std::int64_t epoch, report::Progress& progress) {
    const double factor = rate_factor(config_, epoch);
    const std::int64_t batches = problem_.batches_per_epoch();
    Outcome train;
    network_->train();
    BatchStream stream(batches, batches == 1 ? 0 : at::get_num_threads(),
                       [&](std::int64_t k) { return problem_.training_batch(epoch, k); });
    for (std::int64_t k = 0; k < batches; ++k) {
      const auto step = static_cast<std::uint64_t>((epoch - 1) * batches + k);
      adam_.zero_grad();
      const Outcome outcome =
          teach(*network_, stream.next(), {static_cast<std::uint64_t>(config_.seed), step});
      if (!std::isfinite(outcome.loss()))
        fail(epoch, fmt::format("the training loss is {}", shown(outcome.loss())));
      if (const std::string name = adam_.step(factor, config_.clip); !name.empty()) {
        const auto slot = std::ranges::find(adam_.slots, name, &Adam::Slot::name);
        fail(epoch,
             fmt::format("the gradient of {}, whose largest value is {}, is not finite", name,
                         slot->parameter.abs().max().item<float>()),
             &*slot);
      }
      train.add(outcome);
    }
    for (const auto& slot : adam_.slots)
      if (!std::isfinite(
              kernels::sum_of_squares(slot.parameter.data_ptr<float>(), slot.parameter.numel())))
        fail(epoch,
             fmt::format("parameter {} has the value {}", slot.name,
                         shown(slot.parameter.masked_select(~torch::isfinite(slot.parameter))[0]
                                   .item<double>())),
             &slot);

    std::vector<Part> parts;
    if (problem_.has(Part::kValidation)) parts.push_back(Part::kValidation);
    if (selection_.sees_test()) parts.push_back(Part::kTest);
    const auto outcomes = problem_.evaluate(*network_, parts);
    Score validation, test;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      (parts[k] == Part::kTest ? test : validation) = score_of(outcomes[k]);
      if (parts[k] == Part::kTest && selection_.peeks_beside())
        continue;  // validation does not fail by it
      if (parts[k] == Part::kTest && test.count == 0)
        throw Error("protocol test-peek: nothing in the test part of split {} has a label",
                    config_.split);
      if (!std::isfinite(outcomes[k].loss()))
        fail(epoch,
             fmt::format("the {} loss is {}", parts[k] == Part::kTest ? "test" : "validation",
                         shown(outcomes[k].loss())));
    }

    remember(epoch);
    if (selection_.look(now_.standing, validation, test)) {
      now_.best = now_.weights;
      best_is_saved_ = false;
    }

    std::vector<double> row{factor * config_.lr, train.loss(), validation.loss, validation.score};
    if (selection_.sees_test()) row.insert(row.end(), {test.loss, test.score});
    const auto alpha = alphas(*network_);
    row.insert(row.end(), alpha.begin(), alpha.end());

    report::Progress::Epoch shown{epoch, train.loss(), {}, {}};
    if (const double score = selection_.by_test() ? test.score : validation.score;
        std::isfinite(score))
      shown.score = score;
    if (!alpha.empty()) shown.alpha = mean(alpha);
    progress.update(shown);
    return row;
  }

  // Takes the state of network and optimiser as that after an epoch.
  void remember(std::int64_t epoch) {
    now_.standing.epoch = epoch;
    now_.weights = weights_of(*network_);
    for (const auto& slot : adam_.slots) {
      copy(slot.mean, now_.mean[slot.name]);
      copy(slot.square, now_.square[slot.name]);
    }
    now_.steps = adam_.steps;
  }

  // In the order that RunFolder asks for. The best weights are in the checkpoint too, as a kill
  // between the two files leaves the first ahead of the second.
  void save() {
    if (!best_is_saved_ && now_.standing.chosen.epoch > 0)
      write_trained(files_.best(), {config_, now_.standing.chosen.epoch, data_.class_names,
                                    std::holds_alternative<data::NodeMultiLabels>(data_.targets),
                                    now_.best, problem_.edges_fingerprint(), problem_.scaling()});
    best_is_saved_ = true;
    metrics_->sync();
    events_->sync();
    write_checkpoint(files_.last(), now_);
  }

  // A kill before the first checkpoint leaves one epoch at most, which the next try writes again.
  // More of them would be lost.
  void check_unbegun() const {
    namespace fs = std::filesystem;
    constexpr int kHeadAndOneRow = 2;
    const bool rows =
        fs::exists(files_.metrics()) &&
        std::ranges::count(data::File(files_.metrics()).content(), '\n') > kHeadAndOneRow;
    if (rows || (fs::exists(files_.best()) && read_trained(files_.best()).epoch > 1))
      throw Error("{}: the file is missing, so the run cannot be continued; nothing was changed",
                  files_.last().string());
  }

  void restore() {
    const std::string where = files_.last().string();
    Checkpoint found = read_checkpoint(files_.last());
    if (to_json(found.config) != to_json(config_))
      throw Error("{}: the checkpoint belongs to another configuration than {}", where,
                  files_.config().string());
    if (found.fingerprint != now_.fingerprint)
      throw Error(
          "{}: the checkpoint belongs to other data: graph, features, split or labels of {} have "
          "changed since",
          where, config_.data);
    load_weights(*network_, found.weights, where);
    if (found.standing.chosen.epoch > found.standing.epoch)
      throw Error("{}: the best epoch {} is not one of {}", where, found.standing.chosen.epoch,
                  found.standing.epoch);
    for (auto& slot : adam_.slots) {
      for (auto [stored, target] :
           {std::pair(&found.mean, &slot.mean), std::pair(&found.square, &slot.square)}) {
        const auto moment = stored->find(slot.name);
        if (moment == stored->end() || moment->second.sizes() != target->sizes())
          throw Error("{}: the optimiser's state of '{}' is missing or of another shape", where,
                      slot.name);
        target->copy_(moment->second);
      }
    }
    adam_.steps = found.steps;
    now_ = std::move(found);
  }

  static std::string tag_of(const std::string& column) {
    const auto split = column.find('_');
    if (column.starts_with("alpha") || split == std::string::npos) return column;
    return column.substr(split + 1) + "/" + column.substr(0, split);
  }

  const RunConfig config_;
  const data::Dataset& data_;
  const Audience& audience_;
  Problem problem_;
  std::shared_ptr<nn::Network> network_;
  Adam adam_;
  const Selection selection_;
  std::int64_t footprint_ = 0;  // in bytes, as predicted
  bool best_is_saved_ = false;
  std::vector<std::string> columns_;
  std::optional<report::RunFolder> folder_;
  report::RunFiles files_;
  Checkpoint now_;  // the state after the last good epoch
  std::optional<report::MetricsLog> metrics_;
  std::optional<report::EventLog> events_;
};

}  // namespace

Result train(const RunConfig& config, const data::Dataset& data,
             const std::function<report::RunFolder()>& open_folder, const Audience& audience) {
  return Training(config, data, open_folder, audience).run();
}

void forecast(const RunConfig& config, const data::Dataset& data, report::Progress& progress) {
  const Problem problem(data, find_split(data, config.split), config);
  const auto network = make_network(config, data, problem);
  introduce(config, problem, *network, checked_footprint(config, data, *network), false, progress);
}

}  // namespace pdegcn::train
