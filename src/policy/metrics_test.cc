#include "policy/metrics.h"

#include <set>

#include <gtest/gtest.h>

namespace ki::policy {
namespace {

TEST(Metrics, AreFoundByNameAndUnitTogether) {
  ASSERT_TRUE(find_metric("latency", "ns").has_value());
  EXPECT_EQ(find_metric("latency", "ns")->direction, Direction::lower);
  EXPECT_EQ(find_metric("score", "s")->direction, Direction::lower);
  EXPECT_EQ(find_metric("output_token_throughput_tps", "tokens_s")->direction, Direction::higher);
  EXPECT_FALSE(find_metric("score", "points").has_value());
  EXPECT_FALSE(find_metric("latency", "bytes").has_value());
  EXPECT_FALSE(find_metric("", "").has_value());
}

TEST(Metrics, EachPairIsRegisteredOnceWithAUnitAManifestCanCarry) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const Metric& metric : all_metrics()) {
    EXPECT_TRUE(seen.emplace(metric.name, metric.unit).second) << metric.name;
    EXPECT_EQ(metric.unit.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"),
              std::string_view::npos)
        << metric.unit;
    EXPECT_FALSE(metric.meaning.empty()) << metric.name;
  }
}

TEST(Metrics, BetterFollowsTheDirectionAndIsStrict) {
  EXPECT_TRUE(better(Direction::lower, 1, 2));
  EXPECT_TRUE(better(Direction::higher, 2, 1));
  EXPECT_FALSE(better(Direction::lower, 1, 1));
  EXPECT_FALSE(better(Direction::higher, 1, 1));
}

TEST(Resolution, IsKnownForCudaEventsOnly) {
  EXPECT_DOUBLE_EQ(resolution_of("cuda_events", "ns"), 500);
  EXPECT_DOUBLE_EQ(resolution_of("cuda_events", "s"), 5e-7);
  EXPECT_EQ(resolution_of("cuda_events", "bytes"), 0);
  EXPECT_EQ(resolution_of("wall_clock", "ns"), 0);
}

}  // namespace
}  // namespace ki::policy
