// The catalog: the tables of schema/0001_catalog.sql over one database connection. It stores and
// finds; what may be stored is decided by publish/, what is said about it by policy/ and query/.
//
// rows_*.h has one struct a table, table.h inserts and reads them. Evidence (everything but the
// tables marked as derived in the schema, aliases, tags and pending runs) is append-only, which
// the database enforces itself.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "db/connection.h"
#include "db/migrate.h"

namespace ki::catalog {

class Catalog {
 public:
  // Opens the catalog at `url` (db::open). Mode::create makes and migrates it; the other modes
  // refuse one whose schema is not the program's.
  // Errors: those of db::open; Code::not_found when there is none, Code::conflict when its schema
  // is older ("run ki migrate") or newer than the program.
  static Result<Catalog> open(std::string_view url, const Clock& clock,
                              const db::OpenOptions& options = {});
  static Result<Catalog> open(std::unique_ptr<db::Connection> connection, const Clock& clock,
                              db::Mode mode);

  // For one thread at a time, like the connection itself.
  db::Connection& connection() const { return *connection_; }

 private:
  explicit Catalog(std::unique_ptr<db::Connection> connection)
      : connection_(std::move(connection)) {}
  std::unique_ptr<db::Connection> connection_;
};

// The error with the name of the database in front of its place.
Error within(Error error, std::string_view url);

// The schema versions of a database and of this program.
// Errors: Code::conflict when the database is newer.
Result<db::SchemaState> schema_state(db::Connection& connection);

// The schema of a new catalog.
Result<std::vector<db::SchemaObject>> fresh_schema();

// Brings a database to this program's schema; returns what it had before.
Result<db::SchemaState> migrate(db::Connection& connection, const Clock& clock);

}  // namespace ki::catalog
