#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pdegcn/train/config.h"

namespace pdegcn::train {

// One number of a table: how it is found, and what the paper says.
struct Cell {
  std::string name;    // "cora/d/16": data set, method and layers; --cells chooses by it
  std::string method;  // as the paper calls it
  std::string data;
  std::optional<double> paper;  // in percent, or a count
  std::string count;            // what is counted in the data set, where nothing is trained
  std::string flow;             // equations, "d,h", that march over a shape of the data set instead
  std::string shape;            // which one, by name or number; the first unless given
  bool published = false;       // the paper's number is shown, nothing is run
  // Of the run, beside what experiments/ has for the data set. They are looked at when the cell is
  // run: a table may be ahead of the program.
  Settings settings;
};

// What is searched over for the cells of some models, data sets and depths, and how.
struct TuneRule {
  std::vector<std::string> models;  // that it is for, or none for all
  std::vector<std::string> data;    // the same of data sets
  std::vector<std::string> layers;  // and of numbers of layers
  std::optional<std::int64_t> trials;
  std::string space;           // as in a file for read_space()
  std::optional<double> from;  // the time T = h L: the steps searched are from / L to until / L
  std::optional<double> until;
  // Only while searching, such as fewer splits. With other layers than the cell's, the step that is
  // found becomes the cell's by the same T.
  Settings judge;
  Settings with;  // kept with what is found
};

// A table or figure of the paper. Everything about it is in a TOML file, docs/reproduce.md has the
// form.
struct ExperimentTable {
  std::string title;
  int decimals = 1;
  std::string columns;  // the setting that changes from column to column of the paper's table
  std::vector<Cell> cells;

  // Cut down to minutes: these cells, on these data sets in place of the real ones, so.
  std::vector<std::string> quick_cells;
  std::map<std::string, std::string> quick_data;
  Settings quick_settings;

  std::vector<TuneRule> tune;
  std::string curve;  // a column of metrics that is drawn over the epochs, if any
  bool gap = false;   // whether the gap between the protocols is drawn
};

// Throws Error naming file and line.
ExperimentTable read_experiment_table(std::string_view toml, const std::string& name);

// The search of a cell: all rules for its model, data set and depth in one, in which their spaces
// are joined and the later ones have the last word. Nothing when they leave nothing to search over.
std::optional<TuneRule> find_rule(const ExperimentTable& table, const Cell& cell);

// The space of a rule for that many layers.
std::string space_for(const TuneRule& rule, std::int64_t layers);

// Settings that a search found for a cell, and where they come from.
struct Tuned {
  Settings settings;
  Settings judge;  // what trials were judged with, beside the settings of the cell
  std::string space;
  std::string command;
  std::int64_t trials = 0;
  std::int64_t trial = 0;
  double validation = 0;  // its score on the validation part, which chose it
};
using TunedCells = std::map<std::string, Tuned>;  // by the name of the cell

TunedCells read_tuned(std::string_view toml, const std::string& name);
std::string write_tuned(const TunedCells& cells);

// Whether a name fits one of several patterns with commas between, in which * stands for anything.
bool matches(std::string_view name, std::string_view patterns);

}  // namespace pdegcn::train
