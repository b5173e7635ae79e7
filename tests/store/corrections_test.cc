// Retracting, restoring and superseding runs, and what follows for records and rankings.

#include "publish/corrections.h"

#include "catalog/lookup.h"
#include "catalog/read_run.h"
#include "publish/verify.h"
#include "store/store_test.h"

namespace ki::test {
namespace {

using publish::Justification;
using testing::HasSubstr;

const Justification kWhy{.actor = "curator", .reason = "the timer was read too early"};

class Corrections : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    catalog_.emplace(open());
    publish_ok(*catalog_, bundle_of({{"a", 1000, "2026-01-01T00:00:00Z"},
                                     {"b", 900, "2026-01-02T00:00:00Z"},
                                     {"c", 950, "2026-01-03T00:00:00Z"}}));
  }
  void TearDown() override {
    const auto report = publish::verify(*catalog_);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->found, 0) << report->findings[0].entity << " " << report->findings[0].field
                                << " " << report->findings[0].stored << " expected "
                                << report->findings[0].expected;
    catalog_.reset();
    StoreTest::TearDown();
  }
  virtual std::string id(std::string_view slug) { return run_of(*catalog_, slug); }
  void tick() { clock_.set(clock_.now() + std::chrono::seconds(1)); }

  auto retract(std::string_view slug) {
    tick();
    return publish::retract(*catalog_, id(slug), kWhy, clock_);
  }
  auto restore(std::string_view slug) {
    tick();
    return publish::restore(*catalog_, id(slug), kWhy, clock_);
  }
  auto supersede(std::string_view newer, std::string_view older) {
    tick();
    return publish::supersede(*catalog_, {.run_id = id(newer), .older_run_id = id(older)}, kWhy,
                              clock_);
  }

  std::optional<catalog::Catalog> catalog_;
};

// Three runs of one provider, named by what stands for their time: only such supersede each other.
class Revisions : public Corrections {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    catalog_.emplace(open());
    publish_ok(*catalog_, bundle_of({{"k", 1000, "2026-01-01T00:00:00Z"},
                                     {"k", 900, "2026-01-02T00:00:00Z"},
                                     {"k", 950, "2026-01-03T00:00:00Z"}}));
  }
  std::string id(std::string_view name) override {
    const std::int64_t latency_ns = name == "a" ? 1000 : name == "b" ? 900 : 950;
    return text(*catalog_, "SELECT id FROM run WHERE primary_value = $1", latency_ns);
  }
  std::string leader() { return text(*catalog_, "SELECT run_id FROM holder"); }
};

TEST_F(Corrections, RetractingTheLeaderHandsTheRecordOver) {
  EXPECT_EQ(holder(*catalog_), "b");
  const auto report = retract("b");
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->holder_run_id, id("c"));
  EXPECT_EQ(holder(*catalog_), "c");
  EXPECT_THAT(events(*catalog_), HasSubstr("b>c retraction"));
  EXPECT_EQ(text(*catalog_, "SELECT eligible_runs || ' ' || best_value FROM cohort"), "2 950.0");
  EXPECT_EQ(text(*catalog_, "SELECT actor || ' ' || reason FROM correction"),
            "curator the timer was read too early");
  EXPECT_EQ(text(*catalog_, "SELECT entity_id FROM audit WHERE action = 'retract'"), id("b"));
}

TEST_F(Corrections, RetractingAnotherChangesNoRecord) {
  const std::string before = events(*catalog_);
  ASSERT_TRUE(retract("c"));
  EXPECT_EQ(events(*catalog_), before);
  EXPECT_EQ(text(*catalog_, "SELECT eligible_runs FROM cohort"), "2");
}

TEST_F(Corrections, RestoringUndoesARetraction) {
  ASSERT_TRUE(retract("b"));
  ASSERT_TRUE(restore("b"));
  EXPECT_EQ(holder(*catalog_), "b");
  EXPECT_EQ(text(*catalog_, "SELECT eligible_runs FROM cohort"), "3");
  EXPECT_EQ(restore("b").error().code, Code::conflict);
}

TEST_F(Corrections, WhenAllAreRetractedNobodyHolds) {
  for (const auto* slug : {"a", "b", "c"}) ASSERT_TRUE(retract(slug));
  EXPECT_EQ(holder(*catalog_), "none");
  EXPECT_EQ(text(*catalog_, "SELECT best_value FROM cohort"), "null");
}

TEST_F(Revisions, SupersedingTakesTheOlderOutAndCanBeUndone) {
  ASSERT_TRUE(supersede("c", "b"));
  EXPECT_EQ(leader(), id("c"));
  EXPECT_EQ(text(*catalog_, "SELECT superseded_run_id FROM correction"), id("b"));
  ASSERT_TRUE(restore("b"));
  EXPECT_EQ(leader(), id("b"));
  ASSERT_TRUE(supersede("c", "b"));  // possible again
}

TEST_F(Revisions, ARunSaysOnlyWhatIsInForceAndListsAllThatWasDone) {
  const auto record = [&](std::string_view name) {
    auto found = catalog::find_run(catalog_->connection(), id(name));
    EXPECT_TRUE(found && *found);
    auto read = catalog::read_run(catalog_->connection(), std::move(**found));
    EXPECT_TRUE(read);
    return std::move(*read);
  };
  ASSERT_TRUE(supersede("c", "b"));
  EXPECT_EQ(record("b").superseded_by, id("c"));
  EXPECT_EQ(record("c").supersedes, id("b"));
  ASSERT_TRUE(restore("b"));
  EXPECT_EQ(record("b").superseded_by, std::nullopt);
  EXPECT_EQ(record("c").supersedes, std::nullopt);
  EXPECT_EQ(record("b").corrections.size(), 2U);
  EXPECT_EQ(record("c").corrections.size(), 1U);
  ASSERT_TRUE(retract("b"));
  EXPECT_TRUE(record("b").retraction);
  ASSERT_TRUE(restore("b"));
  EXPECT_FALSE(record("b").retraction);
}

TEST_F(Revisions, ARetractionIsUndoneBeforeASupersession) {
  ASSERT_TRUE(supersede("c", "b"));
  ASSERT_TRUE(retract("b"));
  ASSERT_TRUE(restore("b"));
  EXPECT_EQ(leader(), id("c"));  // still superseded
  ASSERT_TRUE(restore("b"));
  EXPECT_EQ(leader(), id("b"));
}

TEST_F(Revisions, RefusesSelfReferenceCirclesAndRepetition) {
  EXPECT_THAT(supersede("b", "b").error().message, HasSubstr("itself"));
  ASSERT_TRUE(supersede("b", "a"));
  EXPECT_THAT(supersede("a", "b").error().message, HasSubstr("superseded by the run it would"));
  EXPECT_THAT(supersede("c", "a").error().message, HasSubstr("already"));
  EXPECT_THAT(supersede("b", "c").error().message, HasSubstr("already"));
  ASSERT_TRUE(supersede("c", "b"));
  EXPECT_EQ(supersede("a", "c").error().code, Code::conflict);  // a long circle
  ASSERT_TRUE(retract("c"));
  EXPECT_EQ(retract("c").error().code, Code::conflict);
}

TEST_F(Corrections, ARunSupersedesOnlyOneOfTheSameObservation) {
  publish::Bundle more = bundle_of({});
  const manifest::Manifest work = workload(more.operations.front().manifest.digest());
  const auto add = [&](std::string_view slug, const manifest::Manifest& on,
                       std::string_view product, std::int64_t latency_ns) {
    manifest::Manifest by = implementation(more.operations.front().manifest.digest(), slug);
    publish::RunEntry entry = run({.implementation = by.digest(),
                                   .workload = on.digest(),
                                   .latency_ns = latency_ns,
                                   .observed_at = "2026-01-09T00:00:00Z",
                                   .product = std::string(product)});
    more.runs.push_back(std::move(entry));
    more.implementations.push_back(
        {.manifest = std::move(by), .slug = std::string(slug), .project_slug = "kernels"});
  };
  manifest::Manifest larger = workload(more.operations.front().manifest.digest(), 2048);
  add("a", larger, "NVIDIA B200", 11);
  add("a", work, "NVIDIA H100", 12);
  add("a", work, "NVIDIA B200", 13);
  more.workloads.push_back({.manifest = std::move(larger)});
  publish_ok(*catalog_, more);
  const auto by_latency = [&](std::int64_t ns) {
    return text(*catalog_, "SELECT id FROM run WHERE primary_value = $1", ns);
  };
  const auto replace = [&](const std::string& newer) {
    return publish::supersede(*catalog_, {.run_id = newer, .older_run_id = by_latency(1000)}, kWhy,
                              clock_);
  };
  const std::pair<std::string, std::string_view> refusals[] = {
      {id("b"), "implementation (b of kernels, not a of kernels)"},
      {by_latency(11), "workload (sha256:"},
      {by_latency(12), "hardware (NVIDIA H100, not NVIDIA B200)"}};
  for (const auto& [newer, differs] : refusals) {
    const auto refused = replace(newer);
    ASSERT_FALSE(refused) << differs;
    EXPECT_EQ(refused.error().code, Code::invalid);
    EXPECT_THAT(refused.error().message, HasSubstr(std::string(differs)));
  }
  EXPECT_EQ(text(*catalog_, "SELECT COUNT(*) FROM correction"), "0");
  const auto done = replace(by_latency(13));
  EXPECT_TRUE(done) << to_string(done.error());
}

TEST_F(Corrections, RefusesAnotherOperation) {
  publish::Bundle other = bundle_of({});
  manifest::Manifest spec = operation("other");
  manifest::Manifest work = workload(spec.digest());
  manifest::Manifest by = implementation(spec.digest(), "x");
  other.runs.push_back(run({.implementation = by.digest(), .workload = work.digest()}));
  other.operations.push_back({.manifest = std::move(spec), .slug = "other"});
  other.workloads.push_back({.manifest = std::move(work)});
  other.implementations.push_back(
      {.manifest = std::move(by), .slug = "x", .project_slug = "kernels"});
  publish_ok(*catalog_, other);
  const auto refused = supersede("x", "a");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("another operation"));
}

TEST_F(Corrections, NeedARunAnActorAndAReason) {
  EXPECT_EQ(publish::retract(*catalog_, "no such run", kWhy, clock_).error().code, Code::not_found);
  EXPECT_EQ(
      publish::retract(*catalog_, id("a"), {.actor = "x", .reason = " a "}, clock_).error().where,
      "reason");
  EXPECT_EQ(publish::retract(*catalog_, id("a"), {.actor = " ", .reason = "long enough"}, clock_)
                .error()
                .where,
            "actor");
  EXPECT_EQ(text(*catalog_, "SELECT COUNT(*) FROM correction"), "0");
}

TEST_F(Corrections, RefuseAnActorOrAReasonThatIsNoText) {
  using publish::Justification;
  const std::string bytes = "caf\xE9 au lait";
  const std::pair<Justification, std::string_view> cases[] = {
      {{.actor = bytes, .reason = "long enough"}, "actor"},
      {{.actor = "", .reason = "long enough"}, "actor"},
      {{.actor = std::string(201, 'a'), .reason = "long enough"}, "actor"},
      {{.actor = "x", .reason = bytes}, "reason"},
  };
  for (const auto& [why, where] : cases) {
    for (const auto& refused :
         {publish::retract(*catalog_, id("a"), why, clock_),
          publish::restore(*catalog_, id("a"), why, clock_),
          publish::supersede(*catalog_, {.run_id = id("b"), .older_run_id = id("a")}, why,
                             clock_)}) {
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, Code::invalid);
      EXPECT_EQ(refused.error().where, where);
    }
  }
  EXPECT_EQ(text(*catalog_, "SELECT COUNT(*) FROM correction"), "0");
}

TEST_F(Corrections, ARunIsFoundByItsDigestToo) {
  const std::string digest = text(*catalog_, "SELECT run_digest FROM run WHERE id = $1", id("b"));
  const auto report = publish::retract(*catalog_, digest, kWhy, clock_);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->run_id, id("b"));
}

}  // namespace
}  // namespace ki::test
