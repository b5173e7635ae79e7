// Rows of the catalog that follow from the evidence and are rebuilt from it.
// schema/0001_catalog.sql says what each column holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/table.h"

namespace ki::catalog {

// A comparison group.
struct CohortRow {
  static constexpr std::string_view kTable = "cohort";
  std::string operation_id{};
  std::string comparison_key{};
  std::string workload_id{};
  std::string protocol_key{};
  std::string environment_key{};
  std::string hardware_model{};
  std::string hardware_architecture{};
  std::optional<std::int64_t> cuda_major{};
  std::optional<std::string> primary_metric{};
  std::optional<std::string> primary_statistic{};
  std::optional<std::string> primary_unit{};
  std::int64_t eligible_runs = 0;
  std::int64_t sourced_runs = 0;
  std::int64_t reproducible_runs = 0;
  std::int64_t native_runs = 0;
  std::optional<double> best_value{};
  std::optional<std::string> last_observed_at{};
  std::string sources{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("operation_id", &CohortRow::operation_id);
    v("comparison_key", &CohortRow::comparison_key);
    v("workload_id", &CohortRow::workload_id);
    v("protocol_key", &CohortRow::protocol_key);
    v("environment_key", &CohortRow::environment_key);
    v("hardware_model", &CohortRow::hardware_model);
    v("hardware_architecture", &CohortRow::hardware_architecture);
    v("cuda_major", &CohortRow::cuda_major);
    v("primary_metric", &CohortRow::primary_metric);
    v("primary_statistic", &CohortRow::primary_statistic);
    v("primary_unit", &CohortRow::primary_unit);
    v("eligible_runs", &CohortRow::eligible_runs);
    v("sourced_runs", &CohortRow::sourced_runs);
    v("reproducible_runs", &CohortRow::reproducible_runs);
    v("native_runs", &CohortRow::native_runs);
    v("best_value", &CohortRow::best_value);
    v("last_observed_at", &CohortRow::last_observed_at);
    v("sources", &CohortRow::sources);
  }
};

// A run that is listed: passed, published, not retracted, not superseded.
struct StandingRow {
  static constexpr std::string_view kTable = "standing";
  std::string run_id{};
  std::string comparison_key{};
  std::string operation_id{};
  std::string workload_id{};
  std::string implementation_id{};
  std::string hardware_model{};
  std::optional<std::string> source_id{};
  std::optional<double> primary_value{};
  std::string observed_at{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("run_id", &StandingRow::run_id);
    v("comparison_key", &StandingRow::comparison_key);
    v("operation_id", &StandingRow::operation_id);
    v("workload_id", &StandingRow::workload_id);
    v("implementation_id", &StandingRow::implementation_id);
    v("hardware_model", &StandingRow::hardware_model);
    v("source_id", &StandingRow::source_id);
    v("primary_value", &StandingRow::primary_value);
    v("observed_at", &StandingRow::observed_at);
  }
};

// A run that stands and that an approved runner signed.
struct RunTrustRow {
  static constexpr std::string_view kTable = "run_trust";
  std::string run_id{};
  std::string comparison_key{};
  std::string key_id{};
  std::string statement_digest{};
  std::int64_t runners = 0;
  std::optional<std::string> agreeing_run_id{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("run_id", &RunTrustRow::run_id);
    v("comparison_key", &RunTrustRow::comparison_key);
    v("key_id", &RunTrustRow::key_id);
    v("statement_digest", &RunTrustRow::statement_digest);
    v("runners", &RunTrustRow::runners);
    v("agreeing_run_id", &RunTrustRow::agreeing_run_id);
  }
};

// A run that took the lead of its cohort.
struct RecordEventRow {
  static constexpr std::string_view kTable = "record_event";
  std::string id{};
  std::string comparison_key{};
  std::string run_id{};
  std::optional<std::string> previous_run_id{};
  std::string policy_version{};
  std::string cause{};
  std::string at{};
  std::string created_at{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("id", &RecordEventRow::id);
    v("comparison_key", &RecordEventRow::comparison_key);
    v("run_id", &RecordEventRow::run_id);
    v("previous_run_id", &RecordEventRow::previous_run_id);
    v("policy_version", &RecordEventRow::policy_version);
    v("cause", &RecordEventRow::cause);
    v("at", &RecordEventRow::at);
    v("created_at", &RecordEventRow::created_at);
  }
};

// The run that leads its cohort.
struct HolderRow {
  static constexpr std::string_view kTable = "holder";
  std::string comparison_key{};
  std::string run_id{};
  std::string since{};
  std::string indexed_at{};
  std::int64_t events = 0;
  template <class Visitor>
  static void columns(Visitor& v) {
    v("comparison_key", &HolderRow::comparison_key);
    v("run_id", &HolderRow::run_id);
    v("since", &HolderRow::since);
    v("indexed_at", &HolderRow::indexed_at);
    v("events", &HolderRow::events);
  }
};

// By which key an operation is told to compute the same as another.
struct OperationEquivalenceRow {
  static constexpr std::string_view kTable = "operation_equivalence";
  std::string operation_id{};
  std::string equivalence_key{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("operation_id", &OperationEquivalenceRow::operation_id);
    v("equivalence_key", &OperationEquivalenceRow::equivalence_key);
  }
};

// A word by which an operation is found.
struct SearchTermRow {
  static constexpr std::string_view kTable = "search_term";
  std::string term{};
  std::string operation_id{};
  std::string field{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("term", &SearchTermRow::term);
    v("operation_id", &SearchTermRow::operation_id);
    v("field", &SearchTermRow::field);
  }
};

}  // namespace ki::catalog
