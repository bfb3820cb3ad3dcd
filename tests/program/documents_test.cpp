// Every command line that README and docs show is run, so that they agree with the program.
//
// A command line is a line that begins with "pdegcn ", in a code block of whatever kind; it ends
// where a comment begins, at "#" or at two blanks. The lines of a document run one after the other
// in one folder, where `my-graph`, `friends`, `my-scans` and `my-meshes` are data sets, cat.off is
// a mesh and my.toml, space.toml are files. They are made quick: few epochs, few channels, little
// data, few and small pictures, no downloads.
#include "tests/program/program.h"

namespace pdegcn::tests {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> documents() {
  std::vector<fs::path> paths{fs::path(PDEGCN_SOURCE_FOLDER) / "README.md"};
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(PDEGCN_SOURCE_FOLDER) / "docs"))
    if (entry.path().extension() == ".md") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> command_lines(const fs::path& document) {
  std::vector<std::string> commands;
  std::istringstream lines(read_text(document));
  bool fenced = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) fenced = !fenced;
    const std::size_t start = line.find_first_not_of(' ');
    if (start == std::string::npos || (!fenced && start < 4)) continue;
    line = line.substr(start);
    if (line.starts_with("$ ")) line = line.substr(2);
    if (!line.starts_with("pdegcn ")) continue;
    line = line.substr(7);
    line = line.substr(0, line.find("  "));
    line = line.substr(0, line.find(" #"));
    commands.push_back(line);
  }
  return commands;
}

// A box, alone and with a few points.
void write_scans(const fs::path& folder) {
  for (const char* name : {"my-meshes", "my-scans"}) {
    fs::create_directories(folder / name);
    std::ofstream(folder / name / "box.off")
        << "OFF\n8 6 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n"
           "4 3 2 1 0\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n";
  }
  std::ofstream(folder / "my-scans" / "points.xyz") << "0 0 0\n1 0 0\n0 1 0\n0 0 2\n";
}

// Public data sets by generated ones that have the same splits and tasks.
const std::map<std::string, std::string> kStandIns = {
    {"cora", "like-cora"},       {"citeseer", "like-citeseer"}, {"pubmed", "like-cora"},
    {"texas", "like-texas"},     {"cornell", "like-texas"},     {"wisconsin", "like-texas"},
    {"chameleon", "like-texas"}, {"ppi", "inductive"},          {"faust", "bodies"},
    {"faust_fit", "bodies"},     {"faust_r", "bodies"},         {"cat", "bodies"},
    {"lion", "bodies"},          {"modelnet10", "shape-meshes"}};

std::string made_quick(const std::string& line) {
  std::string quick;
  std::istringstream words(line);
  std::string command, before;
  for (std::string word; words >> word; before = word) {
    if (command.empty()) command = word;
    const auto stand_in = kStandIns.find(word);
    if (stand_in != kStandIns.end() && (before == "--data" || command == "info"))
      word = stand_in->second;
    quick += word + " ";
  }
  if (command == "fetch") return quick + "--list";
  if (contains(line, "--help")) return quick;
  if (command == "train" && !contains(line, "--resume") && !contains(line, "config.toml"))
    return quick + "--epochs 2 --layers 2 --channels 4" +
           (contains(quick, " shape-")   ? " --points 64"
            : contains(quick, " bodies") ? " --epochs 1"
                                         : "");
  if (command == "bench" && !contains(line, "--list")) return quick + "--quick --rounds 1";
  if (command == "tune") return quick + "--trials 3 --epochs 2 --layers 2 --channels 4";
  if (command == "reproduce" && !contains(line, "--list"))
    return quick + (contains(line, "--quick") ? "" : "--quick ") +
           (contains(line, "--tune") ? "--trials 2" : "--seeds 1") + " --epochs 2 --quiet";
  if (command == "flow")
    return quick + "--frames 3 --columns 2 --height 60" +
           (contains(line, "--run") ? "" : " --steps 20");
  return quick;
}

class Documents : public testing::TestWithParam<fs::path> {};

TEST_P(Documents, CommandLinesRun) {
  const TemporaryFolder folder;
  for (const char* name : {"my-graph", "friends"}) OwnGraph().write(folder.path() / name);
  folder.write("cat.off",
               "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n3 0 1 3\n3 0 2 3\n3 1 2 3\n");
  folder.write("my.toml", "data = \"karate\"\nlayers = 2\n");
  write_scans(folder.path());
  folder.write("space.toml", "step = {low = 0.1, high = 0.9}\nlayers = [1, 2]\n");
  for (const std::string& line : command_lines(GetParam())) {
    const Outcome outcome = pdegcn(folder.path(), made_quick(line));
    EXPECT_EQ(outcome.code, 0) << "pdegcn " << line << "\nrun as: pdegcn " << made_quick(line)
                               << "\n"
                               << outcome.err;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Documents, testing::ValuesIn(documents()), [](const auto& document) {
  std::string name = document.param.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Documents, EveryCommandHasAPage) {
  for (const char* command : {"train", "evaluate", "predict", "tune", "reproduce", "plot", "info",
                              "fetch", "flow", "bench"})
    EXPECT_FALSE(
        command_lines(fs::path(PDEGCN_SOURCE_FOLDER) / "docs" / (std::string(command) + ".md"))
            .empty())
        << command;
}

TEST(Documents, EveryFlagOfTrainIsOnItsPage) {
  const TemporaryFolder folder;
  const std::string page = read_text(fs::path(PDEGCN_SOURCE_FOLDER) / "docs" / "train.md");
  std::istringstream words(pdegcn_ok(folder.path(), "train --help"));
  int flags = 0;
  for (std::string word; words >> word;) {
    if (!word.starts_with("--")) continue;
    ++flags;
    EXPECT_TRUE(contains(page, "`" + word)) << word;
  }
  EXPECT_GT(flags, 35);
}

// The examples in the help run too.
TEST(Documents, ExamplesInTheHelpRun) {
  const TemporaryFolder folder;
  OwnGraph().write(folder.path() / "my-graph");
  folder.write("space.toml", "step = {low = 0.1, high = 0.9}\nlayers = [1, 2]\n");
  for (const char* command : {"train", "tune", "reproduce", "info", "fetch", "bench"}) {
    std::istringstream lines(pdegcn_ok(folder.path(), std::string(command) + " --help"));
    int examples = 0;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("  pdegcn ")) continue;
      ++examples;
      const Outcome outcome = pdegcn(folder.path(), made_quick(line.substr(9)));
      EXPECT_EQ(outcome.code, 0) << line << "\n" << outcome.err;
    }
    EXPECT_GE(examples, 3) << command;
  }
}

}  // namespace
}  // namespace pdegcn::tests
