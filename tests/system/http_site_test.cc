// The site and the API over a real catalog, the bundled registry, met through a real server.

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "api/routes.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "db/connection.h"
#include "import/registry.h"
#include "json/read.h"
#include "tests/support/http_client.h"
#include "web/site.h"

namespace ki::web {
namespace {

namespace fs = std::filesystem;
using tests::Answer;

class Site : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    path_ = fs::temp_directory_path() / ("ki_site_" + std::to_string(::getpid()) + ".db");
    auto catalog = catalog::Catalog::open(path_.string(), clock_, {.mode = db::Mode::create});
    ASSERT_TRUE(catalog) << to_string(catalog.error());
    auto prepared = importer::prepare_registry();
    ASSERT_TRUE(prepared) << to_string(prepared.error());
    const auto report = importer::run_import(*catalog, std::move(*prepared), clock_,
                                             {.publish = true, .actor = "test"});
    ASSERT_TRUE(report) << to_string(report.error());
    auto key = auth::create_key(
        *catalog, {.name = "site test", .scopes = {"catalog:read"}, .quota_per_day = 3}, clock_);
    ASSERT_TRUE(key) << to_string(key.error());
    token_ = key->token;
    ServeOptions options;
    options.database = path_.string();
    options.server = {.port = 0,
                      .workers = 2,
                      .log_level = http::Level::off,
                      .metrics = std::make_shared<http::Metrics>()};
    auto server = start(options, clock_);
    ASSERT_TRUE(server) << to_string(server.error());
    server_ = std::move(*server);
  }
  static void TearDownTestSuite() {
    server_.reset();
    for (const char* ending : {"", "-wal", "-shm"}) fs::remove(path_.string() + ending);
  }

  static Answer get(std::string_view target, std::string_view headers = {}) {
    return tests::get(server_->port(), target, headers);
  }
  static Answer post(std::string_view target, std::string_view body) {
    return tests::post(server_->port(), target, body);
  }
  // The PyTorch run on the RTX 3090 in the neighborhood attention cohort, as the API lists it.
  static std::string a_run_id() {
    const std::string body = get("/api/v1/runs?limit=1").body;
    const auto document = json::parse(body);
    EXPECT_TRUE(document) << body;
    return std::string(document->root.find("runs")->items()[0].find("id")->string());
  }

  static inline fs::path path_;
  static inline SystemClock clock_;
  static inline std::string token_;  // of a key with three requests a day
  static inline std::unique_ptr<http::Server> server_;
};

// Every link of a page that stays on this site.
std::set<std::string> links_of(std::string_view html) {
  std::set<std::string> links;
  constexpr std::string_view kStart = "href=\"/";
  for (auto at = html.find(kStart); at != std::string_view::npos; at = html.find(kStart, at + 1)) {
    const auto begin = at + kStart.size() - 1;
    std::string link(html.substr(begin, html.find('"', begin) - begin));
    for (auto amp = link.find("&amp;"); amp != std::string::npos; amp = link.find("&amp;")) {
      link.replace(amp, 5, "&");
    }
    links.insert(link);
  }
  return links;
}

TEST_F(Site, EveryLinkOfEveryPageLeadsSomewhere) {
  std::set<std::string> seen = {"/"};
  std::vector<std::string> left = {"/", "/search", "/records", "/compare",
                                   "/search?q=neighborhood"};
  int visited = 0;
  while (!left.empty() && visited < 400) {
    const std::string target = left.back();
    left.pop_back();
    const Answer answer = get(target);
    EXPECT_EQ(answer.status, 200) << target << "\n" << answer.body.substr(0, 2000);
    ++visited;
    const bool is_page = answer.header("Content-Type").starts_with("text/html");
    // A page is small; the description of the whole API grows with its routes.
    EXPECT_LT(answer.body.size(), (is_page ? 100U : 256U) * 1024) << target;
    if (!is_page) continue;
    for (const std::string& link : links_of(answer.body)) {
      if (seen.insert(link).second) left.push_back(link);
    }
  }
  EXPECT_GT(visited, 30);
}

TEST_F(Site, OperationsAreListedFilteredAndLinkedFromEveryPage) {
  EXPECT_NE(get("/").body.find(R"(<a href="/operations">Operations</a>)"), std::string::npos);
  const Answer all = get("/operations");
  EXPECT_NE(all.body.find("/operations/rope\""), std::string::npos);
  EXPECT_NE(all.body.find(R"(aria-current="page">Operations)"), std::string::npos);
  const Answer some = get("/operations?q=NEIGHBORHOOD");
  EXPECT_NE(some.body.find("/operations/fused-neighborhood-attention\""), std::string::npos);
  EXPECT_EQ(some.body.find("/operations/rope\""), std::string::npos);
  const std::string found = get("/api/v1/operations?q=neighborhood").body;
  const auto listed = json::parse(found);
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->root.find("operations")->items().size(), 1U);
  EXPECT_EQ(get("/operations?offset=x").status, 400);
  EXPECT_EQ(get("/operations?q=" + std::string(501, 'a')).status, 400);
}

TEST_F(Site, TheBaseOfTheApiListsItsRoutes) {
  for (const std::string_view base : {"/api/v1", "/api/v1/"}) {
    const Answer answer = get(base);
    EXPECT_EQ(answer.status, 200) << base;
    EXPECT_TRUE(answer.header("Content-Type").starts_with("application/json")) << base;
    const auto document = json::parse(answer.body);
    ASSERT_TRUE(document) << answer.body;
    EXPECT_EQ(document->root.find("routes")->items().size(), api::routes().size());
  }
}

TEST_F(Site, RanksNeighborhoodAttentionOnTheRtx3090) {
  const Answer page = get("/search?q=neighborhood%20attention%20backward%203090");
  EXPECT_EQ(page.status, 200);
  const auto liger = page.body.find("15.1 ms");
  const auto torch = page.body.find("24.1 ms");
  ASSERT_NE(liger, std::string::npos);
  ASSERT_NE(torch, std::string::npos);
  EXPECT_LT(liger, torch);
}

TEST_F(Site, ARunDossierIsFoundByIdAndByDigest) {
  const std::string id = a_run_id();
  const Answer by_id = get("/api/v1/runs/" + id);
  ASSERT_EQ(by_id.status, 200) << by_id.body;
  const auto document = json::parse(by_id.body);
  ASSERT_TRUE(document);
  const std::string digest(document->root.find("run")->find("digest")->string());
  EXPECT_EQ(get("/api/v1/runs/" + digest).body, by_id.body);
  const Answer page = get("/runs/" + digest);
  EXPECT_EQ(page.status, 200);
  for (const std::string_view section :
       {"Primary measurement", "Identity", "Correctness", "Workload", "Measurements", "Protocol",
        "Environment", "Artifacts", "Replications and notes", "Canonical manifest", "Cite"}) {
    EXPECT_NE(page.body.find(section), std::string::npos) << section;
  }
}

TEST_F(Site, AnUnchangedAnswerIsNotSentTwice) {
  for (const std::string& target :
       {std::string("/"), std::string("/api/v1/search?q=rope"), "/runs/" + a_run_id()}) {
    const std::string tag = get(target).header("ETag");
    ASSERT_FALSE(tag.empty()) << target;
    EXPECT_EQ(get(target, "If-None-Match: " + tag + "\r\n").status, 304) << target;
  }
}

// What a cache or a client holds stays good as long as the catalog: another process, an hour later,
// says the same bytes under the same strong tag.
TEST_F(Site, EqualStatesGiveEqualBytesAndStrongTags) {
  const auto serve_at = [](std::string_view instant) {
    static std::vector<std::unique_ptr<FixedClock>> clocks;
    const FixedClock& world =
        *clocks.emplace_back(std::make_unique<FixedClock>(*parse_instant(instant)));
    const auto serving = open_serving(path_.string(), world, query::make_shared_index(),
                                      std::make_shared<api::AnswerCache>());
    EXPECT_TRUE(serving);
    return make_router(*serving);
  };
  const http::Router first = serve_at("2999-01-01T10:00:00Z");
  const http::Router second = serve_at("2999-01-01T11:00:00Z");
  const http::Router tomorrow = serve_at("2999-01-02T11:00:00Z");
  for (const std::string_view target : {"/search", "/runs", "/records", "/operations"}) {
    http::Request request;
    request.segments = {"api", "v1", std::string(target.substr(1))};
    request.path = "/api/v1" + std::string(target);
    const http::Response one = first.dispatch(request);
    EXPECT_EQ(one.status, 200) << target;
    EXPECT_TRUE(one.tag.starts_with('"')) << one.tag;
    EXPECT_EQ(second.dispatch(request).body, one.body) << target;
    EXPECT_EQ(second.dispatch(request).tag, one.tag) << target;
    EXPECT_NE(tomorrow.dispatch(request).tag, one.tag) << target << ": staleness is of the day";
  }
}

TEST_F(Site, FailuresAreProblemsForProgramsAndPagesForPeople) {
  const Answer problem = get("/api/v1/runs/absent");
  EXPECT_EQ(problem.status, 404);
  EXPECT_EQ(problem.header("Content-Type"), "application/problem+json");
  EXPECT_NE(problem.body.find("\"code\":\"RUN_NOT_FOUND\""), std::string::npos) << problem.body;
  EXPECT_NE(problem.body.find(problem.header("X-Request-Id")), std::string::npos);
  const Answer page = get("/runs/absent");
  EXPECT_EQ(page.status, 404);
  EXPECT_NE(page.body.find("<h1>Not found</h1>"), std::string::npos);
  EXPECT_EQ(get("/nothing/here").status, 404);
  EXPECT_EQ(get("/search?offset=-1").status, 400);
}

TEST_F(Site, ProgramsGetProblemDocumentsForAddressesThatCannotBeRead) {
  const std::string endless(100'000, 'a');
  for (const std::string& target :
       {std::string("/api/v1/search?q=%ff"), std::string("/api/v1/search?q=%"),
        std::string("/api/v1/runs/%ff"), std::string("/healthz?x=%00%"),
        "/api/v1/search?q=" + endless}) {
    const Answer answer = get(target);
    EXPECT_GE(answer.status, 400) << target.substr(0, 40);
    EXPECT_EQ(answer.header("Content-Type"), "application/problem+json") << target.substr(0, 40);
  }
  EXPECT_TRUE(get("/search?q=%ff").header("Content-Type").starts_with("text/html"));
}

TEST_F(Site, ValidationNamesEveryPlace) {
  const Answer query = get("/api/v1/runs?limit=0&lmit=3");
  EXPECT_EQ(query.status, 400);
  EXPECT_NE(query.body.find("\"pointer\":\"/query/limit\""), std::string::npos) << query.body;
  EXPECT_NE(query.body.find("\"pointer\":\"/query/lmit\""), std::string::npos) << query.body;
  const Answer body = post("/api/v1/compare", R"({"runs":["a"],"rnus":1})");
  EXPECT_EQ(body.status, 400);
  EXPECT_NE(body.body.find("did you mean"), std::string::npos) << body.body;
  EXPECT_EQ(post("/api/v1/compare", "{").status, 400);
  EXPECT_EQ(post("/api/v1/compare", R"({"runs":["a"]})").status, 400);
  EXPECT_EQ(post("/api/v1/compare", R"({"runs":["1","2","3","4","5","6","7","8","9"]})").status,
            400);
}

TEST_F(Site, ResolvesARequestAsStructure) {
  const Answer answer = post("/api/v1/resolve/kernel?limit=1",
                             R"({"operation":{"name":"fused-neighborhood-attention"},)"
                             R"("environment":{"hardwareProduct":"RTX 3090"},)"
                             R"("policy":{"toolkitVersion":"99"}})");
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_NE(answer.body.find("\"field\":\"toolkitVersion\""), std::string::npos) << answer.body;
  const Answer wrong =
      post("/api/v1/resolve/kernel", R"({"environment":{"toolkt":"12"},"query":7})");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_NE(wrong.body.find("\"pointer\":\"/environment\""), std::string::npos) << wrong.body;
  EXPECT_NE(wrong.body.find("did you mean"), std::string::npos) << wrong.body;
  EXPECT_NE(wrong.body.find("\"pointer\":\"/query\""), std::string::npos) << wrong.body;
}

TEST_F(Site, ResolvesABatchInOrder) {
  const auto batch = [](std::size_t count) {
    std::string body = "{\"requests\":[";
    for (std::size_t i = 0; i < count; ++i) {
      body += (i == 0 ? "" : ",") + std::string(R"({"query":"rope )") + std::to_string(i) + "\"}";
    }
    return post("/api/v1/resolve/kernel/batch", body + "]}");
  };
  const Answer answer = batch(query::kBatchRequestsMax);
  ASSERT_EQ(answer.status, 200) << answer.body.substr(0, 500);
  const auto document = json::parse(answer.body, json::kBundleLimits);
  ASSERT_TRUE(document);
  const auto results = document->root.find("results")->items();
  ASSERT_EQ(results.size(), query::kBatchRequestsMax);
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].find("query")->string(), "rope " + std::to_string(i));
  }
  EXPECT_EQ(batch(0).status, 400);
  EXPECT_EQ(batch(query::kBatchRequestsMax + 1).status, 400);
  const Answer one = post("/api/v1/resolve/kernel/batch", R"({"requests":[{},{"polcy":{}}]})");
  EXPECT_EQ(one.status, 400);
  EXPECT_NE(one.body.find("\"pointer\":\"/requests/1\""), std::string::npos) << one.body;
}

TEST_F(Site, ComparesTwoRuns) {
  const std::string body = get("/api/v1/runs?limit=2").body;
  const auto document = json::parse(body);
  ASSERT_TRUE(document);
  const auto runs = document->root.find("runs")->items();
  ASSERT_EQ(runs.size(), 2U);
  const std::string first(runs[0].find("id")->string());
  const std::string second(runs[1].find("id")->string());
  const Answer answer =
      post("/api/v1/compare", "{\"runs\":[\"" + first + "\",\"" + second + "\"]}");
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(get("/compare?runs=" + first + "," + second).status, 200);
  EXPECT_EQ(get("/compare?run=" + first + "&run=" + second).status, 200);
}

TEST_F(Site, AKeyIsCheckedCountedAndKeptFromCaches) {
  const auto with = [](std::string_view target, std::string_view authorization) {
    return get(target, "Authorization: " + std::string(authorization) + "\r\n");
  };
  const auto code = [](const Answer& answer) {
    const auto document = json::parse(answer.body);
    return document ? std::string(document->root.find("code")->string()) : std::string();
  };
  const Answer asked = get("/api/v1/me");
  EXPECT_EQ(asked.status, 401);
  EXPECT_EQ(code(asked), "API_KEY_REQUIRED");
  EXPECT_NE(asked.header("WWW-Authenticate"), "");
  EXPECT_EQ(with("/api/v1/search", "Basic a2k6").status, 200) << "none of ours";
  const Answer unknown = with("/api/v1/search", "Bearer ki_unknown");
  EXPECT_EQ(unknown.status, 401);
  EXPECT_EQ(code(unknown), "INVALID_API_KEY");
  EXPECT_EQ(with("/healthz", "Bearer ki_unknown").status, 200) << "a probe has no key";
  EXPECT_EQ(get("/api/v1/search").header("Cache-Control").substr(0, 6), "public");
  const Answer keyed = with("/api/v1/search", "bearer  " + token_);
  EXPECT_EQ(keyed.status, 200);
  EXPECT_EQ(keyed.header("Cache-Control"), "private, no-cache");
  EXPECT_EQ(with("/api/v1/search?limit=0", "Bearer " + token_).status, 400);
  const Answer me = with("/api/v1/me", "Bearer " + token_);
  EXPECT_EQ(me.status, 200) << me.body;
  EXPECT_EQ(me.header("Cache-Control"), "private, no-store");
  EXPECT_NE(me.body.find(R"("name":"site test","usedToday":3,"quotaPerDay":3)"), std::string::npos)
      << me.body;
  const Answer over = with("/api/v1/search", "Bearer " + token_);
  EXPECT_EQ(over.status, 429);
  EXPECT_EQ(code(over), "QUOTA_EXCEEDED");
  EXPECT_GE(std::stoi(over.header("Retry-After")), 1);
  EXPECT_LE(std::stoi(over.header("Retry-After")), 86'400);
}

TEST_F(Site, MetricsTellRequestsCacheAndCatalog) {
  get("/api/v1/operations?q=metrics");
  get("/api/v1/operations?q=metrics");
  // A client may have an answer a moment before the server counts it as sent.
  Answer answer = get("/metrics");
  for (int again = 0; again < 100 && !answer.body.contains("in_flight 1\n"); ++again) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    answer = get("/metrics");
  }
  EXPECT_EQ(answer.header("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  for (const std::string_view part :
       {"ki_http_requests_total{route=\"listOperations\",status=\"2xx\"} ",
        "ki_http_request_seconds_count{route=\"listOperations\"} ", "ki_catalog_up 1\n",
        "ki_catalog_info{version=\"", "ki_http_connections ", "ki_http_requests_in_flight 1\n",
        "ki_http_requests_queued 0\n"}) {
    EXPECT_NE(answer.body.find(part), std::string::npos) << part << '\n' << answer.body;
  }
  EXPECT_EQ(answer.body.find("ki_answer_cache_hits_total 0\n"), std::string::npos);
  EXPECT_EQ(answer.body.find("ki_http_requests_in_flight 0\n"), std::string::npos) << "but this";
  // One line a series: a second one of the same name makes the whole text invalid.
  std::set<std::string_view> seen;
  for (const std::string_view line : split(answer.body, '\n')) {
    if (line.empty()) continue;
    const std::string_view series = line.starts_with('#') ? line : line.substr(0, line.rfind(' '));
    EXPECT_TRUE(seen.insert(series).second) << line;
  }
}

// A monitor's probe, whatever it adds against caches.
TEST_F(Site, APageIsKeptForTheOriginItWasAskedAt) {
  const auto hits = [] {
    const std::string text = get("/metrics").body;
    constexpr std::string_view kName = "\nki_answer_cache_hits_total ";
    return std::atoi(text.c_str() + text.find(kName) + kName.size());
  };
  const Answer first = get("/sources?kept=1");
  const int before = hits();
  const Answer again = get("/sources?kept=1");
  EXPECT_EQ(hits(), before + 1);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(again.header("ETag"), first.header("ETag"));
  EXPECT_EQ(again.header("Cache-Control"), first.header("Cache-Control"));
  const Answer secure = get("/sources?kept=1", "X-Forwarded-Proto: https\r\n");
  EXPECT_EQ(hits(), before + 1);
  EXPECT_NE(secure.body, first.body) << "its links begin with https";
  EXPECT_EQ(get("/operations/none").status, 404);
  EXPECT_EQ(get("/operations/none").status, 404) << "what failed is not kept";
}

TEST_F(Site, ProbesDoNotLookAtTheQuery) {
  for (const std::string& path : {std::string("/healthz"), std::string("/readyz"),
                                  std::string("/api/v1/healthz"), std::string("/api/v1/readyz")}) {
    EXPECT_EQ(get(path).status, 200) << path;
    EXPECT_EQ(get(path + "?x=1&x=2&limit=no").status, 200) << path;
    EXPECT_EQ(get(path).header("Cache-Control"), "private, no-store") << path;
  }
  EXPECT_NE(get("/readyz").body.find("\"status\":\"ready\""), std::string::npos);
}

// The server lives, whatever became of its catalog; it is not ready while that does not answer.
TEST_F(Site, ACatalogThatDoesNotAnswerIsNotReady) {
  const fs::path path = path_.string() + ".broken";
  {
    auto whole = db::open(path_.string());
    ASSERT_TRUE(whole) << to_string(whole.error());
    ASSERT_TRUE((*whole)->backup(path));
  }
  const auto serving = open_serving(path.string(), clock_, query::make_shared_index(),
                                    std::make_shared<api::AnswerCache>());
  ASSERT_TRUE(serving) << to_string(serving.error());
  const auto router = make_router(*serving);
  const auto ask = [&](const std::string& probe) {
    http::Request request;
    request.path = "/" + probe;
    request.segments = {probe};
    return router.dispatch(request);
  };
  EXPECT_EQ(ask("readyz").status, 200);
  auto other = db::open(path.string(), {.mode = db::Mode::read_write});
  ASSERT_TRUE(other) << to_string(other.error());
  const Status broken = (*other)->script("break", "DROP TABLE standing");
  ASSERT_TRUE(broken) << to_string(broken.error());
  const http::Response unready = ask("readyz");
  EXPECT_EQ(unready.status, 503);
  EXPECT_NE(unready.body.find("\"code\":\"NOT_READY\""), std::string::npos) << unready.body;
  EXPECT_EQ(unready.body.find("standing"), std::string::npos) << unready.body;
  const http::Response alive = ask("healthz");
  EXPECT_EQ(alive.status, 200);
  EXPECT_NE(alive.body.find("\"counts\":null"), std::string::npos) << alive.body;
  other->reset();
  for (const char* ending : {"", "-wal", "-shm"}) fs::remove(path.string() + ending);
}

// Every address answers HEAD as GET but for the body, OPTIONS with what it takes, and another
// method with 405 and the same list.
TEST_F(Site, EveryAddressKnowsItsMethods) {
  const auto ask = [](std::string_view method, const std::string& target,
                      std::string_view headers = {}) {
    tests::Connection connection(server_->port());
    connection.send(std::string(method) + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" +
                    std::string(headers) + "\r\n");
    return connection.receive(method != "HEAD");
  };
  const std::string run = a_run_id();
  std::vector<std::string> readable = {"/",        "/search",  "/records", "/runs/" + run,
                                       "/compare", "/healthz", "/readyz",  "/openapi.json"};
  for (const api::Route& route : api::routes()) {
    if (route.method != http::Method::get || route.pattern.find('{') != std::string_view::npos) {
      continue;
    }
    readable.push_back(std::string(api::kBase) + std::string(route.pattern));
  }
  for (const std::string& target : readable) {
    const Answer got = ask("GET", target);
    const Answer head = ask("HEAD", target);
    const bool exports = target.ends_with("/catalog.jsonl.zst");  // this site offers none
    EXPECT_EQ(got.status, target.ends_with("/me") ? 401 : exports ? 404 : 200) << target;
    EXPECT_EQ(head.status, got.status) << target;
    EXPECT_EQ(head.header("Content-Length"), got.header("Content-Length")) << target;
    EXPECT_EQ(head.header("Content-Type"), got.header("Content-Type")) << target;
    EXPECT_EQ(ask("OPTIONS", target).header("Allow"), "GET, HEAD, OPTIONS") << target;
    const Answer deleted = ask("DELETE", target);
    EXPECT_EQ(deleted.status, 405) << target;
    EXPECT_EQ(deleted.header("Allow"), "GET, HEAD, OPTIONS") << target;
  }
  const Answer preflight =
      ask("OPTIONS", "/api/v1/compare",
          "Origin: https://example.org\r\nAccess-Control-Request-Method: POST\r\n"
          "Access-Control-Request-Headers: content-type\r\n");
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(preflight.header("Access-Control-Allow-Origin"), "*");
  EXPECT_EQ(preflight.header("Access-Control-Allow-Methods"), "POST, OPTIONS");
  EXPECT_NE(preflight.header("Access-Control-Allow-Headers").find("Content-Type"),
            std::string::npos);
  EXPECT_EQ(ask("GET", "/api/v1/compare").status, 405);
  EXPECT_EQ(tests::post(server_->port(), "/api/v1/compare", "{}", "text/plain").status, 415);
}

TEST_F(Site, ACursorOfAnotherListIsRefusedEverywhere) {
  const std::string body = get("/api/v1/records?limit=1").body;
  const auto document = json::parse(body);
  ASSERT_TRUE(document) << body;
  const std::string cursor(document->root.find("nextCursor")->string());
  EXPECT_EQ(get("/api/v1/records?cursor=" + cursor).status, 200);
  EXPECT_EQ(get("/records?cursor=" + cursor).status, 200);
  for (const std::string& target :
       {"/api/v1/search?q=rope&cursor=" + cursor, "/api/v1/runs?cursor=" + cursor,
        "/api/v1/runs?status=pending&cursor=" + cursor, "/api/v1/records?cursor=" + cursor + "A",
        "/api/v1/records?cursor=" + cursor + std::string(1000, 'A'),
        "/api/v1/records?cursor=" + cursor.substr(1)}) {
    const Answer answer = get(target);
    EXPECT_EQ(answer.status, 400) << target;
    EXPECT_EQ(answer.header("Content-Type"), "application/problem+json") << target;
    EXPECT_NE(answer.body.find("\"code\":\"INVALID_CURSOR\""), std::string::npos) << answer.body;
  }
  for (const std::string& target :
       {"/search?q=rope&cursor=" + cursor, "/records?cursor=" + cursor + "A",
        "/operations?cursor=" + cursor}) {
    const Answer answer = get(target);
    EXPECT_EQ(answer.status, 400) << target;
    EXPECT_TRUE(answer.header("Content-Type").starts_with("text/html")) << target;
    const auto end = target.find("cursor=") - 1;
    const std::string first = target.substr(0, end);
    EXPECT_TRUE(links_of(answer.body).contains(first)) << answer.body;
  }
}

TEST_F(Site, DescribesItselfAndItsHealth) {
  const Answer health = get("/healthz");
  EXPECT_EQ(health.status, 200);
  EXPECT_NE(health.body.find("\"status\":\"ok\""), std::string::npos);
  EXPECT_NE(health.body.find("\"runs\":12"), std::string::npos) << health.body;
  const Answer description = get("/api/v1/openapi.json");
  EXPECT_EQ(description.status, 200);
  EXPECT_TRUE(json::parse(description.body));
  EXPECT_EQ(get("/openapi.json").body, description.body);
}

TEST_F(Site, SaysThatItsCatalogIsGoneAndFollowsTheOneThatComesBack) {
  const std::string away = path_.string() + ".away";
  // A catalog is the file and what lies beside it.
  const auto move = [](const std::string& from, const std::string& to) {
    for (const char* ending : {"", "-wal", "-shm"}) {
      if (fs::exists(from + ending)) fs::rename(from + ending, to + ending);
    }
  };
  move(path_.string(), away);
  for (const char* target : {"/healthz", "/readyz", "/api/v1/operations", "/api/v1/healthz"}) {
    const Answer gone = get(target);
    EXPECT_EQ(gone.status, 503) << target;
    EXPECT_NE(gone.body.find("CATALOG_GONE"), std::string::npos) << gone.body;
    EXPECT_NE(gone.body.find("was deleted or moved away"), std::string::npos) << gone.body;
    EXPECT_EQ(gone.body.find(path_.string()), std::string::npos) << "strangers see the path";
  }
  std::ofstream(path_) << "no catalog";
  const Answer replaced = get("/healthz");
  EXPECT_EQ(replaced.status, 503);
  EXPECT_NE(replaced.body.find("was replaced by another"), std::string::npos) << replaced.body;
  fs::remove(path_);
  {
    const auto empty = catalog::Catalog::open(path_.string(), clock_, {.mode = db::Mode::create});
    ASSERT_TRUE(empty);
  }
  for (int i = 0; i < 4; ++i) {
    EXPECT_NE(get("/healthz").body.find("\"runs\":0"), std::string::npos) << "another catalog";
    EXPECT_EQ(get("/api/v1/operations").status, 200);
  }
  for (const char* ending : {"", "-wal", "-shm"}) fs::remove(path_.string() + ending);
  move(away, path_.string());
  for (int i = 0; i < 4; ++i) {
    const Answer back = get("/healthz");
    EXPECT_EQ(back.status, 200);
    EXPECT_NE(back.body.find("\"runs\":12"), std::string::npos) << back.body;
  }
}

// Every GET route of the table, with every parameter at its bound and one past it.
TEST_F(Site, EveryRouteKeepsItsBounds) {
  for (const api::Route& route : api::routes()) {
    if (route.method != http::Method::get) continue;
    std::string path = std::string(api::kBase) + std::string(route.pattern);
    if (const auto brace = path.find('{'); brace != std::string::npos) {
      path = path.substr(0, brace) + "absent";
    }
    for (const api::Parameter& parameter : route.parameters) {
      if (parameter.in == api::In::path) continue;
      const auto status = [&](const std::string& value) {
        return get(path + "?" + std::string(parameter.name) + "=" + value).status;
      };
      if (parameter.type == api::ParameterType::text) {
        EXPECT_LT(status(std::string(static_cast<std::size_t>(parameter.maximum), 'x')), 500);
        EXPECT_EQ(status(std::string(static_cast<std::size_t>(parameter.maximum) + 1, 'x')), 400);
      } else {
        EXPECT_EQ(status("nonsense"), 400) << path << " " << parameter.name;
      }
    }
  }
}

TEST_F(Site, TextOfTheQueryIsNeverMarkup) {
  const Answer answer = get("/search?q=%3Cscript%3Ealert(1)%3C/script%3E%22");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body.find("<script>"), std::string::npos);  // ours has an address
  EXPECT_NE(answer.body.find("&lt;script&gt;alert(1)"), std::string::npos);
}

}  // namespace
}  // namespace ki::web
