// What one operation is and what was measured of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_operation_parts.h"

namespace ki::query {

struct SweepPoint {
  static constexpr std::string_view kWireName = "SweepPoint";
  double x = 0;
  double value = 0;
  std::string workload_id;
  std::string run_id;
  template <class V>
  static void describe(V& v) {
    v.field("x", &SweepPoint::x, "");
    v.field("value", &SweepPoint::value, "");
    v.field("workloadId", &SweepPoint::workload_id, "");
    v.field("runId", &SweepPoint::run_id, "the implementation's best ranked run of that case");
  }
};

struct SweepSeries {
  static constexpr std::string_view kWireName = "SweepSeries";
  Ref implementation;
  std::vector<SweepPoint> points;
  template <class V>
  static void describe(V& v) {
    v.field("implementation", &SweepSeries::implementation, "");
    v.field("points", &SweepSeries::points, "");
  }
};

// Two lines of a sweep that change order between two cases that both have: somewhere there, nobody
// measured where.
struct SweepCrossing {
  static constexpr std::string_view kWireName = "SweepCrossing";
  double from = 0;
  double to = 0;
  Ref lower_before;
  Ref lower_after;
  std::int64_t unmeasured_between = 0;
  template <class V>
  static void describe(V& v) {
    v.field("from", &SweepCrossing::from, "the last value of the axis with the one order");
    v.field("to", &SweepCrossing::to, "the first with the other; nothing is interpolated between");
    v.field("lowerBefore", &SweepCrossing::lower_before, "whose value is the lower one at from");
    v.field("lowerAfter", &SweepCrossing::lower_after, "whose is at to");
    v.field("unmeasuredBetween", &SweepCrossing::unmeasured_between,
            "cases between the two that one of them, or both, were not measured for");
  }
};

// What one call of a case has to do at least, as evidence of a run of it states.
struct SweepWork {
  static constexpr std::string_view kWireName = "SweepWork";
  double x = 0;
  std::optional<double> bytes;
  std::optional<double> flops;
  template <class V>
  static void describe(V& v) {
    v.field("x", &SweepWork::x, "value of the axis");
    v.field("bytes", &SweepWork::bytes, "that have to move; null when unknown");
    v.field("flops", &SweepWork::flops, "floating-point operations; null when not counted");
  }
};

// How values grow along one axis.
struct Sweep {
  static constexpr std::string_view kWireName = "Sweep";
  std::string axis;
  std::string unit;
  std::string metric_label;
  std::string environment_label;
  std::vector<SweepSeries> series;
  std::int64_t overflow = 0;
  std::vector<double> cases;
  std::vector<SweepCrossing> crossings;
  std::vector<SweepWork> work;
  template <class V>
  static void describe(V& v) {
    v.field("axis", &Sweep::axis, "");
    v.field("unit", &Sweep::unit, "");
    v.field("metricLabel", &Sweep::metric_label, "");
    v.field("environmentLabel", &Sweep::environment_label, "");
    v.field("series", &Sweep::series, "");
    v.field("overflow", &Sweep::overflow, "");
    v.field("cases", &Sweep::cases,
            "values of the axis that a case exists for with all else equal, measured or not");
    v.field("crossings", &Sweep::crossings, "of the series listed, by where they begin");
    v.field("work", &Sweep::work, "of the cases of which it is known, ascending");
  }
};

struct ImplementationItem {
  static constexpr std::string_view kWireName = "ImplementationItem";
  std::string slug;
  std::string name;
  Ref project;
  std::optional<std::string> language;
  std::optional<std::string> framework;
  std::optional<std::string> evidence;
  std::optional<Primary> best_primary;
  bool source_available = false;
  bool installable = false;
  License license;
  template <class V>
  static void describe(V& v) {
    v.field("slug", &ImplementationItem::slug, "");
    v.field("name", &ImplementationItem::name, "");
    v.field("project", &ImplementationItem::project, "");
    v.field("language", &ImplementationItem::language, "");
    v.field("framework", &ImplementationItem::framework, "");
    v.field("evidence", &ImplementationItem::evidence, "");
    v.field("bestPrimary", &ImplementationItem::best_primary, "over all workloads, so only a hint");
    v.field("sourceAvailable", &ImplementationItem::source_available, "");
    v.field("installable", &ImplementationItem::installable, "");
    v.field("license", &ImplementationItem::license, "");
  }
};

struct Coverage {
  static constexpr std::string_view kWireName = "Coverage";
  std::int64_t verified = 0;
  std::int64_t reproducible = 0;
  std::int64_t reported = 0;
  std::optional<std::string> last_observed_at;
  template <class V>
  static void describe(V& v) {
    v.field("verified", &Coverage::verified, "");
    v.field("reproducible", &Coverage::reproducible, "");
    v.field("reported", &Coverage::reported, "");
    v.field("lastObservedAt", &Coverage::last_observed_at, "");
  }
};

struct OperationDossier {
  static constexpr std::string_view kWireName = "OperationDossier";
  bool illustrative = false;
  OperationIdentity operation;
  Semantics semantics;
  std::vector<WorkloadItem> workloads;
  std::optional<std::string> selected_workload_id;
  std::vector<CohortOption> cohort_options;
  std::optional<Cohort> cohort;
  std::vector<Row> records;
  std::optional<Sweep> sweep;
  std::vector<ImplementationItem> implementations;
  Coverage coverage;
  std::vector<Source> sources;
  std::optional<Verdict> verdict;
  std::optional<Row> best_deployable;
  std::int64_t pending_runs = 0;
  std::vector<NotApplied> not_applied;
  Excluded excluded;
  template <class V>
  static void describe(V& v) {
    v.field("illustrative", &OperationDossier::illustrative, "");
    v.field("operation", &OperationDossier::operation, "");
    v.field("semantics", &OperationDossier::semantics, "");
    v.field("workloads", &OperationDossier::workloads, "");
    v.field("selectedWorkloadId", &OperationDossier::selected_workload_id, "");
    v.field("cohortOptions", &OperationDossier::cohort_options, "");
    v.field("cohort", &OperationDossier::cohort, "");
    v.field("records", &OperationDossier::records, "the ranked rows of the cohort, complete");
    v.field("sweep", &OperationDossier::sweep, "");
    v.field("implementations", &OperationDossier::implementations, "");
    v.field("coverage", &OperationDossier::coverage, "");
    v.field("sources", &OperationDossier::sources, "");
    v.field("verdict", &OperationDossier::verdict, "");
    v.field("bestDeployable", &OperationDossier::best_deployable, "");
    v.field("pendingRuns", &OperationDossier::pending_runs, "");
    v.field("notApplied", &OperationDossier::not_applied, "parameters that named nothing");
    v.field("excluded", &OperationDossier::excluded,
            "retracted and superseded runs of the cohort; without one, of the operation");
  }
};

}  // namespace ki::query
