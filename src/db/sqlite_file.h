// Opening the file of a catalog with SQLite, and saying what is wrong with it. Only db/ includes
// this.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include <sqlite3.h>

#include "db/connection.h"

namespace ki::db {

// What PRAGMA application_id says of a catalog: "KIdx".
inline constexpr int kApplicationId = 0x4B496478;

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

// The error behind a result of SQLite's, `where` it came up. What is wrong with the file names it
// and says what to do.
std::unexpected<Error> fail_with(sqlite3* database, int result, std::string_view where);

// Opens a file as it is.
Result<Database> open_file(const std::filesystem::path& path, const OpenOptions& options);

// Settings of every connection, see open_sqlite(); for a file that has its mark already.
Status configure_file(sqlite3* database, const std::filesystem::path& path,
                      const OpenOptions& options);

// Opens the file of a catalog: makes it where the options say so, rolls back what a program left
// that was stopped while it made the file, and refuses a database of another program, a folder or a
// pipe before anything is changed. See open_sqlite().
Result<Database> open_catalog_file(const std::filesystem::path& path, const OpenOptions& options);

}  // namespace ki::db
