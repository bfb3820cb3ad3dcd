#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pdegcn/data/dataset.h"
#include "pdegcn/data/npy.h"

namespace pdegcn::data {

// The fixed splits of Geom-GCN, <name>_split_0.6_0.2_<k>.npz for k = 0 to 9, from a folder `splits`
// in the folder of the data set or beside it. They are called "0" to "9"; none where there are
// none.
std::vector<Split> read_geom_gcn_splits(const std::filesystem::path& folder,
                                        const std::string& name, std::int64_t nodes);

// How random splits are drawn. Only labelled nodes take part.
struct RandomSplits {
  int count = 10;
  std::uint64_t seed = 0;
  double train = 0.6;                   // below 1 a share of every class; else nodes of every class
  double validation = 0.2;              // below 1 a share of every class; else nodes in all
  double test = 0;                      // as validation; 0 stands for all that are left
  std::string where = "random splits";  // begins the messages
};

// Splits "0", "1", ... of the nodes with these labels (kUnlabelled for none): the same for the same
// seed on every machine. A class of any size has a training node at least, when there are enough.
// Throws Error when the numbers are not possible.
std::vector<Split> random_splits(std::span<const std::int32_t> labels, const RandomSplits& options);

// What nobody can learn from this split, as sentences: members of the train and validation part
// that have no label, classes that the train part does not show. The test part is not looked at.
std::vector<std::string> shortcomings(const Dataset& data, const Split& split);

// A split from the arrays train_mask, val_mask and test_mask.
Split split_from_masks(const Npz& masks, std::string name, std::int64_t nodes);

}  // namespace pdegcn::data
