#include "catalog/read_operation.h"

#include <algorithm>

#include "catalog/update.h"

namespace ki::catalog {
namespace {

constexpr std::int64_t kRowsMax = 10'000'000;

// Served by the primary key.
constexpr db::Sql kOperation{"operation_manifest", "SELECT manifest FROM operation WHERE id = $1"};

// Served by workload_by_operation (operation_id, id).
constexpr db::Sql kWorkloads{
    "workloads_of_operation",
    "SELECT id, kind, workload_digest, shape_summary, dtypes, layout_keys, manifest "
    "FROM workload WHERE operation_id = $1 ORDER BY id LIMIT $2"};

// Served by implementation_by_operation (operation_id, id), workload_by_operation (operation_id,
// id), run_by_workload (workload_id, implementation_id) and the primary keys.
constexpr db::Sql kImplementations{
    "implementations_of_operation",
    "SELECT i.id, i.slug, i.implementation_digest, i.source_revision, i.language, i.framework, "
    "i.target_architectures, i.license_declared, i.license_expression, i.source_available, "
    "i.installable, i.title, i.role, i.install_kind, i.install_command, p.name, p.slug, "
    "i.operation_id FROM implementation i JOIN project p ON p.id = i.project_id WHERE i.id IN ("
    "SELECT id FROM implementation WHERE operation_id = $1 UNION "
    "SELECT r.implementation_id FROM workload w JOIN run r ON r.workload_id = w.id "
    "WHERE w.operation_id = $1) ORDER BY i.id LIMIT $2"};

// Served by cohort_by_operation (operation_id, ...).
constexpr db::Sql kCohorts{"cohorts_of_operation",
                           "SELECT comparison_key, workload_id FROM cohort "
                           "WHERE operation_id = $1 AND eligible_runs > 0 "
                           "ORDER BY comparison_key LIMIT $2"};

// Served by run_by_cohort, which holds all that is read here, and standing_by_cohort.
constexpr db::Sql kRuns{
    "eligible_runs_of_cohort",
    "SELECT id, implementation_id, source_id, observed_at, primary_metric, primary_statistic, "
    "primary_unit, primary_value, sample_count, uncertainty_low, uncertainty_high, spread_low, "
    "spread_high, source_available, has_raw_evidence, source_native FROM run "
    "WHERE comparison_key = $1 AND id IN (SELECT run_id FROM standing WHERE comparison_key = $1) "
    "LIMIT $2"};

// Served by the primary keys.
constexpr db::Sql kGroup{"setting_of_run",
                         "SELECT r.protocol_key, r.environment_key, r.hardware_model, "
                         "e.hardware_form_factor, r.hardware_architecture, r.cuda_major "
                         "FROM run r JOIN environment e ON e.digest = r.environment_key "
                         "WHERE r.id = $1"};
constexpr db::Sql kShown{
    "shown_run",
    "SELECT run_digest, source_id, observed_at, published_at, primary_metric, primary_statistic, "
    "primary_unit, primary_value, sample_count, uncertainty_low, uncertainty_high, spread_low, "
    "spread_high, hardware_model, hardware_architecture, sol_score, "
    "(SELECT COUNT(*) FROM attestation WHERE run_id = $1) FROM run WHERE id = $1"};

// Reads all corrections, of which there are few; then served by the primary keys. Joined
// in another order, every run of the catalog is read.
constexpr db::Sql kCorrected{
    "corrected_runs_of_operation",
    "SELECT /* joined as written */ r.id, r.run_digest, r.comparison_key, i.slug FROM ("
    "SELECT run_id AS id FROM correction WHERE action = 'retract' UNION "
    "SELECT superseded_run_id FROM correction WHERE action = 'supersede') k "
    "JOIN run r ON r.id = k.id JOIN implementation i ON i.id = r.implementation_id "
    "WHERE r.operation_id = $1 AND r.published_at IS NOT NULL ORDER BY r.id LIMIT $2"};

// Scan of a table with a handful of rows.
constexpr db::Sql kSources{"all_sources",
                           "SELECT id, slug, kind, name, policy FROM source ORDER BY id LIMIT $1"};

// Served by pending_run_by_implementation and pending_run_by_workload.
constexpr db::Sql kPending{
    "pending_runs_of_operation",
    "SELECT COUNT(*) FROM pending_run p WHERE p.implementation_digest IN "
    "(SELECT implementation_digest FROM implementation WHERE operation_id = $1) "
    "OR p.workload_digest IN (SELECT workload_digest FROM workload WHERE operation_id = $1)"};

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
constexpr db::Sql kEnvironment{"environment_manifest",
                               "SELECT manifest FROM environment WHERE digest = $1"};
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
                                    .own = row.text(17) == id});
  });
}

Status read_cohorts(db::Connection& connection, std::string_view id, OperationLines& into) {
  auto rows = TRY(connection.query(kCohorts, id, kRowsMax));
  return rows.each([&](const db::Rows& row) {
    into.cohorts.push_back({.comparison_key = row.string(0), .workload_id = row.string(1)});
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
    for (const CorrectionRow& one : corrections) {
      const bool in_force = state.retracted
                                ? one.action == kRetract && one.run_id == line.id
                                : one.action == kSupersede && one.superseded_run_id == line.id;
      if (in_force) line.reason = one.reason;
    }
    if (line.retracted || !line.superseded_by.empty()) into.excluded.push_back(std::move(line));
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

}  // namespace

Result<std::optional<OperationLines>> read_operation(db::Connection& connection,
                                                     std::string_view operation_id) {
  const auto snapshot = TRY(connection.snapshot());
  auto manifest = TRY(read_text(connection, kOperation, operation_id));
  if (!manifest) return std::optional<OperationLines>();
  OperationLines out;
  out.manifest = std::move(*manifest);
  TRY(read_workloads(connection, operation_id, out));
  TRY(read_implementations(connection, operation_id, out));
  TRY(read_cohorts(connection, operation_id, out));
  TRY(read_sources(connection, out.sources));
  TRY(read_excluded(connection, operation_id, out));
  out.pending_runs = TRY(count_pending(connection, operation_id));
  return std::optional(std::move(out));
}

Result<std::vector<RunLine>> read_cohort_runs(db::Connection& connection,
                                              std::string_view comparison_key) {
  std::vector<RunLine> out;
  auto rows = TRY(connection.query(kRuns, comparison_key, kRowsMax));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.id = row.string(0),
                   .implementation_id = row.string(1),
                   .source_id = row.string(2),
                   .observed_at = row.string(3),
                   .metric = row.string(4),
                   .statistic = row.string(5),
                   .unit = row.string(6),
                   .value = row.maybe_real(7),
                   .sample_count = row.maybe_integer(8),
                   .uncertainty_low = row.maybe_real(9),
                   .uncertainty_high = row.maybe_real(10),
                   .spread_low = row.maybe_real(11),
                   .spread_high = row.maybe_real(12),
                   .source_available = row.flag(13),
                   .has_raw_evidence = row.flag(14),
                   .source_native = row.flag(15)});
  }));
  return out;
}

Result<std::optional<GroupLine>> read_group(db::Connection& connection, std::string_view run_id) {
  auto rows = TRY(connection.query(kGroup, run_id));
  const bool found = TRY(rows.next());
  if (!found) return std::optional<GroupLine>();
  return std::optional(GroupLine{.protocol_key = rows.string(0),
                                 .environment_key = rows.string(1),
                                 .hardware_model = rows.string(2),
                                 .hardware_form_factor = rows.string(3),
                                 .hardware_architecture = rows.string(4),
                                 .cuda_major = rows.maybe_integer(5)});
}

Result<std::optional<ShownLine>> read_shown_run(db::Connection& connection,
                                                std::string_view run_id) {
  auto rows = TRY(connection.query(kShown, run_id));
  const bool found = TRY(rows.next());
  if (!found) return std::optional<ShownLine>();
  return std::optional(ShownLine{.digest = rows.string(0),
                                 .source_id = rows.string(1),
                                 .observed_at = rows.string(2),
                                 .published_at = rows.string(3),
                                 .metric = rows.string(4),
                                 .statistic = rows.string(5),
                                 .unit = rows.string(6),
                                 .value = rows.maybe_real(7),
                                 .sample_count = rows.maybe_integer(8),
                                 .uncertainty_low = rows.maybe_real(9),
                                 .uncertainty_high = rows.maybe_real(10),
                                 .spread_low = rows.maybe_real(11),
                                 .spread_high = rows.maybe_real(12),
                                 .hardware_model = rows.string(13),
                                 .hardware_architecture = rows.string(14),
                                 .sol_score = rows.maybe_real(15),
                                 .attestations = rows.integer(16)});
}

Result<OperationStamp> read_operation_stamp(db::Connection& connection,
                                            std::string_view operation_id) {
  OperationStamp out;
  {
    auto rows = TRY(connection.query(kStamp, operation_id));
    TRY(rows.next());
    out.eligible_runs = rows.integer(0);
    out.cohorts = rows.integer(1);
    out.workloads = rows.integer(2);
    out.implementations = rows.integer(3);
    out.corrections = rows.integer(4);
    out.attestations = rows.integer(5);
  }
  out.pending_runs = TRY(count_pending(connection, operation_id));
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
  return read_text(connection, kEnvironment, digest);
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
