// One schema text for every engine: what a migration says in common SQL, spelt for SQLite.
#pragma once

#include <string>
#include <string_view>

namespace ki::db {

// BIGINT becomes INTEGER and DOUBLE PRECISION becomes REAL, tables become STRICT, comments go, and
// a line "-- append-only: TABLE" becomes two triggers that refuse UPDATE and DELETE of its rows.
std::string to_sqlite(std::string_view migration);

}  // namespace ki::db
