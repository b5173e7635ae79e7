// Rows of the catalog: results of serving.
// schema/0001_catalog.sql says what each column holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/table.h"

namespace ki::catalog {

struct ServingRunRow {
  static constexpr std::string_view kTable = "serving_run";
  std::string id{};
  std::string digest{};
  std::string model_id{};
  std::string configuration_id{};
  std::string workload_id{};
  std::optional<std::string> source_id{};
  std::string status{};
  std::string observed_at{};
  std::optional<std::string> published_at{};
  std::optional<std::string> retracted_at{};
  std::string protocol_key{};
  std::string topology_key{};
  std::string metric_set_key{};
  std::string cohort_key{};
  std::string quality_policy{};
  std::string scenario{};
  std::optional<std::string> accelerator_vendor{};
  std::string accelerator_model{};
  std::int64_t accelerator_count = 0;
  std::int64_t node_count = 0;
  std::int64_t total_accelerators = 0;
  std::optional<std::string> external_id{};
  std::string manifest{};
  std::string created_at{};
  template <class Visitor>
  static void columns(Visitor& v) {
    v("id", &ServingRunRow::id);
    v("digest", &ServingRunRow::digest);
    v("model_id", &ServingRunRow::model_id);
    v("configuration_id", &ServingRunRow::configuration_id);
    v("workload_id", &ServingRunRow::workload_id);
    v("source_id", &ServingRunRow::source_id);
    v("status", &ServingRunRow::status);
    v("observed_at", &ServingRunRow::observed_at);
    v("published_at", &ServingRunRow::published_at);
    v("retracted_at", &ServingRunRow::retracted_at);
    v("protocol_key", &ServingRunRow::protocol_key);
    v("topology_key", &ServingRunRow::topology_key);
    v("metric_set_key", &ServingRunRow::metric_set_key);
    v("cohort_key", &ServingRunRow::cohort_key);
    v("quality_policy", &ServingRunRow::quality_policy);
    v("scenario", &ServingRunRow::scenario);
    v("accelerator_vendor", &ServingRunRow::accelerator_vendor);
    v("accelerator_model", &ServingRunRow::accelerator_model);
    v("accelerator_count", &ServingRunRow::accelerator_count);
    v("node_count", &ServingRunRow::node_count);
    v("total_accelerators", &ServingRunRow::total_accelerators);
    v("external_id", &ServingRunRow::external_id);
    v("manifest", &ServingRunRow::manifest);
    v("created_at", &ServingRunRow::created_at);
  }
};

struct ServingMeasurementRow {
  static constexpr std::string_view kTable = "serving_measurement";
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
    v("id", &ServingMeasurementRow::id);
    v("run_id", &ServingMeasurementRow::run_id);
    v("ordinal", &ServingMeasurementRow::ordinal);
    v("metric", &ServingMeasurementRow::metric);
    v("statistic", &ServingMeasurementRow::statistic);
    v("unit", &ServingMeasurementRow::unit);
    v("value", &ServingMeasurementRow::value);
    v("sample_count", &ServingMeasurementRow::sample_count);
  }
};

}  // namespace ki::catalog
