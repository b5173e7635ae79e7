#include "query/sweep.h"

#include <algorithm>
#include <map>
#include <set>

#include "policy/names.h"
#include "query/crossings.h"
#include "query/describe.h"

namespace ki::query {
namespace {

// The cohorts that are the ranked one but for a single axis, by the value of that axis.
using Line = std::map<std::int64_t, std::size_t>;

// The one axis in which two cases differ; "" when it is none or more than one.
std::string only_difference(const WorkloadInfo& a, const WorkloadInfo& b) {
  if (a.suite || b.suite || a.dtypes != b.dtypes || a.axes.size() != b.axes.size()) return "";
  std::string out;
  for (const auto& [name, value] : a.axes) {
    const auto other = b.axis(name);
    if (!other) return "";
    if (*other == value) continue;
    if (!out.empty()) return "";
    out = name;
  }
  return out;
}

std::map<std::string, Line> lines_through(const OperationSnapshot& snapshot, std::size_t ranked) {
  const CohortInfo& from = snapshot.cohorts[ranked];
  const WorkloadInfo& workload = snapshot.workloads[from.workload];
  std::map<std::string, Line> out;
  for (std::size_t i = 0; i < snapshot.cohorts.size(); ++i) {
    const CohortInfo& to = snapshot.cohorts[i];
    const bool same_setting = to.setting->protocol_key == from.setting->protocol_key &&
                              to.setting->environment_key == from.setting->environment_key &&
                              to.has_value == from.has_value &&
                              (!to.has_value || (to.metric == from.metric && to.unit == from.unit));
    if (!same_setting || i == ranked) continue;
    const WorkloadInfo& other = snapshot.workloads[to.workload];
    const std::string axis = only_difference(workload, other);
    if (!axis.empty()) out[axis].emplace(*other.axis(axis), i);
  }
  for (auto& [axis, line] : out) line.emplace(*workload.axis(axis), ranked);
  return out;
}

// The values of the axis among cases that are `from` but for it, ascending, without repeats.
std::vector<double> cases_along(const OperationSnapshot& snapshot, const WorkloadInfo& from,
                                const std::string& axis) {
  std::set<double> out = {static_cast<double>(*from.axis(axis))};
  for (const WorkloadInfo& workload : snapshot.workloads) {
    if (only_difference(from, workload) != axis) continue;
    out.insert(static_cast<double>(*workload.axis(axis)));
  }
  return {out.begin(), out.end()};
}

std::vector<SweepSeries> series_of(const RowSource& rows, const Line& line) {
  const OperationSnapshot& snapshot = rows.snapshot;
  std::map<std::size_t, SweepSeries> by_implementation;
  std::vector<std::size_t> order;  // as they first appear: the leader of the smallest value first
  for (const auto& [x, cohort] : line) {
    std::set<std::size_t> seen;
    for (const RunInfo& run : rows.runs(snapshot.cohorts[cohort]).runs) {
      if (run.rank == 0 || !seen.insert(run.implementation).second) continue;  // its best only
      auto [entry, added] = by_implementation.try_emplace(run.implementation);
      if (added) {
        entry->second.implementation = snapshot.implementations[run.implementation].ref;
        order.push_back(run.implementation);
      }
      entry->second.points.push_back({.x = static_cast<double>(x),
                                      .value = run.value,
                                      .workload_id = snapshot.workloads[run.workload].id,
                                      .run_id = std::string(run.id)});
    }
  }
  std::vector<SweepSeries> out;
  for (const auto implementation : order) {
    out.push_back(std::move(by_implementation.at(implementation)));
  }
  return out;
}

}  // namespace

std::optional<Sweep> sweep_of(const RowSource& rows, std::size_t ranked) {
  const OperationSnapshot& snapshot = rows.snapshot;
  const CohortInfo& cohort = snapshot.cohorts[ranked];
  if (!cohort.is_ranked()) return std::nullopt;
  const auto lines = lines_through(snapshot, ranked);
  const auto longest =
      std::ranges::max_element(lines, {}, [](const auto& entry) { return entry.second.size(); });
  if (longest == lines.end()) return std::nullopt;
  Sweep out;
  out.axis = longest->first;
  out.unit = cohort.unit;
  out.metric_label = policy::metric_label(
      cohort.metric, cohort.statistic.empty() ? kNoStatistic : cohort.statistic);
  out.environment_label = cohort.setting->hardware_model;
  if (cohort.setting->pass) {
    out.environment_label += ", " + std::string(policy::name_of(*cohort.setting->pass)) + " pass";
  }
  out.series = series_of(rows, longest->second);
  const auto all = static_cast<std::int64_t>(out.series.size());
  if (all > kSweepSeriesMax) out.series.resize(static_cast<std::size_t>(kSweepSeriesMax));
  out.overflow = all - static_cast<std::int64_t>(out.series.size());
  out.cases = cases_along(snapshot, snapshot.workloads[cohort.workload], out.axis);
  out.crossings = crossings_of(out.series, out.cases);
  return out;
}

Status add_work(db::Connection& connection, Sweep& sweep) {
  std::map<double, SweepWork> known;
  for (const SweepSeries& series : sweep.series) {
    for (const SweepPoint& point : series.points) {
      if (known.contains(point.x)) continue;
      const auto samples = TRY(catalog::read_samples(connection, point.run_id));
      if (!samples || (!samples->call_bytes && !samples->call_flops)) continue;
      known[point.x] = {.x = point.x, .bytes = samples->call_bytes, .flops = samples->call_flops};
    }
  }
  for (auto& [x, work] : known) sweep.work.push_back(work);
  return {};
}

}  // namespace ki::query
