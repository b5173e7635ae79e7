#include "evidence/publish_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/catalog.h"
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
