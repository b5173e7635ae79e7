#include "query/describe.h"

#include <gtest/gtest.h>

#include "json/read.h"

namespace ki::query {
namespace {

TEST(Describe, AnIntervalWithoutWidthIsNotShownButTheRankingSeesIt) {
  EXPECT_FALSE(interval_of(5, 5)) << "one timed call, repeated as three quantiles";
  EXPECT_FALSE(interval_of(5, std::nullopt));
  EXPECT_FALSE(interval_of(std::nullopt, 5));
  ASSERT_TRUE(interval_of(4, 5).has_value());
  EXPECT_EQ(interval_of(4, 5)->high, 5);
  ASSERT_TRUE(policy::stated_interval(5, 5).has_value());
  EXPECT_EQ(policy::stated_interval(5, 5)->low, 5);
}

TEST(Describe, LabelsAreTheTextsOfTheMetadata) {
  const auto facts = [](std::string_view text) {
    std::string all;
    const auto document = json::parse(text);
    for (const KeyValue& fact : label_facts(document.value().root)) {
      all += fact.key + "=" + fact.value + ";";
    }
    return all;
  };
  EXPECT_EQ(facts(R"({"metadata":{"labels":{"torch":"2.8","liger_version":"0.5"}}})"),
            "liger_version=0.5;torch=2.8;");
  EXPECT_EQ(facts(R"({"metadata":{"labels":{"n":1}}})"), "");
  EXPECT_EQ(facts(R"({"metadata":{"labels":[]}})"), "");
  EXPECT_EQ(facts(R"({"metadata":{}})"), "");
  EXPECT_EQ(facts("[]"), "");
}

}  // namespace
}  // namespace ki::query
