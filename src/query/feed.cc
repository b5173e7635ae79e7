// Resolver::feed: records taken, imports and corrections, newest first, by day.
#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "catalog/read_coverage.h"
#include "catalog/read_feed.h"
#include "policy/metrics.h"
#include "policy/names.h"
#include "policy/record_events.h"
#include "query/cursor.h"
#include "query/describe.h"
#include "query/resolver_impl.h"
#include "query/snapshot_build.h"
#include "query/tags.h"

namespace ki::query {
namespace {

// Of one instant an import stands first, then corrections, then records; within a kind the id
// decides, descending.
enum class EntryKind : std::uint8_t { import, correction, record };

struct Place {
  std::string at;
  EntryKind kind = EntryKind::import;
  std::string id;
};

bool stands_before(const Place& a, const Place& b) {
  if (a.at != b.at) return a.at > b.at;
  if (a.kind != b.kind) return a.kind < b.kind;
  return a.id > b.id;
}

struct Placed {
  Place place;
  FeedEntry entry;
};

constexpr std::string_view kAfterAll = "9999-12-31T23:59:59.999Z";
constexpr std::string_view kAboveAll = "~";  // no id or slug is above it

constexpr std::string_view kKindLetters = "icr";

std::string key_of(const Place& place) {
  return kKindLetters[static_cast<std::size_t>(place.kind)] + place.id;
}

// The place a cursor stands for; nullopt when it is none.
std::optional<Place> place_of(const Position& position) {
  if (position.key.empty()) return std::nullopt;
  const auto kind = kKindLetters.find(position.key.front());
  if (kind == std::string_view::npos || position.time.empty()) return std::nullopt;
  return Place{
      .at = position.time, .kind = static_cast<EntryKind>(kind), .id = position.key.substr(1)};
}

// What a kind has behind `start`, which is a place of some kind.
catalog::FeedPart part_behind(const Place& start, EntryKind kind, const std::string& after) {
  std::string below;  // a kind that stands before has nothing left at that instant
  if (kind == start.kind) below = start.id;
  if (kind > start.kind) below = kAboveAll;
  return {.after = after,
          .until = start.at,
          .below = std::move(below),
          .limit = static_cast<std::int64_t>(kFeedEntriesMax) + 1};
}

class Reader {
 public:
  Reader(db::Connection& connection, const OperationIndex& index)
      : connection_(connection), index_(index) {}

  Status add_records(const catalog::FeedPart& part) {
    const auto records = TRY(catalog::read_feed_records(connection_, part));
    for (const auto& record : records) {
      TRY(add_record(record));
    }
    return {};
  }

  Status add_corrections(const catalog::FeedPart& part) {
    const auto corrections = TRY(catalog::read_feed_corrections(connection_, part));
    for (const auto& one : corrections) add_correction(one);
    return {};
  }

  Status add_imports(const Place& start, const std::string& after) {
    const auto imports = TRY(catalog::read_feed_imports(connection_, after));
    for (const auto& one : imports) {
      Place place{.at = one.at, .kind = EntryKind::import, .id = one.source_slug};
      if (!stands_before(start, place)) continue;
      entries.push_back(
          {.place = std::move(place),
           .entry = ImportEntry{.at = one.at,
                                .match = {},
                                .kind = "import",
                                .source = {.name = one.source_name, .slug = one.source_slug},
                                .runs = one.runs,
                                .first_records = one.first_records,
                                .operations = one.operations,
                                .hardware = one.hardware}});
    }
    return {};
  }

  std::vector<Placed> entries;

 private:
  static Ref implementation_ref(const std::optional<std::string>& title, const std::string& slug,
                                const OperationEntry& operation) {
    return {.name = policy::implementation_display_name(
                {.title = title ? std::string_view(*title) : std::string_view{},
                 .slug = slug,
                 .operation_name = operation.name,
                 .operation_slug = operation.slug}),
            .slug = slug};
  }

  // What is followed besides the projects.
  static FeedMatch match_of(const OperationEntry& operation, const std::string& comparison_key,
                            const std::string& product) {
    FeedMatch out;
    out.cohort = comparison_key;
    out.operation = operation.slug;
    out.gpu = product;
    out.models = models_of(operation.tags);
    return out;
  }

  Status add_record(const catalog::FeedRecord& line) {
    const auto at = index_.by_id(line.operation_id);
    auto value = figure_of(line.run);
    auto previous = figure_of(line.previous);
    if (!at || !value || !previous) return {};
    const OperationEntry& operation = index_.entries()[*at];
    const WorkloadInfo workload = TRY(build_workload(line.workload, {}));
    RecordEntry out;
    out.at = line.at;
    out.match = match_of(operation, line.comparison_key, line.hardware_model);
    out.match.projects.push_back(line.run.project_slug);
    if (line.previous.project_slug != line.run.project_slug) {
      out.match.projects.push_back(line.previous.project_slug);
    }
    out.kind = "record";
    out.run_id = line.run.id;
    out.operation = {.name = operation.display_name, .slug = operation.slug};
    out.workload_id = workload.id;
    out.workload_summary = workload.summary;
    out.hardware = line.hardware_model;
    out.implementation = implementation_ref(line.run.title, line.run.slug, operation);
    out.project = {.name = line.run.project_name, .slug = line.run.project_slug};
    if (const auto metric = policy::find_metric(value->metric, value->unit)) {
      out.improvement_pct =
          policy::improvement_percent(previous->value, value->value, metric->direction);
    }
    out.value = std::move(*value);
    out.previous = {
        .implementation = implementation_ref(line.previous.title, line.previous.slug, operation),
        .value = std::move(*previous)};
    out.cohort_key = line.comparison_key;
    entries.push_back({.place = {.at = line.at, .kind = EntryKind::record, .id = line.id},
                       .entry = std::move(out)});
    return {};
  }

  void add_correction(const catalog::FeedCorrection& line) {
    const auto at = index_.by_id(line.operation_id);
    if (!at) return;
    const OperationEntry& operation = index_.entries()[*at];
    CorrectionEntry out;
    out.at = line.at;
    out.match = match_of(operation, line.comparison_key, line.hardware_model);
    out.match.projects.push_back(line.project_slug);
    out.kind = "correction";
    out.run_id = line.run_id;
    out.action = "retracted";
    if (line.action == "supersede") out.action = "superseded";
    if (line.action == "restore") out.action = "restored";
    if (line.action == "hold") out.action = "held";
    if (line.action == "release") out.action = "released";
    out.reason = line.reason;
    out.operation = {.name = operation.display_name, .slug = operation.slug};
    out.implementation = implementation_ref(line.title, line.slug, operation);
    out.superseded_by_id = line.superseded_by_id;
    entries.push_back({.place = {.at = line.at, .kind = EntryKind::correction, .id = line.id},
                       .entry = std::move(out)});
  }

  db::Connection& connection_;
  const OperationIndex& index_;
};

void add_by_day(Feed& out, Placed entry) {
  const std::string_view date = policy::date_text(entry.place.at);
  if (out.days.empty() || out.days.back().date != date) {
    out.days.push_back({.date = std::string(date), .entries = {}});
  }
  out.days.back().entries.push_back(std::move(entry.entry));
}

}  // namespace

Result<Feed> Resolver::feed(const FeedOptions& options) const {
  Feed out;
  const Instant now = impl_->clock.now();
  out.generated_at = to_iso(now);
  out.from = to_iso(now - std::chrono::days(kFeedDays));
  if (!options.since.empty()) {
    const auto since = parse_instant(options.since);
    if (!since) {
      return invalid("since is no instant: '" + excerpt(options.since) +
                     "'; write it as 2026-01-31T00:00:00Z");
    }
    out.from = to_iso(*since);
  }
  const auto state = TRY(impl_->steady());  // the page and its version agree
  const std::string catalog_version = TRY(version());
  const CursorScope scope{.list = {"feed", options.since.empty() ? "" : out.from},
                          .version = catalog_version};
  Place start{
      .at = std::string(kAfterAll), .kind = EntryKind::import, .id = std::string(kAboveAll)};
  if (!options.cursor.empty()) {
    const Position position = TRY(decode_cursor(options.cursor, scope));
    const auto place = place_of(position);
    if (!place) {
      return fail(Code::invalid, "no entry stands there; start without the cursor",
                  std::string(kInvalidCursor));
    }
    start = *place;
  }
  const auto index = TRY(impl_->index());
  Reader reader(impl_->connection(), *index);
  TRY(reader.add_imports(start, out.from));
  TRY(reader.add_corrections(part_behind(start, EntryKind::correction, out.from)));
  TRY(reader.add_records(part_behind(start, EntryKind::record, out.from)));
  std::ranges::sort(reader.entries, stands_before, &Placed::place);
  if (reader.entries.size() > kFeedEntriesMax) {
    reader.entries.resize(kFeedEntriesMax);
    const Place& last = reader.entries.back().place;
    out.next_cursor = encode_cursor({.time = last.at, .key = key_of(last)}, scope);
  }
  for (Placed& entry : reader.entries) add_by_day(out, std::move(entry));
  const auto sources = TRY(catalog::read_source_coverage(impl_->connection()));
  out.illustrative = std::ranges::any_of(
      sources, [](const auto& source) { return source.kind == "illustrative" && source.runs > 0; });
  return out;
}

}  // namespace ki::query
