#include "stats/change_points.h"

#include <gtest/gtest.h>

#include "stats/random.h"

namespace ki::stats {
namespace {

TEST(ChangePoints, AreWhereTheSeriesStaysElsewhere) {
  const std::vector<double> series = {0, 0.001, -0.001, 0, 0.05, 0.051, 0.049, 0.05};
  const auto found = change_points(series, 0.01);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].first, 4U);
  EXPECT_NEAR(found[0].change, 0.05, 1e-9);
}

TEST(ChangePoints, OneOddSessionIsNone) {
  EXPECT_TRUE(change_points(std::vector<double>{0, 0, 0, 0.3, 0, 0, 0}, 0.01).empty());
  EXPECT_TRUE(change_points(std::vector<double>{0, 0, 0, 0.3}, 0.01).empty());  // not yet
  EXPECT_EQ(change_points(std::vector<double>{0, 0, 0, 0.3, 0.3}, 0.01).size(), 1U);
}

TEST(ChangePoints, ThereAndBackAreTwo) {
  const auto found = change_points(std::vector<double>{0, 0, 0, 0.1, 0.1, 0.1, 0, 0, 0}, 0.01);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].first, 3U);
  EXPECT_EQ(found[1].first, 6U);
}

TEST(ChangePoints, NoiseAndSmallSeriesHaveNone) {
  EXPECT_TRUE(change_points({}, 0.01).empty());
  EXPECT_TRUE(change_points(std::vector<double>{0, 1}, 0.01).empty());
  int seen = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    std::vector<double> series;
    for (int i = 0; i < 30; ++i) series.push_back(0.003 * random.normal());
    seen += change_points(series, 0.01).empty() ? 0 : 1;
  }
  EXPECT_LE(seen, 2);
}

}  // namespace
}  // namespace ki::stats
