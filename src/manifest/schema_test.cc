// What is derived from the tables: examples, JSON Schemas and the format page.
#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manifest/documents.h"
#include "manifest/examples.h"
#include "manifest/json_schema.h"
#include "manifest/kinds.h"
#include "manifest/testing.h"
#include "support/places.h"

namespace ki::manifest {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(Examples, OfEveryKindAreValid) {
  for (const Kind kind : all_kinds()) {
    const Documents documents = read_documents(example_of(kind), "example.yaml");
    ASSERT_TRUE(documents.issues.empty()) << to_string(documents.issues);
    ASSERT_THAT(documents.entries, SizeIs(1));
    EXPECT_EQ(documents.entries[0].manifest.kind(), kind);
  }
}

TEST(JsonSchema, IsStrictAndNamesItsKind) {
  for (const Kind kind : all_kinds()) {
    const auto schema = json::parse(json_schema(kind));
    ASSERT_TRUE(schema);
    const json::Value& properties = *schema->root.find("properties");
    EXPECT_EQ(properties.members().size(), 4U);
    EXPECT_EQ(properties.find("kind")->find("const")->string(), name_of(kind));
    EXPECT_FALSE(schema->root.find("additionalProperties")->boolean());
    const json::Value& spec = *properties.find("spec")->find("properties");
    EXPECT_EQ(spec.members().size(), spec_of(kind).fields.size());
  }
}

TEST(JsonSchema, SaysBoundsAndConditions) {
  std::string run;
  json::append_compact(run, json::parse(json_schema(Kind::benchmark_run))->root);
  EXPECT_THAT(run, HasSubstr(R"("anyOf":[{"required":["median"]},{"required":["mean"]}])"));
  EXPECT_THAT(run, HasSubstr(R"("minItems":2,"maxItems":2)"));
  EXPECT_THAT(run, HasSubstr(R"("exclusiveMinimum":0)"));
  EXPECT_THAT(run, HasSubstr("\"pattern\":\"^\\\\d+(\\\\.\\\\d+)?\\\\s?(ns|us|\u00b5s|ms|s)$\""));
}

// The generated part of docs/formats/manifest.md; KI_UPDATE_GOLDEN=1 writes it anew.
TEST(FormatPage, ListsTheTablesAsTheyAre) {
  const auto path = places::source_dir() / "docs/formats/manifest.md";
  const std::string page = testing::read(path);
  constexpr std::string_view kBegin = "<!-- generated from src/manifest/kinds.cc -->\n";
  constexpr std::string_view kEnd = "<!-- end of the generated part -->\n";
  const auto begin = page.find(kBegin);
  const auto end = page.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::string wanted =
      page.substr(0, begin + kBegin.size()) + "\n" + format_tables() + "\n" + page.substr(end);
  if (std::getenv("KI_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << wanted;
  EXPECT_EQ(testing::read(path), wanted) << "KI_UPDATE_GOLDEN=1 tools/test rewrites it";
}

}  // namespace
}  // namespace ki::manifest
