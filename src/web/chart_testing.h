// For tests of charts: an example of what each is made of.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "query/crossings.h"
#include "query/models.h"
#include "web/chart_markup.h"
#include "web/svg.h"

namespace ki::web::svg::testing {

inline query::Primary latency(double ns, double half = 0) {
  query::Primary out{.metric = "latency",
                     .unit = "ns",
                     .statistic = "median",
                     .value = ns,
                     .sample_count = 100,
                     .uncertainty = std::nullopt,
                     .spread = std::nullopt};
  if (half > 0) out.spread = query::Interval{.low = ns - half, .high = ns + half};
  return out;
}

inline query::Ref ref(std::string name) {
  std::string slug = "i-" + name;
  return {.name = std::move(name), .slug = std::move(slug)};
}

// 120 samples about 15 ms: warm at first, then slower, with a second mode.
inline std::vector<double> example_samples() {
  std::vector<double> out;
  for (int i = 0; i < 120; ++i) {
    const double wave = std::sin(i * 2.399) + std::sin(i * 0.71);
    const double mode = i % 7 == 3 ? 420e3 : 0;
    out.push_back(15.02e6 + i * 900.0 + wave * 30e3 + mode);
  }
  return out;
}

inline std::vector<Mark> example_marks(const std::vector<double>& samples) {
  return {{.label = "Liger",
           .value = 15.1e6,
           .interval = query::Interval{.low = 15.0e6, .high = 15.3e6},
           .leader = true,
           .interval_name = "p20 to p80",
           .samples = samples},
          {.label = "FlashInfer · fused_add_rmsnorm_h2048 · submission 32750",
           .value = 17.9e6,
           .interval = query::Interval{.low = 16.2e6, .high = 20.4e6},
           .interval_name = "p20 to p80"},
          {.label = "PyTorch eager", .value = 24.1e6}};
}

inline query::SweepSeries series(std::string name, std::vector<std::pair<double, double>> points) {
  query::SweepSeries out{.implementation = ref(std::move(name)), .points = {}};
  for (const auto& [x, value] : points) {
    out.points.push_back({.x = x, .value = value, .workload_id = "w", .run_id = "run-1"});
  }
  return out;
}

inline query::Sweep example_sweep() {
  query::Sweep out{
      .axis = "seq",
      .unit = "ns",
      .metric_label = "median latency",
      .environment_label = "NVIDIA H100, forward pass",
      .series = {series(
                     "Liger",
                     {{512, 210e3}, {1024, 320e3}, {2048, 560e3}, {8192, 2.1e6}, {16384, 4.3e6}}),
                 series("PyTorch", {{512, 120e3},
                                    {1024, 290e3},
                                    {2048, 790e3},
                                    {4096, 1.9e6},
                                    {8192, 4.4e6},
                                    {16384, 9.7e6}}),
                 series("Triton tutorial", {{1024, 360e3}, {2048, 610e3}})},
      .overflow = 2,
      .cases = {512, 1024, 2048, 4096, 8192, 16384},
      .crossings = {},
      .work = {}};
  out.crossings = query::crossings_of(out.series, out.cases);
  return out;
}

inline query::WinnerCell cell(std::int64_t x, std::int64_t y, std::string verdict,
                              const std::string& leader = "", double ratio = 0) {
  query::WinnerCell out;
  out.x = x;
  out.y = y;
  out.verdict = std::move(verdict);
  if (out.verdict == "unmeasured") return out;
  out.cohort = "sha256:" + std::string(64, 'c');
  if (!leader.empty()) out.leader = ref(leader);
  if (ratio > 0) out.ratio = ratio;
  return out;
}

inline query::WinnerMap example_map() {
  query::WinnerMap out;
  out.operation = {.name = "RoPE", .slug = "liger-rope"};
  out.x = {.name = "seq", .values = {512, 1024, 2048, 4096, 8192}, .hardware = {}, .cut = 0};
  out.y = query::WinnerAxis{.name = "batch", .values = {1, 4, 16}, .hardware = {}, .cut = 0};
  out.cells = {cell(512, 1, "winner", "PyTorch", 1.21),
               cell(1024, 1, "tie", "PyTorch", 1.01),
               cell(2048, 1, "winner", "Liger", 1.38),
               cell(4096, 1, "winner", "Liger", 1.94),
               cell(8192, 1, "winner", "Liger", 2.4),
               cell(512, 4, "winner", "PyTorch", 1.04),
               cell(1024, 4, "winner", "Liger", 1.2),
               cell(2048, 4, "not_enough_evidence", "Liger", 1.3),
               cell(4096, 4, "winner", "Liger", 2.7),
               cell(8192, 4, "unmeasured"),
               cell(512, 16, "only_run", "Triton tutorial"),
               cell(1024, 16, "winner", "Triton tutorial", 1.5),
               cell(2048, 16, "none"),
               cell(4096, 16, "unmeasured"),
               cell(8192, 16, "unmeasured")};
  out.counts = {.cells = 15,
                .winner = 8,
                .tie = 1,
                .not_enough_evidence = 1,
                .only_run = 1,
                .none = 1,
                .unmeasured = 3};
  return out;
}

inline query::RecordStep step(std::string at, std::string name, double ns, std::string cause,
                              std::optional<double> better) {
  query::RecordStep out;
  out.at = std::move(at);
  out.run_id = "run-" + name;
  out.implementation = ref(std::move(name));
  out.value = latency(ns);
  out.cause = std::move(cause);
  out.improvement_pct = better;
  return out;
}

inline query::Holder example_holder() {
  query::Holder out;
  out.operation = {.name = "RoPE", .slug = "liger-rope"};
  out.history = {step("2026-03-02T10:00:00.000Z", "submission 977", 11.2e6, "new_run", 9.7),
                 step("2026-01-20T10:00:00.000Z", "submission 32", 12.4e6, "retraction", -24.0),
                 step("2026-01-04T10:00:00.000Z", "submission 901", 10e6, "new_run", 19.4),
                 step("2025-08-11T10:00:00.000Z", "submission 32", 12.4e6, "new_run", 48.5),
                 step("2025-05-27T10:00:00.000Z", "PyTorch", 24.1e6, "new_run", std::nullopt)};
  return out;
}

inline query::CompareRun compared(std::string name, query::Primary primary) {
  query::CompareRun out;
  out.run_id = "run-" + name;
  out.implementation = ref(std::move(name));
  out.primary = std::move(primary);
  return out;
}

inline query::Comparison example_comparison() {
  query::Comparison out;
  out.comparable = true;
  out.runs = {compared("Liger", latency(15.1e6, 0.15e6)), compared("PyTorch", latency(24.1e6, 1e6)),
              compared("Triton tutorial", latency(14.6e6))};
  out.runs[1].ratio = 24.1 / 15.1;
  out.runs[1].ratio_interval = query::Interval{.low = 23.1 / 15.25, .high = 25.1 / 14.95};
  out.runs[2].ratio = 14.6 / 15.1;
  return out;
}

}  // namespace ki::web::svg::testing
