// ki serve.

#include <ostream>

#include "cli/commands.h"
#include "cli/open.h"
#include "web/site.h"

namespace ki::cli {

int serve(const Context& c, const ServeOptions& options) {
  // The same question and the same words for a missing catalog as every other command.
  if (const auto resolver = open_resolver(c); !resolver) return report(c, resolver.error());
  web::ServeOptions how;
  how.database = c.db;
  how.server.host = options.host;
  how.server.port = static_cast<std::uint16_t>(options.port);
  how.server.workers = options.threads;
  how.server.log_level = c.quiet ? http::Level::warn : http::Level::info;
  how.on_listening = [&c](const std::string& address) {
    c.out << "Serving " << address << " (Ctrl-C stops)" << std::endl;
  };
  const auto served = web::serve(how);
  return served ? kOk : report(c, served.error(), {options.host});
}

}  // namespace ki::cli
