// Winner maps: who leads where, where it flips, what is never claimed, and that each point is the
// group that a search for it ranks.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query/testing_rows.h"

namespace ki::query {
namespace {

using testing::digest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TestCatalog;
using testing::uuid;

// "rope" over tokens and heads. On the H100 with heads = 8: Small leads up to 64 tokens, Large from
// 256 on; 128 tokens were never measured there. On the A100 only one implementation ran.
class WinnersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    catalog.operation("0001", "rope", "rope");
    catalog.implementation("0201", "small", true);
    catalog.implementation("0202", "large", true);
    workload("0101", 32, 8);
    workload("0102", 64, 8);
    workload("0103", 128, 8);
    workload("0104", 256, 8);
    workload("0105", 64, 16);
    pair("031", "0101", 10, 20);
    pair("032", "0102", 20, 30);
    pair("034", "0104", 90, 60);
    pair("035", "0105", 50, 50);
    catalog.run({.id = "0361",
                 .implementation = "0202",
                 .workload = "0102",
                 .hardware = "NVIDIA A100",
                 .architecture = "sm_80",
                 .value = 70,
                 .spread = 1});
  }

  void workload(const std::string& id, int tokens, int heads) {
    catalog.put(
        catalog::WorkloadRow{.id = uuid(id),
                             .operation_id = uuid("0001"),
                             .kind = "WorkloadCase",
                             .workload_digest = digest(id),
                             .schema_version = "v1alpha1",
                             .correctness_key = digest("c0"),
                             .shape_summary = "[]",
                             .dtypes = R"(["bf16"])",
                             .layout_keys = "[]",
                             .manifest = R"({"spec":{"axes":{"heads":)" + std::to_string(heads) +
                                         R"(,"tokens":)" + std::to_string(tokens) +
                                         R"(},"tensors":{},"correctness":{"comparator":"close"}}})",
                             .created_at = TestCatalog::kTime});
  }

  void pair(const std::string& id, const std::string& workload, double small, double large,
            double spread = 1) {
    catalog.run({.id = id + "1",
                 .implementation = "0201",
                 .workload = workload,
                 .value = small,
                 .spread = spread});
    catalog.run({.id = id + "2",
                 .implementation = "0202",
                 .workload = workload,
                 .value = large,
                 .spread = spread});
  }

  WinnerMap ask(const WinnersOptions& options) {
    auto map = catalog.resolver().winners("rope", options);
    EXPECT_TRUE(map) << to_string(map.error());
    return map ? std::move(*map) : WinnerMap{};
  }

  static std::vector<std::string> verdicts(const WinnerMap& map) {
    std::vector<std::string> out;
    for (const WinnerCell& cell : map.cells) out.push_back(cell.verdict);
    return out;
  }

  TestCatalog catalog;
};

TEST_F(WinnersTest, EachPointHasItsLeaderByHowMuchAndItsGroup) {
  const WinnerMap map = ask({.x = "tokens", .axes = "heads=8", .hardware = "H100"});
  EXPECT_THAT(map.x.values, ElementsAre(32, 64, 128, 256));
  EXPECT_EQ(map.y, std::nullopt);
  EXPECT_THAT(verdicts(map), ElementsAre("winner", "winner", "unmeasured", "winner"));
  const WinnerCell& first = map.cells.front();
  EXPECT_EQ(first.leader->slug, "small");
  EXPECT_EQ(first.value->value, 10);
  EXPECT_EQ(first.second->slug, "large");
  EXPECT_EQ(first.second_value, 20);
  EXPECT_EQ(first.ratio, 2.0);
  EXPECT_EQ(first.run_id, uuid("0311"));
  EXPECT_EQ(first.hardware, "NVIDIA H100");
  EXPECT_EQ(first.other_cohorts, 0);
  EXPECT_EQ(map.cells[2].leader, std::nullopt);
  EXPECT_EQ(map.cells[2].cohort, std::nullopt);
  EXPECT_EQ(map.counts.winner, 3);
  EXPECT_EQ(map.counts.unmeasured, 1);
  EXPECT_THAT(map.notes, ElementsAre(HasSubstr("'H100' names several products")));
  ASSERT_EQ(map.series.size(), 1U);
  EXPECT_EQ(map.series[0].cells, 3);
  EXPECT_EQ(map.series[0].axes, (std::map<std::string, std::int64_t>{{"heads", 8}}));
}

TEST_F(WinnersTest, AFlipIsBetweenMeasuredNeighboursAndSaysWhatLiesBetween) {
  const WinnerMap map = ask({.x = "TOKENS", .axes = "heads=8", .hardware = "H100"});
  ASSERT_EQ(map.flips.size(), 1U);
  const WinnerFlip& flip = map.flips[0];
  EXPECT_EQ(flip.along, "tokens");
  EXPECT_EQ(flip.from, 64);
  EXPECT_EQ(flip.to, 256);
  EXPECT_EQ(flip.from_leader.slug, "small");
  EXPECT_EQ(flip.to_leader.slug, "large");
  EXPECT_EQ(flip.unmeasured_between, 1);
  EXPECT_TRUE(flip.comparable);
  EXPECT_TRUE(flip.claimed);
}

TEST_F(WinnersTest, ATieIsNoFlipAndNoWinner) {
  const WinnerMap map = ask({.x = "tokens", .y = "heads", .hardware = "H100"});
  EXPECT_THAT(map.y->values, ElementsAre(8, 16));
  ASSERT_EQ(map.cells.size(), 8U);
  const WinnerCell& tied = map.cells[5];  // heads 16, tokens 64
  EXPECT_EQ(tied.x, 64);
  EXPECT_EQ(tied.y, 16);
  EXPECT_EQ(tied.verdict, "tie");
  ASSERT_TRUE(tied.tied);
  EXPECT_EQ(tied.tied->size(), 1U);
  for (const WinnerFlip& flip : map.flips) EXPECT_NE(flip.along, "heads") << flip.text;
  EXPECT_EQ(map.counts.tie, 1);
}

TEST_F(WinnersTest, AnUnknownSpreadIsNotEnoughEvidenceForAClaim) {
  workload("0106", 512, 8);
  pair("037", "0106", 10, 20, 0);
  const WinnerMap map = ask({.x = "tokens", .axes = "heads=8", .hardware = "H100"});
  EXPECT_EQ(map.cells.back().verdict, "not_enough_evidence");
  ASSERT_EQ(map.flips.size(), 2U);
  EXPECT_FALSE(map.flips[1].claimed);
  EXPECT_THAT(map.flips[1].text, HasSubstr("not a claim"));
}

TEST_F(WinnersTest, HardwareAsTheSecondAxisKeepsProductsApart) {
  const WinnerMap map = ask({.x = "tokens", .y = "hardware", .axes = "heads=8"});
  EXPECT_THAT(map.y->hardware, ElementsAre("NVIDIA H100", "NVIDIA A100"));
  ASSERT_EQ(map.cells.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(map.cells[i].hardware, i < 4 ? "NVIDIA H100" : "NVIDIA A100");
  }
  EXPECT_EQ(map.cells[5].verdict, "only_run");
  EXPECT_EQ(map.series.size(), 2U) << "the two never share a series";
  for (const WinnerFlip& flip : map.flips) EXPECT_EQ(flip.at_hardware, "NVIDIA H100");
}

TEST_F(WinnersTest, GroupsOfUnlikeConditionsAreNeverSetBesideEachOtherInSilence) {
  // Without hardware, 64 tokens have two groups; 512 were measured on the A100 only.
  workload("0106", 512, 8);
  catalog.run({.id = "0381",
               .implementation = "0201",
               .workload = "0106",
               .hardware = "NVIDIA A100",
               .architecture = "sm_80",
               .value = 70,
               .spread = 1});
  const WinnerMap map = ask({.x = "tokens", .axes = "heads=8"});
  EXPECT_EQ(map.cells[1].other_cohorts, 1);
  EXPECT_THAT(map.notes, ::testing::Contains(HasSubstr("several groups")));
  const auto at = std::ranges::find(map.flips, 512, &WinnerFlip::to);
  ASSERT_NE(at, map.flips.end());
  EXPECT_FALSE(at->comparable);
  EXPECT_THAT(at->text, HasSubstr("not comparable"));
}

TEST_F(WinnersTest, EachPointIsTheGroupThatASearchForItRanks) {
  catalog.run({.id = "0391",
               .implementation = "0201",
               .workload = "0101",
               .value = 5,
               .raw_evidence = true,
               .spread = 1,
               .pass = "forward"});
  const auto resolver = catalog.resolver();
  int compared = 0;
  for (const char* hardware : {"", "H100", "A100"}) {
    const WinnerMap map = ask({.x = "tokens", .y = "heads", .hardware = hardware});
    for (const WinnerCell& cell : map.cells) {
      KernelRequest request;
      request.operation.emplace().name = "rope";
      request.operation->axes = {{"tokens", static_cast<double>(cell.x)},
                                 {"heads", static_cast<double>(*cell.y)}};
      if (*hardware != '\0') request.environment.emplace().hardware_product = hardware;
      const auto answer = resolver.resolve(request);
      ASSERT_TRUE(answer) << to_string(answer.error());
      if (cell.verdict == "unmeasured") {
        EXPECT_EQ(answer->fitting_cohorts, 0) << hardware << cell.x;
        continue;
      }
      ++compared;
      ASSERT_TRUE(answer->cohort);
      EXPECT_EQ(*cell.cohort, answer->cohort->comparison_key) << hardware << cell.x;
      EXPECT_EQ(cell.verdict, answer->verdict->code);
      EXPECT_EQ(cell.run_id, answer->groups.exact.front().run_id);
      EXPECT_EQ(*cell.other_cohorts + 1, answer->fitting_cohorts);
    }
  }
  EXPECT_GT(compared, 8);
}

TEST_F(WinnersTest, AxesNobodyNamesAreThoseThatVaryMost) {
  const WinnerMap map = ask({});
  EXPECT_EQ(map.x.name, "tokens");
  ASSERT_TRUE(map.y);
  EXPECT_EQ(map.y->name, "heads");
  EXPECT_THAT(map.known_axes, ElementsAre("tokens", "heads"));
  EXPECT_EQ(ask({.y = "tokens"}).x.name, "heads");
}

TEST_F(WinnersTest, WhatIsCutIsSaid) {
  for (int i = 0; i < 66; ++i) {
    const std::string id = std::to_string(4000 + i);
    workload(id, 1000 + i, 8);
    if (i % 2 == 0) {
      catalog.run({.id = std::to_string(5000 + i), .implementation = "0201", .workload = id});
    }
  }
  const WinnerMap map = ask({.x = "tokens", .y = "heads"});
  EXPECT_EQ(map.x.values.size(), kWinnerValuesMax);
  EXPECT_EQ(map.x.cut, 70 - 64);
  EXPECT_EQ(map.cells.size(), kWinnerValuesMax * 2);
  EXPECT_THAT(map.notes, ::testing::Contains(HasSubstr("axes tokens=1060..")));
  const WinnerMap rest = ask({.x = "tokens", .axes = "tokens=1060.."});
  EXPECT_EQ(rest.x.values.size(), 6U);
  EXPECT_EQ(rest.x.cut, 0);
}

TEST_F(WinnersTest, WhatIsNoAxisIsRefusedWithTheKnownOnes) {
  const auto refused = [&](const WinnersOptions& options) {
    const auto map = catalog.resolver().winners("rope", options);
    return map ? std::string("answered") : map.error().message;
  };
  EXPECT_THAT(refused({.x = "token"}), HasSubstr("there are: heads, tokens"));
  EXPECT_THAT(refused({.x = "tokens", .y = "tokens"}), HasSubstr("two different axes"));
  EXPECT_THAT(refused({.x = "hardware"}), HasSubstr("y may be hardware"));
  EXPECT_THAT(refused({.axes = "heads"}), HasSubstr("batch=4"));
  EXPECT_THAT(refused({.axes = "heads=8,heads=9"}), HasSubstr("twice"));
  EXPECT_THAT(refused({.dtype = "float99"}), HasSubstr("float99"));
  EXPECT_THAT(refused({.pass = "sideways"}), HasSubstr("sideways"));
  EXPECT_THAT(ask({.hardware = "MI300X"}).notes,
              ::testing::Contains("Nothing measured satisfies the conditions"));
  const auto none = catalog.resolver().winners("rpoe", {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::not_found);
}

TEST_F(WinnersTest, AnOperationWithoutAxesHasAnEmptyMap) {
  catalog.operation("0002", "suite", "suite");
  catalog.workload("0199", 3);
  const auto map = catalog.resolver().winners("suite", {});
  ASSERT_TRUE(map) << to_string(map.error());
  EXPECT_EQ(map->counts.unmeasured, 1) << "a case that nobody measured is a point";
  EXPECT_THAT(map->flips, IsEmpty());
}

}  // namespace
}  // namespace ki::query
