#include "runner/sampling.h"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ki::runner {
namespace {

using testing::HasSubstr;

// Records every action and fails at the chosen one. A call of candidate c takes call_ns[c]; nothing
// else takes time.
struct ScriptedDevice {
  std::vector<std::string> log;
  std::vector<std::int64_t> call_ns = {1000, 1000, 3000};
  std::string fails_at;  // name of an action
  int fails_after = 0;   // so many of that action go well
  std::int64_t clock = 1;
  std::uint32_t disturbed = 0;
  bool disturb_next = false;

  Status act(const std::string& name, std::size_t candidate) {
    log.push_back(name + std::to_string(candidate));
    if (name == fails_at && fails_after-- == 0) return fail(Code::unavailable, "at " + name);
    return {};
  }
  Status prepare(std::size_t candidate, std::size_t) { return act("prepare", candidate); }
  Status evict() { return act("evict", 0); }
  Status settle(std::size_t candidate, std::size_t) { return act("settle", candidate); }
  Status check(std::size_t candidate, std::size_t) { return act("check", candidate); }
  std::int64_t now() { return clock; }
  std::int64_t tick_ns() const { return 10; }
  std::size_t calls_max() const { return 1000; }
  std::uint32_t disturbances() const { return disturbed; }
  int launch(std::size_t candidate, std::size_t) {
    clock += call_ns[candidate];
    if (std::exchange(disturb_next, false)) ++disturbed;
    return act("launch", candidate) ? 0 : 1;
  }
};

struct ScriptedRecorder {
  std::vector<std::vector<Sample>> rounds;
  std::size_t rounds_wanted = 6;
  std::size_t fails_at_round = SIZE_MAX;
  std::size_t current = 1000;
  void begin(std::size_t candidate) { current = candidate; }
  Result<bool> round(std::span<const Sample> samples) {
    if (rounds.size() == fails_at_round) return fail(Code::unavailable, "nobody listens");
    rounds.emplace_back(samples.begin(), samples.end());
    return rounds.size() < rounds_wanted;
  }
};

Protocol quick(std::string_view name) {
  Protocol protocol = *find_protocol(name);
  protocol.warmup = std::chrono::milliseconds{0};
  protocol.warmup_calls = 1;
  protocol.block_min = std::chrono::microseconds{4};
  protocol.block_ticks_min = 10;
  protocol.jitter = 0;
  return protocol;
}

TEST(Block, TimesTheCallsAndNothingElse) {
  ScriptedDevice device;
  const auto hot = time_block(device, quick("paired-hot/1"), 2, 2);
  ASSERT_TRUE(hot);
  EXPECT_EQ(hot->block_ns, 6000);
  EXPECT_EQ(hot->calls, 2U);
  EXPECT_FALSE(hot->disturbed);
  EXPECT_EQ(device.log, (std::vector<std::string>{"prepare2", "launch2", "launch2", "settle2"}));
  device.log.clear();
  ASSERT_TRUE(time_block(device, quick("paired-cold/1"), 1, 1));
  EXPECT_EQ(device.log, (std::vector<std::string>{"prepare1", "evict0", "launch1", "settle1"}));
}

TEST(Block, NotesADisturbance) {
  ScriptedDevice device;
  device.disturb_next = true;
  EXPECT_TRUE(time_block(device, quick("paired-hot/1"), 0, 1)->disturbed);
  EXPECT_FALSE(time_block(device, quick("paired-hot/1"), 0, 1)->disturbed);
}

TEST(Block, WithoutTimeIsAnErrorAndNoSample) {
  ScriptedDevice device;
  device.call_ns[0] = 0;
  EXPECT_FALSE(time_block(device, quick("paired-hot/1"), 0, 1));
}

TEST(Paired, EveryRoundRunsEveryCandidateOnceAndEveryPositionIsShared) {
  ScriptedDevice device;
  ScriptedRecorder recorder;
  recorder.rounds_wanted = 9;
  ASSERT_TRUE(measure(device, recorder, quick("paired-cold/1"), 3, 7));
  ASSERT_EQ(recorder.rounds.size(), 9U);
  std::map<std::pair<std::size_t, std::size_t>, int> seen;  // candidate, position
  for (const auto& round : recorder.rounds) {
    ASSERT_EQ(round.size(), 3U);
    for (const Sample& sample : round) {
      ++seen[{sample.candidate, sample.position}];
      EXPECT_EQ(sample.calls, round[0].calls);
      EXPECT_EQ(sample.calls, 5U);  // 4 us for the fastest of 1 us a call, with a tenth to spare
    }
  }
  EXPECT_EQ(seen.size(), 9U);
  for (const auto& [place, count] : seen) EXPECT_EQ(count, 3);  // three squares of three rows
}

TEST(Paired, TwoCandidatesAlternateWhoIsFirst) {
  stats::Random random(3);
  LatinSquares squares(2);
  for (int square = 0; square < 20; ++square) {
    const auto first = squares.next(random);
    EXPECT_NE(first, squares.next(random));
  }
}

TEST(Paired, ATenthOfTheBlocksIsChecked) {
  ScriptedDevice device;
  ScriptedRecorder recorder;
  recorder.rounds_wanted = 400;
  ASSERT_TRUE(measure(device, recorder, quick("paired-hot/1"), 3, 7));
  const auto checks = std::ranges::count_if(
      device.log, [](const std::string& action) { return action.starts_with("check"); });
  EXPECT_GT(checks, 80);
  EXPECT_LT(checks, 160);
}

TEST(Paired, TheJitterIsSharedByTheRound) {
  ScriptedDevice device;
  ScriptedRecorder recorder;
  recorder.rounds_wanted = 30;
  Protocol protocol = quick("paired-hot/1");
  protocol.jitter = 0.2;
  protocol.block_min = std::chrono::microseconds{100};
  ASSERT_TRUE(measure(device, recorder, protocol, 3, 7));
  std::set<std::uint32_t> counts;
  for (const auto& round : recorder.rounds) {
    for (const Sample& sample : round) EXPECT_EQ(sample.calls, round[0].calls);
    counts.insert(round[0].calls);
  }
  EXPECT_GT(counts.size(), 5U);
}

// Whatever fails, at whatever moment, ends the measurement with that error, and no round that is
// not whole reaches the recorder.
TEST(Measure, EndsAtTheFirstFailureOfEachAction) {
  for (const char* protocol : {"paired-cold/1", "paired-hot/1", "do-bench/1"}) {
    for (const std::string action : {"prepare", "evict", "launch", "settle", "check"}) {
      for (const int after : {0, 1, 4, 9}) {
        if (action == "evict" && std::string_view(protocol) == "paired-hot/1") continue;
        ScriptedDevice device;
        device.fails_at = action;
        device.fails_after = after;
        ScriptedRecorder recorder;
        recorder.rounds_wanted = 200;
        Protocol p = quick(protocol);
        p.repetition = std::chrono::milliseconds{1};
        const Status done = measure(device, recorder, p, 3, 1);
        ASSERT_FALSE(done) << protocol << ' ' << action << ' ' << after;
        const std::string expected = action == "launch" ? "says that it failed" : "at " + action;
        EXPECT_THAT(done.error().message, HasSubstr(expected));
        for (const auto& round : recorder.rounds) {
          EXPECT_EQ(round.size(), p.order == Order::paired ? 3U : 1U);
        }
        // The candidate that is to blame is known.
        const std::string last = device.log.back();
        if (action != "evict" && action != "launch") {
          EXPECT_EQ(std::to_string(recorder.current), last.substr(action.size()));
        }
      }
    }
  }
}

TEST(Measure, EndsWhenNobodyListens) {
  for (const char* protocol : {"paired-cold/1", "do-bench/1"}) {
    ScriptedDevice device;
    ScriptedRecorder recorder;
    recorder.fails_at_round = 1;
    EXPECT_FALSE(measure(device, recorder, quick(protocol), 3, 1));
    EXPECT_EQ(recorder.rounds.size(), 1U);
  }
}

TEST(Sequential, RunsOneCandidateAfterTheOtherByTheClock) {
  ScriptedDevice device;
  ScriptedRecorder recorder;
  Protocol protocol = quick("do-bench/1");
  protocol.warmup = std::chrono::milliseconds{1};
  protocol.repetition = std::chrono::milliseconds{3};
  protocol.checked_share = 0;
  ASSERT_TRUE(measure(device, recorder, protocol, 3, 1));
  std::vector<std::size_t> samples(3);
  std::size_t last = 0;
  for (const auto& round : recorder.rounds) {
    ASSERT_EQ(round.size(), 1U);
    EXPECT_EQ(round[0].calls, 1U);
    EXPECT_GE(round[0].candidate, last);
    last = round[0].candidate;
    ++samples[last];
  }
  EXPECT_EQ(samples, (std::vector<std::size_t>{3000, 3000, 1000}));
  // A call that takes longer than the whole budget is timed once: the protocol's weakness.
  ScriptedDevice slow;
  slow.call_ns = {900'000'000};
  ScriptedRecorder once;
  ASSERT_TRUE(measure(slow, once, *find_protocol("do-bench/1"), 1, 1));
  EXPECT_EQ(once.rounds.size(), 1U);
}

TEST(Protocols, HaveNamesThatAreFoundAndManifestsThatDiffer) {
  std::set<std::string> manifests;
  for (const Protocol& protocol : protocols()) {
    EXPECT_EQ(find_protocol(protocol.name), &protocol);
    manifests.insert(manifest_of(protocol, "forward"));
    manifests.insert(manifest_of(protocol, "backward"));
    EXPECT_TRUE(busy_variant(protocol).keeps_disturbed());
  }
  EXPECT_EQ(manifests.size(), 10U);
  EXPECT_EQ(find_protocol("paired-cold"), nullptr);
}

}  // namespace
}  // namespace ki::runner
