#include "evidence/publish_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "catalog/lookup.h"
#include "catalog/run_samples.h"
#include "publish/verify.h"
#include "runner/testing.h"

namespace ki::evidence {
namespace {

using runner::testing_support::make_evidence;
using testing::HasSubstr;

class Publishing : public testing::Test {
 protected:
  catalog::Catalog catalog_ =
      *catalog::Catalog::open(":memory:", clock_, {.mode = db::Mode::create});
  runner::SigningKey key_ = *runner::SigningKey::generate();
  static inline const SystemClock clock_{};
};

TEST_F(Publishing, TakesEvidenceOnceAndTheCatalogVerifies) {
  const std::string encoded = runner::encode(make_evidence(), key_);
  const auto first = publish_evidence(catalog_, encoded, "a.evidence.zst", clock_);
  ASSERT_TRUE(first) << to_string(first.error());
  EXPECT_EQ(first->runs.size(), 2U);
  EXPECT_EQ(first->key_id, to_string(key_.id()));
  EXPECT_TRUE(first->report.changed);
  EXPECT_EQ(first->report.pending, 0);
  const auto again = publish_evidence(catalog_, encoded, "a.evidence.zst", clock_);
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_FALSE(again->report.changed);
  const auto verified = publish::verify(catalog_);
  ASSERT_TRUE(verified) << to_string(verified.error());
  EXPECT_EQ(verified->found, 0);
  EXPECT_EQ(verified->checked.at("run"), 2);
}

TEST_F(Publishing, KeepsTheSamplesThatTheStatisticsAreMadeOf) {
  runner::Evidence evidence = make_evidence();
  evidence.session.candidates[1].cost_bytes = 1e6;
  ASSERT_TRUE(publish_evidence(catalog_, runner::encode(evidence, key_), "a.evidence.zst", clock_));
  for (std::size_t i = 0; i < evidence.runs.size(); ++i) {
    const auto manifest = manifest::decode_json(evidence.runs[i]);
    ASSERT_TRUE(manifest);
    const auto run = catalog::find_run(catalog_.connection(), to_string(manifest->digest()));
    ASSERT_TRUE(run && *run);
    const auto kept = catalog::read_samples(catalog_.connection(), (*run)->id);
    ASSERT_TRUE(kept && *kept) << to_string(kept.error());
    const catalog::RunSamples& samples = **kept;
    EXPECT_EQ(samples.unit, "ns");
    EXPECT_EQ(samples.resolution, 20);
    EXPECT_EQ(samples.call_bytes, i == 1 ? std::optional(1e6) : std::nullopt);
    EXPECT_EQ(samples.call_flops, std::nullopt);
    ASSERT_EQ(samples.launches.size(), 5U);
    std::vector<double> all;
    for (const auto& launch : samples.launches) {
      all.insert(all.end(), launch.values.begin(), launch.values.end());
    }
    EXPECT_EQ(all.size(), 250U);
    EXPECT_EQ(std::llround(stats::median(all)), std::llround(*(*run)->primary_value));
  }
}

TEST_F(Publishing, RefusesClaimsThatDoNotFollowAndWritesNothing) {
  runner::Evidence evidence = make_evidence();
  evidence.launches[0].samples[4] += 100'000;
  const auto refused =
      publish_evidence(catalog_, runner::encode(evidence, key_), "a.evidence.zst", clock_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(to_string(refused.error()), HasSubstr("the samples give"));
  EXPECT_FALSE(publish_evidence(catalog_, "no evidence", "a.evidence.zst", clock_));
  const auto verified = publish::verify(catalog_);
  ASSERT_TRUE(verified) << to_string(verified.error());
  EXPECT_EQ(verified->checked.contains("run") ? verified->checked.at("run") : 0, 0);
}

}  // namespace
}  // namespace ki::evidence
