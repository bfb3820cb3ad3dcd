#pragma once

#include <filesystem>
#include <string>

#include "pdegcn/data/dataset.h"
#include "pdegcn/data/file.h"

namespace pdegcn::data {

// A data set in the text format of Geom-GCN (Pei et al. 2020): out1_graph_edges.txt with
// "source<TAB>target" and out1_node_feature_label.txt with "id<TAB>features<TAB>label", each after
// a line of headings. Features are a list of 0 and 1 for every column or, as in film, of the
// columns that are 1. Nodes may come in any order.
//
// Splits are those of Geom-GCN, where they are at hand. An empty `split_name` stands for the name
// of the folder, without "_gcnii": the older copy of Cornell has the splits of Cornell.
Dataset read_geom_gcn(const std::filesystem::path& folder, std::string split_name = "");

// The same from the two files, without splits.
Dataset read_geom_gcn(const File& nodes, const File& edges);

}  // namespace pdegcn::data
