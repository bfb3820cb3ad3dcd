#include "pdegcn/data/splits.h"

namespace pdegcn::data {

Split split_from_masks(const Npz& masks, std::string name, std::int64_t nodes) {
  const auto indices = [&](const char* array) {
    const NpyArray mask = masks.at(array);
    mask.view().expect_shape({nodes});
    std::vector<std::int32_t> result;
    const std::vector<std::uint8_t> values = mask.view().as<std::uint8_t>();
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (values[k] > 1)
        throw Error("{}: element {} is {}, not 0 or 1", mask.view().name, k, values[k]);
      if (values[k] == 1) result.push_back(static_cast<std::int32_t>(k));
    }
    return result;
  };
  return {std::move(name), indices("train_mask"), indices("val_mask"), indices("test_mask")};
}

std::vector<Split> read_geom_gcn_splits(const std::filesystem::path& folder,
                                        const std::string& name, std::int64_t nodes) {
  std::vector<Split> splits;
  for (const auto& place : {folder / "splits", folder / ".." / "splits"}) {
    for (int k = 0; k < 10; ++k) {
      const auto file =
          (place / fmt::format("{}_split_0.6_0.2_{}.npz", name, k)).lexically_normal();
      if (std::filesystem::exists(file))
        splits.push_back(split_from_masks(Npz(file), std::to_string(k), nodes));
    }
    if (!splits.empty()) break;
  }
  return splits;
}

}  // namespace pdegcn::data
