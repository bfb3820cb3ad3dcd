#include "pdegcn/data/fetch.h"

#include <unistd.h>

#include "command.h"
#include "pdegcn/data/open.h"
#include "pdegcn/graph/error.h"
#include "pdegcn/report/table.h"

namespace pdegcn::app {
namespace {

constexpr const char* kExamples = R"(Examples:
  pdegcn fetch --list
      what there is, and what is already here
  pdegcn fetch cora texas
      two data sets
  pdegcn fetch all
      all that may be passed on
  pdegcn fetch faust --from MPI-FAUST.zip
      from an archive that you have)";

struct Wishes {
  std::vector<std::string> names;
  std::vector<std::string> mirrors;
  std::string archive;
  bool list = false;
};

void list_sets(const std::filesystem::path& folder) {
  report::Table table({"name", "here", "about"});
  for (const data::RemoteSet& set : data::catalogue())
    table.add({set.name, data::is_fetched(set, folder) ? "yes" : "no", set.about});
  fmt::print("{}\ndata folder {}\n", table.text(), folder.string());
}

int run(const Wishes& wishes, const train::Settings& flags) {
  train::RunConfig config;
  train::apply_settings(config, flags);
  data::FetchOptions options;
  options.data_folder =
      config.data_dir.empty() ? data::default_data_dir() : std::filesystem::path(config.data_dir);
  options.mirrors = wishes.mirrors;
  options.archive = wishes.archive;
  if (wishes.list) {
    list_sets(options.data_folder);
    return kOk;
  }
  if (wishes.names.empty()) throw Error("say what to fetch; 'pdegcn fetch --list' shows the names");
  if (!wishes.archive.empty() && (wishes.names.size() != 1 || wishes.names[0] == "all"))
    throw Error("--from takes the archive of one data set, not of several");

  const bool live = !config.quiet && isatty(STDERR_FILENO) != 0;
  options.download.progress = [live](const data::RemoteFile& file, std::uint64_t received,
                                     std::uint64_t expected) {
    if (live)
      fmt::print(stderr, "\r{}: {:.1f} of {:.1f} MB\033[K", file.path,
                 static_cast<double>(received) / 1e6, static_cast<double>(expected) / 1e6);
  };
  std::vector<data::RemoteSet> sets;
  for (const std::string& name : wishes.names) {
    if (name != "all") {
      sets.push_back(data::remote_set(name));
      continue;
    }
    for (data::RemoteSet& set : data::catalogue())
      if (set.steps.empty()) sets.push_back(std::move(set));
  }
  for (const data::RemoteSet& set : sets) {
    const data::FetchReport report = data::fetch(set, options);
    if (live) fmt::print(stderr, "\r\033[K");
    if (!config.quiet)
      fmt::print("{}: {} files fetched, {} were there{}\n", set.name, report.fetched,
                 report.present,
                 report.unverified == 0
                     ? ""
                     : fmt::format("; no checksum is known for {} downloads", report.unverified));
  }
  return kOk;
}

}  // namespace

void add_fetch(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("fetch", "Download public data sets");
  auto wishes = std::make_shared<Wishes>();
  command->add_option("data", wishes->names, "Names of data sets, or 'all'")->type_name("NAME");
  command->add_flag("--list", wishes->list, "Show what there is");
  command->add_option("--mirror", wishes->mirrors, "Address tried first; may be repeated")
      ->type_name("URL")
      ->allow_extra_args(false);
  command->add_option("--from", wishes->archive, "Archive to take the files from")
      ->type_name("FILE");
  auto flags = add_settings(*command, {"data-dir", "quiet"});
  command->footer(kExamples);
  command->callback([=, &action] { action = [=] { return run(*wishes, *flags); }; });
}

}  // namespace pdegcn::app
