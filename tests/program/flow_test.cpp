// Heat and waves on shapes, from the command line to the files.
#include <cmath>
#include <numbers>

#include "tests/program/program.h"

namespace pdegcn::tests {
namespace {

namespace fs = std::filesystem;

constexpr int kAround = 40, kTube = 12;

// A ring: closed, with one part, 480 vertices.
std::string torus() {
  std::string vertices, faces;
  for (int a = 0; a < kAround; ++a)
    for (int b = 0; b < kTube; ++b) {
      const double u = 2 * std::numbers::pi * a / kAround, v = 2 * std::numbers::pi * b / kTube;
      const double radius = 3 + std::cos(v);
      vertices +=
          fmt::format("{} {} {}\n", radius * std::cos(u), radius * std::sin(u), std::sin(v));
      const int a1 = (a + 1) % kAround, b1 = (b + 1) % kTube;
      faces += fmt::format("3 {} {} {}\n3 {} {} {}\n", a * kTube + b, a1 * kTube + b,
                           a1 * kTube + b1, a * kTube + b, a1 * kTube + b1, a * kTube + b1);
    }
  return fmt::format("OFF\n{} {} 0\n{}{}", kAround * kTube, 2 * kAround * kTube, vertices, faces);
}

const std::string kSmall = " --frames 5 --columns 3 --height 80 ";

// The columns of energies.csv for one equation.
struct Energies {
  std::vector<double> norm, energy, conserved;

  Energies(const fs::path& folder, const std::string& name) {
    std::istringstream lines(read_text(folder / "energies.csv"));
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "dynamics,step,time,norm,energy,conserved");
    while (std::getline(lines, line)) {
      std::vector<std::string> cells(6);
      std::istringstream row(line);
      for (std::string& cell : cells) std::getline(row, cell, ',');
      if (cells[0] != name) continue;
      EXPECT_EQ(cells[1], std::to_string(norm.size()));
      norm.push_back(std::stod(cells[3]));
      if (cells[4].empty()) continue;  // the last step has no velocity
      energy.push_back(std::stod(cells[4]));
      conserved.push_back(std::stod(cells[5]));
    }
  }
};

// The frames of a series, in order of time, all of which are there.
std::vector<fs::path> frames_of(const fs::path& series) {
  const auto json = nlohmann::json::parse(read_text(series));
  EXPECT_EQ(json["file-series-version"], "1.0");
  std::vector<fs::path> frames;
  double before = -1;
  for (const auto& frame : json["files"]) {
    frames.push_back(series.parent_path() / frame["name"].get<std::string>());
    EXPECT_TRUE(fs::exists(frames.back())) << frames.back();
    EXPECT_GT(frame["time"].get<double>(), before);
    before = frame["time"].get<double>();
  }
  return frames;
}

bool is_png(const fs::path& path) {
  return read_text(path).starts_with("\x89PNG\r\n\x1a\n");
}

TEST(Flow, HeatFlattensAndAWaveGoesOn) {
  const TemporaryFolder folder;
  folder.write("ring.off", torus());
  const std::string out = pdegcn_ok(folder.path(), "flow ring.off --dynamics d,h,m" + kSmall);
  EXPECT_TRUE(contains(out, "480 nodes")) << out;
  const fs::path flow = folder.path() / "flows" / "ring";
  EXPECT_TRUE(is_png(flow / "flow.png"));
  EXPECT_TRUE(is_png(flow / "energies.png"));
  for (const char* name : {"diffusion", "wave", "mixture"})
    EXPECT_EQ(frames_of(flow / (std::string(name) + ".vtp.series")).size(), 5U) << name;

  const Energies heat(flow, "diffusion"), wave(flow, "wave"), mixture(flow, "mixture");
  ASSERT_GT(heat.norm.size(), 20U);
  for (std::size_t l = 1; l < heat.norm.size(); ++l) EXPECT_LT(heat.norm[l], heat.norm[l - 1]) << l;
  EXPECT_LT(heat.conserved.back(), 0.2 * heat.conserved.front());
  EXPECT_LT(mixture.conserved.back(), 0.5 * mixture.conserved.front());
  for (std::size_t l = 1; l < wave.conserved.size(); ++l)
    EXPECT_NEAR(wave.conserved[l] / wave.conserved[1], 1, 0.02) << l;
}

TEST(Flow, TheSameBytesWithAnyNumberOfThreads) {
  const TemporaryFolder folder;
  folder.write("ring.off", torus());
  for (const char* threads : {"1", "2"})
    pdegcn_ok(folder.path(),
              fmt::format("flow ring.off --source random --seed 3 --threads {0} --out {0}{1}",
                          threads, kSmall));
  for (const char* file : {"flow.png", "wave/0004.vtp", "wave.vtp.series"})
    EXPECT_EQ(read_text(folder.path() / "1" / file), read_text(folder.path() / "2" / file)) << file;
  // A shorter flow leaves no frames of a longer one.
  pdegcn_ok(folder.path(), "flow ring.off --out 1" + kSmall + "--frames 3");
  EXPECT_TRUE(fs::exists(folder.path() / "1/wave/0002.vtp"));
  EXPECT_FALSE(fs::exists(folder.path() / "1/wave/0003.vtp"));
}

TEST(Flow, AGraphIsLaidOut) {
  const TemporaryFolder folder;
  const Outcome graph = pdegcn(folder.path(), "flow karate --out karate" + kSmall);
  EXPECT_EQ(graph.code, 0) << graph.err;
  EXPECT_TRUE(contains(graph.err, "no positions")) << graph.err;
  EXPECT_TRUE(contains(read_text(folder.path() / "karate/wave/0000.vtp"), "NumberOfLines=\"78\""));
}

TEST(Flow, ThroughTrainedNetworks) {
  const TemporaryFolder folder;
  pdegcn_ok(
      folder.path(),
      "train --data karate --model d,h --layers 6 --channels 5 --epochs 3 --quiet --out runs");
  pdegcn_ok(folder.path(),
            "flow --run runs/h-leaders-0 --run runs/d-leaders-0 --out both" + kSmall);
  EXPECT_EQ(Energies(folder.path() / "both", "wave").norm.size(), 7U);
  EXPECT_EQ(frames_of(folder.path() / "both/diffusion.vtp.series").size(), 5U);
  pdegcn_ok(folder.path(), "flow --run runs/h-leaders-0 --source bump:3 --out bump" + kSmall);
  // The bump, one high, is on each of the five channels.
  const double norm = Energies(folder.path() / "bump", "wave").norm.front();
  EXPECT_GT(norm, 5);
  EXPECT_LT(norm, 5 * 34);
  EXPECT_TRUE(
      contains(pdegcn(folder.path(), "flow like-texas --run runs/h-leaders-0").err, "opening"));
}

TEST(Flow, MistakesLeaveNoFiles) {
  const TemporaryFolder folder;
  folder.write("ring.off", torus());
  folder.write("nan.off", "OFF\n3 1 0\n0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n");
  const std::pair<const char*, const char*> mistakes[] = {
      {"nan.off", "nan.off:4"},
      {"ring.off --channel 1", "no channel 1"},
      {"--run nowhere --steps 5", "excludes"},
  };
  for (const auto& [line, words] : mistakes) {
    const Outcome outcome = pdegcn(folder.path(), fmt::format("flow {} --out bad", line));
    EXPECT_EQ(outcome.code, 1) << line;
    EXPECT_TRUE(contains(outcome.err, words)) << line << "\n" << outcome.err;
    EXPECT_FALSE(fs::exists(folder.path() / "bad")) << line;
  }
}

}  // namespace
}  // namespace pdegcn::tests
