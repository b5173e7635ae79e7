#include "mcp/protocol.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/clock.h"
#include "catalog/catalog.h"
#include "json/read.h"
#include "mcp/tools.h"

namespace ki::mcp {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// An empty catalog: what is asked here does not depend on records.
class Protocol : public ::testing::Test {
 protected:
  void SetUp() override {
    home_ = fs::temp_directory_path() / ("ki-mcp-" + std::to_string(::getpid()));
    fs::create_directories(home_);
    const std::string db = home_ / "ki.db";
    ASSERT_TRUE(catalog::Catalog::open(db, clock_, {.mode = db::Mode::create}).has_value());
    auto opened = query::Resolver::open(db, clock_);
    ASSERT_TRUE(opened.has_value());
    resolver_.emplace(std::move(*opened));
  }
  void TearDown() override {
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

  SystemClock clock_;
  fs::path home_;
  std::optional<query::Resolver> resolver_;
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
