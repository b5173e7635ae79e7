#include "api/openapi.h"

#include <gtest/gtest.h>

#include "api/routes.h"
#include "json/read.h"

namespace ki::api {
namespace {

// Calls `visit` with every "$ref" below `value`.
template <class Visit>
void each_reference(const json::Value& value, const Visit& visit) {
  if (value.is_array()) {
    for (const json::Value& item : value.items()) each_reference(item, visit);
  }
  if (!value.is_object()) return;
  for (const json::Member& member : value.members()) {
    if (member.key == "$ref") visit(member.value.string());
    each_reference(member.value, visit);
  }
}

TEST(OpenApi, DescribesEveryRouteOfTheTable) {
  const std::string text = openapi_document();
  const auto document = json::parse(text);
  ASSERT_TRUE(document) << to_string(document.error());
  const json::Value* paths = document->root.find("paths");
  ASSERT_NE(paths, nullptr);
  EXPECT_EQ(paths->members().size(), routes().size());
  for (const Route& route : routes()) {
    const json::Value* path = paths->find(route.pattern);
    ASSERT_NE(path, nullptr) << route.pattern;
    const json::Value* operation = path->find(route.method == http::Method::post ? "post" : "get");
    ASSERT_NE(operation, nullptr) << route.pattern;
    EXPECT_EQ(operation->find("operationId")->string(), route.id);
    EXPECT_EQ(operation->find("parameters")->items().size(), route.parameters.size());
    EXPECT_EQ(operation->find("requestBody") != nullptr, route.body != nullptr);
  }
}

TEST(RouteIndex, NamesEveryRouteOfTheTable) {
  const auto document = json::parse(route_index());
  ASSERT_TRUE(document) << to_string(document.error());
  EXPECT_EQ(document->root.find("openapi")->string(), "/api/v1/openapi.json");
  const auto listed = document->root.find("routes")->items();
  ASSERT_EQ(listed.size(), routes().size());
  for (std::size_t i = 0; i < listed.size(); ++i) {
    EXPECT_EQ(listed[i].find("path")->string(), "/api/v1" + std::string(routes()[i].pattern));
    EXPECT_EQ(listed[i].find("method")->string() == "POST",
              routes()[i].method == http::Method::post);
    EXPECT_EQ(listed[i].find("parameters")->items().size(), routes()[i].parameters.size());
  }
}

TEST(OpenApi, EveryReferenceLeadsToASchema) {
  const std::string text = openapi_document();
  const auto document = json::parse(text);
  ASSERT_TRUE(document);
  const json::Value* schemas = document->root.find("components")->find("schemas");
  int count = 0;
  each_reference(document->root, [&](std::string_view reference) {
    constexpr std::string_view kPrefix = "#/components/schemas/";
    ASSERT_TRUE(reference.starts_with(kPrefix)) << reference;
    EXPECT_NE(schemas->find(reference.substr(kPrefix.size())), nullptr) << reference;
    ++count;
  });
  EXPECT_GT(count, 50);
}

TEST(Routes, PathParametersMatchTheirPatterns) {
  for (const Route& route : routes()) {
    std::string expected;
    for (const Parameter& parameter : route.parameters) {
      if (parameter.in == In::path) expected += "{" + std::string(parameter.name) + "}";
    }
    std::string found;
    for (std::size_t at = route.pattern.find('{'); at != std::string_view::npos;
         at = route.pattern.find('{', at + 1)) {
      found += route.pattern.substr(at, route.pattern.find('}', at) - at + 1);
    }
    EXPECT_EQ(found, expected) << route.pattern;
  }
}

}  // namespace
}  // namespace ki::api
