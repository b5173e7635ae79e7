// Rows of the catalog that follow from the evidence and are rebuilt from it.
// schema/0001_catalog.sql says what each column holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "catalog/table.h"

namespace ki::catalog {

// A comparison group.
struct CohortRow {
  static constexpr std::string_view kTable = "cohort";
  std::string comparison_key{};
  std::string operation_id{};
  std::string workload_id{};
  std::string hardware_model{};
  std::string hardware_architecture{};
  std::int64_t eligible_runs = 0;
  std::optional<double> best_value{};
  std::optional<std::string> last_observed_at{};
  static constexpr auto columns() {
    return std::tuple(column("comparison_key", &CohortRow::comparison_key),
                      column("operation_id", &CohortRow::operation_id),
                      column("workload_id", &CohortRow::workload_id),
                      column("hardware_model", &CohortRow::hardware_model),
                      column("hardware_architecture", &CohortRow::hardware_architecture),
                      column("eligible_runs", &CohortRow::eligible_runs),
                      column("best_value", &CohortRow::best_value),
                      column("last_observed_at", &CohortRow::last_observed_at));
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
  static constexpr auto columns() {
    return std::tuple(column("run_id", &StandingRow::run_id),
                      column("comparison_key", &StandingRow::comparison_key),
                      column("operation_id", &StandingRow::operation_id),
                      column("workload_id", &StandingRow::workload_id),
                      column("implementation_id", &StandingRow::implementation_id),
                      column("hardware_model", &StandingRow::hardware_model),
                      column("source_id", &StandingRow::source_id),
                      column("primary_value", &StandingRow::primary_value),
                      column("observed_at", &StandingRow::observed_at));
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
  static constexpr auto columns() {
    return std::tuple(column("id", &RecordEventRow::id),
                      column("comparison_key", &RecordEventRow::comparison_key),
                      column("run_id", &RecordEventRow::run_id),
                      column("previous_run_id", &RecordEventRow::previous_run_id),
                      column("policy_version", &RecordEventRow::policy_version),
                      column("cause", &RecordEventRow::cause), column("at", &RecordEventRow::at),
                      column("created_at", &RecordEventRow::created_at));
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
  static constexpr auto columns() {
    return std::tuple(column("comparison_key", &HolderRow::comparison_key),
                      column("run_id", &HolderRow::run_id), column("since", &HolderRow::since),
                      column("indexed_at", &HolderRow::indexed_at),
                      column("events", &HolderRow::events));
  }
};

// A word by which an operation is found.
struct SearchTermRow {
  static constexpr std::string_view kTable = "search_term";
  std::string term{};
  std::string operation_id{};
  std::string field{};
  static constexpr auto columns() {
    return std::tuple(column("term", &SearchTermRow::term),
                      column("operation_id", &SearchTermRow::operation_id),
                      column("field", &SearchTermRow::field));
  }
};

}  // namespace ki::catalog
