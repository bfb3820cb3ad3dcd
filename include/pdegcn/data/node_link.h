#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pdegcn/data/file.h"
#include "pdegcn/graph/graph.h"

namespace pdegcn::data {

// A graph in the node-link JSON of networkx:
//   {"nodes": [{"id": 0, "val": false, "test": false}, ...],
//    "links": [{"source": 0, "target": 1}, ...]}
// Whatever else it holds is passed over.
struct NodeLink {
  std::vector<std::string> ids;          // as text, in the order of the file
  std::vector<std::uint8_t> validation;  // per node; 0 where the file does not say
  std::vector<std::uint8_t> test;
  std::vector<Edge> edges;  // ends are places in `ids`; both directions where the file lists both
};

// Ends of links are ids of nodes; where ids are text and ends are numbers, they count the nodes
// from 0, as networkx wrote them before version 2. Memory stays below a few times the file.
NodeLink read_node_link(const File& file);

// Reads a JSON object of whole numbers or lists of them, {"0": 5, "1": [0, 1]}, and hands each key
// with its numbers to `use`.
void read_number_map(
    const File& file,
    const std::function<void(const std::string& key, const std::vector<std::int64_t>&)>& use);

}  // namespace pdegcn::data
