#include "pdegcn/data/nearest.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace pdegcn::data {
namespace {

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, row);
  }
  return last.back();
}

}  // namespace

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> names) {
  std::string_view nearest;
  std::size_t best = 1 + std::min<std::size_t>(3, name.size() / 2);
  const std::string small = in_small_letters(name.substr(0, 100));
  for (const std::string_view candidate : names) {
    if (const std::size_t d = distance(small, in_small_letters(candidate)); d < best) {
      best = d;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace pdegcn::data
