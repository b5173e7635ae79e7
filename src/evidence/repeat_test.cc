#include "evidence/repeat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "catalog/trust.h"
#include "evidence/publish_evidence.h"
#include "json/read.h"
#include "kernels/registry.h"
#include "publish/trust.h"
#include "publish/verify.h"
#include "runner/testing.h"

namespace ki::evidence {
namespace {

using runner::testing_support::make_evidence;
using testing::HasSubstr;

TEST(FirstDifference, NamesTheFirstMemberAndBothValues) {
  const auto differs = [](std::string_view a, std::string_view b) {
    return first_difference(json::parse(a)->root, json::parse(b)->root);
  };
  EXPECT_EQ(differs(R"({"a":1,"b":{"c":[1,2]}})", R"({"a":1,"b":{"c":[1,2]}})"), "");
  EXPECT_EQ(differs(R"({"a":1,"b":{"c":"x"}})", R"({"b":{"c":"y"},"a":1})"),
            R"(b.c: "x" there, "y" here)");
  EXPECT_EQ(differs(R"({"a":1})", R"({"a":1,"z":2})"), "z: nothing there, 2 here");
  EXPECT_EQ(differs(R"({"a":{"b":1}})", R"({"a":3})"), R"(a: {"b":1} there, 3 here)");
}

// A session as it would be here, of the first built-in kernel that serves the case.
class Repeating : public testing::Test {
 protected:
  void SetUp() override {
    const auto published =
        publish_evidence(catalog_, runner::encode(first_, key_), "a.evidence.zst", clock_);
    ASSERT_TRUE(published) << to_string(published.error());
    run_ = *load_run(catalog_, published->runs.front());
  }

  // The same session at another time and by another clock.
  static runner::Evidence again(double slower, std::string_view machine = "machine") {
    runner::Evidence e = make_evidence();
    e.session.started_at = "2026-02-02T03:04:05.000Z";
    e.session.machine = to_string(sha256(machine));
    for (runner::Launch& launch : e.launches) {
      for (std::size_t i = 4; i < launch.samples.size(); i += runner::kRawFields) {
        const auto ns = static_cast<double>(launch.samples[i]);
        launch.samples[i] = static_cast<std::int64_t>(ns * (1 + slower));
      }
    }
    e.runs = runner::runs_of(e.session, e.launches);
    return e;
  }

  RepeatVerdict judged(const runner::Evidence& evidence, const std::string& kernel = "one") {
    RepeatPlan plan;
    plan.kernel = kernel;
    auto verdict = judge_repeat(run_, plan, evidence);
    EXPECT_TRUE(verdict) << to_string(verdict.error());
    return std::move(*verdict);
  }

  static inline const SystemClock clock_{};
  catalog::Catalog catalog_ =
      *catalog::Catalog::open(":memory:", clock_, {.mode = db::Mode::create});
  runner::SigningKey key_ = *runner::SigningKey::generate();
  runner::Evidence first_ = make_evidence();
  StoredRun run_;
};

TEST_F(Repeating, PlansByDigestOrNamesWhatIsMissing) {
  auto plan = plan_repeat(run_, {"/lib/mine.so"});
  ASSERT_TRUE(plan) << to_string(plan.error());
  ASSERT_TRUE(*plan) << (*plan).error().text;
  EXPECT_EQ((*plan)->kernel, "one");
  EXPECT_EQ((*plan)->request.operation, first_.session.operation);
  EXPECT_EQ((*plan)->request.axes, first_.session.axes);
  EXPECT_EQ((*plan)->request.dtype, first_.session.dtype);
  EXPECT_EQ((*plan)->request.protocol->name, "paired-cold/1");
  EXPECT_EQ((*plan)->request.candidates.front().library, "/lib/mine.so");

  const auto code = [&](const StoredRun& run) {
    const auto found = plan_repeat(run, {});
    EXPECT_TRUE(found) << to_string(found.error());
    return *found ? std::string("a plan") : found->error().code;
  };
  EXPECT_EQ(code(run_), "PROVIDER_ABSENT");
  StoredRun other = run_;
  other.figure.reset();
  EXPECT_EQ(code(other), "NO_FIGURE");
  other = run_;
  other.protocol_digest = to_string(sha256("another"));
  EXPECT_EQ(code(other), "PROTOCOL_NOT_KNOWN");
  other = run_;
  other.workload_digest = to_string(sha256("another"));
  EXPECT_EQ(code(other), "CASE_NOT_KNOWN");
  other = run_;
  const std::string digest = first_.session.operation_digest;
  other.workload.replace(other.workload.find(digest), digest.size(), to_string(sha256("x")));
  EXPECT_EQ(code(other), "OPERATION_NOT_IN_SUITE");
}

TEST_F(Repeating, AgreesDiffersOrCannot) {
  const RepeatVerdict same = judged(again(0.005));
  EXPECT_EQ(same.word(), "agrees");
  EXPECT_NEAR(same.compared->ratio, 1.005, 0.01);
  const RepeatVerdict slower = judged(again(0.3));
  EXPECT_EQ(slower.word(), "differs");
  EXPECT_NEAR(slower.compared->ratio, 1.3, 0.02);
  EXPECT_LT(slower.compared->bounds->low, slower.compared->bounds->high);
  const RepeatVerdict absent = judged(again(0), "three");
  EXPECT_EQ(absent.word(), "cannot");
  EXPECT_EQ(absent.obstacle->code, "PROVIDER_ABSENT");
}

TEST_F(Repeating, AnotherEnvironmentOrBuildIsNamedAndTheFigureStands) {
  StoredRun elsewhere = run_;
  elsewhere.environment.replace(elsewhere.environment.find("\"P\""), 3, "\"Q\"");
  std::swap(elsewhere, run_);
  const RepeatVerdict verdict = judged(again(0));
  EXPECT_EQ(verdict.word(), "cannot");
  EXPECT_EQ(verdict.obstacle->code, "ENVIRONMENT_DIFFERS");
  EXPECT_THAT(verdict.obstacle->text, HasSubstr(R"(hardware.product: "Q" there, "P" here)"));
  EXPECT_TRUE(verdict.measured_ns);
  EXPECT_FALSE(verdict.compared);
  std::swap(elsewhere, run_);
  const std::string binary = to_string(sha256("one"));
  run_.implementation.replace(run_.implementation.find(binary), binary.size(),
                              to_string(sha256("an older build")));
  EXPECT_EQ(judged(again(0)).obstacle->code, "IMPLEMENTATION_DIFFERS");
}

TEST_F(Repeating, AVoidRepetitionSaysSo) {
  runner::Evidence e = again(0);
  e.launches.resize(2);
  e.runs = runner::runs_of(e.session, e.launches);
  EXPECT_EQ(judged(e).obstacle->code, "NOT_MEASURED");
}

// Filed with its evidence, audited and shown, whatever an author filed that day; no level rises
// but that of a signed run of an approved runner.
TEST_F(Repeating, IsFiledBesideTheRunAndReplicatesItOnlyIndependently) {
  const runner::SigningKey other = *runner::SigningKey::generate();
  const auto file = [&](const runner::Evidence& e, const runner::SigningKey& key) {
    const std::string encoded = runner::encode(e, key);
    const auto id =
        file_repeat(catalog_, run_, judged(e),
                    {.encoded = encoded, .file = "b.evidence.zst", .actor = "me"}, clock_);
    EXPECT_TRUE(id) << to_string(id.error());
  };
  file(again(0.001, "another machine"), other);
  file(again(0.4), other);
  auto rows = catalog_.connection().query(
      db::Sql{"test", "SELECT type, body FROM attestation ORDER BY id"});
  ASSERT_TRUE(rows);
  ASSERT_TRUE(*rows->next());
  EXPECT_EQ(rows->string(0), "reproduced");
  EXPECT_THAT(rows->string(1), HasSubstr("ki verify-run: agrees, 1.001 times"));
  ASSERT_TRUE(*rows->next());
  EXPECT_EQ(rows->string(0), "could_not_reproduce");
  const auto runners = [&] { return *catalog::approved_runners(catalog_.connection(), run_.id); };
  const auto approve = [&](const runner::SigningKey& key) {
    ASSERT_TRUE(publish::approve_runner(catalog_, to_string(key.id()),
                                        {.actor = "me", .reason = "a test"}, clock_));
  };
  EXPECT_EQ(runners(), 0);
  approve(other);
  EXPECT_EQ(runners(), 0) << "its own runner is not approved";
  approve(key_);
  EXPECT_EQ(runners(), 2);
  const auto verified = publish::verify(catalog_);
  ASSERT_TRUE(verified);
  EXPECT_EQ(verified->found, 0);
}

}  // namespace
}  // namespace ki::evidence
