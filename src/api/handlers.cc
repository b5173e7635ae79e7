#include "api/handlers.h"

#include "api/answering.h"
#include "api/paged.h"
#include "api/route_parameters.h"
#include "api/trim.h"
#include "base/text.h"
#include "query/codes.h"

namespace ki::api {

using query::Resolver;

namespace {

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

// Clients of the public index know two corrections, and would take a third for one of them.
void leave_out_restored(query::Feed& page) {
  const auto is_restored = [](const query::FeedEntry& entry) {
    const auto* correction = std::get_if<query::CorrectionEntry>(&entry);
    return correction != nullptr && correction->action == "restored";
  };
  for (query::FeedDay& day : page.days) std::erase_if(day.entries, is_restored);
}

// Whatever is wrong with the catalog, it is not the request: 503 also where it is damaged.
http::Problem not_ready(const Error& error) {
  if (error.where == query::kCatalogGone) return http::problem_of(error);
  http::Problem problem = http::make_problem(503, "NOT_READY", "the catalog does not answer");
  problem.log_detail = to_string(error);
  return problem;
}

}  // namespace

Answer search(const Resolver& resolver, const Arguments& arguments) {
  return to_list(arguments, kAnswerRows,
                 [&] { return resolver.search(arguments.text("q"), search_options(arguments)); });
}

Answer resolve(const Resolver& resolver, const Arguments& arguments) {
  const auto request = read_body<query::KernelRequest>(arguments.body());
  if (!request) return std::unexpected(http::problem_of(request.error()));
  if (const Issues issues = faults_of(*request); !issues.empty()) {
    return std::unexpected(http::problem_of(issues));
  }
  return to_list(arguments, kAnswerRows,
                 [&] { return resolver.resolve(*request, search_options(arguments)); });
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
  return to_list(arguments, kRunRows, [&] {
    return resolver.runs({.operation = arguments.text("operation"),
                          .hardware = arguments.text("hardware"),
                          .source = arguments.text("source"),
                          .status = arguments.text("status"),
                          .trust = arguments.text("trust"),
                          .since = arguments.text("since"),
                          .cursor = arguments.text("cursor"),
                          .limit = arguments.integer("limit")});
  });
}

Answer run(const Resolver& resolver, const Arguments& arguments) {
  return to_answer(resolver.run(arguments.text("idOrDigest")));
}

Answer samples(const Resolver& resolver, const Arguments& arguments) {
  return to_answer(resolver.samples(arguments.text("idOrDigest")));
}

Answer operations(const Resolver& resolver, const Arguments& arguments) {
  const query::OperationsFilter filter{.family = arguments.text("family"),
                                       .tag = arguments.text("tag"),
                                       .words = arguments.text("q")};
  return to_pages(
      resolver, arguments,
      {.scope = {"operations", filter.family, filter.tag, filter.words}, .rows = kOperationRows},
      [&](const std::string&) { return resolver.operations(filter); });
}

Answer operation(const Resolver& resolver, const Arguments& arguments) {
  const std::string& name = arguments.text("idOrSlug");
  const query::OperationOptions options{.workload = arguments.text("workload"),
                                        .cohort = arguments.text("cohort")};
  return to_pages(
      resolver, arguments,
      {.scope = {"operation", name, options.workload, options.cohort}, .rows = kOperationLists},
      [&](const std::string&) { return resolver.operation(name, options); });
}

Answer implementation(const Resolver& resolver, const Arguments& arguments) {
  const std::string& name = arguments.text("idOrSlug");
  const bool with_source = arguments.text("include") == "source";
  return to_pages(resolver, arguments,
                  {.scope = {"implementation", name}, .rows = kImplementationLists},
                  [&](const std::string&) { return resolver.implementation(name, with_source); });
}

Answer record(const Resolver& resolver, const Arguments& arguments) {
  const std::string& key = arguments.text("cohortKey");
  return to_pages(resolver, arguments, {.scope = {"record", key}, .rows = kRecordLists},
                  [&](const std::string&) { return resolver.record(key); });
}

// Its records, which have a cursor of their own, and its implementations go side by side.
Answer project(const Resolver& resolver, const Arguments& arguments) {
  const std::string& slug = arguments.text("slug");
  return to_pages_beside(
      resolver, arguments, {.scope = {"project", slug}, .rows = kProjectLists},
      [&](const std::string& cursor, std::int64_t limit) {
        return resolver.project(
            slug, {.cursor = cursor, .limit = limit, .history = arguments.integer("history")});
      });
}

Answer hardware(const Resolver& resolver, const Arguments& arguments) {
  return to_pages(resolver, arguments, {.scope = {"hardware"}, .rows = kHardwareRows},
                  [&](const std::string&) { return resolver.hardware_list(); });
}

Answer models(const Resolver& resolver, const Arguments& arguments) {
  return to_pages(resolver, arguments, {.scope = {"models"}, .rows = kModelRows},
                  [&](const std::string&) { return resolver.models(); });
}

Answer model(const Resolver& resolver, const Arguments& arguments) {
  const std::string& slug = arguments.text("slug");
  const std::string& gpu = arguments.text("gpu");
  return to_pages(resolver, arguments, {.scope = {"model", slug, gpu}, .rows = kModelLists},
                  [&](const std::string&) { return resolver.model(slug, gpu); });
}

Answer coverage(const Resolver& resolver, const Arguments&) {
  return to_answer(resolver.coverage());
}

Answer sources(const Resolver& resolver, const Arguments& arguments) {
  return to_pages(resolver, arguments, {.scope = {"sources"}, .rows = kSourceRows},
                  [&](const std::string&) { return resolver.sources(); });
}

Answer feed(const Resolver& resolver, const Arguments& arguments) {
  const std::string& since = arguments.text("since");
  const std::string& include = arguments.text("include");
  return to_pages(resolver, arguments, {.scope = {"feed", since, include}, .rows = kFeedRows},
                  [&](const std::string& cursor) {
                    auto page = resolver.feed({.since = since, .cursor = cursor});
                    if (page && include.empty()) leave_out_restored(*page);
                    return page;
                  });
}

Answer resolve_serving(const Resolver& resolver, const Arguments& arguments) {
  const auto request = read_body<query::ServingRequest>(arguments.body());
  if (!request) return std::unexpected(http::problem_of(request.error()));
  if (const Issues issues = faults_of(*request); !issues.empty()) {
    return std::unexpected(http::problem_of(issues));
  }
  return to_list(arguments, kServingRows, [&] {
    return resolver.resolve_serving(
        *request, {.cursor = arguments.text("cursor"), .limit = arguments.integer("limit")});
  });
}

Answer serving_runs(const Resolver& resolver, const Arguments& arguments) {
  return to_list(arguments, kRunRows, [&] {
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
  return to_linked_pages(resolver, arguments,
                         {.scope = {"serving-configurations"}, .rows = kWholeAnswer},
                         [&](const std::string& after, std::int64_t limit) {
                           return resolver.serving_configurations(after, limit);
                         });
}

Answer serving_overview(const Resolver& resolver, const Arguments& arguments) {
  return to_pages(resolver, arguments, {.scope = {"serving"}, .rows = kPairRows},
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

Answer readiness(const Resolver& resolver, const Arguments&) {
  auto version = resolver.version();  // reads the index of operations where it has changed
  if (!version) return std::unexpected(not_ready(version.error()));
  const auto counts = resolver.counts();  // touches every table that answers rest on
  if (!counts) return std::unexpected(not_ready(counts.error()));
  return json::to_json(Readiness{.status = "ready", .version = std::move(*version)});
}

}  // namespace ki::api
