#include "query/select.h"

#include <algorithm>
#include <tuple>

#include "query/requirements.h"

namespace ki::query {

std::optional<std::size_t> find_cohort(const OperationSnapshot& snapshot, std::string_view key) {
  if (key.empty()) return std::nullopt;
  // The digits alone will do.
  constexpr std::string_view kPrefix = "sha256:";
  const std::string whole =
      key.starts_with(kPrefix) ? std::string(key) : std::string(kPrefix) + std::string(key);
  key = whole;
  const auto key_of = [&](std::uint32_t at) { return snapshot.cohorts[at].comparison_key; };
  const auto& order = snapshot.cohorts_by_key;
  const auto first = std::ranges::lower_bound(order, key, {}, key_of);
  if (first == order.end() || !key_of(*first).starts_with(key)) return std::nullopt;
  const auto next = first + 1;
  if (next != order.end() && key_of(*next).starts_with(key)) return std::nullopt;
  return *first;
}

namespace {

// A cohort that holds runs without a mismatch.
struct Candidate {
  std::size_t cohort = 0;
  std::int64_t runs = 0;  // those without a mismatch
  policy::EvidenceLevel level = policy::EvidenceLevel::reported;
};

using Only = std::optional<std::size_t>;  // the one workload to look at

// Which implementations of an operation answer a request, and whether all of its runs do where
// their group does.
struct Fitting {
  std::vector<bool> implementations;
  bool all = false;
};

Fitting fitting_of(const Facets& facets, const OperationSnapshot& snapshot) {
  Fitting out;
  for (const ImplementationInfo& implementation : snapshot.implementations) {
    out.implementations.push_back(implementation_satisfies(facets, implementation));
  }
  out.all = std::ranges::find(out.implementations, false) == out.implementations.end() &&
            !facets.requires_anything();
  return out;
}

// What of a cohort answers the request exactly; no runs where nothing does.
Candidate candidate(const Facets& facets, const RowSource& rows, const Fitting& fitting,
                    std::size_t at) {
  const OperationSnapshot& snapshot = rows.snapshot;
  const CohortInfo& cohort = snapshot.cohorts[at];
  Candidate out{.cohort = at};
  if (!cohort_satisfies(facets, snapshot, cohort)) return out;
  if (fitting.all) {
    out.runs = std::ssize(cohort.runs);
    out.level = cohort.level;
    return out;
  }
  for (const Tally& tally : *rows.read.tallies(at)) {
    if (!fitting.implementations[tally.implementation]) continue;
    if (!meets_requirements(facets, offered(snapshot, cohort, tally))) continue;
    out.runs += tally.runs;
    out.level = std::max(out.level, tally.level);
  }
  return out;
}

std::vector<Candidate> candidates(const Facets& facets, const RowSource& rows, Only only) {
  const OperationSnapshot& snapshot = rows.snapshot;
  std::vector<Candidate> out;
  const Fitting fitting = fitting_of(facets, snapshot);
  for (std::size_t i = 0; i < snapshot.cohorts.size(); ++i) {
    if (only && snapshot.cohorts[i].workload != *only) continue;
    const Candidate one = candidate(facets, rows, fitting, i);
    if (one.runs > 0) out.push_back(one);
  }
  return out;
}

// The one to rank of those that answer the request.
std::size_t best_of(const OperationSnapshot& snapshot, const std::vector<Candidate>& fitting) {
  return std::ranges::min(fitting, {},
                          [&](const Candidate& one) {
                            const CohortInfo& cohort = snapshot.cohorts[one.cohort];
                            return std::tuple(cohort.precedence, -static_cast<int>(one.level),
                                              -one.runs, !cohort.is_ranked(), cohort.order_value,
                                              one.cohort);
                          })
      .cohort;
}

// Whether each workload is the case that was asked for and has eligible runs.
std::vector<bool> measured_cases(const Facets& facets, const OperationSnapshot& snapshot) {
  std::vector<bool> out;
  for (const WorkloadInfo& workload : snapshot.workloads) {
    out.push_back(workload.runs > 0 && facets.binds_case() && is_case(facets, workload));
  }
  return out;
}

// The cohort that misses fewest facets, and those by least; of those the largest one of the
// workload with most runs. Cohorts come largest first; among workloads with equally many runs the
// one whose first run is better wins.
std::optional<std::size_t> nearest(const Facets& facets, const OperationSnapshot& snapshot,
                                   Only only) {
  struct Order {
    Distance missed;
    std::int64_t runs = 0;
    int precedence = 0;
    auto of_case() const { return std::tuple(missed, -runs); }
    auto of_cohort() const { return std::tuple(missed, -runs, precedence); }
  };
  const auto asked = measured_cases(facets, snapshot);
  const bool is_measured = !only && std::ranges::find(asked, true) != asked.end();
  std::optional<std::size_t> best;
  Order best_order;
  for (std::size_t i = 0; i < snapshot.cohorts.size(); ++i) {
    const CohortInfo& cohort = snapshot.cohorts[i];
    if (only && cohort.workload != *only) continue;
    if (is_measured && !asked[cohort.workload]) continue;
    const Order order{.missed = misses(facets, snapshot, cohort),
                      .runs = snapshot.workloads[cohort.workload].runs,
                      .precedence = cohort.precedence};
    const bool same_case = best && snapshot.cohorts[*best].workload == cohort.workload;
    if (best && !(same_case ? order.of_cohort() < best_order.of_cohort()
                            : order.of_case() < best_order.of_case())) {
      continue;
    }
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

// A case that was asked for by name but never measured is still what the answer is about. One that
// was measured, with something else than was asked for, is no such case.
Selection unmeasured_case(const Facets& facets, const OperationSnapshot& snapshot) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < snapshot.workloads.size(); ++i) {
    if (!is_case(facets, snapshot.workloads[i])) continue;
    if (snapshot.workloads[i].runs > 0) return {};
    if (!found) found = i;
  }
  if (!found) return {};
  return {.workload = *found,
          .cohort = {},
          .satisfied = false,
          .fitting = {},
          .because = "the case asked for exists but has no eligible run"};
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
      return chosen(snapshot, best_of(snapshot, fitting), true,
                    "satisfies the request, best evidence first, then most runs");
    }
    if (facets.binds_case() && !only) {
      Selection unmeasured = unmeasured_case(facets, snapshot);
      if (unmeasured.workload) return unmeasured;
    }
  }
  if (const auto cohort = nearest(facets, snapshot, only)) {
    if (only) return chosen(snapshot, *cohort, facets.empty(), "the workload named in the request");
    if (facets.empty()) {
      return chosen(snapshot, *cohort, true, "the workload with most runs, its largest group");
    }
    const bool measured = facets.binds_case() &&
                          is_case(facets, snapshot.workloads[snapshot.cohorts[*cohort].workload]);
    return chosen(snapshot, *cohort, false,
                  measured ? "the case asked for is measured, but not with all that was asked for; "
                             "its nearest group"
                           : "no measured group satisfies the request; the nearest");
  }
  Selection none;
  if (only || !snapshot.workloads.empty()) none.workload = only.value_or(0);
  none.because = "nothing was measured";
  return none;
}

}  // namespace

std::optional<std::size_t> preferred(const Facets& facets, const RowSource& rows,
                                     std::span<const std::size_t> cohorts) {
  const OperationSnapshot& snapshot = rows.snapshot;
  const Fitting which = fitting_of(facets, snapshot);
  std::vector<Candidate> fitting;
  for (const std::size_t cohort : cohorts) {
    const Candidate one = candidate(facets, rows, which, cohort);
    if (one.runs > 0) fitting.push_back(one);
  }
  return fitting.empty() ? std::nullopt : std::optional(best_of(snapshot, fitting));
}

Selection select(const Facets& facets, const RowSource& rows, const SelectOptions& options) {
  const OperationSnapshot& snapshot = rows.snapshot;
  Only only;
  if (const auto found = snapshot.workload_at.find(options.workload);
      found != snapshot.workload_at.end()) {
    only = found->second;
  }
  const auto fitting = candidates(facets, rows, only);
  Selection out = choose(facets, snapshot, options, only, fitting);
  const std::string& key = options.cohort.empty() ? facets.cohort : options.cohort;
  if (!key.empty() && !find_cohort(snapshot, key)) {
    out.satisfied = false;
    out.unknown_cohort = key;
    out.because = "no comparison group of this operation has the key asked for; another";
  }
  const auto named = find_cohort(snapshot, key);
  for (const Candidate& one : fitting) {
    if (!named || *named == one.cohort) out.fitting.push_back(one.cohort);
  }
  return out;
}

}  // namespace ki::query
