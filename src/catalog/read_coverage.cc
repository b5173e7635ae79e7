#include "catalog/read_coverage.h"

#include <algorithm>
#include <map>
#include <set>

namespace ki::catalog {
namespace {

constexpr std::int64_t kLinesMax = 10'000'000;
constexpr std::int64_t kSourcesMax = 10'000;

// A scan of cohort_by_hardware (hardware_model, operation_id, eligible_runs, last_observed_at).
constexpr db::Sql kCoverage{"coverage",
                            "SELECT hardware_model, operation_id, SUM(eligible_runs), "
                            "MAX(last_observed_at) FROM cohort WHERE eligible_runs > 0 "
                            "GROUP BY hardware_model, operation_id "
                            "ORDER BY hardware_model, operation_id LIMIT $1"};

// Served by standing_by_hardware (hardware_model, observed_at, run_id) and run's primary key.
constexpr db::Sql kHardwareFacts{
    "hardware_facts",
    "SELECT r.hardware_vendor, r.hardware_architecture FROM standing s "
    "JOIN run r ON r.id = s.run_id WHERE s.hardware_model = $1 "
    "ORDER BY s.observed_at DESC, s.run_id DESC LIMIT 1"};

// Served by standing_by_source (source_id, observed_at, run_id) and the unique index of
// source_snapshot.
constexpr db::Sql kSources{
    "source_coverage",
    "SELECT c.id, c.slug, c.kind, c.name, c.policy, "
    "(SELECT COUNT(*) FROM standing s WHERE s.source_id = c.id), "
    "(SELECT MAX(n.fetched_at) FROM source_snapshot n WHERE n.source_id = c.id) "
    "FROM source c ORDER BY c.slug LIMIT $1"};

// A scan of run_by_publication (published_at, source_id, operation_id, hardware_model, id), which
// spares the rows with their manifests; grouped as it lies, since sorting a million runs by source
// first takes five times as long.
constexpr db::Sql kPublished{
    "published_by_source",
    "SELECT source_id, operation_id, hardware_model, COUNT(*), published_at FROM run "
    "WHERE published_at > '' AND source_id IS NOT NULL "
    "GROUP BY published_at, source_id, operation_id, hardware_model "
    "ORDER BY published_at, source_id, operation_id, hardware_model LIMIT $1"};

// Served by run_by_publication, read backwards to the newest of the source.
constexpr db::Sql kLastPublished{
    "last_published_of_source",
    "SELECT published_at FROM run WHERE published_at > '' AND source_id = $1 "
    "ORDER BY published_at DESC LIMIT 1"};

// Reads all of serving_run, which has few rows.
constexpr db::Sql kServed{
    "served_by_source",
    "SELECT source_id, model_id, accelerator_model, COUNT(*), "
    "SUM(CASE WHEN status = 'valid' AND retracted_at IS NULL THEN 1 ELSE 0 END), "
    "MAX(published_at) FROM serving_run WHERE published_at > '' AND source_id IS NOT NULL "
    "GROUP BY source_id, model_id, accelerator_model "
    "ORDER BY source_id, model_id, accelerator_model LIMIT $1"};

// Served by cohort_by_operation (operation_id, eligible_runs, ...).
constexpr db::Sql kCohorts{"cohorts_of_operation",
                           "SELECT comparison_key, hardware_model, eligible_runs FROM cohort "
                           "WHERE operation_id = $1 AND eligible_runs > 0 "
                           "ORDER BY eligible_runs DESC, comparison_key LIMIT $2"};

}  // namespace

Result<std::vector<CoverageLine>> read_coverage(db::Connection& connection) {
  std::vector<CoverageLine> out;
  auto rows = TRY(connection.query(kCoverage, kLinesMax));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.hardware_model = row.string(0),
                   .operation_id = row.string(1),
                   .runs = row.integer(2),
                   .last_observed_at = row.string(3)});
  }));
  return out;
}

Result<HardwareFacts> read_hardware_facts(db::Connection& connection,
                                          std::string_view hardware_model) {
  auto rows = TRY(connection.query(kHardwareFacts, hardware_model));
  const bool found = TRY(rows.next());
  if (!found) return HardwareFacts{};
  return HardwareFacts{.vendor = rows.string(0), .architecture = rows.string(1)};
}

namespace {

using SourceAt = std::map<std::string, std::size_t, std::less<>>;  // by id

Status read_sources(db::Connection& connection, std::vector<SourceCoverage>& out, SourceAt& at) {
  auto sources = TRY(connection.query(kSources, kSourcesMax));
  return sources.each([&](const db::Rows& row) {
    at.emplace(row.string(0), out.size());
    SourceCoverage& one = out.emplace_back();
    one.slug = row.string(1);
    one.kind = row.string(2);
    one.name = row.string(3);
    one.policy = row.string(4);
    one.runs = row.integer(5);
    one.last_fetched_at = row.maybe_string(6);
  });
}

// What a source published runs of. Lines come in runs of one source and mostly of one operation.
class Scope {
 public:
  void add(std::string_view operation, std::string_view product) {
    add(operations_, operation);
    add(products_, product);
  }
  void add_product(std::string_view product) { add(products_, product); }
  std::int64_t operations() const { return std::ssize(operations_); }
  std::int64_t products() const { return std::ssize(products_); }

 private:
  using Names = std::set<std::string, std::less<>>;
  static void add(Names& names, std::string_view name) {
    if (!names.contains(name)) names.emplace(name);
  }
  Names operations_;
  Names products_;
};

Status read_served(db::Connection& connection, const SourceAt& at, std::vector<SourceCoverage>& out,
                   std::vector<Scope>& scopes) {
  std::vector<std::set<std::string>> models(out.size());
  auto served = TRY(connection.query(kServed, kLinesMax));
  TRY(served.each([&](const db::Rows& row) {
    const auto source = at.find(row.text(0));
    if (source == at.end()) return;
    SourceCoverage& one = out[source->second];
    models[source->second].insert(row.string(1));
    scopes[source->second].add_product(row.text(2));
    one.serving_published += row.integer(3);
    one.serving_runs += row.integer(4);
    one.last_published_at = std::max(one.last_published_at, row.maybe_string(5));
  }));
  for (std::size_t i = 0; i < out.size(); ++i) out[i].models = std::ssize(models[i]);
  return {};
}

}  // namespace

Result<std::vector<SourceCoverage>> read_source_coverage(db::Connection& connection) {
  const auto snapshot = TRY(connection.snapshot());
  std::vector<SourceCoverage> out;
  SourceAt at;
  TRY(read_sources(connection, out, at));
  std::vector<Scope> scopes(out.size());
  auto published = TRY(connection.query(kPublished, kLinesMax));
  TRY(published.each([&](const db::Rows& row) {
    const auto source = at.find(row.text(0));
    if (source == at.end()) return;
    SourceCoverage& one = out[source->second];
    scopes[source->second].add(row.text(1), row.text(2));
    one.published += row.integer(3);
    if (!one.last_published_at || *one.last_published_at < row.text(4)) {
      one.last_published_at = row.string(4);
    }
  }));
  TRY(read_served(connection, at, out, scopes));
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].operations = scopes[i].operations();
    out[i].products = scopes[i].products();
  }
  return out;
}

Result<std::vector<SourceCoverage>> read_source_state(db::Connection& connection) {
  const auto snapshot = TRY(connection.snapshot());
  std::vector<SourceCoverage> out;
  SourceAt at;
  TRY(read_sources(connection, out, at));
  for (const auto& [id, source] : at) {
    auto rows = TRY(connection.query(kLastPublished, id));
    const bool any = TRY(rows.next());
    if (any) out[source].last_published_at = rows.string(0);
  }
  std::vector<Scope> scopes(out.size());
  TRY(read_served(connection, at, out, scopes));
  return out;
}

Result<std::vector<CohortSize>> read_cohort_sizes(db::Connection& connection,
                                                  std::string_view operation_id) {
  std::vector<CohortSize> out;
  auto rows = TRY(connection.query(kCohorts, operation_id, kLinesMax));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back(
        {.comparison_key = row.string(0), .hardware_model = row.string(1), .runs = row.integer(2)});
  }));
  return out;
}

}  // namespace ki::catalog
