// The raw samples of one run: over time, and how often each value came. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "query/model_samples.h"
#include "web/html.h"
#include "web/svg_frame.h"

namespace ki::web::svg {

// What is stated about the samples is not worked out here.
struct SampleSet {
  std::span<const double> values;  // in the order they were taken
  std::string_view unit;           // as in the API ("ns")
  std::string_view metric;         // "latency"
  std::optional<double> median = {};
  std::optional<query::Interval> spread = {};  // p20 to p80
  std::optional<query::SampleTrend> trend = {};
  std::optional<query::SampleModes> modes = {};
};

// Samples in order above their histogram. Above kPointsMax samples each dot is the median of as
// many neighbours as it takes, and a note says so. Empty without a finite sample.
Html samples_chart(const SampleSet& samples, const ChartName& name);

// ---- what is drawn; for tests and for the table

// Neighbours put together: their median, least and largest.
struct SamplePoint {
  std::size_t first = 0;  // position of the first sample, from 0
  std::size_t count = 0;
  double median = 0;
  double least = 0;
  double most = 0;
};
std::vector<SamplePoint> points_of(std::span<const double> values, std::size_t points_max);

// Bins of one round width that cover every finite value: about twice the root of their number, 1 to
// `bins_max`.
struct Bin {
  double low = 0;
  double high = 0;  // a value on an edge counts upwards, but for the last
  std::size_t count = 0;
};
inline constexpr std::size_t kBinsMax = 40;
std::vector<Bin> bins_of(std::span<const double> values, std::size_t bins_max = kBinsMax);

}  // namespace ki::web::svg
