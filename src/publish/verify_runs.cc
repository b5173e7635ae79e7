#include <algorithm>

#include "publish/derive.h"
#include "publish/rows.h"
#include "publish/verifier.h"

namespace ki::publish {
namespace {

using db::Sql;
using manifest::Manifest;

constexpr std::size_t kSettingsMax = 256;  // decoded protocols and environments kept

constexpr Sql kAllById{"verify_by_id", "ORDER BY id"};
constexpr Sql kAllByDigest{"verify_by_run_digest", "ORDER BY run_digest"};
// Served by the unique index of measurement.
constexpr Sql kMeasurements{"verify_measurements", "WHERE run_id = $1 ORDER BY ordinal"};

// Served by source_link_by_entity.
constexpr Sql kExternalIds{"verify_external_ids",
                           "SELECT external_id FROM source_link"
                           " WHERE entity_kind = 'run' AND entity_id = $1 ORDER BY external_id"};

// By what name its source knows the run, "" when it does not say.
std::string_view external_id_of(const json::Value& spec) {
  const json::Value* native = spec.find("sourceNative");
  const json::Value* id = native != nullptr ? native->find("externalId") : nullptr;
  return id != nullptr && id->is_string() ? id->string() : std::string_view();
}

// The ids and the key of the kinds of rows of a cohort that can be too many or too few.
std::string key_of(const catalog::StandingRow& row) { return row.run_id; }
std::string key_of(const catalog::RunTrustRow& row) { return row.run_id; }
std::string key_of(const catalog::RecordEventRow& row) { return row.run_id + " " + row.cause; }
std::string key_of(const catalog::CohortRow& row) { return row.comparison_key; }
std::string key_of(const catalog::HolderRow& row) { return row.comparison_key; }

template <class Row>
std::vector<Row> list(const std::optional<Row>& row) {
  return row ? std::vector<Row>{*row} : std::vector<Row>{};
}

}  // namespace

Result<const json::Value*> Verifier::setting(std::string_view table, const std::string& digest) {
  const auto known = settings_.find(digest);
  if (known != settings_.end()) {
    return known->second ? &known->second->spec() : nullptr;
  }
  if (settings_.size() >= kSettingsMax) settings_.clear();
  std::optional<std::string> text;
  if (table == "protocol") {
    const auto row = TRY(catalog::find_protocol(connection_, digest));
    if (row) text = row->manifest;
  } else {
    const auto row = TRY(catalog::find_environment(connection_, digest));
    if (row) text = row->manifest;
  }
  auto& kept = settings_[digest];
  if (!text) return nullptr;
  auto decoded = decode_stored(*text, digest);
  if (!decoded) return nullptr;  // check_settings reports it
  kept = std::move(*decoded);
  return &kept->spec();
}

Status Verifier::check_runs() {
  return catalog::select<catalog::RunRow>(
      connection_, kAllById, [&](const catalog::RunRow& row) { return check_run(row); });
}

Status Verifier::check_run(const catalog::RunRow& row) {
  count("run");
  const auto manifest = decode("run", row.id, row.manifest, row.run_digest);
  if (!manifest) return {};
  const json::Value& spec = manifest->spec();
  TRY(check_external_ids(row.id, spec));
  const std::string workload_digest = to_string(digest_at(spec, "workloadDigest"));
  const std::string implementation_digest = to_string(digest_at(spec, "implementationDigest"));
  const auto workload = TRY(catalog::find_workload(connection_, workload_digest));
  const auto implementation = TRY(catalog::find_implementation(connection_, implementation_digest));
  if (!workload || workload->id != row.workload_id) {
    add("run", row.id, "workload_id", row.workload_id, "the workload " + workload_digest);
  }
  if (!implementation || implementation->id != row.implementation_id) {
    add("run", row.id, "implementation_id", row.implementation_id,
        "the implementation " + implementation_digest);
  }
  const json::Value* protocol = TRY(setting("protocol", row.protocol_key));
  const json::Value* environment = TRY(setting("environment", row.environment_key));
  if (!workload || !implementation || protocol == nullptr || environment == nullptr) return {};
  const auto operation = TRY(catalog::find_operation_by_id(connection_, workload->operation_id));
  const auto operation_digest = operation ? parse_digest(operation->semantic_digest) : std::nullopt;
  if (!operation_digest) return {};
  const auto facts = policy::derive_run_facts(spec, *protocol, *environment,
                                              facts_for_runs(*workload, *operation_digest),
                                              facts_for_runs(*implementation));
  if (!facts) {
    add("run", row.id, "manifest", to_string(facts.error()), "a run that may be published");
    return {};
  }
  catalog::RunRow expected = run_row(*manifest, *facts);
  expected.id = row.id;
  expected.operation_id = workload->operation_id;
  expected.workload_id = row.workload_id;
  expected.implementation_id = row.implementation_id;
  expected.source_id = row.source_id;
  expected.published_at = row.published_at;
  expected.created_at = row.created_at;
  compare("run", row.id, row, expected);
  return check_measurements(row, *facts);
}

Status Verifier::check_external_ids(const std::string& run_id, const json::Value& spec) {
  const std::string_view stated = external_id_of(spec);
  auto rows = TRY(connection_.query(kExternalIds, run_id));
  return rows.each([&](const db::Rows& row) {
    count("source_link");
    if (row.text(0) != stated) add("source_link", run_id, "external_id", row.text(0), stated);
  });
}

Status Verifier::check_measurements(const catalog::RunRow& row, const policy::RunFacts& facts) {
  const auto expected = measurement_rows(facts);
  std::size_t seen = 0;
  TRY(catalog::select<catalog::MeasurementRow>(
      connection_, kMeasurements,
      [&](const catalog::MeasurementRow& stored) {
        count("measurement");
        if (seen >= expected.size()) {
          add("measurement", stored.id, "row", stored.metric + " " + stored.statistic, "no row");
        } else {
          catalog::MeasurementRow wanted = expected[seen];
          wanted.id = stored.id;
          wanted.run_id = stored.run_id;
          compare("measurement", stored.id, stored, wanted);
        }
        ++seen;
      },
      row.id));
  for (; seen < expected.size(); ++seen) {
    add("measurement", row.id, "row", "no row",
        expected[seen].metric + " " + expected[seen].statistic);
  }
  return {};
}

Status Verifier::check_pending() {
  return catalog::select<catalog::PendingRunRow>(
      connection_, kAllByDigest, [&](const catalog::PendingRunRow& row) -> Status {
        count("pending_run");
        const auto manifest = decode("pending_run", row.run_digest, row.manifest, row.run_digest);
        const auto entered = TRY(catalog::run_id(connection_, row.run_digest));
        if (entered) add("pending_run", row.run_digest, "row", "a row", "none: it is a run");
        if (!manifest) return {};
        const auto check = [&](std::string_view field, std::string_view member,
                               const std::string& stored) {
          const std::string named = to_string(digest_at(manifest->spec(), member));
          if (named != stored) add("pending_run", row.run_digest, field, stored, named);
        };
        check("implementation_digest", "implementationDigest", row.implementation_digest);
        check("workload_digest", "workloadDigest", row.workload_digest);
        check("protocol_key", "protocolDigest", row.protocol_key);
        check("environment_key", "environmentDigest", row.environment_key);
        const std::string_view stated = external_id_of(manifest->spec());
        if (row.external_id && *row.external_id != stated) {
          add("pending_run", row.run_digest, "external_id", *row.external_id, stated);
        }
        return {};
      });
}

Status Verifier::check_cohorts() {
  const auto keys = TRY(catalog::comparison_keys(connection_));
  for (const std::string& key : keys) {
    TRY(check_cohort(key));
  }
  return {};
}

Status Verifier::check_cohort(const std::string& comparison_key) {
  const auto evidence = TRY(catalog::cohort_evidence(connection_, comparison_key));
  const auto stored = TRY(catalog::stored_cohort(connection_, comparison_key));
  catalog::CohortState expected = derive_cohort(evidence);
  const auto check = [&](std::string_view entity, const auto& have, const auto& want) {
    for (const auto& row : have) {
      count(entity);
      const auto same = std::ranges::find_if(
          want, [&](const auto& other) { return key_of(other) == key_of(row); });
      if (same == want.end()) {
        add(entity, comparison_key, "row", key_of(row), "no row");
      } else {
        compare(entity, comparison_key + " " + key_of(row), row, *same);
      }
    }
    for (const auto& row : want) {
      const auto found = std::ranges::any_of(
          have, [&](const auto& other) { return key_of(other) == key_of(row); });
      if (!found) add(entity, comparison_key, "row", "no row", key_of(row));
    }
  };
  for (auto& event : expected.events) {  // their identity is not derived
    const auto same = std::ranges::find_if(
        stored.events, [&](const auto& other) { return key_of(other) == key_of(event); });
    if (same == stored.events.end()) continue;
    event.id = same->id;
    event.created_at = same->created_at;
    event.policy_version = same->policy_version;
  }
  check("cohort", list(stored.cohort), list(expected.cohort));
  check("standing", stored.standings, expected.standings);
  check("run_trust", stored.trust, expected.trust);
  check("record_event", stored.events, expected.events);
  check("holder", list(stored.holder), list(expected.holder));
  return {};
}

Result<VerifyReport> verify(catalog::Catalog& catalog, const VerifyProgress& progress) {
  db::Connection& connection = catalog.connection();
  const db::Snapshot snapshot = TRY(connection.snapshot());
  Verifier verifier(connection, progress);
  TRY(verifier.check_file());
  const bool readable = TRY(verifier.check_schema());
  if (!readable) return std::move(verifier.report);
  TRY(verifier.check_projects());
  TRY(verifier.check_operations());
  TRY(verifier.check_workloads());
  TRY(verifier.check_implementations());
  TRY(verifier.check_settings());
  TRY(verifier.check_serving_objects());
  TRY(verifier.check_serving_runs());
  TRY(verifier.check_artifacts());
  TRY(verifier.check_snapshots());
  TRY(verifier.check_runs());
  TRY(verifier.check_pending());
  TRY(verifier.check_links());
  TRY(verifier.check_corrections());
  TRY(verifier.check_attestations());
  TRY(verifier.check_statements());
  TRY(verifier.check_runners());
  TRY(verifier.check_log());
  TRY(verifier.check_cohorts());
  return std::move(verifier.report);
}

}  // namespace ki::publish
