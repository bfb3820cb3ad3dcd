#pragma once

#include <gtest/gtest.h>

#include <string>

#include "pdegcn/graph/error.h"

// Expects that a statement throws pdegcn::Error with a message that holds `part`.
#define PDEGCN_EXPECT_ERROR(statement, part)                                            \
  try {                                                                                 \
    statement;                                                                          \
    ADD_FAILURE() << "no error from " #statement;                                       \
  } catch (const pdegcn::Error& error) {                                                \
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what(); \
  }
