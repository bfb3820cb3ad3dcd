// How fast the readers of text and of Planetoid files are, as ratios within one run:
//   readers_benchmark [DATA_FOLDER]
// Times are those of the processor, not of the clock on the wall: a busy machine changes them
// little.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "pdegcn/data/geom_gcn.h"
#include "pdegcn/data/open.h"
#include "pdegcn/data/planetoid.h"

namespace {

namespace fs = std::filesystem;
using pdegcn::data::File;

// The best of several times, in milliseconds.
template <class Work>
double best(Work work) {
  double result = 1e300;
  for (int k = 0; k < 20; ++k) result = std::min(result, work());
  return result;
}

template <class Work>
double best_here(Work work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  };
  return best([&] {
    const double start = now();
    work();
    return now() - start;
  });
}

// The time of wc -l, start of the process included.
double count_lines(const std::string& path) {
  std::string program = "wc", option = "-l", file = path;
  char* arguments[] = {program.data(), option.data(), file.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  rusage usage{};
  if (posix_spawnp(&child, "wc", &actions, nullptr, arguments, environ) == 0)
    wait4(child, nullptr, 0, &usage);
  posix_spawn_file_actions_destroy(&actions);
  const auto milliseconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
}

// What a command prints, one number per line.
std::vector<double> numbers_from(const std::string& command) {
  std::vector<double> numbers;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return numbers;
  double number = 0;
  while (std::fscanf(pipe, "%lf", &number) == 1) numbers.push_back(number);
  pclose(pipe);
  return numbers;
}

void text(const fs::path& data) {
  const fs::path nodes = data / "chameleon" / "out1_node_feature_label.txt";
  if (!fs::exists(nodes)) return;
  const File no_edges("no edges", "");
  const double ours = best_here([&] { pdegcn::data::read_geom_gcn(File(nodes), no_edges); });
  const double wc = best([&] { return count_lines(nodes.string()); });
  std::printf("chameleon, %.1f MB of text    %7.2f ms   wc -l %7.2f ms   ratio %.2f (at most 8)\n",
              static_cast<double>(fs::file_size(nodes)) / 1e6, ours, wc, ours / wc);
  const double all = best_here([&] { pdegcn::data::read_geom_gcn(data / "chameleon"); });
  std::printf("chameleon, graph and splits  %7.2f ms\n", all);
}

void planetoid(const fs::path& data) {
  const fs::path folder = data / "pubmed";
  if (!fs::exists(folder)) return;
  const double all = best_here([&] { pdegcn::data::read_planetoid(folder, "pubmed"); });
  // Python is not asked for the splits, which are found beside the folder: so look from elsewhere.
  std::string pattern = (fs::temp_directory_path() / "readers-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) return;
  const fs::path elsewhere = fs::path(pattern) / "pubmed";
  fs::create_directory_symlink(fs::absolute(folder), elsewhere);
  const double ours = best_here([&] { pdegcn::data::read_planetoid(elsewhere, "pubmed"); });
  fs::remove_all(pattern);
  std::printf("pubmed                       %7.2f ms   with its ten splits %.2f ms\n", ours, all);
  const auto python = numbers_from("/usr/bin/python3 -W ignore '" PDEGCN_PLANETOID_REFERENCE "' '" +
                                   folder.string() + "'");
  if (python.size() != 2) {
    std::printf("python3 with scipy is not at hand: nothing to compare with\n");
    return;
  }
  for (const auto& [what, seconds] :
       {std::pair{"pickle alone     ", python[0]}, std::pair{"pickle and scipy ", python[1]}})
    std::printf("  Python, %s          %7.2f ms   %.1f times as long (at least 3 with scipy)\n",
                what, seconds * 1e3, seconds * 1e3 / ours);
}

}  // namespace

int main(int argc, char** argv) {
  const fs::path data = argc > 1 ? fs::path(argv[1]) : pdegcn::data::default_data_dir();
  std::printf("data folder %s\n", data.c_str());
  text(data);
  planetoid(data);
}
