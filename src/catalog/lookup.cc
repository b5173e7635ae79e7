#include "catalog/lookup.h"

#include "base/text.h"

namespace ki::catalog {
namespace {

using db::Connection;
using db::Sql;

// Each is served by the unique index of the column it names.
constexpr Sql kSourceId{"source_id", "SELECT id FROM source WHERE slug = $1"};
constexpr Sql kSnapshotId{"snapshot_id",
                          "SELECT id FROM source_snapshot\n"
                          " WHERE source_id = $1 AND locator = $2 AND content_digest = $3\n"
                          "   AND parser_version = $4"};
constexpr Sql kProjectId{"project_id", "SELECT id FROM project WHERE slug = $1"};
constexpr Sql kOperationId{"operation_id", "SELECT id FROM operation WHERE semantic_digest = $1"};
constexpr Sql kWorkloadId{"workload_id", "SELECT id FROM workload WHERE workload_digest = $1"};
constexpr Sql kImplementationId{"implementation_id",
                                "SELECT id FROM implementation WHERE implementation_digest = $1"};
constexpr Sql kRunId{"run_id", "SELECT id FROM run WHERE run_digest = $1"};
constexpr Sql kPendingId{"pending_id", "SELECT id FROM pending_run WHERE run_digest = $1"};
constexpr Sql kArtifactId{"artifact_id", "SELECT id FROM artifact WHERE content_digest = $1"};
constexpr Sql kHasProtocol{"has_protocol", "SELECT digest FROM protocol WHERE digest = $1"};
constexpr Sql kHasEnvironment{"has_environment",
                              "SELECT digest FROM environment WHERE digest = $1"};

constexpr Sql kSource{"source", "WHERE slug = $1"};
constexpr Sql kOperation{"operation", "WHERE semantic_digest = $1"};
constexpr Sql kOperationBySlug{"operation_by_slug", "WHERE slug = $1"};
constexpr Sql kOperationById{"operation_by_id", "WHERE id = $1"};
constexpr Sql kWorkload{"workload", "WHERE workload_digest = $1"};
constexpr Sql kImplementation{"implementation", "WHERE implementation_digest = $1"};
constexpr Sql kProtocol{"protocol", "WHERE digest = $1"};
constexpr Sql kEnvironment{"environment", "WHERE digest = $1"};
// Served by the indexes of slug; those with LIKE read all of it.
constexpr Sql kSourceSlugs{"source_slugs", "SELECT slug FROM source ORDER BY slug LIMIT 100"};
constexpr Sql kImplementationsLike{
    "implementation_slugs_like",
    "SELECT slug FROM implementation WHERE slug LIKE $1 ORDER BY slug LIMIT $2"};
constexpr Sql kProjectsLike{"project_slugs_like",
                            "SELECT slug FROM project WHERE slug LIKE $1 ORDER BY slug LIMIT $2"};
constexpr Sql kRunById{"run_by_id", "WHERE id = $1"};
constexpr Sql kRunByDigest{"run_by_digest", "WHERE run_digest = $1"};

// Served by pending_run_by_implementation and pending_run_by_workload.
constexpr Sql kPendingByImplementation{"pending_by_implementation",
                                       "WHERE implementation_digest = $1 ORDER BY id"};
constexpr Sql kPendingByWorkload{"pending_by_workload", "WHERE workload_digest = $1 ORDER BY id"};

// Served by the primary keys and the unique indexes of run_digest and id.
constexpr Sql kRunsStarting{
    "runs_starting",
    "SELECT run_digest FROM run WHERE run_digest >= $1 AND run_digest < $2\n"
    "UNION SELECT run_digest FROM run WHERE id >= $1 AND id < $2\n"
    "UNION SELECT run_digest FROM pending_run WHERE run_digest >= $1 AND run_digest < $2\n"
    "UNION SELECT run_digest FROM pending_run WHERE id >= $1 AND id < $2\n"
    "ORDER BY run_digest LIMIT $3"};

constexpr Sql kAnyPending{"any_pending", "SELECT id FROM pending_run LIMIT 1"};

// Served by the primary key of operation_tag and by operation_alias_by_operation.
constexpr Sql kTags{"tags",
                    "SELECT tag FROM operation_tag WHERE operation_id = $1 ORDER BY ordinal, tag"};
constexpr Sql kAliases{"aliases",
                       "SELECT alias FROM operation_alias WHERE operation_id = $1 ORDER BY alias"};

template <class... Arguments>
Result<std::vector<std::string>> texts(Connection& connection, const Sql& sql,
                                       const Arguments&... arguments) {
  std::vector<std::string> out;
  auto rows = TRY(connection.query(sql, arguments...));
  TRY(rows.each([&](const db::Rows& row) { out.push_back(row.string(0)); }));
  return out;
}

template <class... Arguments>
Result<Id> one_id(Connection& connection, const Sql& sql, const Arguments&... arguments) {
  auto rows = TRY(connection.query(sql, arguments...));
  const bool found = TRY(rows.next());
  return found ? Id(rows.string(0)) : std::nullopt;
}

Result<bool> any(Connection& connection, const Sql& sql) {
  const Id id = TRY(one_id(connection, sql));
  return id.has_value();
}

template <class Row>
Result<std::vector<Row>> all(Connection& connection, const Sql& tail, std::string_view argument) {
  std::vector<Row> out;
  TRY(select<Row>(connection, tail, [&](const Row& row) { out.push_back(row); }, argument));
  return out;
}

Result<std::vector<std::string>> slugs_like(Connection& connection, const Sql& sql,
                                            std::string_view part, std::int64_t limit) {
  const std::string lower = ascii_lower(part);
  const bool plain =
      lower.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
  if (lower.empty() || !plain) return std::vector<std::string>();
  return texts(connection, sql, "%" + lower + "%", limit);
}

}  // namespace

Result<std::vector<std::string>> source_slugs(Connection& connection) {
  return texts(connection, kSourceSlugs);
}

Result<std::vector<std::string>> implementations_like(Connection& connection, std::string_view part,
                                                      std::int64_t limit) {
  return slugs_like(connection, kImplementationsLike, part, limit);
}

Result<std::vector<std::string>> projects_like(Connection& connection, std::string_view part,
                                               std::int64_t limit) {
  return slugs_like(connection, kProjectsLike, part, limit);
}

Result<Id> source_id(Connection& connection, std::string_view slug) {
  return one_id(connection, kSourceId, slug);
}
Result<Id> snapshot_id(Connection& connection, const SourceSnapshotRow& same) {
  return one_id(connection, kSnapshotId, same.source_id, same.locator, same.content_digest,
                same.parser_version);
}
Result<Id> project_id(Connection& connection, std::string_view slug) {
  return one_id(connection, kProjectId, slug);
}
Result<Id> operation_id(Connection& connection, std::string_view digest) {
  return one_id(connection, kOperationId, digest);
}
Result<Id> workload_id(Connection& connection, std::string_view digest) {
  return one_id(connection, kWorkloadId, digest);
}
Result<Id> implementation_id(Connection& connection, std::string_view digest) {
  return one_id(connection, kImplementationId, digest);
}
Result<Id> run_id(Connection& connection, std::string_view digest) {
  return one_id(connection, kRunId, digest);
}
Result<Id> pending_run_id(Connection& connection, std::string_view digest) {
  return one_id(connection, kPendingId, digest);
}
Result<Id> artifact_id(Connection& connection, std::string_view digest) {
  return one_id(connection, kArtifactId, digest);
}
Result<bool> has_protocol(Connection& connection, std::string_view digest) {
  const Id found = TRY(one_id(connection, kHasProtocol, digest));
  return found.has_value();
}
Result<bool> has_environment(Connection& connection, std::string_view digest) {
  const Id found = TRY(one_id(connection, kHasEnvironment, digest));
  return found.has_value();
}

Result<std::optional<SourceRow>> find_source(Connection& connection, std::string_view slug) {
  return find<SourceRow>(connection, kSource, slug);
}
Result<std::optional<OperationRow>> find_operation(Connection& connection,
                                                   std::string_view digest) {
  return find<OperationRow>(connection, kOperation, digest);
}
Result<std::optional<OperationRow>> find_operation_by_slug(Connection& connection,
                                                           std::string_view slug) {
  return find<OperationRow>(connection, kOperationBySlug, slug);
}
Result<std::optional<OperationRow>> find_operation_by_id(Connection& connection,
                                                         std::string_view id) {
  return find<OperationRow>(connection, kOperationById, id);
}
Result<std::optional<WorkloadRow>> find_workload(Connection& connection, std::string_view digest) {
  return find<WorkloadRow>(connection, kWorkload, digest);
}
Result<std::optional<ImplementationRow>> find_implementation(Connection& connection,
                                                             std::string_view digest) {
  return find<ImplementationRow>(connection, kImplementation, digest);
}
Result<std::optional<ProtocolRow>> find_protocol(Connection& connection, std::string_view digest) {
  return find<ProtocolRow>(connection, kProtocol, digest);
}
Result<std::optional<EnvironmentRow>> find_environment(Connection& connection,
                                                       std::string_view digest) {
  return find<EnvironmentRow>(connection, kEnvironment, digest);
}
Result<std::optional<RunRow>> find_run(Connection& connection, std::string_view id_or_digest) {
  return find<RunRow>(connection, id_or_digest.starts_with("sha256:") ? kRunByDigest : kRunById,
                      id_or_digest);
}

Result<std::vector<std::string>> runs_starting(Connection& connection, std::string_view prefix,
                                               std::int64_t limit) {
  // 'g' follows everything that can stand in an id or behind the scheme of a digest.
  return texts(connection, kRunsStarting, prefix, std::string(prefix) + "g", limit);
}

Result<std::vector<PendingRunRow>> pending_for_implementation(Connection& connection,
                                                              std::string_view digest) {
  return all<PendingRunRow>(connection, kPendingByImplementation, digest);
}
Result<std::vector<PendingRunRow>> pending_for_workload(Connection& connection,
                                                        std::string_view digest) {
  return all<PendingRunRow>(connection, kPendingByWorkload, digest);
}

Result<bool> any_pending(Connection& connection) { return any(connection, kAnyPending); }

Result<std::vector<std::string>> tags_of(Connection& connection, std::string_view operation_id) {
  return texts(connection, kTags, operation_id);
}
Result<std::vector<std::string>> aliases_of(Connection& connection, std::string_view operation_id) {
  return texts(connection, kAliases, operation_id);
}

}  // namespace ki::catalog
