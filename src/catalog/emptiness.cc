#include "catalog/emptiness.h"

namespace ki::catalog {
namespace {

// Served by the primary keys.
constexpr db::Sql kAnything{"anything",
                            "SELECT 1 WHERE EXISTS (SELECT 1 FROM project) "
                            "OR EXISTS (SELECT 1 FROM operation) "
                            "OR EXISTS (SELECT 1 FROM pending_run) "
                            "OR EXISTS (SELECT 1 FROM model_revision)"};

}  // namespace

Result<bool> is_empty(db::Connection& connection) {
  auto rows = TRY(connection.query(kAnything));
  const bool anything = TRY(rows.next());
  return !anything;
}

}  // namespace ki::catalog
