#include "publish/derive.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/text.h"
#include "catalog/lookup.h"
#include "json/read.h"
#include "json/write.h"
#include "policy/assessment.h"
#include "policy/facts.h"
#include "policy/metrics.h"
#include "policy/names.h"
#include "policy/ranking.h"
#include "policy/record_events.h"
#include "policy/trust.h"

namespace ki::publish {
namespace {

using catalog::CohortEvidence;
using catalog::CohortRun;
using catalog::CohortState;
using catalog::CorrectionRow;
using catalog::RecordEventRow;

constexpr std::string_view kPassed = "passed";
constexpr std::size_t kTermBytesMax = 64;

using ByRun = std::unordered_map<std::string_view, std::vector<CorrectionRow>>;

ByRun corrections_by_run(const CohortEvidence& evidence) {
  ByRun out;
  for (const CorrectionRow& row : evidence.corrections) {
    out[row.run_id].push_back(row);
    if (row.superseded_run_id) out[*row.superseded_run_id].push_back(row);
  }
  return out;
}

bool could_stand(const CohortRun& run) { return run.status == kPassed && run.published_at; }

bool stands(const CohortRun& run, const ByRun& corrections) {
  if (!could_stand(run)) return false;
  const auto found = corrections.find(run.id);
  if (found == corrections.end()) return true;
  const catalog::RunState state = catalog::state_of(run.id, found->second);
  return !state.stands_out();
}

// A run that is held has no place in the history either, until it is released.
bool is_held(const CohortRun& run, const ByRun& corrections) {
  const auto found = corrections.find(run.id);
  return found != corrections.end() && catalog::state_of(run.id, found->second).held;
}

catalog::StandingRow standing_of(const CohortRun& run) {
  return {.run_id = run.id,
          .comparison_key = run.comparison_key,
          .operation_id = run.operation_id,
          .workload_id = run.workload_id,
          .implementation_id = run.implementation_id,
          .hardware_model = run.hardware_model,
          .source_id = run.source_id,
          .primary_value = run.primary_value,
          .observed_at = run.observed_at};
}

// One run's corrections as a replay takes them. To a replay a supersession is final; one that was
// undone is to it like a retraction that was lifted.
std::vector<policy::RecordCorrection> for_replay(const CohortRun& run,
                                                 const std::vector<CorrectionRow>& corrections) {
  using policy::CorrectionKind;
  std::vector<policy::RecordCorrection> out;
  bool retracted = false;
  for (const CorrectionRow& row : corrections) {
    if (row.action == catalog::kHold || row.action == catalog::kRelease) continue;
    policy::RecordCorrection step{
        .run_id = run.run_digest, .kind = CorrectionKind::restore, .at = row.at};
    if (row.action == catalog::kSupersede) {
      if (row.superseded_run_id != run.id) continue;  // this run is the newer of the two
      step.kind = CorrectionKind::supersede;
    } else if (row.action == catalog::kRetract) {
      step.kind = CorrectionKind::retract;
      retracted = true;
    } else if (retracted) {
      retracted = false;
    } else {
      for (auto& earlier : out) {
        if (earlier.kind == CorrectionKind::supersede) earlier.kind = CorrectionKind::retract;
      }
    }
    out.push_back(step);
  }
  return out;
}

std::vector<RecordEventRow> derive_events(const CohortEvidence& evidence, const ByRun& corrections,
                                          policy::Direction direction) {
  std::vector<policy::RecordRun> runs;
  std::vector<std::string_view> ids;
  std::vector<policy::RecordCorrection> steps;
  for (const CohortRun& run : evidence.runs) {
    if (!could_stand(run) || !run.primary_value || is_held(run, corrections)) continue;
    runs.push_back(
        {.id = run.run_digest, .value = *run.primary_value, .observed_at = run.observed_at});
    ids.push_back(run.id);
    const auto found = corrections.find(run.id);
    if (found == corrections.end()) continue;
    const auto of_run = for_replay(run, found->second);
    steps.insert(steps.end(), of_run.begin(), of_run.end());
  }
  std::ranges::stable_sort(steps, {}, &policy::RecordCorrection::at);
  std::vector<RecordEventRow> rows;
  for (const auto& event : policy::derive_record_events(runs, steps, direction)) {
    RecordEventRow& row = rows.emplace_back();
    row.comparison_key = evidence.runs.front().comparison_key;
    row.run_id = ids[event.run];
    if (event.previous) row.previous_run_id = ids[*event.previous];
    row.cause = policy::name_of(event.cause);
    row.at = event.at;
  }
  return rows;
}

// Publication time of a run of the cohort, which stands and so has one.
std::string published_at(const CohortEvidence& evidence, std::string_view run_id) {
  const auto run = std::ranges::find(evidence.runs, run_id, &CohortRun::id);
  return run->published_at.value_or("");
}

}  // namespace

namespace {

// What the runs of a cohort share. All of it follows from what its key is a digest of.
catalog::CohortRow cohort_of(const CohortRun& run) {
  catalog::CohortRow cohort;
  cohort.operation_id = run.operation_id;
  cohort.comparison_key = run.comparison_key;
  cohort.workload_id = run.workload_id;
  cohort.protocol_key = run.protocol_key;
  cohort.environment_key = run.environment_key;
  cohort.hardware_model = run.hardware_model;
  cohort.hardware_architecture = run.hardware_architecture;
  cohort.cuda_major = run.cuda_major;
  cohort.primary_metric = run.primary_metric;
  cohort.primary_statistic = run.primary_statistic;
  cohort.primary_unit = run.primary_unit;
  return cohort;
}

// Whom approved runners vouch for, of the runs that stand.
std::vector<catalog::RunTrustRow> derive_trust(const CohortEvidence& evidence,
                                               const ByRun& corrections) {
  std::unordered_map<std::string_view, const CohortRun*> standing;
  if (!evidence.signatures.empty()) {
    for (const CohortRun& run : evidence.runs) {
      if (stands(run, corrections)) standing.emplace(run.id, &run);
    }
  }
  std::vector<policy::Signature> signatures;
  for (const catalog::CohortSignature& one : evidence.signatures) {
    const auto found = standing.find(one.run_id);
    if (found == standing.end()) continue;
    const CohortRun& run = *found->second;
    policy::Signature& signature = signatures.emplace_back();
    signature = {.run = one.run_id,
                 .implementation = run.implementation_id,
                 .statement = one.statement_digest,
                 .key = one.key_id,
                 .machine = one.machine,
                 .protocol = one.protocol,
                 .key_approved = one.approved,
                 .figure = std::nullopt};
    if (!run.primary_value) continue;
    signature.figure = policy::Figure{
        .value = *run.primary_value,
        .confidence = policy::stated_interval(run.uncertainty_low, run.uncertainty_high),
        .spread = policy::stated_interval(run.spread_low, run.spread_high)};
  }
  std::vector<catalog::RunTrustRow> rows;
  for (const policy::Vouched& one : policy::vouch(signatures)) {
    catalog::RunTrustRow& row = rows.emplace_back();
    row.run_id = one.run;
    row.comparison_key = evidence.runs.front().comparison_key;
    row.key_id = one.key;
    row.statement_digest = one.statement;
    row.runners = one.runners();
    if (!one.agreeing.empty()) row.agreeing_run_id = one.agreeing;
  }
  return rows;
}

// Counts a run that stands.
void count(catalog::CohortRow& cohort, const CohortRun& run,
           const std::vector<catalog::RunTrustRow>& trust) {
  const auto vouched = std::ranges::lower_bound(trust, run.id, {}, &catalog::RunTrustRow::run_id);
  const bool found = vouched != trust.end() && vouched->run_id == run.id;
  const auto level = policy::evidence_level({.approved_runners = found ? vouched->runners : 0,
                                             .source_available = run.source_available,
                                             .has_raw_evidence = run.has_raw_evidence});
  ++cohort.eligible_runs;
  if (run.source_available) ++cohort.sourced_runs;
  if (level >= policy::EvidenceLevel::reproducible) ++cohort.reproducible_runs;
  if (run.source_native) ++cohort.native_runs;
  cohort.last_observed_at = std::max(cohort.last_observed_at.value_or(""), run.observed_at);
}

std::string sources_text(const std::map<std::string, std::string>& newest) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  for (const auto& [source, observed_at] : newest) out.key(source).string(observed_at);
  out.end_object();
  return text;
}

}  // namespace

CohortState derive_cohort(const CohortEvidence& evidence) {
  CohortState state;
  if (evidence.runs.empty()) return state;
  const CohortRun& first = evidence.runs.front();
  const auto metric =
      policy::find_metric(first.primary_metric.value_or(""), first.primary_unit.value_or(""));
  catalog::CohortRow& cohort = state.cohort.emplace(cohort_of(first));
  const ByRun corrections = corrections_by_run(evidence);
  state.trust = derive_trust(evidence, corrections);
  std::map<std::string, std::string> newest;  // observation by source
  for (const CohortRun& run : evidence.runs) {
    if (!stands(run, corrections)) continue;
    state.standings.push_back(standing_of(run));
    count(cohort, run, state.trust);
    if (run.source_id) newest[*run.source_id] = std::max(newest[*run.source_id], run.observed_at);
    if (!metric || !run.primary_value) continue;
    if (!cohort.best_value ||
        policy::better(metric->direction, *run.primary_value, *cohort.best_value)) {
      cohort.best_value = run.primary_value;
    }
  }
  cohort.sources = sources_text(newest);
  std::ranges::sort(state.standings, {}, &catalog::StandingRow::run_id);
  if (metric) state.events = derive_events(evidence, corrections, metric->direction);
  if (cohort.best_value && !state.events.empty()) {
    const RecordEventRow& last = state.events.back();
    state.holder = {.comparison_key = first.comparison_key,
                    .run_id = last.run_id,
                    .since = last.at,
                    .indexed_at = published_at(evidence, last.run_id),
                    .events = static_cast<std::int64_t>(state.events.size())};
  }
  return state;
}

namespace {

// Gives the wanted events the identity of the stored ones of the same run and cause, or of a
// preset, or a new one.
RefreshReport name_events(const CohortState& stored, CohortState& wanted,
                          const RefreshOptions& options) {
  RefreshReport report;
  const auto same = [](const RecordEventRow& row) {
    return [&row](const auto& other) {
      return other.run_id == row.run_id && other.cause == row.cause;
    };
  };
  for (RecordEventRow& row : wanted.events) {
    row.created_at = to_iso(options.now);
    row.policy_version = policy::kRankingV2;
    const auto known = std::ranges::find_if(stored.events, same(row));
    if (known != stored.events.end()) {
      row.id = known->id;
      row.created_at = known->created_at;
      row.policy_version = known->policy_version;
      report.rewritten_events += catalog::differences(*known, row).empty() ? 0 : 1;
      continue;
    }
    ++report.new_events;
    row.id = uuid_v7(options.now);
    if (options.presets == nullptr) continue;
    const auto preset = std::ranges::lower_bound(
        *options.presets, std::tie(row.run_id, row.cause), {},
        [](const RecordEventPreset& p) { return std::tie(p.run_id, p.cause); });
    if (preset == options.presets->end() || !same(row)(*preset)) continue;
    row.id = preset->row.id;
    row.created_at = preset->row.created_at;
    if (!preset->policy_version.empty()) row.policy_version = preset->policy_version;
  }
  for (const RecordEventRow& row : stored.events) {
    if (std::ranges::none_of(wanted.events, same(row))) ++report.rewritten_events;
  }
  return report;
}

void note_rewriting(catalog::Ledger& ledger, std::string_view comparison_key,
                    const CohortState& stored, const CohortState& wanted,
                    const RefreshOptions& options) {
  const auto write = [](json::Writer& out, const CohortState& state) {
    out.begin_array();
    for (const RecordEventRow& row : state.events) {
      out.begin_object().key("runId").string(row.run_id).key("cause").string(row.cause);
      out.key("at").string(row.at).end_object();
    }
    out.end_array();
  };
  std::string detail;
  json::Writer out(detail);
  out.begin_object().key("before");
  write(out, stored);
  out.key("after");
  write(out, wanted);
  out.end_object();
  ledger.note({.id = uuid_v7(options.now),
               .at = to_iso(options.now),
               .actor = options.actor,
               .action = "rewrite_history",
               .entity_kind = "cohort",
               .entity_id = std::string(comparison_key),
               .detail = std::move(detail)});
}

}  // namespace

Result<RefreshReport> refresh_cohorts(catalog::Ledger& ledger,
                                      const std::set<std::string>& comparison_keys,
                                      const RefreshOptions& options) {
  RefreshReport report;
  db::Connection& connection = ledger.connection();
  for (const std::string& key : comparison_keys) {
    const CohortEvidence evidence = TRY(catalog::cohort_evidence(connection, key));
    const CohortState stored = TRY(catalog::stored_cohort(connection, key));
    CohortState wanted = derive_cohort(evidence);
    const RefreshReport cohort = name_events(stored, wanted, options);
    TRY(catalog::store_cohort(connection, key, stored, wanted));
    if (cohort.rewritten_events > 0) note_rewriting(ledger, key, stored, wanted, options);
    report.new_events += cohort.new_events;
    report.rewritten_events += cohort.rewritten_events;
  }
  return report;
}

std::vector<catalog::SearchTermRow> derive_search_terms(const catalog::OperationRow& operation,
                                                        const std::vector<std::string>& aliases,
                                                        const std::vector<std::string>& tags) {
  std::set<std::pair<std::string, std::string>> found;  // term, field
  const auto add = [&](std::string_view field, std::string_view text) {
    std::string word;
    const auto close = [&] {
      if (!word.empty() && word.size() <= kTermBytesMax) found.emplace(word, field);
      word.clear();
    };
    for (const char c : ascii_lower(text)) {
      const bool letter =
          (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
      if (letter) {
        word += c;
      } else {
        close();
      }
    }
    close();
  };
  add("name", operation.name);
  add("slug", operation.slug);
  add("family", policy::current_family(operation.family));
  for (const std::string& alias : aliases) add("alias", alias);
  for (const std::string& tag : tags) add("tag", tag);
  std::vector<catalog::SearchTermRow> rows;
  for (const auto& [term, field] : found) {
    rows.push_back({.term = term, .operation_id = operation.id, .field = field});
  }
  return rows;
}

namespace {

// Neither slug nor spec of an operation changes, so what is stored stays.
Status add_equivalence(db::Connection& connection, const catalog::OperationRow& operation) {
  const auto manifest = json::parse(operation.manifest);
  const json::Value* spec = manifest ? manifest->root.find("spec") : nullptr;
  if (spec == nullptr) return fail(Code::internal, "a stored operation has no spec", operation.id);
  const Digest key = policy::equivalence_key(operation.slug, *spec);
  return catalog::insert<catalog::OperationEquivalenceRow, catalog::OnConflict::skip>(
      connection, {.operation_id = operation.id, .equivalence_key = to_string(key)});
}

}  // namespace

Status refresh_operations(db::Connection& connection, const std::set<std::string>& operation_ids) {
  for (const std::string& id : operation_ids) {
    const auto operation = TRY(catalog::find_operation_by_id(connection, id));
    KI_CHECK(operation.has_value());
    const auto aliases = TRY(catalog::aliases_of(connection, id));
    const auto tags = TRY(catalog::tags_of(connection, id));
    TRY(catalog::replace_search_terms(connection, id,
                                      derive_search_terms(*operation, aliases, tags)));
    TRY(add_equivalence(connection, *operation));
  }
  return {};
}

Result<std::optional<std::string>> holder_of(db::Connection& connection,
                                             std::string_view comparison_key) {
  const CohortState stored = TRY(catalog::stored_cohort(connection, comparison_key));
  return stored.holder ? std::optional(stored.holder->run_id) : std::nullopt;
}

}  // namespace ki::publish
