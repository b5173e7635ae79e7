#include "cli/bench_against.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "runner/testing.h"

namespace ki::cli {
namespace {

using testing::HasSubstr;

// A session of the baseline's kernel "mine" and the one of now, so much slower.
runner::Evidence session_of(double slower) {
  runner::Evidence e = runner::testing_support::make_evidence(slower);
  for (runner::Measured& m : e.session.candidates) m.provider = "mine";
  e.session.candidates[0].library = "old.so";
  e.session.candidates[1].library = "new.so";
  return e;
}

Baseline old_library(const runner::Evidence& e) {
  Baseline baseline;
  baseline.name = "old.so";
  baseline.library = "/somewhere/old.so";
  baseline.binary = e.session.candidates[0].binary;
  return baseline;
}

TEST(Against, ClaimsASlowdownAndASpeedupAndNothingBetweenEquals) {
  const runner::Evidence slower = session_of(0.1);
  const auto changes = changes_of(slower, old_library(slower), "case");
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].verdict, "slower");
  EXPECT_NEAR(*changes[0].change, 0.1, 0.01);
  EXPECT_LE(*changes[0].low, *changes[0].change);
  EXPECT_NEAR(*changes[0].base_ns * 1.1, *changes[0].now_ns, 100);
  EXPECT_TRUE(has_slowdown(changes));
  EXPECT_FALSE(has_failure(changes));
  const runner::Evidence faster = session_of(-0.1);
  EXPECT_EQ(changes_of(faster, old_library(faster), "case")[0].verdict, "faster");
  const runner::Evidence equal = session_of(0);
  EXPECT_EQ(changes_of(equal, old_library(equal), "case")[0].verdict, "tie");
}

TEST(Against, OneBinaryIsNeverDifferentWhateverItsSamplesSay) {
  runner::Evidence e = session_of(0.1);
  e.session.candidates[1].binary = e.session.candidates[0].binary;
  e.session.candidates[1].library = "copy.so";
  const auto changes = changes_of(e, old_library(e), "case");
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].verdict, "same_binary");
  EXPECT_FALSE(has_slowdown(changes));
}

TEST(Against, AFailureOfNowIsOneAndAVoidSessionClaimsNothing) {
  runner::Evidence e = session_of(0.1);
  e.session.candidates[1].status = "incorrect_numerical";
  e.session.candidates[1].text = "y: 3 is not 4";
  e.session.lineup = {0, 0};
  e.launches.clear();
  const auto failed = changes_of(e, old_library(e), "case");
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].verdict, "incorrect_numerical");
  EXPECT_EQ(failed[0].why, "y: 3 is not 4");
  EXPECT_TRUE(has_failure(failed));

  runner::Evidence few = session_of(0.1);
  few.launches.resize(2);
  const auto unclaimed = changes_of(few, old_library(few), "case");
  ASSERT_EQ(unclaimed.size(), 1U);
  EXPECT_EQ(unclaimed[0].verdict, "void");
  EXPECT_THAT(unclaimed[0].why, HasSubstr("launches"));
  EXPECT_FALSE(has_slowdown(unclaimed));
}

TEST(Against, KernelsMeetByName) {
  runner::Evidence e = session_of(0.1);
  e.session.candidates[1].variant = "tuned";
  EXPECT_EQ(changes_of(e, old_library(e), "case").size(), 1U) << "alone on either side";
  e.session.candidates.push_back(e.session.candidates[1]);
  e.session.candidates[2].variant = "other";
  EXPECT_TRUE(changes_of(e, old_library(e), "case").empty());
  e.session.candidates[2].variant = "";
  EXPECT_EQ(changes_of(e, old_library(e), "case").size(), 1U);
}

TEST(Against, MarkdownIsATableThatNothingBreaks) {
  BenchChange one;
  one.title = "a|b\nc";
  one.kernel = "mine";
  one.base_ns = 1e6;
  one.now_ns = 1.1e6;
  one.change = 0.1;
  one.low = 0.09;
  one.high = 0.11;
  one.verdict = "not_enough_evidence";
  const std::string text = markdown_of({one}, "old.so");
  EXPECT_THAT(text, HasSubstr("**0 slower, 0 faster, 1 without a claim**"));
  EXPECT_THAT(text, HasSubstr("| a\\|b c | mine | 1.00 ms | 1.10 ms | +10.0 % [+9.0, +11.0] | not "
                              "enough evidence |\n"));
}

}  // namespace
}  // namespace ki::cli
