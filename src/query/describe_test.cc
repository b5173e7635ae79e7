#include "query/describe.h"

#include <gtest/gtest.h>

namespace ki::query {
namespace {

TEST(Describe, AnIntervalWithoutWidthIsNotShownButTheRankingSeesIt) {
  EXPECT_FALSE(interval_of(5, 5)) << "one timed call, repeated as three quantiles";
  EXPECT_FALSE(interval_of(5, std::nullopt));
  EXPECT_FALSE(interval_of(std::nullopt, 5));
  ASSERT_TRUE(interval_of(4, 5).has_value());
  EXPECT_EQ(interval_of(4, 5)->high, 5);
  ASSERT_TRUE(stated_interval(5, 5).has_value());
  EXPECT_EQ(stated_interval(5, 5)->low, 5);
}

}  // namespace
}  // namespace ki::query
