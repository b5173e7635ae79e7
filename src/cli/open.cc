#include "cli/open.h"

#include <filesystem>
#include <ostream>

#include "catalog/emptiness.h"
#include "db/connection.h"

namespace ki::cli {

const Clock& clock() {
  static const SystemClock kClock;
  return kClock;
}

bool is_absent(const std::string& file) {
  std::error_code unknown;  // what cannot be looked at is not known to be absent
  return std::filesystem::status(file, unknown).type() == std::filesystem::file_type::not_found;
}

namespace {

// What cannot be looked at is no empty catalog: opening it says what is wrong.
bool is_empty(const std::string& database) {
  const auto connection = db::open(database, {.mode = db::Mode::read_only});
  if (!connection) return false;
  const auto empty = catalog::is_empty(**connection);
  return empty && *empty;
}

}  // namespace

Result<query::Resolver> open_resolver(const Context& context) {
  if (!context.db.contains("://") && is_absent(context.db)) {
    return fail(Code::not_found,
                "there is no catalog here; fill one with \"ki import registry --publish\", or name "
                "another with --db",
                context.db);
  }
  if (!context.quiet && is_empty(context.db)) {
    context.err << "note: nothing was published into this catalog yet; \"ki import registry "
                   "--publish\" fills it\n";
  }
  return query::Resolver::open(context.db, clock());
}

}  // namespace ki::cli
