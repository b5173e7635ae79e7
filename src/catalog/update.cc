#include "catalog/update.h"

#include <algorithm>

namespace ki::catalog {
namespace {

using db::Connection;
using db::Sql;

constexpr Sql kReplacePolicy{"replace_source_policy",
                             "UPDATE source SET policy = $2 WHERE id = $1"};
// Served by the primary key of operation_tag.
constexpr Sql kTagRows{"tag_rows", "WHERE operation_id = $1 ORDER BY ordinal, tag"};
constexpr Sql kDropTags{"drop_tags", "DELETE FROM operation_tag WHERE operation_id = $1"};
// Served by the primary keys.
constexpr Sql kHasSourceLink{"has_source_link",
                             "SELECT 1 FROM source_link WHERE source_id = $1 AND entity_kind = $2"
                             " AND external_id = $3 AND entity_id = $4"};
constexpr Sql kHasArtifactLink{"has_artifact_link",
                               "SELECT 1 FROM artifact_link WHERE entity_kind = $1"
                               " AND entity_id = $2 AND role = $3 AND artifact_id = $4"};
constexpr Sql kRemovePending{"remove_pending", "DELETE FROM pending_run WHERE run_digest = $1"};

// Served by correction_by_run and correction_by_superseded. Ids are time-ordered.
constexpr Sql kHasCorrection{"has_correction", "SELECT id FROM correction WHERE id = $1"};
constexpr Sql kAnyCorrection{"any_correction", "SELECT id FROM correction LIMIT 1"};
constexpr Sql kCorrections{"corrections_of",
                           "WHERE run_id = $1 OR superseded_run_id = $1 ORDER BY at, id"};
constexpr Sql kHasAttestation{"has_attestation", "SELECT id FROM attestation WHERE id = $1"};
// Served by attestation_by_author (author, at) and attestation_by_run (run_id, at, id).
constexpr Sql kAttestationsByAuthor{
    "attestations_by_author", "SELECT COUNT(*) FROM attestation WHERE author = $1 AND at >= $2"};
constexpr Sql kAttestations{"attestations_of",
                            "WHERE run_id = $1 ORDER BY at DESC, id DESC LIMIT $2"};
// Served by the primary keys of source_link and run.
constexpr Sql kRunsOfObservation{
    "runs_of_observation",
    "SELECT r.id, r.run_digest, r.operation_id, r.comparison_key, r.observed_at, r.published_at\n"
    "  FROM source_link l JOIN run r ON r.id = l.entity_id\n"
    " WHERE l.source_id = $1 AND l.entity_kind = 'run' AND l.external_id = $2\n"
    " ORDER BY l.created_at, l.entity_id"};

// Served by source_link_by_entity (entity_kind, entity_id).
constexpr Sql kSharedExternalId{
    "shared_external_id",
    "SELECT 1 FROM source_link a JOIN source_link b ON b.source_id = a.source_id"
    " AND b.external_id = a.external_id WHERE a.entity_kind = 'run' AND a.entity_id = $1"
    " AND b.entity_kind = 'run' AND b.entity_id = $2 LIMIT 1"};

// Reads all corrections, of which there are few, in the order of correction_by_time.
constexpr Sql kHeld{"held_runs",
                    "SELECT r.id, r.run_digest, i.slug, o.slug FROM correction c "
                    "JOIN run r ON r.id = c.run_id "
                    "JOIN implementation i ON i.id = r.implementation_id "
                    "JOIN operation o ON o.id = r.operation_id "
                    "WHERE c.action = 'hold' ORDER BY c.at, c.id"};

// The links are append-only, so one that is there has to be looked for first.
template <class Row>
Result<bool> add_new(Connection& connection, const Row& row, Result<db::Rows> same) {
  if (!same) return std::unexpected(std::move(same).error());
  const bool known = TRY(same->next());
  if (known) return false;
  TRY(insert(connection, row));
  return true;
}

}  // namespace

Status replace_source_policy(Connection& connection, std::string_view source_id,
                             std::string_view policy_json) {
  return connection.run(kReplacePolicy, source_id, policy_json);
}

Result<bool> add_alias(Connection& connection, const OperationAliasRow& row) {
  TRY((insert<OperationAliasRow, OnConflict::skip>(connection, row)));
  return connection.changes() > 0;
}

Result<std::vector<OperationTagRow>> tag_rows(Connection& connection,
                                              std::string_view operation_id) {
  std::vector<OperationTagRow> out;
  TRY(select<OperationTagRow>(
      connection, kTagRows, [&](const OperationTagRow& row) { out.push_back(row); }, operation_id));
  return out;
}

std::vector<OperationTagRow> tag_rows(std::string_view operation_id,
                                      const std::vector<std::string>& tags) {
  std::vector<OperationTagRow> out;
  for (const std::string& tag : tags) {
    if (std::ranges::find(out, tag, &OperationTagRow::tag) != out.end()) continue;
    out.push_back({.operation_id = std::string(operation_id),
                   .tag = tag,
                   .ordinal = static_cast<std::int64_t>(out.size())});
  }
  return out;
}

Status drop_tags(Connection& connection, std::string_view operation_id) {
  return connection.run(kDropTags, operation_id);
}

Result<bool> add_link(Connection& connection, const SourceLinkRow& link) {
  return add_new(connection, link,
                 connection.query(kHasSourceLink, link.source_id, link.entity_kind,
                                  link.external_id, link.entity_id));
}

Result<bool> add_link(Connection& connection, const ArtifactLinkRow& link) {
  return add_new(connection, link,
                 connection.query(kHasArtifactLink, link.entity_kind, link.entity_id, link.role,
                                  link.artifact_id));
}

Status remove_pending(Connection& connection, std::string_view run_digest) {
  return connection.run(kRemovePending, run_digest);
}

Result<bool> has_correction(Connection& connection, std::string_view id) {
  auto rows = TRY(connection.query(kHasCorrection, id));
  return rows.next();
}

Result<bool> any_correction(Connection& connection) {
  auto rows = TRY(connection.query(kAnyCorrection));
  return rows.next();
}

Result<std::vector<CorrectionRow>> corrections_of(Connection& connection, std::string_view run_id) {
  std::vector<CorrectionRow> out;
  TRY(select<CorrectionRow>(
      connection, kCorrections, [&](const CorrectionRow& row) { out.push_back(row); }, run_id));
  return out;
}

Result<bool> has_attestation(Connection& connection, std::string_view id) {
  auto rows = TRY(connection.query(kHasAttestation, id));
  return rows.next();
}

Result<std::int64_t> count_attestations(Connection& connection, std::string_view author,
                                        std::string_view since) {
  std::int64_t count = 0;
  auto rows = TRY(connection.query(kAttestationsByAuthor, author, since));
  TRY(rows.each([&](const db::Rows& row) { count = row.integer(0); }));
  return count;
}

Result<std::vector<AttestationRow>> attestations_of(Connection& connection, std::string_view run_id,
                                                    std::int64_t limit) {
  std::vector<AttestationRow> out;
  TRY(select<AttestationRow>(
      connection, kAttestations, [&](const AttestationRow& row) { out.push_back(row); }, run_id,
      limit));
  return out;
}

Result<bool> share_external_id(Connection& connection, std::string_view run_id,
                               std::string_view other_id) {
  auto rows = TRY(connection.query(kSharedExternalId, run_id, other_id));
  return rows.next();
}

Result<std::vector<ObservedRun>> runs_of_observation(Connection& connection,
                                                     std::string_view source_id,
                                                     std::string_view external_id) {
  std::vector<ObservedRun> out;
  auto rows = TRY(connection.query(kRunsOfObservation, source_id, external_id));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.id = row.string(0),
                   .run_digest = row.string(1),
                   .operation_id = row.string(2),
                   .comparison_key = row.string(3),
                   .observed_at = row.string(4),
                   .published = !row.is_null(5)});
  }));
  return out;
}

Result<std::vector<HeldRun>> held_runs(Connection& connection, std::int64_t limit) {
  std::vector<HeldRun> out;
  {
    auto rows = TRY(connection.query(kHeld));
    TRY(rows.each([&](const db::Rows& row) {
      HeldRun& held = out.emplace_back();
      held.run_id = row.string(0);
      held.run_digest = row.string(1);
      held.implementation_slug = row.string(2);
      held.operation_slug = row.string(3);
    }));
  }
  std::vector<HeldRun> in_force;
  for (HeldRun& held : out) {
    if (std::ssize(in_force) == limit) break;
    const auto corrections = TRY(corrections_of(connection, held.run_id));
    const RunState state = state_of(held.run_id, corrections);
    if (!state.held || state.retracted || !state.superseded_by.empty()) continue;
    for (const CorrectionRow& row : corrections) {
      if (row.action == kHold) held.hold = row;
    }
    in_force.push_back(std::move(held));
  }
  return in_force;
}

RunState state_of(std::string_view run_id, const std::vector<CorrectionRow>& corrections) {
  RunState state;
  for (const CorrectionRow& correction : corrections) {
    if (correction.action == kSupersede) {
      if (correction.superseded_run_id == run_id) state.superseded_by = correction.run_id;
    } else if (correction.run_id != run_id) {
      continue;
    } else if (correction.action == kHold || correction.action == kRelease) {
      state.held = correction.action == kHold;
    } else if (correction.action == kRetract) {
      state.retracted = true;
    } else if (state.retracted) {
      state.retracted = false;
    } else {
      state.superseded_by.clear();
    }
  }
  return state;
}

}  // namespace ki::catalog
