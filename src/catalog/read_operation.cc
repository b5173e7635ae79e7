#include "catalog/read_operation.h"

#include <algorithm>

#include "catalog/update.h"

namespace ki::catalog {
namespace {

constexpr std::int64_t kRowsMax = 10'000'000;

// Served by the primary key.
constexpr db::Sql kOperation{"operation_manifest", "SELECT manifest FROM operation WHERE id = $1"};

// Served by workload_by_operation (operation_id, id, ...).
constexpr db::Sql kWorkloads{
    "workloads_of_operation",
    "SELECT id, kind, workload_digest, shape_summary, dtypes, layout_keys, manifest "
    "FROM workload WHERE operation_id = $1 ORDER BY id LIMIT $2"};

// Served by implementation_by_operation (operation_id, id), standing_by_implementation
// (implementation_id, operation_id, ...), the primary keys and run_by_operation (operation_id,
// implementation_id), of which one entry an implementation is read.
constexpr db::Sql kImplementations{
    "implementations_of_operation",
    "WITH RECURSIVE used (id) AS (SELECT MIN(implementation_id) FROM run WHERE operation_id = $1 "
    "UNION ALL SELECT (SELECT MIN(r.implementation_id) FROM run r WHERE r.operation_id = $1 "
    "AND r.implementation_id > used.id) FROM used WHERE used.id IS NOT NULL) "
    "SELECT i.id, i.slug, i.implementation_digest, i.source_revision, i.language, i.framework, "
    "i.target_architectures, i.license_declared, i.license_expression, i.source_available, "
    "i.installable, i.title, i.role, i.install_kind, i.install_command, p.name, p.slug, "
    "i.operation_id, EXISTS (SELECT 1 FROM standing s WHERE s.implementation_id = i.id "
    "AND s.operation_id = $1) FROM implementation i JOIN project p ON p.id = i.project_id "
    "WHERE i.id IN (SELECT id FROM implementation WHERE operation_id = $1 UNION "
    "SELECT id FROM used WHERE id IS NOT NULL) ORDER BY i.id LIMIT $2"};

// Served by the primary key of cohort, which keeps the cohorts of an operation together. Those
// without an eligible run, which are few, are left out by the reader: an index by that number would
// be read instead, and then each row by itself.
constexpr db::Sql kCohorts{
    "cohorts_of_operation",
    "SELECT comparison_key, workload_id, protocol_key, environment_key, hardware_model, "
    "hardware_architecture, cuda_major, primary_metric, primary_statistic, primary_unit, "
    "eligible_runs, reproducible_runs, native_runs, best_value, last_observed_at, sources "
    "FROM cohort WHERE operation_id = $1 ORDER BY comparison_key LIMIT $2"};

// Reads all corrections, of which there are few; then served by the primary keys. Joined
// in another order, every run of the catalog is read.
constexpr db::Sql kCorrected{
    "corrected_runs_of_operation",
    "SELECT /* joined as written */ r.id, r.run_digest, r.comparison_key, i.slug FROM ("
    "SELECT run_id AS id FROM correction WHERE action IN ('retract', 'hold') UNION "
    "SELECT superseded_run_id FROM correction WHERE action = 'supersede') k "
    "JOIN run r ON r.id = k.id JOIN implementation i ON i.id = r.implementation_id "
    "WHERE r.operation_id = $1 AND r.published_at IS NOT NULL ORDER BY r.id LIMIT $2"};

// Scans of small indexes of tables that only grow.
constexpr db::Sql kSignatures{"count_signatures",
                              "SELECT (SELECT COUNT(*) FROM signed_statement) + "
                              "(SELECT COUNT(*) FROM runner_event)"};

// Scan of a table with a handful of rows.
constexpr db::Sql kSources{"all_sources",
                           "SELECT id, slug, kind, name, policy FROM source ORDER BY id LIMIT $1"};

// Served by pending_run_by_implementation and pending_run_by_workload. Where nothing waits, which
// is mostly so, the rows of implementations and workloads are not read for their digests.
constexpr db::Sql kPending{
    "pending_runs_of_operation",
    "SELECT CASE WHEN EXISTS (SELECT 1 FROM pending_run) THEN "
    "(SELECT COUNT(*) FROM pending_run p WHERE p.implementation_digest IN "
    "(SELECT implementation_digest FROM implementation WHERE operation_id = $1) "
    "OR p.workload_digest IN (SELECT workload_digest FROM workload WHERE operation_id = $1)) "
    "ELSE 0 END"};

// Served by cohort_by_operation (operation_id, eligible_runs, ...), workload_by_operation,
// implementation_by_operation and, for corrections, the primary key of run.
constexpr db::Sql kStamp{
    "stamp_of_operation",
    "SELECT /* joined as written */ "
    "(SELECT COALESCE(SUM(eligible_runs), 0) FROM cohort WHERE operation_id = $1), "
    "(SELECT COUNT(*) FROM cohort WHERE operation_id = $1), "
    "(SELECT COUNT(*) FROM workload WHERE operation_id = $1), "
    "(SELECT COUNT(*) FROM implementation WHERE operation_id = $1), "
    "(SELECT COUNT(*) FROM correction k JOIN run r ON r.id = k.run_id "
    "WHERE r.operation_id = $1) + "
    "(SELECT COUNT(*) FROM correction k JOIN run r ON r.id = k.superseded_run_id "
    "WHERE r.operation_id = $1), "
    "(SELECT COUNT(*) FROM attestation a JOIN run r ON r.id = a.run_id "
    "WHERE r.operation_id = $1)"};

// Served by the primary keys.
constexpr db::Sql kProtocol{"protocol_manifest", "SELECT manifest FROM protocol WHERE digest = $1"};
constexpr db::Sql kEnvironment{
    "environment_manifest",
    "SELECT manifest, hardware_form_factor FROM environment WHERE digest = $1"};
constexpr db::Sql kImplementation{"implementation_manifest",
                                  "SELECT manifest FROM implementation WHERE id = $1"};

// Served by the unique index of workload_digest.
constexpr db::Sql kOwner{"owner_of_workload",
                         "SELECT id, operation_id FROM workload WHERE workload_digest = $1"};

Status read_workloads(db::Connection& connection, std::string_view id, OperationLines& into) {
  auto rows = TRY(connection.query(kWorkloads, id, kRowsMax));
  return rows.each([&](const db::Rows& row) {
    into.workloads.push_back({.id = row.string(0),
                              .suite = row.text(1) == "WorkloadSuite",
                              .digest = row.string(2),
                              .shape_summary = row.string(3),
                              .dtypes = row.string(4),
                              .layout_keys = row.string(5),
                              .manifest = row.string(6)});
  });
}

Status read_implementations(db::Connection& connection, std::string_view id, OperationLines& into) {
  auto rows = TRY(connection.query(kImplementations, id, kRowsMax));
  return rows.each([&](const db::Rows& row) {
    into.implementations.push_back({.id = row.string(0),
                                    .slug = row.string(1),
                                    .digest = row.string(2),
                                    .source_revision = row.maybe_string(3),
                                    .language = row.string(4),
                                    .framework = row.maybe_string(5),
                                    .target_architectures = row.string(6),
                                    .license_declared = row.maybe_string(7),
                                    .license_expression = row.maybe_string(8),
                                    .source_available = row.flag(9),
                                    .installable = row.flag(10),
                                    .title = row.maybe_string(11),
                                    .role = row.maybe_string(12),
                                    .install_kind = row.maybe_string(13),
                                    .install_command = row.maybe_string(14),
                                    .project_name = row.string(15),
                                    .project_slug = row.string(16),
                                    .own = row.text(17) == id,
                                    .measured = row.flag(18)});
  });
}

Status read_cohorts(db::Connection& connection, std::string_view id, OperationLines& into) {
  auto rows = TRY(connection.query(kCohorts, id, kRowsMax));
  return rows.each([&](const db::Rows& row) {
    if (row.integer(10) == 0) return;
    into.cohorts.push_back({.comparison_key = row.string(0),
                            .workload_id = row.string(1),
                            .protocol_key = row.string(2),
                            .environment_key = row.string(3),
                            .hardware_model = row.string(4),
                            .hardware_architecture = row.string(5),
                            .cuda_major = row.maybe_integer(6),
                            .metric = row.string(7),
                            .statistic = row.string(8),
                            .unit = row.string(9),
                            .runs = row.integer(10),
                            .reproducible = row.integer(11),
                            .native = row.integer(12),
                            .best_value = row.maybe_real(13),
                            .last_observed_at = row.string(14),
                            .sources = row.string(15)});
  });
}

Status read_excluded(db::Connection& connection, std::string_view id, OperationLines& into) {
  std::vector<ExcludedLine> corrected;
  {
    auto rows = TRY(connection.query(kCorrected, id, kRowsMax));
    TRY(rows.each([&](const db::Rows& row) {
      corrected.push_back({.id = row.string(0),
                           .digest = row.string(1),
                           .comparison_key = row.string(2),
                           .implementation_slug = row.string(3),
                           .superseded_by = {},
                           .reason = {}});
    }));
  }
  for (ExcludedLine& line : corrected) {
    const auto corrections = TRY(corrections_of(connection, line.id));
    const RunState state = state_of(line.id, corrections);
    line.retracted = state.retracted;
    line.superseded_by = state.superseded_by;
    line.held = state.held;
    for (const CorrectionRow& one : corrections) {
      const bool supersedes = one.action == kSupersede && one.superseded_run_id == line.id;
      const bool in_force = state.retracted ? one.action == kRetract && one.run_id == line.id
                            : !state.superseded_by.empty()
                                ? supersedes
                                : one.action == kHold && one.run_id == line.id;
      if (in_force) line.reason = one.reason;
    }
    if (state.stands_out()) into.excluded.push_back(std::move(line));
  }
  return {};
}

Status read_sources(db::Connection& connection, std::vector<SourceLine>& into) {
  auto rows = TRY(connection.query(kSources, kRowsMax));
  return rows.each([&](const db::Rows& row) {
    into.push_back({.id = row.string(0),
                    .slug = row.string(1),
                    .kind = row.string(2),
                    .name = row.string(3),
                    .policy = row.string(4)});
  });
}

Result<std::int64_t> count_pending(db::Connection& connection, std::string_view operation_id) {
  auto rows = TRY(connection.query(kPending, operation_id));
  TRY(rows.next());
  return rows.integer(0);
}

Result<std::optional<std::string>> read_text(db::Connection& connection, const db::Sql& sql,
                                             std::string_view key) {
  auto rows = TRY(connection.query(sql, key));
  const bool found = TRY(rows.next());
  return found ? std::optional(rows.string(0)) : std::nullopt;
}

// An implementation of one operation can have runs of another: it is one line then.
void unite_implementations(std::vector<ImplementationLine>& lines) {
  std::ranges::stable_sort(lines, {}, &ImplementationLine::id);
  std::vector<ImplementationLine> out;
  for (ImplementationLine& line : lines) {
    if (out.empty() || out.back().id != line.id) {
      out.push_back(std::move(line));
      continue;
    }
    if (line.own) out.back().operation = line.operation;
    out.back().own = out.back().own || line.own;
    out.back().measured = out.back().measured || line.measured;
  }
  lines = std::move(out);
}

// Puts what several operations have in the order that one would have it.
void unite(OperationLines& lines) {
  std::ranges::sort(lines.workloads, {}, &WorkloadLine::id);
  unite_implementations(lines.implementations);
  std::ranges::sort(lines.cohorts, {}, &CohortLine::comparison_key);
  std::ranges::sort(lines.excluded, {}, &ExcludedLine::id);
}

Status read_one(db::Connection& connection, std::string_view id, std::size_t at,
                OperationLines& into) {
  const std::size_t workloads = into.workloads.size();
  const std::size_t implementations = into.implementations.size();
  TRY(read_workloads(connection, id, into));
  TRY(read_implementations(connection, id, into));
  for (std::size_t i = workloads; i < into.workloads.size(); ++i) into.workloads[i].operation = at;
  for (std::size_t i = implementations; i < into.implementations.size(); ++i) {
    into.implementations[i].operation = at;
  }
  TRY(read_cohorts(connection, id, into));
  TRY(read_excluded(connection, id, into));
  into.pending_runs += TRY(count_pending(connection, id));
  return {};
}

}  // namespace

Result<std::optional<OperationLines>> read_operations(db::Connection& connection,
                                                      std::span<const std::string> ids) {
  const auto snapshot = TRY(connection.snapshot());
  OperationLines out;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    auto manifest = TRY(read_text(connection, kOperation, ids[i]));
    if (!manifest) return std::optional<OperationLines>();
    if (i == 0) out.manifest = std::move(*manifest);
    TRY(read_one(connection, ids[i], i, out));
  }
  if (ids.size() > 1) unite(out);
  TRY(read_sources(connection, out.sources));
  return std::optional(std::move(out));
}

Result<OperationStamp> read_operations_stamp(db::Connection& connection,
                                             std::span<const std::string> ids) {
  OperationStamp out;
  for (const std::string& id : ids) {
    {
      auto rows = TRY(connection.query(kStamp, id));
      TRY(rows.next());
      out.eligible_runs += rows.integer(0);
      out.cohorts += rows.integer(1);
      out.workloads += rows.integer(2);
      out.implementations += rows.integer(3);
      out.corrections += rows.integer(4);
      out.attestations += rows.integer(5);
    }
    out.pending_runs += TRY(count_pending(connection, id));
  }
  auto signatures = TRY(connection.query(kSignatures));
  TRY(signatures.next());
  out.signatures = signatures.integer(0);
  std::vector<SourceLine> sources;
  TRY(read_sources(connection, sources));
  for (const SourceLine& source : sources) out.sources += source.id + ' ' + source.policy + '\n';
  return out;
}

Result<std::optional<std::string>> read_protocol(db::Connection& connection,
                                                 std::string_view digest) {
  return read_text(connection, kProtocol, digest);
}

Result<std::optional<std::string>> read_environment(db::Connection& connection,
                                                    std::string_view digest) {
  auto line = TRY(read_environment_line(connection, digest));
  return line ? std::optional(std::move(line->manifest)) : std::nullopt;
}

Result<std::optional<EnvironmentLine>> read_environment_line(db::Connection& connection,
                                                             std::string_view digest) {
  auto rows = TRY(connection.query(kEnvironment, digest));
  const bool found = TRY(rows.next());
  if (!found) return std::optional<EnvironmentLine>();
  return std::optional(
      EnvironmentLine{.manifest = rows.string(0), .hardware_form_factor = rows.string(1)});
}

Result<std::optional<std::string>> read_operation_manifest(db::Connection& connection,
                                                           std::string_view id) {
  return read_text(connection, kOperation, id);
}

Result<std::optional<std::string>> read_implementation_manifest(db::Connection& connection,
                                                                std::string_view id) {
  return read_text(connection, kImplementation, id);
}

Result<std::optional<WorkloadOwner>> find_workload_owner(db::Connection& connection,
                                                         std::string_view digest) {
  auto rows = TRY(connection.query(kOwner, digest));
  const bool found = TRY(rows.next());
  if (!found) return std::optional<WorkloadOwner>();
  return std::optional(
      WorkloadOwner{.workload_id = rows.string(0), .operation_id = rows.string(1)});
}

}  // namespace ki::catalog
