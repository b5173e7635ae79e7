// Rows of the catalog: the evidence.
// schema/0001_catalog.sql says what each column holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "catalog/table.h"

namespace ki::catalog {

struct RunRow {
  static constexpr std::string_view kTable = "run";
  std::string id{};
  std::string run_digest{};
  std::string operation_id{};
  std::string workload_id{};
  std::string implementation_id{};
  std::optional<std::string> source_id{};
  std::string protocol_key{};
  std::string environment_key{};
  std::string correctness_key{};
  std::string comparison_key{};
  std::string status{};
  std::string observed_at{};
  std::optional<std::string> published_at{};
  std::optional<std::string> primary_metric{};
  std::optional<std::string> primary_statistic{};
  std::optional<std::string> primary_unit{};
  std::optional<double> primary_value{};
  std::optional<std::int64_t> sample_count{};
  std::optional<double> uncertainty_low{};
  std::optional<double> uncertainty_high{};
  std::optional<double> spread_low{};
  std::optional<double> spread_high{};
  std::string hardware_vendor{};
  std::string hardware_model{};
  std::string hardware_architecture{};
  std::optional<std::int64_t> driver_major{};
  std::optional<std::int64_t> cuda_major{};
  std::optional<std::string> environment_summary{};
  bool source_available = false;
  bool installable = false;
  std::optional<std::string> license_expression{};
  bool has_raw_evidence = false;
  bool source_native = false;
  std::optional<double> sol_score{};
  std::string manifest{};
  std::string created_at{};
  static constexpr auto columns() {
    return std::tuple(
        column("id", &RunRow::id), column("run_digest", &RunRow::run_digest),
        column("operation_id", &RunRow::operation_id), column("workload_id", &RunRow::workload_id),
        column("implementation_id", &RunRow::implementation_id),
        column("source_id", &RunRow::source_id), column("protocol_key", &RunRow::protocol_key),
        column("environment_key", &RunRow::environment_key),
        column("correctness_key", &RunRow::correctness_key),
        column("comparison_key", &RunRow::comparison_key), column("status", &RunRow::status),
        column("observed_at", &RunRow::observed_at), column("published_at", &RunRow::published_at),
        column("primary_metric", &RunRow::primary_metric),
        column("primary_statistic", &RunRow::primary_statistic),
        column("primary_unit", &RunRow::primary_unit),
        column("primary_value", &RunRow::primary_value),
        column("sample_count", &RunRow::sample_count),
        column("uncertainty_low", &RunRow::uncertainty_low),
        column("uncertainty_high", &RunRow::uncertainty_high),
        column("spread_low", &RunRow::spread_low), column("spread_high", &RunRow::spread_high),
        column("hardware_vendor", &RunRow::hardware_vendor),
        column("hardware_model", &RunRow::hardware_model),
        column("hardware_architecture", &RunRow::hardware_architecture),
        column("driver_major", &RunRow::driver_major), column("cuda_major", &RunRow::cuda_major),
        column("environment_summary", &RunRow::environment_summary),
        column("source_available", &RunRow::source_available),
        column("installable", &RunRow::installable),
        column("license_expression", &RunRow::license_expression),
        column("has_raw_evidence", &RunRow::has_raw_evidence),
        column("source_native", &RunRow::source_native), column("sol_score", &RunRow::sol_score),
        column("manifest", &RunRow::manifest), column("created_at", &RunRow::created_at));
  }
};

struct MeasurementRow {
  static constexpr std::string_view kTable = "measurement";
  std::string id{};
  std::string run_id{};
  std::int64_t ordinal = 0;
  std::string metric{};
  std::string statistic{};
  std::string unit{};
  double value = 0;
  std::optional<std::int64_t> sample_count{};
  static constexpr auto columns() {
    return std::tuple(
        column("id", &MeasurementRow::id), column("run_id", &MeasurementRow::run_id),
        column("ordinal", &MeasurementRow::ordinal), column("metric", &MeasurementRow::metric),
        column("statistic", &MeasurementRow::statistic), column("unit", &MeasurementRow::unit),
        column("value", &MeasurementRow::value),
        column("sample_count", &MeasurementRow::sample_count));
  }
};

// Evidence whose implementation or workload is not known yet.
struct PendingRunRow {
  static constexpr std::string_view kTable = "pending_run";
  std::string run_digest{};
  std::string id{};
  std::string implementation_digest{};
  std::string workload_digest{};
  std::string protocol_key{};
  std::string environment_key{};
  std::optional<std::string> source_id{};
  std::optional<std::string> snapshot_id{};
  std::optional<std::int64_t> source_row{};
  std::optional<std::int64_t> source_line{};
  std::optional<std::string> external_id{};
  std::string manifest{};
  std::string created_at{};
  static constexpr auto columns() {
    return std::tuple(column("run_digest", &PendingRunRow::run_digest),
                      column("id", &PendingRunRow::id),
                      column("implementation_digest", &PendingRunRow::implementation_digest),
                      column("workload_digest", &PendingRunRow::workload_digest),
                      column("protocol_key", &PendingRunRow::protocol_key),
                      column("environment_key", &PendingRunRow::environment_key),
                      column("source_id", &PendingRunRow::source_id),
                      column("snapshot_id", &PendingRunRow::snapshot_id),
                      column("source_row", &PendingRunRow::source_row),
                      column("source_line", &PendingRunRow::source_line),
                      column("external_id", &PendingRunRow::external_id),
                      column("manifest", &PendingRunRow::manifest),
                      column("created_at", &PendingRunRow::created_at));
  }
};

}  // namespace ki::catalog
