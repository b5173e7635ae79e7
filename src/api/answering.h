// What the handlers of routes share: bodies read, answers written, lists trimmed to some fields.
#pragma once

#include <algorithm>
#include <expected>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "api/parameters.h"
#include "api/routes.h"
#include "base/result.h"
#include "http/problem.h"
#include "json/read.h"
#include "json/wire.h"
#include "query/model_common.h"

namespace ki::api {

template <class T>
void schema_of(json::Schemas& schemas, json::Writer& out) {
  schemas.write_schema<T>(out);
}

template <class T>
std::expected<T, Issues> read_body(const std::string& body) {
  auto document = json::parse(body);
  if (!document) return std::unexpected(std::move(document.error()));
  return json::read<T>(document->root, body);
}

template <class T>
Answer to_answer(const Result<T>& result) {
  if (!result) return std::unexpected(http::problem_of(result.error()));
  return json::to_json(*result);
}

// ---- lists, whose rows may be trimmed

inline constexpr Parameter kFields = {
    .name = "fields",
    .doc = "only these members of each row, with commas between; as the schema of a row names them",
    .maximum = 500};

// Members that are asked for, of which each row then has no others; empty: all.
using Fields = std::vector<std::string_view>;

// What `text` asks for. Issues: a name that is none of `known`.
std::expected<Fields, Issues> read_fields(std::string_view text, const Fields& known);

namespace detail {

// A list of rows: a vector of described objects, of one kind or of several, as a member of a page.
template <class M>
inline constexpr bool kIsRows = false;
template <json::wire::Described Row>
inline constexpr bool kIsRows<std::vector<Row>> = true;
template <json::wire::Described... Rows>
inline constexpr bool kIsRows<std::vector<std::variant<Rows...>>> = true;
template <>  // what is said of the question is no row
inline constexpr bool kIsRows<std::vector<query::NotApplied>> = false;

// A row that says it is a group of rows, such as those of a day.
template <class Row>
concept GroupOfRows = requires { requires Row::kGroupsRows; };

template <class Visitor, class Row>
void describe_row(Visitor& visitor, std::type_identity<Row>) {
  Row::describe(visitor);
}
template <class Visitor, class... Rows>
void describe_row(Visitor& visitor, std::type_identity<std::variant<Rows...>>) {
  (Rows::describe(visitor), ...);
}

struct NamesOf {
  Fields& names;
  template <class T, class M>
  void field(std::string_view name, M T::*, std::string_view,
             json::Presence = json::Presence::required) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
};

template <class Page>
void write_page(json::Writer& out, const Page& page, const Fields& names);

// The names of the members that the rows of a page have.
struct NamesOfRows {
  Fields& names;
  template <class T, class M>
  void field(std::string_view, M T::*, std::string_view,
             json::Presence = json::Presence::required) {
    if constexpr (kIsRows<M>) {
      using Row = typename M::value_type;
      std::conditional_t<GroupOfRows<Row>, NamesOfRows, NamesOf> inner{names};
      describe_row(inner, std::type_identity<Row>());
    }
  }
};

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

template <class T>
struct WritePage {
  json::Writer& out;
  const T& page;
  const Fields& names;
  template <class M>
  void field(std::string_view name, M T::* member, std::string_view doc,
             json::Presence presence = json::Presence::required) {
    if constexpr (kIsRows<M>) {
      out.key(name).begin_array();
      for (const auto& row : page.*member) {
        using Row = typename M::value_type;
        if constexpr (GroupOfRows<Row>) {
          write_page(out, row, names);
        } else {
          write_some(out, row, names);
        }
      }
      out.end_array();
    } else {
      json::wire::WriteVisitor<T>{out, page}.field(name, member, doc, presence);
    }
  }
};

// The members of a page, of its rows those named; all of them where none is.
template <class Page>
void write_members(json::Writer& out, const Page& page, const Fields& names) {
  if (names.empty()) {
    json::wire::WriteVisitor<Page> writer{out, page};
    Page::describe(writer);
  } else {
    WritePage<Page> writer{out, page, names};
    Page::describe(writer);
  }
}

template <class Page>
void write_page(json::Writer& out, const Page& page, const Fields& names) {
  out.begin_object();
  write_members(out, page, names);
  out.end_object();
}

}  // namespace detail

// What the parameter "fields" asks for of the rows of a page.
template <class Page>
std::expected<Fields, Issues> fields_of(const Arguments& arguments) {
  Fields known;
  detail::NamesOfRows names{known};
  Page::describe(names);
  return read_fields(arguments.text(kFields.name), known);
}

// The page that `ask` gives, its rows trimmed to the parameter "fields" of the route.
template <class Ask>
Answer to_list(const Arguments& arguments, Ask ask) {
  using Page = typename std::invoke_result_t<Ask>::value_type;
  const auto fields = fields_of<Page>(arguments);
  if (!fields) return std::unexpected(http::problem_of(fields.error()));
  const Result<Page> page = ask();
  if (!page || fields->empty()) return to_answer(page);
  std::string text;
  json::Writer out(text);
  detail::write_page(out, *page, *fields);
  return text;
}

}  // namespace ki::api
