#include "cli/open.h"

#include <filesystem>

namespace ki::cli {

const Clock& clock() {
  static const SystemClock kClock;
  return kClock;
}

Result<query::Resolver> open_resolver(const Context& context) {
  if (!context.db.contains("://") && !std::filesystem::exists(context.db)) {
    return fail(Code::not_found,
                "there is no catalog here; fill one with \"ki import registry --publish\", or name "
                "another with --db",
                context.db);
  }
  return query::Resolver::open(context.db, clock());
}

}  // namespace ki::cli
