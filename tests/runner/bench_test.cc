// ki bench, ki publish and ki runner as a user has them: the built program in a folder of its own.

#include <fstream>

#include <gmock/gmock.h>

#include "program/program.h"

namespace ki {
namespace {

using testing::HasSubstr;

class Bench : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    ::setenv("KI_RUNNER_KEY", (home_ / "key/runner.pem").c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("KI_RUNNER_KEY");
    Program::TearDown();
  }
  // One process of a tenth of a second a candidate, whatever else the machine does.
  Finished measure(const std::string& more) const {
    return ki("bench rmsnorm --axes rows=8,hidden=64 --protocol do-bench/1 --busy " + more);
  }
  std::string evidence() const {
    for (const auto& entry : fs::directory_iterator(home_ / "var/evidence")) {
      if (entry.is_regular_file()) return entry.path().string();
    }
    ADD_FAILURE() << "no evidence was kept";
    return {};
  }
};

TEST_F(Bench, WhatIsMeasuredIsSignedPublishedAndFound) {
  const Finished measured = measure("--providers native,reference");
  ASSERT_EQ(measured.code, 0) << measured.err;
  EXPECT_THAT(measured.out, HasSubstr("rms-norm forward bf16 hidden=64 rows=8\n"));
  EXPECT_THAT(measured.out, HasSubstr("native"));
  EXPECT_THAT(measured.out, HasSubstr("do-bench/1, 1 launches"));
  EXPECT_THAT(measured.err, HasSubstr("made a key for this runner"));

  const std::string file = evidence();
  const Finished published = ki("publish " + file);
  EXPECT_EQ(published.code, 0) << published.err;
  EXPECT_THAT(published.out, HasSubstr("2 runs under do-bench/1"));
  EXPECT_THAT(ki("publish " + file).out, HasSubstr(", 0 objects new"));
  EXPECT_THAT(ki("search rmsnorm").out, HasSubstr("KernelIndex"));
  const Finished verified = ki("verify");
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
}

// Of runs of this machine: whose word counts is decided here, and shows at once.
TEST_F(Bench, WhoIsApprovedDecidesTheLevel) {
  ASSERT_EQ(measure("--providers native --publish").code, 0);
  const std::string run = field(ki("runs --json").out, {"runs", "0", "digest"}).substr(7, 12);
  const auto level = [&] { return field(ki("show run " + run + " --json").out, {"evidence"}); };
  EXPECT_EQ(level(), "reported");
  EXPECT_EQ(field(ki("runner list --json").out, {"runners", "0", "state"}), "unknown");
  EXPECT_THAT(ki("show run " + run).out, HasSubstr("never approved here"));
  const Finished nameless = ki("runner approve 'this machine' --reason 'why not'");
  EXPECT_EQ(nameless.code, 2);
  EXPECT_THAT(nameless.err, HasSubstr("ki runner key shows both"));

  const Finished approved = ki("runner approve --reason 'this machine' --actor anna");
  EXPECT_EQ(approved.code, 0) << approved.err;
  EXPECT_EQ(level(), "verified");
  EXPECT_THAT(ki("search rmsnorm trust:verified").out, HasSubstr("Fastest verified: native"));
  EXPECT_EQ(ki("runner approve --reason 'this machine'").code, 1) << "it is approved already";
  const std::string list = ki("runner list --json").out;
  EXPECT_EQ(field(list, {"runners", "0", "state"}), "approved");
  EXPECT_EQ(field(list, {"runners", "0", "decisions", "0", "actor"}), "anna");
  const Finished revoked = ki("runner revoke --reason 'a test of revoking'");
  EXPECT_EQ(revoked.code, 0) << revoked.err;
  EXPECT_EQ(level(), "reported");
  EXPECT_THAT(ki("runner list").out, HasSubstr("revoked"));
  EXPECT_EQ(ki("verify").code, 0);
}

TEST_F(Bench, ARunIsRepeatedAndWhatCameOfItIsFiled) {
  ASSERT_EQ(measure("--providers native --publish").code, 0);
  const std::string run = field(ki("runs --json").out, {"runs", "0", "digest"}).substr(7, 12);
  const Finished done = ki("verify-run " + run + " --json");
  const std::string verdict = field(done.out, {"verdict"});
  const int expected = verdict == "agrees" ? 0 : verdict == "differs" ? 3 : 4;
  EXPECT_EQ(done.code, expected) << done.out << done.err;
  EXPECT_THAT(field(done.out, {"measuredRun"}), HasSubstr("sha256:")) << done.out << done.err;
  if (verdict == "cannot") {
    EXPECT_EQ(field(done.out, {"reason", "code"}), "SPREAD_TOO_WIDE");
  }
  const std::string shown = ki("show run " + run + " --json").out;
  EXPECT_THAT(shown, HasSubstr("ki verify-run: " + verdict));
  EXPECT_THAT(shown, HasSubstr("\"verification\""));
  EXPECT_EQ(ki("verify").code, 0);

  ASSERT_EQ(ki("import registry --publish").code, 0);
  const std::string rope =
      field(ki("runs --operation rope --limit 1 --json").out, {"runs", "0", "digest"});
  const Finished cannot = ki("verify-run " + rope);
  EXPECT_EQ(cannot.code, 4) << cannot.err;
  EXPECT_THAT(cannot.out, HasSubstr("cannot: "));
  EXPECT_THAT(cannot.out, HasSubstr("[PROTOCOL_NOT_KNOWN]"));
  EXPECT_EQ(ki("verify-run nothing").code, 1);
}

TEST_F(Bench, EvidenceThatWasTouchedIsRefused) {
  ASSERT_EQ(measure("--quiet").code, 0);
  const std::string file = evidence();
  const std::string rewrite = "cd '" + home_.string() + "' && zstd -qdc " + file +
                              " | sed 's/\"outputsChecked\":/\"outputsChecked\":1/' | "
                              "zstd -qfo touched.zst";
  ASSERT_EQ(std::system(rewrite.c_str()), 0);
  const Finished refused = ki("publish touched.zst");
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("what was signed is not this evidence"));
  EXPECT_EQ(ki("publish touched.zst " + file).code, 3) << "one is good, one is not";
}

TEST_F(Bench, ALibraryIsMeasuredBesideOurs) {
  const Finished measured = measure("--provider '" KI_EXAMPLE_C "' --dtype fp32 --json");
  ASSERT_EQ(measured.code, 0) << measured.err;
  const std::string passed = "\",\n          \"status\": \"passed\"";
  EXPECT_THAT(measured.out, HasSubstr("\"provider\": \"native" + passed));
  EXPECT_THAT(measured.out, HasSubstr("\"provider\": \"example-c" + passed));
}

TEST_F(Bench, ACaseThatNoCandidatePassedIsAFailure) {
  const std::string wrong =
      "python3 -B -c 'import sys; sys.path.insert(0, \"" KI_WORKER_FOLDER
      "\"); import worker; worker.torch = None; "
      "worker.plain_rms_norm = lambda case, inputs: [[0.0] * 64]\nworker.main()'";
  const std::string script = (home_ / "wrong.sh").string();
  std::ofstream(script) << wrong;
  const Finished done =
      ki("bench rms-norm --axes rows=4,hidden=16 --dtype fp32 --busy --exec 'sh " + script +
         "' --json");
  EXPECT_EQ(done.code, 1) << done.out;
  EXPECT_THAT(done.err, HasSubstr("no candidate passed: "));
  EXPECT_THAT(done.err, HasSubstr("incorrect_numerical"));
  EXPECT_THAT(done.out, HasSubstr("\"status\": \"incorrect_numerical\""));
  EXPECT_FALSE(evidence().empty()) << "what failed is kept, too";
}

TEST_F(Bench, ResultsAreSharesOfTheFloorWhereCeilingsWereMeasured) {
  const Finished without = measure("");
  ASSERT_EQ(without.code, 0) << without.err;
  EXPECT_THAT(without.out, HasSubstr("no floor: no ceilings were measured"));
  fs::remove_all(home_ / "var");
  const Finished measured = measure("--ceilings --threads 1 --launch-seconds 1");
  ASSERT_EQ(measured.code, 0) << measured.err;
  EXPECT_THAT(measured.out, HasSubstr("fma_fp32"));
  EXPECT_THAT(measured.out, HasSubstr("\nfloor "));
  EXPECT_THAT(measured.out, HasSubstr(" bytes at "));
  EXPECT_EQ(ki("publish " + evidence()).code, 0);
  const Finished alone = ki("bench --ceilings --busy --threads 1 --launch-seconds 1 --json");
  ASSERT_EQ(alone.code, 0) << alone.err;
  EXPECT_THAT(alone.out, HasSubstr("\"name\": \"copy\""));
  EXPECT_THAT(alone.out, HasSubstr("\"cases\": []"));
}

// Twenty rounds in each of five processes, which is what every session has at least.
TEST_F(Bench, WhatIsSlowerThanItsBaselineIsSaidByTheExitStatus) {
  const std::string base =
      "bench rms-norm --axes rows=8,hidden=256 --dtype fp32 --busy --protocol paired-hot/1 "
      "--threads 1 --time 1s ";
  const Finished same = ki(base + "--provider '" KI_ONCE "' --against '" KI_ONCE "'");
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("same binary"));
  EXPECT_FALSE(fs::exists(home_ / "var/evidence")) << "there is nothing to measure";

  const Finished slower =
      ki(base + "--provider '" KI_FOUR_TIMES "' --against '" KI_ONCE "' --markdown change.md");
  EXPECT_EQ(slower.code, 3) << slower.out << slower.err;
  EXPECT_THAT(slower.out, HasSubstr("mine"));
  EXPECT_THAT(slower.out, HasSubstr("slower"));
  EXPECT_THAT(slurp(home_ / "change.md"), HasSubstr("**1 slower, 0 faster, 0 without a claim**"));

  // What was measured is kept, so that its run can be held against later ones.
  const Finished published = ki("publish " + evidence() + " --json");
  EXPECT_EQ(published.code, 0) << published.err;
  const std::size_t at = published.out.rfind("sha256:");
  ASSERT_NE(at, std::string::npos);
  const std::string run = published.out.substr(at + 7, 12);
  const Finished faster =
      ki("bench --busy --provider '" KI_ONCE "' --against " + run + " --time 1s");
  EXPECT_EQ(faster.code, 0) << faster.out << faster.err;
  EXPECT_THAT(faster.out, HasSubstr("faster"));
  const Finished ours = ki(
      "bench rms-norm --axes rows=8,hidden=256 --busy --time 1s --against '" KI_SHARED_KERNELS "'");
  EXPECT_NE(ours.code, 1) << ours.out << ours.err;
  EXPECT_THAT(ours.out, HasSubstr("native"));
}

TEST_F(Bench, SaysWhatItCannotHoldAgainst) {
  const Finished unknown = ki("bench rms-norm --busy --against no-such-thing");
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("takes a shared object"));
  const Finished sequential =
      ki("bench rms-norm --busy --protocol do-bench/1 --against '" KI_ONCE "'");
  EXPECT_EQ(sequential.code, 2);
  EXPECT_THAT(sequential.err, HasSubstr("paired protocol"));
}

TEST_F(Bench, SaysWhatItCannotDo) {
  const Finished unknown = ki("bench no-such-thing --busy");
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("there are rms-norm"));
  const Finished axis = ki("bench rmsnorm --busy --axes cols=4");
  EXPECT_EQ(axis.code, 2);
  EXPECT_THAT(axis.err, HasSubstr("it has rows, hidden"));
  EXPECT_EQ(ki("publish nothing.zst").code, 1);
  EXPECT_FALSE(fs::exists(home_ / "key")) << "no key is made for what is not measured";
}

TEST_F(Bench, AKeyIsMadeOnce) {
  EXPECT_THAT(ki("runner key").err, HasSubstr("ki runner init makes one"));
  const Finished made = ki("runner init");
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("key      sha256:"));
  EXPECT_EQ(ki("runner key").out, made.out);
  EXPECT_EQ(ki("runner init").code, 1);
}

}  // namespace
}  // namespace ki
