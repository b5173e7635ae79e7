#include "runner/ceilings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/evaluate.h"
#include "runner/testing.h"

namespace ki::runner {
namespace {

using testing::HasSubstr;

// Three launches of loops that take the same time in every round.
Ceilings make_ceilings(const std::vector<CeilingLoop>& loops, std::int64_t ns) {
  Ceilings c;
  c.protocol = ceilings_protocol().name;
  c.machine = to_string(sha256("machine"));
  c.started_at = "2026-01-02T03:04:04.000Z";
  c.seed = "00000000000000ff";
  c.tick_ns = 20;
  c.uncached_bytes = 1 << 25;
  c.loops = loops;
  for (std::int64_t launch = 0; launch < 3; ++launch) {
    Launch one{.launch = launch, .samples = {}};
    for (std::int64_t round = 0; round < 20; ++round) {
      for (std::int64_t place = 0; place < static_cast<std::int64_t>(loops.size()); ++place) {
        // Two calls a block; the first round of each launch is faster by half.
        const std::int64_t took = 2 * (round == 0 ? ns / 2 : ns);
        one.samples.insert(one.samples.end(), {round, place, place, 2, took, 0});
      }
    }
    c.launches.push_back(std::move(one));
  }
  return c;
}

std::vector<CeilingLoop> some_loops() {
  return {{"read", 1 << 25, 3e6},  {"write", 1 << 25, 1e6}, {"copy", 1 << 25, 2e6},
          {"read", 1 << 14, 16e6}, {"read", 1 << 22, 8e6},  {"fma_fp32", 0, 50e6},
          {"dot_int8", 0, 200e6}};
}

TEST(Rates, AreWorkOverTheMedianCall) {
  const auto rates = rates_of(make_ceilings(some_loops(), 100'000));
  ASSERT_EQ(rates.size(), 7U);
  EXPECT_EQ(rates[0].name, "read");
  EXPECT_DOUBLE_EQ(rates[0].median, 3e6 / 1e-4);
  EXPECT_DOUBLE_EQ(rates[0].low, 3e6 / 1e-4);
  EXPECT_DOUBLE_EQ(rates[0].best, 2 * 3e6 / 1e-4);
  EXPECT_EQ(rates[0].samples, 60);
  EXPECT_EQ(rates[0].threads, 1);
}

TEST(Rates, OfTooFewLaunchesAreUnknown) {
  Ceilings c = make_ceilings(some_loops(), 100'000);
  c.launches.pop_back();
  EXPECT_TRUE(rates_of(c).empty());
  c = make_ceilings(some_loops(), 100'000);
  c.launches[1].samples.resize(kRawFields * 7 * 19);
  EXPECT_TRUE(rates_of(c).empty()) << "a launch of 19 rounds is none";
}

TEST(Floor, IsTheLargerOfMemoryAndArithmetic) {
  const auto rates = rates_of(make_ceilings(some_loops(), 100'000));
  const auto floor = [&](Cache cache, const char* dtype, double bytes, double operations) {
    return floor_of(
        {.cache = cache, .dtype = dtype, .threads = 1, .bytes = bytes, .operations = operations},
        rates);
  };
  // Evicted: the best uncached rate, 3e10 bytes a second, whatever the size.
  const auto cold = floor(Cache::evicted, "fp32", 3e4, 1e3);
  ASSERT_TRUE(cold);
  EXPECT_DOUBLE_EQ(cold->ns, 1000);
  EXPECT_DOUBLE_EQ(cold->best_ns, 500);
  EXPECT_EQ(cold->bandwidth->name, "read");
  EXPECT_DOUBLE_EQ(cold->arithmetic_ns, 2);
  // Written: the largest set that is no larger than the case.
  EXPECT_EQ(floor(Cache::written, "fp32", 100, 0)->bandwidth->set_bytes, 1 << 14);
  EXPECT_EQ(floor(Cache::written, "fp32", 5e6, 0)->bandwidth->set_bytes, 1 << 22);
  EXPECT_EQ(floor(Cache::written, "fp32", 1e9, 0)->bandwidth->set_bytes, 1 << 25);
  // Arithmetic binds.
  EXPECT_DOUBLE_EQ(floor(Cache::evicted, "fp32", 3e4, 5e9)->ns, 1e7);
  EXPECT_DOUBLE_EQ(floor(Cache::evicted, "int8", 3e4, 5e9)->ns, 2.5e6);
  // No loop of bf16 was measured: nothing is known of its arithmetic.
  EXPECT_DOUBLE_EQ(floor(Cache::evicted, "bf16", 3e4, 5e9)->ns, 1000);
  EXPECT_FALSE(floor(Cache::evicted, "bf16", 0, 5e9));
  EXPECT_FALSE(floor(Cache::evicted, "fp32", 0, 0));
  FloorCase other;
  other.bytes = 1e6;
  EXPECT_FALSE(floor_of(other, {}));
  EXPECT_TRUE(floor_of(other, rates));
  other.threads = 2;
  EXPECT_FALSE(floor_of(other, rates)) << "of other threads";
}

TEST(Evidence, CarriesTheCeilingsMeasuredForIt) {
  const SigningKey key = *SigningKey::generate();
  Evidence e = testing_support::make_evidence();
  EXPECT_FALSE(decode(encode(e, key))->evidence.ceilings);
  e.ceilings = make_ceilings(some_loops(), 100'000);
  const auto read = decode(encode(e, key));
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(body_of(read->evidence), body_of(e));
  EXPECT_TRUE(check_claims(read->evidence));
  Measured m = e.session.candidates[0];
  m.cost_bytes = 3e4;
  const auto floor = floor_of(e.session, m, rates_of(*read->evidence.ceilings));
  ASSERT_TRUE(floor);
  EXPECT_DOUBLE_EQ(floor->ns, 1000);

  const auto refusal = [&](const auto& change) {
    Evidence changed = e;
    change(*changed.ceilings);
    const auto refused = decode(encode(changed, key));
    return refused ? std::string("taken") : to_string(refused.error());
  };
  EXPECT_THAT(refusal([](Ceilings& c) { c.machine = "sha256:00"; }), HasSubstr("another machine"));
  EXPECT_THAT(refusal([](Ceilings& c) { c.threads = 2; }), HasSubstr("other threads"));
  EXPECT_THAT(refusal([](Ceilings& c) { c.protocol = "ceilings/0"; }), HasSubstr("that protocol"));
  EXPECT_THAT(refusal([](Ceilings& c) { c.seed = "x"; }), HasSubstr("16 hex digits"));
  EXPECT_THAT(refusal([](Ceilings& c) { c.loops.clear(); }), HasSubstr("1 to 32 loops"));
  EXPECT_THAT(refusal([](Ceilings& c) { c.loops[0].work = 0; }), HasSubstr("does some work"));
  EXPECT_THAT(refusal([](Ceilings& c) { c.launches[0].samples[4] = 0; }), HasSubstr("a sample is"));
  EXPECT_THAT(refusal([](Ceilings& c) { c.launches.resize(17); }), HasSubstr("too many"));
}

}  // namespace
}  // namespace ki::runner
