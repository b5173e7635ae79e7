// Resolver::run: one run, whatever became of it.
#include <algorithm>

#include "base/text.h"
#include "catalog/lookup.h"
#include "catalog/read_run.h"
#include "catalog/run_samples.h"
#include "catalog/update.h"
#include "manifest/doubts.h"
#include "policy/assessment.h"
#include "policy/facts.h"
#include "policy/names.h"
#include "policy/ranking.h"
#include "policy/trust.h"
#include "query/describe.h"
#include "query/resolver_impl.h"
#include "query/run_name.h"
#include "query/stored.h"

namespace ki::query {
namespace {

using catalog::PendingRecord;
using catalog::RunRecord;
using catalog::RunRow;

CorrectionStep step_of(const catalog::CorrectionRow& row, const std::string& run_id) {
  std::string did = row.action == catalog::kRetract   ? "retracted"
                    : row.action == catalog::kHold    ? "held for review"
                    : row.action == catalog::kRelease ? "released after review"
                                                      : "restored";
  if (row.action == catalog::kSupersede) {
    did = row.run_id == run_id ? "put in the place of run " + row.superseded_run_id.value_or("")
                               : "superseded by run " + row.run_id;
  }
  return {.at = row.at,
          .action = row.action,
          .run_id = row.run_id,
          .superseded_run_id = row.superseded_run_id,
          .actor = row.actor,
          .reason = row.reason,
          .text = did + " by " + row.actor + ": " + row.reason};
}

// Who signed it, and why it has its level.
RunTrust trust_of(const RunRecord& record) {
  RunTrust out;
  policy::TrustFacts facts{.signatures = {},
                           .stands = record.run.status == "passed" && record.run.published_at &&
                                     !record.retraction && !record.superseded_by && !record.hold,
                           .agrees = record.trust && record.trust->agreeing_run_id};
  for (const catalog::RunSignature& one : record.signatures) {
    const policy::SignatureState state{
        .key_known = !one.action.empty(),
        .key_approved = one.action == catalog::kApprove,
        .protocol_approved = policy::is_approved_protocol(one.protocol)};
    facts.signatures.push_back(state);
    const char* runner = state.key_known ? "revoked" : "unknown";
    out.signatures.push_back({.key_id = one.key_id,
                              .machine = one.machine,
                              .protocol = one.protocol,
                              .statement = one.statement_digest,
                              .runner = state.key_approved ? "approved" : runner,
                              .protocol_approved = state.protocol_approved});
  }
  for (const std::string& code : policy::trust_reasons(facts)) {
    out.reasons.push_back({.code = code, .text = policy::trust_text(code)});
  }
  if (record.trust) out.agreeing_run_id = record.trust->agreeing_run_id;
  return out;
}

Lifecycle lifecycle_of(const RunRecord& record, Instant now) {
  Lifecycle out;
  out.supersedes_id = record.supersedes;
  out.superseded_by_id = record.superseded_by;
  if (record.retraction) {
    out.retracted = Retraction{.at = record.retraction->at, .reason = record.retraction->reason};
  }
  if (record.hold) out.held = Retraction{.at = record.hold->at, .reason = record.hold->reason};
  for (const auto& row : record.corrections) {
    out.corrections.push_back(step_of(row, record.run.id));
  }
  const auto observed = parse_instant(record.run.observed_at);
  out.stale = observed && policy::is_stale(now, *observed);
  return out;
}

RunCohort run_cohort(const RunRecord& record, const RowSource& rows) {
  const OperationSnapshot& snapshot = rows.snapshot;
  RunCohort out;
  out.comparison_key = record.run.comparison_key;
  out.profile = std::string(policy::name_of(policy::profile_of(record.run.source_native)));
  out.ineligible_reasons = policy::eligibility({.status = record.run.status,
                                                .published = record.run.published_at.has_value(),
                                                .retracted = record.retraction.has_value(),
                                                .superseded = record.superseded_by.has_value(),
                                                .held = record.hold.has_value(),
                                                .has_value = record.run.primary_value.has_value()});
  out.eligible = out.ineligible_reasons.empty();
  for (const auto& code : out.ineligible_reasons) {
    out.rank_reasons.push_back({.code = code, .text = policy::eligibility_text(code)});
  }
  const auto cohort = snapshot.cohort_at(record.run.comparison_key);
  if (!cohort) return out;
  const CohortInfo& info = snapshot.cohorts[*cohort];
  out.profile = policy::name_of(policy::profile_of(info.source_native));
  out.size = info.ranked();
  out.verdict = rows.verdict(info);
  if (const auto head = rows.head(info)) out.head_run_id = head->run_id;
  const auto run = rows.run_at(record.run.comparison_key, record.run.id);
  if (!run) return out;
  const auto row = rows.of(*run);
  out.rank = row->rank;
  out.rank_reasons = row->rank_reasons;
  return out;
}

void add_measurements(RunDossier& out, const RunRecord& record) {
  for (const auto& row : record.measurements) {
    out.measurements.push_back({.metric = row.metric,
                                .statistic = row.statistic,
                                .value = row.value,
                                .unit = row.unit,
                                .sample_count = row.sample_count});
  }
}

Status add_workload(RunDossier& out, db::Connection& connection, const RunRow& run) {
  const auto workload = TRY(catalog::find<catalog::WorkloadRow>(
      connection, {.name = "workload_by_id", .text = "WHERE id = $1"}, run.workload_id));
  if (!workload) return fail(Code::internal, "the run's workload is missing", run.id);
  const json::Document document = TRY(parse_stored(workload->manifest, workload->id));
  const json::Value* spec = document.root.find("spec");
  if (spec == nullptr) return fail(Code::internal, "a stored workload has no spec", workload->id);
  out.workload = {.id = workload->id,
                  .digest = workload->workload_digest,
                  .label = policy::workload_label(*spec),
                  .axes = axes_of(*spec),
                  .tensors = tensor_facts(*spec),
                  .tolerance = tolerance_facts(*spec),
                  .axis_list = axis_facts(*spec)};
  return {};
}

// What the three stored manifests say.
Status add_manifests(RunDossier& out, const std::string& run, const std::string& protocol,
                     const std::string& environment) {
  const json::Document run_document = TRY(parse_stored(run, "run"));
  out.labels = label_facts(run_document.root);
  if (const json::Value* spec = run_document.root.find("spec")) {
    out.correctness = correctness_of(*spec);
    out.source_native_metrics = native_metrics_of(*spec);
  }
  const json::Document protocol_document = TRY(parse_stored(protocol, "protocol"));
  if (const json::Value* spec = protocol_document.root.find("spec")) {
    out.protocol = protocol_facts(*spec);
    if (const auto pass = policy::timed_pass(protocol_document.root)) {
      out.protocol.insert(out.protocol.begin(),
                          {.key = "pass", .value = std::string(policy::name_of(*pass))});
    }
  }
  const json::Document environment_document = TRY(parse_stored(environment, "environment"));
  if (const json::Value* spec = environment_document.root.find("spec")) {
    out.environment = environment_facts(*spec);
  }
  out.manifest = {
      .run = {.text = run}, .protocol = {.text = protocol}, .environment = {.text = environment}};
  return {};
}

Status add_provenance(RunDossier& out, const catalog::Origin& origin, const std::string& manifest) {
  const json::Document document = TRY(parse_stored(manifest, "run"));
  const json::Value* spec = document.root.find("spec");
  out.provenance = TRY(provenance_of(origin, spec == nullptr ? document.root : *spec));
  out.provenance.source.observed_at = out.run.observed_at;
  out.illustrative = out.provenance.source.kind == "illustrative";
  return {};
}

void add_implementation(RunDossier& out, const RunRow& run, const OperationSnapshot& snapshot) {
  out.operation = snapshot.ref;
  for (const auto& implementation : snapshot.implementations) {
    if (implementation.line.id != run.implementation_id) continue;
    out.implementation = {
        .name = implementation.ref.name, .slug = implementation.ref.slug, .revision = {}};
    if (implementation.line.source_revision) {
      out.implementation.revision =
          std::string(policy::short_revision(*implementation.line.source_revision));
    }
    out.project = implementation.project;
    out.license = {.declared = implementation.line.license_declared,
                   .concluded = implementation.line.license_expression};
  }
}

Reason missing(std::string code, const std::string& what, const std::string& digest) {
  return {.code = std::move(code),
          .text = "the " + what + " " + digest +
                  " is not in the catalog yet; the run is ranked as soon as it arrives"};
}

// Of the run, and of its workload where the operation contradicts it.
Status add_warnings(RunDossier& out, db::Connection& connection, const RunRow& run,
                    const OperationSnapshot& snapshot) {
  const json::Document document = TRY(parse_stored(run.manifest, "run"));
  const json::Document operation = TRY(parse_stored(snapshot.manifest, "operation"));
  const auto workload = TRY(catalog::find<catalog::WorkloadRow>(
      connection, {.name = "workload_by_id", .text = "WHERE id = $1"}, run.workload_id));
  const json::Value* const spec = document.root.find("spec");
  const json::Value* const computes = operation.root.find("spec");
  if (!workload || spec == nullptr || computes == nullptr) return {};
  for (const auto& doubt : manifest::doubts_of_run(*spec)) {
    out.warnings.push_back("run " + to_string(doubt));
  }
  const json::Document stated = TRY(parse_stored(workload->manifest, "workload"));
  const json::Value* const sizes = stated.root.find("spec");
  if (sizes == nullptr || sizes->find("axes") == nullptr) return {};
  for (const auto& doubt : manifest::doubts_of_sizes(*sizes)) {
    out.warnings.push_back("workload " + to_string(doubt));
  }
  for (const auto& doubt : manifest::doubts_of_case(*sizes, *computes)) {
    out.warnings.push_back("workload " + to_string(doubt));
  }
  return {};
}

// What the objects that are there say of a run that waits for another.
Status add_known(RunDossier& out, db::Connection& connection, const PendingRecord& record) {
  const auto implementation =
      TRY(catalog::find_implementation(connection, record.run.implementation_digest));
  const auto workload = TRY(catalog::find_workload(connection, record.run.workload_digest));
  std::string operation_id;
  if (workload) operation_id = workload->operation_id;
  if (implementation) operation_id = implementation->operation_id;
  const auto operation = TRY(catalog::find_operation_by_id(connection, operation_id));
  if (operation) {
    out.operation = {.name = policy::operation_display_name(operation->name),
                     .slug = operation->slug};
  }
  if (!implementation) return {};
  out.implementation.slug = implementation->slug;
  out.implementation.name = implementation->slug;
  if (operation) {
    out.implementation.name = policy::implementation_display_name(
        {.title =
             implementation->title ? std::string_view(*implementation->title) : std::string_view{},
         .slug = implementation->slug,
         .operation_name = operation->name,
         .operation_slug = operation->slug});
  }
  return {};
}

Result<RunDossier> pending_dossier(db::Connection& connection, const PendingRecord& record) {
  RunDossier out;
  out.pending = true;
  out.run.id = record.run.id;
  out.run.digest = record.run.run_digest;
  out.evidence = std::string(policy::name_of(policy::EvidenceLevel::reported));
  if (!record.implementation_known) {
    out.pending_reasons.push_back(
        missing("UNKNOWN_IMPLEMENTATION", "implementation", record.run.implementation_digest));
  }
  if (!record.workload_known) {
    out.pending_reasons.push_back(
        missing("UNKNOWN_WORKLOAD", "workload", record.run.workload_digest));
  }
  out.cohort.ineligible_reasons = {"PENDING"};
  out.implementation = {.name = "unknown", .slug = "", .revision = {}};
  out.project.name = "unknown";
  out.operation.name = "unknown";
  out.workload.digest = record.run.workload_digest;
  out.workload.label = "unknown";
  TRY(add_known(out, connection, record));
  const json::Document document = TRY(parse_stored(record.run.manifest, "pending run"));
  if (const json::Value* spec = document.root.find("spec")) {
    out.run.status = text_at(*spec, "status").value_or("");
    out.run.observed_at = text_at(*spec, "observedAt").value_or("");
    const auto measurements = policy::measurement_rows(*spec);
    for (const auto& one : measurements) {
      out.measurements.push_back({.metric = one.metric,
                                  .statistic = one.statistic,
                                  .value = one.value,
                                  .unit = one.unit,
                                  .sample_count = one.sample_count});
    }
    if (const auto primary = policy::primary_metric(*spec)) {
      out.has_primary = true;
      out.primary.metric = primary->metric;
      out.primary.unit = primary->unit;
      out.primary.statistic = primary->statistic;
      out.primary.value = primary->value;
      out.primary.sample_count = primary->sample_count;
      if (const auto spread = policy::stated_spread(*primary, measurements)) {
        out.primary.spread = interval_of(spread->low, spread->high);
      }
    }
  }
  if (!out.has_primary) out.primary.metric = "none";
  TRY(add_manifests(out, record.run.manifest, record.protocol, record.environment));
  TRY(add_provenance(out, record.origin, record.run.manifest));
  if (record.run.external_id) out.provenance.external_id = record.run.external_id;
  out.provenance.source_row = record.run.source_row;
  out.provenance.source_line = record.run.source_line;
  const json::Document environment = TRY(parse_stored(record.environment, "environment"));
  out.hardware.model = text_at(environment.root, "spec.hardware.product").value_or("unknown");
  out.hardware.architecture = text_at(environment.root, "spec.hardware.architecture");
  return out;
}

}  // namespace

Result<RunDossier> Resolver::run(std::string_view name) const {
  db::Connection& connection = impl_->connection();
  const auto id_or_digest = TRY(run_name(connection, name));
  if (!id_or_digest) {
    return fail(Code::not_found,
                "no run is called '" + excerpt(name) + "'; " + std::string(kHowRunsAreNamed),
                std::string(kRunNotFound));
  }
  auto found = TRY(catalog::find_run(connection, *id_or_digest));
  if (!found) {
    const auto pending = TRY(catalog::find_pending_run(connection, *id_or_digest));
    if (!pending) return not_found(kRunNotFound, "run", name);
    return pending_dossier(connection, *pending);
  }
  const auto snapshot = TRY(impl_->snapshot_of(found->operation_id));
  if (!snapshot) return fail(Code::unavailable, "the catalog is being changed; try again");
  const RunRecord record = TRY(catalog::read_run(connection, std::move(*found)));
  RunDossier out;
  out.run = {.id = record.run.id,
             .digest = record.run.run_digest,
             .status = record.run.status,
             .observed_at = record.run.observed_at,
             .published_at = record.run.published_at};
  out.evidence = std::string(policy::name_of(level_of(record)));
  out.trust = trust_of(record);
  out.lifecycle = lifecycle_of(record, impl_->clock.now());
  out.primary = primary_of(record.run);
  out.has_primary = record.run.primary_value.has_value();
  RowReader reader = impl_->reader(snapshot);
  out.cohort = run_cohort(record, reader.source(impl_->clock.now()));
  TRY(reader.status());
  add_implementation(out, record.run, *snapshot);
  TRY(add_workload(out, connection, record.run));
  add_measurements(out, record);
  out.artifacts = artifact_items(record.artifacts);
  out.has_samples = std::ranges::any_of(record.artifacts, catalog::holds_samples);
  for (const catalog::AttestationRow& one : record.attestations) {
    out.attestations.push_back({.id = one.id,
                                .type = one.type,
                                .body = one.body,
                                .evidence_url = one.evidence_url,
                                .observed_ns = one.observed_ns,
                                .environment_summary = one.environment_summary,
                                .author = one.author,
                                .at = one.at});
  }
  out.hardware = {.model = record.run.hardware_model,
                  .architecture = record.run.hardware_architecture};
  TRY(add_manifests(out, record.run.manifest, record.protocol, record.environment));
  TRY(add_provenance(out, record.origin, record.run.manifest));
  TRY(add_warnings(out, connection, record.run, *snapshot));
  return out;
}

}  // namespace ki::query
