#include "query/nearest.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "query/select.h"
#include "query/tokens.h"

namespace ki::query {
namespace {

// What a measured case offers to somebody who asked for another one.
struct Offer {
  std::size_t workload = 0;
  std::int64_t runs = 0;                   // that satisfy the facets other than the case
  std::vector<const CohortInfo*> cohorts;  // that hold them
};

// The measured cases, and whose runs count.
struct Offers {
  std::vector<bool> fits;  // by implementation
  bool all_fit = false;
  std::vector<Offer> cases;  // ascending by workload
};

// The request without the parts that name a case.
Facets other_facets(const Facets& facets) {
  Facets out = facets;
  out.shape.reset();
  out.axes.clear();
  return out;
}

Offers offers(const Facets& facets, const RowSource& rows) {
  const OperationSnapshot& snapshot = rows.snapshot;
  const Facets others = other_facets(facets);
  Offers out;
  for (const ImplementationInfo& implementation : snapshot.implementations) {
    out.fits.push_back(implementation_satisfies(others, implementation));
  }
  out.all_fit = std::ranges::find(out.fits, false) == out.fits.end();
  std::map<std::size_t, Offer> by_workload;
  for (const CohortInfo& cohort : snapshot.cohorts) {
    if (!cohort.has_value || snapshot.workloads[cohort.workload].suite) continue;
    if (!cohort_satisfies(others, snapshot, cohort)) continue;
    std::int64_t runs = out.all_fit ? std::ssize(cohort.runs) : 0;
    if (!out.all_fit) {
      for (const Tally& tally : *rows.read.tallies(snapshot.position_of(cohort))) {
        if (out.fits[tally.implementation]) runs += tally.runs;
      }
    }
    if (runs == 0) continue;
    Offer& offer = by_workload[cohort.workload];
    offer.workload = cohort.workload;
    offer.runs += runs;
    offer.cohorts.push_back(&cohort);
  }
  for (auto& [workload, offer] : by_workload) out.cases.push_back(std::move(offer));
  return out;
}

struct Lead {
  std::optional<Head> head;
  std::optional<std::string> cohort_key;
};

// The best run that an offer counts.
Lead lead_of(const RowSource& rows, const Offers& all, const Offer& offer) {
  const RunInfo* best = nullptr;
  std::size_t at = 0;
  const auto before_best = [&](const RunInfo& run) {
    return best == nullptr || before(rows.snapshot, run, *best);
  };
  for (const CohortInfo* cohort : offer.cohorts) {
    // One whose best value is worse holds nothing better.
    if (best != nullptr && cohort->is_ranked()) {
      const RunInfo bound{.id = {},
                          .value = *cohort->best_value,
                          .cohort = static_cast<std::uint32_t>(rows.snapshot.position_of(*cohort)),
                          .has_value = true};
      if (!before_best(bound)) continue;
    }
    const std::vector<RunInfo>& runs = rows.runs(*cohort).runs;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!runs[i].has_value || !all.fits[runs[i].implementation]) continue;
      if (!before_best(runs[i])) continue;
      best = &runs[i];
      at = cohort->runs.front() + i;
    }
  }
  if (best == nullptr) return {};
  const auto row = rows.of(at);
  return {.head = head_of(*row), .cohort_key = row->comparison_key};
}

// The query with the tokens that named the case replaced.
std::string rewritten(const Request& request, const std::vector<std::string>& dropped,
                      const std::vector<std::string>& added) {
  std::string out = without_tokens(request.tokens, dropped);
  for (const auto& token : added) out += (out.empty() ? "" : " ") + token;
  return out;
}

// The tokens of an axis, which may have been said in several words ("hidden size 4096").
void drop_axis(std::vector<std::string>& dropped, const AxisFacet& axis) {
  for (auto& token : tokens_of(axis.token)) dropped.push_back(std::move(token));
}

std::string binding(std::string_view axis, std::int64_t value) {
  return std::string(axis) + "=" + std::to_string(value);
}

// One candidate of the single-axis search.
struct Neighbour {
  const Offer* offer = nullptr;
  std::int64_t requested = 0;
  std::int64_t observed = 0;
};

using Neighbours = std::map<std::string, std::vector<Neighbour>>;  // by axis

// Cases that differ from the bound axes in exactly one.
Neighbours by_axis(const Facets& facets, const OperationSnapshot& snapshot, const Offers& all) {
  Neighbours out;
  for (const Offer& offer : all.cases) {
    const WorkloadInfo& workload = snapshot.workloads[offer.workload];
    const AxisFacet* differs = nullptr;
    int count = 0;
    for (const AxisFacet& axis : facets.axes) {
      if (axis.soft || axis.size.holds(workload.axis(axis.name))) continue;
      differs = &axis;
      ++count;
    }
    const auto observed = count == 1 ? workload.axis(differs->name) : std::nullopt;
    if (!observed) continue;
    out[differs->name].push_back(
        {.offer = &offer, .requested = differs->size.nearest(*observed), .observed = *observed});
  }
  return out;
}

// Cases with a tensor of the same rank that differs in exactly one dimension. The axis is the one
// whose value that dimension has, else "dim <i>".
Neighbours by_shape(const std::vector<std::int64_t>& shape, const OperationSnapshot& snapshot,
                    const Offers& all) {
  Neighbours out;
  for (const Offer& offer : all.cases) {
    const WorkloadInfo& workload = snapshot.workloads[offer.workload];
    for (const TensorInfo& tensor : workload.tensors) {
      if (tensor.shape.size() != shape.size()) continue;
      std::size_t at = 0;
      int count = 0;
      for (std::size_t i = 0; i < shape.size(); ++i) {
        if (tensor.shape[i] == shape[i]) continue;
        at = i;
        ++count;
      }
      if (count != 1) continue;
      std::string name = "dim " + std::to_string(at);
      for (const auto& [axis, value] : workload.axes) {
        if (value != tensor.shape[at]) continue;
        name = axis;
        break;
      }
      out[name].push_back({.offer = &offer, .requested = shape[at], .observed = tensor.shape[at]});
      break;
    }
  }
  return out;
}

// The tensor of a shape's rank that is least unlike it.
const TensorInfo* most_like(const std::vector<std::int64_t>& shape, const WorkloadInfo& workload) {
  const TensorInfo* best = nullptr;
  std::size_t fewest = 0;
  for (const TensorInfo& tensor : workload.tensors) {
    if (tensor.shape.size() != shape.size()) continue;
    std::size_t differing = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) differing += tensor.shape[i] != shape[i] ? 1 : 0;
    if (best == nullptr || differing < fewest) best = &tensor;
    if (best == &tensor) fewest = differing;
  }
  return best;
}

// The request about this case and no other: with every axis of it, those asked for first, or where
// it has none with the shape of its own.
std::string case_query(const Request& request, const WorkloadInfo& workload) {
  std::vector<std::string> dropped;
  std::vector<std::string> added;
  std::vector<std::string_view> named;
  for (const AxisFacet& axis : request.facets.axes) {
    if (axis.soft) continue;
    drop_axis(dropped, axis);
    named.push_back(axis.name);
    if (const auto value = workload.axis(axis.name)) added.push_back(binding(axis.name, *value));
  }
  if (request.facets.shape) dropped.push_back(request.facets.shape_token);
  for (const auto& [name, value] : workload.axes) {
    if (std::ranges::find(named, name) == named.end()) added.push_back(binding(name, value));
  }
  if (request.facets.shape && workload.axes.empty()) {
    const TensorInfo* tensor = most_like(*request.facets.shape, workload);
    if (tensor != nullptr) added.push_back("shape:" + shape_text(tensor->shape));
  }
  return rewritten(request, dropped, added);
}

Near near_of(const Request& request, const RowSource& rows, const Offers& all,
             const Neighbour& neighbour) {
  const WorkloadInfo& workload = rows.snapshot.workloads[neighbour.offer->workload];
  auto [head, cohort_key] = lead_of(rows, all, *neighbour.offer);
  return {.workload_id = workload.id,
          .label = workload.label,
          .value = static_cast<double>(neighbour.observed),
          .runs = neighbour.offer->runs,
          .head = std::move(head),
          .cohort_key = std::move(cohort_key),
          .query = case_query(request, workload)};
}

// Every axis of a case but one: neighbours with the same are equal in everything else.
std::string rest_of(const WorkloadInfo& workload, std::string_view axis) {
  std::string out;
  for (const auto& [name, value] : workload.axes) {
    if (name != axis) out += binding(name, value) + ' ';
  }
  return out;
}

struct Sides {
  const Neighbour* below = nullptr;
  const Neighbour* above = nullptr;
  std::size_t candidates = 0;

  void add(const Neighbour& one) {
    ++candidates;
    if (one.observed < one.requested && (!below || one.observed > below->observed)) below = &one;
    if (one.observed > one.requested && (!above || one.observed < above->observed)) above = &one;
  }
};

// The nearest neighbours on both sides of one axis, the two of them equal in everything else: of
// several such pairs the one with both sides, then with most candidates.
NearAxis sides_of(const Request& request, const RowSource& rows, const Offers& all,
                  const std::string& axis, const std::vector<Neighbour>& neighbours) {
  std::map<std::string, Sides> by_rest;
  for (const Neighbour& one : neighbours) {
    // Neighbours of a shape have the other sizes of their tensor in common already.
    const bool by_shape = request.facets.shape.has_value();
    const WorkloadInfo& workload = rows.snapshot.workloads[one.offer->workload];
    by_rest[by_shape ? std::string() : rest_of(workload, axis)].add(one);
  }
  const auto best = std::ranges::max_element(by_rest, {}, [](const auto& entry) {
    const Sides& sides = entry.second;
    return std::pair(sides.below != nullptr && sides.above != nullptr, sides.candidates);
  });
  NearAxis out{.axis = axis,
               .requested = static_cast<double>(neighbours.front().requested),
               .below = {},
               .above = {}};
  const auto& [below, above, candidates] = best->second;
  if (below) out.below = near_of(request, rows, all, *below);
  if (above) out.above = near_of(request, rows, all, *above);
  return out;
}

void add_axes(Nearest& out, const Request& request, const RowSource& rows, const Offers& all,
              const Neighbours& neighbours) {
  std::vector<const Neighbours::value_type*> axes;
  for (const auto& entry : neighbours) axes.push_back(&entry);
  std::ranges::stable_sort(axes, std::greater{},
                           [](const auto* entry) { return entry->second.size(); });
  if (axes.size() > kNearAxesMax) axes.resize(kNearAxesMax);
  for (const auto* entry : axes) {
    out.axes.push_back(sides_of(request, rows, all, entry->first, entry->second));
  }
  if (out.axes.empty()) return;
  const NearAxis& first = out.axes.front();
  out.axis = first.axis;
  out.requested = first.requested;
  out.below = first.below;
  out.above = first.above;
}

// |log2(observed / requested)|; sizes that cannot be divided count as one doubling.
double distance(std::int64_t requested, std::int64_t observed) {
  if (requested == observed) return 0;
  if (requested <= 0 || observed <= 0) return 1;
  return std::abs(std::log2(static_cast<double>(observed) / static_cast<double>(requested)));
}

double ratio(std::int64_t requested, std::int64_t observed) {
  return requested > 0 ? static_cast<double>(observed) / static_cast<double>(requested) : 0;
}

// Three digits: "2", "0.512", "16,400", "1/16,400".
std::string factor_text(double factor) {
  constexpr double kThousand = 1000;
  if (factor < 1 / kThousand) return "1/" + factor_text(1 / factor);
  if (factor < kThousand) return fmt::format("{:.3g}", factor);
  const double unit = std::pow(10, std::floor(std::log10(factor)) - 2);
  std::string text = fmt::format("{:.0f}", std::round(factor / unit) * unit);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

// "2x", "0.5x", "equal"; the values themselves where no ratio tells them apart.
std::string ratio_text(std::int64_t requested, std::int64_t observed) {
  if (requested == observed) return "equal";
  if (requested <= 0 || observed <= 0) {
    return std::to_string(observed) + " for " + std::to_string(requested);
  }
  std::string text = factor_text(ratio(requested, observed)) + "x";
  return text == "1x" ? "nearly equal" : text;
}

void add_difference(NearCase& into, std::string axis, std::int64_t requested,
                    std::int64_t observed) {
  into.distance_text +=
      (into.distance_text.empty() ? "" : ", ") + axis + " " + ratio_text(requested, observed);
  if (requested == observed) return;
  into.distance += distance(requested, observed);
  into.differs.push_back({.axis = std::move(axis),
                          .requested = static_cast<double>(requested),
                          .observed = static_cast<double>(observed),
                          .ratio = ratio(requested, observed)});
}

// Fills `into` with the differences of one case; false when the two cannot be compared.
bool compare_axes(const Facets& facets, const WorkloadInfo& workload, NearCase& into) {
  for (const AxisFacet& axis : facets.axes) {
    if (axis.soft) continue;
    const auto observed = workload.axis(axis.name);
    if (!observed) return false;
    add_difference(into, axis.name, axis.size.nearest(*observed), *observed);
  }
  return true;
}

bool compare_shape(const std::vector<std::int64_t>& shape, const WorkloadInfo& workload,
                   NearCase& into) {
  std::optional<NearCase> best;
  for (const TensorInfo& tensor : workload.tensors) {
    if (tensor.shape.size() != shape.size()) continue;
    NearCase one = into;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      add_difference(one, "dim " + std::to_string(i), shape[i], tensor.shape[i]);
    }
    if (!best || one.distance < best->distance) best = std::move(one);
  }
  if (!best) return false;
  into = std::move(*best);
  return true;
}

void add_cases(Nearest& out, const Request& request, const RowSource& rows, const Offers& all) {
  struct Case {
    NearCase shown;
    const Offer* offer = nullptr;
  };
  std::vector<Case> cases;
  for (const Offer& offer : all.cases) {
    const WorkloadInfo& workload = rows.snapshot.workloads[offer.workload];
    NearCase one;
    if (!compare_axes(request.facets, workload, one)) continue;
    if (request.facets.shape && !compare_shape(*request.facets.shape, workload, one)) continue;
    one.workload_id = workload.id;
    one.runs = offer.runs;
    cases.push_back({.shown = std::move(one), .offer = &offer});
  }
  std::ranges::sort(cases, {}, [](const Case& one) {
    return std::tuple(one.shown.distance, -one.shown.runs, std::string_view(one.shown.workload_id));
  });
  if (cases.size() > kNearCasesMax) cases.resize(kNearCasesMax);
  for (Case& one : cases) {
    const WorkloadInfo& workload = rows.snapshot.workloads[one.offer->workload];
    auto [head, cohort_key] = lead_of(rows, all, *one.offer);
    one.shown.label = workload.label;
    one.shown.head = std::move(head);
    one.shown.cohort_key = std::move(cohort_key);
    one.shown.query = case_query(request, workload);
    out.cases.push_back(std::move(one.shown));
  }
}

}  // namespace

std::optional<Nearest> nearest_cases(const Request& request, const RowSource& rows) {
  const Facets& facets = request.facets;
  const OperationSnapshot& snapshot = rows.snapshot;
  if (!facets.binds_case()) return std::nullopt;
  const Offers all = offers(facets, rows);
  const bool has_axes =
      std::ranges::any_of(facets.axes, [](const auto& axis) { return !axis.soft; });
  Nearest out;
  if (has_axes) {
    add_axes(out, request, rows, all, by_axis(facets, snapshot, all));
  } else {
    add_axes(out, request, rows, all, by_shape(*facets.shape, snapshot, all));
  }
  add_cases(out, request, rows, all);
  if (out.axes.empty() && out.cases.empty()) return std::nullopt;
  if (out.axis.empty() && !out.cases.empty() && !out.cases[0].differs.empty()) {
    out.axis = out.cases[0].differs[0].axis;
    out.requested = out.cases[0].differs[0].requested;
  }
  return out;
}

}  // namespace ki::query
