#include "evidence/plausibility.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "catalog/update.h"
#include "evidence/publish_evidence.h"
#include "publish/verify.h"
#include "runner/ceilings.h"
#include "runner/testing.h"

namespace ki::evidence {
namespace {

using runner::testing_support::make_evidence;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Evidence of a machine whose memory gives so many bytes a second at every block; its first
// candidate takes about 10 us a call, the second a tenth more.
runner::Evidence with_ceiling(double bytes_per_second) {
  runner::Evidence e = make_evidence();
  runner::Ceilings c;
  c.protocol = runner::ceilings_protocol().name;
  c.machine = e.session.machine;
  c.started_at = e.session.started_at;
  c.threads = e.session.threads;
  c.seed = "00000000000000ff";
  c.tick_ns = 20;
  c.uncached_bytes = 1 << 25;
  c.loops = {{"read", 1 << 25, bytes_per_second * 1e-4}};  // in 100 us
  for (std::int64_t launch = 0; launch < 3; ++launch) {
    runner::Launch one{.launch = launch, .samples = {}};
    for (std::int64_t round = 0; round < 20; ++round) {
      one.samples.insert(one.samples.end(), {round, 0, 0, 2, 200'000 + round, 0});
    }
    c.launches.push_back(std::move(one));
  }
  e.ceilings = std::move(c);
  return e;
}

double bytes_of(const runner::Session& session) {
  return runner::bind_job({.operation = session.operation,
                           .pass = session.pass,
                           .dtype = session.dtype,
                           .axes = session.axes,
                           .scalars = session.scalars,
                           .protocol = {},
                           .candidates = {},
                           .seed = {}})
      ->bytes();
}

TEST(Plausibility, HoldsWhatIsFasterThanItsFloorWithTheArithmetic) {
  const double bytes = bytes_of(make_evidence().session);
  EXPECT_THAT(implausible(make_evidence()), IsEmpty()) << "no ceilings were measured";
  // A floor of 5 us, of 10.4 us between the two candidates, and of 20 us.
  EXPECT_THAT(implausible(with_ceiling(bytes / 5e-6)), IsEmpty());
  EXPECT_THAT(implausible(with_ceiling(bytes / 10.4e-6)), SizeIs(1));
  const auto both = implausible(with_ceiling(bytes / 20e-6));
  ASSERT_THAT(both, SizeIs(2));
  EXPECT_THAT(both[0].reason, HasSubstr("the floor is 20.0 µs, 2.0"));
  EXPECT_THAT(both[0].reason, HasSubstr(std::to_string(static_cast<long long>(bytes)) + " bytes"));
  EXPECT_THAT(both[0].reason, HasSubstr("(read, threads: 1, median"));
}

TEST(Plausibility, DoesNotTakeTheRunnersWordForTheBytes) {
  runner::Evidence e = with_ceiling(bytes_of(make_evidence().session) / 20e-6);
  for (auto& candidate : e.session.candidates) candidate.cost_bytes = 1;
  EXPECT_THAT(implausible(e), SizeIs(2));
}

TEST(Plausibility, PublishedItIsHeld) {
  const SystemClock clock;
  auto catalog = *catalog::Catalog::open(":memory:", clock, {.mode = db::Mode::create});
  const auto key = *runner::SigningKey::generate();
  const auto e = with_ceiling(bytes_of(make_evidence().session) / 10.4e-6);
  const auto done = publish_evidence(catalog, runner::encode(e, key), "a.evidence.zst", clock);
  ASSERT_TRUE(done) << to_string(done.error());
  const auto held = catalog::held_runs(catalog.connection(), 10);
  ASSERT_THAT(*held, SizeIs(1));
  EXPECT_EQ(held->front().run_digest, done->runs.front());
  EXPECT_THAT(done->report.ambiguities, testing::ElementsAre(HasSubstr("held for review")));
  const auto verified = publish::verify(catalog);
  EXPECT_EQ(verified->found, 0);
}

}  // namespace
}  // namespace ki::evidence
