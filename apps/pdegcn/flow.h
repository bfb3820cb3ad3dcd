#pragma once

#include <string>
#include <vector>

#include "pdegcn/train/flow.h"

namespace pdegcn::app {

// What became of a flow, as lines of a table, one for each equation. Warnings go to the error
// stream.
std::vector<std::string> flow_head();
std::vector<std::vector<std::string>> flow_lines(const train::Flow& flow);

}  // namespace pdegcn::app
