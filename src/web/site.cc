#include "web/site.h"

#include "api/exports.h"
#include "api/routes.h"
#include "base/text.h"
#include "mcp/http.h"
#include "query/codes.h"
#include "web/page_request.h"
#include "web/pages/pages.h"

namespace ki::web {
namespace {

using http::Request;

bool is_for_programs(const Request& request) {
  if (request.segments.empty()) return false;
  const std::string& first = request.segments.front();
  return first == "api" || first == "openapi.json" || first == "healthz" || first == "readyz" ||
         first == "mcp" || first == "metrics" || first == "exports" || first.ends_with(".xml");
}

// The address without its cursor: the first page of the same list.
Url first_page_of(const Request& request) {
  std::vector<http::Parameter> kept = request.parameters;
  std::erase_if(kept, [](const http::Parameter& p) { return p.first == "cursor"; });
  return Url::local({request.segments.begin(), request.segments.end()}, kept);
}

http::Response failure(const Request& request, const http::Problem& problem) {
  if (is_for_programs(request)) return http::problem_response(problem);
  const Context context{.origin = origin_of(request), .today = {}};
  Page page = failure_page(problem);
  if (problem.code == query::kInvalidCursor) {
    page.body.add(R"(<p><a href="{}">First page</a></p>)", first_page_of(request));
  }
  return http::html_response(static_cast<int>(problem.status), render(page, context),
                             http::Cache::no_store);
}

}  // namespace

Result<api::Serving> open_serving(const std::string& database, const Clock& clock,
                                  const std::shared_ptr<query::Shared>& index,
                                  const std::shared_ptr<api::AnswerCache>& cache) {
  auto state_clock = std::make_shared<api::StateClock>(clock);
  query::Resolver resolver = TRY(query::Resolver::open(database, *state_clock, index));
  return api::Serving{.resolver = std::make_shared<const query::Resolver>(std::move(resolver)),
                      .cache = cache,
                      .database = database,
                      .exports = {},
                      .clock = &clock,
                      .state_clock = std::move(state_clock)};
}

http::Router make_router(const api::Serving& serving) {
  http::Router router(failure);
  api::add_routes(router, serving);
  api::add_exports(router, serving);
  mcp::add_routes(router, serving.resolver);
  add_pages(router, serving);
  return router;
}

Result<std::unique_ptr<http::Server>> start(const ServeOptions& options, const Clock& clock) {
  const auto shared = query::make_shared_index(options.cache_bytes_max);
  const auto cache = std::make_shared<api::AnswerCache>();
  const std::shared_ptr<auth::Gate> gate = TRY(auth::Gate::open(options.database, clock));
  return http::Server::start(options.server, [&]() -> Result<http::Router> {
    api::Serving serving = TRY(open_serving(options.database, clock, shared, cache));
    serving.exports = options.exports;
    serving.metrics = options.server.metrics;
    serving.gate = gate;
    return make_router(serving);
  });
}

Status serve(const ServeOptions& options) {
  static const SystemClock clock;
  const std::unique_ptr<http::Server> server = TRY(start(options, clock));
  if (options.on_listening) {
    const std::string& host = options.server.host;
    const bool bracketed = host.contains(':');
    options.on_listening("http://" + (bracketed ? "[" + host + "]" : host) + ":" +
                         std::to_string(server->port()));
  }
  server->wait();
  return {};
}

}  // namespace ki::web
