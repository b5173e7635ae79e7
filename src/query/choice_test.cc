// Which cohort is ranked where a workload has several: passes and metrics; what the answer says of
// the others; and that its lists are bounded.
#include <algorithm>

#include <gtest/gtest.h>

#include "query/resolver.h"
#include "query/testing_rows.h"

namespace ki::query {
namespace {

using testing::digest;
using testing::TestCatalog;
using testing::uuid;

// "rope" with one case: forward, backward and full latencies of two implementations on the H100,
// forward on the A100, and three memory runs, which are the largest group and hold raw evidence.
// "silu-backward" has a pass in its name and states none.
class ChoiceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    catalog.operation("0001", "rope", "rope");
    catalog.workload("0101", 64);
    catalog.implementation("0201", "quick", true);
    catalog.implementation("0202", "usable", true);
    catalog.implementation("0203", "third", true);
    add("0301", "forward", 10);
    add("0302", "backward", 20);
    add("0303", "full", 30);
    catalog.run({.id = "0310",
                 .implementation = "0201",
                 .workload = "0101",
                 .hardware = "NVIDIA A100",
                 .architecture = "sm_80",
                 .value = 40,
                 .pass = "forward"});
    for (const char* end : {"1", "2", "3"}) {
      catalog.run({.id = std::string("032") + end,
                   .implementation = std::string("020") + end,
                   .workload = "0101",
                   .value = 4096,
                   .raw_evidence = true,
                   .pass = "forward",
                   .metric = "peak_memory",
                   .unit = "bytes"});
    }
    catalog.operation("0002", "silu-backward", "silu");
    catalog.workload("0102", 32);
    catalog.run({.id = "0330", .implementation = "0201", .workload = "0102", .value = 5});
    catalog.touch("8001");
  }

  void add(const std::string& id, const std::string& pass, double value) {
    catalog.run(
        {.id = id, .implementation = "0201", .workload = "0101", .value = value, .pass = pass});
    catalog.run({.id = id.substr(0, 2) + "4" + id.substr(3),
                 .implementation = "0202",
                 .workload = "0101",
                 .value = value + 1,
                 .pass = pass});
  }

  Envelope ask(std::string_view query, const SearchOptions& options = {}) {
    const auto answer = catalog.resolver().search(query, options);
    EXPECT_TRUE(answer) << to_string(answer.error());
    return answer ? *answer : Envelope{};
  }

  static std::vector<std::string> ids(const std::vector<Row>& rows) {
    std::vector<std::string> out;
    for (const Row& row : rows) out.push_back(row.run_id.value_or(""));
    return out;
  }

  static std::string kind_of(const Envelope& envelope, std::string_view token) {
    const auto found = std::ranges::find(envelope.readings, token, &Reading::token);
    return found == envelope.readings.end() ? "" : found->kind;
  }

  TestCatalog catalog;
};

TEST_F(ChoiceTest, AWordOrAFacetChoosesThePass) {
  for (const std::string_view query :
       {"rope backward", "rope bwd", "rope pass:backward", "rope pass:BWD", "backward rope h100"}) {
    const Envelope out = ask(query);
    ASSERT_EQ(out.mode, Mode::exact) << query;
    EXPECT_EQ(out.cohort->pass, "backward") << query;
    EXPECT_EQ(out.groups.exact.at(0).primary->value, 20) << query;
    EXPECT_EQ(out.groups.exact.at(0).pass, "backward") << query;
    EXPECT_NE(out.cohort->description.find("backward pass"), std::string::npos) << query;
    EXPECT_NE(out.interpretation.find("pass backward"), std::string::npos) << query;
  }
  EXPECT_EQ(ask("rope fwd").cohort->pass, "forward");
  EXPECT_EQ(ask("rope pass:full").groups.exact.at(0).primary->value, 30);
}

TEST_F(ChoiceTest, OfTwoPassesTheOneThatCountsIsShown) {
  const auto line = [&](std::string_view query) { return ask(query).interpretation; };
  EXPECT_EQ(line("rope pass:forward pass:backward"), "Operation RoPE · pass backward");
  EXPECT_EQ(line("rope forward backward"), "Operation RoPE · pass backward");
  EXPECT_EQ(line("rope backward backward"), "Operation RoPE · pass backward");
  EXPECT_EQ(line("rope pass:forward backward"), "Operation RoPE · pass forward");
  EXPECT_EQ(line("rope backward pass:forward"), "Operation RoPE · pass forward");
  EXPECT_EQ(ask("rope forward bwd").notes, std::vector<std::string>{"forward is replaced by bwd"});
  EXPECT_TRUE(ask("rope backward bwd").notes.empty());
  const Envelope named = ask("silu backward pass:forward");
  EXPECT_EQ(named.operation->slug, "silu-backward");
  EXPECT_NE(named.interpretation.find("pass forward"), std::string::npos);
}

TEST_F(ChoiceTest, AQueryOfAGroupSaysEveryFacetOnce) {
  for (const CohortOption& option : ask("rope pass:forward").cohort_options) {
    const auto replaced = [](const auto& note) { return note.contains("replaced"); };
    EXPECT_TRUE(std::ranges::none_of(ask(option.query).notes, replaced)) << option.query;
  }
  catalog.run({.id = "0390",
               .implementation = "0201",
               .workload = "0102",
               .hardware = "NVIDIA H200",
               .value = 7});
  catalog.touch("8009");
  const Envelope out = ask("silu-backward gpu:\"NVIDIA\"");
  ASSERT_EQ(out.cohort_options.size(), 2U);
  for (const CohortOption& option : out.cohort_options) {
    EXPECT_EQ(option.query, "silu-backward gpu:\"" + option.hardware + "\"");
  }
}

TEST_F(ChoiceTest, APassNobodyStatesIsNoCondition) {
  const Envelope named = ask("silu backward");
  EXPECT_EQ(named.operation->slug, "silu-backward");
  EXPECT_EQ(kind_of(named, "backward"), "operation") << "a word of the name";
  EXPECT_EQ(named.groups.exact.size(), 1U);
  const Envelope other = ask("silu-backward fwd");
  EXPECT_EQ(kind_of(other, "fwd"), "ignored");
  EXPECT_EQ(other.groups.exact.size(), 1U);
  const Envelope asked = ask("silu-backward pass:forward");
  EXPECT_TRUE(asked.groups.exact.empty()) << "asked for in so many words, and not known";
  EXPECT_EQ(asked.facets.at(0).state, "refused");
}

TEST_F(ChoiceTest, ABadPassOrMetricIsAnIssueAndANumberStaysAnAxis) {
  EXPECT_EQ(ask("rope pass:sideways").issues.at(0).known.at(1), "backward");
  EXPECT_EQ(ask("rope metric:beauty").issues.at(0).code, "unknown_value");
  EXPECT_EQ(kind_of(ask("rope pass:2"), "pass:2"), "axis");
  EXPECT_EQ(kind_of(ask("rope cohort:12"), "cohort:12"), "axis");
  EXPECT_EQ(ask("rope cohort:xyz").issues.at(0).code, "unknown_value");
}

TEST_F(ChoiceTest, TimeIsRankedUnlessAnotherMetricIsAskedFor) {
  for (const std::string_view query : {"rope", "rope h100", "rope forward", "rope bf16"}) {
    EXPECT_EQ(ask(query).cohort->metric, "latency") << query;
  }
  for (const std::string_view query : {"rope metric:peak_memory", "rope metric:memory forward"}) {
    const Envelope out = ask(query);
    EXPECT_EQ(out.cohort->metric, "peak_memory") << query;
    EXPECT_EQ(out.groups.exact.size(), 3U) << query;
  }
}

TEST_F(ChoiceTest, RowsOfAnotherMetricStandBehindAndSaySo) {
  const Envelope out = ask("rope backward");
  const auto& rows = out.groups.reported;
  ASSERT_EQ(rows.size(), 8U);
  EXPECT_TRUE(std::ranges::is_sorted(
      rows, {}, [](const Row& row) { return row.primary->metric != "latency"; }));
  const auto field = [](const Row& row, std::string_view name) -> std::string {
    const auto found = std::ranges::find(row.differs, name, &Mismatch::field);
    return found == row.differs.end() ? "" : found->requested + " > " + found->observed;
  };
  EXPECT_EQ(field(rows.back(), "metric"), "latency > peak_memory");
  for (const Row& row : rows) EXPECT_FALSE(row.differs.empty());
  const auto a100 = std::ranges::find(rows, uuid("0310"), &Row::run_id);
  ASSERT_NE(a100, rows.end());
  EXPECT_EQ(field(*a100, "hardware.gpu"), "NVIDIA H100 > NVIDIA A100");
  EXPECT_EQ(field(*a100, "protocol.pass"), "backward > forward");
  EXPECT_EQ(field(*a100, "protocol"), "") << "the pass already says it";
}

TEST_F(ChoiceTest, EqualGroupsAreCountedAndEachHasAQuery) {
  const Envelope out = ask("rope h100");
  EXPECT_EQ(out.fitting_cohorts, 4) << "three passes and the memory group";
  ASSERT_EQ(out.cohort_options.size(), 5U);
  for (const CohortOption& option : out.cohort_options) {
    EXPECT_EQ(option.satisfies, option.hardware == "NVIDIA H100") << option.label;
    const Envelope narrowed = ask(option.query);
    ASSERT_TRUE(narrowed.cohort) << option.query;
    EXPECT_EQ(narrowed.cohort->comparison_key, option.key) << option.query;
  }
  const auto backward = std::ranges::find(out.cohort_options, "backward", &CohortOption::pass);
  EXPECT_EQ(backward->query, "rope h100 pass:backward metric:latency");
  EXPECT_EQ(backward->label, "NVIDIA H100 · backward · latency");
}

TEST_F(ChoiceTest, AFormFactorTellsVariantsOfAProductApart) {
  for (const auto& [id, form] : {std::pair("0351", "80GB HBM3"), std::pair("0352", "PCIe")}) {
    catalog.run(
        {.id = id, .implementation = "0201", .workload = "0102", .form_factor = form, .value = 9});
  }
  catalog.touch("8002");
  for (const std::string name : {"h100 pcie", "gpu:\"NVIDIA H100 PCIe\"", "\"NVIDIA H100 PCIe\""}) {
    const Envelope out = ask("silu " + name);
    EXPECT_EQ(ids(out.groups.exact), std::vector{uuid("0352")}) << name;
  }
  EXPECT_EQ(ids(ask("silu h100 80gb hbm3").groups.exact), std::vector{uuid("0351")});
  EXPECT_EQ(ids(ask("silu h100 sxm").groups.exact), std::vector{uuid("0351")});
  EXPECT_TRUE(ask("silu h100 nvl").groups.exact.empty());

  const Envelope both = ask("silu h100");
  ASSERT_EQ(both.variants.size(), 4U) << "the one not told apart, two measured, one never measured";
  for (const Variant& variant : both.variants) {
    EXPECT_EQ(variant.runs, variant.label == "NVIDIA H100 NVL" ? 0 : 1) << variant.label;
    if (variant.runs == 0 || variant.label == "NVIDIA H100") continue;
    EXPECT_EQ(ask(variant.query).groups.exact.size(), 1U) << variant.query;
  }
}

TEST_F(ChoiceTest, WhatNothingSatisfiesHasNoVerdictAndTheNearestGroup) {
  const Envelope out = ask("rope backward b200");
  EXPECT_TRUE(out.groups.exact.empty());
  EXPECT_FALSE(out.verdict);
  EXPECT_FALSE(out.fastest);
  EXPECT_EQ(out.cohort->pass, "backward") << "only the hardware is missed, not the pass too";
  ASSERT_FALSE(out.notes.empty());
  EXPECT_NE(out.notes[0].find("Nothing measured satisfies"), std::string::npos);
  EXPECT_TRUE(ask("rope backward").verdict);
}

TEST_F(ChoiceTest, HardwareAloneSaysWhatIsMeasuredOnIt) {
  const Envelope out = ask("h100?");
  EXPECT_EQ(out.mode, Mode::none);
  ASSERT_EQ(out.measured.size(), 2U);
  EXPECT_EQ(out.measured[0].slug, "rope") << "most runs first";
  EXPECT_EQ(out.measured[0].match->matching, 9);
  EXPECT_EQ(out.measured[1].match->matching, 1);
  for (const IndexEntry& entry : out.measured) {
    const Envelope one = ask(entry.query);
    EXPECT_EQ(one.operation->slug, entry.slug) << entry.query;
    EXPECT_FALSE(one.groups.exact.empty()) << entry.query;
  }
  EXPECT_EQ(ask("a100").measured.size(), 1U);
  EXPECT_EQ(ask("bf16").measured.size(), 2U);
  EXPECT_EQ(ask("hopper").measured.size(), 2U);
  EXPECT_TRUE(ask("h100 fp32").measured.empty());
  EXPECT_TRUE(ask("verified").measured.empty()) << "no hardware, no dtype";

  const Envelope nowhere = ask("5090");
  EXPECT_TRUE(nowhere.measured.empty());
  EXPECT_TRUE(
      nowhere.notes.back().starts_with("Nothing is measured with 5090; runs are on NVIDIA H100 ("));
  EXPECT_TRUE(nowhere.notes.back().ends_with("NVIDIA A100 (1 run)"));
}

TEST_F(ChoiceTest, WhatIsMeasuredComesInPages) {
  const Envelope first = ask("h100", {.limit = 1});
  ASSERT_EQ(first.measured.size(), 1U);
  ASSERT_TRUE(first.next_cursor);
  const Envelope second = ask("h100", {.cursor = *first.next_cursor, .limit = 1});
  ASSERT_EQ(second.measured.size(), 1U);
  EXPECT_NE(second.measured[0].slug, first.measured[0].slug);
  EXPECT_FALSE(second.next_cursor);
}

TEST_F(ChoiceTest, AnOperationWithoutSuchRunsOffersItsSiblings) {
  catalog.operation("0003", "rope-fused", "rope");
  catalog.workload("0104", 64);
  catalog.run({.id = "0391",
               .implementation = "0201",
               .workload = "0104",
               .hardware = "NVIDIA B200",
               .architecture = "sm_100",
               .value = 7});
  catalog.touch("8010");
  const Envelope out = ask("rope b200");
  EXPECT_EQ(out.operation->slug, "rope");
  ASSERT_EQ(out.measured.size(), 1U);
  EXPECT_EQ(out.measured[0].slug, "rope-fused");
  EXPECT_EQ(ask(out.measured[0].query).groups.exact.size(), 1U) << out.measured[0].query;
  EXPECT_TRUE(ask("rope a100").measured.empty()) << "it has such runs";
  EXPECT_TRUE(ask("rope a100 n=99").measured.empty()) << "it is the case that is missing";
  const Envelope none = ask("silu-backward b200");
  EXPECT_TRUE(none.measured.empty());
  EXPECT_EQ(none.notes.back(),
            "No related operation has runs with it either; B200 has 1 run of 1 operation");
}

// What a row is told to differ in is against one thing, and says which.
TEST_F(ChoiceTest, ADifferenceIsAgainstTheRequestOrElseTheRankedGroup) {
  const auto against = [](const Envelope& out, std::string_view field) {
    std::vector<std::string> found;
    for (const auto& rows : {out.groups.compatible, out.groups.reported}) {
      for (const Row& row : rows) {
        EXPECT_FALSE(row.differs.empty());
        const auto one = std::ranges::find(row.differs, field, &Mismatch::field);
        if (one == row.differs.end()) continue;
        EXPECT_NE(one->requested, one->observed);
        if (std::ranges::find(found, one->against) == found.end()) found.push_back(one->against);
      }
    }
    std::ranges::sort(found);
    return found;
  };
  using Found = std::vector<std::string>;
  const Envelope silent = ask("rope h100");
  EXPECT_EQ(against(silent, "protocol.pass"), Found{"cohort"});
  EXPECT_EQ(against(silent, "hardware.gpu"), Found{"request"});
  // Nothing is both: the group shown misses one of them, and is no measure for it.
  const Envelope unmet = ask("rope a100 backward");
  ASSERT_TRUE(unmet.groups.exact.empty());
  EXPECT_EQ(against(unmet, "protocol.pass"), Found{"request"});
  EXPECT_EQ(against(unmet, "hardware.gpu"), Found{"request"});
  EXPECT_EQ(against(unmet, "metric"), Found{"cohort"});
  const Envelope family = ask("rope sm_100");
  EXPECT_EQ(against(family, "hardware.gpu"), Found{}) << "the architecture decides the product";
}

TEST_F(ChoiceTest, ARangeTakesEveryCaseInsideIt) {
  catalog.operation("0001", "rope", "rope");
  for (const auto& [id, n] : {std::pair("0105", 128), std::pair("0106", 512)}) {
    catalog.workload(id, n);
    catalog.run({.id = std::string("04") + (id + 2),
                 .implementation = "0201",
                 .workload = id,
                 .value = static_cast<double>(n),
                 .pass = "forward"});
  }
  catalog.touch("8011");
  const auto values = [&](std::string_view query) {
    const Envelope out = ask(query);
    EXPECT_TRUE(out.issues.empty()) << query;
    return out.groups.exact.empty() ? 0 : out.groups.exact[0].primary->value;
  };
  EXPECT_EQ(values("rope n:100..200"), 128);
  EXPECT_EQ(values("rope n>200"), 512);
  EXPECT_EQ(values("rope n:..64 forward"), 10);
  EXPECT_EQ(ask("rope n:64..512").fitting_cohorts, 7) << "three cases";

  const Envelope above = ask("rope n>=1k");
  EXPECT_TRUE(above.groups.exact.empty());
  ASSERT_TRUE(above.nearest && above.nearest->below);
  EXPECT_EQ(above.nearest->below->value, 512);
  EXPECT_EQ(above.nearest->cases.at(0).distance_text, "n 0.5x");
  EXPECT_EQ(ask(above.nearest->below->query).groups.exact.size(), 1U);
  const Envelope between = ask("rope n:200..300");
  ASSERT_TRUE(between.nearest && between.nearest->below && between.nearest->above);
  EXPECT_EQ(between.nearest->below->value, 128);
  EXPECT_EQ(between.nearest->above->value, 512);
}

TEST_F(ChoiceTest, TheAddedFacetsChoose) {
  for (const auto& [id, form] : {std::pair("0351", "80GB HBM3"), std::pair("0352", "NVL")}) {
    catalog.run(
        {.id = id, .implementation = "0201", .workload = "0102", .form_factor = form, .value = 9});
  }
  catalog.touch("8012");
  const auto exact = [&](std::string_view query) { return ids(ask(query).groups.exact); };
  const std::vector<std::string> hbm = {uuid("0351")};
  EXPECT_EQ(exact("silu memory:80GB"), hbm);
  EXPECT_EQ(exact("silu memory:90..100"), std::vector{uuid("0352")});
  EXPECT_EQ(exact("silu memory:>=141"), std::vector<std::string>{});
  EXPECT_FALSE(exact("silu nvidia").empty());
  EXPECT_TRUE(exact("silu amd").empty());
  EXPECT_FALSE(exact("silu project:Project").empty());
  EXPECT_TRUE(exact("silu project:other").empty());
  EXPECT_FALSE(exact("silu protocol:bench statistic:p50").empty());
  EXPECT_TRUE(exact("silu statistic:mean").empty());
  for (const std::string_view unknown :
       {"driver:550", "driver>=550", "compiler:nvcc", "author:ada", "package:x", "count:1"}) {
    const Envelope out = ask("silu " + std::string(unknown));
    EXPECT_TRUE(out.groups.exact.empty()) << unknown << ": what is not stated is not met";
    ASSERT_FALSE(out.groups.compatible.empty()) << unknown;
    EXPECT_EQ(out.groups.compatible[0].mismatches.at(0).observed, "unknown") << unknown;
  }
  EXPECT_EQ(ask("amd").measured.size(), 0U);
  EXPECT_EQ(ask("nvidia").measured.size(), 2U);
  EXPECT_EQ(ask("memory:80").measured.size(), 1U);
}

TEST_F(ChoiceTest, APolicyNobodyMeetsIsNoAnswerAndSaysSo) {
  const Envelope out = ask("rope license:GPL-3.0-only");
  EXPECT_TRUE(out.groups.exact.empty());
  EXPECT_FALSE(out.verdict);
  EXPECT_EQ(out.fitting_cohorts, 0);
  const auto says = [](const std::string& note) { return note.starts_with("license "); };
  EXPECT_TRUE(std::ranges::any_of(out.notes, says));
}

// What is measured is not called unmeasured because nobody may use it.
TEST_F(ChoiceTest, APolicyNobodyMeetsDoesNotMakeACaseUnmeasured) {
  const Envelope out = ask("rope n:64 h100 backward license:GPL-3.0-only");
  EXPECT_FALSE(out.nearest);
  EXPECT_FALSE(out.verdict);
  ASSERT_TRUE(out.cohort);
  EXPECT_EQ(out.cohort->pass, "backward");
  const auto says = [](const std::string& note) { return note.starts_with("This was measured"); };
  EXPECT_TRUE(std::ranges::any_of(out.notes, says));
  for (const FacetUse& facet : out.facets) EXPECT_EQ(facet.state, "applied") << facet.name;
}

TEST_F(ChoiceTest, NoWinnerIsClaimedWhileAConditionIsUnread) {
  for (const std::string unread : {"pass:sideways", "dtype:bf17", "colour:red"}) {
    const Envelope out = ask("rope " + unread);
    ASSERT_TRUE(out.verdict) << unread;
    EXPECT_EQ(out.verdict->code, "none") << unread;
    EXPECT_NE(out.verdict->text.find(unread), std::string::npos);
    EXPECT_FALSE(out.groups.exact.empty());
  }
}

TEST_F(ChoiceTest, RunsOfOneImplementationDoNotTie) {
  catalog.workload("0104", 256);
  const auto add_run = [&](const std::string& id, const std::string& by, double value) {
    catalog.run({.id = id, .implementation = by, .workload = "0104", .value = value, .spread = 5});
  };
  add_run("0371", "0201", 100);
  add_run("0372", "0201", 102);
  catalog.touch("8004");
  EXPECT_EQ(ask("op:silu-backward n:256").verdict->code, "only_run");
  add_run("0373", "0202", 500);
  catalog.touch("8005");
  const Envelope led = ask("op:silu-backward n:256");
  EXPECT_EQ(led.verdict->code, "winner");
  EXPECT_EQ(led.verdict->run_ids.size(), 2U);
  EXPECT_NE(led.verdict->text.find("quick leads, clear of"), std::string::npos)
      << led.verdict->text;
  add_run("0374", "0203", 101);
  catalog.touch("8006");
  EXPECT_EQ(ask("op:silu-backward n:256").verdict->code, "tie");
}

TEST_F(ChoiceTest, TheNearestGroupsComeFirst) {
  catalog.workload("0103", 128);
  catalog.run(
      {.id = "0361", .implementation = "0201", .workload = "0103", .value = 1, .pass = "backward"});
  catalog.run({.id = "0362", .implementation = "0202", .workload = "0103", .value = 99});
  catalog.touch("8003");
  const Envelope out = ask("silu n=32");
  std::vector<std::string> order;
  for (const Row& row : out.groups.compatible) order.push_back(row.run_id.value_or(""));
  const auto at = [&](const char* id) {
    return std::ranges::find(order, uuid(id)) - order.begin();
  };
  EXPECT_LT(at("0362"), at("0361")) << "one difference before two, though its value is larger";
}

// The order is by counts, the rows show the differences themselves: they must agree.
TEST_F(ChoiceTest, RowsAreOrderedByAsManyDifferencesAsTheyShow) {
  for (const std::string_view query : {"rope", "rope full", "rope metric:peak_memory", "silu"}) {
    const Envelope out = ask(query);
    for (const auto& rows : {out.groups.compatible, out.groups.reported}) {
      const auto key = [&](const Row& row) {
        return std::pair(row.primary->metric != out.groups.exact.at(0).primary->metric,
                         row.differs.size());
      };
      EXPECT_TRUE(std::ranges::is_sorted(rows, {}, key)) << query;
    }
  }
}

TEST_F(ChoiceTest, AnAxisOrNumberThatNamesNothingIsSaid) {
  const auto says = [](const Envelope& out, std::string_view text) {
    return std::ranges::any_of(out.notes, [&](const auto& note) { return note.contains(text); });
  };
  EXPECT_TRUE(says(ask("rope nn=64"), "no case of this operation has an axis 'nn'"));
  EXPECT_TRUE(says(ask("rope 4096"), "4096 names no axis"));
  EXPECT_FALSE(says(ask("rope n=64"), "axis"));
}

TEST_F(ChoiceTest, WhatOpNamesIsNotRespelled) {
  EXPECT_EQ(ask("ropee").mode, Mode::exact);
  const Envelope out = ask("op:ropee");
  EXPECT_NE(out.mode, Mode::exact);
  EXPECT_EQ(ask("zzzzzz h100").notes.at(0), "No operation has that name");
}

TEST_F(ChoiceTest, ASharedRankIsMarkedHoweverManyRowsAreListed) {
  catalog.run({.id = "0371", .implementation = "0202", .workload = "0102", .value = 5});
  catalog.touch("8004");
  for (const std::int64_t limit : {1, 20}) {
    const Envelope out = ask("silu", {.limit = limit});
    ASSERT_FALSE(out.groups.exact.empty());
    EXPECT_TRUE(out.groups.exact[0].shares_rank) << limit;
  }
  EXPECT_FALSE(ask("rope full").groups.exact.at(0).shares_rank);
}

TEST_F(ChoiceTest, WhatIsNotThereNamesWhatIsNearIt) {
  const Resolver resolver = catalog.resolver();
  const auto says = [](const auto& result, std::string_view text) {
    return !result && result.error().message.contains(text);
  };
  EXPECT_TRUE(says(resolver.operation("silu"), "near it: silu-backward"));
  EXPECT_TRUE(
      resolver.runs({.operation = "silu"})->not_applied.at(0).text.contains("silu-backward"));
  EXPECT_TRUE(says(resolver.implementation("Uick"), "near it: quick"));
  EXPECT_TRUE(says(resolver.implementation("%"), "is called '%'"));
  EXPECT_TRUE(says(resolver.runs({.since = "yesterday"}), "2026-01-31T00:00:00Z"));
  EXPECT_TRUE(says(resolver.run("aaaa"), "at least 6 first digits"));
}

TEST_F(ChoiceTest, ACohortIsNamedByTheStartOfItsKey) {
  const std::string key = ask("rope pass:full").cohort->comparison_key;
  EXPECT_EQ(ask("rope cohort:" + key.substr(0, 70)).cohort->comparison_key, key);
  const Envelope unknown = ask("rope cohort:0123456789ab");
  EXPECT_EQ(unknown.facets.back().state, "refused");
}

TEST_F(ChoiceTest, AKeyOfDigitsOnlyIsNoAxis) {
  const Envelope out = ask("rope cohort:41067567");
  EXPECT_EQ(kind_of(out, "cohort:41067567"), "cohort");
  EXPECT_EQ(kind_of(ask("rope cohort=7"), "cohort=7"), "axis");
}

TEST_F(ChoiceTest, ListsAreBoundedAndTheRestHasACursor) {
  const Envelope first = ask("rope backward", {.limit = 3});
  EXPECT_EQ(first.groups.reported.size(), 3U);
  EXPECT_EQ(first.totals.reported, 8);
  EXPECT_EQ(first.overflow.reported, 5);
  ASSERT_TRUE(first.next_cursor);
  const Envelope second = ask("rope backward", {.cursor = *first.next_cursor, .limit = 3});
  EXPECT_NE(second.groups.reported.at(0).run_id, first.groups.reported.at(0).run_id);
  const Envelope last = ask("rope backward", {.cursor = *second.next_cursor, .limit = 3});
  EXPECT_EQ(last.groups.reported.size(), 2U);
  EXPECT_EQ(last.next_cursor, std::nullopt);
  const Resolver resolver = catalog.resolver();
  for (const SearchOptions& options :
       {SearchOptions{.cohort = "other", .cursor = *first.next_cursor},
        SearchOptions{.cursor = "x", .limit = 3}}) {
    EXPECT_EQ(resolver.search("rope backward", options).error().where, "INVALID_CURSOR");
  }
  EXPECT_EQ(resolver.search("rope", {.limit = kGroupRowsMax + 1}).error().code, Code::invalid);
  EXPECT_EQ(resolver.search("rope", {.limit = 0}).error().code, Code::invalid);
}

TEST_F(ChoiceTest, NoValueDecidesWhichPassIsMeant) {
  catalog.run(
      {.id = "0360", .implementation = "0203", .workload = "0101", .value = 1, .pass = "backward"});
  catalog.touch("8004");
  for (const char* query : {"rope", "rope h100", "rope n=64"}) {
    EXPECT_EQ(ask(query).cohort->pass, "forward") << query;
  }
}

TEST_F(ChoiceTest, ASweepHoldsEverythingEqualButOneAxis) {
  EXPECT_EQ(catalog.resolver().operation("rope")->sweep, std::nullopt) << "one case is no sweep";
  catalog.operation("0001", "rope", "rope");
  catalog.workload("0103", 128);
  catalog.run(
      {.id = "0350", .implementation = "0201", .workload = "0103", .value = 15, .pass = "forward"});
  catalog.run({.id = "0351",
               .implementation = "0201",
               .workload = "0103",
               .value = 99,
               .pass = "backward"});
  catalog.touch("8002");
  const auto out = catalog.resolver().operation("rope", {.workload = digest("0101")});
  ASSERT_TRUE(out && out->sweep);
  EXPECT_EQ(out->cohort->pass, "forward");
  EXPECT_EQ(out->sweep->axis, "n");
  ASSERT_EQ(out->sweep->series.size(), 2U);
  const SweepSeries& quick = out->sweep->series.at(0);
  ASSERT_EQ(quick.points.size(), 2U);
  EXPECT_EQ(quick.points[0].x, 64);
  EXPECT_EQ(quick.points[0].value, 10);
  EXPECT_EQ(quick.points[1].value, 15) << "the other pass is another line";
  EXPECT_EQ(out->sweep->series.at(1).points.size(), 1U);
  EXPECT_EQ(quick.points[1].run_id, uuid("0350"));
  EXPECT_EQ(out->sweep->cases, (std::vector<double>{64, 128}));
  catalog.workload("0104", 256);
  catalog.touch("8003");
  EXPECT_EQ(catalog.resolver().operation("rope", {.workload = digest("0101")})->sweep->cases,
            (std::vector<double>{64, 128, 256}))
      << "a case that nobody measured is a gap, not the end";
}

TEST_F(ChoiceTest, ARunIsNamedByTheStartOfItsDigestOrId) {
  const Resolver resolver = catalog.resolver();
  EXPECT_EQ(resolver.run(uuid("0310").substr(0, 35))->run.id, uuid("0310"))
      << "the only id that starts so, but for its last digit";
  const auto several = resolver.run("aaaaaaaa");
  ASSERT_FALSE(several);
  EXPECT_EQ(several.error().code, Code::invalid);
  EXPECT_NE(several.error().message.find("sha256:aaaa"), std::string::npos);
  EXPECT_EQ(resolver.run("bbbbbbbb").error().code, Code::not_found);
  EXPECT_EQ(resolver.run(digest("0310").substr(7))->run.id, uuid("0310")) << "without its scheme";

  const std::vector<std::string> starts = {uuid("0310").substr(0, 35), digest("0302"), "abcdef012"};
  EXPECT_EQ(resolver.compare(std::span(starts).first(2))->runs.size(), 2U);
  EXPECT_EQ(resolver.compare(std::span(starts).subspan(1)).error().code, Code::invalid);
  EXPECT_EQ(resolver.run("aaa").error().code, Code::not_found) << "too short to name anything";
}

}  // namespace
}  // namespace ki::query
