#include "mcp/protocol.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/clock.h"
#include "catalog/catalog.h"
#include "import/registry.h"
#include "json/read.h"
#include "mcp/http.h"
#include "mcp/tools.h"

namespace ki::mcp {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Protocol : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    home_ = fs::temp_directory_path() / ("ki-mcp-" + std::to_string(::getpid()));
    fs::create_directories(home_);
    const std::string db = home_ / "ki.db";
    auto catalog = catalog::Catalog::open(db, clock_, {.mode = db::Mode::create});
    ASSERT_TRUE(catalog.has_value());
    auto prepared = importer::prepare_registry();
    ASSERT_TRUE(prepared.has_value());
    ASSERT_TRUE(importer::run_import(*catalog, std::move(*prepared), clock_,
                                     {.publish = true, .actor = "test"})
                    .has_value());
    auto opened = query::Resolver::open(db, clock_);
    ASSERT_TRUE(opened.has_value());
    resolver_ = std::make_shared<const query::Resolver>(std::move(*opened));
  }
  static void TearDownTestSuite() {
    resolver_.reset();
    fs::remove_all(home_);
  }

  std::string ask(std::string_view message) const {
    return answer(message, *resolver_).value_or("nothing");
  }
  json::Document read(std::string_view message) const {
    auto document = json::parse(ask(message), json::kBundleLimits);
    EXPECT_TRUE(document.has_value());
    return document ? std::move(*document) : json::Document{};
  }
  // A member of the first row of a list.
  std::string first_of(std::string_view tool, std::string_view list,
                       std::string_view member) const {
    const auto document =
        read(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" +
             std::string(tool) + R"(","arguments":{"limit":1}}})");
    return std::string(document.root.find("result")
                           ->find("structuredContent")
                           ->find(list)
                           ->items()[0]
                           .find(member)
                           ->string());
  }

  static inline SystemClock clock_;
  static inline fs::path home_;
  static inline std::shared_ptr<const query::Resolver> resolver_;
};

TEST_F(Protocol, AgreesOnTheVersionThatTheClientKnows) {
  for (const auto version : kProtocolVersions) {
    EXPECT_THAT(
        ask(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":")" +
            std::string(version) + R"(","capabilities":{}}})"),
        HasSubstr(R"("protocolVersion":")" + std::string(version) + '"'));
  }
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":"a","method":"initialize",)"
                  R"("params":{"protocolVersion":"1999-01-01"}})"),
              HasSubstr(R"("id":"a","result":{"protocolVersion":"2025-11-25")"));
}

TEST_F(Protocol, EveryToolHasSchemasThatAreObjects) {
  const auto document = read(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  const auto listed = document.root.find("result")->find("tools")->items();
  ASSERT_EQ(listed.size(), tools().size());
  for (const auto& tool : listed) {
    for (const char* schema : {"inputSchema", "outputSchema"}) {
      ASSERT_NE(tool.find(schema), nullptr);
      EXPECT_EQ(tool.find(schema)->find("type")->string(), "object");
      EXPECT_NE(tool.find(schema)->find("properties"), nullptr);
    }
    EXPECT_TRUE(tool.find("annotations")->find("readOnlyHint")->boolean());
  }
}

TEST_F(Protocol, AnswersAToolAsTextAndAsStructure) {
  const auto document = read(R"({"jsonrpc":"2.0","id":7,"method":"tools/call",)"
                             R"("params":{"name":"search_catalog","arguments":{"q":"rope"}}})");
  const auto* result = document.root.find("result");
  ASSERT_NE(result, nullptr);
  EXPECT_FALSE(result->find("isError")->boolean());
  EXPECT_EQ(result->find("structuredContent")->find("query")->string(), "rope");
  const auto text = json::parse(result->find("content")->items()[0].find("text")->string());
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(text->root.find("query")->string(), "rope");
}

TEST_F(Protocol, ResolvesRequestsAsStructure) {
  const auto result = [&](const std::string& name, const std::string& arguments) {
    return ask(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":")" + name +
               R"(","arguments":)" + arguments + "}}");
  };
  EXPECT_THAT(result("resolve_kernel", R"({"request":{"operation":{"name":"rope"}}})"),
              HasSubstr(R"("query":"op:rope")"));
  EXPECT_THAT(result("resolve_kernels", R"({"requests":[{"query":"rope"}]})"),
              HasSubstr(R"("results":[{"query":"rope")"));
}

TEST_F(Protocol, ResolvesServingAndShowsTheRun) {
  const auto call = [&](const std::string& name, const std::string& arguments) {
    return ask(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":")" + name +
               R"(","arguments":)" + arguments + "}}");
  };
  const std::string answer =
      call("resolve_serving", R"({"request":{"model":"mlperf-llama2-70b"}})");
  EXPECT_THAT(answer, HasSubstr(R"("policyVersion":"serving-v1")"));
  constexpr std::string_view kDigest = R"("runDigest":"sha256:)";
  const auto at = answer.find(kDigest);
  ASSERT_NE(at, std::string::npos) << answer;
  const std::string digest = answer.substr(at + kDigest.size(), 64);
  EXPECT_THAT(call("get_serving_run", R"({"id":")" + digest + R"("})"),
              HasSubstr(R"("harness":"mlperf_loadgen v5.1")"));
  EXPECT_THAT(call("get_serving_run", R"({"id":"absent"})"), HasSubstr("SERVING_RUN_NOT_FOUND"));
  EXPECT_THAT(call("resolve_serving", R"({"request":{"objective":{"direction":"minimize",)"
                                      R"("metric":"goodput"}}})"),
              HasSubstr("/objective/direction"));
}

TEST_F(Protocol, SaysWhatIsWrongWithArgumentsInTheResult) {
  const auto call = [&](const std::string& name, const std::string& arguments) {
    return ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + name +
               R"(","arguments":)" + arguments + "}}");
  };
  EXPECT_THAT(call("search_catalog", R"({"query":"x"})"),
              HasSubstr(R"(unknown argument \\\"query\\\")"));
  EXPECT_THAT(call("list_runs", R"({"limit":0})"), HasSubstr("expected 1 to 200"));
  EXPECT_THAT(call("list_runs", R"({"maxBytes":5})"), HasSubstr("maxBytes is a number"));
  EXPECT_THAT(call("get_operation", "{}"), HasSubstr(R"("isError":true)"));
  EXPECT_THAT(call("get_operation", R"({"idOrSlug":"absent"})"), HasSubstr("OPERATION_NOT_FOUND"));
  EXPECT_THAT(call("compare_runs", R"({"runs":["a"]})"), HasSubstr("compare 2 to 8 runs"));
  EXPECT_THAT(call("resolve_kernel", R"({"request":{"operaton":{}}})"), HasSubstr("operaton"));
  EXPECT_THAT(call("resolve_kernel", R"({"request":{},"limit":0})"),
              HasSubstr("expected 1 to 200"));
  EXPECT_THAT(call("resolve_kernels", R"({"requests":[{},{"polcy":{}}]})"),
              HasSubstr("/requests/1"));
  EXPECT_THAT(call("validate_manifest", R"({"content":"a: [","format":"yaml"})"),
              HasSubstr(R"("valid":false)"));
  EXPECT_THAT(call("get_manifest_schema", R"({"kind":"Run"})"), HasSubstr("BenchmarkRun"));
}

TEST_F(Protocol, JudgesAManifest) {
  const auto out =
      ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"validate_manifest",)"
          R"("arguments":{"format":"json","content":"{\"apiVersion\":\"kernelindex.dev/v1alpha1\",)"
          R"(\"kind\":\"SoftwareProject\",\"metadata\":{\"name\":\"pebble\"},)"
          R"(\"spec\":{\"name\":\"Pebble\",\"repository\":\"https://example.org/pebble\"}}"}}})");
  EXPECT_THAT(out, HasSubstr(R"("valid":true)"));
  EXPECT_THAT(out, HasSubstr(R"("kind":"SoftwareProject")"));
  EXPECT_THAT(out, HasSubstr(R"("specDigest":"sha256:)"));
  const auto judged = [&](const std::string& content) {
    auto document = read(
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"validate_manifest",)"
        R"("arguments":{"content":")" +
        content + R"("}}})");
    return document;
  };
  const std::string sound =
      "apiVersion: kernelindex.dev/v1alpha1\\nkind: SoftwareProject\\nmetadata: {name: pebble}\\n"
      "spec: {name: Pebble, repository: 'https://example.org/pebble'}\\n";
  const auto one = judged(sound);
  const auto* answer = one.root.find("result")->find("structuredContent");
  EXPECT_EQ(answer->find("kind")->string(), "SoftwareProject");
  EXPECT_EQ(answer->find("specDigest")->string(),
            answer->find("manifests")->items()[0].find("specDigest")->string());
  const auto wrong = judged("kind: SoftwareProject\\n");
  answer = wrong.root.find("result")->find("structuredContent");
  EXPECT_FALSE(answer->find("valid")->boolean());
  EXPECT_EQ(answer->find("kind")->string(), "SoftwareProject") << "though the rest is not";
  EXPECT_EQ(answer->find("specDigest"), nullptr);
  const auto two = judged(sound + "---\\n" + sound);
  answer = two.root.find("result")->find("structuredContent");
  EXPECT_TRUE(answer->find("kind")->is_null()) << "of which of them";
  EXPECT_EQ(answer->find("specDigest"), nullptr);
}

TEST_F(Protocol, SourceCodeIsIncludedByEitherWord) {
  const std::string slug = first_of("list_runs", "runs", "implementation");
  const auto call = [&](const std::string& more) {
    return ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":)"
               R"("get_implementation","arguments":{"maxBytes":1000000,"idOrSlug":")" +
               slug + '"' + more + "}}}");
  };
  EXPECT_EQ(call(R"(,"includeSource":true)"), call(R"(,"include":"source")"));
  EXPECT_EQ(call(R"(,"includeSource":false)"), call(""));
  EXPECT_THAT(call(R"(,"includeSource":"yes")"), HasSubstr("includeSource is true or false"));
  EXPECT_THAT(call(R"(,"includeSource":false,"include":"source")"), HasSubstr("leave one"));
}

TEST_F(Protocol, AnswersInOneLineOfAtMostWhatWasAskedFor) {
  for (const Tool& tool : tools()) {
    std::string arguments = R"({"maxBytes":1024)";
    if (tool.name == "get_manifest_schema") arguments += R"(,"kind":"BenchmarkRun")";
    if (tool.name == "validate_manifest") arguments += R"(,"content":"a: 1")";
    const std::string reply =
        ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" +
            std::string(tool.name) + R"(","arguments":)" + arguments + "}}}");
    EXPECT_EQ(reply.find('\n'), std::string::npos) << tool.name;
    const auto document = json::parse(reply);
    ASSERT_TRUE(document.has_value()) << tool.name;
    const auto& text = document->root.find("result")->find("content")->items()[0];
    EXPECT_LE(text.find("text")->string().size(), 1024U) << tool.name;
  }
}

TEST_F(Protocol, RefusesWhatIsNoRequest) {
  EXPECT_THAT(ask("{"), HasSubstr("-32700"));
  EXPECT_THAT(ask(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])"), HasSubstr("-32600"));
  EXPECT_THAT(ask(R"({"id":1,"method":"ping"})"), HasSubstr("-32600"));
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":[1],"method":"ping"})"), HasSubstr("-32600"));
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":1})"), HasSubstr("-32600"));
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":9007199254740993,"method":"ping"})"),
              HasSubstr("-32600"))
      << "it would come back as another number";
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":1,"method":"resources/list"})"), HasSubstr("-32601"));
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search"}})"),
              HasSubstr("-32602"));
}

TEST_F(Protocol, IsSilentWhereNoAnswerIsDue) {
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"), "nothing");
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":1,"result":{}})"), "nothing");
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":9,"method":"ping"})"),
            R"({"jsonrpc":"2.0","id":9,"result":{}})");
}

// A page with its cursor: no row is lost where an answer has to be small.
TEST_F(Protocol, PagesThroughAListInSmallAnswers) {
  std::set<std::string> seen;
  std::string cursor;
  for (int page = 0; page < 100; ++page) {
    const auto document =
        read(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_runs",)"
             R"("arguments":{"maxBytes":1500)" +
             (cursor.empty() ? "" : ",\"cursor\":\"" + cursor + '"') + "}}}");
    const auto* result = document.root.find("result")->find("structuredContent");
    ASSERT_NE(result, nullptr);
    EXPECT_EQ(result->find("omitted"), nullptr);
    for (const auto& run : result->find("runs")->items()) {
      EXPECT_TRUE(seen.insert(std::string(run.find("id")->string())).second);
    }
    const auto* next = result->find("nextCursor");
    if (next == nullptr || next->is_null()) break;
    cursor = next->string();
  }
  EXPECT_EQ(seen.size(), 12U);
}

// What tells a row from the others of its list.
std::string name_of(const json::Value& row) {
  for (const char* key : {"id", "runId", "cohortKey", "comparisonKey", "slug", "key"}) {
    const auto* name = row.find(key);
    if (name != nullptr && name->is_string()) return std::string(name->string());
  }
  const auto* implementation = row.find("implementation");
  return implementation == nullptr ? "" : name_of(*implementation);
}

void collect(const json::Value& value, const std::string& place, std::multiset<std::string>& rows) {
  if (value.is_object()) {
    for (const auto& list : value.members()) {
      collect(list.value, place + '/' + std::string(list.key), rows);
    }
  } else if (value.is_array()) {
    for (const auto& row : value.items()) {
      const auto* entries = row.find("entries");  // of a day
      entries == nullptr ? static_cast<void>(rows.insert(place + '/' + name_of(row)))
                         : collect(*entries, place, rows);
    }
  }
}

// Every tool that has a cursor leads to every row, in answers of the size that it gives by itself
// and in smaller ones. The groups of a search were left out as a whole, and the cursor went on.
TEST_F(Protocol, PagesLeadToEveryRowOfEveryTool) {
  const auto rows_of = [&](const Tool& tool, const std::string& asked, const std::string& size) {
    std::multiset<std::string> rows;
    std::string cursor;
    for (int page = 0; page < 200; ++page) {
      const auto document =
          read(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" +
               std::string(tool.name) + R"(","arguments":{)" + asked + size +
               (cursor.empty() ? "" : R"("cursor":")" + cursor + R"(",)") + R"("limit":50}}})");
      const auto* result = document.root.find("result")->find("structuredContent");
      if (result == nullptr) {
        ADD_FAILURE() << tool.name << size << " page " << page;
        break;
      }
      for (const auto list : route_of(tool).rows) {
        const auto* found = result->find(list);
        if (found == nullptr) {
          ADD_FAILURE() << tool.name << size << " lacks " << list;
        } else {
          collect(*found, std::string(list), rows);
        }
      }
      const auto* next = result->find("nextCursor");
      if (next == nullptr || next->is_null()) return rows;
      cursor = next->string();
    }
    ADD_FAILURE() << tool.name << size << " never ends";
    return rows;
  };
  for (const Tool& tool : tools()) {
    const bool has_cursor =
        tool.input != Input::own && tool.input != Input::body &&
        std::ranges::find(route_of(tool).parameters, "cursor", &api::Parameter::name) !=
            route_of(tool).parameters.end();
    if (!has_cursor || tool.name == "get_model") continue;  // the registry names no model
    std::string asked;
    if (tool.name == "search_catalog") asked = R"("q":"op:fused-neighborhood-attention RTX 3090",)";
    if (tool.name == "resolve_kernel") {
      asked = R"("request":{"query":"op:fused-neighborhood-attention RTX 3090"},)";
    }
    if (tool.name == "resolve_serving") asked = R"("request":{},)";
    if (tool.name == "get_operation") asked = R"("idOrSlug":"fused-neighborhood-attention",)";
    if (tool.name == "get_implementation") {
      asked = R"("idOrSlug":")" + first_of("list_runs", "runs", "implementation") + R"(",)";
    }
    if (tool.name == "get_record") {
      asked = R"("cohortKey":")" + first_of("list_records", "records", "cohortKey") + R"(",)";
    }
    const auto whole = rows_of(tool, asked, R"("maxBytes":1000000,)");
    EXPECT_FALSE(whole.empty()) << tool.name;
    for (const char* size : {"", R"("maxBytes":4500,)"}) {
      EXPECT_EQ(rows_of(tool, asked, size), whole) << tool.name << size;
    }
  }
}

class OverHttp : public Protocol {
 protected:
  static http::Response post(std::string body, std::vector<http::Header> headers = {}) {
    http::Router router([](const http::Request&, const http::Problem& problem) {
      return http::problem_response(problem);
    });
    add_routes(router, resolver_);
    http::Request request;
    request.method = http::Method::post;
    request.path = "/mcp";
    request.segments = {"mcp"};
    request.headers = std::move(headers);
    request.headers.push_back({"Content-Type", "application/json"});
    request.headers.push_back({"Host", "127.0.0.1:8080"});
    request.body = std::move(body);
    return router.dispatch(request);
  }
};

constexpr const char* kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";

TEST_F(OverHttp, AnswersRequestsAndAcceptsNotifications) {
  const auto ping = post(kPing);
  EXPECT_EQ(ping.status, 200);
  EXPECT_EQ(ping.content_type, "application/json");
  EXPECT_EQ(ping.body, R"({"jsonrpc":"2.0","id":1,"result":{}})");
  const auto told = post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_EQ(told.status, 202);
  EXPECT_EQ(told.body, "");
}

TEST_F(OverHttp, RefusesPagesOfOtherSites) {
  EXPECT_EQ(post(kPing, {{"Origin", "https://example.org"}}).status, 403);
  EXPECT_EQ(post(kPing, {{"Origin", "null"}}).status, 403);
  EXPECT_EQ(post(kPing, {{"Origin", "http://127.0.0.1:8080"}}).status, 200);
}

TEST_F(OverHttp, RefusesAVersionItDoesNotKnow) {
  EXPECT_EQ(post(kPing, {{"MCP-Protocol-Version", "1999-01-01"}}).status, 400);
  EXPECT_EQ(post(kPing, {{"MCP-Protocol-Version", "2025-06-18"}}).status, 200);
}

TEST(LlmsText, NamesEveryToolAndEveryRoute) {
  const std::string text = llms_text();
  for (const Tool& tool : tools()) {
    EXPECT_THAT(text, HasSubstr("\n- " + std::string(tool.name) + ": "));
  }
  for (const api::Route& route : api::routes()) {
    EXPECT_THAT(text, HasSubstr(' ' + std::string(api::kBase) + std::string(route.pattern) + ": "));
  }
}

}  // namespace
}  // namespace ki::mcp
