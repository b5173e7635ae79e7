#include "query/crossings.h"

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ki::query {
namespace {

SweepSeries line(const std::string& name, const std::vector<std::pair<double, double>>& points) {
  SweepSeries out{.implementation = {.name = name, .slug = name}, .points = {}};
  for (const auto& [x, value] : points) {
    out.points.push_back({.x = x, .value = value, .workload_id = {}, .run_id = {}});
  }
  return out;
}

std::string text(const std::vector<SweepCrossing>& all) {
  std::string out;
  for (const SweepCrossing& one : all) {
    out += fmt::format(
        "{}..{} {} then {}{}; ", one.from, one.to, one.lower_before.name, one.lower_after.name,
        one.unmeasured_between > 0 ? fmt::format(" (+{})", one.unmeasured_between) : std::string());
  }
  return out;
}

TEST(Crossings, StandBetweenTheMeasuredNeighboursWhoseOrderTurns) {
  const std::vector<double> cases = {1, 2, 4, 8};
  const std::vector<SweepSeries> lines = {line("a", {{1, 10}, {2, 20}, {4, 40}, {8, 80}}),
                                          line("b", {{1, 30}, {2, 25}, {4, 30}, {8, 90}})};
  EXPECT_EQ(text(crossings_of(lines, cases)), "2..4 a then b; 4..8 b then a; ");
}

TEST(Crossings, SayHowMuchBetweenThemNobodyMeasuredOfBoth) {
  const std::vector<double> cases = {1, 2, 4, 8};
  const std::vector<SweepSeries> lines = {line("a", {{1, 10}, {2, 1}, {8, 80}}),
                                          line("b", {{1, 30}, {4, 30}, {8, 70}})};
  EXPECT_EQ(text(crossings_of(lines, cases)), "1..8 a then b (+2); ");
}

TEST(Crossings, EqualValuesTurnNothing) {
  const std::vector<double> cases = {1, 2, 4};
  const std::vector<SweepSeries> touch = {line("a", {{1, 1}, {2, 5}, {4, 8}}),
                                          line("b", {{1, 2}, {2, 5}, {4, 9}})};
  EXPECT_EQ(text(crossings_of(touch, cases)), "");
  const std::vector<SweepSeries> cross = {line("a", {{1, 1}, {2, 5}, {4, 9}}),
                                          line("b", {{1, 2}, {2, 5}, {4, 8}})};
  EXPECT_EQ(text(crossings_of(cross, cases)), "1..4 a then b; ");
}

TEST(Crossings, AreBoundedAndInOrder) {
  std::mt19937 random(7);
  std::vector<SweepSeries> lines;
  std::vector<double> cases;
  for (int x = 0; x < 200; ++x) cases.push_back(x);
  for (int i = 0; i < 8; ++i) {
    SweepSeries& one = lines.emplace_back(line(std::string(1, static_cast<char>('a' + i)), {}));
    for (const double x : cases) {
      one.points.push_back(
          {.x = x, .value = static_cast<double>(random() % 9), .workload_id = {}, .run_id = {}});
    }
  }
  const auto all = crossings_of(lines, cases);
  EXPECT_EQ(all.size(), kCrossingsMax);
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &SweepCrossing::from));
  for (const SweepCrossing& one : all) {
    EXPECT_LT(one.from, one.to);
    EXPECT_NE(one.lower_before.slug, one.lower_after.slug);
  }
}

}  // namespace
}  // namespace ki::query
