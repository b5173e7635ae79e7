#include "mcp/shorten.h"

#include <array>

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

TEST(ShortenPage, LosesAnythingButARow) {
  const std::string row = R"({"id":"r","notes":)" + list_of(40, "\"note\"") + "}";
  const std::string text = R"({"facts":)" + list_of(60, "123456") + R"(,"groups":{"exact":)" +
                           list_of(3, row) + R"(,"other":)" + list_of(2, row) +
                           R"(},"nextCursor":"c"})";
  const auto page = json::parse(text);
  ASSERT_TRUE(page);
  constexpr std::array<std::string_view, 1> kLists = {"groups"};
  const auto rows = [](const std::string& out, std::string_view list) {
    const auto document = json::parse(out);
    return document ? document->root.find("groups")->find(list)->items().size() : 0;
  };
  const auto ends = shorten_page(page->root, kLists, Loss::ends, 1700);
  ASSERT_TRUE(ends);
  EXPECT_LE(ends->size(), 1700U);
  EXPECT_THAT(*ends, HasSubstr("facts"));
  const auto members = shorten_page(page->root, kLists, Loss::members, 1660);
  ASSERT_TRUE(members);
  const auto inside = shorten_page(page->root, kLists, Loss::inside, 1100);
  ASSERT_TRUE(inside);
  EXPECT_THAT(*inside, HasSubstr(R"("pointer":"/groups/exact/0/notes")"));
  for (const auto* out : {&*ends, &*members, &*inside}) {
    EXPECT_EQ(rows(*out, "exact"), 3U) << *out;
    EXPECT_EQ(rows(*out, "other"), 2U) << *out;
    EXPECT_THAT(*out, HasSubstr(R"("nextCursor":"c")"));
  }
  EXPECT_EQ(shorten_page(page->root, kLists, Loss::members, 100), std::nullopt);
}

TEST(ShortenPage, KeepsTheStartOfEachRowAtLast) {
  std::string row = R"({"id":"r")";
  for (int i = 0; i < 40; ++i)
    row += ",\"k" + std::to_string(i) + "\":\"" + std::string(30, 'x') + '"';
  const auto page = json::parse(R"({"rows":)" + list_of(4, row + "}") + "}");
  ASSERT_TRUE(page);
  constexpr std::array<std::string_view, 1> kLists = {"rows"};
  const auto out = shorten_page(page->root, kLists, Loss::inside, 1700);
  ASSERT_TRUE(out);
  const auto document = json::parse(*out);
  ASSERT_TRUE(document);
  ASSERT_EQ(document->root.find("rows")->items().size(), 4U) << *out;
  for (const auto& one : document->root.find("rows")->items()) EXPECT_NE(one.find("id"), nullptr);
  EXPECT_THAT(*out, HasSubstr(R"("pointer":"/rows/3","kind":"row")"));
}

// The nulls of a row stayed where its value and the verdict went.
TEST(ShortenPage, TheAnswerOutlivesWhatIsAround) {
  const std::string filler = "\"" + std::string(90, 'x') + "\"";
  std::string row = R"({"runId":"r","install":null,"revision":null,"mismatches":[],"a":)" + filler +
                    R"(,"b":)" + filler + R"(,"c":)" + filler + R"(,"d":)" + filler +
                    R"(,"implementation":{"name":"Liger"},"primary":{"value":15,"spread":null},)" +
                    R"("rank":1,"evidence":"reported"})";
  const std::string text =
      R"({"query":"q","operation":{"slug":"rope"},"facts":)" + list_of(20, filler) +
      R"(,"unmet":[],"matches":null,"groups":{"exact":)" + list_of(2, row) + R"(},"fastest":)" +
      row + R"(,"verdict":{"code":"winner"},"nextCursor":"c"})";
  const auto page = json::parse(text);
  ASSERT_TRUE(page);
  constexpr std::array<std::string_view, 1> kLists = {"groups"};
  for (const std::size_t room : {3000U, 1600U, 1200U, 900U}) {
    std::optional<std::string> out;
    for (const Loss loss : {Loss::ends, Loss::members, Loss::inside}) {
      if (!out) out = shorten_page(page->root, kLists, loss, room);
    }
    ASSERT_TRUE(out) << room;
    EXPECT_LE(out->size(), room);
    const auto document = json::parse(*out);
    ASSERT_TRUE(document) << *out;
    const auto rows = document->root.find("groups")->find("exact")->items();
    ASSERT_EQ(rows.size(), 2U);
    for (const auto& one : rows) {
      ASSERT_NE(one.find("primary"), nullptr) << room << ": " << *out;
      EXPECT_EQ(one.find("primary")->find("value")->number(), 15);
      EXPECT_NE(one.find("implementation"), nullptr) << room << ": " << *out;
    }
    ASSERT_NE(document->root.find("verdict"), nullptr) << room << ": " << *out;
    EXPECT_NE(document->root.find("fastest"), nullptr) << room << ": " << *out;
    EXPECT_NE(document->root.find("operation"), nullptr) << room << ": " << *out;
  }
}

TEST(ShortenPage, KeepsTheEntriesOfEachGroup) {
  const std::string entry = "{\"n\":" + list_of(40, "1") + "}";
  const auto page = json::parse(R"({"days":[{"date":"a","entries":)" + list_of(9, entry) +
                                R"(},{"date":"b","entries":)" + list_of(7, entry) + "}]}");
  ASSERT_TRUE(page);
  constexpr std::array<std::string_view, 1> kLists = {"days"};
  const auto out = shorten_page(page->root, kLists, Loss::inside, 1250);
  ASSERT_TRUE(out);
  const auto document = json::parse(*out);
  ASSERT_TRUE(document);
  const auto days = document->root.find("days")->items();
  EXPECT_EQ(days[0].find("entries")->items().size(), 9U) << *out;
  EXPECT_EQ(days[1].find("entries")->items().size(), 7U) << *out;
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
