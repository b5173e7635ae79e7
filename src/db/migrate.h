// Versioned schema changes. Each migration is one text named "NNNN_what.sql", applied once, in
// order, in one transaction with the row in schema_migration that says so.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/embedded.h"
#include "db/connection.h"

namespace ki::db {

struct SchemaState {
  std::int64_t version = 0;  // of the database, 0 = empty
  std::int64_t latest = 0;   // of this program
};

// What the database has and what this program knows.
// Errors: Code::conflict when the database is newer than the program, or when a migration was
// applied to it that had another text; Code::invalid when it holds something and no migration made
// it.
Result<SchemaState> schema_state(Connection& connection, std::span<const embedded::File> known);

// Applies what is missing. Two programs may try at once: the second finds it done.
// Errors: those of schema_state and of the statements; the database is then as it was.
Result<SchemaState> migrate(Connection& connection, std::span<const embedded::File> known,
                            const Clock& clock);

// The schema that a new database gets from these migrations.
Result<std::vector<SchemaObject>> fresh_schema(std::span<const embedded::File> known);

}  // namespace ki::db
