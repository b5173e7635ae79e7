#include "policy/trust.h"

#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/assessment.h"

namespace ki::policy {
namespace {

using testing::ElementsAre;

constexpr std::string_view kCold = "paired-cold/1";

Figure figure(double value, double half_width) {
  return {.value = value,
          .confidence = Interval{value / (1 + half_width), value * (1 + half_width)},
          .spread = std::nullopt};
}

TEST(Agreement, NeedsACloseRatioAndAnIntervalThatTells) {
  struct Case {
    Figure claimed, measured;
    Agreement verdict;
  };
  const Case cases[] = {
      {figure(100, 0.01), figure(100, 0.01), Agreement::agrees},
      {figure(100, 0.01), figure(104, 0.01), Agreement::agrees},
      {figure(100, 0.01), figure(105.5, 0.01), Agreement::unclear},
      {figure(100, 0.01), figure(110, 0.01), Agreement::differs},
      {figure(100, 0.01), figure(90, 0.01), Agreement::differs},
      {figure(100, 0.2), figure(100, 0.2), Agreement::unclear},  // too wide to tell
      {figure(100, 0.2), figure(110, 0.01), Agreement::unclear},
      {figure(100, 0.0), figure(100, 0.01), Agreement::unclear},  // no width: unknown
      {{.value = 100, .confidence = {}, .spread = {}}, figure(100, 0.01), Agreement::unclear},
      {{.value = 0, .confidence = {}, .spread = {}}, figure(100, 0.01), Agreement::unclear},
      {{.value = 100, .confidence = {}, .spread = Interval{99, 101}},
       figure(101, 0.01),
       Agreement::agrees},
      {{.value = 100, .confidence = Interval{101, 102}, .spread = {}},
       figure(101, 0.01),
       Agreement::unclear},  // an interval beside its value
  };
  for (const Case& one : cases) {
    EXPECT_EQ(compare_figures(one.claimed, one.measured).verdict, one.verdict)
        << one.claimed.value << " and " << one.measured.value;
    EXPECT_EQ(compare_figures(one.measured, one.claimed).verdict, one.verdict) << "the other way";
  }
  const Compared half = compare_figures(figure(100, 0.03), figure(50, 0.04));
  EXPECT_DOUBLE_EQ(half.ratio, 0.5);
  EXPECT_NEAR(half.bounds->low, 0.5 / 1.05, 0.001);
  EXPECT_NEAR(half.bounds->high, 0.5 * 1.05, 0.001);
}

struct Signed {
  std::string_view run, key, machine;
  double value = 100;
  bool approved = true;
  std::string_view protocol = kCold;
  std::string_view implementation = "i";
  std::string_view statement = "s";
};

std::vector<Signature> signatures(const std::vector<Signed>& rows) {
  std::vector<Signature> out;
  for (const Signed& row : rows) {
    out.push_back({.run = row.run,
                   .implementation = row.implementation,
                   .statement = row.statement,
                   .key = row.key,
                   .machine = row.machine,
                   .protocol = row.protocol,
                   .key_approved = row.approved,
                   .figure = figure(row.value, 0.01)});
  }
  return out;
}

// "a b+a": run a is vouched for, run b agrees with a.
std::string shown(const std::vector<Signed>& rows) {
  std::string out;
  for (const Vouched& one : vouch(signatures(rows))) {
    out += (out.empty() ? "" : " ") + std::string(one.run);
    if (!one.agreeing.empty()) out += "+" + std::string(one.agreeing);
  }
  return out;
}

TEST(Vouching, EachTransition) {
  EXPECT_EQ(shown({}), "");
  EXPECT_EQ(shown({{"a", "k", "m"}}), "a");
  EXPECT_EQ(shown({{"a", "k", "m", 100, false}}), "") << "not approved, or revoked";
  EXPECT_EQ(shown({{"a", "k", "m", 100, true, "worker-host/1"}}), "") << "another protocol";
  EXPECT_EQ(shown({{"a", "k", "m"}, {"b", "l", "n"}}), "a+b b+a");
  EXPECT_EQ(shown({{"b", "l", "n"}, {"a", "k", "m"}}), "a+b b+a") << "in any order";
  EXPECT_EQ(shown({{"a", "k", "m"}, {"b", "k", "n"}}), "a b") << "one key on two machines";
  EXPECT_EQ(shown({{"a", "k", "m"}, {"b", "l", "m"}}), "a b") << "two keys on one machine";
  EXPECT_EQ(shown({{"a", "k", "m"}, {"b", "l", "n", 120}}), "a b") << "they differ";
  EXPECT_EQ(shown({{"a", "k", "m"}, {"b", "l", "n", 100, false}}), "a") << "one is revoked";
  EXPECT_EQ(shown({{"a", "k", "m"}, {"b", "l", "n", 100, true, kCold, "j"}}), "a b")
      << "another implementation";
  EXPECT_EQ(shown({{"a", "k", "m"}, {"a", "l", "n", 100, true, kCold, "i", "t"}}), "a")
      << "two signatures under one run are no second measurement";
  EXPECT_EQ(shown({{"a", "k", "m", 100, false}, {"a", "l", "n", 100, true, kCold, "i", "t"}}), "a")
      << "signed by two, one of them approved";
}

TEST(Vouching, NamesTheSignatureThatCounts) {
  const auto rows = signatures({{"a", "k", "m", 100, true, kCold, "i", "s1"},
                                {"a", "l", "n", 100, true, kCold, "i", "s2"},
                                {"b", "k", "n", 100, true, kCold, "i", "s3"},
                                {"c", "o", "m", 100, true, kCold, "i", "s4"}});
  const auto found = vouch(rows);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].statement, "s2") << "b has the key of s1 and the machine of s2; c agrees";
  EXPECT_EQ(found[0].agreeing, "c");
}

std::map<std::string, EvidenceLevel> levels(const std::vector<Signature>& rows) {
  std::map<std::string, EvidenceLevel> out;
  for (const Vouched& one : vouch(rows)) {
    out[std::string(one.run)] = evidence_level({.approved_runners = one.runners()});
  }
  return out;
}

EvidenceLevel level_of(const std::map<std::string, EvidenceLevel>& all, const std::string& run) {
  const auto found = all.find(run);
  return found == all.end() ? EvidenceLevel::reported : found->second;
}

// Over random cohorts: a revocation raises no level, approving again gives all of them back, and no
// run rises that no approved key signed under an approved protocol.
TEST(Vouching, RevokingNeverRaisesALevel) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  static constexpr std::string_view kNames[] = {"a", "b", "c", "d", "e"};
  const auto pick = [&](int count) { return static_cast<std::size_t>(random()) % count; };
  for (int round = 0; round < 500; ++round) {
    std::vector<Signed> made;
    const std::size_t count = pick(12);
    for (std::size_t i = 0; i < count; ++i) {
      made.push_back({.run = kNames[pick(5)],
                      .key = kNames[pick(3)],
                      .machine = kNames[pick(3)],
                      .value = 0,
                      .approved = true,
                      .protocol = pick(6) == 0 ? "else/1" : kCold,
                      .implementation = "i",
                      .statement = kNames[i % 5]});
    }
    std::set<std::string_view> approved;
    for (const std::string_view key : {"a", "b", "c"}) {
      if (pick(3) != 0) approved.insert(key);
    }
    for (Signed& one : made) {  // a run has one value and one implementation
      one.value = 100 + 2.0 * (one.run.front() - 'a');
      one.implementation = one.run.front() < 'd' ? "i" : "j";
      one.approved = approved.contains(one.key);
    }
    const auto before = levels(signatures(made));
    for (const auto& [run, level] : before) {
      EXPECT_TRUE(std::ranges::any_of(made, [&](const Signed& one) {
        return one.run == run && one.approved && is_approved_protocol(one.protocol);
      })) << run;
    }
    const std::string_view revoked = kNames[pick(3)];
    std::vector<Signed> less = made;
    for (Signed& one : less) one.approved = one.approved && one.key != revoked;
    const auto after = levels(signatures(less));
    for (const std::string_view run : kNames) {
      EXPECT_LE(level_of(after, std::string(run)), level_of(before, std::string(run))) << run;
    }
  }
}

TEST(TrustReasons, SayWhatCountsOrWhatIsMissing) {
  const SignatureState good{.key_known = true, .key_approved = true, .protocol_approved = true};
  const SignatureState revoked{.key_known = true, .key_approved = false, .protocol_approved = true};
  const SignatureState stranger{
      .key_known = false, .key_approved = false, .protocol_approved = false};
  EXPECT_THAT(trust_reasons({}), ElementsAre("NOT_SIGNED"));
  EXPECT_THAT(trust_reasons({.signatures = {good}, .stands = true, .agrees = false}),
              ElementsAre("SIGNED_BY_APPROVED_RUNNER", "NO_INDEPENDENT_RUN"));
  EXPECT_THAT(trust_reasons({.signatures = {revoked, good}, .stands = true, .agrees = true}),
              ElementsAre("SIGNED_BY_APPROVED_RUNNER", "AGREES_INDEPENDENTLY"));
  EXPECT_THAT(trust_reasons({.signatures = {good}, .stands = false, .agrees = false}),
              ElementsAre("SIGNED_BY_APPROVED_RUNNER", "NOT_STANDING"));
  EXPECT_THAT(trust_reasons({.signatures = {revoked}, .stands = true, .agrees = false}),
              ElementsAre("RUNNER_REVOKED"));
  EXPECT_THAT(trust_reasons({.signatures = {stranger}, .stands = true, .agrees = false}),
              ElementsAre("RUNNER_NOT_APPROVED", "PROTOCOL_NOT_APPROVED"));
  for (const char* code :
       {"NOT_SIGNED", "NOT_STANDING", "SIGNED_BY_APPROVED_RUNNER", "AGREES_INDEPENDENTLY",
        "NO_INDEPENDENT_RUN", "RUNNER_NOT_APPROVED", "RUNNER_REVOKED", "PROTOCOL_NOT_APPROVED"}) {
    EXPECT_NE(trust_text(code), code);
  }
}

}  // namespace
}  // namespace ki::policy
