#pragma once

#include <filesystem>
#include <string>

#include "pdegcn/data/dataset.h"

namespace pdegcn::data {

// A citation network (Cora, CiteSeer, PubMed) from the files ind.<name>.{y,tx,ty,allx,ally,graph,
// test.index} of Planetoid (Yang et al. 2016).
//
// Nodes: the rows of allx, then the test nodes. Those in the range of the test nodes that have no
// row in tx (15 in CiteSeer, known as its isolated nodes) are without features and kUnlabelled, and
// in no part of the public split. Splits: "public" (the rows of y for training, the
// next 500 for validation), then those of Geom-GCN where they are at hand.
Dataset read_planetoid(const std::filesystem::path& folder, const std::string& name);

}  // namespace pdegcn::data
