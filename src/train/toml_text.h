#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include <string>
#include <string_view>

#include "pdegcn/data/text.h"

namespace pdegcn::train {

// Parses TOML; throws Error naming file and line.
inline toml::table parse_toml(std::string_view text, const std::string& name) {
  data::check_toml_keys(text, name);
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw Error("{}, line {}: {}", name, error.source().begin.line,
                std::string_view(error.description()));
  }
}

// A value as the text that a flag would have.
inline std::string text_of(const toml::node& node, const std::string& where) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto whole = node.value_exact<std::int64_t>()) return fmt::format("{}", *whole);
  if (const auto real = node.value_exact<double>()) return fmt::format("{}", *real);
  if (const auto flag = node.value_exact<bool>()) return fmt::format("{}", *flag);
  throw Error("{}: the value must be a text, a number, true or false", where);
}

}  // namespace pdegcn::train
