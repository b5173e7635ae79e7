// The tables of an export and what each of their columns must be: the one description that reader
// and tests go by. What a column says beside its form (that it follows from a manifest, that it
// names an earlier row) is the business of the table's reader.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace ki::importer {

enum class Form {
  uuid,     // in lower case
  instant,  // as to_iso() writes it
  digest,
  slug,
  token,  // one of Column::values, or else letters, digits and ._/+- alone
  line,   // not blank, no white space at the ends, no control character
  text,   // anything, line breaks too
  url,    // https
  flag,
  count,  // a whole number from 0
  number,
  lines,  // a list of different texts of form `line`
  object,
};

enum class Need {
  value,
  nullable,  // or null
  optional,  // or null, or the column is not there
};

inline constexpr std::size_t kLineBytesMax = 8192;
inline constexpr std::size_t kTextBytesMax = std::size_t{16} << 20;  // of a whole row
inline constexpr std::size_t kListMax = 1000;                        // elements of a list

struct Column {
  std::string_view name;
  Form form = Form::line;
  Need need = Need::value;
  std::size_t bytes_max = kLineBytesMax;          // of a line, a token, or a text
  std::span<const std::string_view> values = {};  // the only ones, unless empty
};

struct TableColumns {
  std::string_view name;
  std::span<const Column> columns;
  bool ours = false;  // the public format has no such table
};

// In the order in which exports have them.
std::span<const TableColumns> known_tables();

// The first column that is not what it must be: "COLUMN: what is wrong"; "" when all are. Names of
// columns that are not described are appended to `unknown`.
std::string check_columns(const TableColumns& table, const json::Value& row,
                          std::vector<std::string_view>& unknown);

}  // namespace ki::importer
