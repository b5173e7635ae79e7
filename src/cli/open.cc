#include "cli/open.h"

#include <filesystem>

namespace ki::cli {

const Clock& clock() {
  static const SystemClock kClock;
  return kClock;
}

bool is_absent(const std::string& file) {
  std::error_code unknown;  // what cannot be looked at is not known to be absent
  return std::filesystem::status(file, unknown).type() == std::filesystem::file_type::not_found;
}

Result<query::Resolver> open_resolver(const Context& context) {
  if (!context.db.contains("://") && is_absent(context.db)) {
    return fail(Code::not_found,
                "there is no catalog here; fill one with \"ki import registry --publish\", or name "
                "another with --db",
                context.db);
  }
  return query::Resolver::open(context.db, clock());
}

}  // namespace ki::cli
