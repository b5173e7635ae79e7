// How a query was read, and the measured neighbours of a case nobody measured.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/wire.h"
#include "query/model_cohort.h"
#include "query/model_common.h"
#include "query/model_row.h"

namespace ki::query {

enum class Mode { exact, chooser, browse, none };
inline std::span<const std::string_view> words(Mode) {
  static constexpr std::string_view kWords[] = {"exact", "chooser", "browse", "none"};
  return kWords;
}

// How one word of the query was read.
struct Reading {
  static constexpr std::string_view kWireName = "Reading";
  std::string token;
  std::string kind;
  std::string meaning;
  std::vector<std::string> alternatives;
  std::string display;
  std::string query_without;
  template <class V>
  static void describe(V& v) {
    v.field("token", &Reading::token, "as typed");
    v.field("kind", &Reading::kind,
            "operation, gpu, architecture, dtype, axis, shape, ...; ignored; issue");
    v.field("meaning", &Reading::meaning, "what it was taken for");
    v.field("alternatives", &Reading::alternatives,
            "every reading of an ambiguous word; empty otherwise");
    v.field("display", &Reading::display, "the chip text; empty for words of the operation name");
    v.field("queryWithout", &Reading::query_without, "the query with this word removed");
  }
};

// A word that could not be used, and why.
struct QueryIssue {
  static constexpr std::string_view kWireName = "QueryIssue";
  std::string token;
  std::string code;
  std::string message;
  std::optional<std::string> hint;
  std::vector<std::string> known;
  template <class V>
  static void describe(V& v) {
    v.field("token", &QueryIssue::token, "");
    v.field("code", &QueryIssue::code, "unknown_filter, range, unknown_value, ...");
    v.field("message", &QueryIssue::message, "");
    v.field("hint", &QueryIssue::hint, "the nearest known filter or value");
    v.field("known", &QueryIssue::known, "the accepted filters or values");
  }
};

// One condition of the request and what became of it.
struct FacetUse {
  static constexpr std::string_view kWireName = "FacetUse";
  std::string name;
  std::string requested;
  std::string state;
  std::string text;
  template <class V>
  static void describe(V& v) {
    v.field("name", &FacetUse::name, "gpu, dtype, axes.tokens, ...");
    v.field("requested", &FacetUse::requested, "");
    v.field("state", &FacetUse::state, "applied, steered or refused");
    v.field("text", &FacetUse::text, "one sentence");
  }
};

// A measured case beside the one asked for.
struct Near {
  static constexpr std::string_view kWireName = "Near";
  std::string workload_id;
  std::string label;
  double value = 0;
  std::int64_t runs = 0;
  std::optional<Head> head;
  std::optional<std::string> cohort_key;
  std::string query;
  template <class V>
  static void describe(V& v) {
    v.field("workloadId", &Near::workload_id, "");
    v.field("label", &Near::label, "");
    v.field("value", &Near::value, "of the axis");
    v.field("runs", &Near::runs, "runs that satisfy the other facets");
    v.field("head", &Near::head, "");
    v.field("cohortKey", &Near::cohort_key, "");
    v.field("query", &Near::query, "the request rewritten for this case");
  }
};

struct AxisDistance {
  static constexpr std::string_view kWireName = "AxisDistance";
  std::string axis;
  double requested = 0;
  double observed = 0;
  double ratio = 0;
  template <class V>
  static void describe(V& v) {
    v.field("axis", &AxisDistance::axis, "");
    v.field("requested", &AxisDistance::requested, "");
    v.field("observed", &AxisDistance::observed, "");
    v.field("ratio", &AxisDistance::ratio, "observed over requested; 0 when that is undefined");
  }
};

// A measured case that differs in one axis or more.
struct NearCase {
  static constexpr std::string_view kWireName = "NearCase";
  std::string workload_id;
  std::string label;
  std::vector<AxisDistance> differs;
  double distance = 0;
  std::string distance_text;
  std::int64_t runs = 0;
  std::optional<Head> head;
  std::optional<std::string> cohort_key;
  std::string query;
  template <class V>
  static void describe(V& v) {
    v.field("workloadId", &NearCase::workload_id, "");
    v.field("label", &NearCase::label, "");
    v.field("differs", &NearCase::differs, "");
    v.field("distance", &NearCase::distance,
            "sum over the differing axes of |log2(observed / requested)|");
    v.field("distanceText", &NearCase::distance_text,
            "each axis asked for, in words: tokens 2x, hidden equal");
    v.field("runs", &NearCase::runs, "");
    v.field("head", &NearCase::head, "");
    v.field("cohortKey", &NearCase::cohort_key, "");
    v.field("query", &NearCase::query, "");
  }
};

// The neighbours of a case along one axis, everything else as it was asked for.
struct NearAxis {
  static constexpr std::string_view kWireName = "NearAxis";
  std::string axis;
  double requested = 0;
  std::optional<Near> below;
  std::optional<Near> above;
  template <class V>
  static void describe(V& v) {
    v.field("axis", &NearAxis::axis, "");
    v.field("requested", &NearAxis::requested, "");
    v.field("below", &NearAxis::below, "");
    v.field("above", &NearAxis::above, "");
  }
};

// Measured neighbours of a case nobody measured. Values are measured, never interpolated.
struct Nearest {
  static constexpr std::string_view kWireName = "Nearest";
  std::string axis;
  double requested = 0;
  std::optional<Near> below;
  std::optional<Near> above;
  std::vector<NearAxis> axes;
  std::vector<NearCase> cases;
  template <class V>
  static void describe(V& v) {
    v.field("axis", &Nearest::axis, "");
    v.field("requested", &Nearest::requested, "");
    v.field("below", &Nearest::below, "");
    v.field("above", &Nearest::above, "");
    v.field(
        "axes", &Nearest::axes,
        "the neighbours on each single axis, the axis with most measured cases, which is the one "
        "above, first");
    v.field("cases", &Nearest::cases, "closest first, over all axes");
  }
};

}  // namespace ki::query
