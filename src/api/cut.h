// Parts of the lists of a page, and how an answer with such parts is described. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/fields.h"

namespace ki::api {

namespace detail {

inline constexpr std::size_t kAllRows = std::numeric_limits<std::size_t>::max();

// Leaves of the rows of one list `take` after the first `skip`, and counts those after them and all
// of them. A group without rows goes.
struct Window {
  std::size_t skip = 0;
  std::size_t take = kAllRows;
  std::size_t after = 0;
  std::size_t total = 0;

  template <class Row>
  void cut(std::vector<Row>& rows);
};

template <class T>
struct CutVisitor {
  Window& window;
  T& group;
  template <class M>
  void field(std::string_view, M T::* member, std::string_view,
             json::Presence = json::Presence::required) {
    if constexpr (kIsList<M>) window.cut(group.*member);
  }
};

template <class Row>
void Window::cut(std::vector<Row>& rows) {
  if constexpr (GroupOfRows<Row>) {
    for (Row& group : rows) {
      CutVisitor<Row> visitor{*this, group};
      Row::describe(visitor);
    }
    std::erase_if(rows, [](const Row& group) { return group.entries.empty(); });
  } else {
    const std::size_t first = std::min(skip, rows.size());
    const std::size_t count = std::min(take, rows.size() - first);
    total += rows.size();
    after += rows.size() - first - count;
    skip -= first;
    take -= count;
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<Row> kept(std::make_move_iterator(begin),
                          std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(count)));
    rows = std::move(kept);
  }
}

// Cuts each list of a page that holds rows, beside the others.
template <class Page>
struct CutPage {
  Page& page;
  Rows rows;
  Window window;
  std::map<std::string, std::int64_t> totals{};
  bool more = false;
  template <class M>
  void field(std::string_view name, M Page::* member, std::string_view,
             json::Presence = json::Presence::required) {
    if constexpr (kIsList<M>) {
      if (!is_one_of(rows, name)) return;
      Window own = window;
      own.cut(page.*member);
      more = more || own.after > 0;
      totals[std::string(name)] = static_cast<std::int64_t>(own.total);
    }
  }
};

inline constexpr std::string_view kNextDoc =
    "of the next page, null on the last; absent where no page was asked for";
inline constexpr std::string_view kTotalsDoc =
    "how many entries each list has on all pages; absent where no page was asked for";

}  // namespace detail

// The schema of a list of which pages can be asked for: that of `Page` with nextCursor and totals,
// under the name of `Named`, where `Page` alone has one too.
template <class Page, class Named = Page>
struct Paged {
  static constexpr std::string_view kWireName = Named::kWireName;
  std::optional<std::string> next_cursor;
  std::optional<std::map<std::string, std::int64_t>> totals;
  template <class V>
  static void describe(V& v) {
    if constexpr (requires { v.schemas; }) {
      json::wire::SchemaVisitor<Page> page{v.schemas, v.out};
      Page::describe(page);
      v.required = std::move(page.required);
    }
    v.field("nextCursor", &Paged::next_cursor, detail::kNextDoc, json::Presence::optional);
    v.field("totals", &Paged::totals, detail::kTotalsDoc, json::Presence::optional);
  }
};

}  // namespace ki::api
