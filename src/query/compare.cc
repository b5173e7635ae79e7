// Resolver::compare: runs side by side, and a winner only where one can be named.
#include <algorithm>

#include "base/digest.h"
#include "base/text.h"
#include "catalog/lookup.h"
#include "catalog/read_run.h"
#include "policy/assessment.h"
#include "policy/facts.h"
#include "policy/ranking.h"
#include "query/describe.h"
#include "query/ratio.h"
#include "query/resolver_impl.h"
#include "query/run_name.h"
#include "query/stored.h"

namespace ki::query {
namespace {

// One run of a comparison with what its fields need.
struct Side {
  catalog::RunRecord record;
  Shared::Snapshot snapshot;
  const ImplementationInfo* implementation = nullptr;
  const WorkloadInfo* workload = nullptr;
  std::vector<std::string> ineligible;
  policy::EvidenceLevel level = policy::EvidenceLevel::reported;
  std::string harness;
  std::optional<policy::Pass> pass;
};

// A run of a comparison; nullopt when there is none of that id or digest. `load` gives the
// operation of an id.
template <class Load>
Result<std::optional<Side>> side_of(db::Connection& connection, const std::string& key, Load load) {
  auto run = TRY(catalog::find_run(connection, key));
  if (!run) return std::optional<Side>();
  Side side;
  side.snapshot = TRY(load(run->operation_id));
  if (!side.snapshot) return fail(Code::unavailable, "the catalog is being changed; try again");
  side.record = TRY(catalog::read_run(connection, std::move(*run)));
  const catalog::RunRow& row = side.record.run;
  for (const auto& implementation : side.snapshot->implementations) {
    if (implementation.line.id == row.implementation_id) side.implementation = &implementation;
  }
  const auto workload = side.snapshot->workload_at.find(row.workload_id);
  if (side.implementation == nullptr || workload == side.snapshot->workload_at.end()) {
    return fail(Code::unavailable, "the catalog is being changed; try again");
  }
  side.workload = &side.snapshot->workloads[workload->second];
  side.ineligible = policy::eligibility({.status = row.status,
                                         .published = row.published_at.has_value(),
                                         .retracted = side.record.retraction.has_value(),
                                         .superseded = side.record.superseded_by.has_value(),
                                         .held = side.record.hold.has_value(),
                                         .has_value = row.primary_value.has_value()});
  side.level = level_of(side.record);
  const json::Document protocol = TRY(parse_stored(side.record.protocol, row.protocol_key));
  side.harness = text_at(protocol.root, "spec.harness.name").value_or("unknown");
  side.pass = policy::timed_pass(protocol.root);
  return std::optional(std::move(side));
}

using Cells = std::vector<std::optional<std::string>>;

// "<text> <first 8 hex digits of a digest>"
std::string with_digest(const std::string& text, std::string_view digest) {
  constexpr std::size_t kPrefix = std::string_view("sha256:").size();
  return text + " " + std::string(digest.substr(std::min(kPrefix, digest.size()), 8));
}

template <class Read>
void add_field(Comparison& out, const std::vector<Side>& sides, std::string name, bool material,
               Read read) {
  Cells cells;
  for (const Side& side : sides) cells.push_back(read(side));
  const bool differs =
      std::ranges::any_of(cells, [&](const auto& cell) { return cell != cells.front(); });
  if (differs && material && !out.first_material_mismatch) out.first_material_mismatch = name;
  out.fields.push_back({.field = std::move(name),
                        .material = material,
                        .values = std::move(cells),
                        .differs = differs});
}

std::optional<std::string> number(const std::optional<std::int64_t>& value) {
  return value ? std::optional(std::to_string(*value)) : std::nullopt;
}

using Cell = std::optional<std::string>;

void add_material_fields(Comparison& out, const std::vector<Side>& sides) {
  add_field(out, sides, "operation", true,
            [](const Side& s) -> Cell { return s.snapshot->ref.slug; });
  add_field(out, sides, "workload", true, [](const Side& s) -> Cell {
    return with_digest(s.workload->label, s.workload->digest);
  });
  add_field(out, sides, "protocol", true, [](const Side& s) -> Cell {
    return with_digest(s.harness, s.record.run.protocol_key);
  });
  add_field(out, sides, "environment", true, [](const Side& s) -> Cell {
    return with_digest(s.record.run.hardware_model, s.record.run.environment_key);
  });
  add_field(out, sides, "correctness policy", true, [](const Side& s) -> Cell {
    return std::string(trim(with_digest("", s.record.run.correctness_key)));
  });
  add_field(out, sides, "metric", true, [](const Side& s) -> Cell {
    const catalog::RunRow& run = s.record.run;
    if (!run.primary_metric) return std::nullopt;
    return *run.primary_metric + ":" + run.primary_statistic.value_or("value") + ":" +
           run.primary_unit.value_or("");
  });
}

void add_other_fields(Comparison& out, const std::vector<Side>& sides) {
  add_field(out, sides, "pass", false, [](const Side& s) -> Cell {
    return s.pass ? Cell(policy::name_of(*s.pass)) : std::nullopt;
  });
  add_field(out, sides, "architecture", false,
            [](const Side& s) -> Cell { return s.record.run.hardware_architecture; });
  add_field(out, sides, "CUDA", false,
            [](const Side& s) -> Cell { return number(s.record.run.cuda_major); });
  add_field(out, sides, "driver", false,
            [](const Side& s) -> Cell { return number(s.record.run.driver_major); });
  add_field(out, sides, "framework", false,
            [](const Side& s) -> Cell { return s.implementation->line.framework; });
  add_field(out, sides, "samples", false,
            [](const Side& s) -> Cell { return number(s.record.run.sample_count); });
  add_field(out, sides, "evidence", false,
            [](const Side& s) -> Cell { return std::string(policy::name_of(s.level)); });
  add_field(out, sides, "license", false,
            [](const Side& s) -> Cell { return s.implementation->line.license_expression; });
  add_field(out, sides, "source", false, [](const Side& s) -> Cell {
    return s.record.origin.source ? Cell(s.record.origin.source->name) : std::nullopt;
  });
  add_field(out, sides, "status", false, [](const Side& s) -> Cell { return s.record.run.status; });
  add_field(out, sides, "observed", false,
            [](const Side& s) -> Cell { return s.record.run.observed_at; });
}

CompareRun run_of(const Side& side) {
  const catalog::RunRow& run = side.record.run;
  CompareRun out;
  out.run_id = run.id;
  out.run_digest = run.run_digest;
  out.digest = run.run_digest;
  out.implementation = side.implementation->ref;
  out.project = side.implementation->project;
  out.operation = side.snapshot->ref;
  out.workload_label = side.workload->label;
  out.hardware = run.hardware_model;
  if (run.primary_value) out.primary = primary_of(run);
  out.evidence = std::string(policy::name_of(side.level));
  out.status = run.status;
  out.comparison_key = run.comparison_key;
  out.ineligible_reasons = side.ineligible;
  out.eligible = side.ineligible.empty();
  const auto& line = side.implementation->line;
  out.license = {.declared = line.license_declared, .concluded = line.license_expression};
  if (line.install_command) {
    out.install =
        Install{.kind = line.install_kind.value_or("source"), .command = *line.install_command};
  }
  out.source_available = line.source_available;
  out.observed_at = run.observed_at;
  return out;
}

// Ranks among the selected runs. Their order and verdict are those of one cohort, so this is done
// only when all of them share it.
void rank_selected(Comparison& out, const std::vector<Side>& sides, const CohortInfo& cohort) {
  std::vector<policy::RankedRun> runs;
  std::vector<std::string> names;
  for (const Side& side : sides) {
    const catalog::RunRow& run = side.record.run;
    runs.push_back(
        {.id = run.id,
         .value = run.primary_value,
         .confidence = policy::stated_interval(run.uncertainty_low, run.uncertainty_high),
         .spread = policy::stated_interval(run.spread_low, run.spread_high),
         .sample_count = run.sample_count,
         .evidence = side.level,
         .observed_at = run.observed_at,
         .ineligible = side.ineligible,
         .provider = side.implementation->ref.slug});
    names.push_back(side.implementation->ref.name);
  }
  const policy::Ranking ranking = policy::rank(runs, cohort.ranking_options());
  for (const policy::Place& place : ranking.places) {
    out.runs[place.run].rank = place.rank;
    out.runs[place.run].tied_with_previous = place.tied_with_previous;
    out.runs[place.run].shares_rank = place.shares_rank;
  }
  Verdict verdict{.code = std::string(policy::name_of(ranking.verdict.kind)),
                  .text = policy::explain(ranking.verdict, names),
                  .run_ids = {}};
  for (const auto leader : ranking.verdict.leaders) verdict.run_ids.emplace_back(runs[leader].id);
  out.verdict = std::move(verdict);
}

Status conclude(Comparison& out, const std::vector<Side>& sides) {
  if (sides.size() < 2) {
    out.explanation = "Fewer than two of the runs exist, so there is nothing to compare";
    return {};
  }
  const std::string& key = sides.front().record.run.comparison_key;
  const bool one_cohort = std::ranges::all_of(
      sides, [&](const Side& side) { return side.record.run.comparison_key == key; });
  const bool all_eligible =
      std::ranges::all_of(sides, [](const Side& side) { return side.ineligible.empty(); });
  out.comparable = one_cohort && all_eligible;
  if (!one_cohort) {
    out.explanation =
        "These runs do not answer the same question, so none of them is faster than another";
    return {};
  }
  out.comparison_key = key;
  bool native = false;
  for (const Side& side : sides) native = native || side.record.run.source_native;
  out.profile = std::string(policy::name_of(policy::profile_of(native)));
  if (!all_eligible) {
    out.explanation = "One comparison group, but at least one of the runs may not be ranked";
    return {};
  }
  const OperationSnapshot& operation = *sides.front().snapshot;
  const auto at = operation.cohort_at(key);
  if (!at) return fail(Code::unavailable, "the catalog is being changed; try again");
  rank_selected(out, sides, operation.cohorts[*at]);
  const auto& base = out.runs.front().primary;
  for (CompareRun& run : out.runs) {
    if (!base || !run.primary || base->value == 0) continue;
    run.ratio = run.primary->value / base->value;
    if (&run != &out.runs.front()) run.ratio_interval = ratio_interval(*run.primary, *base);
  }
  out.explanation = out.verdict ? out.verdict->text : std::string();
  return {};
}

}  // namespace

Result<Comparison> Resolver::compare(std::span<const std::string> runs) const {
  Comparison out;
  out.policy_version = std::string(policy::kRankingV2);
  std::vector<std::string> keys;
  db::Connection& connection = impl_->connection();
  for (const auto& key : runs) {
    const auto name = TRY(run_name(connection, key));
    if (!name) {
      return invalid("'" + excerpt(key) + "' names no run; " + std::string(kHowRunsAreNamed));
    }
    if (std::ranges::find(keys, *name) == keys.end()) keys.push_back(*name);
  }
  if (keys.size() < 2 || keys.size() > kCompareRunsMax) {
    return invalid("a comparison takes 2 to " + std::to_string(kCompareRunsMax) +
                   " different runs, not " + std::to_string(keys.size()));
  }
  const auto load = [&](const std::string& id) { return impl_->snapshot_of(id); };
  std::vector<Side> sides;
  for (const auto& key : keys) {
    auto side = TRY(side_of(connection, key, load));
    if (!side) {
      out.missing_ids.push_back(key);
      continue;
    }
    const auto same = [&](const Side& other) { return other.record.run.id == side->record.run.id; };
    if (std::ranges::none_of(sides, same)) sides.push_back(std::move(*side));
  }
  for (const Side& side : sides) out.runs.push_back(run_of(side));
  if (!sides.empty()) {
    add_material_fields(out, sides);
    add_other_fields(out, sides);
    out.illustrative = std::ranges::any_of(sides, [](const Side& side) {
      return side.record.origin.source && side.record.origin.source->kind == "illustrative";
    });
  }
  TRY(conclude(out, sides));
  return out;
}

}  // namespace ki::query
