#include "http/router.h"

#include <gtest/gtest.h>

#include "http/target.h"

namespace ki::http {
namespace {

RouteHandler says(std::string text) {
  return [text](const Request&, const Captures& captures) {
    std::string body = text;
    for (const std::string& capture : captures) body += ":" + capture;
    return html_response(200, body, Cache::brief);
  };
}

Router make_router() {
  Router router([](const Request&, const Problem& problem) { return problem_response(problem); });
  router.add({.method = Method::get, .pattern = "/", .handler = says("home")});
  router.add({.method = Method::get, .pattern = "/runs/{run}", .handler = says("run")});
  router.add({.method = Method::get, .pattern = "/runs/latest", .handler = says("latest")});
  router.add({.method = Method::get, .pattern = "/runs/{run}/raw", .handler = says("raw")});
  router.add({.method = Method::post, .pattern = "/compare", .handler = says("compare")});
  return router;
}

Request request(Method method, std::string_view target, std::vector<Header> headers = {}) {
  Request out;
  out.method = method;
  out.id = "id-1";
  out.segments = parse_target(target)->segments;
  out.headers = std::move(headers);
  return out;
}

std::string header(const Response& response, std::string_view name) {
  for (const Header& header : response.headers) {
    if (header.name == name) return header.value;
  }
  return {};
}

TEST(Router, GivesDecodedCaptures) {
  const Router router = make_router();
  EXPECT_EQ(router.dispatch(request(Method::get, "/")).body, "home");
  EXPECT_EQ(router.dispatch(request(Method::get, "/runs/sha256%3Aab")).body, "run:sha256:ab");
  EXPECT_EQ(router.dispatch(request(Method::head, "/runs/7/raw")).body, "raw:7");
}

TEST(Router, ALiteralWinsOverAName) {
  EXPECT_EQ(make_router().dispatch(request(Method::get, "/runs/latest")).body, "latest");
}

TEST(Router, AnUnknownPathIsAProblemWithTheRequestId) {
  for (const auto target : {"/nothing", "/runs", "/runs/", "/runs/a/b", "/runs//raw"}) {
    const Response response = make_router().dispatch(request(Method::get, target));
    EXPECT_EQ(response.status, 404) << target;
    EXPECT_NE(response.body.find(R"("requestId":"id-1")"), std::string::npos);
  }
}

TEST(Router, AKnownPathNamesTheMethodsItTakes) {
  const Router router = make_router();
  const Response posted = router.dispatch(request(Method::post, "/runs/1"));
  EXPECT_EQ(posted.status, 405);
  EXPECT_EQ(header(posted, "Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(header(router.dispatch(request(Method::get, "/compare")), "Allow"), "POST, OPTIONS");
  EXPECT_EQ(router.dispatch(request(Method::other, "/")).status, 405);
}

TEST(Router, OptionsAnswersAPreflight) {
  const Response plain = make_router().dispatch(request(Method::options, "/compare"));
  EXPECT_EQ(plain.status, 204);
  EXPECT_EQ(header(plain, "Allow"), "POST, OPTIONS");
  EXPECT_EQ(header(plain, "Access-Control-Allow-Methods"), "");
  const Response preflight = make_router().dispatch(
      request(Method::options, "/compare",
              {{"Origin", "https://example.org"}, {"access-control-request-method", "POST"}}));
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(header(preflight, "Access-Control-Allow-Methods"), "POST, OPTIONS");
  EXPECT_NE(header(preflight, "Access-Control-Allow-Headers").find("Content-Type"),
            std::string::npos);
  EXPECT_EQ(make_router().dispatch(request(Method::options, "/nothing")).status, 404);
}

TEST(Router, OptionsToAllNamesEveryMethodThatIsTaken) {
  const Response all = make_router().dispatch_to_all();
  EXPECT_EQ(all.status, 204);
  EXPECT_EQ(header(all, "Allow"), "GET, HEAD, POST, OPTIONS");
}

TEST(Router, ACodedBodyIsNotTaken) {
  const auto posted = [](const std::string& coding) {
    return make_router()
        .dispatch(request(Method::post, "/compare",
                          {{"Content-Type", "application/json"}, {"Content-Encoding", coding}}))
        .status;
  };
  EXPECT_EQ(posted("gzip"), 415);
  EXPECT_EQ(posted("Identity"), 200);
}

TEST(Router, APostThatTakesNoBodyNeedsNoContentType) {
  Router router([](const Request&, const Problem& problem) { return problem_response(problem); });
  router.add({.method = Method::post,
              .pattern = "/drop",
              .handler = says("dropped"),
              .takes_body = false});
  EXPECT_EQ(router.dispatch(request(Method::post, "/drop")).status, 200);
  const Header form{"Content-Type", "application/x-www-form-urlencoded"};
  Request sent = request(Method::post, "/drop", {form});
  EXPECT_EQ(router.dispatch(sent).status, 200) << "as clients send nothing";
  sent.body = "a=1";
  EXPECT_EQ(router.dispatch(sent).status, 415) << "it would go unread";
}

TEST(Router, APostNeedsAJsonBody) {
  const Router router = make_router();
  for (const std::string type : {"", "text/plain", "application/jsonx", "application/json-seq"}) {
    EXPECT_EQ(router.dispatch(request(Method::post, "/compare", {{"Content-Type", type}})).status,
              415)
        << type;
  }
  for (const std::string type : {"application/json", "Application/JSON ; charset=utf-8"}) {
    EXPECT_EQ(router.dispatch(request(Method::post, "/compare", {{"content-type", type}})).body,
              "compare");
  }
}

TEST(Problem, StatesTheCodeInEveryForm) {
  const Problem problem = make_problem(404, "RUN_NOT_FOUND", "no run has that id");
  EXPECT_EQ(problem.type, "https://kernelindex.dev/errors/run_not_found");
  EXPECT_EQ(problem.title, "run not found");
  const Response response = problem_response(problem);
  EXPECT_EQ(response.content_type, "application/problem+json");
  EXPECT_EQ(response.body,
            R"({"type":"https://kernelindex.dev/errors/run_not_found","title":"run not found",)"
            R"("status":404,"code":"RUN_NOT_FOUND","detail":"no run has that id",)"
            R"("requestId":"","errors":[]})");
}

TEST(Problem, KeepsTheInsideOfAFaultForTheLog) {
  for (const Code code : {Code::internal, Code::unavailable}) {
    const Problem problem = problem_of(Error{code, "disk /srv/data is gone", "run_by_id"});
    EXPECT_EQ(problem.detail.find("disk"), std::string::npos);
    EXPECT_EQ(problem.log_detail, "run_by_id: disk /srv/data is gone");
  }
}

TEST(Problem, TakesTheCodeThatTheErrorNames) {
  const Problem named = problem_of(Error{Code::not_found, "no such run", "RUN_NOT_FOUND"});
  EXPECT_EQ(named.code, "RUN_NOT_FOUND");
  EXPECT_EQ(named.detail, "no such run");
  const Problem placed = problem_of(Error{Code::invalid, "expected a list", "/runs"});
  EXPECT_EQ(placed.code, "INVALID_REQUEST");
  EXPECT_EQ(placed.detail, "/runs: expected a list");
}

TEST(Problem, NamesThePlaceOfEachIssue) {
  const Problem problem = problem_of(Issues{
      {.code = "invalid_type",
       .message = "expected a list",
       .pointer = "/runs",
       .file = {},
       .place = {}},
      {.code = "too_many", .message = "at most 8", .pointer = "/runs", .file = {}, .place = {}}});
  EXPECT_EQ(problem.status, 400);
  ASSERT_EQ(problem.errors.size(), 2U);
  EXPECT_EQ(problem.errors[1].pointer, "/runs");
  EXPECT_EQ(problem.errors[1].detail, "at most 8");
}

}  // namespace
}  // namespace ki::http
