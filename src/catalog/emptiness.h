// Whether anything was ever published into a catalog.
#pragma once

#include "base/result.h"
#include "db/connection.h"

namespace ki::catalog {

// Whether nothing was ever published into the catalog, and nothing waits.
Result<bool> is_empty(db::Connection& connection);

}  // namespace ki::catalog
