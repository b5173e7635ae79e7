// Answers whose rows have only the members that are asked for.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/answering.h"
#include "api/fields.h"

namespace ki::api {

namespace detail {

template <class T>
struct WriteSome {
  json::Writer& out;
  const T& value;
  const Fields& names;
  template <class M>
  void field(std::string_view name, M T::* member, std::string_view doc,
             json::Presence presence = json::Presence::required) {
    if (std::ranges::find(names, name) == names.end()) return;
    json::wire::WriteVisitor<T>{out, value}.field(name, member, doc, presence);
  }
};

template <class Row>
void write_some(json::Writer& out, const Row& row, const Fields& names) {
  out.begin_object();
  WriteSome<Row> some{out, row, names};
  Row::describe(some);
  out.end_object();
}
template <class... Rows>
void write_some(json::Writer& out, const std::variant<Rows...>& row, const Fields& names) {
  std::visit([&](const auto& one) { write_some(out, one, names); }, row);
}

template <class M>
void write_rows(json::Writer& out, const M& rows, const Fields& names);

// An object of which the lists hold rows.
template <class T>
struct WriteLists {
  json::Writer& out;
  const T& value;
  const Fields& names;
  template <class M>
  void field(std::string_view name, M T::* member, std::string_view doc,
             json::Presence presence = json::Presence::required) {
    if constexpr (kIsList<M>) {
      out.key(name);
      write_rows(out, value.*member, names);
    } else {
      json::wire::WriteVisitor<T>{out, value}.field(name, member, doc, presence);
    }
  }
};

template <class M>
void write_rows(json::Writer& out, const M& rows, const Fields& names) {
  if constexpr (json::wire::kIsOptional<M>) {
    rows ? write_rows(out, *rows, names) : static_cast<void>(out.null());
  } else if constexpr (kIsList<M>) {
    out.begin_array();
    for (const auto& row : rows) {
      if constexpr (GroupOfRows<typename M::value_type>) {
        write_rows(out, row, names);
      } else {
        write_some(out, row, names);
      }
    }
    out.end_array();
  } else {
    out.begin_object();
    WriteLists<M> lists{out, rows, names};
    M::describe(lists);
    out.end_object();
  }
}

template <class T>
struct WritePage {
  json::Writer& out;
  const T& page;
  Rows rows;
  const Fields& names;
  template <class M>
  void field(std::string_view name, M T::* member, std::string_view doc,
             json::Presence presence = json::Presence::required) {
    if constexpr (kHoldsRows<M>) {
      if (is_one_of(rows, name)) {
        out.key(name);
        return write_rows(out, page.*member, names);
      }
    }
    json::wire::WriteVisitor<T>{out, page}.field(name, member, doc, presence);
  }
};

// The members of a page, of its rows those named; all of them where none is.
template <class Page>
void write_members(json::Writer& out, const Page& page, Rows rows, const Fields& names) {
  if (names.empty()) {
    json::wire::WriteVisitor<Page> writer{out, page};
    Page::describe(writer);
  } else {
    WritePage<Page> writer{out, page, rows, names};
    Page::describe(writer);
  }
}

}  // namespace detail

// The page that `ask` gives, whose rows are the members `rows`, trimmed to the parameter "fields".
template <class Ask>
Answer to_list(const Arguments& arguments, Rows rows, Ask ask) {
  using Page = typename std::invoke_result_t<Ask>::value_type;
  const auto fields = fields_of<Page>(arguments, rows);
  if (!fields) return std::unexpected(http::problem_of(fields.error()));
  const Result<Page> page = ask();
  if (!page || fields->empty()) return to_answer(page);
  std::string text;
  json::Writer out(text);
  out.begin_object();
  detail::write_members(out, *page, rows, *fields);
  out.end_object();
  return text;
}

}  // namespace ki::api
