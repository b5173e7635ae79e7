// One schema text for every engine: what a migration says in common SQL, spelt for SQLite.
#pragma once

#include <string>
#include <string_view>

namespace ki::db {

// How the message ends that refuses a row of an append-only table because its key is taken.
inline constexpr std::string_view kKeyTaken = "a row with this key is there already";

// BIGINT becomes INTEGER and DOUBLE PRECISION becomes REAL, tables become STRICT, comments go, and
// a line "-- append-only: TABLE" (or "TABLE except COLUMN", which may change) becomes triggers that
// refuse UPDATE, DELETE and whatever would REPLACE a row. They know the keys that CREATE TABLE
// states, which has to stand above, in the same text.
// A table whose key has several columns, which is most of what it holds, is kept in the order of
// that key (WITHOUT ROWID) instead of twice.
std::string to_sqlite(std::string_view migration);

}  // namespace ki::db
