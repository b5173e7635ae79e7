#include "runner/history.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/evaluate.h"
#include "runner/testing.h"

namespace ki::runner {
namespace {

// One session a day, the first kernel taking so many times as long as the first day.
std::vector<SignedEvidence> sessions_of(const std::vector<double>& levels, const SigningKey& key) {
  std::vector<SignedEvidence> all;
  for (std::size_t day = 0; day < levels.size(); ++day) {
    Evidence e = testing_support::make_evidence();
    e.session.started_at = "2026-01-" + std::to_string(10 + day) + "T00:00:00.000Z";
    for (Launch& launch : e.launches) {
      for (std::size_t i = 0; i < launch.samples.size(); i += kRawFields) {
        if (launch.samples[i + 2] == 1) continue;
        launch.samples[i + 4] =
            std::llround(static_cast<double>(launch.samples[i + 4]) * levels[day]);
      }
    }
    e.runs = runs_of(e.session, e.launches);
    all.push_back(*decode(encode(e, key)));
  }
  return all;
}

const History& of(const std::vector<History>& all, const std::string& kernel) {
  return *std::ranges::find(all, kernel, &History::kernel);
}

TEST(History, ShowsAChangeThatRecursAndNoOther) {
  const SigningKey key = *SigningKey::generate();
  auto sessions = sessions_of({1, 1.001, 0.999, 1.2, 1.001, 1.0, 1.1, 1.101, 1.1}, key);
  std::ranges::reverse(sessions);  // they come in any order
  const auto all = histories(sessions);
  ASSERT_TRUE(all) << to_string(all.error());
  ASSERT_EQ(all->size(), 2U);
  const History& one = of(*all, "one");
  ASSERT_EQ(one.points.size(), 9U);
  EXPECT_EQ(one.runner, to_string(key.id()));
  for (std::size_t i = 0; i < one.points.size(); ++i) {
    EXPECT_EQ(one.points[i].change.has_value(), i == 6) << i;
    if (i > 0) {
      EXPECT_LT(one.points[i - 1].at, one.points[i].at);
    }
  }
  EXPECT_NEAR(*one.points[6].change, 0.1, 0.005);
  EXPECT_TRUE(became_slower(one));
  EXPECT_FALSE(became_slower(of(*all, "two")));
}

TEST(History, OtherRunnersAndCohortsAreOtherSeries) {
  const SigningKey key = *SigningKey::generate();
  auto sessions = sessions_of({1, 1}, key);
  const auto others = sessions_of({1}, *SigningKey::generate());
  sessions.insert(sessions.end(), others.begin(), others.end());
  EXPECT_EQ(histories(sessions)->size(), 4U);
  sessions.back().evidence.session.environment_digest = "sha256:other";
  EXPECT_EQ(histories(sessions)->size(), 4U);
  sessions.front().evidence.session.environment_digest = "sha256:other";
  EXPECT_EQ(histories(sessions)->size(), 6U);
}

TEST(History, RunsThatDidNotPassAreNoPoints) {
  const SigningKey key = *SigningKey::generate();
  auto sessions = sessions_of({1, 1, 1}, key);
  Evidence failed = testing_support::make_evidence();
  failed.launches.resize(2);  // too few: incomplete_evidence
  failed.runs = runs_of(failed.session, failed.launches);
  sessions.push_back(*decode(encode(failed, key)));
  EXPECT_EQ(of(*histories(sessions), "one").points.size(), 3U);
}

// Signed by `key`, whose A and A' come apart by `apart` in every launch.
SignedEvidence apart_by(double apart, const SigningKey& key, int minute) {
  Evidence e = testing_support::make_evidence();
  e.session.started_at = fmt::format("2026-01-02T03:{:02}:05.000Z", minute);
  for (Launch& launch : e.launches) {
    for (std::size_t i = 0; i < launch.samples.size(); i += kRawFields) {
      const double ns = launch.samples[i + 2] == 2 ? 1e6 * std::exp(apart) : 1e6;
      launch.samples[i + 4] = std::llround(ns);
    }
  }
  e.runs = runs_of(e.session, e.launches);
  return *decode(encode(e, key));
}

TEST(NoiseFloor, IsThatOfPastSessionsOfTheSameRunnerMachineProtocolAndThreads) {
  const auto key = SigningKey::generate();
  const auto other = SigningKey::generate();
  const NoiseOf mine{.runner = to_string(key->id()),
                     .machine = to_string(sha256("machine")),
                     .protocol = "paired-cold/1",
                     .threads = 1};
  std::vector<PastSession> past;
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(floor_of_past(past)) << "too few";
    past.push_back(*past_session(apart_by(i < 17 ? 0.004 : 0.02, *key, i), mine));
  }
  EXPECT_NEAR(*floor_of_past(past), 0.02, 1e-5) << "15 of 100 launches are that far apart";

  const SignedEvidence one = apart_by(0.004, *key, 1);
  EXPECT_EQ(past_session(one, mine)->twin_medians.size(), 5U);
  for (const auto& change : std::initializer_list<void (*)(NoiseOf&)>{
           [](NoiseOf& w) { w.machine = "another"; },
           [](NoiseOf& w) { w.protocol = "paired-hot/1"; }, [](NoiseOf& w) { w.threads = 2; }}) {
    NoiseOf whose = mine;
    change(whose);
    EXPECT_FALSE(past_session(one, whose));
  }
  EXPECT_FALSE(past_session(apart_by(0.004, *other, 1), mine)) << "another's key";
}

TEST(NoiseFloor, OldSessionsArePushedOut) {
  std::vector<PastSession> past;
  for (int i = 0; i < 120; ++i) {
    past.push_back({.at = fmt::format("2026-01-02T03:04:05.{:03}Z", i),
                    .twin_medians = {i < 20 ? 0.5 : 0.003}});
  }
  EXPECT_DOUBLE_EQ(*floor_of_past(past), 0.003);
}

// A difference below the noise of the past is none, however sure this session is of it.
TEST(NoiseFloor, RaisesWhatAClaimTakes) {
  Evidence e = testing_support::make_evidence(0.1);
  EXPECT_TRUE(evaluate(e.session, e.launches).leading->claimed());
  e.session.floor = 0.2;
  const Evaluation noisy = evaluate(e.session, e.launches);
  EXPECT_DOUBLE_EQ(noisy.threshold, 0.2);
  EXPECT_DOUBLE_EQ(noisy.floor, 0.2);
  EXPECT_FALSE(noisy.leading->claimed());
  e.session.floor = 0.001;
  EXPECT_DOUBLE_EQ(evaluate(e.session, e.launches).threshold, 0.01) << "the protocol's minimum";
}

}  // namespace
}  // namespace ki::runner
