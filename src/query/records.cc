// Resolver::records: the records of the catalog by publication, or some of them in another order.
#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "catalog/read_overview.h"
#include "policy/metrics.h"
#include "policy/record_events.h"
#include "query/list_names.h"
#include "query/listings.h"
#include "query/resolver_impl.h"
#include "query/tokens.h"

namespace ki::query {
namespace {

using catalog::HolderLine;
using catalog::HolderListing;

// One page of a list of records.
struct Lines {
  std::vector<HolderListing> page;
  std::optional<std::string> next_cursor;
  std::int64_t total = 0;
  std::vector<NotApplied> not_applied;
};

Result<Lines> all_lines(db::Connection& connection, const RecordsFilter& filter,
                        const CursorScope& scope) {
  const catalog::HolderPosition after = TRY(holder_position_of(filter.cursor, scope));
  Lines out;
  out.page = TRY(catalog::list_holders(connection, after, filter.limit + 1));
  if (std::ssize(out.page) > filter.limit) {
    out.page.pop_back();
    out.next_cursor = cursor_after(out.page.back(), scope);
  }
  out.total = TRY(catalog::count_holders(connection));
  return out;
}

bool is_meant(const HolderLine& line, const OperationEntry* operation, std::string_view words) {
  std::string names = line.hardware_model + "\n" + line.listing.environment_summary + "\n" +
                      line.implementation_slug + "\n" + line.implementation_title + "\n" +
                      line.project_name + "\n";
  if (operation != nullptr) names += names_of(*operation);
  return has_words(names, words);
}

// How much the record gained on the one before, in percent; nothing for the first of its group.
std::optional<double> gain_of(const HolderLine& line) {
  const auto metric = policy::find_metric(line.metric, line.unit);
  if (!metric || !line.value || !line.previous_value) return std::nullopt;
  return policy::improvement_percent(*line.previous_value, *line.value, metric->direction);
}

// Lines come by publication; what is equal otherwise stays so.
void sort(std::vector<HolderLine>& lines, RecordOrder order, const OperationIndex& index) {
  switch (order) {
    case RecordOrder::published:
      return;
    case RecordOrder::since:
      std::ranges::stable_sort(
          lines, std::greater{},
          [](const HolderLine& line) -> std::string_view { return line.listing.since; });
      return;
    case RecordOrder::gain:
      std::ranges::stable_sort(lines, std::greater{}, gain_of);
      return;
    case RecordOrder::operation:
      std::ranges::stable_sort(lines, {}, [&](const HolderLine& line) {
        const auto at = index.by_id(line.listing.operation_id);
        return at ? std::tuple<std::string_view, std::string_view>(
                        index.entries()[*at].display_name, index.entries()[*at].slug)
                  : std::tuple<std::string_view, std::string_view>();
      });
      return;
  }
  KI_UNREACHABLE();
}

// The catalog does not change under a cursor, so that a count of records names a place in them.
Result<std::size_t> offset_of(const RecordsFilter& filter, const CursorScope& scope) {
  const Position position = TRY(start_of(filter.cursor, scope));
  if (filter.cursor.empty()) return std::size_t{0};
  const auto offset = leading_integer(position.key);
  if (!offset || *offset < 0) {
    return fail(Code::invalid, "no record stands there; start without the cursor",
                std::string(kInvalidCursor));
  }
  return static_cast<std::size_t>(*offset);
}

Result<Lines> narrowed_lines(db::Connection& connection, const OperationIndex& index,
                             const RecordsFilter& filter, const CursorScope& scope) {
  const std::size_t offset = TRY(offset_of(filter, scope));
  const HardwareNamed hardware = TRY(hardware_named(connection, filter.hardware));
  const std::int64_t approved = TRY(approved_runners_of(filter.trust));
  Lines out;
  if (hardware.unnamed) {
    out.not_applied.push_back(*hardware.unnamed);
    return out;
  }
  auto lines =
      TRY(catalog::list_holder_lines(connection, {.hardware_model = hardware.model,
                                                  .hardware_names = hardware.names,
                                                  .with_source = filter.with_source,
                                                  .approved_runners = approved,
                                                  .without_baselines = filter.without_baselines}));
  if (!filter.words.empty()) {
    std::erase_if(lines, [&](const HolderLine& line) {
      const auto at = index.by_id(line.listing.operation_id);
      return !is_meant(line, at ? &index.entries()[*at] : nullptr, filter.words);
    });
  }
  sort(lines, filter.order, index);
  const std::size_t first = std::min(offset, lines.size());
  const std::size_t last = std::min(first + static_cast<std::size_t>(filter.limit), lines.size());
  for (std::size_t i = first; i < last; ++i) out.page.push_back(std::move(lines[i].listing));
  if (last < lines.size()) {
    out.next_cursor = encode_cursor({.time = "", .key = std::to_string(last)}, scope);
  }
  out.total = std::ssize(lines);
  return out;
}

Result<Lines> lines_of(db::Connection& connection, const OperationIndex& index,
                       const RecordsFilter& filter, const CursorScope& scope) {
  const bool is_whole = filter.words.empty() && filter.hardware.empty() && !filter.with_source &&
                        filter.trust.empty() && !filter.without_baselines &&
                        filter.order == RecordOrder::published;
  if (is_whole) return all_lines(connection, filter, scope);
  return narrowed_lines(connection, index, filter, scope);
}

template <class Order>
std::optional<Order> order_among(std::span<const std::string_view> names, std::string_view name) {
  const auto at = std::ranges::find(names, name);
  if (at == names.end()) return std::nullopt;
  return static_cast<Order>(at - names.begin());
}

}  // namespace

std::string_view name_of(RecordOrder order) {
  return kRecordOrders[static_cast<std::size_t>(order)];
}

std::string_view order_text(RecordOrder order) {
  switch (order) {
    case RecordOrder::published:
      return "Last published first, of one import the newest record first";
    case RecordOrder::since:
      return "Newest record first";
    case RecordOrder::gain:
      return "Largest gain on the record before first; the first of a group has none";
    case RecordOrder::operation:
      return "By operation";
  }
  KI_UNREACHABLE();
}

std::optional<RecordOrder> record_order(std::string_view name) {
  return order_among<RecordOrder>(kRecordOrders, name);
}

std::optional<ProjectOrder> project_order(std::string_view name) {
  return order_among<ProjectOrder>(kProjectOrders, name);
}

Result<RecordsPage> Resolver::records(const RecordsFilter& filter) const {
  TRY(check_limit(filter.limit));
  if (utf16_length(filter.words) > kQueryLengthMax) {
    return invalid("the words have at most " + std::to_string(kQueryLengthMax) + " characters");
  }
  if (filter.history < 0) return invalid("history is a number of steps, 0 or more");
  const auto state = TRY(impl_->steady());  // the page and its version agree
  const auto index = TRY(impl_->index());
  const CursorScope scope{
      .list = {"records", filter.words, filter.hardware, filter.with_source ? "source" : "",
               filter.trust, filter.without_baselines ? "hide" : "",
               std::string(name_of(filter.order))},
      .version = TRY(version())};
  auto lines = TRY(lines_of(impl_->connection(), *index, filter, scope));
  RecordsPage out;
  const Instant now = impl_->clock.now();
  out.generated_at = to_iso(now);
  out.total = lines.total;
  out.next_cursor = std::move(lines.next_cursor);
  out.not_applied = std::move(lines.not_applied);
  for (const auto& line : lines.page) {
    auto record = TRY(impl_->holder(line, now, filter.history));
    if (record) out.records.push_back(std::move(*record));
  }
  return out;
}

}  // namespace ki::query
