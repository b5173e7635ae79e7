// Pages of what a resolver gives whole: lists that are whole as ever unless a page is asked for,
// and the lists of a dossier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/cut.h"
#include "api/trim.h"
#include "query/cursor.h"
#include "query/tokens.h"

namespace ki::api {

namespace detail {

// A page that has a cursor of its own besides.
template <class Page>
concept HasCursor = requires(Page& page) { page.next_cursor = std::string(); };

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

// The page with what is said of its lists, its rows trimmed to `names`.
template <class Page>
std::string paged_text(Page& page, Rows rows, const Fields& names,
                       const std::optional<std::string>& next,
                       const std::map<std::string, std::int64_t>& totals) {
  std::string text;
  json::Writer out(text);
  if constexpr (HasCursor<Page>) page.next_cursor = next;
  out.begin_object();
  write_members(out, page, rows, names);
  if constexpr (!HasCursor<Page>) {
    out.key("nextCursor");
    json::write(out, next);
    out.key("totals");
    json::write(out, totals);
  }
  out.end_object();
  return text;
}

}  // namespace detail

// What has pages: the name of the list and its filters, which a cursor of it is good for alone, and
// the members that hold its rows.
struct PagedList {
  std::vector<std::string> scope;
  Rows rows;
};

namespace detail {

// What is asked of a list: members of each row, and where the page starts.
struct Asked {
  Fields fields;
  query::CursorScope scope;
  query::Position position;
};

template <class Page>
std::expected<Asked, http::Problem> asked_of(const query::Resolver& resolver,
                                             const Arguments& arguments, PagedList list) {
  auto fields = fields_of<Page>(arguments, list.rows);
  if (!fields) return std::unexpected(http::problem_of(fields.error()));
  auto version = resolver.version();  // a change after this makes the cursor stale, not wrong
  if (!version) return std::unexpected(http::problem_of(version.error()));
  query::CursorScope scope{.list = std::move(list.scope), .version = std::move(*version)};
  auto position = query::start_of(arguments.text("cursor"), scope);
  if (!position) return std::unexpected(http::problem_of(position.error()));
  return Asked{
      .fields = std::move(*fields), .scope = std::move(scope), .position = std::move(*position)};
}

inline constexpr std::string_view kOver = "-";  // a list with a cursor of its own has no more

}  // namespace detail

// The page that the parameters "limit" and "cursor" ask for of what `ask` gives, its rows trimmed
// to "fields"; the lists of rows, where there are several, go side by side. `ask` is called with
// the cursor of the list itself, "" at its start.
template <class Ask>
Answer to_pages(const query::Resolver& resolver, const Arguments& arguments, const PagedList& list,
                Ask ask) {
  using Page = typename std::invoke_result_t<Ask, std::string>::value_type;
  const std::string& limit = arguments.text("limit");
  if (!detail::HasCursor<Page> && limit.empty() && arguments.text("cursor").empty()) {
    return to_list(arguments, list.rows, [&] { return ask(std::string()); });
  }
  const auto asked = detail::asked_of<Page>(resolver, arguments, list);
  if (!asked) return std::unexpected(asked.error());
  const detail::Start start = detail::start_at(asked->position);
  Result<Page> page = ask(start.inner);
  if (!page) return std::unexpected(http::problem_of(page.error()));
  detail::Window window{.skip = start.offset};
  if (!limit.empty()) window.take = static_cast<std::size_t>(arguments.integer("limit"));
  detail::CutPage<Page> cut{.page = *page, .rows = list.rows, .window = window};
  Page::describe(cut);
  std::optional<std::string> next;
  if (cut.more) {
    next = detail::cursor_at({.offset = start.offset + window.take, .inner = start.inner},
                             asked->scope);
  } else if constexpr (detail::HasCursor<Page>) {
    if (page->next_cursor) next = detail::cursor_at({.inner = *page->next_cursor}, asked->scope);
  }
  return detail::paged_text(*page, list.rows, asked->fields, next, cut.totals);
}

// The same of a page whose first list has a cursor of its own, which `ask` is called with and with
// the rows of a page; its other lists go beside that one.
template <class Ask>
Answer to_pages_beside(const query::Resolver& resolver, const Arguments& arguments,
                       const PagedList& list, Ask ask) {
  using Page = typename std::invoke_result_t<Ask, std::string, std::int64_t>::value_type;
  const auto asked = detail::asked_of<Page>(resolver, arguments, list);
  if (!asked) return std::unexpected(asked.error());
  const detail::Start start = detail::start_at(asked->position);
  const bool over = start.inner == detail::kOver;
  const std::int64_t limit = arguments.integer("limit");
  Result<Page> page = ask(over ? std::string() : start.inner, limit);
  if (!page) return std::unexpected(http::problem_of(page.error()));
  if (over) {
    detail::CutPage<Page> none{.page = *page, .rows = list.rows.first(1), .window = {.take = 0}};
    Page::describe(none);
    page->next_cursor.reset();
  }
  const detail::Window window{.skip = start.offset, .take = static_cast<std::size_t>(limit)};
  detail::CutPage<Page> cut{.page = *page, .rows = list.rows.subspan(1), .window = window};
  Page::describe(cut);
  std::optional<std::string> next;
  if (cut.more || page->next_cursor) {
    next = detail::cursor_at({.offset = start.offset + window.take,
                              .inner = page->next_cursor.value_or(std::string(detail::kOver))},
                             asked->scope);
  }
  return detail::paged_text(*page, list.rows, asked->fields, next, cut.totals);
}

// The same of a list that is the whole answer: its cursor goes into the header Link. `ask` is
// called with the id of the last row of the page before, "" at the start, and with the rows of a
// page.
template <class Ask>
Answer to_linked_pages(const query::Resolver& resolver, const Arguments& arguments,
                       const PagedList& list, Ask ask) {
  using Page = typename std::invoke_result_t<Ask, std::string, std::int64_t>::value_type;
  const auto asked = detail::asked_of<Page>(resolver, arguments, list);
  if (!asked) return std::unexpected(asked.error());
  const std::int64_t limit = arguments.integer("limit");
  const Result<Page> page = ask(asked->position.key, limit);
  if (!page) return std::unexpected(http::problem_of(page.error()));
  std::string text;
  json::Writer out(text);
  asked->fields.empty() ? json::write(out, *page) : detail::write_rows(out, *page, asked->fields);
  Content content(std::move(text));
  if (std::ssize(*page) < limit) return content;
  const Result<Page> rest = ask(page->back().id, 1);
  if (!rest) return std::unexpected(http::problem_of(rest.error()));
  if (!rest->empty()) {
    content.next_cursor = query::encode_cursor({.time = {}, .key = page->back().id}, asked->scope);
  }
  return content;
}

}  // namespace ki::api
