// What is kept beside an outline stays within its bytes, and what is used is never taken away.
#include "query/kept.h"

#include <string>

#include <gtest/gtest.h>

namespace ki::query {
namespace {

TEST(Kept, StaysWithinItsBytes) {
  constexpr std::size_t kMax = 10'000;
  constexpr std::size_t kEach = 700;
  Kept<std::string> kept(kMax);
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(*kept.keep(i, std::to_string(i), kEach), std::to_string(i));
    EXPECT_LE(kept.bytes(), kMax);
    ASSERT_NE(kept.find(i), nullptr) << "the last one is kept";
  }
  EXPECT_EQ(kept.find(0), nullptr) << "there was no room for all";
}

TEST(Kept, WhatIsUsedStaysThoughItIsDropped) {
  Kept<std::string> kept(1000);
  const auto first = kept.keep(0, "first", 600);
  kept.keep(1, "second", 600);
  EXPECT_EQ(kept.find(0), nullptr);
  EXPECT_EQ(*first, "first");
}

TEST(Kept, TheFirstOfAPlaceIsTheOneToUse) {
  Kept<std::string> kept;
  const auto first = kept.keep(7, "first", 10);
  EXPECT_EQ(kept.keep(7, "second", 10), first);
  EXPECT_EQ(kept.find(7), first);
}

}  // namespace
}  // namespace ki::query
