#include "catalog/update.h"

#include "catalog/rows_object.h"

namespace ki::catalog {
namespace {

using db::Connection;
using db::Sql;

constexpr Sql kReplacePolicy{"replace_source_policy",
                             "UPDATE source SET policy = $2 WHERE id = $1"};
// Served by the primary key of operation_tag.
constexpr Sql kDropTags{"drop_tags", "DELETE FROM operation_tag WHERE operation_id = $1"};
constexpr Sql kRemovePending{"remove_pending", "DELETE FROM pending_run WHERE run_digest = $1"};

// Served by correction_by_run and correction_by_superseded. Ids are time-ordered.
constexpr Sql kCorrections{"corrections_of",
                           "WHERE run_id = $1 OR superseded_run_id = $1 ORDER BY at, id"};
// Served by the primary key of source_link.
constexpr Sql kRunsOfObservation{
    "runs_of_observation",
    "SELECT entity_id FROM source_link\n"
    " WHERE source_id = $1 AND entity_kind = 'run' AND external_id = $2\n"
    " ORDER BY created_at, entity_id"};

}  // namespace

Status replace_source_policy(Connection& connection, std::string_view source_id,
                             std::string_view policy_json) {
  return connection.run(kReplacePolicy, source_id, policy_json);
}

Result<bool> add_alias(Connection& connection, std::string_view operation_id,
                       std::string_view alias) {
  const OperationAliasRow row{.operation_id = std::string(operation_id),
                              .alias = std::string(alias)};
  TRY((insert<OperationAliasRow, OnConflict::skip>(connection, row)));
  return connection.changes() > 0;
}

Status replace_tags(Connection& connection, std::string_view operation_id,
                    const std::vector<std::string>& tags) {
  TRY(connection.run(kDropTags, operation_id));
  std::int64_t ordinal = 0;
  for (const std::string& tag : tags) {
    const OperationTagRow row{
        .operation_id = std::string(operation_id), .tag = tag, .ordinal = ordinal++};
    TRY((insert<OperationTagRow, OnConflict::skip>(connection, row)));
  }
  return {};
}

Status remove_pending(Connection& connection, std::string_view run_digest) {
  return connection.run(kRemovePending, run_digest);
}

Result<std::vector<CorrectionRow>> corrections_of(Connection& connection, std::string_view run_id) {
  std::vector<CorrectionRow> out;
  TRY(select<CorrectionRow>(
      connection, kCorrections, [&](const CorrectionRow& row) { out.push_back(row); }, run_id));
  return out;
}

Result<std::vector<std::string>> runs_of_observation(Connection& connection,
                                                     std::string_view source_id,
                                                     std::string_view external_id) {
  std::vector<std::string> out;
  auto rows = TRY(connection.query(kRunsOfObservation, source_id, external_id));
  TRY(rows.each([&](const db::Rows& row) { out.push_back(row.string(0)); }));
  return out;
}

RunState state_of(std::string_view run_id, const std::vector<CorrectionRow>& corrections) {
  RunState state;
  for (const CorrectionRow& correction : corrections) {
    if (correction.action == kSupersede) {
      if (correction.superseded_run_id == run_id) state.superseded_by = correction.run_id;
    } else if (correction.run_id != run_id) {
      continue;
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
