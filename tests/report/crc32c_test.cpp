#include "pdegcn/report/crc32c.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

namespace pdegcn::report {
namespace {

// Bit by bit, from the definition.
std::uint32_t plain_crc32c(const std::string& bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char c : bytes) {
    crc ^= static_cast<std::uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? (crc >> 1) ^ 0x82F63B78 : crc >> 1;
  }
  return crc ^ 0xFFFFFFFF;
}

// The vectors of RFC 3720, appendix B.4, and the usual check value.
TEST(Crc32c, AgreesWithPublishedVectors) {
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
  std::string ascending;
  for (char c = 0; c < 32; ++c) ascending += c;
  EXPECT_EQ(crc32c(ascending), 0x46DD794Eu);
}

TEST(Crc32c, AgreesWithTheDefinitionAndContinues) {
  EXPECT_TRUE(rc::check([](const std::string& a, const std::string& b) {
    RC_ASSERT(crc32c(a + b) == plain_crc32c(a + b));
    RC_ASSERT(crc32c(b, crc32c(a)) == crc32c(a + b));
  }));
}

}  // namespace
}  // namespace pdegcn::report
