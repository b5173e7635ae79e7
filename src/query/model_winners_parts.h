// The parts of a winner map: its axes, and what its cells are measured under.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_common.h"

namespace ki::query {

struct WinnerAxis {
  static constexpr std::string_view kWireName = "WinnerAxis";
  std::string name;
  std::vector<std::int64_t> values;
  std::vector<std::string> hardware;
  std::int64_t cut = 0;
  template <class V>
  static void describe(V& v) {
    v.field("name", &WinnerAxis::name, "of an axis of the operation, or hardware");
    v.field("values", &WinnerAxis::values, "ascending; empty where it is hardware");
    v.field("hardware", &WinnerAxis::hardware, "where it is hardware: most measured first");
    v.field("cut", &WinnerAxis::cut, "further values that are not shown");
  }
};

// The groups whose figures may be set beside each other: all that is the same but for the axes of
// the map. Cells of two series differ in more than the point they stand at.
struct WinnerSeries {
  static constexpr std::string_view kWireName = "WinnerSeries";
  std::string hardware;
  std::string protocol;
  std::string environment;
  std::vector<std::string> dtypes;
  std::optional<std::string> pass;
  std::string metric;
  std::string unit;
  std::string statistic;
  std::map<std::string, std::int64_t> axes;
  std::string protocol_key;
  std::string environment_key;
  std::int64_t cells = 0;
  template <class V>
  static void describe(V& v) {
    v.field("hardware", &WinnerSeries::hardware, "");
    v.field("protocol", &WinnerSeries::protocol, "");
    v.field("environment", &WinnerSeries::environment, "");
    v.field("dtypes", &WinnerSeries::dtypes, "");
    v.field("pass", &WinnerSeries::pass, "forward, backward or full, where the protocol says so");
    v.field("metric", &WinnerSeries::metric, "");
    v.field("unit", &WinnerSeries::unit, "");
    v.field("statistic", &WinnerSeries::statistic, "");
    v.field("axes", &WinnerSeries::axes, "the other axes of its cases, but for a seed");
    v.field("protocolKey", &WinnerSeries::protocol_key, "");
    v.field("environmentKey", &WinnerSeries::environment_key, "");
    v.field("cells", &WinnerSeries::cells, "of the map that are of this series");
  }
};

}  // namespace ki::query
