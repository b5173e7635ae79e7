// Operations that compute the same under two names: one row in lists, one answer, one dossier.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query/resolver.h"
#include "query/testing_rows.h"

namespace ki::query {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TestCatalog;
using ::testing::UnorderedElementsAre;
using testing::uuid;

using Texts = std::vector<std::string>;

Texts slugs_of(const std::vector<IndexEntry>& entries) {
  Texts out;
  for (const IndexEntry& entry : entries) out.push_back(entry.slug);
  return out;
}

// "021-turn" (two runs) and "turn" (one) are the same, "spin" is another of their family.
class EquivalentsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    add("1", "021-turn", {100, 120});
    add("2", "turn", {90});
    add("3", "spin", {80, 81});
    catalog.equivalence("0001", "71");
    catalog.equivalence("0002", "71");
    catalog.equivalence("0003", "73");
    catalog.touch("8001");
  }
  void add(const std::string& digit, const std::string& slug, const std::vector<double>& values) {
    catalog.operation("000" + digit, slug, "rotary");
    catalog.workload("010" + digit, 16);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string number = digit + std::to_string(i);
      catalog.implementation("02" + number, slug + "-by-" + std::to_string(i), true);
      catalog.run({.id = "03" + number,
                   .implementation = "02" + number,
                   .workload = "010" + digit,
                   .value = values[i]});
    }
  }
  TestCatalog catalog;
};

TEST_F(EquivalentsTest, AChooserHasOneRowAGroup) {
  const auto found = catalog.resolver().search("rotary");
  ASSERT_TRUE(found) << to_string(found.error());
  ASSERT_TRUE(found->matches);
  EXPECT_THAT(slugs_of(*found->matches), ElementsAre("021-turn", "spin"));
  const IndexEntry& group = found->matches->front();
  EXPECT_EQ(group.runs, 3);
  EXPECT_THAT(group.aliases, Contains("turn"));
  EXPECT_EQ(group.query, "op:021-turn");
  const auto facet = catalog.resolver().search("rotary H100");
  ASSERT_TRUE(facet && facet->matches);
  for (const IndexEntry& entry : *facet->matches) {
    ASSERT_TRUE(entry.match) << entry.slug;
    EXPECT_EQ(entry.match->matching, entry.slug == "spin" ? 2 : 3);
    EXPECT_EQ(entry.match->best->value, entry.slug == "spin" ? 80 : 90);
  }
  const auto measured = catalog.resolver().search("gpu:H100");
  ASSERT_TRUE(measured);
  EXPECT_THAT(slugs_of(measured->measured), ElementsAre("021-turn", "spin"));
  EXPECT_EQ(measured->measured.front().match->matching, 3);
}

TEST_F(EquivalentsTest, SoHasTheIndex) {
  const auto browsed = catalog.resolver().search("");
  ASSERT_TRUE(browsed && browsed->index);
  EXPECT_THAT(slugs_of(*browsed->index), ElementsAre("021-turn", "spin"));
  EXPECT_FALSE(browsed->next_cursor);
  const auto index = catalog.resolver().index();
  ASSERT_TRUE(index);
  EXPECT_THAT(slugs_of(*index), ElementsAre("021-turn", "spin"));
  const auto listed = catalog.resolver().operations();
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->operations.size(), 3U) << "the list of operations has each";
}

TEST_F(EquivalentsTest, AnAnswerUnitesTheirRuns) {
  for (const std::string query : {"op:turn", "turn", "op:021-turn n=16", "021-turn"}) {
    const auto found = catalog.resolver().search(query);
    ASSERT_TRUE(found) << to_string(found.error());
    ASSERT_EQ(found->mode, Mode::exact) << query;
    EXPECT_EQ(found->operation->slug, query.contains("021") ? "021-turn" : "turn");
    EXPECT_EQ(found->totals.exact + found->totals.compatible + found->totals.reported, 3) << query;
    EXPECT_EQ(found->totals.exact, 2) << "cohorts stay apart";
    Texts owners;
    for (const auto* group : {&found->groups.exact, &found->groups.compatible}) {
      for (const Row& row : *group) {
        owners.push_back(row.operation.slug);
        EXPECT_TRUE(row.implementation.slug.starts_with(row.operation.slug + "-by-"));
      }
    }
    EXPECT_THAT(owners, UnorderedElementsAre("021-turn", "021-turn", "turn"));
    EXPECT_THAT(found->notes,
                Contains(query.contains("021") ? "united with what computes the same: turn"
                                               : "united with what computes the same: 021-turn"));
    Texts related;
    for (const Ref& one : found->related) related.push_back(one.slug);
    EXPECT_THAT(related, ElementsAre("spin"));
  }
  const auto alone = catalog.resolver().search("spin");
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->totals.exact, 2);
  EXPECT_THAT(alone->notes, IsEmpty());
}

TEST_F(EquivalentsTest, ADossierNamesTheOthersAndUnitesThem) {
  const auto dossier = catalog.resolver().operation("turn");
  ASSERT_TRUE(dossier) << to_string(dossier.error());
  ASSERT_EQ(dossier->operation.equivalents.size(), 1U);
  EXPECT_EQ(dossier->operation.equivalents[0].slug, "021-turn");
  EXPECT_EQ(dossier->operation.id, uuid("0002"));
  EXPECT_EQ(dossier->workloads.size(), 2U);
  EXPECT_EQ(dossier->implementations.size(), 3U);
  EXPECT_EQ(dossier->coverage.reported + dossier->coverage.reproducible, 3);
  const auto alone = catalog.resolver().operation("spin");
  ASSERT_TRUE(alone);
  EXPECT_THAT(alone->operation.equivalents, IsEmpty());
}

TEST_F(EquivalentsTest, AModelHasTheRunsOfAll) {
  for (const std::string id : {"0001", "0002", "0003"}) {
    catalog.put(catalog::OperationTagRow{
        .operation_id = uuid(id), .tag = id == "0001" ? "rotary" : "model:m-1", .ordinal = 0});
  }
  catalog.put(
      catalog::OperationTagRow{.operation_id = uuid("0001"), .tag = "model:m-2", .ordinal = 1});
  catalog.put(
      catalog::OperationTagRow{.operation_id = uuid("0002"), .tag = "model:m-2", .ordinal = 1});
  catalog.touch("8002");
  const auto model = catalog.resolver().model("m-1");
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_EQ(model->stats.operations, 2);
  EXPECT_EQ(model->stats.runs, 5);
  ASSERT_EQ(model->groups.size(), 1U);
  Texts shown;
  for (const ModelEntry& entry : model->groups[0].entries) {
    shown.push_back(entry.operation.slug + " " + entry.fastest.implementation.slug);
  }
  EXPECT_THAT(shown, UnorderedElementsAre("turn 021-turn-by-0", "spin spin-by-0"))
      << "the group with most ranked runs";
  EXPECT_EQ(catalog.resolver().model("m-2")->stats.operations, 1) << "both are tagged";
  const auto models = catalog.resolver().models();
  ASSERT_TRUE(models);
  ASSERT_EQ(models->kernel.size(), 2U);
  EXPECT_EQ(models->kernel[0].model, "m-1");
  EXPECT_EQ(models->kernel[0].operations, 2);
  EXPECT_EQ(models->kernel[0].runs, 5);
  EXPECT_EQ(models->kernel[1].operations, 1);
  EXPECT_EQ(models->kernel[1].runs, 3);
}

TEST_F(EquivalentsTest, OneThatComesLaterIsTakenIn) {
  const Resolver resolver = catalog.resolver();
  const auto before = resolver.search("op:spin");
  ASSERT_TRUE(before);
  EXPECT_EQ(before->totals.exact, 2);
  add("4", "004-spin", {70});
  catalog.equivalence("0004", "73");
  catalog.touch("8002");
  const auto after = resolver.search("op:spin");
  ASSERT_TRUE(after);
  EXPECT_EQ(after->totals.exact + after->totals.compatible + after->totals.reported, 3);
}

TEST_F(EquivalentsTest, EachExactCaseIsThereOnce) {
  const auto cases = catalog.resolver().cases("turn");
  ASSERT_TRUE(cases);
  Texts seen;
  for (const ExactCase& one : cases->cases) {
    seen.push_back(std::to_string(one.axes.at("n")) + "|" + one.dtype + "|" + one.hardware + "|" +
                   one.pass);
  }
  EXPECT_FALSE(seen.empty());
  std::ranges::sort(seen);
  EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
}

}  // namespace
}  // namespace ki::query
