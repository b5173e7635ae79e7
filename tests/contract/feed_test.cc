// The feed over a catalog that was published to and corrected: what happened, in order, in pages.

#include <filesystem>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "catalog/catalog.h"
#include "publish/corrections.h"
#include "publish/publish.h"
#include "query/resolver.h"
#include "support/bundles.h"

namespace ki::contract {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Run "a" is published on the first of May, "b" (faster) on the second, and taken back on the
// third.
class FeedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ =
        std::filesystem::temp_directory_path() / ("ki_feed_" + std::to_string(::getpid()) + ".db");
    remove();
    auto opened = catalog::Catalog::open(path_.string(), clock_, {.mode = db::Mode::create});
    ASSERT_TRUE(opened) << to_string(opened.error());
    catalog_.emplace(std::move(*opened));
    publish("2026-05-01T10:00:00Z", {"a", 1000, "2026-04-01T00:00:00.000Z", ""});
    publish("2026-05-02T10:00:00Z", {"b", 900, "2026-04-02T00:00:00.000Z", ""});
    at("2026-05-03T10:00:00Z");
  }
  void TearDown() override {
    catalog_.reset();
    remove();
  }
  void at(const char* time) { clock_.set(*parse_instant(time)); }
  void publish(const char* time, const test::Provider& provider) {
    at(time);
    const auto report = publish::publish(*catalog_, test::bundle_of({provider}), clock_);
    ASSERT_TRUE(report) << to_string(report.error());
  }
  std::string run_of(const char* slug) {
    auto rows = catalog_->connection().query(
        {"test",
         "SELECT r.id FROM run r JOIN implementation i ON i.id = r.implementation_id "
         "WHERE i.slug = $1"},
        std::string(slug));
    EXPECT_TRUE(rows && rows->next().value());
    return rows->string(0);
  }
  void correct(const char* slug, bool back = false) {
    const publish::Justification why{.actor = "curator", .reason = "wrong clock"};
    const auto done = back ? publish::restore(*catalog_, run_of(slug), why, clock_)
                           : publish::retract(*catalog_, run_of(slug), why, clock_);
    ASSERT_TRUE(done) << to_string(done.error());
  }
  query::Resolver resolver() { return *query::Resolver::open(path_.string(), clock_); }

  // "2026-05-02: import, record" a day.
  static std::vector<std::string> told(const query::Feed& feed) {
    std::vector<std::string> out;
    for (const auto& day : feed.days) {
      std::string line = day.date + ":";
      for (const auto& one : day.entries) {
        std::visit([&](const auto& entry) { line += " " + entry.kind; }, one);
      }
      out.push_back(line);
    }
    return out;
  }
  template <class Entry>
  static std::optional<Entry> first(const query::Feed& feed) {
    for (const auto& day : feed.days) {
      for (const auto& one : day.entries) {
        if (const auto* entry = std::get_if<Entry>(&one)) return *entry;
      }
    }
    return std::nullopt;
  }

 private:
  void remove() {
    for (const char* ending : {"", "-wal", "-shm"}) {
      std::error_code ignored;
      std::filesystem::remove(path_.string() + ending, ignored);
    }
  }
  std::filesystem::path path_;

 protected:
  FixedClock clock_{*parse_instant("2026-05-01T00:00:00Z")};
  std::optional<catalog::Catalog> catalog_;
};

TEST_F(FeedTest, TellsImportsAndRecordsNewestFirst) {
  const auto feed = resolver().feed();
  ASSERT_TRUE(feed) << to_string(feed.error());
  EXPECT_THAT(told(*feed), ElementsAre("2026-05-02: import record", "2026-05-01: import"));
  EXPECT_EQ(feed->from, "2026-04-03T10:00:00.000Z");
  const auto record = first<query::RecordEntry>(*feed);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->run_id, run_of("b"));
  EXPECT_EQ(record->previous.implementation.slug, "a");
  EXPECT_EQ(record->previous.value.value, 1000);
  EXPECT_DOUBLE_EQ(*record->improvement_pct, 10);
  EXPECT_THAT(record->match.projects, ElementsAre("kernels"));
  EXPECT_EQ(record->match.operation, "axpy");
  const auto import = first<query::ImportEntry>(*feed);
  ASSERT_TRUE(import);
  EXPECT_EQ(import->source.slug, "lab");
  EXPECT_EQ(import->runs, 1);
  EXPECT_EQ(import->first_records, 0) << "the group had a record already";
  EXPECT_THAT(import->hardware, ElementsAre("NVIDIA B200"));
}

TEST_F(FeedTest, TellsCorrectionsAndForgetsTheRecordThatWent) {
  correct("b");
  const auto feed = resolver().feed();
  ASSERT_TRUE(feed) << to_string(feed.error());
  EXPECT_THAT(told(*feed),
              ElementsAre("2026-05-03: correction", "2026-05-02: import", "2026-05-01: import"));
  const auto correction = first<query::CorrectionEntry>(*feed);
  ASSERT_TRUE(correction);
  EXPECT_EQ(correction->action, "retracted");
  EXPECT_EQ(correction->run_id, run_of("b"));
  EXPECT_EQ(correction->reason, "wrong clock");
  EXPECT_FALSE(correction->superseded_by_id);
  at("2026-05-04T10:00:00Z");
  correct("b", true);
  EXPECT_EQ(first<query::CorrectionEntry>(*resolver().feed())->action, "restored");
}

TEST_F(FeedTest, SinceKeepsWhatCameAfterAndReachesBehindTheThirtyDays) {
  const auto exact = resolver().feed({.since = "2026-05-02T10:00:00Z", .cursor = {}});
  EXPECT_THAT(told(*exact), IsEmpty()) << "after, not at";
  const auto before = resolver().feed({.since = "2026-05-02T09:59:59.999Z", .cursor = {}});
  EXPECT_THAT(told(*before), ElementsAre("2026-05-02: import record"));
  at("2026-12-01T00:00:00Z");
  EXPECT_THAT(told(*resolver().feed()), IsEmpty());
  EXPECT_EQ(told(*resolver().feed({.since = "2026-01-01T00:00:00Z", .cursor = {}})).size(), 2U);
  EXPECT_EQ(resolver().feed({.since = "soon", .cursor = {}}).error().code, Code::invalid);
}

TEST_F(FeedTest, PagesTellEveryEntryOnce) {
  // More corrections at one instant than fit a page.
  const int rounds = static_cast<int>(query::kFeedEntriesMax) / 2 + 3;
  for (int i = 0; i < rounds; ++i) {
    correct("b");
    correct("b", true);
  }
  const query::Resolver reader = resolver();
  std::size_t entries = 0;
  std::size_t pages = 0;
  std::string cursor;
  do {
    const auto feed = reader.feed({.since = {}, .cursor = cursor});
    ASSERT_TRUE(feed) << to_string(feed.error());
    for (const auto& day : feed->days) entries += day.entries.size();
    cursor = feed->next_cursor.value_or("");
    ++pages;
  } while (!cursor.empty());
  EXPECT_EQ(pages, 2U);
  EXPECT_EQ(entries, static_cast<std::size_t>(2 * rounds) + 3) << "two imports, a record";
}

}  // namespace
}  // namespace ki::contract
