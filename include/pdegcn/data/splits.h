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

// A split from the arrays train_mask, val_mask and test_mask.
Split split_from_masks(const Npz& masks, std::string name, std::int64_t nodes);

}  // namespace pdegcn::data
