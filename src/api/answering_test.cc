// Lists trimmed to the members that are asked for.
#include "api/answering.h"

#include <gtest/gtest.h>

namespace ki::api {
namespace {

struct Item {
  static constexpr std::string_view kWireName = "Item";
  std::string id;
  std::optional<std::string> note;
  std::vector<std::string> tags;
  template <class V>
  static void describe(V& v) {
    v.field("id", &Item::id, "");
    v.field("note", &Item::note, "");
    v.field("tags", &Item::tags, "");
  }
};

struct List {
  static constexpr std::string_view kWireName = "List";
  std::vector<Item> items;
  std::int64_t total = 0;
  template <class V>
  static void describe(V& v) {
    v.field("items", &List::items, "");
    v.field("total", &List::total, "");
  }
};

Arguments arguments_of(std::string_view fields) {
  http::Request request;
  request.parameters.emplace_back("fields", std::string(fields));
  const std::array parameters = {kFields};
  auto out = check(parameters, {}, request);
  EXPECT_TRUE(out);
  return out ? std::move(*out) : Arguments{};
}

Answer ask(std::string_view fields) {
  return to_list(arguments_of(fields), []() -> Result<List> {
    return List{.items = {{.id = "a", .note = std::nullopt, .tags = {"x", "y"}}}, .total = 1};
  });
}

TEST(Fields, TrimEveryRowAndNothingElse) {
  EXPECT_EQ(ask("").value(), R"({"items":[{"id":"a","note":null,"tags":["x","y"]}],"total":1})");
  EXPECT_EQ(ask("id").value(), R"({"items":[{"id":"a"}],"total":1})");
  EXPECT_EQ(ask(" tags , note,tags,").value(),
            R"({"items":[{"note":null,"tags":["x","y"]}],"total":1})");
}

TEST(Fields, ANameThatARowHasNotIsRefusedWithTheKnownOnes) {
  const Answer answer = ask("id,total,nope");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().status, 400);
  const std::string text = json::to_json(answer.error());
  EXPECT_NE(text.find("/query/fields"), std::string::npos) << text;
  EXPECT_NE(text.find("it has id, note, tags"), std::string::npos) << text;
  EXPECT_NE(text.find("nope"), std::string::npos) << text;
  EXPECT_NE(text.find("total"), std::string::npos) << "of the page, not of a row";
}

}  // namespace
}  // namespace ki::api
