// Lists trimmed to the members that are asked for.
#include "api/trim.h"

#include <array>
#include <variant>

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

constexpr std::array<std::string_view, 1> kItems = {"items"};
constexpr std::array<std::string_view, 1> kDays = {"days"};

Arguments arguments_of(std::string_view fields) {
  http::Request request;
  request.parameters.emplace_back("fields", std::string(fields));
  const std::array parameters = {kFields};
  auto out = check(parameters, {}, request);
  EXPECT_TRUE(out);
  return out ? std::move(*out) : Arguments{};
}

Answer ask(std::string_view fields) {
  return to_list(arguments_of(fields), kItems, []() -> Result<List> {
    return List{.items = {{.id = "a", .note = std::nullopt, .tags = {"x", "y"}}}, .total = 1};
  });
}

TEST(Fields, TrimEveryRowAndNothingElse) {
  EXPECT_EQ(ask("").value().json,
            R"({"items":[{"id":"a","note":null,"tags":["x","y"]}],"total":1})");
  EXPECT_EQ(ask("id").value().json, R"({"items":[{"id":"a"}],"total":1})");
  EXPECT_EQ(ask(" tags , note,tags,").value().json,
            R"({"items":[{"note":null,"tags":["x","y"]}],"total":1})");
}

struct Answered {
  static constexpr std::string_view kWireName = "Answered";
  std::vector<Item> items;
  std::vector<query::NotApplied> not_applied;
  template <class V>
  static void describe(V& v) {
    v.field("items", &Answered::items, "");
    v.field("notApplied", &Answered::not_applied, "");
  }
};

TEST(Fields, TrimNothingOfWhatIsSaidOfTheQuestion) {
  const auto answered = [](std::string_view fields) {
    return to_list(arguments_of(fields), kItems, []() -> Result<Answered> {
      return Answered{.items = {{.id = "a", .note = std::nullopt, .tags = {}}},
                      .not_applied = {{.parameter = "of", .value = "zzz", .text = "none"}}};
    });
  };
  EXPECT_EQ(
      answered("id").value().json,
      R"({"items":[{"id":"a"}],"notApplied":[{"parameter":"of","value":"zzz","text":"none"}]})");
  EXPECT_FALSE(answered("value")) << "no row has it";
}

struct Other {
  static constexpr std::string_view kWireName = "Other";
  std::string id;
  std::int64_t count = 0;
  template <class V>
  static void describe(V& v) {
    v.field("id", &Other::id, "");
    v.field("count", &Other::count, "");
  }
};

struct Day {
  static constexpr std::string_view kWireName = "Day";
  static constexpr bool kGroupsRows = true;
  std::string date;
  std::vector<std::variant<Item, Other>> entries;
  template <class V>
  static void describe(V& v) {
    v.field("date", &Day::date, "");
    v.field("entries", &Day::entries, "");
  }
};

struct Days {
  static constexpr std::string_view kWireName = "Days";
  std::vector<Day> days;
  template <class V>
  static void describe(V& v) {
    v.field("days", &Days::days, "");
  }
};

TEST(Fields, TrimTheRowsOfGroupsEachByTheMembersThatItHas) {
  const auto days = [](std::string_view fields) {
    return to_list(arguments_of(fields), kDays, []() -> Result<Days> {
      Day day{.date = "d", .entries = {}};
      day.entries.emplace_back(Item{.id = "a", .note = std::nullopt, .tags = {}});
      day.entries.emplace_back(Other{.id = "b", .count = 2});
      return Days{.days = {std::move(day)}};
    });
  };
  EXPECT_EQ(days("id,count").value().json,
            R"({"days":[{"date":"d","entries":[{"id":"a"},{"id":"b","count":2}]}]})");
  EXPECT_EQ(days("note").value().json, R"({"days":[{"date":"d","entries":[{"note":null},{}]}]})");
  const Answer refused = days("date");
  ASSERT_FALSE(refused) << "of a day, not of a row";
  EXPECT_NE(json::to_json(refused.error()).find("it has id, note, tags, count"), std::string::npos);
}

struct Lists {
  static constexpr std::string_view kWireName = "Lists";
  List some;
  std::optional<std::vector<Other>> others;
  std::vector<Other> facts;
  template <class V>
  static void describe(V& v) {
    v.field("some", &Lists::some, "");
    v.field("others", &Lists::others, "");
    v.field("facts", &Lists::facts, "");
  }
};

TEST(Fields, TrimTheListsThatHoldRowsWhereverTheyAre) {
  static constexpr std::array<std::string_view, 2> kRows = {"some", "others"};
  const auto lists = [](std::string_view fields, bool has_others) {
    return to_list(arguments_of(fields), kRows, [=]() -> Result<Lists> {
      Lists out{.some = {.items = {{.id = "a", .note = std::nullopt, .tags = {}}}, .total = 1},
                .others = {},
                .facts = {{.id = "c", .count = 3}}};
      if (has_others) out.others = {{.id = "b", .count = 2}};
      return out;
    });
  };
  EXPECT_EQ(lists("id", true).value().json,
            R"({"some":{"items":[{"id":"a"}],"total":1},"others":[{"id":"b"}],)"
            R"("facts":[{"id":"c","count":3}]})");
  EXPECT_EQ(lists("note,count", false).value().json,
            R"({"some":{"items":[{"note":null}],"total":1},"others":null,)"
            R"("facts":[{"id":"c","count":3}]})");
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
