#include "api/routes.h"

#include <array>

#include "api/answering.h"
#include "api/contribute.h"
#include "api/exports.h"
#include "api/keyed.h"
#include "api/paged.h"
#include "api/winners.h"
#include "base/text.h"
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
constexpr std::array kRuns = {text("operation", "slug, id or digest of an operation"),
                              text("hardware", "name of a product, in any case"),
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
                              kLimit,
                              kFields};
constexpr std::array kRun = {in_path("idOrDigest", "id, or sha256:... of the manifest")};
constexpr std::array kOperations = {
    text("family", "exact family"),
    text("tag", "exact tag, such as model:llama-3"),
    text("q", "words that each stand in the slug, the name, the family or a tag", kSearchTextMax),
    kCursor,
    kPageRows,
    kFields};
constexpr std::array kOperation = {
    in_path("idOrSlug", "slug, id or digest"),
    text("workload", "id or digest of a workload instead of the one with most evidence"), kRanked};
constexpr std::array kImplementation = {in_path("idOrSlug", "slug, id or digest"),
                                        Parameter{.name = "include",
                                                  .type = ParameterType::choice,
                                                  .doc = "source: with the kernel's source code",
                                                  .choices = kIncludes}};
constexpr std::array kRecords = {kCursor, kLimit, kFields};
constexpr std::array kList = {kCursor, kPageRows, kFields};
constexpr std::array kProject = {in_path("slug", "slug of a project"), kCursor, kLimit};
constexpr std::array kModel = {
    in_path("slug", "the name behind model: in the tags of operations"),
    text("gpu",
         "product to show instead of the one with most runs; notApplied says when it is none")};
constexpr std::array kFeed = {
    Parameter{.name = "since",
              .type = ParameterType::instant,
              .doc = "entries after this instant instead of those of the last 30 days"},
    kCursor, kPageRows, kFields};
static_assert(query::kFeedDays == 30);
constexpr std::array kResolveServing = {
    Parameter{.name = "cursor",
              .type = ParameterType::cursor,
              .doc = "nextCursor of the page before, with the same request, while the catalog is "
                     "the same",
              .maximum = query::kCursorBytesMax},
    Parameter{.name = "limit",
              .type = ParameterType::integer,
              .doc = "groups in this page",
              .minimum = 1,
              .maximum = query::kServingGroupsMax,
              .initial = "100"}};
constexpr std::array kServingRuns = {text("model", "slug of a model"),
                                     text("workload", "slug of a workload"),
                                     text("hardware", "a part of the product name, in any case"),
                                     kCursor,
                                     kLimit,
                                     kFields};
constexpr std::array kServingRun = {in_path("id", "id, or sha256:... of the manifest")};
constexpr std::array kServingConfigurations = {
    text("after", "id of the last configuration of the page before"),
    Parameter{.name = "limit",
              .type = ParameterType::integer,
              .doc = "entries in this page",
              .minimum = 1,
              .maximum = query::kConfigurationsMax,
              .initial = "500"}};

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
  return to_list(arguments, [&] {
    return resolver.runs({.operation = arguments.text("operation"),
                          .hardware = arguments.text("hardware"),
                          .source = arguments.text("source"),
                          .status = arguments.text("status"),
                          .since = arguments.text("since"),
                          .cursor = arguments.text("cursor"),
                          .limit = arguments.integer("limit")});
  });
}

Answer run(const Resolver& resolver, const Arguments& arguments) {
  return to_answer(resolver.run(arguments.text("idOrDigest")));
}

Answer operations(const Resolver& resolver, const Arguments& arguments) {
  const query::OperationsFilter filter{.family = arguments.text("family"),
                                       .tag = arguments.text("tag"),
                                       .words = arguments.text("q")};
  return to_pages(resolver, arguments, {"operations", filter.family, filter.tag, filter.words},
                  [&](const std::string&) { return resolver.operations(filter); });
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
  return to_list(arguments, [&] {
    return resolver.records(
        {.cursor = arguments.text("cursor"), .limit = arguments.integer("limit")});
  });
}

Answer project(const Resolver& resolver, const Arguments& arguments) {
  return to_answer(resolver.project(arguments.text("slug"), {.cursor = arguments.text("cursor"),
                                                             .limit = arguments.integer("limit")}));
}

Answer hardware(const Resolver& resolver, const Arguments& arguments) {
  return to_pages(resolver, arguments, {"hardware"},
                  [&](const std::string&) { return resolver.hardware_list(); });
}

Answer models(const Resolver& resolver, const Arguments& arguments) {
  return to_pages(resolver, arguments, {"models"},
                  [&](const std::string&) { return resolver.models(); });
}

Answer model(const Resolver& resolver, const Arguments& arguments) {
  return to_answer(resolver.model(arguments.text("slug"), arguments.text("gpu")));
}

Answer coverage(const Resolver& resolver, const Arguments&) {
  return to_answer(resolver.coverage());
}

Answer sources(const Resolver& resolver, const Arguments& arguments) {
  return to_pages(resolver, arguments, {"sources"},
                  [&](const std::string&) { return resolver.sources(); });
}

Answer feed(const Resolver& resolver, const Arguments& arguments) {
  const std::string& since = arguments.text("since");
  return to_pages(resolver, arguments, {"feed", since}, [&](const std::string& cursor) {
    return resolver.feed({.since = since, .cursor = cursor});
  });
}

Answer resolve_serving(const Resolver& resolver, const Arguments& arguments) {
  const auto request = read_body<query::ServingRequest>(arguments.body());
  if (!request) return std::unexpected(http::problem_of(request.error()));
  if (const Issues issues = faults_of(*request); !issues.empty()) {
    return std::unexpected(http::problem_of(issues));
  }
  return to_answer(resolver.resolve_serving(
      *request, {.cursor = arguments.text("cursor"), .limit = arguments.integer("limit")}));
}

Answer serving_runs(const Resolver& resolver, const Arguments& arguments) {
  return to_list(arguments, [&] {
    return resolver.serving_runs({.model = arguments.text("model"),
                                  .workload = arguments.text("workload"),
                                  .hardware = arguments.text("hardware"),
                                  .cursor = arguments.text("cursor"),
                                  .limit = arguments.integer("limit")});
  });
}

Answer serving_run(const Resolver& resolver, const Arguments& arguments) {
  return to_answer(resolver.serving_run(arguments.text("id")));
}

Answer serving_configurations(const Resolver& resolver, const Arguments& arguments) {
  return to_answer(
      resolver.serving_configurations(arguments.text("after"), arguments.integer("limit")));
}

Answer serving_overview(const Resolver& resolver, const Arguments& arguments) {
  return to_pages(resolver, arguments, {"serving"},
                  [&](const std::string&) { return resolver.serving_overview(); });
}

Answer compare(const Resolver& resolver, const Arguments& arguments) {
  const auto request = read_body<CompareRequest>(arguments.body());
  if (!request) return std::unexpected(http::problem_of(request.error()));
  if (const Issues issues = faults_of(*request); !issues.empty()) {
    return std::unexpected(http::problem_of(issues));
  }
  const auto compared = resolver.compare(request->runs);
  if (compared || compared.error().code != Code::invalid) return to_answer(compared);
  http::Problem problem = http::problem_of(compared.error());
  std::string pointer = "/runs";
  for (std::size_t i = 0; i < request->runs.size(); ++i) {  // the one that it speaks of
    if (!compared.error().message.starts_with("'" + excerpt(request->runs[i]) + "'")) continue;
    pointer += "/" + std::to_string(i);
    break;
  }
  problem.errors.push_back(
      {.pointer = std::move(pointer), .code = "invalid_value", .detail = problem.detail});
  return std::unexpected(std::move(problem));
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
    Route{.id = "resolveServing",
          .method = Method::post,
          .pattern = "/resolve/serving",
          .doc = "Which served models keep the bounds that are asked for, and how they rank",
          .parameters = kResolveServing,
          .cache = Cache::none,
          .body = schema_of<query::ServingRequest>,
          .answer = schema_of<query::ServingAnswer>,
          .handler = resolve_serving,
          .is_costly = true},
    Route{.id = "listServingRuns",
          .pattern = "/serving-runs",
          .doc = "Runs of served models, newest observation first",
          .parameters = kServingRuns,
          .cache = Cache::moderate,
          .answer = schema_of<query::ServingRunsPage>,
          .handler = serving_runs},
    Route{.id = "getServingRun",
          .pattern = "/serving-runs/{id}",
          .doc = "Everything known about one run of a served model",
          .parameters = kServingRun,
          .cache = Cache::moderate,
          .answer = schema_of<query::ServingRunDossier>,
          .handler = serving_run},
    Route{.id = "listServingConfigurations",
          .pattern = "/serving-configurations",
          .doc = "Configurations that models were served with, by stack",
          .parameters = kServingConfigurations,
          .cache = Cache::moderate,
          .answer = schema_of<std::vector<query::ServingConfigurationItem>>,
          .handler = serving_configurations},
    Route{.id = "getServingOverview",
          .pattern = "/serving",
          .doc = "Each served model under each load: how much was measured, and the best",
          .parameters = kList,
          .cache = Cache::moderate,
          .answer = schema_of<Paged<query::ServingOverview>>,
          .handler = serving_overview},
    Route{.id = "resolveTrace",
          .method = Method::post,
          .pattern = "/resolve/trace",
          .doc = "Up to 10,000 shapes of one operation: an answer for each, and totals of all",
          .parameters = kTrace,
          .cache = Cache::none,
          .body = schema_of<query::TraceRequest>,
          .answer = schema_of<query::TraceAnswer>,
          .handler = trace,
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
          .answer = schema_of<Paged<query::OperationsList>>,
          .handler = operations},
    Route{.id = "getOperation",
          .pattern = "/operations/{idOrSlug}",
          .doc = "One operation: semantics, workloads, the ranked cohort",
          .parameters = kOperation,
          .cache = Cache::moderate,
          .answer = schema_of<query::OperationDossier>,
          .handler = operation},
    Route{.id = "getWinners",
          .pattern = "/operations/{idOrSlug}/winners",
          .doc = "Who leads where, over one or two axes of an operation, and where it flips",
          .parameters = kWinners,
          .cache = Cache::moderate,
          .answer = schema_of<query::WinnerMap>,
          .handler = winners,
          .is_costly = true},
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
          .parameters = kList,
          .cache = Cache::moderate,
          .answer = schema_of<Paged<query::HardwareList>>,
          .handler = hardware},
    Route{.id = "listModels",
          .pattern = "/models",
          .doc = "Models that operations or results of serving belong to",
          .parameters = kList,
          .cache = Cache::moderate,
          .answer = schema_of<Paged<query::ModelsList>>,
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
          .parameters = kList,
          .cache = Cache::moderate,
          .answer = schema_of<Paged<query::SourcesList>>,
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
    Route{.id = "attestRun",
          .method = Method::post,
          .pattern = "/runs/{idOrDigest}/attestations",
          .doc = "Files what was found when a run was looked at again; changes no evidence",
          .parameters = kRun,
          .cache = Cache::no_store,
          .body = schema_of<AttestationRequest>,
          .answer = schema_of<Filed>,
          .keyed = attest,
          .scope = auth::kSubmit,
          .status = 201,
          .is_costly = true},
    Route{.id = "correctRun",
          .method = Method::post,
          .pattern = "/corrections",
          .doc = "Retracts, restores or supersedes a run; nothing is deleted",
          .cache = Cache::no_store,
          .body = schema_of<CorrectionRequest>,
          .answer = schema_of<Corrected>,
          .keyed = correct,
          .scope = auth::kCorrect,
          .is_costly = true},
    Route{.id = "newestExport",
          .pattern = "/exports/catalog.jsonl.zst",
          .doc = "302 to the newest export of the catalog that this server offers",
          .direct = newest_export,
          .status = 302},
    Route{.id = "revalidate",
          .method = Method::post,
          .pattern = "/revalidate",
          .doc = "Drops the answers that the server keeps, which follow the catalog without it",
          .cache = Cache::no_store,
          .answer = schema_of<Revalidated>,
          .keyed = revalidate,
          .scope = auth::kCorrect},
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

}  // namespace

std::span<const Route> routes() { return kRoutes; }

}  // namespace ki::api
