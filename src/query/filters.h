// What lists can be narrowed by, their orders and the sizes of their pages.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "manifest/kinds.h"

namespace ki::query {

// Statuses that runs are listed by: how they ended, or "pending", evidence that waits for an
// implementation or a workload (newest arrival first, without other filters).
inline constexpr auto kListedStatuses = [] {
  std::array<std::string_view, std::size(manifest::kRunStatuses) + 1> out{};
  std::ranges::copy(manifest::kRunStatuses, out.begin());
  out.back() = "pending";
  return out;
}();

// Levels that lists can be narrowed to, that one or better.
inline constexpr std::array<std::string_view, 2> kListedTrust = {"verified", "replicated"};

struct RunsFilter {
  std::string operation{};  // slug, id or digest
  std::string hardware{};   // any name of a product, in any case
  std::string source{};     // slug
  std::string status{};     // of kListedStatuses; "" = eligible runs
  std::string trust{};      // of kListedTrust: eligible runs of that level or better; "" = any
  std::string since{};      // ISO 8601; observation at or after
  std::string cursor{};     // from the previous page, bound to the filters above
  std::int64_t limit = 50;
};

struct PageOptions {
  std::string cursor{};
  std::int64_t limit = 50;
};

inline constexpr std::int64_t kHistorySteps = 5;  // of a record when nothing is said

// A page of records of one thing.
struct RecordsOptions {
  std::string cursor{};
  std::int64_t limit = 50;
  std::int64_t history = kHistorySteps;  // of each record the newest steps, at most as many
};

enum class RecordOrder : std::uint8_t { published, since, gain, operation };
// In the order of the enumerators: last published first, newest record first, largest gain on the
// record before first, by the operation's name.
inline constexpr std::string_view kRecordOrders[] = {"published", "since", "gain", "operation"};
std::string_view name_of(RecordOrder order);
std::optional<RecordOrder> record_order(std::string_view name);  // nullopt when there is none

struct RecordsFilter {
  // Each in a name of the operation, the implementation, its project or the environment; any case.
  std::string words{};
  std::string hardware{};          // any name of a product, in any case
  bool with_source = false;        // only records of runs whose source is at hand
  std::string trust{};             // of kListedTrust: records of that level or better; "" = any
  bool without_baselines = false;  // none of a reference implementation that nobody has beaten
  RecordOrder order = RecordOrder::published;
  std::string cursor{};  // from the previous page, bound to the filters above
  std::int64_t limit = 50;
  std::int64_t history = kHistorySteps;  // of each record the newest steps, at most as many
};

struct FeedOptions {
  std::string since{};  // ISO 8601; entries after it; "" = the last kFeedDays days
  std::string cursor{};
};
inline constexpr std::int64_t kFeedDays = 30;
inline constexpr std::size_t kFeedEntriesMax = 300;  // of one page

struct ServingRunsFilter {
  std::string model{};     // slug
  std::string workload{};  // slug
  std::string hardware{};  // a part of the product name, in any case
  std::string cursor{};    // from the previous page, bound to the filters above
  std::int64_t limit = 50;
};
inline constexpr std::int64_t kServingGroupsMax = 500;   // largest `limit` of an answer
inline constexpr std::int64_t kServingRowsMax = 200;     // rows of a group, and of its excluded
inline constexpr std::int64_t kServingRunsMax = 10'000;  // runs that one request may match
inline constexpr std::int64_t kConfigurationsMax = 500;  // of one page

struct OperationsFilter {
  std::string family{};
  std::string tag{};
  std::string words{};  // each in the slug, the name, the family or a tag, in any case
};

enum class ProjectOrder : std::uint8_t { runs, records, name };
// In the order of the enumerators.
inline constexpr std::string_view kProjectOrders[] = {"runs", "records", "name"};
std::optional<ProjectOrder> project_order(std::string_view name);

}  // namespace ki::query
