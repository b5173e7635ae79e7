// Lists that are whole as ever, unless a page of them is asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/answering.h"
#include "query/cursor.h"
#include "query/tokens.h"

namespace ki::api {

inline constexpr Parameter kPageRows = {.name = "limit",
                                        .type = ParameterType::integer,
                                        .doc = "entries in this page; without it, all of them",
                                        .minimum = 1,
                                        .maximum = query::kPageRowsMax};

namespace detail {

inline constexpr std::size_t kAllRows = std::numeric_limits<std::size_t>::max();

// Leaves of the rows of a page, its lists one after the other, `take` after the first `skip`, and
// counts those after them. A group without rows goes.
struct Window {
  std::size_t skip = 0;
  std::size_t take = kAllRows;
  std::size_t after = 0;

  template <class Row>
  void cut(std::vector<Row>& rows) {
    if constexpr (GroupOfRows<Row>) {
      for (Row& group : rows) cut_lists(group);
      std::erase_if(rows, [](const Row& group) { return group.entries.empty(); });
    } else {
      const std::size_t first = std::min(skip, rows.size());
      const std::size_t count = std::min(take, rows.size() - first);
      after += rows.size() - first - count;
      skip -= first;
      take -= count;
      const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(first);
      std::vector<Row> kept(std::make_move_iterator(begin),
                            std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(count)));
      rows = std::move(kept);
    }
  }

  template <class Page>
  void cut_lists(Page& page);
};

template <class T>
struct CutVisitor {
  Window& window;
  T& page;
  template <class M>
  void field(std::string_view, M T::* member, std::string_view,
             json::Presence = json::Presence::required) {
    if constexpr (kIsRows<M>) window.cut(page.*member);
  }
};

template <class Page>
void Window::cut_lists(Page& page) {
  CutVisitor<Page> visitor{*this, page};
  Page::describe(visitor);
}

// A page that has a cursor of its own besides.
template <class Page>
concept HasCursor = requires(Page& page) { page.next_cursor = std::string(); };

inline constexpr std::string_view kNextDoc =
    "only where limit or cursor was given: of the next page, null on the last";

// Where a page starts: after `offset` rows of what the list itself gives at `inner`.
struct Start {
  std::size_t offset = 0;
  std::string inner{};
};
inline Start start_at(const query::Position& position) {
  const auto blank = position.key.find(' ');
  if (blank == std::string::npos) return {};
  const auto offset = query::leading_integer(position.key);
  return {.offset = static_cast<std::size_t>(offset.value_or(0)),
          .inner = position.key.substr(blank + 1)};
}
inline std::string cursor_at(const Start& start, const query::CursorScope& scope) {
  return query::encode_cursor({.time = {}, .key = std::to_string(start.offset) + ' ' + start.inner},
                              scope);
}

}  // namespace detail

// The schema of a list of which pages can be asked for: that of `Page` with nextCursor.
template <class Page>
struct Paged {
  static constexpr std::string_view kWireName = Page::kWireName;
  std::optional<std::string> next_cursor;
  template <class V>
  static void describe(V& v) {
    if constexpr (requires { v.schemas; }) {
      json::wire::SchemaVisitor<Page> page{v.schemas, v.out};
      Page::describe(page);
      v.required = std::move(page.required);
    }
    v.field("nextCursor", &Paged::next_cursor, detail::kNextDoc, json::Presence::optional);
  }
};

// The page that the parameters "limit" and "cursor" ask for of the list that `ask` gives, its rows
// trimmed to "fields". `ask` is called with the cursor of the list itself, "" at its start. `list`
// names the list and holds its filters, for the cursor is good for these alone.
template <class Ask>
Answer to_pages(const query::Resolver& resolver, const Arguments& arguments,
                std::vector<std::string> list, Ask ask) {
  using Page = typename std::invoke_result_t<Ask, std::string>::value_type;
  const std::string& limit = arguments.text(kPageRows.name);
  const std::string& cursor = arguments.text("cursor");
  if (!detail::HasCursor<Page> && limit.empty() && cursor.empty()) {
    return to_list(arguments, [&] { return ask(std::string()); });
  }
  const auto fields = fields_of<Page>(arguments);
  if (!fields) return std::unexpected(http::problem_of(fields.error()));
  auto version = resolver.version();  // a change after this makes the cursor stale, not wrong
  if (!version) return std::unexpected(http::problem_of(version.error()));
  const query::CursorScope scope{.list = std::move(list), .version = std::move(*version)};
  const auto position = query::start_of(cursor, scope);
  if (!position) return std::unexpected(http::problem_of(position.error()));
  const detail::Start start = detail::start_at(*position);
  Result<Page> page = ask(start.inner);
  if (!page) return std::unexpected(http::problem_of(page.error()));
  detail::Window window{.skip = start.offset};
  if (!limit.empty()) window.take = static_cast<std::size_t>(arguments.integer(kPageRows.name));
  const std::size_t taken = window.take;
  window.cut_lists(*page);
  std::optional<std::string> next;
  if (window.after > 0) {
    next = detail::cursor_at({.offset = start.offset + taken, .inner = start.inner}, scope);
  } else if constexpr (detail::HasCursor<Page>) {
    if (page->next_cursor) next = detail::cursor_at({.inner = *page->next_cursor}, scope);
  }
  std::string text;
  json::Writer out(text);
  if constexpr (detail::HasCursor<Page>) page->next_cursor = next;
  out.begin_object();
  detail::write_members(out, *page, *fields);
  if constexpr (!detail::HasCursor<Page>) {
    out.key("nextCursor");
    next ? out.string(*next) : out.null();
  }
  out.end_object();
  return text;
}

}  // namespace ki::api
