// Rows as structs: a row type lists its columns once, and from that list it is inserted, read and
// compared. Columns are text, integers, reals, flags (0 or 1) and optionals of these; digests,
// instants and JSON stand in them as the text that is stored.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "db/connection.h"

namespace ki::catalog {

inline constexpr std::size_t kColumnsMax = 64;  // of one table

// What a row type's columns() is called with: hands name, member and index from 0 to a function.
template <class Function>
struct ColumnVisitor {
  Function& function;
  int index = 0;
  template <class Row, class T>
  void operator()(std::string_view name, T Row::* member) {
    function(name, member, index++);
  }
};

template <class Row, class Function>
void for_each_column(Function function) {
  ColumnVisitor<Function> visitor{function};
  Row::columns(visitor);
}

// "a, b, c"
template <class Row>
std::string column_list() {
  std::string out;
  for_each_column<Row>(
      [&](std::string_view name, auto, int i) { out.append(i > 0 ? ", " : "").append(name); });
  return out;
}

enum class OnConflict { fail, skip };  // skip: a row with the same key stays as it is

template <class Row>
std::string insert_text(OnConflict on_conflict) {
  std::string values;
  for_each_column<Row>([&](std::string_view, auto, int i) {
    values += (i > 0 ? ", $" : "$") + std::to_string(i + 1);
  });
  return "INSERT INTO " + std::string(Row::kTable) + " (" + column_list<Row>() + ") VALUES (" +
         values + ")" + (on_conflict == OnConflict::skip ? " ON CONFLICT DO NOTHING" : "");
}

// The columns as arguments; texts are borrowed from the row.
template <class Row>
std::span<const db::Value> values_of(const Row& row, std::array<db::Value, kColumnsMax>& into) {
  std::size_t columns = 0;
  for_each_column<Row>(
      [&](std::string_view, auto member, int) { into.at(columns++) = db::to_value(row.*member); });
  return std::span(into).first(columns);
}

// Inserts a row. Errors: Code::conflict when its key is taken (with OnConflict::fail) or a
// reference points nowhere.
template <class Row, OnConflict on_conflict = OnConflict::fail>
Status insert(db::Connection& connection, const Row& row) {
  static const std::string text = insert_text<Row>(on_conflict);
  static const std::string name = "insert_" + std::string(Row::kTable);
  std::array<db::Value, kColumnsMax> values;
  return connection.finish({.name = name, .text = text}, values_of(row, values));
}

inline void read_column(const db::Rows& rows, int at, std::string& into) { into = rows.text(at); }
inline void read_column(const db::Rows& rows, int at, bool& into) { into = rows.flag(at); }
inline void read_column(const db::Rows& rows, int at, double& into) { into = rows.real(at); }
inline void read_column(const db::Rows& rows, int at, std::int64_t& into) {
  into = rows.integer(at);
}
template <class T>
void read_column(const db::Rows& rows, int at, std::optional<T>& into) {
  into.reset();
  if (!rows.is_null(at)) read_column(rows, at, into.emplace());
}

// Reads a row whose columns stand in the order of column_list() from column `first`.
template <class Row>
void read(const db::Rows& rows, Row& into, int first = 0) {
  for_each_column<Row>(
      [&](std::string_view, auto member, int i) { read_column(rows, first + i, into.*member); });
}

// Every row of a table whose `tail` ("WHERE slug = $1 ORDER BY id") selects it, one at a time.
// `tail` names the columns of one table only.
template <class Row, class Visit, class... Arguments>
Status select(db::Connection& connection, const db::Sql& tail, Visit visit,
              const Arguments&... arguments) {
  static const std::string head =
      "SELECT " + column_list<Row>() + " FROM " + std::string(Row::kTable) + " ";
  const std::string text = head + std::string(tail.text);
  auto rows = TRY(connection.query(db::Sql{tail.name, text}, arguments...));
  Row row;
  return rows.each([&](const db::Rows& found) {
    read(found, row);
    return visit(row);
  });
}

// The first such row, if there is one.
template <class Row, class... Arguments>
Result<std::optional<Row>> find(db::Connection& connection, const db::Sql& tail,
                                const Arguments&... arguments) {
  std::optional<Row> out;
  TRY(select<Row>(
      connection, tail,
      [&](const Row& row) {
        if (!out) out = row;
      },
      arguments...));
  return out;
}

// A column value as text, for messages: "null" when there is none.
std::string show(const std::string& value);
std::string show(bool value);
std::string show(std::int64_t value);
std::string show(double value);
template <class T>
std::string show(const std::optional<T>& value) {
  return value ? show(*value) : "null";
}

// A column in which two rows differ.
struct Difference {
  std::string column;
  std::string stored;
  std::string expected;
};

template <class Row>
std::vector<Difference> differences(const Row& stored, const Row& expected) {
  std::vector<Difference> out;
  for_each_column<Row>([&](std::string_view name, auto member, int) {
    if (stored.*member == expected.*member) return;
    out.push_back({.column = std::string(name),
                   .stored = show(stored.*member),
                   .expected = show(expected.*member)});
  });
  return out;
}

}  // namespace ki::catalog
