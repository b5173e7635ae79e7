// Which page answers which address: parameters in, read model, page out.

#include <algorithm>

#include "http/etag.h"
#include "policy/serving_policy.h"
#include "query/codes.h"
#include "web/assets.h"
#include "web/page_request.h"
#include "web/pages/pages.h"
#include "web/pictures.h"
#include "web/site.h"

namespace ki::web {
namespace {

using http::Captures;
using http::Method;
using http::Outcome;
using http::Request;

constexpr std::string_view kEver = "1970-01-01T00:00:00Z";

// Of pages that go by offset alone.
std::expected<std::int64_t, http::Problem> page_offset_of(const Request& request) {
  if (!text_of(request, "cursor").empty()) {
    return std::unexpected(http::make_problem(400, query::kInvalidCursor,
                                              "this page goes by offset and takes no cursor"));
  }
  return offset_of(request);
}

struct ServingAsked {
  ServingView view;
  query::ServingRequest request;
};

std::optional<std::string> given_text(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

std::expected<ServingAsked, http::Problem> serving_request_of(const Request& request) {
  ServingAsked out;
  ServingView& view = out.view;
  view = {.model = text_of(request, "model"),
          .workload = text_of(request, "workload"),
          .hardware = text_of(request, "hardware"),
          .objective = text_of(request, "objective"),
          .ttft_ms = text_of(request, "ttft_ms"),
          .tpot_ms = text_of(request, "tpot_ms")};
  query::ServingRequest& wanted = out.request;
  wanted.model = given_text(view.model);
  wanted.workload = given_text(view.workload);
  if (!view.hardware.empty()) wanted.hardware = query::ServingHardwareAsked{.model = view.hardware};
  if (const auto metric = policy::find_serving_metric(view.objective)) {
    using query::ServingDirection;
    wanted.objective = query::ServingObjectiveAsked{
        .direction = metric->direction == policy::Direction::higher ? ServingDirection::maximize
                                                                    : ServingDirection::minimize,
        .metric = view.objective};
  } else if (!view.objective.empty()) {
    return std::unexpected(http::make_problem(400, "INVALID_REQUEST",
                                              "objective is a metric of the list in the form"));
  }
  for (const std::string_view metric : {"ttft_ms", "tpot_ms"}) {
    const auto bound = bound_of(request, metric);
    if (!bound) return std::unexpected(bound.error());
    if (*bound == 0) continue;
    if (!wanted.constraints) wanted.constraints.emplace();
    wanted.constraints->push_back(
        {.metric = std::string(metric), .op = query::ServingOperator::at_most, .value = *bound});
  }
  if (const Issues issues = faults_of(wanted); !issues.empty()) {
    return std::unexpected(http::problem_of(issues));
  }
  return out;
}

std::expected<query::RecordsFilter, http::Problem> records_filter_of(const Request& request) {
  const auto refused = [](const char* detail) {
    return std::unexpected(http::make_problem(400, "INVALID_REQUEST", detail));
  };
  const std::string with = text_of(request, "with");
  if (!with.empty() && with != "source") return refused("with is source");
  const std::string trust = text_of(request, "trust");
  if (!trust.empty() &&
      std::ranges::find(query::kListedTrust, trust) == query::kListedTrust.end()) {
    return refused("trust is verified or replicated");
  }
  const std::string baselines = text_of(request, "baselines");
  if (!baselines.empty() && baselines != "hide") return refused("baselines is hide");
  const std::string sort = text_of(request, "sort");
  const auto order = query::record_order(sort.empty() ? query::kRecordOrders[0] : sort);
  if (!order) return refused("sort is published, since, gain or operation");
  return query::RecordsFilter{.words = text_of(request, "q"),
                              .hardware = text_of(request, "hardware"),
                              .with_source = !with.empty(),
                              .trust = trust,
                              .without_baselines = !baselines.empty(),
                              .order = *order,
                              .cursor = text_of(request, "cursor"),
                              .history = kRecordStepsShown};
}

class Site {
 public:
  Site(std::shared_ptr<const query::Resolver> resolver, const Clock& clock)
      : resolver_(std::move(resolver)), clock_(clock) {}

  Outcome home(const Request& request, const Captures&) const {
    const auto counts = resolver_->counts();
    if (!counts) return failed(counts.error());
    const auto records = resolver_->records({.cursor = "", .limit = kHomeRecordsRead});
    if (!records) return failed(records.error());
    const auto sources = resolver_->sources_in_brief();
    if (!sources) return failed(sources.error());
    return page(home_page(*counts, *records, *sources, context(request)), request,
                http::Cache::brief);
  }

  Outcome search(const Request& request, const Captures&) const {
    const auto offset = page_offset_of(request);
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
    const auto offset = page_offset_of(request);
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

  Outcome winners(const Request& request, const Captures& captures) const {
    const query::WinnersOptions view{.x = text_of(request, "x"),
                                     .y = text_of(request, "y"),
                                     .axes = text_of(request, "axes"),
                                     .hardware = text_of(request, "hardware"),
                                     .dtype = text_of(request, "dtype"),
                                     .pass = text_of(request, "pass"),
                                     .metric = text_of(request, "metric")};
    const auto map = resolver_->winners(captures[0], view);
    if (!map) return failed(map.error());
    return page(winners_page(*map, view, context(request)), request, http::Cache::moderate);
  }

  Outcome implementation(const Request& request, const Captures& captures) const {
    const auto dossier = resolver_->implementation(captures[0], true);
    if (!dossier) return failed(dossier.error());
    return page(implementation_page(*dossier, context(request)), request, http::Cache::moderate);
  }

  Outcome run(const Request& request, const Captures& captures) const {
    const auto dossier = resolver_->run(captures[0]);
    if (!dossier) return failed(dossier.error());
    std::optional<query::SamplesReport> samples;
    if (dossier->has_samples) {
      auto read = resolver_->samples(dossier->run.id);
      if (!read) return failed(read.error());
      samples = std::move(*read);
    }
    return page(run_page(*dossier, samples, context(request)), request, http::Cache::moderate);
  }

  Outcome records(const Request& request, const Captures&) const {
    const std::string view = text_of(request, "view");
    if (view == "broken" || view == "history") return record_changes(request, view);
    if (!view.empty() && view != "current") {
      return std::unexpected(
          http::make_problem(400, "INVALID_REQUEST", "view is current, broken or history"));
    }
    const auto filter = records_filter_of(request);
    if (!filter) return std::unexpected(filter.error());
    const auto records = resolver_->records(*filter);
    if (!records) return failed(records.error());
    const auto products = resolver_->hardware_list();
    if (!products) return failed(products.error());
    return page(records_page(*records, *filter, *products, context(request)), request,
                http::Cache::brief);
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

  Outcome feed(const Request& request, const Captures&) const {
    const auto offset = offset_of(request);
    if (!offset) return std::unexpected(offset.error());
    const auto since = instant_of(request, "since");
    if (!since) return std::unexpected(since.error());
    const FeedView view{.since = *since, .cursor = text_of(request, "cursor"), .offset = *offset};
    const auto feed = resolver_->feed({.since = view.since, .cursor = view.cursor});
    if (!feed) return failed(feed.error());
    return page(feed_page(*feed, view, context(request)), request, http::Cache::brief);
  }

  Outcome atom(const Request& request, const Captures&) const {
    const auto feed = resolver_->feed({.since = std::string(kEver), .cursor = {}});
    if (!feed) return failed(feed.error());
    return document("application/atom+xml; charset=utf-8", atom_feed(*feed, context(request)));
  }

  Outcome sitemap_xml(const Request& request, const Captures&) const {
    const auto operations = resolver_->index();
    if (!operations) return failed(operations.error());
    const auto models = resolver_->models();
    if (!models) return failed(models.error());
    const auto hardware = resolver_->hardware_list();
    if (!hardware) return failed(hardware.error());
    const auto projects = resolver_->projects();
    if (!projects) return failed(projects.error());
    return document("application/xml; charset=utf-8", sitemap({.operations = *operations,
                                                               .models = *models,
                                                               .hardware = *hardware,
                                                               .projects = *projects},
                                                              context(request)));
  }

  Outcome robots_txt(const Request& request, const Captures&) const {
    return document("text/plain; charset=utf-8", robots(context(request)));
  }

  Outcome sources(const Request& request, const Captures&) const {
    const auto report = resolver_->coverage();
    if (!report) return failed(report.error());
    const auto runners = resolver_->runners();
    if (!runners) return failed(runners.error());
    return page(sources_page(*report, *runners, context(request)), request, http::Cache::moderate);
  }

  Outcome legal(const Request& request, const Captures&) const {
    const auto list = resolver_->sources();
    if (!list) return failed(list.error());
    return page(legal_page(*list, context(request)), request, http::Cache::moderate);
  }

  Outcome docs(const Request& request, const Captures&) const {
    return page(docs_page(), request, http::Cache::moderate);
  }

  Outcome doc(const Request& request, const Captures& captures) const {
    const auto found = document_page(captures[0]);
    if (found) return page(*found, request, http::Cache::moderate);
    return std::unexpected(http::make_problem(404, "NOT_FOUND", "there is no such document"));
  }

  Outcome serving(const Request& request, const Captures&) const {
    const auto asked = serving_request_of(request);
    if (!asked) return std::unexpected(asked.error());
    const auto& [view, wanted] = *asked;
    const auto overview = resolver_->serving_overview();
    if (!overview) return failed(overview.error());
    const bool any = !parameters_of(view).empty();
    const auto answer = resolver_->resolve_serving(
        wanted, {.cursor = text_of(request, "cursor"), .limit = any ? kServingGroupsShown : 1});
    if (!answer) return failed(answer.error());
    return page(serving_page(*overview, *answer, view, context(request)), request, brief());
  }

  Outcome serving_run(const Request& request, const Captures& captures) const {
    const auto dossier = resolver_->serving_run(captures[0]);
    if (!dossier) return failed(dossier.error());
    return page(serving_run_page(*dossier, context(request)), request, http::Cache::moderate);
  }

  Outcome projects(const Request& request, const Captures&) const {
    const auto offset = page_offset_of(request);
    if (!offset) return std::unexpected(offset.error());
    const std::string sort = text_of(request, "sort");
    const auto order = query::project_order(sort.empty() ? query::kProjectOrders[0] : sort);
    if (!order) {
      return std::unexpected(
          http::make_problem(400, "INVALID_REQUEST", "sort is runs, records or name"));
    }
    const auto list = resolver_->projects(*order);
    if (!list) return failed(list.error());
    const ProjectsView view{.sort = sort.empty() ? std::string(query::kProjectOrders[0]) : sort,
                            .offset = *offset};
    return page(projects_page(*list, view, context(request)), request, http::Cache::moderate);
  }

  Outcome product(const Request& request, const Captures& captures) const {
    const auto dossier = resolver_->product(
        captures[0], {.cursor = text_of(request, "cursor"), .limit = kProductRecordsShown});
    if (!dossier) return failed(dossier.error());
    return page(product_page(*dossier, context(request)), request, http::Cache::moderate);
  }

 private:
  Outcome record_changes(const Request& request, const std::string& which) const {
    const auto offset = offset_of(request);
    if (!offset) return std::unexpected(offset.error());
    const RecordsView view{.view = which,
                           .since = which == "history" ? std::string(kEver) : std::string(),
                           .cursor = text_of(request, "cursor"),
                           .offset = *offset};
    const auto feed = resolver_->feed({.since = view.since, .cursor = view.cursor});
    if (!feed) return failed(feed.error());
    return page(record_changes_page(*feed, view, context(request)), request, brief());
  }
  static http::Cache brief() { return http::Cache::brief; }
  static Outcome failed(const Error& error) { return std::unexpected(http::problem_of(error)); }
  static Outcome document(std::string_view content_type, std::string body) {
    return http::Response{.status = 200,
                          .content_type = std::string(content_type),
                          .body = std::move(body),
                          .cache = http::Cache::moderate};
  }
  Outcome page(const Page& page, const Request& request, http::Cache cache) const {
    return http::html_response(200, render(page, context(request)), cache);
  }
  Context context(const Request& request) const {
    return {.origin = origin_of(request), .today = to_iso(clock_.now()).substr(0, 10)};
  }

  std::shared_ptr<const query::Resolver> resolver_;
  const Clock& clock_;
};

// A page is the same for all who ask for it at one origin, until the catalog changes.
template <class Make>
Outcome kept_or_made(const api::Serving& serving, const Request& request, Make make) {
  const auto version = serving.resolver->version();
  if (!version) return make();
  const Instant now = serving.clock->now();
  const std::string key = origin_of(request) + api::key_of(request);
  return serving.cache->find_or_make(*version, key, now, [&] {
    Outcome outcome = make();
    const bool kept = outcome && outcome->status == 200 && outcome->cache != http::Cache::no_store;
    if (kept) outcome->tag = http::strong_tag(outcome->body);
    return outcome;
  });
}

}  // namespace

void add_pages(http::Router& router, const api::Serving& serving) {
  const auto site = std::make_shared<const Site>(serving.resolver, *serving.clock);
  using Member = Outcome (Site::*)(const Request&, const Captures&) const;
  const auto add = [&](std::string pattern, Member member, bool is_costly = false) {
    router.add({.method = Method::get,
                .pattern = std::move(pattern),
                .handler =
                    [site, member, serving](const Request& request, const Captures& captures) {
                      return kept_or_made(serving, request,
                                          [&] { return (site.get()->*member)(request, captures); });
                    },
                .is_costly = is_costly});
  };
  add("/", &Site::home);
  add("/search", &Site::search);
  add("/operations", &Site::operations);
  add("/operations/{slug}", &Site::operation);
  add("/operations/{slug}/winners", &Site::winners, true);
  add("/implementations/{slug}", &Site::implementation);
  add("/runs/{run}", &Site::run);
  add("/records", &Site::records);
  add("/hardware", &Site::hardware);
  add("/hardware/{slug}", &Site::product);
  add("/projects", &Site::projects);
  add("/models", &Site::models);
  add("/models/{slug}", &Site::model);
  add("/projects/{slug}", &Site::project);
  add("/compare", &Site::compare);
  add("/feed", &Site::feed);
  add("/feed.xml", &Site::atom);
  add("/sources", &Site::sources);
  add("/legal", &Site::legal);
  add("/docs", &Site::docs);
  add("/docs/{name}", &Site::doc);
  add("/serving", &Site::serving);
  add("/serving/runs/{run}", &Site::serving_run);
  add("/sitemap.xml", &Site::sitemap_xml);
  add("/robots.txt", &Site::robots_txt);
  add_pictures(router, serving.resolver);
  add_assets(router);
}

}  // namespace ki::web
