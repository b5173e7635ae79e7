#include "policy/version.h"

#include <gtest/gtest.h>

namespace ki::policy {
namespace {

bool holds(std::string_view asked, std::string_view stated) {
  const auto versions = read_versions(asked);
  EXPECT_TRUE(versions) << asked;
  return versions && versions->hold(stated);
}

TEST(Versions, OneHoldsWhatStartsWithIt) {
  EXPECT_TRUE(holds("12.8", "12.8"));
  EXPECT_TRUE(holds("12.8", "12.8.1"));
  EXPECT_TRUE(holds("12", "12.8 (nvcc)"));
  EXPECT_TRUE(holds("2.9", "v2.9.0+cu128"));
  EXPECT_TRUE(holds("12.0", "12"));
  EXPECT_FALSE(holds("12.8", "12.80"));
  EXPECT_FALSE(holds("12.8", "13.8"));
}

TEST(Versions, ARangeIsComparedByNumbersAsFarAsItIsStated) {
  EXPECT_TRUE(holds(">=12.4", "12.10"));
  EXPECT_FALSE(holds(">=12.4", "12.3.9"));
  EXPECT_TRUE(holds("<=12.4", "12.4.1"));
  EXPECT_FALSE(holds("<12.4", "12.4.1"));
  EXPECT_FALSE(holds(">12.4", "12.4.1"));
  EXPECT_TRUE(holds(">12.4", "12.5"));
  EXPECT_TRUE(holds("12.4..12.9", "12.9.1"));
  EXPECT_FALSE(holds("12.4..12.9", "13.0"));
  EXPECT_TRUE(holds("12.4..", "99"));
  EXPECT_TRUE(holds("..12.4", "11"));
}

TEST(Versions, WhatStatesNoneIsNone) {
  for (const std::string_view stated : {"", "unknown", "release", "nightly-2.9"}) {
    EXPECT_FALSE(holds(">=0", stated)) << stated;
  }
}

TEST(Versions, OtherTextsAreRefused) {
  for (const std::string_view text : {"", " ", "..", ">=", "x", "12.8rc1", "12..11",
                                      "1.2.3.4.5.6.7", "99999999999999999999", "12.", ">=12 <13"}) {
    EXPECT_FALSE(read_versions(text)) << text;
  }
  EXPECT_EQ(read_versions(" >= 12.4 ")->requested, ">=12.4");
}

}  // namespace
}  // namespace ki::policy
