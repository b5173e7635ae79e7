// Gaps 16, 17, 18 and 35: the record is the best run, and corrections change what they touch.
#include <gtest/gtest.h>

#include "publish/corrections.h"
#include "query/resolver.h"
#include "tests/store/store_test.h"

namespace ki::test {
namespace {

const publish::Justification kWhy{.actor = "curator", .reason = "the timer was read too early"};

class GapsOfHistory : public StoreTest {
 protected:
  void fill(const std::vector<Provider>& providers) {
    catalog_.emplace(open());
    publish_ok(*catalog_, bundle_of(providers));
  }
  void TearDown() override {
    catalog_.reset();
    StoreTest::TearDown();
  }
  void retract(std::string_view slug) {
    clock_.set(clock_.now() + std::chrono::seconds(1));
    const auto done = publish::retract(*catalog_, run_of(*catalog_, slug), kWhy, clock_);
    EXPECT_TRUE(done) << to_string(done.error());
  }
  void restore(std::string_view slug) {
    clock_.set(clock_.now() + std::chrono::seconds(1));
    const auto done = publish::restore(*catalog_, run_of(*catalog_, slug), kWhy, clock_);
    EXPECT_TRUE(done) << to_string(done.error());
  }
  // The record of the one group there is, as the public ledger tells it.
  std::optional<query::Holder> record() {
    const auto resolver = query::Resolver::open(path(), clock_);
    EXPECT_TRUE(resolver);
    const auto page = resolver->records();
    EXPECT_TRUE(page) << to_string(page.error());
    if (page->records.empty()) return std::nullopt;
    EXPECT_EQ(page->records.size(), 1U);
    return page->records.front();
  }
  std::string supersede(std::string_view newer, std::string_view older) {
    clock_.set(clock_.now() + std::chrono::seconds(1));
    const auto done = publish::supersede(
        *catalog_, {.run_id = run_of(*catalog_, newer), .older_run_id = run_of(*catalog_, older)},
        kWhy, clock_);
    return done ? "done" : done.error().message;
  }

  std::optional<catalog::Catalog> catalog_;
};

TEST_F(GapsOfHistory, G16TheHolderIsTheBestRunWheneverItCame) {
  fill({{"b", 900, "2026-01-02T00:00:00Z"}});
  publish_ok(*catalog_, bundle_of({{"a", 800, "2026-01-01T00:00:00Z"}}));
  ASSERT_TRUE(record());
  EXPECT_EQ(record()->current.implementation.slug, "a");
  EXPECT_EQ(record()->current.primary->value, 800);
  const auto held = record();
  for (const query::RecordStep& step : held->history) {
    EXPECT_GE(step.improvement_pct.value_or(0), 0);
  }
  EXPECT_EQ(events(*catalog_), ">a new_run") << "what no longer follows is gone";
}

TEST_F(GapsOfHistory, G17RetractingAnotherRunLeavesTheRecordAlone) {
  fill({{"a", 1000, "2026-01-01T00:00:00Z"},
        {"b", 900, "2026-01-02T00:00:00Z"},
        {"c", 950, "2026-01-03T00:00:00Z"}});
  const auto before = record();
  const std::string told = events(*catalog_);
  retract("c");
  EXPECT_EQ(record()->current.run_id, before->current.run_id);
  EXPECT_EQ(record()->since, before->since);
  EXPECT_EQ(events(*catalog_), told);
  // And a run can get the record back as often as it is due.
  for (int i = 0; i < 2; ++i) {
    retract("b");
    EXPECT_EQ(record()->current.implementation.slug, "a") << i;
    restore("b");
    EXPECT_EQ(record()->current.implementation.slug, "b") << i;
  }
}

TEST_F(GapsOfHistory, G18ACohortStaysWhileItHasAnEligibleRun) {
  fill({{"a", 1000, "2026-01-01T00:00:00Z"},
        {"b", 900, "2026-01-02T00:00:00Z"},
        {"c", 950, "2026-01-03T00:00:00Z"}});
  retract("b");
  retract("a");
  ASSERT_TRUE(record());
  EXPECT_EQ(record()->current.implementation.slug, "c") << "it never made an event before";
  retract("c");
  EXPECT_FALSE(record());
  restore("c");
  EXPECT_EQ(record()->current.implementation.slug, "c");
}

TEST_F(GapsOfHistory, G35NothingSupersedesItselfOrWhatIsAnothers) {
  fill({{"a", 1000, "2026-01-01T00:00:00Z"}, {"b", 900, "2026-01-02T00:00:00Z"}});
  EXPECT_NE(supersede("a", "a"), "done");
  EXPECT_NE(supersede("b", "a"), "done") << "another implementation";
  EXPECT_EQ(record()->current.implementation.slug, "b");
  const auto none = publish::supersede(
      *catalog_, {.run_id = run_of(*catalog_, "b"), .older_run_id = ""}, kWhy, clock_);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().code, Code::internal);
}

}  // namespace
}  // namespace ki::test
