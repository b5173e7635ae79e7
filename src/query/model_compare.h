// Runs side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_cohort.h"
#include "query/model_common.h"

namespace ki::query {

struct CompareRun {
  static constexpr std::string_view kWireName = "CompareRun";
  std::string run_id;
  std::string run_digest;
  std::string digest;
  Ref implementation;
  Ref project;
  Ref operation;
  std::string workload_label;
  std::string hardware;
  std::optional<Primary> primary;
  std::string evidence;
  std::string status;
  std::string comparison_key;
  std::optional<std::int64_t> rank;
  bool tied_with_previous = false;
  bool shares_rank = false;
  bool eligible = false;
  std::vector<std::string> ineligible_reasons;
  License license;
  std::optional<Install> install;
  bool source_available = false;
  std::string observed_at;
  std::optional<double> ratio;
  std::optional<Interval> ratio_interval;
  template <class V>
  static void describe(V& v) {
    v.field("runId", &CompareRun::run_id, "");
    v.field("runDigest", &CompareRun::run_digest, "");
    v.field("digest", &CompareRun::digest, "");
    v.field("implementation", &CompareRun::implementation, "");
    v.field("project", &CompareRun::project, "");
    v.field("operation", &CompareRun::operation, "");
    v.field("workloadLabel", &CompareRun::workload_label, "");
    v.field("hardware", &CompareRun::hardware, "");
    v.field("primary", &CompareRun::primary, "");
    v.field("evidence", &CompareRun::evidence, "");
    v.field("status", &CompareRun::status, "");
    v.field("comparisonKey", &CompareRun::comparison_key, "");
    v.field("rank", &CompareRun::rank, "among the runs of this comparison");
    v.field("tiedWithPrevious", &CompareRun::tied_with_previous, "");
    v.field("sharesRank", &CompareRun::shares_rank, "another run compared has this rank");
    v.field("eligible", &CompareRun::eligible, "");
    v.field("ineligibleReasons", &CompareRun::ineligible_reasons, "");
    v.field("license", &CompareRun::license, "");
    v.field("install", &CompareRun::install, "");
    v.field("sourceAvailable", &CompareRun::source_available, "");
    v.field("observedAt", &CompareRun::observed_at, "");
    v.field("ratio", &CompareRun::ratio, "this value over the first run's, in one cohort only");
    v.field("ratioInterval", &CompareRun::ratio_interval,
            "the widest that both intervals allow; null where a spread is unknown, and of the "
            "first run");
  }
};

struct CompareField {
  static constexpr std::string_view kWireName = "CompareField";
  std::string field;
  bool material = false;
  std::vector<std::optional<std::string>> values;
  bool differs = false;
  template <class V>
  static void describe(V& v) {
    v.field("field", &CompareField::field, "");
    v.field("material", &CompareField::material, "a difference here forbids a winner");
    v.field("values", &CompareField::values, "one a run, null when unknown");
    v.field("differs", &CompareField::differs, "");
  }
};

// Two to eight runs side by side. Across cohorts nothing wins.
struct Comparison {
  static constexpr std::string_view kWireName = "Comparison";
  bool illustrative = false;
  std::vector<CompareRun> runs;
  bool comparable = false;
  std::optional<std::string> profile;
  std::optional<std::string> comparison_key;
  std::vector<CompareField> fields;
  std::optional<std::string> first_material_mismatch;
  std::string explanation;
  std::vector<std::string> missing_ids;
  std::string policy_version;
  std::optional<Verdict> verdict;
  template <class V>
  static void describe(V& v) {
    v.field("illustrative", &Comparison::illustrative, "");
    v.field("runs", &Comparison::runs, "");
    v.field("comparable", &Comparison::comparable, "");
    v.field("profile", &Comparison::profile, "");
    v.field("comparisonKey", &Comparison::comparison_key, "");
    v.field("fields", &Comparison::fields, "material ones first");
    v.field("firstMaterialMismatch", &Comparison::first_material_mismatch, "");
    v.field("explanation", &Comparison::explanation, "");
    v.field("missingIds", &Comparison::missing_ids, "");
    v.field("policyVersion", &Comparison::policy_version, "");
    v.field("verdict", &Comparison::verdict, "");
  }
};

}  // namespace ki::query
