#include "web/svg_axis.h"

#include <cmath>
#include <limits>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace ki::web::svg {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// What every axis keeps, whatever it was made of.
void expect_sound(const std::vector<double>& values, const AxisOptions& options) {
  const Axis axis = Axis::of(values, options);
  const std::vector<double>& ticks = axis.ticks();
  ASSERT_GE(ticks.size(), 2U);
  ASSERT_LE(ticks.size(), kTicksMax);
  std::set<std::string> texts;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    ASSERT_TRUE(std::isfinite(ticks[i]));
    if (i > 0) {
      EXPECT_LT(ticks[i - 1], ticks[i]);
    }
    EXPECT_TRUE(texts.insert(axis.text(ticks[i])).second) << axis.text(ticks[i]) << " twice";
  }
  for (const double value : values) {
    const double share = axis.share(value);
    EXPECT_GE(share, 0);
    EXPECT_LE(share, 1);
    if (!std::isfinite(value) || std::abs(value) > 1e200) continue;
    const double slack = std::abs(value) * 1e-12;
    EXPECT_LE(ticks.front(), value + slack);
    EXPECT_GE(ticks.back(), value - slack);
    if (axis.logarithmic()) {
      EXPECT_GT(ticks.front(), 0);
    }
  }
  for (const double other : {kNone, kInfinity, -kInfinity, 0.0, -1.0}) {
    EXPECT_TRUE(axis.share(other) >= 0 && axis.share(other) <= 1) << other;
  }
}

TEST(Axis, ItsTicksRiseAndCoverWhateverItIsMadeOf) {
  const unsigned seed = 20'261'130;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> power(-9, 12);
  std::uniform_real_distribution<double> spread(0, 1);
  for (int round = 0; round < 3000; ++round) {
    const double base = std::pow(10.0, power(random));
    const double width = std::pow(10.0, 12 * spread(random) - 10);
    std::vector<double> values(1 + random() % 20);
    for (double& value : values) value = base * (1 + width * spread(random));
    if (round % 5 == 0) values.push_back(std::pow(10.0, power(random)));
    if (round % 7 == 0) values.push_back(0);
    if (round % 11 == 0) values.push_back(-base);
    if (round % 13 == 0) values.push_back(round % 2 == 0 ? kNone : kInfinity);
    SCOPED_TRACE(round);
    for (const std::string_view unit : {"", "ns", "s", "bytes", "tokens_s"}) {
      expect_sound(values, {.unit = unit, .from_zero = round % 2 == 0});
      if (HasFailure()) return;
    }
  }
}

TEST(Axis, IsSoundAtTheEdges) {
  const std::vector<std::vector<double>> edges = {{},
                                                  {0},
                                                  {5},
                                                  {5, 5, 5},
                                                  {0, 0},
                                                  {kNone},
                                                  {kInfinity, -kInfinity},
                                                  {kNone, 3},
                                                  {1e-9, 1e12},
                                                  {1e12, 1e12 + 1e-3},
                                                  {-1e12, 1e12},
                                                  {-5, -4},
                                                  {1e308, -1e308},
                                                  {5e-324, 1},
                                                  {1e-300, 1e300},
                                                  {19.999, 400},
                                                  {1, 20.0000001}};
  for (const auto& values : edges) {
    for (const bool from_zero : {false, true}) {
      SCOPED_TRACE(::testing::PrintToString(values));
      expect_sound(values, {.unit = "ns", .from_zero = from_zero});
      expect_sound(values, {.from_zero = from_zero, .logarithmic = false});
    }
  }
}

TEST(Axis, StartsAtZeroUnlessTheValuesSpanTooMuch) {
  const std::vector<double> near = {10, 20};
  EXPECT_FALSE(Axis::of(near, {}).logarithmic());
  EXPECT_NEAR(Axis::of(near, {}).share(20) / Axis::of(near, {}).share(10), 2, 1e-9);
  EXPECT_EQ(Axis::of(near, {.from_zero = false}).ticks().front(), 10);
  const std::vector<double> far = {10, 2000};
  EXPECT_TRUE(Axis::of(far, {}).logarithmic());
  EXPECT_FALSE(Axis::of(far, {.logarithmic = false}).logarithmic());
}

TEST(Axis, ReadsInOneUnitUnlessItIsLogarithmic) {
  const std::vector<double> near = {2.4e6, 15.1e6};
  const Axis linear = Axis::of(near, {.unit = "ns"});
  EXPECT_EQ(linear.unit(), "ms");
  EXPECT_EQ(linear.text(linear.ticks()[1]), "5 ms");
  EXPECT_EQ(linear.number(linear.ticks()[1]), "5");
  const std::vector<double> far = {2.4e3, 15.1e6};
  const Axis logarithmic = Axis::of(far, {.unit = "ns"});
  EXPECT_EQ(logarithmic.unit(), "");
  EXPECT_EQ(logarithmic.text(logarithmic.ticks().front()), "2 µs");
  EXPECT_EQ(logarithmic.number(logarithmic.ticks().back()), "20 ms");
  const std::vector<double> memory = {1536.0 * 1024 * 1024, 0};
  EXPECT_EQ(Axis::of(memory, {.unit = "bytes"}).unit(), "GiB");
}

}  // namespace
}  // namespace ki::web::svg
