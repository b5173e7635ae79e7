#include "catalog/dump.h"

#include <map>
#include <span>
#include <string>
#include <vector>

#include "catalog/update.h"
#include "json/write.h"

namespace ki::catalog {
namespace {

enum class As {
  text,
  integer,
  real,
  flag,
  json,   // a column that holds a JSON text
  tags,   // a column that holds an operation's id: its tags in order
  older,  // a column that holds a run's id: the run that it supersedes
  no,     // no column: always false
  yes,    // no column: always true
  zero,   // no column: always 0
};

struct Field {
  std::string_view name;
  As as = As::text;
};

struct DumpTable {
  std::string_view name;
  db::Sql sql;  // one column for each field that has one, in order
  std::span<const Field> fields;
};

constexpr Field kSource[] = {{"id"},       {"slug"}, {"kind"}, {"name"}, {"policy", As::json},
                             {"createdAt"}};
// Sources that stand behind nothing (that of an imported export file) say where this catalog came
// from, not what it holds.
constexpr db::Sql kSourceSql = {
    "dump_source",
    "SELECT id, slug, kind, name, policy, created_at FROM source "
    "WHERE EXISTS (SELECT 1 FROM run WHERE run.source_id = source.id) "
    "OR EXISTS (SELECT 1 FROM source_link WHERE source_link.source_id = source.id) ORDER BY id"};

constexpr Field kProject[] = {{"id"},
                              {"slug"},
                              {"name"},
                              {"normalizedName"},
                              {"canonicalUrl"},
                              {"licenseExpression"},
                              {"manifest", As::json},
                              {"createdAt"}};
constexpr db::Sql kProjectSql = {
    "dump_project",
    "SELECT id, slug, name, normalized_name, canonical_url, license_expression, manifest, "
    "created_at FROM project ORDER BY id"};

constexpr Field kOperation[] = {
    {"id"},
    {"slug"},
    {"family"},
    {"name"},
    {"schemaVersion"},
    {"semanticDigest"},
    {"manifest", As::json},
    {"tags", As::tags},
    {"createdAt"},
    {"supersedesId"},
};
constexpr db::Sql kOperationSql = {
    "dump_operation",
    "SELECT id, slug, family, name, schema_version, semantic_digest, manifest, id, "
    "created_at, supersedes_id FROM operation ORDER BY id"};
constexpr db::Sql kTagsSql = {
    "dump_tags", "SELECT operation_id, tag FROM operation_tag ORDER BY operation_id, ordinal"};

constexpr Field kAlias[] = {{"operationId"}, {"alias"}};
constexpr db::Sql kAliasSql = {
    "dump_alias", "SELECT operation_id, alias FROM operation_alias ORDER BY operation_id, alias"};

constexpr Field kWorkload[] = {{"id"},
                               {"operationId"},
                               {"workloadDigest"},
                               {"schemaVersion"},
                               {"manifest", As::json},
                               {"shapeSummary"},
                               {"dtypes", As::json},
                               {"layoutKeys", As::json},
                               {"createdAt"}};
constexpr db::Sql kWorkloadSql = {
    "dump_workload",
    "SELECT id, operation_id, workload_digest, schema_version, manifest, shape_summary, dtypes, "
    "layout_keys, created_at FROM workload ORDER BY id"};

constexpr Field kImplementation[] = {{"id"},
                                     {"projectId"},
                                     {"operationId"},
                                     {"slug"},
                                     {"implementationDigest"},
                                     {"sourceRevision"},
                                     {"language"},
                                     {"framework"},
                                     {"targetArchitectures", As::json},
                                     {"licenseExpression"},
                                     {"sourceAvailable", As::flag},
                                     {"installable", As::flag},
                                     {"title"},
                                     {"installKind"},
                                     {"installCommand"},
                                     {"licenseDeclared"},
                                     {"manifest", As::json},
                                     {"createdAt"},
                                     {"supersedesId"}};
constexpr db::Sql kImplementationSql = {
    "dump_implementation",
    "SELECT id, project_id, operation_id, slug, implementation_digest, source_revision, language, "
    "framework, target_architectures, license_expression, source_available, installable, title, "
    "install_kind, install_command, license_declared, manifest, created_at, supersedes_id "
    "FROM implementation ORDER BY id"};

constexpr Field kRun[] = {{"id"},
                          {"runDigest"},
                          {"implementationId"},
                          {"workloadId"},
                          {"sourceId"},
                          {"status"},
                          {"observedAt"},
                          {"publishedAt"},
                          {"hardwareVendor"},
                          {"hardwareModel"},
                          {"hardwareArchitecture"},
                          {"driverMajor", As::integer},
                          {"cudaMajor", As::integer},
                          {"protocolKey"},
                          {"environmentKey"},
                          {"correctnessKey"},
                          {"comparisonKey"},
                          {"primaryMetric"},
                          {"primaryValue", As::real},
                          {"primaryUnit"},
                          {"sampleCount", As::integer},
                          {"uncertaintyLow", As::real},
                          {"uncertaintyHigh", As::real},
                          {"reported", As::yes},
                          {"reproducedByKernelindex", As::no},
                          {"independentReplicationCount", As::zero},
                          {"sourceAvailable", As::flag},
                          {"installable", As::flag},
                          {"licenseExpression"},
                          {"primaryStatistic"},
                          {"hasRawEvidence", As::flag},
                          {"sourceNative", As::flag},
                          {"environmentSummary"},
                          {"manifest", As::json},
                          {"supersedesId", As::older},
                          {"retractedAt"},
                          {"retractionReason"}};
constexpr db::Sql kRunSql = {
    "dump_run",
    "SELECT r.id, r.run_digest, r.implementation_id, r.workload_id, r.source_id, r.status, "
    "r.observed_at, r.published_at, r.hardware_vendor, r.hardware_model, r.hardware_architecture, "
    "r.driver_major, r.cuda_major, r.protocol_key, r.environment_key, r.correctness_key, "
    "r.comparison_key, COALESCE(r.primary_metric, 'none'), r.primary_value, r.primary_unit, "
    "r.sample_count, "
    "r.uncertainty_low, r.uncertainty_high, r.source_available, r.installable, "
    "r.license_expression, r.primary_statistic, r.has_raw_evidence, r.source_native, "
    "r.environment_summary, "
    "'{\"run\":' || r.manifest || ',\"protocol\":' || p.manifest || ',\"environment\":' || "
    "e.manifest || '}', "
    "r.id, "
    "CASE WHEN last.action = 'retract' THEN last.at END, "
    "CASE WHEN last.action = 'retract' THEN last.reason END "
    "FROM run r JOIN protocol p ON p.digest = r.protocol_key "
    "JOIN environment e ON e.digest = r.environment_key "
    "LEFT JOIN correction last ON last.id = (SELECT c.id FROM correction c "
    "WHERE c.run_id = r.id AND c.action IN ('retract', 'restore') "
    "ORDER BY c.at DESC, c.id DESC LIMIT 1) "
    "WHERE r.published_at IS NOT NULL ORDER BY r.id"};

constexpr Field kMeasurement[] = {{"id"},
                                  {"runId"},
                                  {"metric"},
                                  {"statistic"},
                                  {"unit"},
                                  {"value", As::real},
                                  {"sampleCount", As::integer}};
constexpr db::Sql kMeasurementSql = {
    "dump_measurement",
    "SELECT m.id, m.run_id, m.metric, m.statistic, m.unit, m.value, m.sample_count "
    "FROM measurement m JOIN run r ON r.id = m.run_id WHERE r.published_at IS NOT NULL "
    "ORDER BY m.id"};

constexpr Field kCorrection[] = {{"id"},    {"action"}, {"runId"}, {"supersededRunId"},
                                 {"actor"}, {"reason"}, {"at"}};
constexpr db::Sql kCorrectionSql = {
    "dump_correction",
    "SELECT id, action, run_id, superseded_run_id, actor, reason, at FROM correction "
    "ORDER BY at, id"};

constexpr Field kEvent[] = {
    {"id"}, {"comparisonKey"}, {"runId"}, {"previousRunId"}, {"policyVersion"}, {"cause"},
    {"at"}, {"createdAt"}};
constexpr db::Sql kEventSql = {
    "dump_record_event",
    "SELECT id, comparison_key, run_id, previous_run_id, policy_version, cause, at, created_at "
    "FROM record_event ORDER BY id"};

constexpr Field kArtifact[] = {
    {"id"},      {"contentDigest"}, {"kind"},    {"mediaType"}, {"sizeBytes", As::integer},
    {"storage"}, {"uri"},           {"license"}, {"createdAt"}};
constexpr db::Sql kArtifactSql = {
    "dump_artifact",
    "SELECT id, content_digest, kind, media_type, size_bytes, storage, uri, license, created_at "
    "FROM artifact ORDER BY id"};

constexpr DumpTable kTables[] = {
    {"sources", kSourceSql, kSource},
    {"projects", kProjectSql, kProject},
    {"operations", kOperationSql, kOperation},
    {"operation_aliases", kAliasSql, kAlias},
    {"workloads", kWorkloadSql, kWorkload},
    {"implementations", kImplementationSql, kImplementation},
    {"benchmark_runs", kRunSql, kRun},
    {"measurements", kMeasurementSql, kMeasurement},
    {"corrections", kCorrectionSql, kCorrection},
    {"record_events", kEventSql, kEvent},
    {"artifacts", kArtifactSql, kArtifact},
};

// What stands in other tables than the row, by the id of the operation or of the run.
struct Beside {
  std::map<std::string, std::vector<std::string>, std::less<>> tags{};
  std::map<std::string, std::string, std::less<>> older{};
};

// Who supersedes whom, as it stands. A run that supersedes several states one of them here; the
// corrections state all.
Status read_older(db::Connection& connection, Beside& beside) {
  constexpr db::Sql kSuperseded{"superseded_runs",
                                "SELECT DISTINCT superseded_run_id FROM correction "
                                "WHERE superseded_run_id IS NOT NULL ORDER BY 1"};
  auto rows = TRY(connection.query(kSuperseded));
  return rows.each([&](const db::Rows& row) -> Status {
    const std::string id = row.string(0);
    const auto corrections = TRY(corrections_of(connection, id));
    const std::string by = state_of(id, corrections).superseded_by;
    if (!by.empty()) beside.older[by] = id;
    return {};
  });
}

void write_column(json::Writer& out, const db::Rows& rows, int column, As as,
                  const Beside& beside) {
  if (rows.is_null(column)) {
    out.null();
    return;
  }
  switch (as) {
    case As::text:
      out.string(rows.text(column));
      break;
    case As::integer:
      out.integer(rows.integer(column));
      break;
    case As::real:
      out.number(rows.real(column));
      break;
    case As::flag:
      out.boolean(rows.flag(column));
      break;
    case As::json:
      out.raw(rows.text(column));
      break;
    case As::tags: {
      const auto found = beside.tags.find(rows.text(column));
      out.begin_array();
      if (found != beside.tags.end()) {
        for (const std::string& tag : found->second) out.string(tag);
      }
      out.end_array();
      break;
    }
    case As::older: {
      const auto found = beside.older.find(rows.text(column));
      found == beside.older.end() ? out.null() : out.string(found->second);
      break;
    }
    case As::no:
    case As::yes:
    case As::zero:
      KI_UNREACHABLE();
  }
}

void write_line(std::string& line, const DumpTable& table, const db::Rows& rows,
                const Beside& beside) {
  line.clear();
  json::Writer out(line);
  out.begin_object().key("table").string(table.name).key("row").begin_object();
  int column = 0;
  for (const Field& field : table.fields) {
    out.key(field.name);
    if (field.as == As::no || field.as == As::yes) {
      out.boolean(field.as == As::yes);
    } else if (field.as == As::zero) {
      out.integer(0);
    } else {
      write_column(out, rows, column++, field.as, beside);
    }
  }
  out.end_object().end_object();
}

}  // namespace

Result<std::int64_t> dump(db::Connection& connection, const LineSink& sink) {
  const auto snapshot = TRY(connection.snapshot());
  Beside beside;
  TRY(read_older(connection, beside));
  {
    auto rows = TRY(connection.query(kTagsSql));
    TRY(rows.each(
        [&](const db::Rows& row) { beside.tags[row.string(0)].push_back(row.string(1)); }));
  }
  std::int64_t lines = 0;
  std::string line;
  for (const DumpTable& table : kTables) {
    auto rows = TRY(connection.query(table.sql));
    TRY(rows.each([&](const db::Rows& row) -> Status {
      write_line(line, table, row, beside);
      ++lines;
      return sink(line);
    }));
  }
  return lines;
}

}  // namespace ki::catalog
