// The parts of an answer to a trace.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_common.h"

namespace ki::query {

// How much of a trace something holds.
struct TraceShare {
  static constexpr std::string_view kWireName = "TraceShare";
  std::int64_t shapes = 0;
  std::int64_t lines = 0;
  double weight = 0;
  double share = 0;
  template <class V>
  static void describe(V& v) {
    v.field("shapes", &TraceShare::shapes, "different ones");
    v.field("lines", &TraceShare::lines, "");
    v.field("weight", &TraceShare::weight, "");
    v.field("share", &TraceShare::share, "of the weight of all lines, 0 to 1");
  }
};

struct TraceCoverage {
  static constexpr std::string_view kWireName = "TraceCoverage";
  TraceShare exact;
  TraceShare open;
  TraceShare nearest;
  TraceShare unmeasured;
  template <class V>
  static void describe(V& v) {
    v.field("exact", &TraceCoverage::exact, "exactly this was measured");
    v.field("open", &TraceCoverage::open,
            "several measured cases fit: an axis or a dtype is left open");
    v.field("nearest", &TraceCoverage::nearest, "only near cases were measured");
    v.field("unmeasured", &TraceCoverage::unmeasured, "nothing near was measured");
  }
};

struct TraceShape {
  static constexpr std::string_view kWireName = "TraceShape";
  std::int64_t line = 0;
  std::int64_t lines = 0;
  double weight = 0;
  std::map<std::string, std::int64_t> axes;
  std::optional<std::string> hardware;
  std::optional<std::string> dtype;
  std::optional<std::string> pass;
  std::string exactness;
  std::optional<Ref> leader;
  std::optional<Primary> value;
  std::optional<std::string> run_id;
  std::optional<std::string> verdict;
  std::optional<std::string> cohort;
  std::optional<std::string> measured_on;
  std::optional<std::int64_t> other_cohorts;
  std::optional<std::string> nearest;
  template <class V>
  static void describe(V& v) {
    constexpr auto kOptional = json::Presence::optional;
    v.field("line", &TraceShape::line, "the first that asks for it");
    v.field("lines", &TraceShape::lines, "how many ask for it");
    v.field("weight", &TraceShape::weight, "of all of them");
    v.field("axes", &TraceShape::axes, "");
    v.field("hardware", &TraceShape::hardware, "as asked for", kOptional);
    v.field("dtype", &TraceShape::dtype, "as asked for", kOptional);
    v.field("pass", &TraceShape::pass, "as asked for", kOptional);
    v.field("exactness", &TraceShape::exactness, "exact, open, nearest or unmeasured");
    v.field("leader", &TraceShape::leader, "at rank 1 of the group", kOptional);
    v.field("value", &TraceShape::value, "the leader's", kOptional);
    v.field("runId", &TraceShape::run_id, "the leader's", kOptional);
    v.field("verdict", &TraceShape::verdict,
            "winner, tie, not_enough_evidence, only_run or none, as of every ranking", kOptional);
    v.field("cohort", &TraceShape::cohort, "the comparison key of the ranked group", kOptional);
    v.field("measuredOn", &TraceShape::measured_on, "hardware of that group", kOptional);
    v.field("otherCohorts", &TraceShape::other_cohorts,
            "further groups that fit; this one is chosen as a search chooses", kOptional);
    v.field("nearest", &TraceShape::nearest, "the nearest measured case and how far it is",
            kOptional);
  }
};

// One implementation over the whole trace.
struct TraceTotal {
  static constexpr std::string_view kWireName = "TraceTotal";
  Ref implementation;
  std::int64_t shapes = 0;
  double weight = 0;
  std::optional<double> total;
  std::optional<double> ratio;
  std::int64_t lacking = 0;
  std::vector<std::int64_t> lacking_lines;
  template <class V>
  static void describe(V& v) {
    v.field("implementation", &TraceTotal::implementation, "");
    v.field("shapes", &TraceTotal::shapes, "that it was measured for, in the group ranked there");
    v.field("weight", &TraceTotal::weight, "of these shapes");
    v.field("total", &TraceTotal::total,
            "sum of weight times value; null unless every shape has comparable evidence of it");
    v.field("ratio", &TraceTotal::ratio, "its total over the smallest");
    v.field("lacking", &TraceTotal::lacking, "shapes without comparable evidence of it");
    v.field("lackingLines", &TraceTotal::lacking_lines, "the first line of each, at most 20");
  }
};

// A line that could not be used.
struct TraceRefusal {
  static constexpr std::string_view kWireName = "TraceRefusal";
  std::int64_t line = 0;
  std::string reason;
  template <class V>
  static void describe(V& v) {
    v.field("line", &TraceRefusal::line, "");
    v.field("reason", &TraceRefusal::reason, "");
  }
};

}  // namespace ki::query
