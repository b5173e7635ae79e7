#include "web/site.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "api/exports.h"
#include "api/routes.h"
#include "base/text.h"
#include "mcp/http.h"
#include "query/codes.h"
#include "web/assets.h"
#include "web/pages/pages.h"

namespace ki::web {
namespace {

using http::Captures;
using http::Method;
using http::Outcome;
using http::Request;

constexpr std::int64_t kOffsetMax = 1'000'000;

// The Host header is of the outside: only what can be a host and a port is shown back.
std::string origin_of(const Request& request) {
  const std::string_view host = request.header("Host");
  const bool sound = !host.empty() && host.size() <= 255 && std::ranges::all_of(host, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view(".:-[]").contains(c);
  });
  return "http://" + (sound ? std::string(host) : std::string("localhost"));
}

std::string text_of(const Request& request, std::string_view name) {
  const std::string* value = request.parameter(name);
  return value == nullptr ? std::string() : *value;
}

std::expected<std::int64_t, http::Problem> offset_of(const Request& request) {
  if (!text_of(request, "cursor").empty()) {
    return std::unexpected(http::make_problem(400, query::kInvalidCursor,
                                              "this page goes by offset and takes no cursor"));
  }
  const std::string text = text_of(request, "offset");
  std::int64_t offset = 0;
  if (text.empty()) return offset;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
  if (error == std::errc{} && end == text.data() + text.size() && offset >= 0 &&
      offset <= kOffsetMax) {
    return offset;
  }
  return std::unexpected(http::make_problem(
      400, "INVALID_REQUEST", "offset must be a whole number, 0 to " + std::to_string(kOffsetMax)));
}

// "runs=a,b" and "run=a&run=b", which the form sends, mean the same.
std::vector<std::string> runs_of(const Request& request) {
  std::vector<std::string> runs;
  for (const auto& [name, value] : request.parameters) {
    if (name != "run" && name != "runs") continue;
    for (const std::string_view part : split(value, ',')) {
      if (!trim(part).empty()) runs.emplace_back(trim(part));
    }
  }
  return runs;
}

class Site {
 public:
  Site(std::shared_ptr<const query::Resolver> resolver, const Clock& clock)
      : resolver_(std::move(resolver)), clock_(clock) {}

  Outcome home(const Request& request, const Captures&) const {
    const auto counts = resolver_->counts();
    if (!counts) return failed(counts.error());
    const auto records =
        resolver_->records({.cursor = "", .limit = static_cast<std::int64_t>(kHomeRecords)});
    if (!records) return failed(records.error());
    return page(home_page(*counts, *records, context(request)), request, http::Cache::brief);
  }

  Outcome search(const Request& request, const Captures&) const {
    const auto offset = offset_of(request);
    if (!offset) return std::unexpected(offset.error());
    const SearchView view{.group = text_of(request, "group"),
                          .cohort = text_of(request, "cohort"),
                          .offset = *offset};
    const auto envelope = resolver_->search(
        text_of(request, "q"),
        {.cohort = view.cohort, .cursor = "", .offset = view.offset, .limit = kRowsShown});
    if (!envelope) return failed(envelope.error());
    return page(search_page(*envelope, view, context(request)), request, http::Cache::brief);
  }

  Outcome operations(const Request& request, const Captures&) const {
    const auto offset = offset_of(request);
    if (!offset) return std::unexpected(offset.error());
    const OperationsView view{.words = text_of(request, "q"), .offset = *offset};
    const auto list = resolver_->operations({.words = view.words});
    if (!list) return failed(list.error());
    return page(operations_page(*list, view, context(request)), request, http::Cache::moderate);
  }

  Outcome operation(const Request& request, const Captures& captures) const {
    const auto dossier = resolver_->operation(
        captures[0],
        {.workload = text_of(request, "workload"), .cohort = text_of(request, "cohort")});
    if (!dossier) return failed(dossier.error());
    return page(operation_page(*dossier, context(request)), request, http::Cache::moderate);
  }

  Outcome implementation(const Request& request, const Captures& captures) const {
    const auto dossier = resolver_->implementation(captures[0], true);
    if (!dossier) return failed(dossier.error());
    return page(implementation_page(*dossier, context(request)), request, http::Cache::moderate);
  }

  Outcome run(const Request& request, const Captures& captures) const {
    const auto dossier = resolver_->run(captures[0]);
    if (!dossier) return failed(dossier.error());
    return page(run_page(*dossier, context(request)), request, http::Cache::moderate);
  }

  Outcome records(const Request& request, const Captures&) const {
    const auto records = resolver_->records({.cursor = text_of(request, "cursor")});
    if (!records) return failed(records.error());
    return page(records_page(*records, context(request)), request, http::Cache::brief);
  }

  Outcome hardware(const Request& request, const Captures&) const {
    const auto list = resolver_->hardware_list();
    if (!list) return failed(list.error());
    return page(hardware_page(*list, context(request)), request, http::Cache::moderate);
  }

  Outcome models(const Request& request, const Captures&) const {
    const auto list = resolver_->models();
    if (!list) return failed(list.error());
    return page(models_page(*list, context(request)), request, http::Cache::moderate);
  }

  Outcome model(const Request& request, const Captures& captures) const {
    const auto dossier = resolver_->model(captures[0], text_of(request, "gpu"));
    if (!dossier) return failed(dossier.error());
    return page(model_page(*dossier, context(request)), request, http::Cache::moderate);
  }

  Outcome project(const Request& request, const Captures& captures) const {
    const auto dossier =
        resolver_->project(captures[0], {.cursor = text_of(request, "cursor"), .limit = 30});
    if (!dossier) return failed(dossier.error());
    return page(project_page(*dossier, context(request)), request, http::Cache::moderate);
  }

  Outcome compare(const Request& request, const Captures&) const {
    const std::vector<std::string> runs = runs_of(request);
    if (runs.size() > query::kCompareRunsMax) {
      return std::unexpected(http::make_problem(
          400, "INVALID_REQUEST",
          "at most " + std::to_string(query::kCompareRunsMax) + " runs can be compared"));
    }
    if (runs.size() < 2)
      return page(compare_page(runs, nullptr, context(request)), request, brief());
    const auto comparison = resolver_->compare(runs);
    if (!comparison) return failed(comparison.error());
    return page(compare_page(runs, &*comparison, context(request)), request, brief());
  }

 private:
  static http::Cache brief() { return http::Cache::brief; }
  static Outcome failed(const Error& error) { return std::unexpected(http::problem_of(error)); }
  Outcome page(const Page& page, const Request& request, http::Cache cache) const {
    return http::html_response(200, render(page, context(request)), cache);
  }
  Context context(const Request& request) const {
    return {.origin = origin_of(request), .today = to_iso(clock_.now()).substr(0, 10)};
  }

  std::shared_ptr<const query::Resolver> resolver_;
  const Clock& clock_;
};

bool is_for_programs(const Request& request) {
  if (request.segments.empty()) return false;
  const std::string& first = request.segments.front();
  return first == "api" || first == "openapi.json" || first == "healthz" || first == "readyz" ||
         first == "mcp" || first == "metrics" || first == "exports";
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

void add_pages(http::Router& router, const std::shared_ptr<const query::Resolver>& resolver,
               const Clock& clock) {
  const auto site = std::make_shared<const Site>(resolver, clock);
  using Member = Outcome (Site::*)(const Request&, const Captures&) const;
  const auto add = [&](std::string pattern, Member member) {
    router.add({.method = Method::get,
                .pattern = std::move(pattern),
                .handler = [site, member](const Request& request, const Captures& captures) {
                  return (site.get()->*member)(request, captures);
                }});
  };
  add("/", &Site::home);
  add("/search", &Site::search);
  add("/operations", &Site::operations);
  add("/operations/{slug}", &Site::operation);
  add("/implementations/{slug}", &Site::implementation);
  add("/runs/{run}", &Site::run);
  add("/records", &Site::records);
  add("/hardware", &Site::hardware);
  add("/models", &Site::models);
  add("/models/{slug}", &Site::model);
  add("/projects/{slug}", &Site::project);
  add("/compare", &Site::compare);
  add_assets(router);
}

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
  add_pages(router, serving.resolver, *serving.clock);
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
