#include "query/select.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "policy/licence.h"

namespace ki::query {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view item) {
  return std::ranges::find(list, item) != list.end();
}

using Out = std::vector<Mismatch>;

void add(Out& out, std::string field, std::string requested, std::string observed) {
  out.push_back({.field = std::move(field),
                 .requested = std::move(requested),
                 .observed = std::move(observed)});
}

void add_environment(Out& out, const Facets& facets, const CohortInfo& cohort) {
  if (facets.hardware && !satisfies(*facets.hardware, cohort.gpu, cohort.hardware_model)) {
    add(out, "hardware.gpu", facets.hardware->requested, cohort.hardware_model);
  }
  if (facets.device_count && facets.device_count != cohort.device_count) {
    add(out, "hardware.count", std::to_string(*facets.device_count),
        cohort.device_count ? std::to_string(*cohort.device_count) : "unknown");
  }
  if (facets.architecture && !satisfies(*facets.architecture, cohort.architecture)) {
    add(out, "hardware.architecture", facets.architecture->requested, cohort.hardware_architecture);
  }
  if (facets.cuda && facets.cuda->major != cohort.cuda_major) {
    add(out, "environment.cudaToolkit", std::to_string(facets.cuda->major),
        cohort.cuda_major ? std::to_string(*cohort.cuda_major) : "unknown");
  }
}

std::string pass_text(const std::optional<policy::Pass>& pass) {
  return std::string(pass ? policy::name_of(*pass) : "unknown");
}

std::string metric_text(const CohortInfo& cohort) {
  return cohort.metric.empty() ? "none" : cohort.metric;
}

void add_protocol(Out& out, const Facets& facets, const CohortInfo& cohort) {
  if (facets.pass && facets.pass->pass != cohort.pass) {
    add(out, "protocol.pass", pass_text(facets.pass->pass), pass_text(cohort.pass));
  }
  if (facets.metric && *facets.metric != cohort.metric) {
    add(out, "metric", *facets.metric, metric_text(cohort));
  }
}

void add_storage(Out& out, const Facets& facets, const WorkloadInfo& workload) {
  for (const DtypeFacet& dtype : facets.dtypes) {
    if (satisfies(dtype, workload.match_dtypes)) continue;
    add(out, "workload.dtype", dtype.requested, join(workload.match_dtypes, "/"));
  }
  if (facets.layout && !contains(workload.layouts, *facets.layout)) {
    add(out, "workload.layout", *facets.layout,
        workload.layouts.empty() ? "unknown" : join(workload.layouts, "/"));
  }
}

void add_implementation(Out& out, const Facets& facets, const ImplementationInfo& implementation) {
  if (facets.framework && facets.framework != implementation.line.framework) {
    add(out, "framework", *facets.framework, implementation.line.framework.value_or("unknown"));
  }
  if (facets.language && *facets.language != implementation.line.language) {
    add(out, "language", *facets.language, implementation.line.language);
  }
}

bool has_shape(const WorkloadInfo& workload, const std::vector<std::int64_t>& shape) {
  return std::ranges::find(workload.tensors, shape, &TensorInfo::shape) != workload.tensors.end();
}

void add_case(Out& out, const Facets& facets, const WorkloadInfo& workload) {
  if (facets.shape && workload.suite) {
    add(out, "workload.scope", "exact case " + shape_text(*facets.shape), "suite aggregate");
  } else if (facets.shape && !has_shape(workload, *facets.shape)) {
    add(out, "workload.shape", shape_text(*facets.shape), workload.shape_summary);
  }
  for (const AxisFacet& axis : facets.axes) {
    const std::string requested = std::to_string(axis.value);
    if (workload.suite) {
      const bool covered = contains(workload.suite_axes, axis.name);
      if (axis.soft && !covered) continue;
      add(out, "axes." + axis.name, requested,
          covered ? "covered inside suite aggregate" : "not in suite");
      continue;
    }
    const auto value = workload.axis(axis.name);
    if (value == axis.value || (axis.soft && !value)) continue;
    add(out, "axes." + axis.name, requested, value ? std::to_string(*value) : "unknown");
  }
}

}  // namespace

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::vector<std::string> parts;
  for (const auto size : shape) parts.push_back(std::to_string(size));
  return "[" + join(parts, ", ") + "]";
}

bool satisfies(const HardwareFacet& facet, const policy::Gpu* gpu, std::string_view model) {
  if (!facet.gpu) return ascii_lower(model).contains(facet.part);
  if (gpu == nullptr) return equals_ignoring_case(model, facet.requested);
  return gpu == facet.gpu->unspecified ||
         std::ranges::find(facet.gpu->variants, gpu) != facet.gpu->variants.end();
}

bool satisfies(const ArchitectureFacet& facet, std::string_view architecture) {
  return contains(facet.reading.hardware, architecture);
}

bool satisfies(const DtypeFacet& facet, const std::vector<std::string>& dtypes) {
  return std::ranges::any_of(
      dtypes, [&](const auto& one) { return policy::dtype_matches(facet.reading, one); });
}

std::vector<Mismatch> mismatches(const Facets& facets, const OperationSnapshot& snapshot,
                                 const RunInfo& run) {
  Out out;
  const WorkloadInfo& workload = snapshot.workloads[run.workload];
  add_environment(out, facets, snapshot.cohorts[run.cohort]);
  add_protocol(out, facets, snapshot.cohorts[run.cohort]);
  add_storage(out, facets, workload);
  add_implementation(out, facets, snapshot.implementations[run.implementation]);
  add_case(out, facets, workload);
  return out;
}

std::size_t misses(const Facets& facets, const OperationSnapshot& snapshot,
                   const CohortInfo& cohort) {
  Out out;
  add_environment(out, facets, cohort);
  add_protocol(out, facets, cohort);
  add_storage(out, facets, snapshot.workloads[cohort.workload]);
  add_case(out, facets, snapshot.workloads[cohort.workload]);
  return out.size();
}

bool cohort_satisfies(const Facets& facets, const OperationSnapshot& snapshot,
                      const CohortInfo& cohort) {
  Out out;
  add_environment(out, facets, cohort);
  if (out.empty()) add_protocol(out, facets, cohort);
  if (out.empty()) add_storage(out, facets, snapshot.workloads[cohort.workload]);
  if (out.empty()) add_case(out, facets, snapshot.workloads[cohort.workload]);
  return out.empty();
}

bool implementation_satisfies(const Facets& facets, const ImplementationInfo& implementation) {
  Out out;
  add_implementation(out, facets, implementation);
  return out.empty();
}

bool is_case(const Facets& facets, const WorkloadInfo& workload) {
  if (workload.suite) return false;
  Out out;
  add_case(out, facets, workload);
  for (const DtypeFacet& dtype : facets.dtypes) {
    if (!satisfies(dtype, workload.match_dtypes)) return false;
  }
  return out.empty();
}

std::vector<Mismatch> differences(const WorkloadInfo& selected, const WorkloadInfo& other) {
  Out out;
  if (selected.suite || other.suite) {
    if (selected.suite != other.suite) {
      add(out, "workload.scope", selected.suite ? "suite aggregate" : "exact case",
          other.suite ? "suite aggregate" : "exact case");
    }
    return out;
  }
  const auto text = [](const std::optional<std::int64_t>& value) {
    return value ? std::to_string(*value) : std::string("unknown");
  };
  for (const auto& [name, value] : selected.axes) {
    const auto observed = other.axis(name);
    if (observed != value) add(out, "axes." + name, std::to_string(value), text(observed));
  }
  for (const auto& [name, value] : other.axes) {
    if (!selected.axis(name)) add(out, "axes." + name, "unknown", std::to_string(value));
  }
  return out;
}

namespace {

// The start of a digest: enough to see that two are not the same.
std::string short_key(std::string_view digest) {
  constexpr std::size_t kShown = std::string_view("sha256:").size() + 8;
  return std::string(digest.substr(0, kShown));
}

// Two texts that stand for two keys; the keys themselves where the texts do not differ.
void add_keyed(Out& out, std::string field, const std::pair<std::string, std::string>& ranked,
               const std::pair<std::string, std::string>& other) {
  if (ranked.first == other.first) return;
  const bool told = ranked.second != other.second;
  const auto text = [&](const auto& side) {
    if (!told) return short_key(side.first);
    return side.second.empty() ? std::string("unknown") : side.second;
  };
  add(out, std::move(field), text(ranked), text(other));
}

}  // namespace

std::vector<Mismatch> differences(const OperationSnapshot& snapshot, const CohortInfo& ranked,
                                  const CohortInfo& other) {
  Out out;
  const WorkloadInfo& from = snapshot.workloads[ranked.workload];
  const WorkloadInfo& to = snapshot.workloads[other.workload];
  if (ranked.workload != other.workload) {
    out = differences(from, to);
    if (from.dtypes != to.dtypes) {
      add(out, "workload.dtype", join(from.match_dtypes, "/"), join(to.match_dtypes, "/"));
    }
    if (out.empty()) add(out, "workload", short_key(from.digest), short_key(to.digest));
  }
  if (ranked.hardware_model != other.hardware_model) {
    add(out, "hardware.gpu", ranked.hardware_model, other.hardware_model);
  }
  if (ranked.pass != other.pass) {
    add(out, "protocol.pass", pass_text(ranked.pass), pass_text(other.pass));
  }
  if (ranked.metric != other.metric) add(out, "metric", metric_text(ranked), metric_text(other));
  if (ranked.pass == other.pass && ranked.metric == other.metric) {
    add_keyed(out, "protocol", {ranked.protocol_key, ranked.protocol_text},
              {other.protocol_key, other.protocol_text});
  }
  if (ranked.hardware_model == other.hardware_model) {
    add_keyed(out, "environment", {ranked.environment_key, ranked.environment_text},
              {other.environment_key, other.environment_text});
  }
  if (out.empty() && ranked.model.comparison_key != other.model.comparison_key) {
    add(out, "comparison", short_key(ranked.model.comparison_key),
        short_key(other.model.comparison_key));
  }
  return out;
}

namespace {

std::size_t distance(const WorkloadInfo& selected, const WorkloadInfo& other) {
  if (selected.suite || other.suite) return selected.suite != other.suite ? 1 : 0;
  std::size_t out = 0;
  for (const auto& [name, value] : selected.axes) out += other.axis(name) != value ? 1 : 0;
  for (const auto& [name, value] : other.axes) out += selected.axis(name) ? 0 : 1;
  return out;
}

}  // namespace

std::size_t distance(const OperationSnapshot& snapshot, const CohortInfo& ranked,
                     const CohortInfo& other) {
  std::size_t out = 0;
  if (ranked.workload != other.workload) {
    const WorkloadInfo& from = snapshot.workloads[ranked.workload];
    const WorkloadInfo& to = snapshot.workloads[other.workload];
    out = distance(from, to) + (from.dtypes != to.dtypes ? 1 : 0);
    if (out == 0) out = 1;
  }
  const bool same_pass = ranked.pass == other.pass;
  const bool same_metric = ranked.metric == other.metric;
  if (!same_pass) ++out;
  if (!same_metric) ++out;
  if (same_pass && same_metric && ranked.protocol_key != other.protocol_key) ++out;
  // Another product is another environment: it counts once.
  if (ranked.hardware_model != other.hardware_model ||
      ranked.environment_key != other.environment_key) {
    ++out;
  }
  if (out == 0 && ranked.model.comparison_key != other.model.comparison_key) ++out;
  return out;
}

std::optional<std::size_t> find_cohort(const OperationSnapshot& snapshot, std::string_view key) {
  if (key.empty()) return std::nullopt;
  std::optional<std::size_t> out;
  for (std::size_t i = 0; i < snapshot.cohorts.size(); ++i) {
    if (!snapshot.cohorts[i].model.comparison_key.starts_with(key)) continue;
    if (out) return std::nullopt;
    out = i;
  }
  return out;
}

std::vector<std::string> failed_policies(const Facets& facets, const Row& row,
                                         policy::EvidenceLevel level) {
  std::vector<std::string> out;
  if (facets.trust && level < *facets.trust) out.emplace_back("trust");
  if (facets.license && !policy::licence_matches(*facets.license, row.license.concluded)) {
    out.emplace_back("license");
  }
  if (facets.source.value_or(false) && !row.source_available) out.emplace_back("source");
  if (facets.installable.value_or(false) && !row.installable) out.emplace_back("installable");
  return out;
}

namespace {

// A cohort that holds runs without a mismatch.
struct Candidate {
  std::size_t cohort = 0;
  std::int64_t runs = 0;  // those without a mismatch
  policy::EvidenceLevel level = policy::EvidenceLevel::reported;
};

using Only = std::optional<std::size_t>;  // the one workload to look at

std::vector<Candidate> candidates(const Facets& facets, const OperationSnapshot& snapshot,
                                  Only only) {
  std::vector<Candidate> out;
  for (std::size_t i = 0; i < snapshot.cohorts.size(); ++i) {
    const CohortInfo& cohort = snapshot.cohorts[i];
    if (only && cohort.workload != *only) continue;
    if (!cohort_satisfies(facets, snapshot, cohort)) continue;
    Candidate candidate{.cohort = i};
    for (const auto at : cohort.runs) {
      const RunInfo& run = snapshot.runs[at];
      if (!implementation_satisfies(facets, snapshot.implementations[run.implementation])) continue;
      if (!failed_policies(facets, run.row, run.level).empty()) continue;
      ++candidate.runs;
      candidate.level = std::max(candidate.level, run.level);
    }
    if (candidate.runs > 0) out.push_back(candidate);
  }
  return out;
}

// The cohort that misses fewest facets; of those the largest one of the workload with most runs.
// Cohorts come largest first; among workloads with equally many runs the one whose first run is
// better wins.
std::optional<std::size_t> nearest(const Facets& facets, const OperationSnapshot& snapshot,
                                   Only only) {
  using Order = std::tuple<std::size_t, std::int64_t, bool>;
  const auto sizes = [](const Order& order) {
    return std::tuple(std::get<0>(order), std::get<1>(order));
  };
  std::optional<std::size_t> best;
  Order best_order;
  for (std::size_t i = 0; i < snapshot.cohorts.size(); ++i) {
    const CohortInfo& cohort = snapshot.cohorts[i];
    if (only && cohort.workload != *only) continue;
    const Order order(misses(facets, snapshot, cohort), -snapshot.workloads[cohort.workload].runs,
                      cohort.secondary);
    const bool same_case = best && snapshot.cohorts[*best].workload == cohort.workload;
    if (best && !(same_case ? order < best_order : sizes(order) < sizes(best_order))) continue;
    best = i;
    best_order = order;
  }
  return best;
}

Selection chosen(const OperationSnapshot& snapshot, std::size_t cohort, bool satisfied,
                 std::string because) {
  return {.workload = snapshot.cohorts[cohort].workload,
          .cohort = cohort,
          .satisfied = satisfied,
          .fitting = {},
          .because = std::move(because)};
}

// A case that was asked for by name but never measured is still what the answer is about.
Selection unmeasured_case(const Facets& facets, const OperationSnapshot& snapshot) {
  for (std::size_t i = 0; i < snapshot.workloads.size(); ++i) {
    if (is_case(facets, snapshot.workloads[i])) {
      return {.workload = i,
              .cohort = {},
              .satisfied = false,
              .fitting = {},
              .because = "the case asked for exists but has no eligible run"};
    }
  }
  return {};
}

}  // namespace

namespace {

Selection choose(const Facets& facets, const OperationSnapshot& snapshot,
                 const SelectOptions& options, Only only, const std::vector<Candidate>& fitting) {
  for (const std::string& key : {options.cohort, facets.cohort}) {
    if (const auto found = find_cohort(snapshot, key)) {
      return chosen(snapshot, *found, true, "the comparison group named in the request");
    }
  }
  if (!facets.empty()) {
    if (!fitting.empty()) {
      const auto best = std::ranges::min(fitting, {}, [&](const Candidate& one) {
        const CohortInfo& cohort = snapshot.cohorts[one.cohort];
        return std::tuple(cohort.secondary, -static_cast<int>(one.level), -one.runs, !cohort.head,
                          cohort.order_value, one.cohort);
      });
      return chosen(snapshot, best.cohort, true,
                    "satisfies the request, best evidence first, then most runs");
    }
    if (facets.binds_case() && !only) {
      Selection unmeasured = unmeasured_case(facets, snapshot);
      if (unmeasured.workload) return unmeasured;
    }
  }
  if (const auto cohort = nearest(facets, snapshot, only)) {
    if (only) return chosen(snapshot, *cohort, facets.empty(), "the workload named in the request");
    return facets.empty()
               ? chosen(snapshot, *cohort, true, "the workload with most runs, its largest group")
               : chosen(snapshot, *cohort, false,
                        "no measured group satisfies the request; the nearest");
  }
  Selection none;
  if (only || !snapshot.workloads.empty()) none.workload = only.value_or(0);
  none.because = "nothing was measured";
  return none;
}

}  // namespace

Selection select(const Facets& facets, const OperationSnapshot& snapshot,
                 const SelectOptions& options) {
  Only only;
  if (const auto found = snapshot.workload_at.find(options.workload);
      found != snapshot.workload_at.end()) {
    only = found->second;
  }
  const auto fitting = candidates(facets, snapshot, only);
  Selection out = choose(facets, snapshot, options, only, fitting);
  for (const Candidate& one : fitting) out.fitting.push_back(one.cohort);
  return out;
}

}  // namespace ki::query
