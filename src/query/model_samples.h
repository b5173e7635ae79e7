// The raw samples of one run and what they look like.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/run_samples.h"
#include "query/model_common.h"

namespace ki::query {

// The line fitted through all samples in order (Theil and Sen).
struct SampleTrend {
  static constexpr std::string_view kWireName = "SampleTrend";
  double first = 0;
  double last = 0;
  bool drifts = false;
  template <class V>
  static void describe(V& v) {
    v.field("first", &SampleTrend::first, "the fitted value at the first sample");
    v.field("last", &SampleTrend::last, "and at the last");
    v.field("drifts", &SampleTrend::drifts, "they are more than 1 % of the median apart");
  }
};

struct SampleModes {
  static constexpr std::string_view kWireName = "SampleModes";
  double low = 0;
  double high = 0;
  double share_high = 0;
  template <class V>
  static void describe(V& v) {
    v.field("low", &SampleModes::low, "median of the lower one");
    v.field("high", &SampleModes::high, "median of the upper one");
    v.field("shareHigh", &SampleModes::share_high, "of the samples, 0 to 1");
  }
};

// Everything but `samples` is worked out from them: docs/method/statistics.md.
struct SamplesReport {
  static constexpr std::string_view kWireName = "SamplesReport";
  std::string run_id;
  std::string run_digest;
  catalog::RunSamples samples;
  std::int64_t count = 0;
  double median = 0;
  std::optional<Interval> spread;
  double mad = 0;
  SampleTrend trend;
  std::optional<SampleModes> modes;
  std::optional<double> bytes_per_s;
  std::optional<double> flops_per_s;
  template <class V>
  static void describe(V& v) {
    v.field("runId", &SamplesReport::run_id, "");
    v.field("runDigest", &SamplesReport::run_digest, "");
    v.field("samples", &SamplesReport::samples, "");
    v.field("count", &SamplesReport::count, "of all launches");
    v.field("median", &SamplesReport::median, "");
    v.field("spread", &SamplesReport::spread, "p20 to p80; null when all samples are equal");
    v.field("mad", &SamplesReport::mad, "median absolute deviation from the median, unscaled");
    v.field("trend", &SamplesReport::trend, "");
    v.field("modes", &SamplesReport::modes, "null unless the samples fall into two modes");
    v.field("bytesPerS", &SamplesReport::bytes_per_s,
            "bytes that one call has to move, over the median; null when unknown");
    v.field("flopsPerS", &SamplesReport::flops_per_s,
            "operations of one call, over the median; null when not counted");
  }
};

}  // namespace ki::query
