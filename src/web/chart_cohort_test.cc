#include <gtest/gtest.h>

#include "web/svg.h"

namespace ki::web::svg {
namespace {

TEST(Scale, StartsAtZeroUnlessTheValuesSpanTooMuch) {
  const std::vector<Mark> near = {{.label = "a", .value = 10}, {.label = "b", .value = 20}};
  EXPECT_FALSE(Scale::of(near).logarithmic());
  EXPECT_NEAR(Scale::of(near).percent(20) / Scale::of(near).percent(10), 2, 1e-9);
  const std::vector<Mark> far = {{.label = "a", .value = 10}, {.label = "b", .value = 2000}};
  EXPECT_TRUE(Scale::of(far).logarithmic());
}

TEST(Scale, HoldsEveryValueAndItsTicks) {
  for (const double top : {1.0, 3.7, 24e6, 5e9, 1e-3}) {
    for (const double ratio : {1.0, 5.0, 1e5}) {
      const std::vector<Mark> marks = {{.label = "a", .value = top},
                                       {.label = "b", .value = top / ratio}};
      const Scale scale = Scale::of(marks);
      const auto ticks = scale.ticks();
      EXPECT_GE(ticks.size(), 1U);
      EXPECT_LE(ticks.size(), 7U);
      EXPECT_TRUE(std::ranges::is_sorted(ticks));
      EXPECT_LE(scale.percent(top), 100);
      EXPECT_GE(scale.percent(top / ratio), 0);
    }
  }
}

TEST(Scale, NothingToShowIsNoFault) {
  EXPECT_EQ(Scale::of({}).percent(0), 0);
  const std::vector<Mark> zero = {{.label = "a", .value = 0}};
  EXPECT_EQ(Scale::of(zero).percent(0), 0);
}

std::string plot(std::span<const Mark> marks, std::string_view title) {
  return std::string(
      dot_plot({.marks = marks, .unit = "ns"}, {.title = title, .id = "values"}).text());
}

TEST(DotPlot, DrawsUnknownSpreadHollowAndSaysSo) {
  const std::vector<Mark> marks = {{.label = "known",
                                    .value = 15.1e6,
                                    .interval = query::Interval{.low = 15e6, .high = 15.2e6},
                                    .leader = true},
                                   {.label = "<unknown>", .value = 24.1e6}};
  const std::string html = plot(marks, "latency of x");
  EXPECT_NE(html.find(R"(<title id="values-title">latency of x</title>)"), std::string::npos);
  EXPECT_NE(html.find("24.1 ms<tspan class=\"chart-wide\">, spread unknown"), std::string::npos);
  EXPECT_NE(html.find("15.0 ms to 15.2 ms"), std::string::npos);
  EXPECT_NE(html.find("&lt;unknown&gt;"), std::string::npos);
  EXPECT_NE(html.find("dot hollow"), std::string::npos);
  EXPECT_EQ(html.find("style="), std::string::npos);
}

TEST(DotPlot, StaysSmall) {
  const std::vector<Mark> marks(500, Mark{.label = "implementation", .value = 1e6});
  EXPECT_LT(plot(marks, "many").size(), 30U * 1024);
}

}  // namespace
}  // namespace ki::web::svg
