// One schema text for every engine: what a migration says in common SQL, spelt for SQLite.
#pragma once

#include <string>
#include <string_view>

namespace ki::db {

// BIGINT becomes INTEGER and DOUBLE PRECISION becomes REAL, tables become STRICT, comments go, and
// a line "-- append-only: TABLE" becomes two triggers that refuse UPDATE and DELETE of its rows.
// A table whose key has several columns, which is most of what it holds, is kept in the order of
// that key (WITHOUT ROWID) instead of twice.
std::string to_sqlite(std::string_view migration);

}  // namespace ki::db
