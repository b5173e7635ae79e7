// Which members of the rows of a page are asked for: the parameter "fields".
#pragma once

#include <algorithm>
#include <expected>
#include <optional>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "api/parameters.h"
#include "api/routes.h"
#include "json/wire.h"

namespace ki::api {

inline constexpr Parameter kFields = {
    .name = "fields",
    .doc = "only these members of each row, with commas between; as the schema of a row names them",
    .maximum = 500};

// Members that are asked for, of which each row then has no others; empty: all.
using Fields = std::vector<std::string_view>;

// What `text` asks for. Issues: a name that is none of `known`.
std::expected<Fields, Issues> read_fields(std::string_view text, const Fields& known);

namespace detail {

inline bool is_one_of(Rows rows, std::string_view name) {
  return std::ranges::find(rows, name) != rows.end();
}

// A list of rows: described objects, of one kind or of several.
template <class M>
inline constexpr bool kIsList = false;
template <json::wire::Described Row>
inline constexpr bool kIsList<std::vector<Row>> = true;
template <json::wire::Described... Rows>
inline constexpr bool kIsList<std::vector<std::variant<Rows...>>> = true;

// What can hold the rows of a page: a list, one that may be absent, or an object of lists.
template <class M>
inline constexpr bool kHoldsRows = kIsList<M> || json::wire::Described<M>;
template <class M>
inline constexpr bool kHoldsRows<std::optional<M>> = kIsList<M>;

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

struct NamesOfMembers {
  Fields& names;
  template <class T, class M>
  void field(std::string_view name, M T::*, std::string_view,
             json::Presence = json::Presence::required) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
};

template <class M>
void add_names(Fields& names, std::type_identity<M>);

// The names of what the rows in an object of lists have.
struct NamesOfLists {
  Fields& names;
  template <class T, class M>
  void field(std::string_view, M T::*, std::string_view,
             json::Presence = json::Presence::required) {
    if constexpr (kIsList<M>) add_names(names, std::type_identity<M>());
  }
};

template <class M>
void add_names(Fields& names, std::type_identity<M>) {
  if constexpr (json::wire::kIsOptional<M>) {
    add_names(names, std::type_identity<typename M::value_type>());
  } else if constexpr (kIsList<M>) {
    using Row = typename M::value_type;
    std::conditional_t<GroupOfRows<Row>, NamesOfLists, NamesOfMembers> inner{names};
    describe_row(inner, std::type_identity<Row>());
  } else {
    NamesOfLists lists{names};
    M::describe(lists);
  }
}

// The names of what the rows of a page have.
struct NamesOfRows {
  Rows rows;
  Fields& names;
  template <class T, class M>
  void field(std::string_view name, M T::*, std::string_view,
             json::Presence = json::Presence::required) {
    if constexpr (kHoldsRows<M>) {
      if (is_one_of(rows, name)) add_names(names, std::type_identity<M>());
    }
  }
};

}  // namespace detail

// What the parameter "fields" asks for of the rows of a page.
template <class Page>
std::expected<Fields, Issues> fields_of(const Arguments& arguments, Rows rows) {
  Fields known;
  if constexpr (detail::kIsList<Page>) {
    detail::add_names(known, std::type_identity<Page>());
  } else {
    detail::NamesOfRows names{rows, known};
    Page::describe(names);
  }
  return read_fields(arguments.text(kFields.name), known);
}

}  // namespace ki::api
