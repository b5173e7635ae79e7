// Rows of the catalog: the evidence, and the protocols and environments it was made under.
// schema/0001_catalog.sql says what each column holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/table.h"

namespace ki::catalog {

struct ProtocolRow {
  static constexpr std::string_view kTable = "protocol";
  std::string digest{};
  std::string harness{};
  std::string manifest{};
  std::string created_at{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("digest", &ProtocolRow::digest);
    v("harness", &ProtocolRow::harness);
    v("manifest", &ProtocolRow::manifest);
    v("created_at", &ProtocolRow::created_at);
  }
};

struct EnvironmentRow {
  static constexpr std::string_view kTable = "environment";
  std::string digest{};
  std::string hardware_model{};
  std::string hardware_form_factor{};  // "" = not stated
  std::string manifest{};
  std::string created_at{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("digest", &EnvironmentRow::digest);
    v("hardware_model", &EnvironmentRow::hardware_model);
    v("hardware_form_factor", &EnvironmentRow::hardware_form_factor);
    v("manifest", &EnvironmentRow::manifest);
    v("created_at", &EnvironmentRow::created_at);
  }
};

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
  template <class Visitor>
  static void columns(Visitor& v) {
    v("id", &RunRow::id);
    v("run_digest", &RunRow::run_digest);
    v("operation_id", &RunRow::operation_id);
    v("workload_id", &RunRow::workload_id);
    v("implementation_id", &RunRow::implementation_id);
    v("source_id", &RunRow::source_id);
    v("protocol_key", &RunRow::protocol_key);
    v("environment_key", &RunRow::environment_key);
    v("correctness_key", &RunRow::correctness_key);
    v("comparison_key", &RunRow::comparison_key);
    v("status", &RunRow::status);
    v("observed_at", &RunRow::observed_at);
    v("published_at", &RunRow::published_at);
    v("primary_metric", &RunRow::primary_metric);
    v("primary_statistic", &RunRow::primary_statistic);
    v("primary_unit", &RunRow::primary_unit);
    v("primary_value", &RunRow::primary_value);
    v("sample_count", &RunRow::sample_count);
    v("uncertainty_low", &RunRow::uncertainty_low);
    v("uncertainty_high", &RunRow::uncertainty_high);
    v("spread_low", &RunRow::spread_low);
    v("spread_high", &RunRow::spread_high);
    v("hardware_vendor", &RunRow::hardware_vendor);
    v("hardware_model", &RunRow::hardware_model);
    v("hardware_architecture", &RunRow::hardware_architecture);
    v("driver_major", &RunRow::driver_major);
    v("cuda_major", &RunRow::cuda_major);
    v("environment_summary", &RunRow::environment_summary);
    v("source_available", &RunRow::source_available);
    v("installable", &RunRow::installable);
    v("license_expression", &RunRow::license_expression);
    v("has_raw_evidence", &RunRow::has_raw_evidence);
    v("source_native", &RunRow::source_native);
    v("sol_score", &RunRow::sol_score);
    v("manifest", &RunRow::manifest);
    v("created_at", &RunRow::created_at);
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
  template <class Visitor>
  static void columns(Visitor& v) {
    v("id", &MeasurementRow::id);
    v("run_id", &MeasurementRow::run_id);
    v("ordinal", &MeasurementRow::ordinal);
    v("metric", &MeasurementRow::metric);
    v("statistic", &MeasurementRow::statistic);
    v("unit", &MeasurementRow::unit);
    v("value", &MeasurementRow::value);
    v("sample_count", &MeasurementRow::sample_count);
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
  template <class Visitor>
  static void columns(Visitor& v) {
    v("run_digest", &PendingRunRow::run_digest);
    v("id", &PendingRunRow::id);
    v("implementation_digest", &PendingRunRow::implementation_digest);
    v("workload_digest", &PendingRunRow::workload_digest);
    v("protocol_key", &PendingRunRow::protocol_key);
    v("environment_key", &PendingRunRow::environment_key);
    v("source_id", &PendingRunRow::source_id);
    v("snapshot_id", &PendingRunRow::snapshot_id);
    v("source_row", &PendingRunRow::source_row);
    v("source_line", &PendingRunRow::source_line);
    v("external_id", &PendingRunRow::external_id);
    v("manifest", &PendingRunRow::manifest);
    v("created_at", &PendingRunRow::created_at);
  }
};

}  // namespace ki::catalog
