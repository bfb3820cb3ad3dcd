#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "pdegcn/data/dataset.h"
#include "pdegcn/report/render.h"

namespace pdegcn::train {

// Fields that flow over a shape as the equations of the networks make them: what figure 1 of the
// paper shows.

// The shape of a file (a mesh or a cloud) or of a data set, of which `part` names one sample, by
// its name or its number; the first when it is empty. Without a path, a generated body. Points of a
// cloud are joined to their k nearest others. Throws Error as the readers do.
data::Sample open_shape(const std::string& path, const std::string& part,
                        const std::string& data_dir, std::int64_t k);

struct FlowOptions {
  std::vector<std::string> dynamics{"d", "h"};  // d, h, m: each becomes a row
  double alpha = 0.5;                           // of m
  std::string weights = "metropolis";           // 'distance' is relative to the mean edge
  // "bump" or "bump:V", a hill about one vertex; "xyz"; "random"; or the path of a table with a row
  // per node (see data/feature_file.h).
  std::string source = "bump";
  double width = 0;          // of the hill, in mean edges; 0: a twentieth of the way across
  std::int64_t seed = 0;     // of random
  std::int64_t steps = 0;    // 0: until a wave has come to the farthest node
  double step = 0;           // 0: well inside the stability bounds
  std::int64_t frames = 61;  // states that are kept, evenly spread over the steps
};

// One equation, or network, and what it did.
struct FlowRow {
  std::string name;   // for files: "diffusion"
  std::string title;  // for people
  std::int64_t steps = 0;
  double step = 0;
  double stability = 0;                         // λ over the bound: stable up to 1
  std::vector<double> norm, energy, conserved;  // as in pde::Energies
  std::vector<std::int64_t> frame_steps;
  std::vector<std::vector<float>> frames;  // n x c each
};

struct Flow {
  data::Sample shape;
  bool laid_out = false;  // it came without positions and was given some
  std::int64_t channels = 1;
  std::int64_t shown = 0;  // the channel for the picture: the one that varies most at the start
  std::vector<FlowRow> rows;
  std::vector<std::string> notes;  // what a user should know of the shape
};

// Marches a field over a shape with K = I. Throws Error, naming the reason, for a shape without
// edges, positions that are not finite, options that do not fit, and a field that overflows.
Flow flow(data::Sample shape, const FlowOptions& options = {});

// The same through the PDE stacks of trained networks, one row for each run. The field is what
// their opening layers make of the features of the shape or, where `options.source` is not empty,
// that source, which must have one channel, put on all, or as many as the network. Only source,
// width, seed and frames count. Throws Error when a shape does not fit a network.
Flow flow_through_runs(data::Sample shape, const std::vector<std::filesystem::path>& runs,
                       const FlowOptions& options);

// The shape that a run was trained on, or another in the form that its network takes.
data::Sample open_shape_for_run(const std::filesystem::path& run, const std::string& path,
                                const std::string& part, const std::string& data_dir);

// Where its shape is likely to be seen best from.
report::Camera likely_camera(const Flow& flow);

struct FlowPicture {
  int columns = 6;
  int height = 480;           // of one frame, and its largest width, in pixels
  std::int64_t channel = -1;  // -1: Flow::shown
  report::Camera camera;
};

// Writes into a folder, which is made when it is missing:
//   flow.png                     the contact sheet
//   energies.csv, energies.png   of every step
//   NAME.vtp.series, NAME/*.vtp  the frames of each row, for ParaView; all channels up to 16
// Files of an earlier flow are replaced.
void write_flow(const std::filesystem::path& folder, const Flow& flow, const FlowPicture& picture);

}  // namespace pdegcn::train
