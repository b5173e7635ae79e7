// The routes of the JSON API as one table: dispatch, validation and the OpenAPI document read it.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/answer_cache.h"
#include "api/parameters.h"
#include "api/state_clock.h"
#include "auth/keys.h"
#include "http/metrics.h"
#include "http/problem.h"
#include "http/router.h"
#include "json/wire.h"
#include "query/resolver.h"

namespace ki::api {

// Where the routes below hang.
inline constexpr std::string_view kBase = "/api/v1";

inline constexpr std::int64_t kSearchTextMax = 500;
inline constexpr std::int64_t kNameMax = 200;
inline constexpr std::int64_t kCompareRunsMin = 2;
inline constexpr std::int64_t kBatchRowsMax = 20;  // of each group of each answer of a batch

// An answer as JSON. A list that is the whole answer has no member for the cursor of the next page:
// it goes into the header Link.
struct Content {
  Content(std::string text) : json(std::move(text)) {}  // NOLINT(google-explicit-constructor)
  std::string json;
  std::optional<std::string> next_cursor{};
};
// The answer, or the problem document instead of it.
using Answer = std::expected<Content, http::Problem>;
// Members of an answer that hold the rows of a page: lists, or objects of lists. "" is the answer
// itself.
using Rows = std::span<const std::string_view>;
using Handler = Answer (*)(const query::Resolver&, const Arguments&);
// The same for a route that needs to know whose key it was asked with; it may write.
struct Serving;
using KeyedHandler = Answer (*)(const Serving&, const Arguments&, const auth::Admission&);
// The same for an answer that is no JSON.
using DirectHandler = http::Outcome (*)(const Serving&);
using SchemaWriter = void (*)(json::Schemas&, json::Writer&);

struct Route {
  std::string_view id;  // OpenAPI operationId
  http::Method method = http::Method::get;
  std::string_view pattern;  // below kBase
  std::string_view doc;
  std::span<const Parameter> parameters = {};  // those in the path in the order of the pattern
  Rows rows = {};  // what "cursor" leads past and "fields" trims; none without these
  http::Cache cache = http::Cache::brief;
  SchemaWriter body = nullptr;  // of a POST
  SchemaWriter answer = nullptr;
  Handler handler = nullptr;
  KeyedHandler keyed = nullptr;          // instead of `handler`: then a key is required
  DirectHandler direct = nullptr;        // instead of both; `answer` is nullptr then
  std::string_view scope = auth::kRead;  // that a key must have; "" = none
  int status = 200;                      // of an answer
  bool is_costly = false;  // much work: only few at once (http::ServerOptions::costly_max)
  bool is_probe = false;   // for monitors: also at the root, and whatever the query says
};

std::span<const Route> routes();

// POST /compare.
struct CompareRequest {
  static constexpr std::string_view kWireName = "CompareRequest";
  std::vector<std::string> runs;
  template <class V>
  static void describe(V& v) {
    v.field("runs", &CompareRequest::runs, "two to eight ids or digests of runs");
  }
};

// GET /healthz: the server lives. A catalog that cannot be read is no reason to start it again;
// one whose file is gone is for somebody to put back: 503 CATALOG_GONE.
struct Health {
  static constexpr std::string_view kWireName = "Health";
  std::string status;
  std::optional<query::CatalogCounts> counts;
  template <class V>
  static void describe(V& v) {
    v.field("status", &Health::status, "ok");
    v.field("counts", &Health::counts, "what the catalog holds; null when it cannot be read");
  }
};

// GET /readyz: the catalog opens and answers. Otherwise 503 NOT_READY.
struct Readiness {
  static constexpr std::string_view kWireName = "Readiness";
  std::string status;
  std::string version;
  template <class V>
  static void describe(V& v) {
    v.field("status", &Readiness::status, "ready");
    v.field("version", &Readiness::version,
            "of the catalog: changes with each publication; empty before the first");
  }
};

// What the routes answer from. The resolver is only used on the thread that dispatches; the cache
// may be shared by all of them.
struct Serving {
  std::shared_ptr<const query::Resolver> resolver;
  std::shared_ptr<AnswerCache> cache;
  std::string database;  // path of the catalog, for what writes to it
  std::string exports;   // folder of exports that are offered; "" = none
  const Clock* clock = nullptr;
  std::shared_ptr<StateClock> state_clock = nullptr;       // the resolver's clock, if it is one
  std::shared_ptr<auth::Gate> gate = nullptr;              // nullptr: keys are not supported
  std::shared_ptr<const http::Metrics> metrics = nullptr;  // GET /metrics; nullptr: no such route
};

// Adds every route and GET /openapi.json beside them; that one and the probes at the root too,
// where monitors look.
void add_routes(http::Router& router, const Serving& serving);

}  // namespace ki::api
