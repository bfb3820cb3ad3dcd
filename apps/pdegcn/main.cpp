#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <exception>
#include <limits>

#include "command.h"
#include "pdegcn/data/nearest.h"
#include "pdegcn/graph/error.h"

namespace pdegcn::app {
namespace {

constexpr const char* kAbout =
    "Graph networks as partial differential equations: train them, look at them, use them.";

constexpr const char* kFirstSteps = R"(First steps:
  pdegcn train                          train three networks on embedded data
  pdegcn evaluate runs/demo-dhm         how well they do
  pdegcn train --help                   all settings, with examples

Exit codes: 0 all is well, 1 something to correct in what was asked, 2 a fault of the program.)";

// What was not understood, with the flag that was most likely meant.
void check_rest(const CLI::App& command) {
  const auto rest = command.remaining();
  if (rest.empty()) return;
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string given = rest.front().substr(0, rest.front().find('='));
  const std::string_view nearest = data::nearest_name(given, views);
  const bool is_program = command.get_parent() == nullptr;
  throw Error("'{}' is not understood{}; see 'pdegcn {}--help'", rest.front(),
              nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest),
              is_program ? "" : command.get_name() + " ");
}

int run(int count, char** arguments) {
  // "help train" means "train --help".
  static char help[] = "--help";
  if (count > 1 && std::string_view(arguments[1]) == "help") {
    std::rotate(arguments + 1, arguments + 2, arguments + count);
    arguments[count - 1] = help;
  }
  CLI::App program(kAbout, "pdegcn");
  Action action;
  add_train(program, action);
  add_evaluate(program, action);
  add_predict(program, action);
  add_tune(program, action);
  add_reproduce(program, action);
  add_plot(program, action);
  add_flow(program, action);
  add_info(program, action);
  add_fetch(program, action);
  add_bench(program, action);
  program.set_version_flag("--version", [] {
    return fmt::format("pdegcn {}\n{}", train::version(), train::library_versions());
  });
  program.footer(kFirstSteps);
  program.allow_extras();
  for (CLI::App* command : program.get_subcommands({})) command->allow_extras();
  try {
    program.parse(count, arguments);
  } catch (const CLI::Success& success) {  // --help and --version
    return program.exit(success);
  } catch (const CLI::ParseError& error) {
    const auto chosen = program.get_subcommands();
    throw Error("{}; see 'pdegcn {}--help'", error.what(),
                chosen.empty() ? "" : chosen.front()->get_name() + " ");
  }
  for (const CLI::App* command : program.get_subcommands()) check_rest(*command);
  check_rest(program);
  if (!action) {
    fmt::print("{}", program.help());
    return kUserError;
  }
  return action();
}

}  // namespace
}  // namespace pdegcn::app

int main(int count, char** arguments) {
  using namespace pdegcn::app;
#ifdef __GLIBC__
  // Tensors come and go with every training step. Memory that goes back to the system each time is
  // cleared page by page when it comes again.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
  try {
    return run(count, arguments);
  } catch (const pdegcn::Error& error) {
    fmt::print(stderr, "pdegcn: {}\n", error.what());
    return kUserError;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "pdegcn: there is not enough memory\n");
    return kInternalError;
  } catch (const std::exception& error) {
    fmt::print(stderr, "pdegcn: internal error: {}\n", error.what());
    return kInternalError;
  }
}
