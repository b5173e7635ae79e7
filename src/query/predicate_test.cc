#include "query/predicate.h"

#include <gtest/gtest.h>

namespace ki::query {
namespace {

using manifest::AxisBinding;

// With rows = 4096 and k = 100 bound: "holds", "fails", "open a,b" or "not read".
std::string evaluated(std::string_view text) {
  const AxisBinding bindings[] = {{.name = "rows", .value = 4096}, {.name = "k", .value = 100}};
  const Predicate predicate = evaluate_predicate(text, bindings);
  switch (predicate.truth) {
    case Truth::holds:
      return "holds";
    case Truth::fails:
      return "fails";
    case Truth::open:
      break;
    case Truth::not_read:
      return "not read";
  }
  std::string out = "open";
  for (const auto& name : predicate.open) out += " " + name;
  return out;
}

TEST(Predicate, ComparisonsAndChains) {
  EXPECT_EQ(evaluated("rows <= 4096"), "holds");
  EXPECT_EQ(evaluated("rows<4096"), "fails");
  EXPECT_EQ(evaluated("rows ≤ 2048"), "fails");
  EXPECT_EQ(evaluated("ROWS ≥ 2048"), "holds");
  EXPECT_EQ(evaluated("k = 100"), "holds");
  EXPECT_EQ(evaluated("k != 100"), "fails");
  EXPECT_EQ(evaluated("16 <= rows <= 2048"), "fails");
  EXPECT_EQ(evaluated("16 <= rows <= 8192"), "holds");
  EXPECT_EQ(evaluated("k < rows < 2 * (k + 2000)"), "holds");
  EXPECT_EQ(evaluated("k < d < 50"), "open d");
  EXPECT_EQ(evaluated("1 < k < 50 < d"), "fails") << "what is bound decides";
}

TEST(Predicate, RangesAndSets) {
  EXPECT_EQ(evaluated("rows in 1..2048"), "fails");
  EXPECT_EQ(evaluated("rows in 1 .. 4096"), "holds");
  EXPECT_EQ(evaluated("rows in 4096..8192"), "holds");
  EXPECT_EQ(evaluated("rows in 1..2*k"), "fails");
  EXPECT_EQ(evaluated("k in {64, 100}"), "holds");
  EXPECT_EQ(evaluated("k in {64}"), "fails");
  EXPECT_EQ(evaluated("k in [64, 100, 128]"), "holds");
  EXPECT_EQ(evaluated("k in [64, 128]"), "not read") << "the ends, or all there is?";
  EXPECT_EQ(evaluated("d in {64, 128}"), "open d");
  EXPECT_EQ(evaluated("k in {d, 100}"), "holds");
}

TEST(Predicate, Divisibility) {
  for (const std::string words : {"divisible by", "is divisible by", "multiple of", "a multiple of",
                                  "is a multiple of", "IS MULTIPLE OF"}) {
    EXPECT_EQ(evaluated("k " + words + " 64"), "fails") << words;
    EXPECT_EQ(evaluated("rows " + words + " 64"), "holds") << words;
    EXPECT_EQ(evaluated("d " + words + " 64"), "open d") << words;
    EXPECT_EQ(evaluated("k " + words + " 0"), "not read") << words;
  }
}

TEST(Predicate, PartsAreJoined) {
  EXPECT_EQ(evaluated("k >= 1 and rows <= 4096"), "holds");
  EXPECT_EQ(evaluated("k >= 1 and rows < 4096"), "fails");
  EXPECT_EQ(evaluated("k >= 1, rows < 4096"), "fails");
  EXPECT_EQ(evaluated("k >= 1; rows <= 4096 && d < 5"), "open d");
  EXPECT_EQ(evaluated("k < 1 and d < 5"), "fails");
  EXPECT_EQ(evaluated("k < 1 or rows <= 4096"), "holds");
  EXPECT_EQ(evaluated("k < 1 || rows < 4096"), "fails");
  EXPECT_EQ(evaluated("k < 1 or d < 5"), "open d");
  EXPECT_EQ(evaluated("k in {1, 100}, rows == 4096"), "holds") << "the comma of a set is its own";
}

TEST(Predicate, WhatIsNotUnderstoodIsNotGuessed) {
  for (const std::string_view text : {"",
                                      "contiguous",
                                      "contiguous rows only",
                                      "rows",
                                      "rows <=",
                                      "<= 5",
                                      "rows <= 2,048",
                                      "rows <= 2.5",
                                      "rows <= 1k",
                                      "rows <= 1e3",
                                      "!rows <= 5",
                                      "not rows <= 5",
                                      "rows / 2 <= 5",
                                      "-1 <= rows",
                                      "rows => 5",
                                      "(rows <= 5)",
                                      "rows <= 5 elements",
                                      "rows in 5",
                                      "rows in (1, 2)",
                                      "rows in 1-5",
                                      "rows not in {1}",
                                      "rows % 0 == 0",
                                      "rows <= 5 and contiguous",
                                      "rows >= 5 or contiguous",
                                      "multiple of 64"}) {
    EXPECT_EQ(evaluated(text), "not read") << text;
  }
}

}  // namespace
}  // namespace ki::query
