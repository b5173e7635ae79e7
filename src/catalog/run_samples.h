// The raw samples of a run, in the one form in which the catalog holds their values: an artifact of
// the run with the role kSamplesRole and its content here. docs/formats/samples.md.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/read_run.h"
#include "db/connection.h"
#include "json/wire.h"

namespace ki::catalog {

inline constexpr std::string_view kSamplesRole = "samples";
inline constexpr std::string_view kSamplesMediaType = "application/vnd.kernelindex.samples.v1+json";
inline constexpr std::size_t kRunSamplesMax = 100'000;  // values of one run

struct LaunchSamples {
  static constexpr std::string_view kWireName = "LaunchSamples";
  std::vector<double> values;
  template <class V>
  static void describe(V& v) {
    v.field("values", &LaunchSamples::values, "of one call, in the order they were taken");
  }
};

struct RunSamples {
  static constexpr std::string_view kWireName = "RunSamples";
  std::string metric;                   // "latency"
  std::string unit;                     // "ns"
  double resolution = 0;                // of one reading, in `unit`; 0 = unknown
  std::vector<LaunchSamples> launches;  // those that the statistics of the run are made of
  std::optional<double> call_bytes;     // that one call has to move at least
  std::optional<double> call_flops;     // floating-point operations of one call
  template <class V>
  static void describe(V& v) {
    v.field("metric", &RunSamples::metric, "what was measured, for example latency");
    v.field("unit", &RunSamples::unit, "of the values");
    v.field("resolution", &RunSamples::resolution, "of one reading; 0 when it is unknown");
    v.field("launches", &RunSamples::launches, "those that the statistics are made of");
    v.field("callBytes", &RunSamples::call_bytes,
            "that one call has to move at least; null when unknown");
    v.field("callFlops", &RunSamples::call_flops,
            "floating-point operations of one call; null when not counted");
  }
};

std::string to_content(const RunSamples& samples);

// Errors: Code::invalid, saying what is not as it should be.
Result<RunSamples> samples_of_content(std::string_view content);

// Whether an artifact of a run is its samples, with their values here.
bool holds_samples(const LinkedArtifact& linked);

// Of the run with this id; nullopt when the catalog does not hold their values. Code::internal when
// what it holds is damaged.
Result<std::optional<RunSamples>> read_samples(db::Connection& connection, std::string_view run_id);

}  // namespace ki::catalog
