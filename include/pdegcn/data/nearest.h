#pragma once

#include <span>
#include <string_view>

namespace pdegcn::data {

// Among some names the one that was most likely meant: the fewest letters inserted, deleted,
// replaced or swapped with the next, and few at all; capitals do not count. Empty when none is
// near.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> names);

}  // namespace pdegcn::data
