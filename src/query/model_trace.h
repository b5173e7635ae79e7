// A trace of shapes that a program asks for, and what is known about each and about all of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_trace_parts.h"

namespace ki::query {

inline constexpr std::size_t kTraceLinesMax = 10'000;
inline constexpr std::int64_t kTraceShapes = 100;             // listed when nothing is said
inline constexpr std::size_t kTraceRefusedListed = 1000;      // the others are counted
inline constexpr std::size_t kTraceImplementationsMax = 200;  // totals that are listed

struct TraceOptions {
  std::int64_t limit = kTraceShapes;  // shapes that are listed, 1 to kTraceLinesMax
};

// One line: a shape that was asked for, and how often or how much it counts.
struct TraceLine {
  static constexpr std::string_view kWireName = "TraceLine";
  std::optional<std::int64_t> line{};
  std::map<std::string, double> axes{};
  std::optional<double> weight{};
  std::optional<std::string> hardware{};
  std::optional<std::string> dtype{};
  std::optional<std::string> pass{};
  template <class V>
  static void describe(V& v) {
    constexpr auto kOptional = json::Presence::optional;
    v.field("line", &TraceLine::line, "what to call it; its place, from 1, when absent", kOptional);
    v.field("axes", &TraceLine::axes, "axis name to size");
    v.field("weight", &TraceLine::weight, "over 0; 1 when absent", kOptional);
    v.field("hardware", &TraceLine::hardware, "instead of that of all lines", kOptional);
    v.field("dtype", &TraceLine::dtype, "instead of that of all lines", kOptional);
    v.field("pass", &TraceLine::pass, "instead of that of all lines", kOptional);
  }
};

// POST /resolve/trace.
struct TraceRequest {
  static constexpr std::string_view kWireName = "TraceRequest";
  std::string operation{};
  std::optional<std::string> hardware{};
  std::optional<std::string> dtype{};
  std::optional<std::string> pass{};
  std::optional<std::string> metric{};
  std::vector<TraceLine> lines{};
  template <class V>
  static void describe(V& v) {
    constexpr auto kOptional = json::Presence::optional;
    v.field("operation", &TraceRequest::operation, "slug, id or digest");
    v.field("hardware", &TraceRequest::hardware, "of every line that names none", kOptional);
    v.field("dtype", &TraceRequest::dtype, "of every line that names none", kOptional);
    v.field("pass", &TraceRequest::pass, "of every line that names none", kOptional);
    v.field("metric", &TraceRequest::metric, "latency, peak_memory, ...", kOptional);
    v.field("lines", &TraceRequest::lines, "1 to 10000 of them");
  }
};

// What is outside of the limits of the whole; what is wrong with single lines sets these aside.
Issues faults_of(const TraceRequest& request);

struct TraceAnswer {
  static constexpr std::string_view kWireName = "TraceAnswer";
  std::string generated_at;
  std::string policy_version;
  Ref operation;
  std::int64_t lines = 0;
  double weight = 0;
  TraceCoverage coverage;
  std::int64_t shapes_total = 0;
  std::vector<TraceShape> shapes;
  bool comparable = false;
  std::vector<Reason> incomparable_because;
  std::optional<double> best_of_each_shape;
  std::optional<std::string> unit;
  std::int64_t implementations_total = 0;
  std::vector<TraceTotal> implementations;
  std::int64_t refused_total = 0;
  std::vector<TraceRefusal> refused;
  std::vector<std::string> notes;
  template <class V>
  static void describe(V& v) {
    v.field("generatedAt", &TraceAnswer::generated_at, "");
    v.field("policyVersion", &TraceAnswer::policy_version, "ranking policy");
    v.field("operation", &TraceAnswer::operation, "");
    v.field("lines", &TraceAnswer::lines, "that could be used");
    v.field("weight", &TraceAnswer::weight, "of these lines");
    v.field("coverage", &TraceAnswer::coverage, "how much of them has an answer");
    v.field("shapesTotal", &TraceAnswer::shapes_total, "different ones among the lines");
    v.field("shapes", &TraceAnswer::shapes, "the first of them, in the order of the lines");
    v.field("comparable", &TraceAnswer::comparable,
            "every shape has an exact answer, and all of one hardware, protocol, environment "
            "family, metric and pass: only then there are totals");
    v.field("incomparableBecause", &TraceAnswer::incomparable_because, "what stands against it");
    v.field("bestOfEachShape", &TraceAnswer::best_of_each_shape,
            "the weighted total of taking each shape's leader; null without totals");
    v.field("unit", &TraceAnswer::unit, "of the totals");
    v.field("implementationsTotal", &TraceAnswer::implementations_total, "measured for any shape");
    v.field("implementations", &TraceAnswer::implementations,
            "the smallest total first, then those that lack shapes, most weight first");
    v.field("refusedTotal", &TraceAnswer::refused_total, "lines that could not be used");
    v.field("refused", &TraceAnswer::refused, "the first 1000 of them");
    v.field("notes", &TraceAnswer::notes, "");
  }
};

}  // namespace ki::query
