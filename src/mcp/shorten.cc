#include "mcp/shorten.h"

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "json/write.h"

namespace ki::mcp {
namespace {

using json::Member;
using json::Value;
using json::Writer;

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
constexpr std::string_view kRowsOfGroup = "entries";
constexpr std::string_view kCursor = "nextCursor";

// What says the answer, the most important first: these members of an answer go last.
constexpr std::string_view kAnswers[] = {
    "verdict",        "operation",        "interpretation", "fastest",       "cohort",
    "bestDeployable", "fastestBlockedBy", "mode",           "policyVersion", "query"};
// The same of a row.
constexpr std::string_view kOfRow[] = {
    "rank",    "implementation", "primary",  "value", "runDigest",      "evidence",  "sharesRank",
    "current", "verdict",        "hardware", "pass",  "relative",       "operation", "project",
    "name",    "slug",           "id",       "title", "workloadSummary"};

// How far from the front of `names` a member stands; behind all of them where it is none.
std::size_t place_in(std::span<const std::string_view> names, const Member& member) {
  return static_cast<std::size_t>(std::ranges::find(names, member.key) - names.begin());
}

bool is_answer(const Member& member) { return place_in(kAnswers, member) < std::size(kAnswers); }

bool is_nothing(const Value& value) {
  if (value.is_array()) return value.items().empty();
  return value.is_null() || (value.is_object() && value.members().empty());
}

// A row of results, which another member of the answer may repeat.
bool is_result(const Value& value) {
  return value.is_object() && value.find("primary") != nullptr &&
         value.find("implementation") != nullptr;
}

struct Omission {
  std::string pointer;
  std::string_view kind;
  std::size_t shown = 0;
  std::size_t total = 0;
};

// How much of each list and text is shown.
struct Measure {
  std::size_t items = kAll;
  std::size_t text = kAll;
  std::size_t row = kAll;  // bytes of each row of a page, of which the most important members stay
  // Bytes of a row that stands alone, as the fastest one; then members that hold nothing go, too.
  std::size_t alone = kAll;
  bool is_brief() const { return alone != kAll; }
};
constexpr std::size_t kBriefRow = 500;
constexpr Measure kMeasures[] = {{kAll, kAll}, {kAll, 2000},   {40, 1000},     {20, 600},
                                 {10, 300},    {5, kTextKept}, {3, kTextKept}, {1, kTextKept}};
constexpr std::size_t kRowBytes[] = {kAll, 1200, 800, 500, 300, 150};

class Shortener {
 public:
  Shortener(std::string& out, Measure measure) : writer_(out), measure_(measure) {}

  void value(const Value& value) {
    if (measure_.is_brief() && !pointer_.empty() && is_result(value)) {
      row(value, measure_.alone);
    } else if (value.is_object()) {
      writer_.begin_object();
      for (const Member& member : value.members()) this->member(member);
      writer_.end_object();
    } else if (value.is_array()) {
      items(value);
    } else if (value.is_string()) {
      text(value.string());
    } else {
      writer_.value(value);
    }
  }

  // Every row of a list of rows, or of an object of such lists.
  void rows(const Member& member) {
    writer_.key(member.key);
    const std::size_t length = pointer_.size();
    json::append_pointer(pointer_, member.key);
    if (member.value.is_object()) {
      writer_.begin_object();
      for (const Member& list : member.value.members()) rows(list);
      writer_.end_object();
    } else if (member.value.is_array()) {
      all_rows(member.value);
    } else {
      value(member.value);
    }
    pointer_.resize(length);
  }

  void member(const Member& member) {
    if (measure_.is_brief() && is_nothing(member.value)) {
      ++nothing_;
      return;
    }
    writer_.key(member.key);
    const std::size_t length = pointer_.size();
    json::append_pointer(pointer_, member.key);
    // Half a cursor leads nowhere.
    const bool whole = member.key == kCursor;
    whole ? static_cast<void>(writer_.value(member.value)) : value(member.value);
    pointer_.resize(length);
  }

  // A member of which these are the first items, each as JSON.
  void items_of(const Member& member, const std::vector<std::string>& shown) {
    writer_.key(member.key).begin_array();
    for (const std::string& item : shown) writer_.raw(item);
    writer_.end_array();
    if (shown.size() == member.value.items().size()) return;
    std::string pointer;
    json::append_pointer(pointer, member.key);
    omissions_.push_back({.pointer = std::move(pointer),
                          .kind = "items",
                          .shown = shown.size(),
                          .total = member.value.items().size()});
  }

  void drop(const Member& member, std::size_t bytes) {
    std::string pointer;
    json::append_pointer(pointer, member.key);
    omissions_.push_back({.pointer = std::move(pointer), .kind = "member", .total = bytes});
  }

  // A member of an answer by itself, as it would be written there.
  void alone(const Value& value) {
    is_result(value) ? row(value, measure_.alone) : this->value(value);
  }

  Writer& writer() { return writer_; }

  void write_omissions() {
    const std::size_t listed = measure_.is_brief() ? kOmissionsListed / 3 : kOmissionsListed;
    if (nothing_ > 0) {
      omissions_.insert(omissions_.begin(), {.pointer = "", .kind = "empty", .total = nothing_});
    }
    if (omissions_.empty()) return;
    writer_.key("omitted").begin_array();
    for (std::size_t i = 0; i < std::min(omissions_.size(), listed); ++i) {
      const Omission& one = omissions_[i];
      writer_.begin_object().key("pointer").string(one.pointer).key("kind").string(one.kind);
      writer_.key("shown").integer(static_cast<std::int64_t>(one.shown));
      writer_.key("total").integer(static_cast<std::int64_t>(one.total)).end_object();
    }
    writer_.end_array();
    if (omissions_.size() > listed) {
      writer_.key("omittedMore").integer(static_cast<std::int64_t>(omissions_.size() - listed));
    }
  }

 private:
  void items(const Value& value) {
    const auto all = value.items();
    const std::size_t shown = std::min(all.size(), measure_.items);
    if (shown < all.size()) {
      omissions_.push_back(
          {.pointer = pointer_, .kind = "items", .shown = shown, .total = all.size()});
    }
    writer_.begin_array();
    for (std::size_t i = 0; i < shown; ++i) {
      const std::size_t length = pointer_.size();
      json::append_pointer(pointer_, i);
      this->value(all[i]);
      pointer_.resize(length);
    }
    writer_.end_array();
  }

  void all_rows(const Value& list) {
    writer_.begin_array();
    for (std::size_t i = 0; i < list.items().size(); ++i) {
      const Value& row = list.items()[i];
      const std::size_t length = pointer_.size();
      json::append_pointer(pointer_, i);
      const bool is_group = row.is_object() && row.find(kRowsOfGroup) != nullptr;
      is_group ? group(row) : this->row(row, measure_.row);
      pointer_.resize(length);
    }
    writer_.end_array();
  }

  // A row in at most so many bytes: its most important members, in their order, whole but for a
  // row in it, as a record has its run. What holds nothing goes first.
  void row(const Value& row, std::size_t bytes_max) {
    if (!row.is_object() || bytes_max == kAll) return whole(row);
    std::vector<const Member*> by_importance;
    for (const Member& one : row.members()) by_importance.push_back(&one);
    std::ranges::stable_sort(by_importance, {},
                             [](const Member* one) { return place_in(kOfRow, *one); });
    std::vector<std::pair<const Member*, std::string>> kept;
    std::size_t room = bytes_max;
    for (const Member* const one : by_importance) {
      if (is_nothing(one->value)) continue;
      std::string text;
      if (is_result(one->value)) {
        Shortener(text, measure_).row(one->value, room / 3 * 2);
      } else {
        Shortener(text, measure_).value(one->value);
      }
      const std::size_t size = one->key.size() + text.size() + 4;
      if (size > room) continue;
      room -= size;
      kept.emplace_back(one, std::move(text));
    }
    writer_.begin_object();
    for (const Member& one : row.members()) {
      const auto at = std::ranges::find(kept, &one, [](const auto& entry) { return entry.first; });
      if (at != kept.end()) writer_.key(one.key).raw(at->second);
    }
    writer_.end_object();
    if (kept.size() == row.members().size()) return;
    omissions_.push_back(
        {.pointer = pointer_, .kind = "row", .shown = kept.size(), .total = row.members().size()});
  }

  // As value() does, of a row that has all the room it takes.
  void whole(const Value& row) {
    if (!row.is_object()) return value(row);
    writer_.begin_object();
    for (const Member& member : row.members()) this->member(member);
    writer_.end_object();
  }

  void group(const Value& group) {
    writer_.begin_object();
    for (const Member& one : group.members()) one.key == kRowsOfGroup ? rows(one) : member(one);
    writer_.end_object();
  }

  void text(std::string_view text) {
    if (text.size() <= std::max(measure_.text, kTextKept)) {
      writer_.string(text);
      return;
    }
    const std::string shown = excerpt(text, std::max(measure_.text, kTextKept));
    omissions_.push_back(
        {.pointer = pointer_, .kind = "text", .shown = shown.size(), .total = text.size()});
    writer_.string(shown);
  }

  Writer writer_;
  Measure measure_;
  std::string pointer_;
  std::vector<Omission> omissions_;
  std::size_t nothing_ = 0;  // members left out that hold nothing
};

std::string written(const Value& answer, Measure measure) {
  std::string out;
  Shortener shortener(out, measure);
  shortener.writer().begin_object();
  for (const Member& member : answer.members()) shortener.member(member);
  shortener.write_omissions();
  shortener.writer().end_object();
  return out;
}

using Sizes = std::vector<std::pair<std::size_t, const Member*>>;

// The members as they would be written, in the order in which they go: the largest first, but what
// says the answer last.
Sizes sizes_of(const Value& answer, Measure measure) {
  Sizes by_size;
  for (const Member& member : answer.members()) {
    std::string text;
    Shortener(text, measure).alone(member.value);
    by_size.emplace_back(text.size(), &member);
  }
  std::ranges::stable_sort(by_size, {}, [](const auto& entry) {
    const auto& [size, member] = entry;
    const bool last = is_answer(*member);
    // Of what says the answer the least important goes first.
    return std::tuple(last, last ? std::size(kAnswers) - place_in(kAnswers, *member) : kAll - size);
  });
  return by_size;
}

// With the first items of its largest list, each an answer of its own that is shortened; "" where
// it has none, or no room for one.
std::string with_short_items(const Value& answer, Measure measure, std::size_t bytes_max) {
  constexpr std::size_t kOmissions = 400;
  constexpr std::size_t kItem = 1500;
  Sizes by_size = sizes_of(answer, measure);
  std::ranges::stable_sort(by_size, std::ranges::greater{},
                           [](const auto& entry) { return entry.first; });
  if (by_size.empty() || !by_size.front().second->value.is_array()) return {};
  const Member& longest = *by_size.front().second;
  const auto items = longest.value.items();
  if (items.empty() || !items.front().is_object()) return {};
  std::size_t others = kOmissions;
  for (const auto& [size, member] : by_size) others += size + member->key.size() + 4;
  others -= by_size.front().first;
  if (others + kItem / 2 > bytes_max) return {};
  const std::size_t room = bytes_max - others;
  const std::size_t count = std::clamp<std::size_t>(room / kItem, 1, items.size());
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < count; ++i) shown.push_back(shorten(items[i], room / count - 2));
  std::string out;
  Shortener shortener(out, measure);
  shortener.writer().begin_object();
  for (const Member& member : answer.members()) {
    &member == &longest ? shortener.items_of(member, shown) : shortener.member(member);
  }
  shortener.write_omissions();
  shortener.writer().end_object();
  return out.size() <= bytes_max ? out : std::string();
}

// Without its largest members, as many as it takes.
std::string without_members(const Value& answer, Measure measure, std::size_t bytes_max) {
  const Sizes by_size = sizes_of(answer, measure);
  for (std::size_t dropped = 1; dropped <= by_size.size(); ++dropped) {
    std::string out;
    Shortener shortener(out, measure);
    shortener.writer().begin_object();
    for (const Member& member : answer.members()) {
      const auto at = std::ranges::find(by_size, &member, [](const auto& e) { return e.second; });
      if (at - by_size.begin() < static_cast<std::ptrdiff_t>(dropped)) {
        shortener.drop(member, at->first);
      } else {
        shortener.member(member);
      }
    }
    shortener.write_omissions();
    shortener.writer().end_object();
    if (out.size() <= bytes_max || dropped == by_size.size()) return out;
  }
  return written(answer, measure);
}

using Lists = std::span<const std::string_view>;

bool is_one_of(Lists lists, const Member& member) {
  return std::ranges::find(lists, member.key) != lists.end();
}

// The rows as they are, where `whole`, and the other members by `measure` but for the `dropped`
// largest of them.
std::string page_written(const Value& page, Lists lists, bool whole, Measure measure,
                         std::size_t dropped) {
  Sizes others = sizes_of(page, measure);
  std::erase_if(others, [&](const auto& entry) {
    return is_one_of(lists, *entry.second) || entry.second->key == kCursor;
  });
  others.resize(std::min(dropped, others.size()));
  std::string out;
  Shortener shortener(out, measure);
  shortener.writer().begin_object();
  for (const Member& member : page.members()) {
    const auto gone = std::ranges::find(others, &member, [](const auto& e) { return e.second; });
    if (gone != others.end()) {
      shortener.drop(member, gone->first);
    } else if (!is_one_of(lists, member)) {
      shortener.member(member);
    } else if (whole) {
      shortener.writer().key(member.key).value(member.value);
    } else {
      shortener.rows(member);
    }
  }
  shortener.write_omissions();
  shortener.writer().end_object();
  return out;
}

}  // namespace

std::optional<std::string> shorten_page(const json::Value& page, Lists lists, Loss loss,
                                        std::size_t bytes_max) {
  const auto fits = [&](std::string out) {
    return out.size() <= bytes_max ? std::optional(std::move(out)) : std::nullopt;
  };
  const bool whole = loss != Loss::inside;
  if (loss != Loss::members) {
    for (const bool brief : {false, true}) {
      for (Measure measure : kMeasures) {
        if (brief) measure.alone = kBriefRow;
        if (auto out = fits(page_written(page, lists, whole, measure, 0))) return out;
      }
    }
    if (whole) return std::nullopt;
  }
  Measure least = kMeasures[std::size(kMeasures) - 1];
  least.alone = kBriefRow;
  const auto members = page.members();
  const auto plain =
      static_cast<std::size_t>(std::ranges::count_if(members, [&](const Member& one) {
        return !is_answer(one) && !is_one_of(lists, one) && one.key != kCursor;
      }));
  // First what does not say the answer, then the ends of rows, at last the rest.
  for (const std::size_t to : {plain, members.size()}) {
    for (const std::size_t bytes : kRowBytes) {
      least.row = bytes;
      least.alone = std::min(bytes, kBriefRow);
      for (std::size_t dropped = 1; dropped <= to; ++dropped) {
        if (auto out = fits(page_written(page, lists, whole, least, dropped))) return out;
      }
      if (whole) break;
    }
    if (whole) break;
  }
  return std::nullopt;
}

std::string shorten(const json::Value& answer, std::size_t bytes_max) {
  for (const bool brief : {false, true}) {
    for (Measure measure : kMeasures) {
      if (brief) measure.alone = kBriefRow;
      std::string out = written(answer, measure);
      if (out.size() <= bytes_max) return out;
    }
  }
  Measure least = kMeasures[std::size(kMeasures) - 1];
  least.alone = kBriefRow;
  std::string items = with_short_items(answer, least, bytes_max);
  return items.empty() ? without_members(answer, least, bytes_max) : items;
}

}  // namespace ki::mcp
