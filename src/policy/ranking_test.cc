#include "policy/ranking.h"

#include <algorithm>
#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ki::policy {
namespace {

using ::testing::ElementsAre;

constexpr RankingOptions kLatency{.metric = "latency", .unit = "ns"};

RankedRun run(std::string_view id, double value, std::optional<Interval> spread = {}) {
  RankedRun out;
  out.id = id;
  out.value = value;
  out.spread = spread;
  out.observed_at = "2026-01-01T00:00:00.000Z";
  return out;
}

RankedRun declared(std::string_view id, double value, std::optional<Interval> confidence) {
  RankedRun out = run(id, value);
  out.confidence = confidence;
  return out;
}

// "a1 b1= c2": each place in display order with its rank, "=" where it is tied with the previous.
std::string ranks(std::span<const RankedRun> runs, const Ranking& ranking) {
  std::string out;
  for (const Place& place : ranking.places) {
    if (!out.empty()) out += ' ';
    out += std::string(runs[place.run].id) + (place.rank ? std::to_string(*place.rank) : "-") +
           (place.tied_with_previous ? "=" : "");
  }
  return out;
}

std::string ranks_v1(std::span<const RankedRun> runs, Profile profile) {
  std::string out;
  for (const PlaceV1& place : rank_v1(runs, profile)) {
    if (!out.empty()) out += ' ';
    out += std::string(runs[place.run].id) + std::to_string(place.rank) +
           (place.tied_with_previous ? "=" : "");
  }
  return out;
}

std::vector<std::string> codes(const Place& place) {
  std::vector<std::string> out;
  for (const PlaceReason& reason : place.reasons) out.emplace_back(name_of(reason.code));
  return out;
}

// ---- ranking-v1: the vectors of the contract

TEST(RankingV1, EqualValuesShareARankUnderEveryProfile) {
  const std::vector<RankedRun> runs = {run("a", 10), run("b", 10), run("c", 12)};
  EXPECT_EQ(ranks_v1(runs, Profile::source_native), "a1 b1= c2");
  EXPECT_EQ(ranks_v1(runs, Profile::strict_exact), "a1 b1= c2");
}

TEST(RankingV1, ARunJoinsARankOnlyIfItTiesWithEveryMember) {
  const std::vector<RankedRun> runs = {declared("a", 10, Interval{9, 11}),
                                       declared("b", 11, Interval{10.5, 12}),
                                       declared("c", 13, Interval{11.5, 14})};
  EXPECT_EQ(ranks_v1(runs, Profile::strict_exact), "a1 b1= c2");
  EXPECT_EQ(ranks_v1(runs, Profile::source_native), "a1 b2 c3");
}

TEST(RankingV1, WithoutAnIntervalOnlyEqualValuesTie) {
  const std::vector<RankedRun> runs = {declared("a", 10, Interval{9, 11}), run("b", 10.5)};
  EXPECT_EQ(ranks_v1(runs, Profile::strict_exact), "a1 b2");
}

TEST(RankingV1, TouchingIntervalsTie) {
  const std::vector<RankedRun> runs = {declared("a", 10, Interval{9, 10}),
                                       declared("b", 11, Interval{10, 12})};
  EXPECT_EQ(ranks_v1(runs, Profile::strict_exact), "a1 b1=");
}

TEST(RankingV1, InsideARankEvidenceThenNewestThenIdDecideTheOrder) {
  std::vector<RankedRun> runs = {run("d", 10), run("c", 10), run("b", 10), run("a", 10)};
  runs[0].evidence = EvidenceLevel::reproducible;
  runs[1].observed_at = "2026-02-01T00:00:00.000Z";
  EXPECT_EQ(ranks_v1(runs, Profile::source_native), "d1 c1= a1= b1=");
}

TEST(RankingV1, ALaterRunNeverJoinsAnEarlierRank) {
  // c overlaps a but not b, which closed a's chain.
  const std::vector<RankedRun> runs = {declared("a", 10, Interval{9, 13}), run("b", 11),
                                       declared("c", 12, Interval{9, 13})};
  EXPECT_EQ(ranks_v1(runs, Profile::strict_exact), "a1 b2 c3");
}

TEST(RankingV1, RunsWithoutAValueHaveNoPlace) {
  std::vector<RankedRun> runs = {run("a", 10), run("b", 9)};
  runs[1].value = std::nullopt;
  EXPECT_EQ(ranks_v1(runs, Profile::source_native), "a1");
}

TEST(RankingV1, OneNativeRunMakesTheProfileNative) {
  EXPECT_EQ(name_of(profile_of(true)), "source_native");
  EXPECT_EQ(name_of(profile_of(false)), "strict_exact");
}

// ---- ranking-v2

// Two runs of one provider are no rivals: they make no claim by themselves and take none away.
TEST(RankingV2, RunsOfOneProviderDoNotRivalEachOther) {
  const auto of = [](RankedRun one, std::string_view provider) {
    one.provider = provider;
    return one;
  };
  const RankedRun a = of(run("a", 10, Interval{9, 11}), "mine");
  const RankedRun b = of(run("b", 10, Interval{9.5, 10.5}), "mine");
  const RankedRun later = of(run("c", 15, Interval{14, 16}), "mine");
  const RankedRun clear = of(run("d", 20, Interval{19, 21}), "theirs");
  const RankedRun unknown = of(run("e", 20), "theirs");
  const RankedRun near = of(run("f", 12, Interval{10.8, 13}), "theirs");
  const auto verdict = [](std::vector<RankedRun> runs) {
    return rank(runs, kLatency).verdict.kind;
  };
  EXPECT_EQ(verdict({a, b}), VerdictKind::only_run);
  EXPECT_EQ(verdict({a, later}), VerdictKind::only_run);
  EXPECT_EQ(verdict({a, b, clear}), VerdictKind::winner);
  EXPECT_EQ(verdict({a, b, unknown}), VerdictKind::not_enough_evidence);
  EXPECT_EQ(verdict({a, later, unknown}), VerdictKind::not_enough_evidence)
      << "the runner-up is its own run, the rival's spread is unknown";
  EXPECT_EQ(verdict({of(run("g", 9), "mine"), of(run("h", 9), "mine"), clear}),
            VerdictKind::not_enough_evidence)
      << "of runs whose own spread is unknown nothing is claimed";
  EXPECT_EQ(verdict({a, near}), VerdictKind::tie);
}

TEST(RankingV2, OverlappingSpreadsShareARankAndNobodyWins) {
  // A/A: two names for one kernel (p20 to p80 of 120 samples each).
  const std::vector<RankedRun> runs = {run("A", 52096.5, Interval{51787.4, 52334.4}),
                                       run("B", 52078.0, Interval{51789.8, 52330.4})};
  const Ranking ranking = rank(runs, kLatency);
  EXPECT_EQ(ranks(runs, ranking), "B1 A1=");
  EXPECT_EQ(ranking.verdict.kind, VerdictKind::tie);
  EXPECT_THAT(codes(ranking.places[1]), ElementsAre("LEADS", "OVERLAPS_WITH"));
}

TEST(RankingV2, ABimodalRunHasNoWinnerBesideIt) {
  const std::vector<RankedRun> runs = {run("A", 43889.0, Interval{39986.0, 44003.4}),
                                       run("B", 41988.5, Interval{41907.0, 42072.6})};
  EXPECT_EQ(rank(runs, kLatency).verdict.kind, VerdictKind::tie);
}

TEST(RankingV2, DisjointSpreadsMakeAWinnerWhateverTheMeanSays) {
  const std::vector<RankedRun> runs = {run("B", 30895.0, Interval{30818.8, 30981.0}),
                                       run("A", 30014.5, Interval{29939.0, 30104.6})};
  const Ranking ranking = rank(runs, kLatency);
  EXPECT_EQ(ranks(runs, ranking), "A1 B2");
  EXPECT_EQ(ranking.verdict.kind, VerdictKind::winner);
  EXPECT_THAT(ranking.verdict.leaders, ElementsAre(1));
  EXPECT_THAT(codes(ranking.places[0]), ElementsAre("LEADS"));
  EXPECT_THAT(codes(ranking.places[1]), ElementsAre("BEHIND"));
}

TEST(RankingV2, OneSampleEachIsRankedByValueAndNeverCrowned) {
  const std::vector<RankedRun> runs = {run("liger", 84317200, Interval{84317200, 84317200}),
                                       run("torch", 84902405, Interval{84902405, 84902405})};
  const Ranking ranking = rank(runs, kLatency);
  EXPECT_EQ(ranks(runs, ranking), "liger1 torch2");
  EXPECT_EQ(ranking.verdict.kind, VerdictKind::not_enough_evidence);
  ASSERT_EQ(ranking.verdict.unclear.size(), 2U);
  EXPECT_EQ(ranking.verdict.unclear[0].other, 0U);
  for (const Place& place : ranking.places) {
    EXPECT_EQ(codes(place).back(), "INSUFFICIENT_SAMPLES");
    EXPECT_EQ(place.interval, std::nullopt) << "no interval is drawn";
  }
}

TEST(RankingV2, CloserThanTheTimerCanTellIsATie) {
  const std::vector<RankedRun> runs = {run("a", 3000), run("b", 3499), run("c", 3500)};
  RankingOptions options = kLatency;
  options.resolution = resolution_of("cuda_events", "ns");
  EXPECT_EQ(ranks(runs, rank(runs, options)), "a1 b1= c2");
  EXPECT_THAT(codes(rank(runs, options).places[1]),
              ElementsAre("LEADS", "BELOW_RESOLUTION", "INSUFFICIENT_SAMPLES"));
  EXPECT_EQ(ranks(runs, rank(runs, kLatency)), "a1 b2 c3") << "unknown timer";
}

TEST(RankingV2, CloserThanTheProtocolClaimsIsATie) {
  const std::vector<RankedRun> runs = {run("a", 1000, Interval{999, 1001}),
                                       run("b", 1009, Interval{1008, 1010}),
                                       run("c", 1011, Interval{1010.5, 1012})};
  RankingOptions options = kLatency;
  options.effect_min = 0.01;
  const Ranking ranking = rank(runs, options);
  EXPECT_EQ(ranks(runs, ranking), "a1 b1= c2");
  EXPECT_EQ(ranking.verdict.kind, VerdictKind::tie);
  EXPECT_THAT(codes(ranking.places[1]), ElementsAre("LEADS", "BELOW_EFFECT"));
  EXPECT_EQ(rank(runs, kLatency).verdict.kind, VerdictKind::winner) << "a protocol without one";
  const std::vector<RankedRun> rates = {run("fast", 1009, Interval{1008, 1010}),
                                        run("near", 1000, Interval{999, 1001}),
                                        run("slow", 990, Interval{989, 991})};
  options.metric = "tokens_per_second";
  options.unit = "tokens_s";
  EXPECT_EQ(ranks(rates, rank(rates, options)), "fast1 near1= slow2");
}

TEST(RankingV2, ARunNearTheEndOfARankMustStillTieWithItsBeginning) {
  const std::vector<RankedRun> runs = {run("a", 100), run("b", 104), run("c", 108)};
  RankingOptions options = kLatency;
  options.resolution = 5;
  EXPECT_EQ(ranks(runs, rank(runs, options)), "a1 b1= c2");
}

TEST(RankingV2, FollowsTheDirectionOfTheMetric) {
  const std::vector<RankedRun> runs = {run("slow", 100, Interval{90, 110}),
                                       run("fast", 200, Interval{190, 210}),
                                       run("near", 195, Interval{185, 205})};
  const Ranking ranking =
      rank(runs, {.metric = "tokens_per_second", .unit = "tokens_s", .resolution = 0});
  EXPECT_EQ(ranks(runs, ranking), "fast1 near1= slow2");
}

TEST(RankingV2, AnUnknownMetricIsListedAndNotRanked) {
  const std::vector<RankedRun> runs = {run("a", 1), run("b", 2)};
  const Ranking ranking = rank(runs, {.metric = "score", .unit = "points", .resolution = 0});
  EXPECT_EQ(ranks(runs, ranking), "a- b-");
  EXPECT_EQ(ranking.ranked, 0);
  EXPECT_EQ(ranking.verdict.kind, VerdictKind::none);
  EXPECT_THAT(codes(ranking.places[0]), ElementsAre("UNKNOWN_METRIC"));
}

TEST(RankingV2, ExcludedRunsKeepTheirReasonsAndValuelessOnesAreListed) {
  std::vector<RankedRun> runs = {run("a", 1), run("b", 2), run("c", 3)};
  runs[0].ineligible = {"RETRACTED"};
  runs[1].ineligible = {"MISSING_PRIMARY_METRIC"};
  runs[1].value = std::nullopt;
  const Ranking ranking = rank(runs, kLatency);
  EXPECT_EQ(ranks(runs, ranking), "c1 b-");
  EXPECT_EQ(ranking.ranked, 1);
  EXPECT_EQ(ranking.verdict.kind, VerdictKind::only_run);
  ASSERT_EQ(ranking.excluded.size(), 1U);
  EXPECT_EQ(ranking.excluded[0].run, 0U);
  EXPECT_THAT(ranking.excluded[0].codes, ElementsAre("RETRACTED"));
}

TEST(RankingV2, ARunnerUpRankThatReachesTheLeaderBlocksTheClaim) {
  // c overlaps b, so it is in b's rank, and a as well.
  const std::vector<RankedRun> runs = {run("a", 10, Interval{9, 11}),
                                       run("b", 11.5, Interval{11.2, 12}),
                                       run("c", 11.8, Interval{10.5, 13})};
  const Ranking ranking = rank(runs, kLatency);
  EXPECT_EQ(ranks(runs, ranking), "a1 b2 c2=");
  EXPECT_EQ(ranking.verdict.kind, VerdictKind::not_enough_evidence);
  EXPECT_THAT(ranking.verdict.unclear,
              ElementsAre(PlaceReason{.code = ReasonCode::overlaps_with, .other = 2}));
}

TEST(RankingV2, EqualValuesShareARankEvenWhenOneSpreadIsUnknown) {
  const std::vector<RankedRun> runs = {run("a", 9.5, Interval{9, 10}),
                                       run("b", 10, Interval{9, 11}), run("c", 10)};
  EXPECT_EQ(ranks(runs, rank(runs, kLatency)), "a1 b2 c2=");
}

struct IntervalCase {
  std::string_view what;
  RankedRun given;
  std::optional<Interval> usable;
};

TEST(UsableInterval, IsUnknownUnlessItSaysSomething) {
  RankedRun one_sample = run("x", 10, Interval{9, 11});
  one_sample.sample_count = 1;
  RankedRun both = run("x", 10, Interval{9, 11});
  both.confidence = Interval{9.5, 10.5};
  RankedRun flat_confidence = run("x", 10, Interval{9, 11});
  flat_confidence.confidence = Interval{10, 10};
  const IntervalCase cases[] = {
      {"none stated", run("x", 10), std::nullopt},
      {"equal quantiles", run("x", 10, Interval{10, 10}), std::nullopt},
      {"one sample", one_sample, std::nullopt},
      {"reversed", run("x", 10, Interval{11, 9}), std::nullopt},
      {"elsewhere", run("x", 10, Interval{11, 12}), std::nullopt},
      {"half equal", run("x", 10, Interval{10, 11}), Interval{10, 11}},
      {"confidence first", both, Interval{9.5, 10.5}},
      {"confidence without width", flat_confidence, Interval{9, 11}},
  };
  for (const IntervalCase& c : cases) EXPECT_EQ(usable_interval(c.given), c.usable) << c.what;
}

TEST(Explain, SaysWhyInWordsWithFigures) {
  const std::vector<RankedRun> runs = {run("a", 15'100'000, Interval{15'000'000, 15'200'000}),
                                       run("b", 24'104'448, Interval{24'077'312, 24'161'880})};
  const Ranking ranking = rank(runs, kLatency);
  EXPECT_EQ(explain(ranking.places[0], runs, kLatency)[0].text,
            "lowest latency of its cohort: 15.1 ms");
  EXPECT_EQ(explain(ranking.places[1], runs, kLatency)[0].text,
            "24.1 ms against 15.1 ms of the rank before");
  const std::vector<std::string> names = {"Liger", "PyTorch"};
  EXPECT_EQ(explain(ranking.verdict, names), "Liger leads, clear of the next rank's interval");
}

TEST(Explain, NamesWhoseSpreadIsUnknown) {
  const std::vector<RankedRun> runs = {run("a", 10, Interval{9, 11}), run("b", 20)};
  const std::vector<std::string> names = {"Liger", "PyTorch"};
  EXPECT_EQ(explain(rank(runs, kLatency).verdict, names),
            "Liger has the best value, but no winner is claimed: the spread of PyTorch is unknown");
}

// ---- laws, on random cohorts

struct Cohort {
  std::vector<std::string> ids;
  std::vector<RankedRun> runs;
  RankingOptions options = kLatency;
};

Cohort random_cohort(std::mt19937& random) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Cohort out;
  out.options.resolution = pick(3);
  out.options.effect_min = 0.1 * pick(3);
  const int count = pick(9);
  for (int i = 0; i < count; ++i) out.ids.push_back("r" + std::to_string(i));
  for (int i = 0; i < count; ++i) {
    RankedRun made = run(out.ids[static_cast<std::size_t>(i)], 1 + pick(12));
    if (pick(3) > 0) made.spread = Interval{*made.value - pick(4), *made.value + pick(4)};
    if (pick(9) == 0) made.value = std::nullopt;
    if (pick(9) == 0) made.ineligible = {"RETRACTED"};
    made.evidence = static_cast<EvidenceLevel>(pick(2));
    made.observed_at = pick(2) == 0 ? "2026-01-01T00:00:00.000Z" : "2026-02-01T00:00:00.000Z";
    out.runs.push_back(made);
  }
  return out;
}

class RankingLaws : public ::testing::Test {
 protected:
  static constexpr int kRounds = 3000;
  std::uint32_t seed_ = std::random_device{}();
  std::mt19937 random_{seed_};
};

TEST_F(RankingLaws, OrderOfTheInputNeverMatters) {
  for (int i = 0; i < kRounds; ++i) {
    const Cohort cohort = random_cohort(random_);
    std::vector<RankedRun> shuffled = cohort.runs;
    std::ranges::shuffle(shuffled, random_);
    const Ranking one = rank(cohort.runs, cohort.options);
    const Ranking two = rank(shuffled, cohort.options);
    ASSERT_EQ(ranks(cohort.runs, one), ranks(shuffled, two)) << "seed " << seed_;
    ASSERT_EQ(one.verdict.kind, two.verdict.kind) << "seed " << seed_;
    for (std::size_t p = 0; p < one.places.size(); ++p) {
      const auto a = explain(one.places[p], cohort.runs, cohort.options);
      const auto b = explain(two.places[p], shuffled, cohort.options);
      ASSERT_EQ(a.size(), b.size()) << "seed " << seed_;
      for (std::size_t r = 0; r < a.size(); ++r) ASSERT_EQ(a[r].text, b[r].text) << seed_;
    }
  }
}

TEST_F(RankingLaws, ASlowerRunNeverChangesTheRanksOfFasterOnes) {
  for (int i = 0; i < kRounds; ++i) {
    Cohort cohort = random_cohort(random_);
    const Ranking before = rank(cohort.runs, cohort.options);
    cohort.runs.push_back(run("slowest", 1000, Interval{0, 2000}));
    const Ranking after = rank(cohort.runs, cohort.options);
    std::map<std::size_t, std::optional<std::int64_t>> rank_after;
    for (const Place& place : after.places) rank_after[place.run] = place.rank;
    for (const Place& place : before.places) {
      ASSERT_EQ(rank_after[place.run], place.rank) << "seed " << seed_;
    }
  }
}

// The rule as it is written down, without the shortcuts of the implementation.
bool ties_by_definition(const RankedRun& a, const RankedRun& b, const RankingOptions& options) {
  const double apart = std::abs(*a.value - *b.value);
  if (apart == 0 || apart < options.resolution) return true;
  if (apart < options.effect_min * std::min(std::abs(*a.value), std::abs(*b.value))) return true;
  const auto x = usable_interval(a);
  const auto y = usable_interval(b);
  return x && y && x->low <= y->high && y->low <= x->high;
}

TEST_F(RankingLaws, RanksAreDenseMonotoneAndEveryPairOfARankTies) {
  for (int i = 0; i < kRounds; ++i) {
    const Cohort cohort = random_cohort(random_);
    const Ranking ranking = rank(cohort.runs, cohort.options);
    std::map<std::int64_t, std::vector<std::size_t>> members;
    for (const Place& place : ranking.places) {
      if (place.rank) members[*place.rank].push_back(place.run);
    }
    std::int64_t expected = 0;
    double worst = -1;
    for (const auto& [rank, runs] : members) {
      ASSERT_EQ(rank, ++expected) << "seed " << seed_;
      double next_worst = worst;
      for (const std::size_t a : runs) {
        ASSERT_GT(*cohort.runs[a].value, worst) << "seed " << seed_;
        next_worst = std::max(next_worst, *cohort.runs[a].value);
        for (const std::size_t b : runs) {
          ASSERT_TRUE(ties_by_definition(cohort.runs[a], cohort.runs[b], cohort.options))
              << "seed " << seed_;
        }
      }
      worst = next_worst;
    }
  }
}

TEST_F(RankingLaws, ARankIsOnlyClosedByARunThatDoesNotTie) {
  for (int i = 0; i < kRounds; ++i) {
    const Cohort cohort = random_cohort(random_);
    const Ranking ranking = rank(cohort.runs, cohort.options);
    std::map<std::int64_t, std::vector<std::size_t>> members;
    for (const Place& place : ranking.places) {
      if (place.rank) members[*place.rank].push_back(place.run);
    }
    for (const auto& [rank, runs] : members) {
      if (!members.contains(rank + 1)) continue;
      double best = 1e9;
      for (const std::size_t b : members[rank + 1]) best = std::min(best, *cohort.runs[b].value);
      bool all_tie = true;
      for (const std::size_t b : members[rank + 1]) {
        if (*cohort.runs[b].value != best) continue;
        for (const std::size_t a : runs) {
          all_tie = all_tie && ties_by_definition(cohort.runs[a], cohort.runs[b], cohort.options);
        }
      }
      ASSERT_FALSE(all_tie) << "seed " << seed_;
    }
  }
}

TEST_F(RankingLaws, AWinnerAlwaysHasASpreadClearOfTheNextRank) {
  for (int i = 0; i < kRounds; ++i) {
    const Cohort cohort = random_cohort(random_);
    const Ranking ranking = rank(cohort.runs, cohort.options);
    if (ranking.verdict.kind != VerdictKind::winner) continue;
    const auto leader = usable_interval(cohort.runs[ranking.verdict.leaders[0]]);
    ASSERT_TRUE(leader.has_value()) << "seed " << seed_;
    for (const Place& place : ranking.places) {
      if (place.rank != 2) continue;
      ASSERT_TRUE(place.interval.has_value()) << "seed " << seed_;
      ASSERT_GT(place.interval->low, leader->high) << "seed " << seed_;
    }
  }
}

TEST_F(RankingLaws, MirroredValuesOfAHigherIsBetterMetricRankTheSame) {
  for (int i = 0; i < kRounds; ++i) {
    Cohort cohort = random_cohort(random_);
    cohort.options.effect_min = 0;  // a share of values, which mirroring does not keep
    std::vector<RankedRun> mirrored = cohort.runs;
    for (RankedRun& m : mirrored) {
      if (m.value) m.value = 100 - *m.value;
      if (m.spread) m.spread = Interval{100 - m.spread->high, 100 - m.spread->low};
    }
    const RankingOptions higher{
        .metric = "flops_per_second", .unit = "flops_s", .resolution = cohort.options.resolution};
    ASSERT_EQ(ranks(cohort.runs, rank(cohort.runs, cohort.options)),
              ranks(mirrored, rank(mirrored, higher)))
        << "seed " << seed_;
  }
}

}  // namespace
}  // namespace ki::policy
