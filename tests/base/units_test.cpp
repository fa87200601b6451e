#include "base/units.h"

#include <gtest/gtest.h>

namespace seam {
namespace {

TEST(Units, CountsAreGroupedByThousands) {
  EXPECT_EQ(human_count(0), "0");
  EXPECT_EQ(human_count(999), "999");
  EXPECT_EQ(human_count(1000), "1,000");
  EXPECT_EQ(human_count(-1234567), "-1,234,567");
  EXPECT_EQ(human_count(INT64_MIN), "-9,223,372,036,854,775,808");
}

TEST(Units, BytesHaveThreeDigits) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1000), "1.00 kB");
  EXPECT_EQ(human_bytes(9995), "10.0 kB");
  EXPECT_EQ(human_bytes(999499), "999 kB");
  EXPECT_EQ(human_bytes(999500), "1.00 MB");
  EXPECT_EQ(human_bytes(14'024'331'458), "14.0 GB");
  EXPECT_EQ(human_bytes(-2500), "-2.50 kB");
}

TEST(Units, Times) {
  EXPECT_EQ(human_seconds(0.0012), "1.2 ms");
  EXPECT_EQ(human_seconds(0.038), "38 ms");
  EXPECT_EQ(human_seconds(1.2), "1.20 s");
  EXPECT_EQ(human_seconds(125), "2 min 05 s");
  EXPECT_EQ(human_microseconds(9.3), "9.30 us");
  EXPECT_EQ(human_microseconds(1250), "1.25 ms");
}

TEST(Units, APercentageOfNothingIsUnknown) {
  EXPECT_EQ(human_percent(1, 8), "12.5 %");
  EXPECT_EQ(human_percent(0, 0), "unknown");
}

TEST(Units, ExactReadsBack) {
  for (const double value : {0.1, 1.0, 1e300, -2.5, 3.0e-7, 16777217.0}) EXPECT_EQ(std::stod(exact(value)), value);
  EXPECT_EQ(exact(71680), "71680");
}

}  // namespace
}  // namespace seam
