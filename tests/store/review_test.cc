// Runs that are held for review: publish() lets them in and nothing ranks them, until somebody
// releases or rejects them.

#include "catalog/dump.h"
#include "catalog/update.h"
#include "import/export/export.h"
#include "import/importer.h"
#include "publish/corrections.h"
#include "publish/verify.h"
#include "query/resolver.h"
#include "store/store_test.h"

namespace ki::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Review : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    catalog_.emplace(open());
    publish_ok(*catalog_, bundle_of({{"a", 1000, "2026-01-01T00:00:00Z"}}));
    tick();
    publish_held();
    tick();
  }
  void TearDown() override {
    catalog_.reset();
    StoreTest::TearDown();
  }

  void tick() { clock_.set(clock_.now() + std::chrono::seconds(1)); }

  publish::Report publish_held() {
    publish::Bundle bundle = bundle_of({{"b", 10, "2026-01-02T00:00:00Z"}});
    bundle.holds.push_back(
        {.run = bundle.runs.front().run.digest(), .reason = "10 ns, and the floor is 400 ns"});
    return publish_ok(*catalog_, bundle);
  }

  std::string held() { return run_of(*catalog_, "b"); }

  void expect_clean() {
    const auto report = publish::verify(*catalog_);
    ASSERT_TRUE(report);
    for (const auto& finding : report->findings) {
      ADD_FAILURE() << finding.entity << " " << finding.id << " " << finding.field << ": "
                    << finding.stored << ", expected " << finding.expected;
    }
  }

  query::RunDossier dossier() {
    const auto resolver = query::Resolver::open(path(), clock_);
    auto found = resolver->run(held());
    EXPECT_TRUE(found) << to_string(found.error());
    return std::move(*found);
  }

  std::vector<std::string> ranked() {
    const auto resolver = query::Resolver::open(path(), clock_);
    std::vector<std::string> out;
    const auto answer = resolver->search("axpy");
    for (const auto& row : answer->groups.exact) {
      out.push_back(row.implementation.slug);
    }
    return out;
  }

  std::optional<catalog::Catalog> catalog_;
  const publish::Justification why_{.actor = "curator", .reason = "the byte model was wrong"};
};

TEST_F(Review, AHeldRunIsShownWithItsReasonAndRankedNowhere) {
  EXPECT_EQ(holder(*catalog_), "a");
  EXPECT_THAT(ranked(), ElementsAre("a"));
  const auto found = dossier();
  EXPECT_THAT(found.cohort.ineligible_reasons, ElementsAre("HELD_FOR_REVIEW"));
  EXPECT_FALSE(found.cohort.rank);
  ASSERT_TRUE(found.lifecycle.held);
  EXPECT_EQ(found.lifecycle.held->reason, "10 ns, and the floor is 400 ns");
  const auto resolver = query::Resolver::open(path(), clock_);
  const auto excluded = resolver->search("axpy")->excluded;
  ASSERT_EQ(excluded.total, 1);
  EXPECT_EQ(excluded.runs.front().code, "HELD_FOR_REVIEW");
  const auto list = catalog::held_runs(catalog_->connection(), 10);
  ASSERT_EQ(list->size(), 1U);
  EXPECT_EQ(list->front().run_id, held());
  EXPECT_EQ(list->front().hold.actor, "plausibility");
  EXPECT_EQ(events(*catalog_).find("b"), std::string::npos) << "it made no history";
  expect_clean();
}

TEST_F(Review, ReleasedItStandsInItsPlaceAndIsNotHeldAgain) {
  ASSERT_TRUE(publish::release(*catalog_, held(), why_, clock_));
  EXPECT_EQ(holder(*catalog_), "b");
  EXPECT_THAT(ranked(), ElementsAre("b", "a"));
  EXPECT_FALSE(dossier().lifecycle.held);
  EXPECT_THAT(*catalog::held_runs(catalog_->connection(), 10), IsEmpty());
  tick();
  EXPECT_FALSE(publish_held().changed);
  EXPECT_EQ(holder(*catalog_), "b");
  EXPECT_EQ(publish::release(*catalog_, held(), why_, clock_).error().code, Code::conflict);
  EXPECT_EQ(publish::reject(*catalog_, held(), why_, clock_).error().code, Code::conflict);
  EXPECT_EQ(text(*catalog_, "SELECT actor FROM audit WHERE action = 'release'"), "curator");
  expect_clean();
}

TEST_F(Review, RejectedItIsRetractedAndCannotBeReleased) {
  ASSERT_TRUE(publish::reject(*catalog_, held(), why_, clock_));
  EXPECT_THAT(dossier().cohort.ineligible_reasons, ElementsAre("RETRACTED", "HELD_FOR_REVIEW"));
  EXPECT_THAT(*catalog::held_runs(catalog_->connection(), 10), IsEmpty());
  tick();
  const auto release = publish::release(*catalog_, held(), why_, clock_);
  EXPECT_THAT(to_string(release.error()), HasSubstr("rejected"));
  ASSERT_TRUE(publish::restore(*catalog_, held(), why_, clock_));
  EXPECT_EQ(holder(*catalog_), "a") << "restored it waits again";
  tick();
  ASSERT_TRUE(publish::release(*catalog_, held(), why_, clock_));
  EXPECT_EQ(holder(*catalog_), "b");
  expect_clean();
}

TEST_F(Review, ARunThatIsNotHeldIsNotReviewed) {
  const std::string other = run_of(*catalog_, "a");
  EXPECT_EQ(publish::release(*catalog_, other, why_, clock_).error().code, Code::conflict);
  EXPECT_EQ(publish::reject(*catalog_, other, why_, clock_).error().code, Code::conflict);
}

TEST_F(Review, AnExportKeepsIt) {
  const auto dump = [&] {
    std::string out;
    EXPECT_TRUE(catalog::dump(catalog_->connection(), [&](std::string_view line) -> Status {
      out.append(line).append("\n");
      return {};
    }));
    return out;
  };
  const std::string exported = dump();
  catalog_.reset();
  std::filesystem::remove_all(folder_);
  std::filesystem::create_directories(folder_);
  catalog_.emplace(open());
  auto prepared = importer::prepare_export({"export.jsonl", exported});
  ASSERT_TRUE(prepared);
  ASSERT_TRUE(importer::run_import(*catalog_, std::move(*prepared), clock_,
                                   {.publish = true, .actor = "importer"}));
  EXPECT_EQ(dump(), exported);
  EXPECT_EQ(holder(*catalog_), "a");
  expect_clean();
}

}  // namespace
}  // namespace ki::test
