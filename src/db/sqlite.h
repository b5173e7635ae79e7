// The SQLite driver. Only db/ includes this.
#pragma once

#include <memory>
#include <string>

#include "db/connection.h"

namespace ki::db {

// Opens the file with: WAL (readers never wait for the writer), synchronous=FULL (a transaction
// that was acknowledged survives a power cut; NORMAL would lose the last ones in WAL mode),
// foreign keys enforced, a wait for other writers, and no trust in what the file's schema says.
Result<std::unique_ptr<Connection>> open_sqlite(const std::filesystem::path& path,
                                                const OpenOptions& options);

}  // namespace ki::db
