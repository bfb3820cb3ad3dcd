#include <gtest/gtest.h>
TEST(Smoke, Links) {}
