#include "policy/record_events.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace ki::policy {
namespace {

constexpr auto kRetract = CorrectionKind::retract;
constexpr auto kRestore = CorrectionKind::restore;
constexpr auto kSupersede = CorrectionKind::supersede;

// "a@1 b<a@2 a<b@5:retraction": run, who held before, when, and the cause unless it is a new run.
std::string history(std::span<const RecordRun> runs, std::span<const RecordEvent> events) {
  std::string out;
  for (const RecordEvent& event : events) {
    if (!out.empty()) out += ' ';
    out += runs[event.run].id;
    if (event.previous) out += "<" + std::string(runs[*event.previous].id);
    out += "@" + std::string(event.at);
    if (event.cause != RecordCause::new_run) out += ":" + std::string(name_of(event.cause));
  }
  return out;
}

std::string history(const std::vector<RecordRun>& runs,
                    const std::vector<RecordCorrection>& corrections = {},
                    Direction direction = Direction::lower) {
  const auto events = derive_record_events(runs, corrections, direction);
  return history(runs, events);
}

TEST(RecordEvents, EachStrictImprovementMakesOne) {
  EXPECT_EQ(history({{"a", 10, "1"}, {"b", 9, "2"}, {"c", 9, "3"}, {"d", 11, "4"}}), "a@1 b<a@2");
  EXPECT_EQ(history({}), "");
}

TEST(RecordEvents, ALateArrivalTakesItsPlaceInThePast) {
  EXPECT_EQ(history({{"b", 9, "2"}, {"a", 10, "1"}}), "a@1 b<a@2");
  EXPECT_EQ(history({{"b", 9, "2"}, {"a", 8, "1"}}), "a@1") << "b never led";
}

TEST(RecordEvents, OfRunsObservedAtOneInstantTheBestEntersFirst) {
  EXPECT_EQ(history({{"a", 10, "1"}, {"b", 9, "1"}}), "b@1");
  EXPECT_EQ(history({{"a", 10, "1"}, {"b", 12, "1"}}, {}, Direction::higher), "b@1");
  EXPECT_EQ(history({{"b", 10, "1"}, {"a", 10, "1"}}), "a@1") << "the smaller id";
}

TEST(RecordEvents, FollowTheDirectionOfTheMetric) {
  EXPECT_EQ(history({{"a", 10, "1"}, {"b", 9, "2"}, {"c", 12, "3"}}, {}, Direction::higher),
            "a@1 c<a@3");
}

TEST(RecordEvents, RetractingTheLeaderNamesItsSuccessor) {
  EXPECT_EQ(history({{"a", 10, "1"}, {"b", 9, "2"}}, {{"b", kRetract, "5"}}),
            "a@1 a<b@5:retraction");
}

TEST(RecordEvents, RetractingAnotherRunMakesNoEvent) {
  EXPECT_EQ(history({{"a", 10, "1"}, {"b", 9, "2"}}, {{"a", kRetract, "5"}}), "b@2");
  EXPECT_EQ(history({{"a", 10, "1"}, {"b", 11, "2"}}, {{"b", kRetract, "5"}}), "a@1");
}

TEST(RecordEvents, RetractingEveryRunLeavesNoHistory) {
  EXPECT_EQ(history({{"a", 10, "1"}, {"b", 9, "2"}}, {{"b", kRetract, "5"}, {"a", kRetract, "6"}}),
            "");
}

TEST(RecordEvents, RetractingTwoLeadersInTurnNamesTheThird) {
  EXPECT_EQ(history({{"a", 10, "1"}, {"b", 9, "2"}, {"c", 8, "3"}},
                    {{"c", kRetract, "5"}, {"b", kRetract, "6"}}),
            "a@1 a<b@6:retraction");
}

TEST(RecordEvents, ARestoredLeaderIsBackAndSaysSince) {
  EXPECT_EQ(history({{"a", 10, "1"}, {"b", 9, "2"}}, {{"b", kRetract, "5"}, {"b", kRestore, "6"}}),
            "a@1 b<a@2 b<a@6:restore");
}

TEST(RecordEvents, RestoringARunThatDoesNotLeadIsAsIfNothingHadHappened) {
  EXPECT_EQ(history({{"a", 10, "1"}, {"b", 9, "2"}}, {{"a", kRetract, "5"}, {"a", kRestore, "6"}}),
            "a@1 b<a@2");
}

TEST(RecordEvents, OnlyTheNewestOfRepeatedCorrectionsCounts) {
  EXPECT_EQ(history({{"a", 10, "1"}, {"b", 9, "2"}},
                    {{"b", kRetract, "5"}, {"b", kRestore, "6"}, {"b", kRetract, "7"}}),
            "a@1 a<b@7:retraction");
}

TEST(RecordEvents, SupersedingTheLeaderHandsOverAndCannotBeLifted) {
  EXPECT_EQ(history({{"a", 10, "1"}, {"b", 9, "2"}, {"b2", 9.5, "3"}},
                    {{"b", kSupersede, "5"}, {"b", kRestore, "6"}}),
            "a@1 b2<a@3 b2<b@5:supersession");
}

TEST(RecordEvents, ARetractedRunThatIsSupersededTooKeepsItsHandOver) {
  EXPECT_EQ(
      history({{"a", 10, "1"}, {"b", 9, "2"}}, {{"b", kRetract, "5"}, {"b", kSupersede, "6"}}),
      "a@1 a<b@5:retraction");
}

TEST(RecordEvents, ALateFasterRunTakesTheHandOverAway) {
  // c is observed before b went: when b went, c led, so nothing changed hands.
  EXPECT_EQ(history({{"a", 10, "1"}, {"b", 9, "2"}, {"c", 8, "3"}}, {{"b", kRetract, "5"}}),
            "a@1 c<a@3");
}

TEST(RecordEvents, ARunAfterTheHandOverMustBeatTheSuccessor) {
  EXPECT_EQ(history({{"a", 10, "1"}, {"b", 9, "2"}, {"c", 9.5, "7"}}, {{"b", kRetract, "5"}}),
            "a@1 a<b@5:retraction c<a@7");
}

TEST(RecordEvents, EqualLeadersHandOverToTheOther) {
  EXPECT_EQ(history({{"a", 9, "1"}, {"b", 9, "2"}}, {{"a", kRetract, "5"}}),
            "b@2 b<a@5:retraction");
}

TEST(RecordEvents, CorrectionsOfUnknownRunsAreIgnored) {
  EXPECT_EQ(history({{"a", 10, "1"}}, {{"z", kRetract, "5"}}), "a@1");
}

TEST(RecordEvents, CorrectionsBeforeTheObservationMakeNoEvent) {
  EXPECT_EQ(history({{"a", 10, "3"}, {"b", 11, "4"}}, {{"a", kRetract, "1"}}), "b@4");
}

TEST(ImprovementPercent, IsPositiveForBetter) {
  EXPECT_EQ(improvement_percent(10, 9, Direction::lower), 10);
  EXPECT_EQ(improvement_percent(10, 9, Direction::higher), -10);
  EXPECT_EQ(improvement_percent(9, 9, Direction::lower), 0);
  EXPECT_EQ(improvement_percent(0, 9, Direction::lower), std::nullopt);
}

// ---- laws, on random evidence

struct Evidence {
  std::vector<RecordRun> runs;
  std::vector<RecordCorrection> corrections;
};

constexpr std::string_view kNames[] = {"a", "b", "c", "d", "e", "f", "g"};
constexpr std::string_view kTimes[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9"};

class RecordLaws : public ::testing::Test {
 protected:
  static constexpr int kRounds = 5000;

  std::size_t pick(std::size_t n) { return random_() % n; }

  Evidence random_evidence() {
    Evidence out;
    const std::size_t count = pick(std::size(kNames) + 1);
    for (std::size_t i = 0; i < count; ++i) {
      out.runs.push_back({kNames[i], static_cast<double>(1 + pick(5)), kTimes[pick(6)]});
    }
    std::vector<std::string_view> times;
    for (std::size_t i = pick(6); i > 0; --i) times.push_back(kTimes[pick(std::size(kTimes))]);
    std::ranges::sort(times);
    for (const std::string_view at : times) {
      constexpr CorrectionKind kKinds[] = {kRetract, kRetract, kRestore, kSupersede};
      out.corrections.push_back({kNames[pick(std::size(kNames))], kKinds[pick(4)], at});
    }
    return out;
  }

  std::uint32_t seed_ = std::random_device{}();
  std::mt19937 random_{seed_};
};

// The best run in force by the plain definition; nullopt when there is none.
std::optional<std::size_t> holder_by_definition(const Evidence& evidence) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < evidence.runs.size(); ++i) {
    const RecordRun& run = evidence.runs[i];
    bool retracted = false;
    bool superseded = false;
    for (const RecordCorrection& correction : evidence.corrections) {
      if (correction.run_id != run.id) continue;
      if (correction.kind == kSupersede) superseded = true;
      if (correction.kind == kRetract) retracted = true;
      if (correction.kind == kRestore) retracted = false;
    }
    if (retracted || superseded) continue;
    const auto key = [](const RecordRun& r) { return std::tuple(r.value, r.observed_at, r.id); };
    if (!best || key(run) < key(evidence.runs[*best])) best = i;
  }
  return best;
}

TEST_F(RecordLaws, TheLastEventNamesTheBestRunInForce) {
  for (int i = 0; i < kRounds; ++i) {
    const Evidence evidence = random_evidence();
    const auto events = derive_record_events(evidence.runs, evidence.corrections, Direction::lower);
    const auto holder = holder_by_definition(evidence);
    ASSERT_EQ(events.empty(), !holder) << "seed " << seed_ << " round " << i;
    if (holder) {
      ASSERT_EQ(events.back().run, *holder) << "seed " << seed_ << " round " << i << "\n"
                                            << history(evidence.runs, events);
    }
  }
}

TEST_F(RecordLaws, EventsAreInTimeOrderAndUniqueByRunAndCause) {
  for (int i = 0; i < kRounds; ++i) {
    const Evidence evidence = random_evidence();
    const auto events = derive_record_events(evidence.runs, evidence.corrections, Direction::lower);
    std::set<std::pair<std::size_t, RecordCause>> seen;
    for (const RecordEvent& event : events) {
      ASSERT_TRUE(seen.emplace(event.run, event.cause).second) << "seed " << seed_;
    }
    ASSERT_TRUE(std::ranges::is_sorted(events, {}, &RecordEvent::at)) << "seed " << seed_;
  }
}

TEST_F(RecordLaws, OrderOfTheRunsNeverMatters) {
  for (int i = 0; i < kRounds; ++i) {
    const Evidence evidence = random_evidence();
    std::vector<RecordRun> shuffled = evidence.runs;
    std::ranges::shuffle(shuffled, random_);
    ASSERT_EQ(history(evidence.runs, evidence.corrections), history(shuffled, evidence.corrections))
        << "seed " << seed_;
  }
}

TEST_F(RecordLaws, WithoutCorrectionsHistoryIsTheWalkOfStrictImprovements) {
  for (int i = 0; i < kRounds; ++i) {
    Evidence evidence = random_evidence();
    std::ranges::sort(evidence.runs, [](const RecordRun& a, const RecordRun& b) {
      return std::tuple(a.observed_at, a.value, a.id) < std::tuple(b.observed_at, b.value, b.id);
    });
    std::vector<RecordEvent> expected;
    for (std::size_t r = 0; r < evidence.runs.size(); ++r) {
      const auto last = expected.empty() ? std::nullopt : std::optional(expected.back().run);
      if (last && evidence.runs[r].value >= evidence.runs[*last].value) continue;
      expected.push_back({r, last, RecordCause::new_run, evidence.runs[r].observed_at});
    }
    ASSERT_EQ(derive_record_events(evidence.runs, {}, Direction::lower), expected)
        << "seed " << seed_;
  }
}

TEST_F(RecordLaws, RetractingAndRestoringARunThatDoesNotLeadChangesNothing) {
  for (int i = 0; i < kRounds; ++i) {
    const Evidence evidence{.runs = random_evidence().runs, .corrections = {}};
    const auto holder = holder_by_definition(evidence);
    if (!holder) continue;
    const std::size_t run = pick(evidence.runs.size());
    if (run == *holder) continue;
    const std::string_view id = evidence.runs[run].id;
    ASSERT_EQ(history(evidence.runs, {{id, kRetract, "8"}, {id, kRestore, "9"}}),
              history(evidence.runs))
        << "seed " << seed_;
  }
}

}  // namespace
}  // namespace ki::policy
