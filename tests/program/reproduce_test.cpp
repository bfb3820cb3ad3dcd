// Tables of the paper: complete, resumable, and shared by processes.
#include "tests/program/own_table.h"

namespace pdegcn::tests {
namespace {

namespace fs = std::filesystem;

// A table, with the number of its quick cells and of the methods of the paper's.
struct Quick {
  const char* name;
  std::size_t cells;
  std::size_t methods;
};

void PrintTo(const Quick& quick, std::ostream* out) {
  *out << quick.name;
}

class QuickTable : public testing::TestWithParam<Quick> {};

TEST_P(QuickTable, IsComplete) {
  const TemporaryFolder folder;
  const Quick parameter = GetParam();
  const std::string name = parameter.name;
  const int epochs = name == "table-6" ? 1 : 2;
  const std::string command = fmt::format("reproduce {} --quick --epochs {} --quiet", name, epochs);
  const std::string out = pdegcn_ok(folder.path(), command);
  const fs::path results = folder.path() / "reproduce" / (name + "-quick");
  const auto rows = read_table(results / "table.csv");
  std::set<std::string> methods;
  std::size_t cells = 0;
  for (auto row : rows) {
    methods.insert(row[name == "table-2" ? "data set" : "method"]);
    cells += row["settings"] != "tuned";
    EXPECT_EQ(row["vs paper"] + row["peek vs paper"], "") << "generated data";
  }
  EXPECT_EQ(cells, parameter.cells);
  EXPECT_EQ(methods.size(), parameter.methods) << testing::PrintToString(methods);
  if (name == "figure-1") {
    EXPECT_EQ(rows[0].at("equation") + rows[1].at("equation"), "diffusionwave");
    EXPECT_TRUE(contains(out, "bodies/flow.png")) << out;
    EXPECT_TRUE(contains(read_text(results / "table.md"), "](bodies/flow.png)"));
    EXPECT_TRUE(read_text(results / "bodies" / "flow.png").starts_with("\x89PNG"));
    return;
  }
  for (auto row : rows) {
    if (name == "table-2") {
      EXPECT_TRUE(is_number(row["ours"])) << row["cell"] << " " << row["ours"];
    } else if (row["validation"] == "as published, not run") {
      EXPECT_TRUE(is_number(row["paper"])) << row["cell"];
    } else {
      EXPECT_TRUE(is_number(row["validation"])) << row["cell"] << " " << row["validation"];
      EXPECT_TRUE(is_number(row["test-peek"])) << row["cell"] << " " << row["test-peek"];
      EXPECT_EQ(row["n"] + row["peek n"], "11") << row["cell"];
      EXPECT_FALSE(row["time"].empty() || row["hyper-parameters"].empty()) << row["cell"];
    }
    EXPECT_TRUE(contains(out, row["cell"])) << out;
  }
  EXPECT_TRUE(contains(out, "Not a result")) << out;
  const std::string page = read_text(results / "table.md");
  EXPECT_TRUE(contains(page, "pdegcn reproduce " + name + " --quick")) << page;
  EXPECT_TRUE(name == "table-2" || contains(page, "cores")) << page;
  for (const char* ending : {".png", ".svg"}) {
    EXPECT_EQ(fs::exists(results / fmt::format("curves{}", ending)), name == "figure-2");
    EXPECT_EQ(fs::exists(results / fmt::format("gap{}", ending)), name == "table-4");
  }
  // Called again it finds all of it, with the times of then.
  const std::string table = read_text(results / "table.csv");
  pdegcn_ok(folder.path(), command);
  EXPECT_EQ(read_text(results / "table.csv"), table);
}

INSTANTIATE_TEST_SUITE_P(All, QuickTable,
                         testing::Values(Quick{"table-1", 8, 5}, Quick{"table-2", 19, 3},
                                         Quick{"table-3", 12, 9}, Quick{"table-4", 38, 14},
                                         Quick{"table-5", 13, 13}, Quick{"table-6", 5, 5},
                                         Quick{"table-7", 6, 5}, Quick{"figure-1", 2, 1},
                                         Quick{"figure-2", 1, 1}),
                         [](const auto& table) {
                           std::string text = table.param.name;
                           std::replace(text.begin(), text.end(), '-', '_');
                           return text;
                         });

TEST_F(OwnTable, RunsOnceAndTheSavedConfigRepeatsARun) {
  pdegcn_ok(folder.path(), line + "a");
  const auto rows = read_table(folder.path() / "a" / "table.csv");
  ASSERT_EQ(rows.size(), 4);
  EXPECT_EQ(rows[0].at("n"), "2");
  EXPECT_EQ(rows[3].at("validation"), "as published, not run");
  EXPECT_TRUE(contains(rows[0].at("hyper-parameters"), "step 0.5"))
      << read_text(folder.path() / "a" / "table.csv");
  const auto runs = runs_of(folder.path() / "a");
  ASSERT_EQ(runs.size(), 3 * 2);
  const auto before = read_text(folder.path() / "a" / "table.csv");
  const fs::path metrics = folder.path() / "a" / runs[0] / "metrics.csv";
  const auto written = fs::last_write_time(metrics);
  pdegcn_ok(folder.path(), line + "a");
  EXPECT_EQ(read_text(folder.path() / "a" / "table.csv"), before);
  EXPECT_EQ(fs::last_write_time(metrics), written);

  for (const std::size_t k : {0, 3, 5}) {
    const fs::path run = folder.path() / "a" / runs[k];
    pdegcn_ok(folder.path(), fmt::format("train --config {} --quiet --threads 2 --out again-{}",
                                         (run / "config.toml").string(), k));
    for (const char* name : {"metrics.csv", "best.safetensors", "config.toml"})
      EXPECT_EQ(read_text(run / name), read_text(folder.path() / fmt::format("again-{}", k) / name))
          << runs[k] << " " << name;
  }
}

TEST_F(OwnTable, SeveralProcessesShareTheRuns) {
  const std::string command = "reproduce mine.toml --threads 1 --seeds 4 --epochs 150 --out ";
  const fs::path shared = folder.path() / "shared";
  const auto processes = start({3, command + shared.string()});
  std::map<std::string, int> times;
  for (const auto& process : processes) {
    EXPECT_EQ(process->wait(), 0) << process->err();
    EXPECT_FALSE(contains(process->err(), "warning")) << process->err();
    std::istringstream lines(process->err());
    for (std::string text; std::getline(lines, text);)
      if (const auto at = text.find(": test "); at != std::string::npos)
        ++times[text.substr(text.find(' '), at - text.find(' '))];
  }
  EXPECT_EQ(times.size(), 3 * 4);
  for (const auto& [run, count] : times) EXPECT_EQ(count, 1) << run;

  pdegcn_ok(folder.path(), command + "alone");
  const auto runs = runs_of(shared);
  EXPECT_EQ(runs, runs_of(folder.path() / "alone"));
  for (const fs::path& run : runs)
    EXPECT_EQ(differences(shared / run, folder.path() / "alone" / run), "") << run;
  const auto rows = read_table(shared / "table.csv"),
             expected = read_table(folder.path() / "alone" / "table.csv");
  for (std::size_t k = 0; k < 3; ++k)
    for (const char* name : {"validation", "n", "test-peek", "peek n"})
      EXPECT_EQ(rows[k].at(name), expected[k].at(name)) << k << " " << name;
}

TEST_F(OwnTable, OneTrainingForBothProtocolsGivesWhatTwoGive) {
  pdegcn_ok(folder.path(), line + "a --protocol validation");
  pdegcn_ok(folder.path(), line + "b --protocol test-peek");
  pdegcn_ok(folder.path(), line + "c");
  const auto fair = read_table(folder.path() / "a" / "table.csv"),
             peeked = read_table(folder.path() / "b" / "table.csv"),
             both = read_table(folder.path() / "c" / "table.csv");
  ASSERT_EQ(both.size(), 4);
  for (std::size_t k = 0; k < 3; ++k) {
    for (const char* name : {"validation", "n", "vs paper"})
      EXPECT_EQ(both[k].at(name), fair[k].at(name)) << k << " " << name;
    for (const char* name : {"test-peek", "peek n", "peek vs paper"})
      EXPECT_EQ(both[k].at(name), peeked[k].at(name)) << k << " " << name;
    EXPECT_EQ(fair[k].at("test-peek") + peeked[k].at("validation"), "") << k;
    EXPECT_GE(std::stod(both[k].at("test-peek")), std::stod(both[k].at("validation"))) << k;
  }
  // A run for both serves either, and shows what is asked for.
  const auto before = runs_of(folder.path() / "c");
  pdegcn_ok(folder.path(), line + "c --protocol validation");
  EXPECT_EQ(runs_of(folder.path() / "c"), before);
  const auto either = read_table(folder.path() / "c" / "table.csv");
  EXPECT_EQ(either[0].at("validation"), fair[0].at("validation"));
  EXPECT_EQ(either[0].at("test-peek") + either[0].at("peek n"), "");
  pdegcn_ok(folder.path(), line + "c");
  EXPECT_TRUE(contains(both[0].at("hyper-parameters"), "select val-loss"));
  EXPECT_TRUE(
      contains(read_text(folder.path() / "c" / "table.md"), "mine.toml --threads 1 --out c\n"));
  // The means are those of the runs.
  const auto singles = read_table(folder.path() / "c" / "runs.csv");
  ASSERT_EQ(singles.size(), 3 * 2);
  EXPECT_EQ(singles[1].at("cell") + singles[1].at("settings") + singles[1].at("seed"),
            "own/d/2paper1");
  for (const auto& [column, name] : {std::pair("test", "validation"),
                                     {"test_peek", "test-peek"},
                                     {"validation", "on validation part"}})
    EXPECT_NEAR(50 * (std::stod(singles[0].at(column)) + std::stod(singles[1].at(column))),
                std::stod(both[0].at(name)), 0.0501)
        << column;
}

TEST_F(OwnTable, AMeanOverSomeOfTheRunsSaysSo) {
  const std::string cell = line + "a --cells own/h/2 --protocol validation";
  pdegcn_ok(folder.path(), cell + " --seeds 1");
  EXPECT_FALSE(contains(read_text(folder.path() / "a/table.md"), "[1 of"));
  pdegcn_ok(folder.path(), cell + " --budget 0.000001");
  EXPECT_TRUE(contains(read_text(folder.path() / "a/table.md"), "[1 of 2]"))
      << read_text(folder.path() / "a/table.md");
}

TEST_F(OwnTable, ARecordSpeaksOfNoOtherRun) {
  const std::string cell = line + "a --cells own/h/2 --seeds 1 --protocol validation";
  pdegcn_ok(folder.path(), cell + " --epochs 2");
  const Outcome other = pdegcn(folder.path(), cell + " --epochs 3");
  EXPECT_EQ(other.code, 1) << other.err;
  EXPECT_TRUE(contains(other.err, "delete it")) << other.err;
  fs::remove_all(folder.path() / "a" / runs_of(folder.path() / "a").at(0));
  pdegcn_ok(folder.path(), cell + " --epochs 3");
  const fs::path run = folder.path() / "a" / runs_of(folder.path() / "a").at(0);
  EXPECT_EQ(nlohmann::json::parse(read_text(run.string() + ".json"))["epochs"], 3);
}

// A mean over runs on different data would be of nothing.
TEST_F(OwnTable, ARunOnOtherDataIsNotTakenForOneOnThese) {
  const std::string cell = line + "a --cells own/h/2 --epochs 2 --protocol validation --seeds ";
  pdegcn_ok(folder.path(), cell + "1");
  for (int v = 0; v < graph.nodes; ++v)
    if (graph.part[v] == "test") graph.label[v] = (graph.label[v] + 1) % graph.classes;
  graph.write(folder.path() / "own");
  const Outcome other = pdegcn(folder.path(), cell + "2");
  EXPECT_EQ(other.code, 1) << other.err;
  EXPECT_TRUE(contains(other.err, "is of other data")) << other.err;
}

TEST_F(OwnTable, ATableMayBeginWithDots) {
  for (const char* name : {"..toml", "...toml", ".mine.toml"})
    fs::copy(folder.path() / "mine.toml", folder.path() / name);
  const std::string rest = " --cells own/h/2 --epochs 2 --seeds 1 --quiet";
  for (const char* name : {"..toml", "...toml"}) {
    const Outcome nowhere = pdegcn(folder.path(), std::string("reproduce ") + name + rest);
    EXPECT_EQ(nowhere.code, 1);
    EXPECT_TRUE(contains(nowhere.err, "--out: say where")) << nowhere.err;
  }
  pdegcn_ok(folder.path(), "reproduce ...toml --out a" + rest);
  pdegcn_ok(folder.path(), "reproduce .mine.toml" + rest);
  EXPECT_TRUE(fs::exists(folder.path() / "reproduce/.mine/table.md"));
}

TEST_F(OwnTable, APictureThatCannotBeDrawnLeavesTheTable) {
  std::string text = read_text(folder.path() / "mine.toml");
  folder.write("mine.toml", "gap = true\n" + text);
  fs::create_directories(folder.path() / "a/gap.png");
  const Outcome outcome = pdegcn(folder.path(), line + "a --cells own/h/2 --epochs 2 --seeds 1");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "no picture: ")) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "own/h/2") && contains(outcome.out, "table.md")) << outcome.out;
}

TEST_F(OwnTable, ADamagedRecordIsAnErrorThatNamesIt) {
  const std::string cell = line + "a --cells own/h/2 --seeds 1 --epochs 2";
  pdegcn_ok(folder.path(), cell);
  const fs::path run = folder.path() / "a" / runs_of(folder.path() / "a").at(0);
  const auto whole = nlohmann::json::parse(read_text(run.string() + ".json"));
  for (const auto& [key, value] : std::vector<std::pair<std::string, nlohmann::json>>{
           {"test", 0.5},
           {"test", nullptr},
           {"test", {{"validation", 0.5}}},
           {"test", {{"validation", 55}, {"test-peek", 0.5}}},
           {"epochs", 0},
           {"data", nullptr}}) {
    auto damaged = whole;
    damaged[key] = value;
    std::ofstream(run.string() + ".json") << damaged;
    const Outcome outcome = pdegcn(folder.path(), cell);
    EXPECT_EQ(outcome.code, 1) << damaged;
    EXPECT_TRUE(contains(outcome.err, run.filename().string() + ".json: the record"))
        << outcome.err;
  }
}

TEST_F(OwnTable, ACellThatCannotRunIsAFailureAndTheOthersRun) {
  std::string text = read_text(folder.path() / "mine.toml");
  text.replace(text.find("step = 0.3"), 10, "points = 5");
  folder.write("mine.toml", text);
  const Outcome some = pdegcn(folder.path(), line + "a --seeds 1 --protocol validation");
  EXPECT_EQ(some.code, 1);
  EXPECT_TRUE(contains(some.err, "points: this does not fit the task node")) << some.err;
  const auto rows = read_table(folder.path() / "a" / "table.csv");
  EXPECT_EQ(rows[0].at("n"), "1");
  EXPECT_EQ(rows[2].at("validation"), "cannot run");
}

TEST_F(OwnTable, KilledAndResumedItEndsWithTheSameBits) {
  const std::string longer = " --epochs 600 --protocol validation";
  pdegcn_ok(folder.path(), line + "whole" + longer);
  const fs::path out = folder.path() / "killed";
  // Bytes of metrics so far: they grow while something is trained.
  const auto written = [&] {
    std::size_t bytes = 0;
    if (fs::exists(out / "runs"))
      for (const fs::path& run : runs_of(out)) bytes += read_text(out / run / "metrics.csv").size();
    return bytes;
  };
  std::mt19937 engine(std::random_device{}());
  std::uniform_real_distribution<double> moment(0, 0.2);
  int kills = 0;
  for (int k = 0; kills < 4; ++k) {
    ASSERT_LT(k, 50) << "hardly a run was killed in time";
    const std::size_t before = written();
    ChildProcess child(command_of(line + "killed" + longer), {folder.path()});
    for (int wait = 0; wait < 3000 && written() == before; ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::duration<double>(moment(engine)));
    child.send(k % 2 == 0 ? SIGKILL : SIGINT);
    const int code = child.wait();
    EXPECT_TRUE(code == 0 || code == 1 || code == -SIGKILL || code == -SIGINT) << child.err();
    if (code == 0)
      fs::remove_all(out);
    else
      ++kills;
  }
  pdegcn_ok(folder.path(), line + "killed" + longer);
  const auto runs = runs_of(folder.path() / "whole");
  ASSERT_EQ(runs, runs_of(out));
  for (const fs::path& run : runs)
    EXPECT_EQ(differences(folder.path() / "whole" / run, out / run), "") << run;
}

TEST_F(OwnTable, TheCheapestCellsRunFirst) {
  folder.write("deep.toml", R"(
[settings]
data = "own"
model = "d"
channels = 8
epochs = 10
patience = 0
[[row]]
cells = [{layers = 256, paper = 70}, {layers = 16}, {layers = 2}, {layers = 64}]
)");
  const Outcome outcome =
      pdegcn(folder.path(), "reproduce deep.toml --threads 1 --protocol validation --out deep");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::size_t at = 0;
  for (const char* cell : {"1/4 own/2 ", "2/4 own/16 ", "3/4 own/64 ", "4/4 own/256 "}) {
    const std::size_t next = outcome.err.find(cell, at);
    ASSERT_NE(next, std::string::npos) << cell << outcome.err;
    at = next;
  }
  // On data that are what the table says, the paper's number is compared with.
  EXPECT_NE(read_table(folder.path() / "deep" / "table.csv")[0].at("vs paper"), "");
}

// Where nothing can be written one is told at once.
TEST_F(OwnTable, AnOutFolderThatCannotBeIsAnErrorBeforeTheFirstRun) {
  folder.write("file", "");
  const Outcome outcome = pdegcn(folder.path(), "reproduce mine.toml --out file/below");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "file/below")) << outcome.err;
  EXPECT_FALSE(contains(outcome.err, "1/")) << outcome.err;
}

// The results of another table, and pages of one's own, are nobody's to write over.
TEST_F(OwnTable, AFolderBelongsToOneTable) {
  const std::string cell = line + "a --cells own/h/2 --epochs 2 --seeds 1";
  pdegcn_ok(folder.path(), cell);
  const std::string mine = read_text(folder.path() / "mine.toml");
  std::string other = mine;
  other.replace(other.find("A table"), 7, "Another");
  const auto is_refused = [&] {
    const std::string page = read_text(folder.path() / "a/table.md");
    const Outcome outcome = pdegcn(folder.path(), cell);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_TRUE(contains(outcome.err, "a/table.md is not of ")) << outcome.err;
    EXPECT_EQ(read_text(folder.path() / "a/table.md"), page);
  };
  folder.write("mine.toml", other);
  is_refused();
  folder.write("mine.toml", mine + "[quick]\ncells = [\"own/h/2\"]\n");
  pdegcn_ok(folder.path(), cell);
  const Outcome quick = pdegcn(folder.path(), line + "a --quick");
  EXPECT_EQ(quick.code, 1);
  EXPECT_TRUE(contains(quick.err, "with --quick, it begins with '## A table")) << quick.err;
  folder.write("a/table.md", "my own notes\n");
  is_refused();
  // So it is from the first search on, which would else be taken for one of the other table.
  pdegcn_ok(folder.path(), line + "b --tune --epochs 2 --cells own/d/2");
  folder.write("mine.toml", other);
  const Outcome search = pdegcn(folder.path(), line + "b --tune --epochs 2 --cells own/d/2");
  EXPECT_EQ(search.code, 1);
  EXPECT_TRUE(contains(search.err, "b/table.md is not of \"Another of one's own\"")) << search.err;
}

// One without a title is called by its file, and of two that begin together one gets the folder.
TEST_F(OwnTable, OneOfTwoTablesGetsTheFolder) {
  std::string text = read_text(folder.path() / "mine.toml");
  text.erase(text.find("title"), text.find('\n', text.find("title")) - text.find("title"));
  folder.write("one.toml", text);
  folder.write("two.toml", text);
  for (const char* out : {"a", "b", "c"}) {
    const auto command = [&](const char* table) {
      return fmt::format("reproduce {0}/{1} --cells own/h/2 --epochs 2 --seeds 1 --out {0}/{2}",
                         folder.path().string(), table, out);
    };
    const auto processes = start({command("one.toml"), command("two.toml")});
    const bool first = processes[0]->wait() == 0, second = processes[1]->wait() == 0;
    EXPECT_NE(first, second) << processes[0]->err() << processes[1]->err();
    const std::string page = read_text(folder.path() / out / "table.md");
    EXPECT_TRUE(page.starts_with(first ? "## one\n" : "## two\n")) << page;
  }
}

TEST_F(OwnTable, CellsSeedsAndBudgetCutItDown) {
  pdegcn_ok(folder.path(), line + "a --cells own/d/* --seeds 3 --protocol test-peek");
  const auto rows = read_table(folder.path() / "a" / "table.csv");
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].at("peek n"), "3");
  EXPECT_EQ(rows[0].at("validation"), "");
  const Outcome none = pdegcn(folder.path(), line + "a --cells own/d/2,cora/*");
  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(contains(none.err, "'cora/*'") && contains(none.err, "own/d/2")) << none.err;
  const Outcome slow = pdegcn(folder.path(), "reproduce table-3 --quick --cells cora/d/64");
  EXPECT_EQ(slow.code, 1);
  EXPECT_TRUE(contains(slow.err, "quick") && contains(slow.err, "cora/d/4")) << slow.err;
  pdegcn_ok(folder.path(),
            "reproduce table-3 --quick --seeds 2 --cells cora/gcn/2 --epochs 2 --quiet --out two");
  EXPECT_EQ(read_table(folder.path() / "two" / "table.csv")[0].at("n"), "2");
  const std::string short_of_time = pdegcn_ok(folder.path(), line + "b --budget 0.0001");
  EXPECT_TRUE(contains(short_of_time, "not run, predicted ")) << short_of_time;
  EXPECT_TRUE(contains(short_of_time, "the budget left out 6 runs")) << short_of_time;
  // In the form of the paper too, beside what was run.
  pdegcn_ok(folder.path(), line + "b --cells own/d/2");
  pdegcn_ok(folder.path(), line + "b --budget 0.0001");
  const std::string page = read_text(folder.path() / "b/table.md");
  EXPECT_TRUE(contains(page.substr(0, page.find("All cells")), "not run, predicted ")) << page;
  // Another setting is not taken for the same run.
  const Outcome other =
      pdegcn(folder.path(), line + "a --cells own/d/2 --epochs 7 --protocol test-peek");
  EXPECT_TRUE(contains(other.err, "epochs '60', not '7'")) << other.err;
  EXPECT_TRUE(contains(pdegcn(folder.path(), line + "a --settings tuned").err, "--tune"));
  const Outcome unknown = pdegcn(folder.path(), "reproduce table-33");
  EXPECT_EQ(unknown.code, 1);
  EXPECT_TRUE(contains(unknown.err, "did you mean table-3?")) << unknown.err;
}

}  // namespace
}  // namespace pdegcn::tests
