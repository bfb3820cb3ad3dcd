#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
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
  auto rest = command.remaining();
  std::erase(rest, "--");  // all words after it are names
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

// A flag takes no value but true or false; CLI11 takes any number, and falls over words.
void check_flags(const CLI::App& program, std::span<char*> words) {
  const auto chosen = program.get_subcommands([&](const CLI::App* command) {
    return !words.empty() && command->get_name() == words.front();
  });
  for (const std::string_view word : words) {
    const auto equals = word.find('=');
    if (chosen.empty() || equals == word.npos) continue;
    const std::string name(word.substr(0, equals));
    const CLI::Option* option = chosen.front()->get_option_no_throw(name);
    const std::string_view value = word.substr(equals + 1);
    if (option != nullptr && option->get_items_expected_max() == 0 && value != "true" &&
        value != "false")
      throw Error("{}: '{}' is neither true nor false", name, value);
  }
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
  program.require_subcommand(0, 1);  // the name of another one is a word like others
  for (CLI::App* command : program.get_subcommands({})) command->allow_extras();
  check_flags(program, {arguments + 1, arguments + std::max(count, 1)});
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

// What is opened next would take the place of a standard stream that is closed, and messages end up
// in it. What stands there instead cannot be written to, which is told as for every other stream.
void open_standard_streams() {
  int descriptor = 0;
  while (descriptor >= 0 && descriptor <= STDERR_FILENO) descriptor = ::open("/dev/null", O_RDONLY);
  ::close(descriptor);
}

int tell_error(int code, std::string_view message) {
  std::cerr << "pdegcn: " << message << std::endl;
  return code;
}

int run_and_tell(int count, char** arguments) {
  try {
    return run(count, arguments);
  } catch (const Error& error) {
    return tell_error(kUserError, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return tell_error(kUserError,
                      fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0)
      return tell_error(kUserError, "standard output: " + error.code().message());
    return tell_error(kInternalError, fmt::format("internal error: {}", error.what()));
  } catch (const std::bad_alloc&) {
    return tell_error(kInternalError, "there is not enough memory");
  } catch (const std::exception& error) {
    return tell_error(kInternalError, fmt::format("internal error: {}", error.what()));
  }
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
  open_standard_streams();
  // A reader that has gone is an error like a full disk; on the error stream it is none at all.
  ::signal(SIGPIPE, SIG_IGN);
  const int code = run_and_tell(count, arguments);
  errno = 0;
  if (code != kOk || (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)) return code;
  return tell_error(kUserError,
                    fmt::format("standard output: {}", errno == 0 ? "not all of it could be written"
                                                                  : std::strerror(errno)));
}
