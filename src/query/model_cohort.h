// Cohorts, what may be claimed about them, and index entries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_common.h"

namespace ki::query {

// The leading run of a cohort.
struct Head {
  static constexpr std::string_view kWireName = "Head";
  std::string run_id;
  Ref implementation;
  Primary primary;
  template <class V>
  static void describe(V& v) {
    v.field("runId", &Head::run_id, "");
    v.field("implementation", &Head::implementation, "");
    v.field("primary", &Head::primary, "");
  }
};

// The runs that one ranking compares: same operation, workload, protocol, environment, correctness
// policy and metric.
struct Cohort {
  static constexpr std::string_view kWireName = "Cohort";
  std::string comparison_key;
  std::string profile;
  std::string description;
  std::vector<KeyValue> facts;
  std::int64_t runs = 0;
  std::optional<std::string> pass;    // forward, backward, full
  std::optional<std::string> metric;  // of its values
  std::optional<std::string> unit;
  template <class V>
  static void describe(V& v) {
    v.field("comparisonKey", &Cohort::comparison_key, "");
    v.field("profile", &Cohort::profile, "source_native or strict_exact");
    v.field("description", &Cohort::description, "");
    v.field("facts", &Cohort::facts, "GPU, workload, CUDA, driver, framework, protocol");
    v.field("runs", &Cohort::runs, "ranked runs of the whole cohort");
    v.field("pass", &Cohort::pass, "forward, backward or full, where the protocol says so");
    v.field("metric", &Cohort::metric, "what its values are; null without values");
    v.field("unit", &Cohort::unit, "of its values");
  }
};

// Another cohort of the same workload.
struct CohortOption {
  static constexpr std::string_view kWireName = "CohortOption";
  std::string key;
  std::string label;
  std::int64_t runs = 0;
  std::optional<Head> head;
  std::string hardware;
  std::optional<std::string> pass;
  std::optional<std::string> metric;
  std::string protocol;
  bool satisfies = false;
  std::string query;
  template <class V>
  static void describe(V& v) {
    v.field("key", &CohortOption::key, "");
    v.field("label", &CohortOption::label,
            "hardware model, then pass and metric where they differ, numbered when still shared");
    v.field("runs", &CohortOption::runs, "");
    v.field("head", &CohortOption::head, "fastest run");
    v.field("hardware", &CohortOption::hardware, "");
    v.field("pass", &CohortOption::pass, "forward, backward or full, where the protocol says so");
    v.field("metric", &CohortOption::metric, "");
    v.field("protocol", &CohortOption::protocol, "");
    v.field("satisfies", &CohortOption::satisfies, "holds a run that meets every condition");
    v.field("query", &CohortOption::query, "the request narrowed to this cohort");
  }
};

// What may be claimed about a cohort's leader.
struct Verdict {
  static constexpr std::string_view kWireName = "Verdict";
  std::string code;
  std::string text;
  std::vector<std::string> run_ids;
  template <class V>
  static void describe(V& v) {
    v.field("code", &Verdict::code, "winner, tie, not_enough_evidence, only_run or none");
    v.field("text", &Verdict::text, "one sentence");
    v.field("runIds", &Verdict::run_ids,
            "the winner, the tied runs, or the runs whose evidence is missing");
  }
};

struct BestValue {
  static constexpr std::string_view kWireName = "BestValue";
  double value = 0;
  std::string unit;
  template <class V>
  static void describe(V& v) {
    v.field("value", &BestValue::value, "");
    v.field("unit", &BestValue::unit, "");
  }
};

// How many runs of an offered operation satisfy the hardware, CUDA and dtype facets.
struct EntryMatch {
  static constexpr std::string_view kWireName = "EntryMatch";
  std::int64_t matching = 0;
  std::int64_t with_source = 0;
  std::optional<BestValue> best;
  std::string facet_label;
  template <class V>
  static void describe(V& v) {
    v.field("matching", &EntryMatch::matching, "");
    v.field("withSource", &EntryMatch::with_source, "");
    v.field("best", &EntryMatch::best, "");
    v.field("facetLabel", &EntryMatch::facet_label, "");
  }
};

// One operation in a chooser or in the index.
struct IndexEntry {
  static constexpr std::string_view kWireName = "IndexEntry";
  std::string name;
  std::string slug;
  std::string family;
  std::vector<std::string> aliases;
  std::int64_t runs = 0;
  std::optional<std::string> last_observed_at;
  std::optional<EntryMatch> match;
  std::string query;
  template <class V>
  static void describe(V& v) {
    v.field("name", &IndexEntry::name, "");
    v.field("slug", &IndexEntry::slug, "");
    v.field("family", &IndexEntry::family, "");
    v.field("aliases", &IndexEntry::aliases, "");
    v.field("runs", &IndexEntry::runs, "eligible runs");
    v.field("lastObservedAt", &IndexEntry::last_observed_at, "");
    v.field("match", &IndexEntry::match, "only with a hardware, CUDA or dtype facet");
    v.field("query", &IndexEntry::query, "the request narrowed to this operation; empty elsewhere");
  }
};

}  // namespace ki::query
