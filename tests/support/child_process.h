#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace pdegcn::tests {

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A program that runs beside the test, in a folder of its own choice; what it prints goes to files.
class ChildProcess {
 public:
  struct Options {
    std::filesystem::path folder;               // where it runs
    std::vector<std::string> environment = {};  // "NAME=value", beside what there is
    std::uint64_t largest_file = 0;             // bytes; 0: as large as it likes
  };

  ChildProcess(std::vector<std::string> command, const Options& options)
      : out_(options.folder / ".stdout"), err_(options.folder / ".stderr") {
    std::vector<char*> arguments;
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    id_ = fork();
    if (id_ < 0) throw std::runtime_error("fork failed");
    if (id_ != 0) return;
    if (chdir(options.folder.c_str()) != 0) _exit(126);
    redirect(out_, STDOUT_FILENO);
    redirect(err_, STDERR_FILENO);
    for (const std::string& variable : options.environment) putenv(strdup(variable.c_str()));
    if (options.largest_file > 0) {
      // Without the signal a write beyond the limit fails as it does on a full disk.
      signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{options.largest_file, options.largest_file};
      setrlimit(RLIMIT_FSIZE, &limit);
    }
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  ~ChildProcess() {
    if (id_ > 0) {
      send(SIGKILL);
      wait();
    }
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  void send(int signal) { ::kill(id_, signal); }

  // Waits for its end; the exit code, or minus the number of the signal that ended it.
  int wait() {
    int status = 0;
    if (id_ > 0) waitpid(id_, &status, 0);
    id_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  std::string out() const { return read_text(out_); }
  std::string err() const { return read_text(err_); }

 private:
  static void redirect(const std::filesystem::path& path, int descriptor) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, descriptor) < 0) _exit(125);
    close(file);
  }

  std::filesystem::path out_, err_;
  pid_t id_ = 0;
};

}  // namespace pdegcn::tests
