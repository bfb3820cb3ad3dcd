#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pdegcn::tests {

// The parts of a file between lines "----", for readers of several files at once; as many as
// asked for, the last ones empty when the file has fewer.
inline std::vector<std::string> sections(std::string_view content, std::size_t count) {
  constexpr std::string_view kRule = "----\n";
  std::vector<std::string> parts;
  for (std::size_t at = 0; parts.size() + 1 < count && at < content.size();) {
    const std::size_t end = std::min(content.find(kRule, at), content.size());
    parts.emplace_back(content.substr(at, end - at));
    content.remove_prefix(std::min(end + kRule.size(), content.size()));
  }
  if (parts.size() < count) parts.emplace_back(content);
  parts.resize(count);
  return parts;
}

}  // namespace pdegcn::tests
