#include "api/state_clock.h"

#include <gtest/gtest.h>

namespace ki::api {
namespace {

Instant at(std::string_view text) { return *parse_instant(text); }

TEST(StateClock, IsTheLaterOfTheLastChangeAndTheStartOfTheDay) {
  const Instant now = at("2026-03-04T12:00:00Z");
  EXPECT_EQ(to_iso(state_instant("019cb82e-ca3b-7000-8000-000000000000", now)),
            "2026-03-04T09:30:00.123Z");
  EXPECT_EQ(to_iso(state_instant("019b76da-a800-7000-8000-000000000000", now)),
            "2026-03-04T00:00:00.000Z");
  // A clock that ran ahead when the catalog was written says nothing of the future.
  EXPECT_EQ(state_instant("01a2ce8b-d400-7000-8000-000000000000", now), now);
  for (const std::string_view other : {"", "7", "not a version"}) {
    EXPECT_EQ(to_iso(state_instant(other, now)), "2026-03-04T00:00:00.000Z") << other;
  }
}

TEST(StateClock, RunsUnlessHeld) {
  FixedClock world(at("2026-03-04T12:00:00Z"));
  StateClock clock(world);
  EXPECT_EQ(clock.now(), world.now());
  clock.hold("", world.now());
  EXPECT_EQ(to_iso(clock.now()), "2026-03-04T00:00:00.000Z");
  clock.release();
  world.set(at("2026-03-05T12:00:00Z"));
  EXPECT_EQ(clock.now(), world.now());
}

}  // namespace
}  // namespace ki::api
