#include "http/router.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"

namespace ki::http {
namespace {

bool is_name(std::string_view segment) { return segment.starts_with('{'); }

bool matches(const std::vector<std::string>& pattern, const std::vector<std::string>& segments,
             Captures& captures) {
  captures.clear();
  if (pattern.size() != segments.size()) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (is_name(pattern[i])) {
      if (segments[i].empty()) return false;
      captures.push_back(segments[i]);
    } else if (pattern[i] != segments[i]) {
      return false;
    }
  }
  return true;
}

// For an Allow header; "" when nothing is taken.
std::string methods_text(bool get, bool post) {
  std::string methods;
  if (get) methods += "GET, HEAD, ";
  if (post) methods += "POST, ";
  return methods.empty() ? methods : methods + "OPTIONS";
}

Response allowing(const std::string& methods) {
  return {.status = 204, .content_type = "", .body = "", .headers = {{"Allow", methods}}};
}

// What a body is sent as and we cannot read.
std::optional<Problem> unsupported(const Request& request) {
  if (!is_json_type(request.header("Content-Type"))) {
    return make_problem(415, "UNSUPPORTED_MEDIA_TYPE",
                        "send the body as JSON with Content-Type: application/json");
  }
  const std::string coding = request.header_list("Content-Encoding");
  if (coding.empty() || equals_ignoring_case(coding, "identity")) return std::nullopt;
  return make_problem(415, "UNSUPPORTED_MEDIA_TYPE", "send the body without Content-Encoding");
}

}  // namespace

void Router::add(Route route) {
  KI_CHECK(route.pattern.starts_with('/'));
  KI_CHECK(route.method == Method::get || route.method == Method::post);
  Entry entry{.method = route.method,
              .segments = {},
              .handler = std::move(route.handler),
              .name = route.name.empty() ? route.pattern : std::move(route.name),
              .is_costly = route.is_costly,
              .takes_body = route.takes_body};
  if (route.pattern != "/") {
    for (const auto part : split(std::string_view(route.pattern).substr(1), '/')) {
      entry.segments.emplace_back(part);
    }
  }
  for (const Entry& other : entries_) {
    KI_CHECK(other.method != entry.method || other.segments != entry.segments);
  }
  entries_.push_back(std::move(entry));
}

const Router::Entry* Router::find(const Request& request, Method method, Captures& captures) const {
  const Entry* best = nullptr;
  Captures found;
  for (const Entry& entry : entries_) {
    if (entry.method != method || !matches(entry.segments, request.segments, found)) continue;
    if (best != nullptr && found.size() >= captures.size()) continue;
    best = &entry;
    captures = found;
  }
  return best;
}

std::string Router::allowed(const Request& request) const {
  Captures ignored;
  return methods_text(find(request, Method::get, ignored) != nullptr,
                      find(request, Method::post, ignored) != nullptr);
}

Response Router::dispatch_to_all() const {
  const auto some = [&](Method method) {
    return std::ranges::find(entries_, method, &Entry::method) != entries_.end();
  };
  return allowing(methods_text(some(Method::get), some(Method::post)));
}

Response Router::dispatch(const Request& request) const {
  const Method method = request.method == Method::head ? Method::get : request.method;
  Captures captures;
  if (const Entry* entry = find(request, method, captures)) {
    if (method == Method::post && (entry->takes_body || !request.body.empty())) {
      if (auto problem = unsupported(request)) return failure(request, std::move(*problem));
    }
    Outcome outcome = entry->handler(request, captures);
    Response response =
        outcome ? std::move(*outcome) : failure(request, std::move(outcome.error()));
    response.route = static_cast<std::size_t>(entry - entries_.data()) + 1;
    return response;
  }
  const std::string methods = allowed(request);
  if (methods.empty()) {
    return failure(request, make_problem(404, "NOT_FOUND", "there is nothing at this address"));
  }
  if (method == Method::options) {
    Response response = allowing(methods);
    if (!request.header("Access-Control-Request-Method").empty()) {
      response.headers.push_back({"Access-Control-Allow-Methods", methods});
      response.headers.push_back(
          {"Access-Control-Allow-Headers", "Content-Type, Authorization, If-None-Match"});
      response.headers.push_back({"Access-Control-Max-Age", "86400"});
    }
    return response;
  }
  Response response =
      failure(request, make_problem(405, "METHOD_NOT_ALLOWED", "this address takes " + methods));
  response.headers.push_back({"Allow", methods});
  return response;
}

bool Router::is_costly(const Request& request) const {
  Captures ignored;
  const Entry* entry =
      find(request, request.method == Method::head ? Method::get : request.method, ignored);
  return entry != nullptr && entry->is_costly;
}

std::vector<std::string> Router::names() const {
  std::vector<std::string> names = {"none"};
  for (const Entry& entry : entries_) names.push_back(entry.name);
  return names;
}

std::string_view Router::name(std::size_t route) const {
  return route == 0 ? std::string_view("none") : entries_[route - 1].name;
}

Response Router::failure(const Request& request, Problem problem) const {
  problem.request_id = request.id;
  Response response = on_failure_(request, problem);
  response.log_detail = std::move(problem.log_detail);
  return response;
}

bool is_json_type(std::string_view content_type) {
  return equals_ignoring_case(trim(content_type.substr(0, content_type.find(';'))),
                              "application/json");
}

}  // namespace ki::http
