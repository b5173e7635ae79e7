// Resolver::resolve_serving: which runs of served models satisfy a request, cohort by cohort.
#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "catalog/read_serving.h"
#include "query/resolver_impl.h"
#include "query/serving_parts.h"

namespace ki::query {
namespace {

using catalog::ServedRunLine;
using policy::Measurement;

constexpr std::int64_t kFacetsMax = 200;  // of each kind

// A run while it is judged.
struct Candidate {
  ServedRunLine line{};
  std::vector<Measurement> measurements{};
  std::vector<ServingOutcome> outcomes{};
  std::vector<std::string> reasons{};  // why it is out; empty: it is feasible
  std::optional<std::int64_t> rank{};
  bool on_frontier = false;
};

struct ServedCohort {
  std::string key{};
  std::vector<Candidate> feasible{};
  std::vector<Candidate> excluded{};
  std::vector<policy::ServingAxis> axes{};
  std::optional<ServingRanking> ranking{};

  const ServedRunLine& head() const {
    return feasible.empty() ? excluded.front().line : feasible.front().line;
  }
};

std::vector<policy::ServingConstraint> constraints_of(const ServingRequest& request) {
  std::vector<policy::ServingConstraint> out;
  if (!request.constraints) return out;
  for (const ServingConstraintAsked& one : *request.constraints) {
    out.push_back({.metric = one.metric,
                   .statistic = one.statistic.value_or(std::string(policy::kConstraintStatistic)),
                   .strict = one.op == ServingOperator::below,
                   .value = one.value});
  }
  return out;
}

void judge(Candidate& candidate, const std::vector<policy::ServingConstraint>& constraints,
           const std::vector<policy::ServingBound>& declared) {
  for (const policy::ServingConstraint& constraint : constraints) {
    const auto outcome = policy::check_constraint(constraint, candidate.measurements, declared);
    candidate.outcomes.push_back({.constraint = policy::to_string(constraint),
                                  .statistic = constraint.statistic,
                                  .state = outcome.state,
                                  .satisfied = outcome.satisfied,
                                  .detail = outcome.detail});
    const bool known =
        std::ranges::find(candidate.reasons, outcome.reason) != candidate.reasons.end();
    if (!outcome.reason.empty() && !known) candidate.reasons.push_back(outcome.reason);
  }
}

std::vector<const std::vector<Measurement>*> measured(const std::vector<Candidate>& runs) {
  std::vector<const std::vector<Measurement>*> out;
  for (const Candidate& run : runs) out.push_back(&run.measurements);
  return out;
}

// The runs of a cohort report the same set of metrics and statistics, so one statistic serves all.
void rank(ServedCohort& cohort, const ServingObjectiveAsked& asked) {
  const auto& reported = cohort.feasible.front().measurements;
  policy::ServingObjective objective{.metric = asked.metric,
                                     .direction = asked.direction == ServingDirection::minimize
                                                      ? policy::Direction::lower
                                                      : policy::Direction::higher,
                                     .statistic = asked.statistic.value_or("")};
  std::string chosen = "requested";
  if (objective.statistic.empty()) {
    objective.statistic = policy::choose_statistic(asked.metric, reported);
    if (objective.statistic.empty()) return;
    chosen = objective.statistic == policy::usual_statistic(asked.metric) ? "usual" : "reported";
  }
  const auto figures = policy::figures_of(objective, measured(cohort.feasible));
  const auto ranks = policy::competition_ranks(figures, objective.direction);
  std::int64_t ranked = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    cohort.feasible[i].rank = ranks[i];
    if (ranks[i]) ++ranked;
  }
  if (ranked == 0) return;
  cohort.ranking = ServingRanking{.metric = objective.metric,
                                  .statistic = objective.statistic,
                                  .direction = std::string(json::word(asked.direction)),
                                  .statistic_chosen = std::move(chosen),
                                  .ranked = ranked};
}

void finish(ServedCohort& cohort, const ServingRequest& request) {
  if (cohort.feasible.empty()) return;
  if (request.objective) rank(cohort, *request.objective);
  const auto frontier = policy::frontier_of(measured(cohort.feasible));
  for (std::size_t i = 0; i < frontier.size(); ++i) cohort.feasible[i].on_frontier = frontier[i];
  cohort.axes = policy::shared_axes(measured(cohort.feasible), false);
  // Ranked ones by rank, then those on the frontier, then the newest.
  std::ranges::stable_sort(cohort.feasible, {}, [](const Candidate& run) {
    constexpr std::int64_t kUnranked = kServingRunsMax + 1;
    return std::pair(run.rank.value_or(run.on_frontier ? kUnranked : kUnranked + 1), 0);
  });
}

Result<std::vector<ServedCohort>> cohorts_of(db::Connection& connection,
                                             const ServingRequest& request,
                                             std::vector<ServedRunLine> lines) {
  const auto constraints = constraints_of(request);
  std::map<std::string, std::vector<policy::ServingBound>, std::less<>> declared;  // by workload
  std::map<std::string, ServedCohort, std::less<>> cohorts;
  for (ServedRunLine& line : lines) {
    Candidate candidate{.line = std::move(line)};
    candidate.measurements = TRY(measurements_of(connection, candidate.line.id));
    auto bounds = declared.find(candidate.line.workload_id);
    if (bounds == declared.end()) {
      auto read = TRY(declared_by(connection, candidate.line.workload_id));
      bounds = declared.emplace(candidate.line.workload_id, std::move(read)).first;
    }
    judge(candidate, constraints, bounds->second);
    ServedCohort& cohort = cohorts[candidate.line.cohort_key];
    cohort.key = candidate.line.cohort_key;
    auto& into = candidate.reasons.empty() ? cohort.feasible : cohort.excluded;
    into.push_back(std::move(candidate));
  }
  std::vector<ServedCohort> out;
  for (auto& [key, cohort] : cohorts) {
    finish(cohort, request);
    out.push_back(std::move(cohort));
  }
  std::ranges::stable_sort(out, std::greater{},
                           [](const ServedCohort& cohort) { return cohort.feasible.size(); });
  return out;
}

Result<ServingRow> row_of(db::Connection& connection, const Candidate& candidate) {
  const ServedRunLine& line = candidate.line;
  ServingRow row{.run_id = line.id,
                 .run_digest = line.digest,
                 .rank = candidate.rank,
                 .on_frontier = candidate.on_frontier,
                 .model = {.name = line.model_name, .slug = line.model_slug},
                 .stack = stack_label(line.stack_name, line.stack_version),
                 .configuration = line.configuration_summary,
                 .dtype = line.dtype,
                 .quality_policy = line.quality_policy,
                 .scenario = line.scenario,
                 .hardware = {.model = line.accelerator_model,
                              .per_node = line.accelerator_count,
                              .nodes = line.node_count,
                              .total = line.total_accelerators},
                 .measurements = figures(candidate.measurements),
                 .constraints = candidate.outcomes,
                 .observed_at = line.observed_at};
  TRY(add_detail(connection, line.id, row));
  return row;
}

Result<ServingGroup> group_of(db::Connection& connection, const ServedCohort& cohort) {
  const ServedRunLine& head = cohort.head();
  ServingGroup group{
      .cohort_key = cohort.key,
      .description = {},
      .identity = {.model = head.model_name,
                   .workload = head.workload_name,
                   .scenario = head.scenario,
                   .topology = topology_text(head.accelerator_model, head.accelerator_count,
                                             head.node_count),
                   .quality = head.quality_policy},
      .rows_total = std::ssize(cohort.feasible),
      .excluded_total = std::ssize(cohort.excluded),
      .ranking = cohort.ranking};
  const ServingIdentity& identity = group.identity;
  group.description = description_of(identity);
  for (const Candidate& candidate : cohort.feasible) {
    if (std::ssize(group.rows) == kServingRowsMax) break;
    ServingRow row = TRY(row_of(connection, candidate));
    group.rows.push_back(std::move(row));
  }
  for (const Candidate& candidate : cohort.excluded) {
    if (std::ssize(group.excluded) == kServingRowsMax) break;
    group.excluded.push_back({.run_id = candidate.line.id,
                              .configuration = candidate.line.configuration_summary,
                              .reasons = candidate.reasons});
  }
  for (const policy::ServingAxis& axis : cohort.axes) {
    group.shared_axes.push_back(axis.metric + "·" + axis.statistic);
  }
  return group;
}

std::vector<ServingName> names(std::vector<catalog::ServedName> from) {
  std::ranges::stable_sort(from, std::greater{}, &catalog::ServedName::runs);
  std::vector<ServingName> out;
  for (catalog::ServedName& one : from) {
    if (one.runs == 0 || std::ssize(out) == kFacetsMax) break;
    out.push_back({.slug = std::move(one.slug), .name = std::move(one.name), .runs = one.runs});
  }
  return out;
}

// Says which of the names asked for are not there; the lists are complete up to kFacetsMax.
void note_unknown(ServingAnswer& out) {
  const auto missing = [&](std::string_view what, const std::optional<std::string>& asked,
                           const std::vector<ServingName>& known) {
    if (!asked || asked->empty() ||
        std::ranges::find(known, *asked, &ServingName::slug) != known.end())
      return;
    std::vector<std::string_view> slugs;
    for (const ServingName& one : known) slugs.push_back(one.slug);
    const auto near = nearest(*asked, slugs);
    out.notes.push_back(fmt::format("no {} with eligible runs is called '{}'{}", what,
                                    excerpt(*asked),
                                    near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  };
  if (out.matching_runs > 0) return;
  missing("model", out.input.model, out.facets.models);
  missing("workload", out.input.workload, out.facets.workloads);
}

Status add_facets(db::Connection& connection, ServingAnswer& out) {
  auto models = TRY(catalog::read_served_models(connection));
  auto workloads = TRY(catalog::read_served_workloads(connection));
  const auto accelerators = TRY(catalog::read_served_on(connection));
  out.facets.models = names(std::move(models));
  out.facets.workloads = names(std::move(workloads));
  for (const catalog::ServedOn& on : accelerators) {
    out.total_runs += on.runs;
    if (std::ssize(out.facets.hardware) < kFacetsMax) {
      out.facets.hardware.push_back(on.accelerator_model);
    }
  }
  out.facets.metrics = {"output_token_throughput_tps", "ttft_ms", "tpot_ms"};
  return {};
}

Result<std::vector<ServedRunLine>> lines_of(db::Connection& connection,
                                            const ServingRequest& request) {
  catalog::ServedConditions conditions{.model_slug = request.model.value_or(""),
                                       .workload_slug = request.workload.value_or(""),
                                       .limit = kServingRunsMax + 1};
  if (request.hardware) {
    conditions.hardware_part = TRY(product_part(connection, request.hardware->model.value_or("")));
    conditions.accelerators_max = request.hardware->count_maximum.value_or(0);
  }
  auto lines = TRY(catalog::list_served(connection, conditions));
  if (std::ssize(lines) > kServingRunsMax) {
    return invalid(fmt::format("more than {} runs match: name a model, a workload or hardware",
                               kServingRunsMax));
  }
  return lines;
}

}  // namespace

Result<ServingAnswer> Resolver::resolve_serving(const ServingRequest& request,
                                                const PageOptions& page) const {
  if (const Issues issues = faults_of(request); !issues.empty()) {
    return invalid(to_string(issues));
  }
  if (page.limit < 1 || page.limit > kServingGroupsMax) {
    return invalid(fmt::format("limit is 1 to {}", kServingGroupsMax));
  }
  const auto state = TRY(impl_->steady());  // the page and its version agree
  db::Connection& connection = impl_->connection();
  const CursorScope scope{.list = {"serving", json::to_json(request)}, .version = TRY(version())};
  const Position position = TRY(start_of(page.cursor, scope));
  std::size_t first = 0;
  std::from_chars(position.key.data(), position.key.data() + position.key.size(), first);
  ServingAnswer out{.input = request,
                    .policy_version = std::string(policy::kServingV1),
                    .generated_at = to_iso(impl_->clock.now())};
  auto lines = TRY(lines_of(connection, request));
  out.matching_runs = std::ssize(lines);
  TRY(add_facets(connection, out));
  note_unknown(out);
  const auto cohorts = TRY(cohorts_of(connection, request, std::move(lines)));
  out.groups_total = std::ssize(cohorts);
  for (const ServedCohort& cohort : cohorts) out.feasible_runs += std::ssize(cohort.feasible);
  const std::size_t end = std::min(cohorts.size(), first + static_cast<std::size_t>(page.limit));
  for (std::size_t i = first; i < end; ++i) {
    ServingGroup group = TRY(group_of(connection, cohorts[i]));
    out.groups.push_back(std::move(group));
  }
  if (end < cohorts.size()) {
    out.next_cursor = encode_cursor({.time = "", .key = std::to_string(end)}, scope);
  }
  out.illustrative = TRY(catalog::any_served_illustrative(connection));
  return out;
}

}  // namespace ki::query
