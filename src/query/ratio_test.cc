#include "query/ratio.h"

#include <gtest/gtest.h>

namespace ki::query {
namespace {

Primary of(double low, double value, double high) {
  return {.metric = "latency",
          .unit = "ns",
          .statistic = "median",
          .value = value,
          .sample_count = 100,
          .uncertainty = std::nullopt,
          .spread = Interval{.low = low, .high = high}};
}

TEST(RatioInterval, IsTheWidestThatBothIntervalsAllow) {
  const auto wide = ratio_interval(of(180, 200, 220), of(90, 100, 110));
  ASSERT_TRUE(wide);
  EXPECT_DOUBLE_EQ(wide->low, 180.0 / 110);
  EXPECT_DOUBLE_EQ(wide->high, 220.0 / 90);
}

TEST(RatioInterval, IsUnknownWhereEitherSpreadIs) {
  Primary unknown = of(90, 100, 110);
  unknown.spread = std::nullopt;
  EXPECT_FALSE(ratio_interval(unknown, of(90, 100, 110)));
  EXPECT_FALSE(ratio_interval(of(90, 100, 110), unknown));
  EXPECT_FALSE(ratio_interval(of(100, 100, 100), of(90, 100, 110))) << "three equal quantiles";
  EXPECT_FALSE(ratio_interval(of(90, 100, 110), of(0, 100, 110))) << "the base may be nothing";
  Primary seconds = of(90, 100, 110);
  seconds.unit = "s";
  EXPECT_FALSE(ratio_interval(seconds, of(90, 100, 110)));
}

}  // namespace
}  // namespace ki::query
