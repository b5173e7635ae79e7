// Notes that others file on runs: kept, counted, bounded, and without any effect on evidence.

#include "publish/attestations.h"

#include "catalog/lookup.h"
#include "catalog/read_run.h"
#include "publish/verify.h"
#include "store/store_test.h"

namespace ki::test {
namespace {

using publish::Attestation;

class Attestations : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    catalog_.emplace(open());
    publish_ok(*catalog_, bundle_of({{"a", 1000, "2026-01-01T00:00:00Z"}}));
  }
  void TearDown() override {
    const auto report = publish::verify(*catalog_);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->found, 0);
    catalog_.reset();
    StoreTest::TearDown();
  }

  auto attest(const Attestation& one, std::string_view author = "alice") {
    clock_.set(clock_.now() + std::chrono::seconds(1));
    return publish::attest(*catalog_, run_of(*catalog_, "a"), one, author, clock_);
  }
  catalog::RunRecord record() {
    auto run = catalog::find_run(catalog_->connection(), run_of(*catalog_, "a"));
    EXPECT_TRUE(run && *run);
    auto read = catalog::read_run(catalog_->connection(), std::move(**run));
    EXPECT_TRUE(read) << to_string(read.error());
    return std::move(*read);
  }

  std::optional<catalog::Catalog> catalog_;
};

TEST_F(Attestations, StandBesideTheRunAndChangeNothingOfIt) {
  const catalog::RunRow before = record().run;
  ASSERT_TRUE(attest({.type = "could_not_reproduce", .body = "  twice as slow \n"}));
  ASSERT_TRUE(attest({.type = "reproduced",
                      .body = "same",
                      .evidence_url = "https://example.org/x",
                      .observed_ns = 1001.5,
                      .environment_summary = "two of them"}));
  const catalog::RunRecord now = record();
  EXPECT_TRUE(catalog::differences(now.run, before).empty());
  ASSERT_EQ(now.attestations.size(), 2U);
  EXPECT_EQ(now.attestations[0].type, "reproduced");
  EXPECT_EQ(now.attestations[0].observed_ns, 1001.5);
  EXPECT_EQ(now.attestations[1].body, "twice as slow");
  EXPECT_EQ(now.attestations[1].author, "alice");
}

TEST_F(Attestations, WhatIsNotWellFormedIsRefusedWithItsMember) {
  struct Case {
    Attestation one;
    std::string_view member;
  };
  const std::string long_text(2001, 'x');
  const Case cases[] = {
      {{.type = "works", .body = "x"}, "type"},
      {{.type = "reproduced", .body = " \n "}, "body"},
      {{.type = "reproduced", .body = long_text}, "body"},
      {{.type = "reproduced", .body = "\xFF"}, "body"},
      {{.type = "reproduced", .body = "x", .evidence_url = "http://example.org"}, "evidenceUrl"},
      {{.type = "reproduced", .body = "x", .evidence_url = "https://a b"}, "evidenceUrl"},
      {{.type = "reproduced", .body = "x", .evidence_url = "https://" + long_text}, "evidenceUrl"},
      {{.type = "reproduced", .body = "x", .observed_ns = 0.0}, "observedNs"},
      {{.type = "reproduced", .body = "x", .observed_ns = -1.0}, "observedNs"},
      {{.type = "reproduced", .body = "x", .environment_summary = std::string(201, 'x')},
       "environmentSummary"},
  };
  for (const Case& one : cases) {
    const auto refused = attest(one.one);
    ASSERT_FALSE(refused) << one.member;
    EXPECT_EQ(refused.error().code, Code::invalid);
    EXPECT_EQ(refused.error().where, one.member);
  }
  EXPECT_EQ(attest({.type = "reproduced", .body = "x"}, "").error().where, "actor");
  EXPECT_TRUE(record().attestations.empty());
}

TEST_F(Attestations, OnlyPublishedRunsHaveThem) {
  const auto refused = publish::attest(*catalog_, "01a00328-723d-752f-b21f-bccbae31e001",
                                       {.type = "reproduced", .body = "x"}, "alice", clock_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::not_found);
}

TEST_F(Attestations, AnAuthorFilesTwentyInADay) {
  const Attestation note{.type = "environment_note", .body = "again"};
  for (int i = 0; i < publish::kAttestationsPerAuthorMax; ++i) ASSERT_TRUE(attest(note)) << i;
  const auto refused = attest(note);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::denied);
  EXPECT_TRUE(attest(note, "bob"));
  clock_.set(clock_.now() + std::chrono::hours(24));
  EXPECT_TRUE(attest(note));
}

}  // namespace
}  // namespace ki::test
