// What the catalog is made of besides objects and runs: the file, its schema, input files, links
// and corrections.

#include <algorithm>

#include "base/text.h"
#include "catalog/ledger.h"
#include "catalog/trust.h"
#include "publish/attestations.h"
#include "publish/corrections.h"
#include "publish/trust.h"
#include "publish/verifier.h"

namespace ki::publish {
namespace {

using db::SchemaObject;
using db::Sql;

// Whole tables in the order of an index, a row at a time.
constexpr Sql kAllById{"verify_by_id", "ORDER BY id"};
// Served by the primary key of audit.
constexpr Sql kAuditRow{"verify_audit", "WHERE id = $1"};
// Served by the primary key of audit.
constexpr Sql kLog{"verify_log", "ORDER BY sequence"};
// Scans of audit; what they look for is found by the primary key of its table.
constexpr Sql kLooseCorrection{
    "verify_loose_correction",
    "WHERE action IN ('retract', 'restore', 'supersede', 'hold', 'release')\n"
    "   AND NOT EXISTS (SELECT 1 FROM correction WHERE correction.id = audit.id) ORDER BY id"};
constexpr Sql kLooseAttestation{
    "verify_loose_attestation",
    "WHERE action = 'attest'\n"
    "   AND NOT EXISTS (SELECT 1 FROM attestation WHERE attestation.id = audit.id) ORDER BY id"};

constexpr Sql kLooseRunnerEvent{
    "verify_loose_runner_event",
    "WHERE action IN ('approve_runner', 'revoke_runner')\n"
    "   AND NOT EXISTS (SELECT 1 FROM runner_event WHERE runner_event.id = audit.id) ORDER BY id"};
constexpr Sql kAllByDigest{"verify_by_digest", "ORDER BY digest"};

// Links carry the kind of what they point to, so no foreign key can watch them.
constexpr Sql kLooseLinks{
    "verify_links",
    "SELECT 'source_link', l.entity_kind, l.entity_id FROM source_link l\n"
    " WHERE NOT EXISTS (SELECT 1 FROM run WHERE id = l.entity_id)\n"
    "   AND NOT EXISTS (SELECT 1 FROM operation WHERE id = l.entity_id)\n"
    "   AND NOT EXISTS (SELECT 1 FROM workload WHERE id = l.entity_id)\n"
    "   AND NOT EXISTS (SELECT 1 FROM implementation WHERE id = l.entity_id)\n"
    "UNION ALL\n"
    "SELECT 'artifact_link', l.entity_kind, l.entity_id FROM artifact_link l\n"
    " WHERE NOT EXISTS (SELECT 1 FROM run WHERE id = l.entity_id)\n"
    "   AND NOT EXISTS (SELECT 1 FROM pending_run WHERE id = l.entity_id)\n"
    "   AND NOT EXISTS (SELECT 1 FROM implementation WHERE id = l.entity_id)\n"
    " ORDER BY 1, 2, 3"};

constexpr std::string_view kNone = "none";

std::string_view sql_of(const std::vector<SchemaObject>& objects, const SchemaObject& like) {
  const auto found = std::ranges::find_if(objects, [&](const SchemaObject& object) {
    return object.type == like.type && object.name == like.name;
  });
  return found == objects.end() ? kNone : std::string_view(found->sql);
}

}  // namespace

Status Verifier::check_file() {
  const auto damages = TRY(connection_.damages());
  for (const std::string& damage : damages) add("database", "", "file", damage, "no damage");
  return {};
}

Result<bool> Verifier::check_schema() {
  const auto stored = TRY(connection_.schema());
  const auto expected = TRY(catalog::fresh_schema());
  bool readable = true;
  for (const SchemaObject& object : expected) {
    count("schema");
    const std::string_view found = sql_of(stored, object);
    if (found == object.sql) continue;
    add("schema", object.name, object.type, found, object.sql);
    readable = readable && object.type != "table";
  }
  for (const SchemaObject& object : stored) {
    if (sql_of(expected, object) != kNone) continue;
    add("schema", object.name, object.type, object.sql, kNone);
  }
  return readable;
}

void Verifier::check_digest(std::string_view entity, std::string_view id, std::string_view digest) {
  if (!parse_digest(digest)) add(entity, id, "content_digest", digest, "a digest");
}

Status Verifier::check_artifacts() {
  return catalog::select<catalog::ArtifactRow>(
      connection_, kAllById, [&](const catalog::ArtifactRow& row) {
        count("artifact");
        if (!row.content) return check_digest("artifact", row.id, row.content_digest);
        const std::string computed = to_string(sha256(*row.content));
        if (computed != row.content_digest) {
          add("artifact", row.id, "content_digest", row.content_digest, computed);
        }
      });
}

Status Verifier::check_snapshots() {
  return catalog::select<catalog::SourceSnapshotRow>(
      connection_, kAllById, [&](const catalog::SourceSnapshotRow& row) {
        count("source_snapshot");
        check_digest("source_snapshot", row.id, row.content_digest);
      });
}

Status Verifier::check_links() {
  auto rows = TRY(connection_.query(kLooseLinks));
  return rows.each([&](const db::Rows& row) {
    add(row.text(0), row.text(2), "entity_id", row.text(2), "an existing " + row.string(1));
  });
}

template <class Row>
Status Verifier::check_recorded(const Sql& loose, const std::string& what) {
  TRY(catalog::select<Row>(connection_, kAllById, [&](const Row& row) -> Status {
    count(Row::kTable);
    const auto audit = TRY(catalog::find<catalog::AuditRow>(connection_, kAuditRow, row.id));
    if (!audit) {
      add(Row::kTable, row.id, "row", "no audit row", "the audit row of its id");
      return {};
    }
    catalog::AuditRow expected = audit_row(row);
    expected.sequence = audit->sequence;  // check_log() looks at the rest
    expected.tally = audit->tally;
    expected.digest = audit->digest;
    compare(Row::kTable, row.id, expected, *audit);
    return {};
  }));
  return catalog::select<catalog::AuditRow>(connection_, loose, [&](const catalog::AuditRow& row) {
    add("audit", row.id, "row", row.action + " of " + row.entity_id, what + " of its id");
  });
}

Status Verifier::check_corrections() {
  return check_recorded<catalog::CorrectionRow>(kLooseCorrection, "a correction");
}

Status Verifier::check_attestations() {
  return check_recorded<catalog::AttestationRow>(kLooseAttestation, "an attestation");
}

Status Verifier::check_runners() {
  return check_recorded<catalog::RunnerEventRow>(kLooseRunnerEvent, "a decision about a runner");
}

// Every signature is checked again, and that its row says what was signed.
Status Verifier::check_statements() {
  return catalog::select<catalog::SignedStatementRow>(
      connection_, kAllByDigest, [&](const catalog::SignedStatementRow& row) -> Status {
        count("signed_statement");
        auto rows = statement_rows(row.envelope);
        if (!rows) {
          add("signed_statement", row.digest, "envelope", to_string(rows.error()),
              "a signed statement");
          return {};
        }
        rows->statement.created_at = row.created_at;
        compare("signed_statement", row.digest, row, rows->statement);
        const auto stored = TRY(catalog::signed_runs(connection_, row.digest));
        std::vector<std::string> named;
        for (const catalog::SignedRunRow& run : rows->runs) named.push_back(run.run_digest);
        if (stored != named) {
          add("signed_run", row.digest, "row", join(stored, " "), join(named, " "));
        }
        return {};
      });
}

Status Verifier::check_log() {
  std::string before;
  std::string tally = catalog::to_json({});
  std::int64_t sequence = 0;
  report.log_rows = 0;
  TRY(catalog::select<catalog::AuditRow>(connection_, kLog, [&](const catalog::AuditRow& row) {
    count("audit");
    if (row.sequence != ++sequence) {
      add("audit", row.id, "sequence", std::to_string(row.sequence), std::to_string(sequence));
      sequence = row.sequence;
    }
    const std::string digest = catalog::chain_digest(row, before);
    if (row.digest != digest) add("audit", row.id, "digest", row.digest, digest);
    before = row.digest;
    tally = row.tally;
    ++*report.log_rows;
  }));
  report.log_digest = before;
  const auto counted = catalog::parse_tallies(tally);
  if (!counted) {
    add("audit", std::to_string(sequence), "tally", tally, "rows and sum of each table");
    return {};
  }
  const auto there = TRY(catalog::recount(connection_));
  catalog::Tallies all = *counted;
  all.insert(there.begin(), there.end());
  const auto of = [](const catalog::Tallies& tallies, const std::string& table) {
    const auto found = tallies.find(table);
    return to_string(found == tallies.end() ? catalog::Tally{} : found->second);
  };
  for (const auto& [table, unused] : all) {
    const std::string stored = of(there, table);
    const std::string expected = of(*counted, table);
    if (stored != expected) add(table, "", "tally", stored, expected);
  }
  return {};
}

}  // namespace ki::publish
