// ki serve.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <ostream>

#include <sys/resource.h>

#include "api/openapi.h"
#include "api/routes.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "cli/table.h"
#include "web/site.h"

namespace ki::cli {

namespace {

// The table of the API's routes, as the program has it.
int list_routes(const Context& c) {
  const auto items = api::route_items();
  if (c.output == Output::json) {
    print_json_text(c, api::route_index());
  } else if (c.output == Output::jsonl) {
    print_json_lines(c, items);
  } else {
    Table table({{"method"}, {"path"}, {.heading = "takes", .spare = 1}, {.heading = "answers"}});
    for (const auto& item : items) {
      std::vector<std::string> takes;
      for (const auto& name : item.parameters) {
        if (!item.path.contains('{' + name + '}')) takes.push_back(name);
      }
      table.add({item.method, item.path, join(takes, " "), item.summary});
    }
    table.print(c.out, !c.quiet, c.width);
  }
  return kOk;
}

// As many connections as the limit of open files leaves room for, up to `wanted`; the limit is
// raised as far as this process may. Code::unavailable when hardly any would be left.
Result<int> connections_within_limits(int wanted) {
  constexpr rlim_t kOthers = 64;  // catalogs of the workers, logs, pipes
  constexpr rlim_t kLeast = 16;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  const rlim_t needed = static_cast<rlim_t>(wanted) + kOthers;
  if (limit.rlim_cur < needed) {
    limit.rlim_cur = std::min(needed, limit.rlim_max);
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  if (limit.rlim_cur >= needed) return wanted;
  if (limit.rlim_cur < kOthers + kLeast) {
    return fail(Code::unavailable, "this process may open " + std::to_string(limit.rlim_cur) +
                                       " files only; serving takes at least " +
                                       std::to_string(kOthers + kLeast) + " (ulimit -n)");
  }
  return static_cast<int>(limit.rlim_cur - kOthers);
}

}  // namespace

int serve(const Context& c, const ServeOptions& options) {
  if (options.routes) return list_routes(c);
  if (options.burst > 0 && options.rate == 0) {
    c.err << "ki: --burst: there is no limit without --rate\n";
    return kUsage;
  }
  std::error_code failed;
  if (!options.exports.empty() && !std::filesystem::is_directory(options.exports, failed)) {
    c.err << "ki: --exports: there is no folder " << printable(options.exports)
          << (failed ? ": " + failed.message() : "") << '\n';
    return kUsage;
  }
  // The same question and the same words for a missing catalog as every other command.
  if (const auto resolver = open_resolver(c); !resolver) return report(c, resolver.error());
  web::ServeOptions how;
  how.database = c.db;
  how.exports = options.exports;
  how.cache_bytes_max = static_cast<std::size_t>(options.cache_mib) << 20;
  how.server.host = options.host;
  how.server.port = static_cast<std::uint16_t>(options.port);
  how.server.workers = options.threads;
  const auto connections = connections_within_limits(options.connections);
  if (!connections) return report(c, connections.error());
  if (*connections < options.connections) {
    c.err << "ki: the limit of open files leaves room for " << *connections
          << " connections at once; raise it (ulimit -n) for more\n";
  }
  how.server.connections_max = *connections;
  how.server.costly_max = options.costly;
  how.server.behind_proxy = options.behind_proxy;
  if (options.rate > 0) {
    const double burst = options.burst > 0 ? options.burst : 2 * options.rate;
    how.server.limits = std::make_shared<http::AddressLimits>(
        http::AddressLimitOptions{.per_second = options.rate, .burst = std::max(1.0, burst)});
  }
  if (!options.access_log.empty()) {
    auto log = http::AccessLog::open(options.access_log);
    if (!log) return report(c, log.error());
    how.server.access_log = std::move(*log);
  }
  how.server.metrics = std::make_shared<http::Metrics>();
  how.server.log_level = c.quiet ? http::Level::warn : http::Level::info;
  how.on_listening = [&c](const std::string& address) {
    c.out << "Serving " << address << " (Ctrl-C stops)" << std::endl;
  };
  std::signal(SIGPIPE, SIG_IGN);  // a log that nobody reads any more is no reason to end
  const auto served = web::serve(how);
  return served ? kOk : report(c, served.error(), {options.host});
}

}  // namespace ki::cli
