// One example of each chart, whole. KI_UPDATE_GOLDEN=1 rewrites the files; the difference is read,
// and looked at in a browser.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/places.h"
#include "web/chart_testing.h"

namespace ki::web::svg {
namespace {

namespace fs = std::filesystem;

void expect_golden(std::string_view name, const Html& chart) {
  const fs::path path = places::source_dir() / "tests/golden/web" / (std::string(name) + ".html");
  // A line an element, so that a difference can be read.
  std::string actual;
  for (const char c : chart.text()) {
    if (c == '<' && !actual.empty()) actual += '\n';
    actual += c;
  }
  actual += '\n';
  if (std::getenv("KI_UPDATE_GOLDEN") != nullptr) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << actual;
  }
  std::ifstream in(path);
  const std::string expected{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(actual, expected) << "KI_UPDATE_GOLDEN=1 rewrites " << path;
}

TEST(ChartGolden, Cohort) {
  const auto samples = testing::example_samples();
  const auto marks = testing::example_marks(samples);
  const Scale scale = Scale::of(marks);
  Html rows;
  for (const Mark& mark : marks) rows.add("{}", strip(scale, mark));
  expect_golden("chart_cohort",
                dot_plot({.marks = marks, .unit = "ns"},
                         {.title = "Median latency of RoPE on NVIDIA H100", .id = "cohort"}));
  expect_golden("chart_strips", rows);
}

TEST(ChartGolden, Samples) {
  const auto values = testing::example_samples();
  expect_golden(
      "chart_samples",
      samples_chart(
          {.values = values,
           .unit = "ns",
           .metric = "latency",
           .median = 15.09e6,
           .spread = query::Interval{.low = 15.03e6, .high = 15.16e6},
           .trend = query::SampleTrend{.first = 15.02e6, .last = 15.13e6, .drifts = true},
           .modes = query::SampleModes{.low = 15.07e6, .high = 15.5e6, .share_high = 17.0 / 120}},
          {.title = "120 samples of Liger", .id = "samples"}));
}

TEST(ChartGolden, Scaling) {
  query::Sweep sweep = testing::example_sweep();
  expect_golden("chart_scaling", scaling_chart(sweep, {.title = "RoPE over seq", .id = "scaling"}));
  for (const double x : sweep.cases)
    sweep.work.push_back({.x = x, .bytes = x * 0.7e6, .flops = {}});
  expect_golden("chart_rates", rate_chart(sweep, {.unit = "bytes_s", .peak = 3.35e12},
                                          {.title = "RoPE over seq, as traffic", .id = "rates"}));
}

TEST(ChartGolden, Winners) {
  expect_golden("chart_winners",
                winner_map(testing::example_map(), {.title = "Who leads RoPE", .id = "winners"}));
}

TEST(ChartGolden, Records) {
  expect_golden("chart_records",
                record_staircase(testing::example_holder(),
                                 {.title = "Record of RoPE on NVIDIA H100", .id = "records"}));
  expect_golden("chart_steps", record_steps(testing::example_holder()));
}

TEST(ChartGolden, Compare) {
  const query::Comparison comparison = testing::example_comparison();
  const auto samples = testing::example_samples();
  std::vector<double> slower;
  for (const double value : samples) slower.push_back(value * 1.55);
  expect_golden("chart_compare",
                distributions_chart(comparison, {samples, slower},
                                    {.title = "Values of the compared runs", .id = "compare"}));
  expect_golden("chart_ratio", ratio_chart(comparison, {.title = "Times Liger", .id = "ratio"}));
}

}  // namespace
}  // namespace ki::web::svg
