// The catalog as JSON lines, {"table": ..., "row": {...}}, in the format that `ki import export`
// reads: tables in dependency order, rows by id, members in the export's camel case, ids, times and
// keys as they are; corrections in the order they were made. It holds all that is needed to make
// the catalog again, the audit log included.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "db/connection.h"

namespace ki::catalog {

// Gets each line without its line break, valid for the call; an error ends the dump.
using LineSink = std::function<Status(std::string_view line)>;

// Writes every line of one state of the catalog, while others write. Returns how many.
Result<std::int64_t> dump(db::Connection& connection, const LineSink& sink);

}  // namespace ki::catalog
