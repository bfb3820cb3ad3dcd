#pragma once

#include "pdegcn/report/run_folder.h"
#include "reproduction.h"

namespace pdegcn::app {

// The lock of a folder that several processes write to, each for moments.
report::FolderLock wait_for(const std::filesystem::path& folder);

// Which protocols a run is for.
std::vector<std::string> protocols_of(const train::RunConfig& config);

// A record speaks of the run beside it, and of none when that is gone.
bool has_record(const CellRun& run);
void write_record(const CellRun& run);
RunRecord read_record(const CellRun& run);  // throws Error when it is damaged, or of other data

// Makes the folder of a run, or takes it up.
report::RunFolder open_folder(const CellRun& run);

// Throws unless the run that a folder holds, if any, is this one.
void check_config(const CellRun& run);

// After the end the state of the optimiser is of no use, and most of the folder.
void forget_optimiser(const CellRun& run);

}  // namespace pdegcn::app
