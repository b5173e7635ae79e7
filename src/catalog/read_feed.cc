#include "catalog/read_feed.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace ki::catalog {
namespace {

constexpr std::int64_t kLinesMax = 10'000'000;
constexpr std::size_t kDate = std::string_view("2026-01-31").size();

// Served by run_by_publication (published_at, source_id, operation_id, hardware_model, id), by
// record_event_by_run (run_id) and primary keys. The tables are joined in the order written: the
// walk begins at the newest publication and ends at the limit.
constexpr db::Sql kRecords{
    "feed_records",
    "SELECT /* joined as written */ e.id, r.published_at, e.comparison_key, r.operation_id, "
    "r.hardware_model, "
    "w.id, w.kind, w.workload_digest, w.shape_summary, w.dtypes, w.layout_keys, w.manifest, "
    "r.id, i.slug, i.title, p.slug, p.name, r.primary_metric, r.primary_unit, "
    "r.primary_statistic, r.primary_value, r.sample_count, r.uncertainty_low, "
    "r.uncertainty_high, r.spread_low, r.spread_high, "
    "b.id, j.slug, j.title, q.slug, q.name, b.primary_metric, b.primary_unit, "
    "b.primary_statistic, b.primary_value, b.sample_count, b.uncertainty_low, "
    "b.uncertainty_high, b.spread_low, b.spread_high "
    "FROM run r JOIN record_event e ON e.run_id = r.id "
    "JOIN run b ON b.id = e.previous_run_id JOIN workload w ON w.id = r.workload_id "
    "JOIN implementation i ON i.id = r.implementation_id "
    "JOIN project p ON p.id = i.project_id "
    "JOIN implementation j ON j.id = b.implementation_id "
    "JOIN project q ON q.id = j.project_id "
    "WHERE r.published_at > $1 AND r.published_at <= $2 "
    "AND (r.published_at < $2 OR e.id < $3) AND e.cause = 'new_run' "
    "ORDER BY r.published_at DESC, e.id DESC LIMIT $4"};

// Served by correction_by_time (at, id) and primary keys.
constexpr db::Sql kCorrections{
    "feed_corrections",
    "SELECT c.id, c.at, c.action, c.reason, r.id, c.run_id, r.operation_id, r.comparison_key, "
    "r.hardware_model, i.slug, i.title, p.slug FROM correction c "
    "JOIN run r ON r.id = COALESCE(c.superseded_run_id, c.run_id) "
    "JOIN implementation i ON i.id = r.implementation_id JOIN project p ON p.id = i.project_id "
    "WHERE c.at > $1 AND c.at <= $2 AND (c.at < $2 OR c.id < $3) "
    "ORDER BY c.at DESC, c.id DESC LIMIT $4"};

// A part of run_by_publication, without the rows and their manifests.
constexpr db::Sql kImports{
    "feed_imports",
    "SELECT source_id, SUBSTR(published_at, 1, 10), operation_id, hardware_model, COUNT(*), "
    "MAX(published_at) FROM run WHERE published_at >= $1 "
    "GROUP BY source_id, SUBSTR(published_at, 1, 10), operation_id, hardware_model LIMIT $2"};

// The same, and record_event_by_run (run_id).
constexpr db::Sql kFirstRecords{"feed_first_records",
                                "SELECT /* joined as written */ r.source_id, "
                                "SUBSTR(r.published_at, 1, 10), COUNT(*) FROM run r "
                                "JOIN record_event e ON e.run_id = r.id WHERE r.published_at >= $1 "
                                "AND e.previous_run_id IS NULL AND e.cause = 'new_run' "
                                "GROUP BY r.source_id, SUBSTR(r.published_at, 1, 10) LIMIT $2"};

constexpr db::Sql kSources{"source_names", "SELECT id, slug, name FROM source ORDER BY id"};

FeedRun run_at(const db::Rows& row, int first) {
  return {.id = row.string(first),
          .slug = row.string(first + 1),
          .title = row.maybe_string(first + 2),
          .project_slug = row.string(first + 3),
          .project_name = row.string(first + 4),
          .metric = row.string(first + 5),
          .unit = row.string(first + 6),
          .statistic = row.string(first + 7),
          .value = row.maybe_real(first + 8),
          .sample_count = row.maybe_integer(first + 9),
          .uncertainty_low = row.maybe_real(first + 10),
          .uncertainty_high = row.maybe_real(first + 11),
          .spread_low = row.maybe_real(first + 12),
          .spread_high = row.maybe_real(first + 13)};
}

// A source and a day.
using Batch = std::pair<std::string, std::string>;
struct BatchCount {
  FeedImport line;
  std::set<std::string> operations;
  std::set<std::string> products;
};

Status name_sources(db::Connection& connection, std::map<Batch, BatchCount>& batches) {
  std::map<std::string, std::pair<std::string, std::string>> names;
  auto rows = TRY(connection.query(kSources));
  TRY(rows.each(
      [&](const db::Rows& row) { names[row.string(0)] = {row.string(1), row.string(2)}; }));
  for (auto& [key, batch] : batches) {
    const auto found = names.find(key.first);
    batch.line.source_slug = found == names.end() ? "" : found->second.first;
    batch.line.source_name = found == names.end() ? "unknown" : found->second.second;
  }
  return {};
}

}  // namespace

Result<std::vector<FeedRecord>> read_feed_records(db::Connection& connection,
                                                  const FeedPart& part) {
  constexpr int kRun = 12;
  constexpr int kPrevious = 26;
  std::vector<FeedRecord> out;
  auto rows = TRY(connection.query(kRecords, part.after, part.until, part.below, part.limit));
  TRY(rows.each([&](const db::Rows& row) {
    out.push_back({.id = row.string(0),
                   .at = row.string(1),
                   .comparison_key = row.string(2),
                   .operation_id = row.string(3),
                   .hardware_model = row.string(4),
                   .workload = {.id = row.string(5),
                                .suite = row.text(6) == "WorkloadSuite",
                                .digest = row.string(7),
                                .shape_summary = row.string(8),
                                .dtypes = row.string(9),
                                .layout_keys = row.string(10),
                                .manifest = row.string(11)},
                   .run = run_at(row, kRun),
                   .previous = run_at(row, kPrevious)});
  }));
  return out;
}

Result<std::vector<FeedCorrection>> read_feed_corrections(db::Connection& connection,
                                                          const FeedPart& part) {
  std::vector<FeedCorrection> out;
  auto rows = TRY(connection.query(kCorrections, part.after, part.until, part.below, part.limit));
  TRY(rows.each([&](const db::Rows& row) {
    FeedCorrection& one = out.emplace_back();
    one.id = row.string(0);
    one.at = row.string(1);
    one.action = row.string(2);
    one.reason = row.string(3);
    one.run_id = row.string(4);
    if (row.text(5) != row.text(4)) one.superseded_by_id = row.string(5);
    one.operation_id = row.string(6);
    one.comparison_key = row.string(7);
    one.hardware_model = row.string(8);
    one.slug = row.string(9);
    one.title = row.maybe_string(10);
    one.project_slug = row.string(11);
  }));
  return out;
}

Result<std::vector<FeedImport>> read_feed_imports(db::Connection& connection,
                                                  std::string_view after) {
  const std::string_view from = after.substr(0, kDate);
  std::map<Batch, BatchCount> batches;
  auto rows = TRY(connection.query(kImports, from, kLinesMax));
  TRY(rows.each([&](const db::Rows& row) {
    BatchCount& batch = batches[{row.string(0), row.string(1)}];
    batch.operations.insert(row.string(2));
    batch.products.insert(row.string(3));
    batch.line.runs += row.integer(4);
    batch.line.at = std::max(batch.line.at, row.string(5));
  }));
  auto firsts = TRY(connection.query(kFirstRecords, from, kLinesMax));
  TRY(firsts.each([&](const db::Rows& row) {
    batches[{row.string(0), row.string(1)}].line.first_records = row.integer(2);
  }));
  TRY(name_sources(connection, batches));
  std::vector<FeedImport> out;
  for (auto& [key, batch] : batches) {
    if (batch.line.at <= after) continue;
    batch.line.operations = std::ssize(batch.operations);
    batch.line.hardware.assign(batch.products.begin(), batch.products.end());
    out.push_back(std::move(batch.line));
  }
  std::ranges::sort(out, [](const FeedImport& a, const FeedImport& b) {
    return std::tie(b.at, a.source_slug) < std::tie(a.at, b.source_slug);
  });
  return out;
}

}  // namespace ki::catalog
