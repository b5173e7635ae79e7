#include "catalog/read_serving.h"

#include "base/text.h"

namespace ki::catalog {
namespace {

constexpr std::int64_t kLinesMax = 1'000'000;

constexpr std::string_view kEligible =
    "r.status = 'valid' AND r.published_at > '' AND r.retracted_at IS NULL ";

constexpr std::string_view kLines =
    "SELECT r.id, r.digest, r.observed_at, r.cohort_key, r.quality_policy, r.scenario, "
    "r.accelerator_model, r.accelerator_count, r.node_count, r.total_accelerators, "
    "m.slug, m.name, w.id, w.slug, w.name, c.id, c.summary, c.dtype, s.name, s.version "
    "FROM serving_run r JOIN model_revision m ON m.id = r.model_id "
    "JOIN serving_workload w ON w.id = r.workload_id "
    "JOIN serving_configuration c ON c.id = r.configuration_id "
    "JOIN serving_stack_revision s ON s.id = c.stack_id WHERE ";

constexpr std::string_view kNarrowed =
    "AND ($3 = '' OR LOWER(r.accelerator_model) LIKE $3 ESCAPE '\\') "
    "AND ($4 = 0 OR r.total_accelerators <= $4) "
    "AND ($5 = '' OR r.observed_at < $5 OR (r.observed_at = $5 AND r.id < $6)) "
    "ORDER BY r.observed_at DESC, r.id DESC LIMIT $7";

std::string lines_text(std::string_view where) {
  return std::string(kLines).append(kEligible).append(where).append(kNarrowed);
}

db::Sql lines_for(const ServedConditions& conditions) {
  // Served by model_revision_by_slug (slug, id) and serving_run_by_model (model_id, observed_at).
  static const std::string kByModel = lines_text("AND m.slug = $1 AND ($2 = '' OR w.slug = $2) ");
  // Served by serving_workload_by_slug (slug, id) and serving_run_by_workload (workload_id, ...).
  static const std::string kByWorkload =
      lines_text("AND ($1 = '' OR m.slug = $1) AND w.slug = $2 ");
  // Served by serving_run_by_time (observed_at, id).
  static const std::string kByTime =
      lines_text("AND ($1 = '' OR m.slug = $1) AND ($2 = '' OR w.slug = $2) ");
  if (!conditions.model_slug.empty()) return {"served_by_model", kByModel};
  if (!conditions.workload_slug.empty()) return {"served_by_workload", kByWorkload};
  return {"served_by_time", kByTime};
}

// "%part%" for LIKE, in lower case, its wildcards taken as they stand; "" for "".
std::string like_part(std::string_view part) {
  if (part.empty()) return {};
  std::string out = "%";
  for (const char c : ascii_lower(part)) {
    if (c == '%' || c == '_' || c == '\\') out += '\\';
    out += c;
  }
  return out + '%';
}

// Served by the unique index (run_id, metric, statistic).
constexpr db::Sql kMeasurements{"served_measurements", "WHERE run_id = $1 ORDER BY ordinal, id"};

// Served by the primary keys.
constexpr db::Sql kDetail{"served_detail",
                          "SELECT r.manifest, o.name, o.kind, o.policy FROM serving_run r "
                          "LEFT JOIN source o ON o.id = r.source_id WHERE r.id = $1"};
constexpr db::Sql kWorkloadManifest{"served_workload_manifest",
                                    "SELECT manifest FROM serving_workload WHERE id = $1"};
constexpr db::Sql kById{"served_by_id", "WHERE id = $1"};

// Served by the unique indexes of digest and id. The latter's digits never follow "sha256:".
constexpr db::Sql kStarting{"served_runs_starting",
                            "SELECT digest FROM serving_run WHERE digest >= $1 AND digest < $2\n"
                            "UNION SELECT digest FROM serving_run WHERE id >= $1 AND id < $2\n"
                            "ORDER BY digest LIMIT $3"};

// Served by serving_stack_revision_by_name (name, id), serving_configuration_by_stack (stack_id,
// id) and serving_run_by_configuration (configuration_id, id).
constexpr db::Sql kConfigurations{
    "served_configurations",
    "SELECT c.id, c.digest, s.name, s.version, c.summary, c.dtype, "
    "(SELECT COUNT(*) FROM serving_run r WHERE r.configuration_id = c.id AND r.status = 'valid' "
    "AND r.published_at > '' AND r.retracted_at IS NULL) "
    "FROM serving_stack_revision s JOIN serving_configuration c ON c.stack_id = s.id "
    "WHERE $1 = '' OR s.name > $2 OR (s.name = $2 AND c.id > $1) "
    "ORDER BY s.name, c.id LIMIT $3"};
constexpr db::Sql kStackName{"stack_of_configuration",
                             "SELECT s.name FROM serving_configuration c "
                             "JOIN serving_stack_revision s ON s.id = c.stack_id WHERE c.id = $1"};

// A scan of serving_run_by_accelerator (accelerator_model, status, published_at, retracted_at).
constexpr db::Sql kServedOn{"served_on",
                            "SELECT accelerator_model, COUNT(*) FROM serving_run "
                            "WHERE status = 'valid' AND published_at > '' AND retracted_at IS NULL "
                            "GROUP BY accelerator_model ORDER BY accelerator_model LIMIT $1"};

// Reads all of the table by slug; served by its index by slug and serving_run_by_model or
// serving_run_by_workload.
constexpr db::Sql kModels{
    "served_models",
    "SELECT m.slug, m.name, m.parameter_count, (SELECT COUNT(*) FROM serving_run r "
    "WHERE r.model_id = m.id AND r.status = 'valid' AND r.published_at > '' "
    "AND r.retracted_at IS NULL) FROM model_revision m ORDER BY m.slug, m.id LIMIT $1"};
constexpr db::Sql kWorkloads{
    "served_workloads",
    "SELECT w.slug, w.name, NULL, (SELECT COUNT(*) FROM serving_run r "
    "WHERE r.workload_id = w.id AND r.status = 'valid' AND r.published_at > '' "
    "AND r.retracted_at IS NULL) FROM serving_workload w ORDER BY w.slug, w.id LIMIT $1"};

// Served by serving_run_by_source (source_id), for each of the few sources.
constexpr db::Sql kIllustrative{"served_illustrative",
                                "SELECT 1 FROM source o WHERE o.kind = 'illustrative' AND EXISTS "
                                "(SELECT 1 FROM serving_run r WHERE r.source_id = o.id) LIMIT 1"};

Result<std::vector<ServedName>> read_names(db::Connection& connection, const db::Sql& sql) {
  std::vector<ServedName> out;
  auto rows = TRY(connection.query(sql, kLinesMax));
  TRY(rows.each([&](const db::Rows& row) {
    if (out.empty() || out.back().slug != row.text(0)) out.emplace_back().slug = row.string(0);
    ServedName& one = out.back();
    one.name = row.string(1);
    if (const auto count = row.maybe_integer(2)) one.parameter_count = count;
    one.runs += row.integer(3);
  }));
  return out;
}

template <class Row>
Status read_one(db::Connection& connection, const std::string& id, Row& into) {
  auto row = TRY(find<Row>(connection, kById, id));
  if (!row) {
    return fail(Code::internal, "an object of a serving run is missing (run `ki verify`)", id);
  }
  into = std::move(*row);
  return {};
}

}  // namespace

Result<std::vector<ServedRunLine>> list_served(db::Connection& connection,
                                               const ServedConditions& conditions) {
  std::vector<ServedRunLine> out;
  auto rows =
      TRY(connection.query(lines_for(conditions), conditions.model_slug, conditions.workload_slug,
                           like_part(conditions.hardware_part), conditions.accelerators_max,
                           conditions.before_time, conditions.before_id, conditions.limit));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.id = row.string(0),
                   .digest = row.string(1),
                   .observed_at = row.string(2),
                   .cohort_key = row.string(3),
                   .quality_policy = row.string(4),
                   .scenario = row.string(5),
                   .accelerator_model = row.string(6),
                   .accelerator_count = row.integer(7),
                   .node_count = row.integer(8),
                   .total_accelerators = row.integer(9),
                   .model_slug = row.string(10),
                   .model_name = row.string(11),
                   .workload_id = row.string(12),
                   .workload_slug = row.string(13),
                   .workload_name = row.string(14),
                   .configuration_id = row.string(15),
                   .configuration_summary = row.string(16),
                   .dtype = row.maybe_string(17),
                   .stack_name = row.string(18),
                   .stack_version = row.maybe_string(19)});
  }));
  return out;
}

Result<std::vector<ServingMeasurementRow>> served_measurements(db::Connection& connection,
                                                               std::string_view run_id) {
  std::vector<ServingMeasurementRow> out;
  TRY(select<ServingMeasurementRow>(
      connection, kMeasurements, [&](const ServingMeasurementRow& row) { out.push_back(row); },
      run_id));
  return out;
}

Result<std::optional<ServedDetail>> served_detail(db::Connection& connection,
                                                  std::string_view run_id) {
  auto rows = TRY(connection.query(kDetail, run_id));
  const bool found = TRY(rows.next());
  if (!found) return std::optional<ServedDetail>();
  return std::optional(ServedDetail{.manifest = rows.string(0),
                                    .source_name = rows.maybe_string(1),
                                    .source_kind = rows.maybe_string(2),
                                    .source_policy = rows.maybe_string(3)});
}

Result<std::optional<std::string>> served_workload_manifest(db::Connection& connection,
                                                            std::string_view id) {
  auto rows = TRY(connection.query(kWorkloadManifest, id));
  const bool found = TRY(rows.next());
  return found ? std::optional(rows.string(0)) : std::nullopt;
}

Result<std::optional<ServedRunRecord>> find_served_run(db::Connection& connection,
                                                       std::string_view id_or_digest) {
  const auto snapshot = TRY(connection.snapshot());
  constexpr db::Sql kByDigest{"served_run_by_digest", "WHERE digest = $1"};
  const bool is_digest = id_or_digest.starts_with("sha256:");
  auto run = TRY(find<ServingRunRow>(connection, is_digest ? kByDigest : kById, id_or_digest));
  if (!run) return std::optional<ServedRunRecord>();
  ServedRunRecord out;
  TRY(read_one(connection, run->model_id, out.model));
  TRY(read_one(connection, run->configuration_id, out.configuration));
  TRY(read_one(connection, out.configuration.stack_id, out.stack));
  TRY(read_one(connection, run->workload_id, out.workload));
  out.run = std::move(*run);
  return std::optional(std::move(out));
}

Result<std::vector<std::string>> served_runs_starting(db::Connection& connection,
                                                      std::string_view prefix, std::int64_t limit) {
  std::vector<std::string> out;
  // 'g' follows everything that can stand in an id or behind the scheme of a digest.
  auto rows = TRY(connection.query(kStarting, prefix, std::string(prefix) + "g", limit));
  TRY(rows.each([&](const db::Rows& row) { out.push_back(row.string(0)); }));
  return out;
}

Result<std::vector<ServedConfigurationLine>> list_served_configurations(db::Connection& connection,
                                                                        std::string_view after_id,
                                                                        std::int64_t limit) {
  std::string after_name;
  if (!after_id.empty()) {
    auto found = TRY(connection.query(kStackName, after_id));
    const bool known = TRY(found.next());
    if (!known) return fail(Code::not_found, "no configuration has this id", std::string(after_id));
    after_name = found.string(0);
  }
  std::vector<ServedConfigurationLine> out;
  auto rows = TRY(connection.query(kConfigurations, after_id, after_name, limit));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.id = row.string(0),
                   .digest = row.string(1),
                   .stack_name = row.string(2),
                   .stack_version = row.maybe_string(3),
                   .summary = row.string(4),
                   .dtype = row.maybe_string(5),
                   .runs = row.integer(6)});
  }));
  return out;
}

Result<std::vector<ServedOn>> read_served_on(db::Connection& connection) {
  std::vector<ServedOn> out;
  auto rows = TRY(connection.query(kServedOn, kLinesMax));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.accelerator_model = row.string(0), .runs = row.integer(1)});
  }));
  return out;
}

Result<std::vector<ServedName>> read_served_models(db::Connection& connection) {
  return read_names(connection, kModels);
}

Result<std::vector<ServedName>> read_served_workloads(db::Connection& connection) {
  return read_names(connection, kWorkloads);
}

Result<bool> any_served_illustrative(db::Connection& connection) {
  auto rows = TRY(connection.query(kIllustrative));
  return rows.next();
}

}  // namespace ki::catalog
