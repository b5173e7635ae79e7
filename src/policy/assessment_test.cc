#include "policy/assessment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ki::policy {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Eligibility, NamesEveryReasonInOrder) {
  EXPECT_THAT(eligibility({}), IsEmpty());
  EXPECT_THAT(eligibility({.status = "runtime_error",
                           .published = false,
                           .retracted = true,
                           .superseded = true,
                           .has_value = false}),
              ElementsAre("UNPUBLISHED", "STATUS_RUNTIME_ERROR", "RETRACTED", "SUPERSEDED",
                          "MISSING_PRIMARY_METRIC"));
}

TEST(Eligibility, HasASentenceForEachCode) {
  EXPECT_EQ(eligibility_text("STATUS_INCORRECT_NUMERICAL"), "it did not pass: wrong numbers");
  for (const auto code : {"UNPUBLISHED", "RETRACTED", "SUPERSEDED", "MISSING_PRIMARY_METRIC"}) {
    EXPECT_NE(eligibility_text(code), code);
  }
  EXPECT_EQ(eligibility_text("SOMETHING_NEW"), "SOMETHING_NEW");
}

TEST(EvidenceLevel, FirstMatchWins) {
  EXPECT_EQ(evidence_level({.approved_runners = 2}), EvidenceLevel::replicated);
  EXPECT_EQ(evidence_level({.approved_runners = 1, .source_available = true}),
            EvidenceLevel::verified);
  EXPECT_EQ(evidence_level({.source_available = true, .has_raw_evidence = true}),
            EvidenceLevel::reproducible);
  EXPECT_EQ(evidence_level({.source_available = true}), EvidenceLevel::reported);
  EXPECT_EQ(evidence_level({.has_raw_evidence = true}), EvidenceLevel::reported);
}

TEST(EvidenceLevel, RisesAndReadsBack) {
  EXPECT_LT(EvidenceLevel::reported, EvidenceLevel::reproducible);
  EXPECT_LT(EvidenceLevel::reproducible, EvidenceLevel::verified);
  EXPECT_LT(EvidenceLevel::verified, EvidenceLevel::replicated);
  for (const auto level : {EvidenceLevel::reported, EvidenceLevel::reproducible,
                           EvidenceLevel::verified, EvidenceLevel::replicated}) {
    EXPECT_EQ(parse_evidence_level(name_of(level)), level);
  }
  EXPECT_EQ(parse_evidence_level("gold"), std::nullopt);
}

TEST(Deployability, NamesEveryMissingRequirement) {
  EXPECT_THAT(deployability({}),
              ElementsAre("NO_PUBLIC_SOURCE", "NO_INSTALL_RECIPE", "LICENSE_UNKNOWN"));
  EXPECT_THAT(deployability({.source_available = true, .installable = true, .licence_known = true}),
              IsEmpty());
  for (const std::string& code : deployability({})) EXPECT_NE(deployability_text(code), code);
}

TEST(Staleness, BeginsAfterExactly180Days) {
  const Instant observed = *parse_instant("2026-01-01T00:00:00Z");
  EXPECT_FALSE(is_stale(observed + kStaleAfter, observed));
  EXPECT_TRUE(is_stale(observed + kStaleAfter + std::chrono::milliseconds{1}, observed));
  EXPECT_FALSE(is_stale(observed - kStaleAfter, observed)) << "observed in the future";
}

TEST(Caveats, ComeInOrder) {
  EXPECT_THAT(
      caveats(
          {.source_kind = "illustrative", .role = "baseline", .level = EvidenceLevel::reported}),
      ElementsAre("Illustrative data, not a measurement",
                  "Reference implementation of the operation", "Not reproduced independently",
                  "No public source", "Licence unknown"));
  EXPECT_THAT(
      caveats({.level = EvidenceLevel::verified, .source_available = true, .licence_known = true}),
      IsEmpty());
}

}  // namespace
}  // namespace ki::policy
