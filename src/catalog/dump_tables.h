// The tables of an export: which columns of the catalog they hold, and in which order.
#pragma once

#include <span>
#include <string_view>

#include "db/rows.h"

namespace ki::catalog {

enum class As {
  text,
  integer,
  real,
  flag,
  json,         // a column that holds a JSON text
  tags,         // a column that holds an operation's id: its tags in order
  older,        // a column that holds a run's id: the run that it supersedes
  text_if_any,  // a text that is left out where there is none: the public format has no such column
  no,           // no column: always false
  yes,          // no column: always true
  zero,         // no column: always 0
};

struct Field {
  std::string_view name;
  As as = As::text;
};

struct DumpTable {
  std::string_view name;
  db::Sql sql;  // one column for each field that has one, in order
  std::span<const Field> fields;
};

// In the order in which an export has them: rows refer to rows of earlier tables only.
std::span<const DumpTable> dump_tables();

}  // namespace ki::catalog
