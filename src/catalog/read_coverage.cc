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
// spares the rows with their manifests.
constexpr db::Sql kPublished{
    "published_by_source",
    "SELECT source_id, operation_id, hardware_model, COUNT(*), MAX(published_at) FROM run "
    "WHERE published_at > '' AND source_id IS NOT NULL "
    "GROUP BY source_id, operation_id, hardware_model "
    "ORDER BY source_id, operation_id, hardware_model LIMIT $1"};

// Reads all of serving_run, which has few rows.
constexpr db::Sql kServed{
    "served_by_source",
    "SELECT source_id, model_id, accelerator_model, COUNT(*), "
    "SUM(CASE WHEN status = 'valid' AND retracted_at IS NULL THEN 1 ELSE 0 END), "
    "MAX(published_at) FROM serving_run WHERE published_at > '' AND source_id IS NOT NULL "
    "GROUP BY source_id, model_id, accelerator_model "
    "ORDER BY source_id, model_id, accelerator_model LIMIT $1"};

// Served by cohort_by_operation (operation_id, eligible_runs, last_observed_at).
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

Result<std::vector<SourceCoverage>> read_source_coverage(db::Connection& connection) {
  const auto snapshot = TRY(connection.snapshot());
  std::vector<SourceCoverage> out;
  std::map<std::string, std::size_t, std::less<>> at;
  auto sources = TRY(connection.query(kSources, kSourcesMax));
  TRY(sources.each([&](const db::Rows& row) {
    at.emplace(row.string(0), out.size());
    SourceCoverage& one = out.emplace_back();
    one.slug = row.string(1);
    one.kind = row.string(2);
    one.name = row.string(3);
    one.policy = row.string(4);
    one.runs = row.integer(5);
    one.last_fetched_at = row.maybe_string(6);
  }));
  std::map<std::size_t, std::set<std::string>> operations;
  std::map<std::size_t, std::set<std::string>> products;
  auto published = TRY(connection.query(kPublished, kLinesMax));
  TRY(published.each([&](const db::Rows& row) {
    const auto source = at.find(row.text(0));
    if (source == at.end()) return;
    SourceCoverage& one = out[source->second];
    operations[source->second].insert(row.string(1));
    products[source->second].insert(row.string(2));
    one.published += row.integer(3);
    one.last_published_at = std::max(one.last_published_at, row.maybe_string(4));
  }));
  std::map<std::size_t, std::set<std::string>> models;
  auto served = TRY(connection.query(kServed, kLinesMax));
  TRY(served.each([&](const db::Rows& row) {
    const auto source = at.find(row.text(0));
    if (source == at.end()) return;
    SourceCoverage& one = out[source->second];
    models[source->second].insert(row.string(1));
    products[source->second].insert(row.string(2));
    one.serving_published += row.integer(3);
    one.serving_runs += row.integer(4);
    one.last_published_at = std::max(one.last_published_at, row.maybe_string(5));
  }));
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].operations = std::ssize(operations[i]);
    out[i].models = std::ssize(models[i]);
    out[i].products = std::ssize(products[i]);
  }
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
