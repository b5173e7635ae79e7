// How the routes of the table are served: arguments checked, answers kept while the catalog is the
// same, callers with keys admitted.
#include <algorithm>

#include "api/keyed.h"
#include "api/metrics.h"
#include "api/openapi.h"
#include "api/routes.h"
#include "http/etag.h"
#include "http/target.h"
#include "json/value.h"
#include "query/codes.h"

namespace ki::api {
namespace {

using http::Cache;
using http::Method;

// The address of the next page, as the header Link says it (RFC 8288).
std::string link_to(const http::Request& request, const std::string& cursor) {
  std::vector<http::Parameter> parameters = request.parameters;
  std::erase_if(parameters, [](const auto& parameter) { return parameter.first == "cursor"; });
  parameters.emplace_back("cursor", cursor);
  return '<' + request.path + http::query_string(parameters) + ">; rel=\"next\"";
}

http::Response response_of(const Route& route, Content&& answer, const http::Request& request) {
  http::Response response = http::json_response(route.status, std::move(answer.json), route.cache);
  if (route.method == Method::get) response.tag = http::strong_tag(response.body);
  if (answer.next_cursor) {
    response.headers.push_back({"Link", link_to(request, *answer.next_cursor)});
  }
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

// Where the value is that a handler refused: the parameter, when one alone can be meant, else the
// query or the body as a whole.
std::string place_of(const http::Problem& problem, const Route& route,
                     const http::Request& request) {
  const auto pointer = [](std::string_view in, std::string_view name) {
    std::string out(in);
    json::append_pointer(out, name);
    return out;
  };
  if (problem.code == query::kInvalidCursor) return pointer("/query", "cursor");
  if (route.body != nullptr) return "";
  std::vector<std::string_view> meant;
  for (const auto& [name, value] : request.parameters) {
    if (name != "limit" && name != "cursor" && name != "fields") meant.push_back(name);
  }
  if (meant.size() == 1) return pointer("/query", meant.front());
  const auto in_path = std::ranges::find(route.parameters, In::path, &Parameter::in);
  if (meant.empty() && in_path != route.parameters.end()) return pointer("/path", in_path->name);
  return "/query";
}

// A request that is refused says where it is wrong, whoever refuses it.
http::Problem located(http::Problem problem, const Route& route, const http::Request& request) {
  if (problem.status != 400 || !problem.errors.empty()) return problem;
  problem.errors.push_back({.pointer = place_of(problem, route, request),
                            .code = "invalid_value",
                            .detail = problem.detail});
  return problem;
}

http::Outcome answered(const Route& route, const Serving& serving, const http::Request& request,
                       const http::Captures& captures, const Caller& caller) {
  // A probe may carry what its monitor adds against caches; it asks the same all the same.
  const auto arguments = route.is_probe ? std::expected<Arguments, Issues>()
                                        : check(route.parameters, captures, request);
  if (!arguments) return std::unexpected(http::problem_of(arguments.error()));
  const auto make = [&]() -> http::Outcome {
    Answer answer = caller && route.keyed != nullptr ? route.keyed(serving, *arguments, *caller)
                                                     : route.handler(*serving.resolver, *arguments);
    if (!answer) return std::unexpected(located(std::move(answer.error()), route, request));
    return response_of(route, std::move(*answer), request);
  };
  if (!may_be_kept(route)) return make();
  const auto version = serving.resolver->version();
  if (!version) return std::unexpected(http::problem_of(version.error()));
  const Instant now = serving.clock->now();
  return serving.cache->find_or_make(*version, key_of(request), now, [&] {
    const Held held(serving.state_clock.get(), *version, now);
    return make();
  });
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
    http::Outcome outcome = route.direct != nullptr
                                ? route.direct(serving)
                                : answered(route, serving, request, captures, *caller);
    if (outcome && *caller) make_personal(*outcome, **caller);
    return outcome;
  };
}

}  // namespace

void add_routes(http::Router& router, const Serving& serving) {
  const auto add = [&](const Route& route, std::string pattern) {
    router.add({.method = route.method,
                .pattern = std::move(pattern),
                .handler = serve(route, serving),
                .name = std::string(route.id),
                .is_costly = route.is_costly,
                .takes_body = route.body != nullptr});
  };
  for (const Route& route : routes()) {
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
