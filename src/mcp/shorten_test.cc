#include "mcp/shorten.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/read.h"
#include "json/write.h"

namespace ki::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string shortened(const std::string& text, std::size_t bytes_max) {
  const auto document = json::parse(text, json::kBundleLimits);
  EXPECT_TRUE(document.has_value());
  return shorten(document->root, bytes_max);
}

std::string list_of(int count, const std::string& item) {
  std::string out = "[";
  for (int i = 0; i < count; ++i) out += (i == 0 ? "" : ",") + item;
  return out + "]";
}

TEST(Shorten, LeavesWhatFits) {
  const std::string text = R"({"a":[1,2,3],"b":"text","c":null,"d":{"e":1.5}})";
  EXPECT_EQ(shortened(text, text.size()), text);
}

TEST(Shorten, CutsListsAndSaysHowMuchIsLeft) {
  const std::string out = shortened(R"({"name":"x","rows":)" + list_of(500, "12345678") + "}", 400);
  EXPECT_LE(out.size(), 400U);
  const auto document = json::parse(out);
  ASSERT_TRUE(document.has_value()) << out;
  const auto* omitted = document->root.find("omitted");
  ASSERT_NE(omitted, nullptr);
  const auto& one = omitted->items()[0];
  EXPECT_EQ(one.find("pointer")->string(), "/rows");
  EXPECT_EQ(one.find("kind")->string(), "items");
  EXPECT_EQ(one.find("total")->number(), 500);
  EXPECT_EQ(one.find("shown")->number(),
            static_cast<double>(document->root.find("rows")->items().size()));
}

TEST(Shorten, CutsLongTextsButNoDigest) {
  const std::string digest = "sha256:" + std::string(64, 'a');
  const std::string out = shortened(
      R"({"digest":")" + digest + R"(","source":")" + std::string(9000, 's') + "\"}", 1024);
  EXPECT_LE(out.size(), 1024U);
  EXPECT_THAT(out, HasSubstr(digest));
  EXPECT_THAT(out, HasSubstr(R"("pointer":"/source","kind":"text")"));
}

TEST(Shorten, DropsTheLargestMembersWhenNothingElseHelps) {
  std::string wide = "{";
  for (int i = 0; i < 200; ++i) wide += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":12345";
  wide += '}';
  const std::string out = shortened(R"({"id":"x","wide":)" + wide + "}", 300);
  EXPECT_LE(out.size(), 300U);
  EXPECT_THAT(out, HasSubstr(R"("id":"x")"));
  EXPECT_THAT(out, HasSubstr(R"("pointer":"/wide","kind":"member")"));
  EXPECT_THAT(out, Not(HasSubstr("k17")));
}

// Of a batch all results were dropped as one member.
TEST(Shorten, MakesTheItemsOfALongListSmallBeforeItDropsThem) {
  std::string wide;
  for (int i = 0; i < 2000; ++i) wide += ",\"k" + std::to_string(i) + "\":{\"a\":12345}";
  const std::string out = shortened(
      R"({"at":"now","results":)" + list_of(4, R"({"leader":"Liger")" + wide + "}") + "}", 8000);
  EXPECT_LE(out.size(), 8000U);
  const auto document = json::parse(out);
  ASSERT_TRUE(document) << out;
  const auto results = document->root.find("results")->items();
  ASSERT_EQ(results.size(), 4U) << out;
  for (const auto& one : results) {
    EXPECT_EQ(one.find("leader")->string(), "Liger");
    EXPECT_NE(one.find("omitted"), nullptr);
  }
}

TEST(Shorten, NeverCutsACursor) {
  const std::string cursor(400, 'c');
  const std::string out =
      shortened(R"({"rows":)" + list_of(100, "\"" + std::string(300, 'r') + "\"") +
                    R"(,"nextCursor":")" + cursor + "\"}",
                1024);
  EXPECT_LE(out.size(), 1024U);
  EXPECT_THAT(out, HasSubstr(cursor));
}

TEST(Shorten, ListsAFewOmissionsAndCountsTheRest) {
  std::string text = "{\"all\":[";
  for (int i = 0; i < 20; ++i) {
    text += (i == 0 ? "" : ",") + std::string("{\"t\":\"") + std::string(3000, 'x') + "\"}";
  }
  const std::string out = shortened(text + "]}", 24'000);
  EXPECT_LE(out.size(), 24'000U);
  const auto document = json::parse(out);
  ASSERT_TRUE(document.has_value());
  EXPECT_LE(document->root.find("omitted")->items().size(), kOmissionsListed);
  EXPECT_NE(document->root.find("omittedMore"), nullptr);
}

}  // namespace
}  // namespace ki::mcp
