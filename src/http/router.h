// From method and path to a handler. One router is built per worker at start and only read after.
#pragma once

#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "http/problem.h"

namespace ki::http {

// Values of a pattern's {names} in order of appearance.
using Captures = std::vector<std::string>;

// A handler answers, or says what is wrong and leaves its form to the surface.
using Outcome = std::expected<Response, Problem>;
using RouteHandler = std::function<Outcome(const Request&, const Captures&)>;

struct Route {
  Method method = Method::get;  // get (which also serves HEAD) or post
  std::string pattern;          // "/api/v1/runs/{run}": literal segments and whole-segment names
  RouteHandler handler;
  std::string name = {};   // in metrics and logs; "" = the pattern
  bool is_costly = false;  // so much work that only few at once are let in
  bool takes_body = true;  // of a POST; without one a request needs no content type
};

// Turns a failure into the answer of the surface it happened on: a problem document or a page.
using FailureHandler = std::function<Response(const Request&, const Problem&)>;

class Router {
 public:
  explicit Router(FailureHandler on_failure) : on_failure_(std::move(on_failure)) {}

  // A literal segment wins over a name. Requires patterns of one method to differ.
  void add(Route route);

  // Finds the route and calls it. GET serves HEAD; OPTIONS is answered 204 with Allow and, for a
  // CORS preflight, what it asks for; a known path with another method is 405 with Allow, an
  // unknown path 404; POST without a JSON content type, or with a coded body, is 415, unless the
  // route takes no body and none came.
  Response dispatch(const Request& request) const;

  // The answer to "OPTIONS *" (RFC 9110, section 9.3.7): every method that some address takes.
  Response dispatch_to_all() const;

  // Whether the route that takes it is costly.
  bool is_costly(const Request& request) const;

  // What Response::route counts in: [0] is "none", for requests that no route took.
  std::vector<std::string> names() const;
  std::string_view name(std::size_t route) const;

  // The answer of this request's surface to a failure found outside the routes. Sets the id.
  Response failure(const Request& request, Problem problem) const;

 private:
  struct Entry {
    Method method;
    std::vector<std::string> segments;  // "{name}" stands for any one segment
    RouteHandler handler;
    std::string name;
    bool is_costly;
    bool takes_body;
  };
  const Entry* find(const Request& request, Method method, Captures& captures) const;
  std::string allowed(const Request& request) const;

  FailureHandler on_failure_;
  std::vector<Entry> entries_;
};

// Whether `content_type` is application/json, with or without parameters.
bool is_json_type(std::string_view content_type);

}  // namespace ki::http
