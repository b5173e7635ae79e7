// ki bench, ki publish and ki runner as a user has them: the built program in a folder of its own.

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
      return entry.path().string();
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
