#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "pdegcn/graph/error.h"

namespace pdegcn::tests {

// See PDEGCN_EXPECT_ERROR.
template <class Statement>
void expect_error(Statement&& statement, std::initializer_list<std::string> parts, const char* file,
                  int line) {
  try {
    statement();
  } catch (const Error& error) {
    const std::string message = error.what();
    for (const std::string& part : parts)
      if (message.find(part) == std::string::npos)
        ADD_FAILURE_AT(file, line) << "'" << part << "' is not in the message: " << message;
    return;
  } catch (const std::exception& other) {
    ADD_FAILURE_AT(file, line) << "not an Error but: " << other.what();
    return;
  }
  ADD_FAILURE_AT(file, line) << "no exception";
}

}  // namespace pdegcn::tests

// Expects that a statement throws Error, with all these parts in its message: the name of the
// argument, its value, the file and the line.
#define PDEGCN_EXPECT_ERROR(statement, ...)                                                   \
  pdegcn::tests::expect_error([&] { static_cast<void>(statement); }, {__VA_ARGS__}, __FILE__, \
                              __LINE__)
