#include "runner/evidence.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include "runner/evaluate.h"
#include "runner/testing.h"
#include "stats/random.h"

namespace ki::runner {
namespace {

using testing_support::make_evidence;

using testing::HasSubstr;

TEST(Evidence, ComesBackAsItWasAndItsClaimsFollow) {
  const SigningKey key = *SigningKey::generate();
  const Evidence e = make_evidence();
  const auto read = decode(encode(e, key));
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(body_of(read->evidence), body_of(e));
  EXPECT_EQ(read->statement.predicate.runner.public_key, key.public_key());
  const Status claims = check_claims(read->evidence);
  EXPECT_TRUE(claims) << to_string(claims.error());
  EXPECT_EQ(read->statement.predicate.runs.size(), 2U);
}

TEST(Evaluation, ClaimsALeaderThatIsFaster) {
  const Evidence e = make_evidence();
  const Evaluation judged = evaluate(e.session, e.launches);
  EXPECT_EQ(judged.void_reason, "");
  ASSERT_TRUE(judged.leading);
  EXPECT_EQ(judged.leading->leader, 0U);
  EXPECT_TRUE(judged.leading->claimed());
  EXPECT_NEAR(judged.timings[0].summary.median, 1e4, 50);
  const Evidence equal = make_evidence(0);
  EXPECT_FALSE(evaluate(equal.session, equal.launches).leading->claimed());
}

TEST(Evaluation, OneBinaryIsNeverTwo) {
  Evidence e = make_evidence();
  e.session.candidates[1].binary = e.session.candidates[0].binary;
  e.session.candidates[1].provider = e.session.candidates[0].provider;
  const Evaluation judged = evaluate(e.session, e.launches);
  EXPECT_FALSE(judged.leading->claimed());
  EXPECT_EQ(judged.leading->others[0].outcome, stats::Outcome::tie);
}

TEST(Evaluation, LeavesDisturbedRoundsOutAndTooManyVoidTheLaunch) {
  const Evidence some = make_evidence(0.1, 0.02);
  const Evaluation judged = evaluate(some.session, some.launches);
  EXPECT_GT(judged.void_rounds, 0U);
  EXPECT_LT(judged.rounds, 250U);
  const Evidence many = make_evidence(0.1, 0.2);
  const Evaluation none = evaluate(many.session, many.launches);
  EXPECT_EQ(none.launches, 0U);
  EXPECT_EQ(none.void_launches, 5U);
  EXPECT_NE(none.void_reason, "");
  for (const std::string& run : many.runs) EXPECT_THAT(run, HasSubstr("incomplete_evidence"));
}

TEST(Evaluation, IsVoidWhenTheBaselineComesApartFromItself) {
  Evidence e = make_evidence();
  for (Launch& launch : e.launches) {
    for (std::size_t i = 0; i < launch.samples.size(); i += kRawFields) {
      if (launch.samples[i + 2] == 2) launch.samples[i + 4] += 50'000;
    }
  }
  EXPECT_THAT(evaluate(e.session, e.launches).void_reason, HasSubstr("came apart"));
  EXPECT_THAT(runs_of(e.session, e.launches)[0], HasSubstr("incomplete_evidence"));
}

TEST(Evaluation, FewerLaunchesThanTheProtocolTakesAreNoRecord) {
  Evidence e = make_evidence();
  e.launches.pop_back();
  EXPECT_THAT(evaluate(e.session, e.launches).void_reason, HasSubstr("4 of the 5"));
}

std::string recompressed(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
  return out;
}

std::string text_of(const std::string& encoded) {
  std::string out(std::size_t{8} << 20, '\0');
  out.resize(ZSTD_decompress(out.data(), out.size(), encoded.data(), encoded.size()));
  return out;
}

// Whoever changes a byte of what is signed has no signature any more.
TEST(Evidence, WithAnyByteChangedIsRefused) {
  const std::string text = text_of(encode(make_evidence(), *SigningKey::generate()));
  stats::Random random(1);
  for (int i = 0; i < 300; ++i) {
    std::string changed = text;
    changed[random.below(changed.size())] ^= static_cast<char>(1 + random.below(127));
    const auto read = decode(recompressed(changed));
    EXPECT_FALSE(read) << i;
  }
  for (int i = 0; i < 50; ++i) {
    EXPECT_FALSE(decode(recompressed(text.substr(0, random.below(text.size())))));
  }
}

// A runner that signs what does not follow from its own samples is told which value does not.
TEST(Claims, ThatDoNotFollowAreRefusedByName) {
  struct Case {
    const char* what;
    std::function<void(Evidence&)> tamper;
    const char* says;
  };
  const auto replace = [](std::string& text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  };
  const std::vector<Case> cases = {
      {"a faster median", [&](Evidence& e) { replace(e.runs[1], "\"median\":1", "\"median\":2"); },
       "median"},
      {"a faster sample", [](Evidence& e) { e.launches[0].samples[4] /= 2; }, "the samples give"},
      {"a run left out", [](Evidence& e) { e.runs.pop_back(); }, "2 runs"},
      {"a failure passed", [](Evidence& e) { e.session.candidates[1].status = "runtime_error"; },
       "the samples give"},
      {"another protocol's name", [](Evidence& e) { e.session.protocol = "paired-hot/1"; },
       "not paired-hot/1"},
      {"an unknown protocol", [](Evidence& e) { e.session.protocol = "fast/1"; }, "no protocol"},
      {"other rules", [](Evidence& e) { e.session.rules = "mine/1"; }, "rules"},
      {"a smaller effect", [](Evidence& e) { e.session.effect_min = 0; }, "minimum effect"},
      {"no environment", [](Evidence& e) { e.session.environment_digest = e.session.machine; },
       "ExecutionEnvironment"},
      {"another implementation",
       [](Evidence& e) { e.session.candidates[0].implementation = e.session.machine; },
       "ImplementationRevision"},
      {"another time", [](Evidence& e) { e.session.started_at = "2027-01-02T03:04:05.000Z"; },
       "observedAt"},
  };
  const SigningKey key = *SigningKey::generate();
  for (const Case& c : cases) {
    Evidence e = make_evidence();
    c.tamper(e);
    const auto read = decode(encode(e, key));
    ASSERT_TRUE(read) << c.what << ": " << to_string(read.error());
    const Status claims = check_claims(read->evidence);
    ASSERT_FALSE(claims) << c.what;
    EXPECT_THAT(to_string(claims.error()), HasSubstr(c.says)) << c.what;
  }
}

TEST(Evidence, ThatIsNoneIsRefused) {
  for (const std::string& bytes :
       {std::string(), std::string("hello"), recompressed(""), recompressed("{}\n"),
        recompressed("{\"session\":{}}\n"), recompressed("{\"envelope\":{}}\n"),
        recompressed("{\"launch\":{}}\n")}) {
    EXPECT_FALSE(decode(bytes));
  }
}

}  // namespace
}  // namespace ki::runner
