// The rows of the test catalog. Include this one.
#pragma once
#include <algorithm>
#include <iterator>

#include "policy/metrics.h"
#include "query/testing.h"
namespace ki::query::testing {

inline void TestCatalog::operation(const std::string& id, const std::string& slug,
                                   const std::string& family) {
  put(catalog::OperationRow{
      .id = uuid(id),
      .slug = slug,
      .family = family,
      .name = slug,
      .schema_version = "v1alpha1",
      .semantic_digest = digest(id),
      .manifest = R"({"metadata":{"description":"What it does"},"spec":{"family":")" + family +
                  R"(","axes":{"n":{"role":"variable","type":"integer","minimum":1}},)" +
                  R"("inputs":[{"name":"x","tensor":{"shape":["n",128],"dtype":"bf16"}}],)" +
                  R"("outputs":[{"name":"y","tensor":{"shape":["n",128],"dtype":"bf16"}}],)" +
                  R"("semantics":{"mutation":"none","determinism":"deterministic"}}})",
      .created_at = kTime,
      .supersedes_id = {}});
  operation_ = uuid(id);
}

inline void TestCatalog::workload(const std::string& id, int n) {
  const std::string size = std::to_string(n);
  put(catalog::WorkloadRow{
      .id = uuid(id),
      .operation_id = operation_,
      .kind = "WorkloadCase",
      .workload_digest = digest(id),
      .schema_version = "v1alpha1",
      .correctness_key = digest("c0"),
      .shape_summary = "[" + size + ", 128]",
      .dtypes = R"(["bf16"])",
      .layout_keys = R"(["contiguous"])",
      .manifest = R"({"spec":{"axes":{"n":)" + size + R"(},"tensors":{"x":{"shape":[)" + size +
                  R"(,128],"dtype":"bf16"}},"correctness":{"comparator":"close"}}})",
      .created_at = kTime});
  put(catalog::WorkloadAxisRow{
      .operation_id = operation_, .name = "n", .value = n, .workload_id = uuid(id)});
}

inline void TestCatalog::bare_workload(const std::string& id, int n) {
  put(catalog::WorkloadRow{.id = uuid(id),
                           .operation_id = operation_,
                           .kind = "WorkloadCase",
                           .workload_digest = digest(id),
                           .schema_version = "v1alpha1",
                           .correctness_key = digest("c0"),
                           .shape_summary = "[]",
                           .dtypes = "[]",
                           .layout_keys = "[]",
                           .manifest = R"({"spec":{"axes":{"n":)" + std::to_string(n) +
                                       R"(},"tensors":{},"correctness":{"comparator":"close"}}})",
                           .created_at = kTime});
}

inline void TestCatalog::implementation(const std::string& id, const std::string& slug,
                                        bool deployable, const std::string& language,
                                        const std::string& role) {
  put(catalog::ImplementationRow{
      .id = uuid(id),
      .project_id = uuid("9002"),
      .operation_id = operation_,
      .slug = slug,
      .implementation_digest = digest(id),
      .source_revision = "abcdef0123456",
      .language = language,
      .framework = "pytorch",
      .target_architectures = "[]",
      .license_declared = deployable ? std::optional<std::string>("MIT") : std::nullopt,
      .license_expression = deployable ? std::optional<std::string>("MIT") : std::nullopt,
      .source_available = deployable,
      .installable = deployable,
      .title = {},
      .role = role.empty() ? std::nullopt : std::optional(role),
      .install_kind = {},
      .install_command = {},
      .manifest = R"({"spec":{"support":{"productsTested":["NVIDIA L4"],"dtypes":["bf16"]}}})",
      .created_at = kTime,
      .supersedes_id = {}});
}

inline void TestCatalog::run(const TestRun& run) {
  std::string board = run.hardware == "NVIDIA H100" ? "1" : "2";
  if (!run.form_factor.empty()) board += std::to_string(run.form_factor.size());
  std::ranges::copy_if(run.toolkit, std::back_inserter(board), [](char c) { return c != '.'; });
  const std::string environment = digest("e" + board);
  const std::string way = (run.timer == "wall_clock" ? "" : "7") +
                          (run.pass.empty() ? "" : "b" + std::to_string(run.pass.size()));
  const std::string what = (run.metric == "latency" ? "" : "c") + run.workload + board;
  const std::string cohort = digest(way + what);
  const std::string protocol = digest(way + "f1");
  put(catalog::ProtocolRow{.digest = protocol,
                           .harness = "bench",
                           .manifest = R"({"metadata":{"name":"bench)" +
                                       (run.pass.empty() ? "" : "-" + run.pass) +
                                       R"("},"spec":{"harness":{"name":"bench","version":"2"},)"
                                       R"("measurement":{"timer":")" +
                                       run.timer + R"(","primaryStatistic":"median"}}})",
                           .created_at = kTime});
  put(catalog::EnvironmentRow{
      .digest = environment,
      .hardware_model = run.hardware,
      .hardware_form_factor = run.form_factor,
      .manifest = R"({"spec":{"hardware":{"vendor":"nvidia","product":")" + run.hardware +
                  R"(","architecture":")" + run.architecture + R"("},"software":{)" +
                  (run.toolkit.empty() ? std::string() : R"("cudaToolkit":")" + run.toolkit + '"') +
                  "}}}",
      .created_at = kTime});
  catalog::RunRow row;
  row.id = uuid(run.id);
  row.run_digest = digest(run.id);
  row.operation_id = operation_;
  row.workload_id = uuid(run.workload);
  row.implementation_id = uuid(run.implementation);
  row.source_id = uuid("9001");
  row.protocol_key = protocol;
  row.environment_key = environment;
  row.correctness_key = digest("c0");
  row.comparison_key = cohort;
  row.status = run.status;
  row.observed_at = row.created_at = kTime;
  row.published_at = kTime;
  row.primary_metric = run.metric;
  row.primary_statistic = "median";
  row.primary_unit = run.unit;
  row.primary_value = run.value;
  if (run.spread > 0) {
    row.spread_low = run.value - run.spread;
    row.spread_high = run.value + run.spread;
  }
  row.hardware_vendor = "nvidia";
  row.hardware_model = run.hardware;
  row.hardware_architecture = run.architecture;
  row.source_available = row.has_raw_evidence = run.raw_evidence;
  row.source_native = true;
  row.manifest = R"({"spec":{"status":"passed","sourceNative":{"source":"board"}}})";
  put(row);
  catalog::MeasurementRow value{.id = uuid(run.id), .run_id = row.id, .metric = run.metric};
  value.statistic = "median";
  value.unit = run.unit;
  value.value = run.value;
  put(value);
  if (run.status != "passed") return;
  put(catalog::StandingRow{.run_id = row.id,
                           .comparison_key = cohort,
                           .operation_id = operation_,
                           .workload_id = row.workload_id,
                           .implementation_id = row.implementation_id,
                           .hardware_model = run.hardware,
                           .source_id = row.source_id,
                           .primary_value = run.value,
                           .observed_at = kTime});
  put(catalog::CohortRow{.operation_id = operation_,
                         .comparison_key = cohort,
                         .workload_id = row.workload_id,
                         .protocol_key = protocol,
                         .environment_key = environment,
                         .hardware_model = run.hardware,
                         .hardware_architecture = run.architecture,
                         .cuda_major = {},
                         .primary_metric = run.metric,
                         .primary_statistic = "median",
                         .primary_unit = run.unit,
                         .best_value = {},
                         .last_observed_at = kTime,
                         .sources = R"({")" + uuid("9001") + R"(":")" + kTime + R"("})"});
  constexpr db::Sql kCount{
      "test_count",
      "UPDATE cohort SET (eligible_runs, sourced_runs, reproducible_runs, native_runs, best_value) "
      "= (SELECT COUNT(*), SUM(r.source_available), "
      "SUM(r.source_available AND r.has_raw_evidence), SUM(r.source_native), "
      "CASE $2 WHEN 'lower' THEN MIN(r.primary_value) WHEN 'higher' THEN MAX(r.primary_value) END "
      "FROM run r JOIN standing s ON s.run_id = r.id WHERE s.comparison_key = $1) "
      "WHERE comparison_key = $1"};
  const auto metric = policy::find_metric(run.metric, run.unit);
  const bool lower = metric && metric->direction == policy::Direction::lower;
  EXPECT_TRUE(catalog_->connection().run(kCount, cohort, metric ? lower ? "lower" : "higher" : ""));
  put(catalog::HolderRow{.comparison_key = cohort,
                         .run_id = row.id,
                         .since = run.since.empty() ? kTime : run.since,
                         .indexed_at = run.indexed_at.empty() ? kTime : run.indexed_at,
                         .events = 1});
  put(catalog::RecordEventRow{.id = uuid(run.id),
                              .comparison_key = cohort,
                              .run_id = row.id,
                              .previous_run_id = run.previous,
                              .policy_version = "ranking-v2",
                              .cause = "new_run",
                              .at = kTime,
                              .created_at = kTime});
}

}  // namespace ki::query::testing
