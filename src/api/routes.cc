#include "api/routes.h"

#include <array>

#include "api/keyed.h"
#include "api/metrics.h"
#include "api/openapi.h"
#include "base/text.h"
#include "http/etag.h"
#include "json/read.h"
#include "query/codes.h"
#include "query/cursor.h"

namespace ki::api {
namespace {

using http::Cache;
using http::Method;
using query::Resolver;

constexpr std::array<std::string_view, 1> kIncludes = {"source"};

constexpr Parameter kLimit = {.name = "limit",
                              .type = ParameterType::integer,
                              .doc = "entries in this page",
                              .minimum = 1,
                              .maximum = query::kPageRowsMax,
                              .initial = "50"};
constexpr Parameter kCursor = {
    .name = "cursor",
    .type = ParameterType::cursor,
    .doc = "nextCursor of the page before, with the same filters, while the catalog is the same",
    .maximum = query::kCursorBytesMax};

constexpr Parameter text(std::string_view name, std::string_view doc,
                         std::int64_t length_max = kNameMax) {
  return {.name = name, .doc = doc, .maximum = length_max};
}

constexpr Parameter in_path(std::string_view name, std::string_view doc) {
  return {.name = name, .in = In::path, .doc = doc, .maximum = kNameMax};
}

constexpr Parameter kRanked = text("cohort", "comparison key to rank instead of the chosen one");
constexpr Parameter kGroupCursor = {.name = "cursor",
                                    .type = ParameterType::cursor,
                                    .doc =
                                        "nextCursor of the page before, with the same request "
                                        "and cohort, while the catalog is the same",
                                    .maximum = query::kCursorBytesMax};
constexpr Parameter group_rows(std::int64_t maximum, std::string_view initial) {
  return {.name = "limit",
          .type = ParameterType::integer,
          .doc = "rows of each group in this page",
          .minimum = 1,
          .maximum = maximum,
          .initial = initial};
}
constexpr std::array kSearch = {
    text("q", "a query: operation, shape, dtype, hardware, filters", kSearchTextMax), kRanked,
    kGroupCursor, group_rows(query::kGroupRowsMax, "20")};
constexpr std::array kResolve = {kRanked, kGroupCursor, group_rows(query::kGroupRowsMax, "20")};
constexpr std::array kResolveBatch = {group_rows(kBatchRowsMax, "5")};
static_assert(query::kGroupRows == 20);
constexpr std::array kRuns = {text("operation", "slug or id of an operation"),
                              text("hardware", "exact product name"),
                              text("source", "slug of a source"),
                              Parameter{.name = "status",
                                        .type = ParameterType::choice,
                                        .doc = "runs of this status instead of the eligible ones; "
                                               "pending: those that wait for an object",
                                        .choices = query::kListedStatuses},
                              Parameter{.name = "since",
                                        .type = ParameterType::instant,
                                        .doc = "observed at or after this instant"},
                              kCursor,
                              kLimit};
constexpr std::array kRun = {in_path("idOrDigest", "id, or sha256:... of the manifest")};
constexpr std::array kOperations = {
    text("family", "exact family"), text("tag", "exact tag, such as model:llama-3"),
    text("q", "words that each stand in the slug, the name, the family or a tag", kSearchTextMax)};
constexpr std::array kOperation = {
    in_path("idOrSlug", "slug, id or digest"),
    text("workload", "id or digest of a workload instead of the one with most evidence"), kRanked};
constexpr std::array kImplementation = {in_path("idOrSlug", "slug, id or digest"),
                                        Parameter{.name = "include",
                                                  .type = ParameterType::choice,
                                                  .doc = "source: with the kernel's source code",
                                                  .choices = kIncludes}};
constexpr std::array kRecords = {kCursor, kLimit};
constexpr std::array kProject = {in_path("slug", "slug of a project"), kCursor, kLimit};
constexpr std::array kModel = {
    in_path("slug", "the name behind model: in the tags of operations"),
    text("gpu",
         "product to show instead of the one with most runs; notApplied says when it is none")};
constexpr std::array kFeed = {
    Parameter{.name = "since",
              .type = ParameterType::instant,
              .doc = "entries after this instant instead of those of the last 30 days"},
    kCursor};
static_assert(query::kFeedDays == 30);

template <class T>
Answer to_answer(const Result<T>& result) {
  if (!result) return std::unexpected(http::problem_of(result.error()));
  return json::to_json(*result);
}

template <class T>
void schema_of(json::Schemas& schemas, json::Writer& out) {
  schemas.write_schema<T>(out);
}

template <class T>
std::expected<T, Issues> read_body(const std::string& body) {
  auto document = json::parse(body);
  if (!document) return std::unexpected(std::move(document.error()));
  return json::read<T>(document->root, body);
}

Issues faults_of(const CompareRequest& request) {
  Issues issues;
  const auto add = [&](std::string code, std::string message, std::string pointer) {
    issues.push_back({.code = std::move(code),
                      .message = std::move(message),
                      .pointer = std::move(pointer),
                      .file = {},
                      .place = {}});
  };
  if (request.runs.size() < kCompareRunsMin || request.runs.size() > query::kCompareRunsMax) {
    add("out_of_range",
        "compare " + std::to_string(kCompareRunsMin) + " to " +
            std::to_string(query::kCompareRunsMax) + " runs",
        "/runs");
  }
  for (std::size_t i = 0; i < request.runs.size(); ++i) {
    if (utf16_length(request.runs[i]) <= static_cast<std::size_t>(kNameMax)) continue;
    add("too_long", "at most " + std::to_string(kNameMax) + " characters",
        "/runs/" + std::to_string(i));
  }
  return issues;
}

query::SearchOptions search_options(const Arguments& arguments) {
  return {.cohort = arguments.text("cohort"),
          .cursor = arguments.text("cursor"),
          .offset = 0,
          .limit = arguments.integer("limit")};
}

Answer search(const Resolver& resolver, const Arguments& arguments) {
  return to_answer(resolver.search(arguments.text("q"), search_options(arguments)));
}

Answer resolve(const Resolver& resolver, const Arguments& arguments) {
  const auto request = read_body<query::KernelRequest>(arguments.body());
  if (!request) return std::unexpected(http::problem_of(request.error()));
  if (const Issues issues = faults_of(*request); !issues.empty()) {
    return std::unexpected(http::problem_of(issues));
  }
  return to_answer(resolver.resolve(*request, search_options(arguments)));
}

Answer resolve_batch(const Resolver& resolver, const Arguments& arguments) {
  const auto requests = read_body<query::KernelRequests>(arguments.body());
  if (!requests) return std::unexpected(http::problem_of(requests.error()));
  if (const Issues issues = faults_of(*requests); !issues.empty()) {
    return std::unexpected(http::problem_of(issues));
  }
  return to_answer(resolver.resolve(*requests, {.limit = arguments.integer("limit")}));
}

Answer runs(const Resolver& resolver, const Arguments& arguments) {
  return to_answer(resolver.runs({.operation = arguments.text("operation"),
                                  .hardware = arguments.text("hardware"),
                                  .source = arguments.text("source"),
                                  .status = arguments.text("status"),
                                  .since = arguments.text("since"),
                                  .cursor = arguments.text("cursor"),
                                  .limit = arguments.integer("limit")}));
}

Answer run(const Resolver& resolver, const Arguments& arguments) {
  return to_answer(resolver.run(arguments.text("idOrDigest")));
}

Answer operations(const Resolver& resolver, const Arguments& arguments) {
  return to_answer(resolver.operations({.family = arguments.text("family"),
                                        .tag = arguments.text("tag"),
                                        .words = arguments.text("q")}));
}

Answer operation(const Resolver& resolver, const Arguments& arguments) {
  return to_answer(resolver.operation(
      arguments.text("idOrSlug"),
      {.workload = arguments.text("workload"), .cohort = arguments.text("cohort")}));
}

Answer implementation(const Resolver& resolver, const Arguments& arguments) {
  return to_answer(
      resolver.implementation(arguments.text("idOrSlug"), arguments.text("include") == "source"));
}

Answer records(const Resolver& resolver, const Arguments& arguments) {
  return to_answer(
      resolver.records({.cursor = arguments.text("cursor"), .limit = arguments.integer("limit")}));
}

Answer project(const Resolver& resolver, const Arguments& arguments) {
  return to_answer(resolver.project(arguments.text("slug"), {.cursor = arguments.text("cursor"),
                                                             .limit = arguments.integer("limit")}));
}

Answer hardware(const Resolver& resolver, const Arguments&) {
  return to_answer(resolver.hardware_list());
}

Answer models(const Resolver& resolver, const Arguments&) { return to_answer(resolver.models()); }

Answer model(const Resolver& resolver, const Arguments& arguments) {
  return to_answer(resolver.model(arguments.text("slug"), arguments.text("gpu")));
}

Answer coverage(const Resolver& resolver, const Arguments&) {
  return to_answer(resolver.coverage());
}

Answer sources(const Resolver& resolver, const Arguments&) { return to_answer(resolver.sources()); }

Answer feed(const Resolver& resolver, const Arguments& arguments) {
  return to_answer(
      resolver.feed({.since = arguments.text("since"), .cursor = arguments.text("cursor")}));
}

Answer compare(const Resolver& resolver, const Arguments& arguments) {
  const auto request = read_body<CompareRequest>(arguments.body());
  if (!request) return std::unexpected(http::problem_of(request.error()));
  if (const Issues issues = faults_of(*request); !issues.empty()) {
    return std::unexpected(http::problem_of(issues));
  }
  return to_answer(resolver.compare(request->runs));
}

Answer health(const Resolver& resolver, const Arguments&) {
  const auto counts = resolver.counts();
  Health health{.status = "ok", .counts = {}};
  if (counts) health.counts = *counts;
  if (!counts && counts.error().where == query::kCatalogGone) {
    return std::unexpected(http::problem_of(counts.error()));
  }
  return json::to_json(health);
}

// Whatever is wrong with the catalog, it is not the request: 503 also where it is damaged.
http::Problem not_ready(const Error& error) {
  if (error.where == query::kCatalogGone) return http::problem_of(error);
  http::Problem problem = http::make_problem(503, "NOT_READY", "the catalog does not answer");
  problem.log_detail = to_string(error);
  return problem;
}

Answer readiness(const Resolver& resolver, const Arguments&) {
  auto version = resolver.version();  // reads the index of operations where it has changed
  if (!version) return std::unexpected(not_ready(version.error()));
  const auto counts = resolver.counts();  // touches every table that answers rest on
  if (!counts) return std::unexpected(not_ready(counts.error()));
  return json::to_json(Readiness{.status = "ready", .version = std::move(*version)});
}

constexpr std::array kRoutes = {
    Route{.id = "search",
          .pattern = "/search",
          .doc = "Which implementation is fastest for a workload, and why",
          .parameters = kSearch,
          .answer = schema_of<query::Envelope>,
          .handler = search},
    Route{.id = "resolveKernel",
          .method = Method::post,
          .pattern = "/resolve/kernel",
          .doc = "The same for a request as structure",
          .parameters = kResolve,
          .cache = Cache::none,
          .body = schema_of<query::KernelRequest>,
          .answer = schema_of<query::Envelope>,
          .handler = resolve},
    Route{.id = "resolveKernels",
          .method = Method::post,
          .pattern = "/resolve/kernel/batch",
          .doc = "1 to 100 such requests, answered from one state of the catalog",
          .parameters = kResolveBatch,
          .cache = Cache::none,
          .body = schema_of<query::KernelRequests>,
          .answer = schema_of<query::Envelopes>,
          .handler = resolve_batch,
          .is_costly = true},
    Route{.id = "listRuns",
          .pattern = "/runs",
          .doc = "Runs, newest observation first",
          .parameters = kRuns,
          .answer = schema_of<query::RunsPage>,
          .handler = runs},
    Route{.id = "getRun",
          .pattern = "/runs/{idOrDigest}",
          .doc = "Everything known about one run",
          .parameters = kRun,
          .cache = Cache::moderate,
          .answer = schema_of<query::RunDossier>,
          .handler = run},
    Route{.id = "listOperations",
          .pattern = "/operations",
          .doc = "Operations, most runs first",
          .parameters = kOperations,
          .cache = Cache::moderate,
          .answer = schema_of<query::OperationsList>,
          .handler = operations},
    Route{.id = "getOperation",
          .pattern = "/operations/{idOrSlug}",
          .doc = "One operation: semantics, workloads, the ranked cohort",
          .parameters = kOperation,
          .cache = Cache::moderate,
          .answer = schema_of<query::OperationDossier>,
          .handler = operation},
    Route{.id = "getImplementation",
          .pattern = "/implementations/{idOrSlug}",
          .doc = "One implementation: how to use it and where it stands",
          .parameters = kImplementation,
          .cache = Cache::moderate,
          .answer = schema_of<query::ImplementationDossier>,
          .handler = implementation},
    Route{.id = "listRecords",
          .pattern = "/records",
          .doc = "The best run of each comparison group, last published first",
          .parameters = kRecords,
          .answer = schema_of<query::RecordsPage>,
          .handler = records},
    Route{.id = "getProject",
          .pattern = "/projects/{slug}",
          .doc = "One project: its implementations and the records they hold",
          .parameters = kProject,
          .cache = Cache::moderate,
          .answer = schema_of<query::ProjectDossier>,
          .handler = project},
    Route{.id = "listHardware",
          .pattern = "/hardware",
          .doc = "Products that were measured on, most runs first",
          .cache = Cache::moderate,
          .answer = schema_of<query::HardwareList>,
          .handler = hardware},
    Route{.id = "listModels",
          .pattern = "/models",
          .doc = "Models that operations or results of serving belong to",
          .cache = Cache::moderate,
          .answer = schema_of<query::ModelsList>,
          .handler = models},
    Route{.id = "getModel",
          .pattern = "/models/{slug}",
          .doc = "One model: the best of each of its operations on a product, and the gaps",
          .parameters = kModel,
          .cache = Cache::moderate,
          .answer = schema_of<query::ModelDossier>,
          .handler = model},
    Route{.id = "getCoverage",
          .pattern = "/coverage",
          .doc = "What came from which source, and chosen families on chosen products",
          .cache = Cache::moderate,
          .answer = schema_of<query::CoverageReport>,
          .handler = coverage},
    Route{.id = "listSources",
          .pattern = "/sources",
          .doc = "Sources with what came from each and how fresh it is",
          .cache = Cache::moderate,
          .answer = schema_of<query::SourcesList>,
          .handler = sources},
    Route{.id = "getFeed",
          .pattern = "/feed",
          .doc = "Records taken, imports and corrections, newest first, by day",
          .parameters = kFeed,
          .answer = schema_of<query::Feed>,
          .handler = feed},
    Route{.id = "compareRuns",
          .method = Method::post,
          .pattern = "/compare",
          .doc = "Two to eight runs side by side; no winner across comparison groups",
          .cache = Cache::none,
          .body = schema_of<CompareRequest>,
          .answer = schema_of<query::Comparison>,
          .handler = compare,
          .is_costly = true},
    Route{.id = "me",
          .pattern = "/me",
          .doc = "The API key that asks: scopes and what is left of its quota",
          .cache = Cache::no_store,
          .answer = schema_of<Me>,
          .keyed = me,
          .scope = ""},
    Route{.id = "health",
          .pattern = "/healthz",
          .doc = "Whether the server lives, and what its catalog holds",
          .cache = Cache::no_store,
          .answer = schema_of<Health>,
          .handler = health,
          .is_probe = true},
    Route{.id = "readiness",
          .pattern = "/readyz",
          .doc = "Whether the catalog opens and answers",
          .cache = Cache::no_store,
          .answer = schema_of<Readiness>,
          .handler = readiness,
          .is_probe = true},
};

// The request as its answer depends on it: path and parameters, as decoded. Sizes keep a value with
// a line break apart from two parameters.
std::string key_of(const http::Request& request) {
  std::string key = request.path;
  for (const auto& [name, value] : request.parameters) {
    key += '\n' + std::to_string(name.size()) + ':' + std::to_string(value.size()) + ':' + name +
           '=' + value;
  }
  return key;
}

http::Outcome respond(const Route& route, const Rendered& rendered) {
  http::Response response = http::json_response(200, rendered.json, route.cache);
  response.tag = rendered.tag;
  return response;
}

bool may_be_kept(const Route& route) {
  return route.method == Method::get && route.cache != Cache::no_store;
}

// While it lives, answers are built at the state of the catalog.
class Held {
 public:
  Held(StateClock* clock, std::string_view version, Instant now) : clock_(clock) {
    if (clock_ != nullptr) clock_->hold(version, now);
  }
  ~Held() {
    if (clock_ != nullptr) clock_->release();
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  StateClock* clock_;
};

http::Outcome answered(const Route& route, const Serving& serving, const http::Request& request,
                       const http::Captures& captures, const Caller& caller) {
  // A probe may carry what its monitor adds against caches; it asks the same all the same.
  const auto arguments = route.is_probe ? std::expected<Arguments, Issues>()
                                        : check(route.parameters, captures, request);
  if (!arguments) return std::unexpected(http::problem_of(arguments.error()));
  const bool kept = may_be_kept(route);
  const Instant now = serving.clock->now();
  std::string version;
  std::string key;
  if (kept) {
    auto current = serving.resolver->version();
    if (!current) return std::unexpected(http::problem_of(current.error()));
    version = std::move(*current);
    key = key_of(request);
    if (const auto found = serving.cache->find(version, key, now)) return respond(route, *found);
  }
  const Held held(kept ? serving.state_clock.get() : nullptr, version, now);
  Answer answer = caller && route.keyed != nullptr
                      ? route.keyed(*serving.resolver, *arguments, *caller)
                      : route.handler(*serving.resolver, *arguments);
  if (!answer) return std::unexpected(std::move(answer.error()));
  std::string tag = route.method == Method::get ? http::strong_tag(*answer) : std::string();
  const auto rendered =
      std::make_shared<const Rendered>(Rendered{.json = std::move(*answer), .tag = std::move(tag)});
  if (kept) serving.cache->keep(version, std::move(key), rendered, now);
  return respond(route, *rendered);
}

// What was answered to a key is for whoever has it; no cache between may keep it.
void make_personal(http::Response& response, const auth::Admission& by) {
  response.log_key = by.key.prefix;
  switch (response.cache) {
    case Cache::brief:
    case Cache::moderate:
    case Cache::immutable:
      response.cache = Cache::personal;
      break;
    case Cache::none:
    case Cache::personal:
    case Cache::no_store:
      response.cache = Cache::no_store;
      break;
  }
}

http::RouteHandler serve(const Route& route, const Serving& serving) {
  return [&route, serving](const http::Request& request,
                           const http::Captures& captures) -> http::Outcome {
    if (route.is_probe) return answered(route, serving, request, captures, Caller());
    auto caller = admit(route, serving, request);
    if (!caller) return std::move(caller.error());
    http::Outcome outcome = answered(route, serving, request, captures, *caller);
    if (outcome && *caller) make_personal(*outcome, **caller);
    return outcome;
  };
}

}  // namespace

std::span<const Route> routes() { return kRoutes; }

void add_routes(http::Router& router, const Serving& serving) {
  const auto add = [&](const Route& route, std::string pattern) {
    router.add({.method = route.method,
                .pattern = std::move(pattern),
                .handler = serve(route, serving),
                .name = std::string(route.id),
                .is_costly = route.is_costly});
  };
  for (const Route& route : kRoutes) {
    add(route, std::string(kBase) + std::string(route.pattern));
    if (route.is_probe) add(route, std::string(route.pattern));
  }
  const auto add_document = [&](std::string pattern, const std::string& text) {
    const auto document = std::make_shared<const std::string>(text);
    router.add({.method = Method::get,
                .pattern = std::move(pattern),
                .handler = [document](const http::Request&, const http::Captures&) {
                  return http::json_response(200, *document, Cache::moderate);
                }});
  };
  add_document(std::string(kBase), route_index());
  add_document(std::string(kBase) + "/", route_index());
  add_document(std::string(kBase) + "/openapi.json", openapi_document());
  add_document("/openapi.json", openapi_document());
  if (serving.metrics) add_metrics(router, serving);
}

}  // namespace ki::api
