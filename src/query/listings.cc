// Resolver's listings: runs, operations, what a record is made of.
#include "query/listings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "catalog/lookup.h"
#include "catalog/read_index.h"
#include "catalog/read_listing.h"
#include "catalog/read_run.h"
#include "policy/metrics.h"
#include "policy/names.h"
#include "policy/record_events.h"
#include "query/answer.h"
#include "query/cursor.h"
#include "query/describe.h"
#include "query/list_names.h"
#include "query/resolver_impl.h"
#include "query/run_name.h"
#include "query/unnamed.h"

namespace ki::query {

std::string counted(std::int64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}
namespace {

RunItem item_of(const catalog::RunListing& run) {
  RunItem item;
  item.id = run.id;
  item.digest = run.digest;
  item.operation = run.operation_slug;
  item.implementation = run.implementation_slug;
  item.hardware = run.hardware_model;
  item.status = run.status;
  item.primary = figure_of(run);
  item.evidence = std::string(policy::name_of(level_of(run)));
  item.source_available = run.source_available;
  item.source = run.source_slug;
  item.observed_at = run.observed_at;
  return item;
}

// The list of runs with its filters, as a cursor is bound to it.
std::vector<std::string> list_of(const RunsFilter& filter, std::string_view since) {
  return {"runs",        filter.operation, filter.hardware,   filter.source,
          filter.status, filter.trust,     std::string(since)};
}

// The operation, source and hardware of the filter as conditions; what names nothing is returned.
Result<std::vector<NotApplied>> add_names(db::Connection& connection, const OperationIndex& index,
                                          const RunsFilter& filter,
                                          catalog::RunConditions& conditions) {
  std::vector<NotApplied> unnamed;
  if (!filter.operation.empty()) {
    const auto at = find_named(index, filter.operation);
    if (at) {
      conditions.operation_id = index.entries()[*at].id;
    } else {
      unnamed.push_back(names_nothing("operation", filter.operation, "no operation has this name",
                                      near_text(operations_near(index, filter.operation))));
    }
  }
  HardwareNamed hardware = TRY(hardware_named(connection, filter.hardware));
  conditions.hardware_model = std::move(hardware.model);
  conditions.hardware_names = std::move(hardware.names);
  if (hardware.unnamed) unnamed.push_back(*hardware.unnamed);
  if (!filter.source.empty()) {
    const auto id = TRY(catalog::source_id(connection, filter.source));
    if (id) {
      conditions.source_id = *id;
    } else {
      const auto known = TRY(catalog::source_slugs(connection));
      unnamed.push_back(names_nothing("source", filter.source, "no source has this name",
                                      near_text(filter.source, known)));
    }
  }
  return unnamed;
}

// What no operation of `index` has of the family and the tag of `filter`.
std::vector<NotApplied> unnamed_of(const OperationIndex& index, const OperationsFilter& filter) {
  std::set<std::string> families;
  std::set<std::string> tags;
  for (const OperationEntry& entry : index.entries()) {
    families.insert(entry.family);
    tags.insert(entry.tags.begin(), entry.tags.end());
  }
  std::vector<NotApplied> unnamed;
  if (!filter.family.empty() && !families.contains(filter.family)) {
    unnamed.push_back(names_nothing("family", filter.family, "no operation is of this family",
                                    near_text(filter.family, {families.begin(), families.end()})));
  }
  if (!filter.tag.empty() && !tags.contains(filter.tag)) {
    unnamed.push_back(names_nothing("tag", filter.tag, "no operation has this tag",
                                    near_text(filter.tag, {tags.begin(), tags.end()})));
  }
  return unnamed;
}

// How a record came about, newest first. Runs that are not listed any more have no step.
std::vector<RecordStep> history_of(const std::vector<catalog::EventListing>& events,
                                   const RowSource& rows, std::string_view comparison_key) {
  std::vector<RecordStep> steps;
  for (const auto& event : events) {
    const auto at = rows.run_at(comparison_key, event.run_id);
    if (!at || !rows.run(*at).has_value) continue;
    const auto held = rows.of(*at);
    const Row& row = *held;
    if (!row.primary) continue;
    RecordStep step;
    step.at = event.at;
    step.run_id = event.run_id;
    step.implementation = row.implementation;
    step.value = *row.primary;
    step.cause = event.cause;
    if (!steps.empty()) {
      step.previous_value = steps.back().value;
      const auto metric = policy::find_metric(row.primary->metric, row.primary->unit);
      if (metric) {
        step.improvement_pct = policy::improvement_percent(step.previous_value->value,
                                                           step.value.value, metric->direction);
      }
    }
    steps.push_back(std::move(step));
  }
  std::ranges::reverse(steps);
  return steps;
}

constexpr char kWithinTime = '/';  // between `since` and the key in the cursor of a record

}  // namespace

Status check_limit(std::int64_t limit) {
  if (limit >= 1 && limit <= kPageRowsMax) return {};
  return invalid("limit is 1 to " + std::to_string(kPageRowsMax));
}

Result<catalog::HolderPosition> holder_position_of(std::string_view cursor,
                                                   const CursorScope& scope) {
  const Position position = TRY(start_of(cursor, scope));
  if (cursor.empty()) return catalog::HolderPosition{};
  const auto parts = split(position.key, kWithinTime);
  if (parts.size() != 2) {
    return fail(Code::invalid, "no record stands there; start without the cursor",
                std::string(kInvalidCursor));
  }
  return catalog::HolderPosition{.indexed_at = position.time,
                                 .since = std::string(parts[0]),
                                 .comparison_key = std::string(parts[1])};
}

std::string cursor_after(const catalog::HolderListing& line, const CursorScope& scope) {
  return encode_cursor(
      {.time = line.indexed_at, .key = line.since + kWithinTime + line.comparison_key}, scope);
}

std::string_view claim_note(const Verdict& verdict) {
  if (verdict.code == "tie") return "shared";
  return verdict.code == "not_enough_evidence" ? "not claimed" : "";
}

std::string percent_text(double percent) {
  constexpr double kNothing = 0.05;
  if (percent != 0 && std::abs(percent) < kNothing) return "under 0.1";
  return fmt::format("{:.1f}", percent);
}

std::string measured_what(const Row& row) {
  std::string out =
      row.primary ? policy::metric_label(row.primary->metric, row.primary->statistic) : "no value";
  return row.pass ? out + ", " + *row.pass : out;
}

std::string match_text(const Row& row) {
  if (row.run_id) {
    if (row.differs.empty()) return "It was measured in another comparison group";
    std::string out = "It was measured under conditions that differ:";
    std::string_view between = " ";
    for (const Mismatch& one : row.differs) {
      out += std::string(between) + one.field;
      between = ", ";
    }
    return out;
  }
  if (row.match == "supported_unobserved") {
    return "Its declaration covers the request; no run of it that passed is published";
  }
  return row.match == "incompatible"
             ? "Its declaration does not cover the request, and no run of it is published"
             : "Its declaration does not say whether it covers the request, and no run of it is "
               "published";
}

std::string unmeasured_note(const std::vector<Variant>& variants) {
  const auto none = std::ranges::count(variants, 0, &Variant::runs);
  if (none == 0) return "";
  return std::to_string(none) + (none == 1 ? " more product" : " more products") +
         " of this name " + (none == 1 ? "has" : "have") + " no run here";
}

Result<RunsPage> Resolver::pending_runs(const RunsFilter& filter) const {
  const auto state = TRY(impl_->steady());  // the page and its version agree
  const RunsFilter bare{.status = filter.status};
  const CursorScope scope{.list = list_of(bare, ""), .version = TRY(version())};
  if (scope.list != list_of(filter, filter.since)) {
    return invalid("pending runs are listed without other filters");
  }
  const Position position = TRY(start_of(filter.cursor, scope));
  auto ids = TRY(catalog::list_pending(impl_->connection(), position.key, filter.limit + 1));
  const bool more = std::ssize(ids) > filter.limit;
  if (more) ids.pop_back();
  RunsPage out;
  out.generated_at = to_iso(impl_->clock.now());
  for (const std::string& id : ids) {
    RunDossier dossier = TRY(run(id));
    RunItem item;
    item.id = id;
    item.digest = std::move(dossier.run.digest);
    item.operation = std::move(dossier.operation.slug);
    item.implementation = std::move(dossier.implementation.slug);
    item.hardware = std::move(dossier.hardware.model);
    item.status = "pending";
    if (dossier.has_primary) item.primary = std::move(dossier.primary);
    item.evidence = std::move(dossier.evidence);
    const auto record = TRY(catalog::find_pending_run(impl_->connection(), id));
    if (record && record->origin.source) item.source = record->origin.source->slug;
    item.observed_at = std::move(dossier.run.observed_at);
    out.runs.push_back(std::move(item));
  }
  if (more) out.next_cursor = encode_cursor({.time = "", .key = ids.back()}, scope);
  return out;
}

Result<RunsPage> Resolver::runs(const RunsFilter& filter) const {
  TRY(check_limit(filter.limit));
  if (!filter.status.empty() &&
      std::ranges::find(kListedStatuses, filter.status) == kListedStatuses.end()) {
    return invalid("status is one of " +
                   join({kListedStatuses.begin(), kListedStatuses.end()}, ", ") + ", not '" +
                   excerpt(filter.status) + "'");
  }
  const auto approved_runners = TRY(approved_runners_of(filter.trust));
  if (approved_runners > 0 && !filter.status.empty()) {
    return invalid("trust is asked of eligible runs: leave status out");
  }
  if (filter.status == kListedStatuses.back()) return pending_runs(filter);
  catalog::RunConditions conditions;
  if (!filter.since.empty()) {
    const auto since = parse_instant(filter.since);
    if (!since) {
      return invalid("since is no instant: '" + excerpt(filter.since) +
                     "'; write it as 2026-01-31T00:00:00Z");
    }
    conditions.since = to_iso(*since);
  }
  const auto state = TRY(impl_->steady());  // the page and its version agree
  const CursorScope scope{.list = list_of(filter, conditions.since), .version = TRY(version())};
  const Position position = TRY(start_of(filter.cursor, scope));
  RunsPage out;
  out.generated_at = to_iso(impl_->clock.now());
  const auto index = TRY(impl_->index());
  out.not_applied = TRY(add_names(impl_->connection(), *index, filter, conditions));
  if (!out.not_applied.empty()) return out;
  conditions.status = filter.status;
  conditions.approved_runners = approved_runners;
  conditions.before_time = position.time;
  conditions.before_id = position.key;
  conditions.limit = filter.limit + 1;  // one more says whether there is a next page
  auto rows = TRY(catalog::list_runs(impl_->connection(), conditions));
  const bool more = std::ssize(rows) > filter.limit;
  if (more) rows.pop_back();
  for (const auto& row : rows) out.runs.push_back(item_of(row));
  if (more) {
    out.next_cursor =
        encode_cursor({.time = rows.back().observed_at, .key = rows.back().id}, scope);
  }
  return out;
}

Result<std::optional<Holder>> Resolver::Impl::holder(const catalog::HolderListing& line,
                                                     Instant now, std::int64_t history) {
  const auto snapshot = TRY(snapshot_of(line.operation_id));
  if (!snapshot) return std::optional<Holder>();
  RowReader reader = this->reader(snapshot);
  const RowSource rows = reader.source(now);
  const auto run = rows.run_at(line.comparison_key, line.run_id);
  const auto workload = snapshot->workload_at.find(line.workload_id);
  if (!run || workload == snapshot->workload_at.end()) {
    return std::optional<Holder>();
  }
  const auto events = TRY(catalog::list_record_events(connection(), line.comparison_key));
  Holder record;
  record.cohort_key = line.comparison_key;
  record.operation = snapshot->ref;
  record.workload_id = line.workload_id;
  record.workload_summary = snapshot->workloads[workload->second].summary;
  record.current = rows.finished(*run);
  record.hardware = record.current.hardware.model;
  record.environment_summary = line.environment_summary;
  record.verdict = rows.verdict(snapshot->cohort_of_run(*run));
  record.since = line.since;
  record.indexed_at = line.indexed_at;
  record.history = history_of(events, rows, line.comparison_key);
  record.history_total = std::ssize(record.history);
  if (record.history_total > history) record.history.resize(static_cast<std::size_t>(history));
  TRY(reader.status());
  return std::optional(std::move(record));
}

Result<Holder> Resolver::record(std::string_view comparison_key) const {
  const auto state = TRY(impl_->steady());
  const auto key = TRY(record_name(impl_->connection(), comparison_key));
  std::optional<catalog::HolderListing> line;
  if (key) line = TRY(catalog::find_holder(impl_->connection(), *key));
  if (line) {
    constexpr auto kWhole = std::numeric_limits<std::int64_t>::max();
    auto record = TRY(impl_->holder(*line, impl_->clock.now(), kWhole));
    if (record) return std::move(*record);
  }
  return fail(Code::not_found,
              "no record is called '" + excerpt(comparison_key) +
                  "'; a record is named by its comparison key or at least 6 first digits of it",
              std::string(kRecordNotFound));
}

Result<OperationsList> Resolver::operations(const OperationsFilter& filter) const {
  if (utf16_length(filter.words) > kQueryLengthMax) {
    return invalid("the words have at most " + std::to_string(kQueryLengthMax) + " characters");
  }
  const auto index = TRY(impl_->index());
  const auto counts = TRY(catalog::read_workload_counts(impl_->connection()));
  std::map<std::string_view, std::int64_t> workloads;
  for (const auto& count : counts) workloads[count.operation_id] = count.count;
  OperationsList out;
  out.generated_at = to_iso(impl_->clock.now());
  for (const OperationEntry& entry : index->entries()) {
    const bool tagged =
        filter.tag.empty() || std::ranges::find(entry.tags, filter.tag) != entry.tags.end();
    if (!tagged || !has_words(names_of(entry), filter.words) ||
        (!filter.family.empty() && entry.family != filter.family))
      continue;
    const auto count = workloads.find(entry.id);
    out.operations.push_back({.slug = entry.slug,
                              .name = entry.display_name,
                              .family = entry.family,
                              .tags = entry.tags,
                              .workloads = count == workloads.end() ? 0 : count->second,
                              .runs = entry.runs});
  }
  std::ranges::sort(out.operations, {}, [](const OperationItem& item) {
    return std::tuple(-item.runs, std::string_view(item.slug));
  });
  if (out.operations.empty()) out.not_applied = unnamed_of(*index, filter);
  return out;
}

}  // namespace ki::query
