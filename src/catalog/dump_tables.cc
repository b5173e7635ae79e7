#include "catalog/dump_tables.h"

namespace ki::catalog {
namespace {

constexpr Field kSource[] = {{"id"},       {"slug"}, {"kind"}, {"name"}, {"policy", As::json},
                             {"createdAt"}};
constexpr db::Sql kSourceSql = {
    "dump_source", "SELECT id, slug, kind, name, policy, created_at FROM source ORDER BY id"};

constexpr Field kSnapshot[] = {{"id"},         {"sourceId"},
                               {"locator"},    {"contentDigest"},
                               {"mediaType"},  {"sizeBytes", As::integer},
                               {"parserName"}, {"parserVersion"},
                               {"fetchedAt"}};
constexpr db::Sql kSnapshotSql = {
    "dump_source_snapshot",
    "SELECT id, source_id, locator, content_digest, media_type, size_bytes, parser_name, "
    "parser_version, fetched_at FROM source_snapshot ORDER BY id"};

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

constexpr Field kAlias[] = {{"operationId"}, {"alias"}};
constexpr db::Sql kAliasSql = {
    "dump_alias", "SELECT operation_id, alias FROM operation_alias ORDER BY operation_id, alias"};

// One row an operation that is equivalent to others: to the one of them whose slug comes first.
constexpr Field kRelation[] = {{"operationId"}, {"relatedId"}, {"relation"}, {"rationale"}};
constexpr db::Sql kRelationSql = {
    "dump_operation_relation",
    "SELECT first.id, o.id, 'exactly_equivalent', "
    "'equal specs but for family and reference, equal slugs but for a number in front' "
    "FROM (SELECT e.equivalence_key, MIN(m.slug) AS slug FROM operation_equivalence e "
    "JOIN operation m ON m.id = e.operation_id GROUP BY e.equivalence_key "
    "HAVING COUNT(*) > 1) g JOIN operation first ON first.slug = g.slug "
    "JOIN operation_equivalence other ON other.equivalence_key = g.equivalence_key "
    "JOIN operation o ON o.id = other.operation_id WHERE o.id <> first.id "
    "ORDER BY first.id, o.id"};

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

constexpr Field kSetting[] = {{"digest"}, {"manifest", As::json}, {"createdAt"}};
constexpr db::Sql kProtocolSql = {
    "dump_protocol", "SELECT digest, manifest, created_at FROM protocol ORDER BY digest"};
constexpr db::Sql kEnvironmentSql = {
    "dump_environment", "SELECT digest, manifest, created_at FROM environment ORDER BY digest"};

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
                          {"retractionReason"},
                          {"createdAt", As::text_if_any}};
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
    "CASE WHEN last.action = 'retract' THEN last.reason END, "
    // Where it says more than the time of publication, which the public format has alone.
    "CASE WHEN r.created_at IS DISTINCT FROM r.published_at THEN r.created_at END "
    "FROM run r JOIN protocol p ON p.digest = r.protocol_key "
    "JOIN environment e ON e.digest = r.environment_key "
    "LEFT JOIN correction last ON last.id = (SELECT c.id FROM correction c "
    "WHERE c.run_id = r.id AND c.action IN ('retract', 'restore') "
    "ORDER BY c.at DESC, c.id DESC LIMIT 1) "
    "ORDER BY r.id"};

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
    "FROM measurement m ORDER BY m.id"};

constexpr Field kPending[] = {{"id"},
                              {"runDigest"},
                              {"sourceId"},
                              {"snapshotId"},
                              {"sourceRow", As::integer},
                              {"sourceLine", As::integer},
                              {"externalId"},
                              {"manifest", As::json},
                              {"createdAt"}};
constexpr db::Sql kPendingSql = {
    "dump_pending_run",
    "SELECT id, run_digest, source_id, snapshot_id, source_row, source_line, external_id, "
    "manifest, created_at FROM pending_run ORDER BY id"};

constexpr Field kCorrection[] = {{"id"},    {"action"}, {"runId"}, {"supersededRunId"},
                                 {"actor"}, {"reason"}, {"at"}};
constexpr db::Sql kCorrectionSql = {
    "dump_correction",
    "SELECT id, action, run_id, superseded_run_id, actor, reason, at FROM correction "
    "ORDER BY at, id"};

constexpr Field kAttestation[] = {{"id"},
                                  {"runId"},
                                  {"type"},
                                  {"body"},
                                  {"evidenceUrl"},
                                  {"observedNs", As::real},
                                  {"environmentSummary"},
                                  {"author"},
                                  {"at"}};
constexpr db::Sql kAttestationSql = {
    "dump_attestation",
    "SELECT id, run_id, type, body, evidence_url, observed_ns, environment_summary, author, at "
    "FROM attestation ORDER BY at, id"};

constexpr Field kStatement[] = {{"digest"}, {"envelope", As::json}, {"createdAt"}};
constexpr db::Sql kStatementSql = {
    "dump_signed_statement",
    "SELECT digest, envelope, created_at FROM signed_statement ORDER BY digest"};

constexpr Field kRunnerEvent[] = {{"id"}, {"action"}, {"keyId"}, {"actor"}, {"reason"}, {"at"}};
constexpr db::Sql kRunnerEventSql = {
    "dump_runner_event",
    "SELECT id, action, key_id, actor, reason, at FROM runner_event ORDER BY at, id"};

constexpr Field kEvent[] = {
    {"id"}, {"comparisonKey"}, {"runId"}, {"previousRunId"}, {"policyVersion"}, {"cause"},
    {"at"}, {"createdAt"}};
constexpr db::Sql kEventSql = {
    "dump_record_event",
    "SELECT id, comparison_key, run_id, previous_run_id, policy_version, cause, at, created_at "
    "FROM record_event ORDER BY id"};

constexpr Field kArtifact[] = {
    {"id"},      {"contentDigest"}, {"kind"},    {"mediaType"}, {"sizeBytes", As::integer},
    {"storage"}, {"uri"},           {"license"}, {"createdAt"}, {"content", As::text_if_any}};
constexpr db::Sql kArtifactSql = {
    "dump_artifact",
    "SELECT id, content_digest, kind, media_type, size_bytes, storage, uri, license, created_at, "
    "content FROM artifact ORDER BY id"};

constexpr Field kArtifactLink[] = {{"entityKind"}, {"entityId"}, {"role"}, {"artifactId"}};
constexpr db::Sql kArtifactLinkSql = {
    "dump_artifact_link",
    "SELECT entity_kind, entity_id, role, artifact_id FROM artifact_link "
    "ORDER BY entity_kind, entity_id, role, artifact_id"};

constexpr Field kSourceLink[] = {{"sourceId"},
                                 {"entityKind"},
                                 {"externalId"},
                                 {"entityId"},
                                 {"snapshotId"},
                                 {"sourceRow", As::integer},
                                 {"sourceLine", As::integer},
                                 {"createdAt"}};
constexpr db::Sql kSourceLinkSql = {
    "dump_source_link",
    "SELECT source_id, entity_kind, external_id, entity_id, snapshot_id, source_row, source_line, "
    "created_at FROM source_link ORDER BY source_id, entity_kind, external_id, entity_id"};

constexpr Field kModel[] = {{"id"},
                            {"slug"},
                            {"modelDigest"},
                            {"name"},
                            {"tokenizer"},
                            {"parameterCount", As::integer},
                            {"contextLength", As::integer},
                            {"license"},
                            {"sourceId"},
                            {"manifest", As::json},
                            {"createdAt"}};
constexpr db::Sql kModelSql = {
    "dump_model_revision",
    "SELECT id, slug, digest, name, tokenizer, parameter_count, context_length, license, "
    "source_id, manifest, created_at FROM model_revision ORDER BY id"};

constexpr Field kStack[] = {{"id"},       {"slug"},    {"stackDigest"}, {"project"},
                            {"name"},     {"version"}, {"sourceId"},    {"manifest", As::json},
                            {"createdAt"}};
constexpr db::Sql kStackSql = {
    "dump_serving_stack_revision",
    "SELECT id, slug, digest, project, name, version, source_id, manifest, created_at "
    "FROM serving_stack_revision ORDER BY id"};

constexpr Field kConfiguration[] = {
    {"id"},       {"stackRevisionId"}, {"configurationDigest"},
    {"dtype"},    {"quantization"},    {"tensorParallel", As::integer},
    {"summary"},  {"sourceId"},        {"manifest", As::json},
    {"createdAt"}};
constexpr db::Sql kConfigurationSql = {
    "dump_serving_configuration",
    "SELECT id, stack_id, digest, dtype, quantization, tensor_parallel, summary, "
    "source_id, manifest, created_at FROM serving_configuration ORDER BY id"};

constexpr Field kServingWorkload[] = {{"id"},
                                      {"slug"},
                                      {"workloadDigest"},
                                      {"name"},
                                      {"streaming", As::flag},
                                      {"loadGeneration"},
                                      {"sourceId"},
                                      {"manifest", As::json},
                                      {"createdAt"}};
constexpr db::Sql kServingWorkloadSql = {
    "dump_serving_workload",
    "SELECT id, slug, digest, name, streaming, load_generation, source_id, manifest, "
    "created_at FROM serving_workload ORDER BY id"};

constexpr Field kServingRun[] = {{"id"},
                                 {"runDigest"},
                                 {"modelRevisionId"},
                                 {"configurationId"},
                                 {"workloadId"},
                                 {"sourceId"},
                                 {"status"},
                                 {"observedAt"},
                                 {"publishedAt"},
                                 {"retractedAt"},
                                 {"protocolKey"},
                                 {"topologyKey"},
                                 {"metricSetKey"},
                                 {"cohortKey"},
                                 {"qualityPolicy"},
                                 {"scenario"},
                                 {"acceleratorVendor"},
                                 {"acceleratorModel"},
                                 {"acceleratorCount", As::integer},
                                 {"nodeCount", As::integer},
                                 {"totalAccelerators", As::integer},
                                 {"externalId"},
                                 {"manifest", As::json},
                                 {"createdAt"}};
constexpr db::Sql kServingRunSql = {
    "dump_serving_run",
    "SELECT id, digest, model_id, configuration_id, workload_id, source_id, status, "
    "observed_at, published_at, retracted_at, protocol_key, topology_key, "
    "metric_set_key, cohort_key, quality_policy, scenario, accelerator_vendor, "
    "accelerator_model, accelerator_count, node_count, total_accelerators, external_id, "
    "manifest, created_at FROM serving_run ORDER BY id"};

constexpr Field kServingMeasurement[] = {{"id"},
                                         {"runId"},
                                         {"metric"},
                                         {"statistic"},
                                         {"unit"},
                                         {"value", As::real},
                                         {"sampleCount", As::integer}};
constexpr db::Sql kServingMeasurementSql = {
    "dump_serving_measurement",
    "SELECT id, run_id, metric, statistic, unit, value, sample_count FROM "
    "serving_measurement ORDER BY id"};

constexpr Field kAudit[] = {{"sequence", As::integer},
                            {"id"},
                            {"at"},
                            {"actor"},
                            {"action"},
                            {"entityKind"},
                            {"entityId"},
                            {"detail", As::json},
                            {"tally", As::json},
                            {"digest"}};
constexpr db::Sql kAuditSql = {
    "dump_audit",
    "SELECT sequence, id, at, actor, action, entity_kind, entity_id, detail, tally, digest "
    "FROM audit ORDER BY sequence"};

constexpr DumpTable kTables[] = {
    {"sources", kSourceSql, kSource},
    {"source_snapshots", kSnapshotSql, kSnapshot},
    {"projects", kProjectSql, kProject},
    {"operations", kOperationSql, kOperation},
    {"operation_aliases", kAliasSql, kAlias},
    {"operation_relations", kRelationSql, kRelation},
    {"workloads", kWorkloadSql, kWorkload},
    {"implementations", kImplementationSql, kImplementation},
    {"protocols", kProtocolSql, kSetting},
    {"environments", kEnvironmentSql, kSetting},
    {"benchmark_runs", kRunSql, kRun},
    {"measurements", kMeasurementSql, kMeasurement},
    {"pending_runs", kPendingSql, kPending},
    {"corrections", kCorrectionSql, kCorrection},
    {"attestations", kAttestationSql, kAttestation},
    {"signed_statements", kStatementSql, kStatement},
    {"runner_events", kRunnerEventSql, kRunnerEvent},
    {"record_events", kEventSql, kEvent},
    {"artifacts", kArtifactSql, kArtifact},
    {"artifact_links", kArtifactLinkSql, kArtifactLink},
    {"source_links", kSourceLinkSql, kSourceLink},
    {"model_revisions", kModelSql, kModel},
    {"serving_stack_revisions", kStackSql, kStack},
    {"serving_configurations", kConfigurationSql, kConfiguration},
    {"serving_workloads", kServingWorkloadSql, kServingWorkload},
    {"serving_runs", kServingRunSql, kServingRun},
    {"serving_measurements", kServingMeasurementSql, kServingMeasurement},
    {"audit", kAuditSql, kAudit},
};

}  // namespace

std::span<const DumpTable> dump_tables() { return kTables; }

}  // namespace ki::catalog
