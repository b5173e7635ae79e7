// Listings: their order, their filters, and what is said of their entries.
#include "query/listings.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "query/codes.h"
#include "query/resolver.h"
#include "query/testing_rows.h"

namespace ki::query {
namespace {

using testing::TestCatalog;
using testing::TestRun;
using testing::uuid;

using Texts = std::vector<std::string>;

// Five records: two published first, three later in one import, of which two are of one day. Their
// comparison keys, which follow the workloads, run against their dates.
class ListingsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    catalog.operation("0001", "fused-rope", "rope");
    catalog.implementation("0201", "quick", true);
    const std::string early = "2026-03-01T00:00:00.000Z";
    const std::string late = "2026-03-02T00:00:00.000Z";
    add(1, "2026-01-04T00:00:00.000Z", early);
    add(2, "2026-01-05T00:00:00.000Z", early);
    add(3, "2026-01-02T00:00:00.000Z", late);
    add(4, "2026-01-03T00:00:00.000Z", late);
    add(5, "2026-01-03T00:00:00.000Z", late);
    catalog.touch("8001");
  }
  void add(int n, const std::string& since, const std::string& indexed_at) {
    const std::string digit = std::to_string(n);
    catalog.workload("010" + digit, n);
    catalog.run({.id = "030" + digit,
                 .implementation = "0201",
                 .workload = "010" + digit,
                 .since = since,
                 .indexed_at = indexed_at});
  }
  TestCatalog catalog;
};

Texts runs_of(const RecordsPage& page) {
  Texts out;
  for (const Holder& holder : page.records) out.push_back(holder.current.run_id.value_or(""));
  return out;
}

TEST_F(ListingsTest, RecordsAreByPublicationThenByDateThenByKey) {
  const Texts expected = {uuid("0304"), uuid("0305"), uuid("0303"), uuid("0302"), uuid("0301")};
  const Resolver resolver = catalog.resolver();
  const auto all = resolver.records();
  ASSERT_TRUE(all) << to_string(all.error());
  EXPECT_EQ(runs_of(*all), expected);
  for (const std::int64_t limit : {1, 2, 3, 4}) {
    Texts paged;
    std::string cursor;
    do {
      const auto page = resolver.records({.cursor = cursor, .limit = limit});
      ASSERT_TRUE(page) << to_string(page.error());
      const Texts runs = runs_of(*page);
      paged.insert(paged.end(), runs.begin(), runs.end());
      cursor = page->next_cursor.value_or("");
    } while (!cursor.empty());
    EXPECT_EQ(paged, expected) << "in pages of " << limit;
  }
}

// Another operation on another product, whose record fell once; older than all others.
void add_gemm(TestCatalog& catalog) {
  catalog.operation("0002", "gemm", "matrix");
  catalog.implementation("0202", "tiled", true);
  catalog.workload("0106", 6);
  TestRun run{.id = "0306", .implementation = "0202", .workload = "0106"};
  run.hardware = "NVIDIA L4";
  run.raw_evidence = true;
  run.value = 200;
  run.since = run.indexed_at = "2025-12-01T00:00:00.000Z";
  run.status = "timeout";  // it no longer stands: the fixture's holder is the first that does
  catalog.run(run);
  run.id = "0307";
  run.status = "passed";
  run.value = 50;
  run.previous = uuid("0306");
  catalog.run(run);
  catalog.touch("8002");
}

TEST_F(ListingsTest, RecordsAreNarrowedByWordsHardwareAndSource) {
  add_gemm(catalog);
  const Resolver resolver = catalog.resolver();
  const auto listed = [&](const RecordsFilter& filter) {
    const auto page = resolver.records(filter);
    EXPECT_TRUE(page) << to_string(page.error());
    if (!page) return Texts{};
    EXPECT_EQ(page->total, std::ssize(page->records));
    return runs_of(*page);
  };
  const Texts gemm = {uuid("0307")};
  EXPECT_EQ(listed({}).size(), 6U);
  EXPECT_EQ(listed({.words = "GEMM matrix"}), gemm);
  EXPECT_EQ(listed({.words = "tiled l4"}), gemm);
  EXPECT_EQ(listed({.words = "quick rope h100"}).size(), 5U);
  EXPECT_EQ(listed({.words = "rope l4"}), Texts{});
  EXPECT_EQ(listed({.hardware = "nvidia l4"}), gemm);
  EXPECT_EQ(listed({.with_source = true}), gemm);
  EXPECT_EQ(listed({.words = "rope", .with_source = true}), Texts{});
  EXPECT_EQ(resolver.records({.words = std::string(kQueryLengthMax + 1, 'a')}).error().code,
            Code::invalid);
}

// One of a reference implementation that took it from somebody stays.
TEST_F(ListingsTest, RecordsOfBaselinesThatNobodyBeatCanBeHidden) {
  add_gemm(catalog);
  catalog.implementation("0203", "plain", true, "cuda", "baseline");
  catalog.workload("0107", 7);
  TestRun run{.id = "0308", .implementation = "0203", .workload = "0107"};
  catalog.run(run);
  catalog.workload("0108", 8);
  run.workload = "0108";
  run.id = "0309";
  run.value = 200;
  run.status = "timeout";
  catalog.run(run);
  run.id = "0310";
  run.value = 50;
  run.status = "passed";
  run.previous = uuid("0309");
  catalog.run(run);
  catalog.touch("8003");
  const Resolver resolver = catalog.resolver();
  const auto all = resolver.records({});
  const auto some = resolver.records({.without_baselines = true});
  ASSERT_TRUE(all && some);
  EXPECT_EQ(all->total, 8);
  EXPECT_EQ(some->total, 7);
  EXPECT_THAT(runs_of(*some), ::testing::Not(::testing::Contains(uuid("0308"))));
  EXPECT_THAT(runs_of(*some), ::testing::Contains(uuid("0310")));
}

TEST_F(ListingsTest, RecordsAreSortedByDateGainAndOperation) {
  add_gemm(catalog);
  const Resolver resolver = catalog.resolver();
  const auto listed = [&](RecordOrder order) {
    const auto page = resolver.records({.order = order});
    EXPECT_TRUE(page) << to_string(page.error());
    return page ? runs_of(*page) : Texts{};
  };
  const Texts published = {uuid("0304"), uuid("0305"), uuid("0303"),
                           uuid("0302"), uuid("0301"), uuid("0307")};
  EXPECT_EQ(listed(RecordOrder::published), published);
  EXPECT_EQ(listed(RecordOrder::since), (Texts{uuid("0302"), uuid("0301"), uuid("0304"),
                                               uuid("0305"), uuid("0303"), uuid("0307")}));
  EXPECT_EQ(listed(RecordOrder::gain), (Texts{uuid("0307"), uuid("0304"), uuid("0305"),
                                              uuid("0303"), uuid("0302"), uuid("0301")}));
  EXPECT_EQ(listed(RecordOrder::operation), published) << "fused-rope, then gemm";
}

TEST_F(ListingsTest, NarrowedRecordsArePagedAndACursorIsOfOneList) {
  add_gemm(catalog);
  const Resolver resolver = catalog.resolver();
  RecordsFilter filter{.words = "rope", .order = RecordOrder::since};
  const auto whole = resolver.records(filter);
  ASSERT_TRUE(whole);
  filter.limit = 2;
  Texts paged;
  do {
    const auto page = resolver.records(filter);
    ASSERT_TRUE(page) << to_string(page.error());
    EXPECT_EQ(page->total, 5);
    const Texts runs = runs_of(*page);
    paged.insert(paged.end(), runs.begin(), runs.end());
    filter.cursor = page->next_cursor.value_or("");
  } while (!filter.cursor.empty());
  EXPECT_EQ(paged, runs_of(*whole));
  const auto cursor = resolver.records({.words = "rope", .limit = 2})->next_cursor;
  ASSERT_TRUE(cursor);
  for (const RecordsFilter& other :
       {RecordsFilter{.cursor = *cursor}, RecordsFilter{.words = "gemm", .cursor = *cursor},
        RecordsFilter{.words = "rope", .with_source = true, .cursor = *cursor},
        RecordsFilter{.words = "rope", .order = RecordOrder::gain, .cursor = *cursor}}) {
    const auto refused = resolver.records(other);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().where, kInvalidCursor);
  }
}

TEST_F(ListingsTest, ARowThatIsNotRankedSaysWhy) {
  Row row;
  row.match = "supported_unobserved";
  EXPECT_TRUE(match_text(row).starts_with("Its declaration covers the request"));
  row.match = "unknown";
  EXPECT_TRUE(match_text(row).starts_with("Its declaration does not say"));
  row.match = "incompatible";
  EXPECT_TRUE(match_text(row).starts_with("Its declaration does not cover"));
  row.run_id = "a run";
  row.differs = {{.field = "hardware", .requested = "a", .observed = "b"},
                 {.field = "dtype", .requested = "c", .observed = "d"}};
  EXPECT_EQ(match_text(row), "It was measured under conditions that differ: hardware, dtype");
}

TEST_F(ListingsTest, AWorkloadWithoutTensorsIsNamedByItsAxesEverywhere) {
  catalog.operation("0002", "frequencies", "other");
  catalog.implementation("0202", "only", true);
  catalog.bare_workload("0111", 77);
  catalog.run({.id = "0311", .implementation = "0202", .workload = "0111"});
  catalog.touch("8002");
  const Resolver resolver = catalog.resolver();
  const auto answer = resolver.search("op:frequencies");
  ASSERT_TRUE(answer);
  ASSERT_FALSE(answer->groups.exact.empty());
  EXPECT_EQ(answer->groups.exact[0].workload_summary, "n = 77");
  EXPECT_EQ(answer->workload->summary, "n = 77");
  EXPECT_EQ(resolver.operation("frequencies")->records.at(0).workload_summary, "n = 77");
  EXPECT_EQ(resolver.implementation("only")->best_results.at(0).workload_summary, "n = 77");
  const auto records = resolver.records();
  const auto own = std::ranges::find(records->records, uuid("0111"), &Holder::workload_id);
  ASSERT_NE(own, records->records.end());
  EXPECT_EQ(own->workload_summary, "n = 77");
  EXPECT_EQ(own->current.workload_summary, "n = 77");
}

TEST_F(ListingsTest, OperationsAreFilteredByWordsOfTheirNames) {
  const Resolver resolver = catalog.resolver();
  const auto slugs = [&](const std::string& words) {
    Texts out;
    const auto list = resolver.operations({.words = words});
    for (const auto& one : list->operations) out.push_back(one.slug);
    return out;
  };
  EXPECT_EQ(slugs(""), Texts{"fused-rope"});
  EXPECT_EQ(slugs("ROPE fused"), Texts{"fused-rope"});
  EXPECT_EQ(slugs("  rope "), Texts{"fused-rope"});
  EXPECT_EQ(slugs("rope gemm"), Texts{});
  EXPECT_EQ(resolver.operations({.words = std::string(kQueryLengthMax + 1, 'a')}).error().code,
            Code::invalid);
}

// What a list says when one filter names nothing; "" when it says nothing.
std::string said(const std::vector<NotApplied>& notes) {
  Texts out;
  for (const auto& note : notes)
    out.push_back(note.parameter + " " + note.value + ": " + note.text);
  return join(out, "\n");
}

TEST_F(ListingsTest, AFilterThatNamesNothingEmptiesTheListAndSaysSo) {
  const Resolver resolver = catalog.resolver();
  const auto runs = [&](const RunsFilter& filter) {
    const auto page = resolver.runs(filter);
    EXPECT_TRUE(page) << to_string(page.error());
    return page ? std::pair(page->runs.size(), said(page->not_applied))
                : std::pair<std::size_t, std::string>();
  };
  const auto nothing = [](const std::string& text) { return std::pair(std::size_t{0}, text); };
  EXPECT_EQ(runs({.operation = "fused-rpoe"}),
            nothing("operation fused-rpoe: no operation has this name, so nothing is listed; near "
                    "it: fused-rope"));
  EXPECT_EQ(runs({.hardware = "hopper h100"}),
            nothing("hardware hopper h100: nothing was measured on a product so named, so nothing "
                    "is listed; there is NVIDIA H100"));
  EXPECT_EQ(runs({.hardware = "H200"}),
            nothing("hardware H200: nothing was measured on a product so named, so nothing is "
                    "listed; there is NVIDIA H100"));
  EXPECT_EQ(
      runs({.source = "absent"}),
      nothing("source absent: no source has this name, so nothing is listed; there is board"));
  const auto records = resolver.records({.hardware = "H200"});
  ASSERT_TRUE(records);
  EXPECT_EQ(std::pair(records->records.size(), said(records->not_applied)),
            runs({.hardware = "H200"}));
  EXPECT_EQ(runs({.operation = "zzzz", .source = "bord"}).second,
            "operation zzzz: no operation has this name, so nothing is listed\n"
            "source bord: no source has this name, so nothing is listed; near it: board");
  EXPECT_EQ(runs({.operation = "fused-rope", .hardware = "nvidia h100"}),
            std::pair(std::size_t{5}, std::string()));
  EXPECT_EQ(runs({.status = "timeout"}), nothing("")) << "no such run, but every filter is known";
}

// Of a record, the first digits are enough, as of a run; of two that start so both are named.
TEST_F(ListingsTest, ARecordIsNamedByTheStartOfItsKey) {
  const Resolver resolver = catalog.resolver();
  const auto page = resolver.records({});
  ASSERT_TRUE(page && !page->records.empty());
  const std::string key = page->records.front().cohort_key;
  const std::string digits = key.substr(key.find(':') + 1);
  for (const std::string& name : {key, digits, digits.substr(0, 63), key.substr(0, 70)}) {
    const auto record = resolver.record(name);
    ASSERT_TRUE(record) << name << ": " << to_string(record.error());
    EXPECT_EQ(record->cohort_key, key) << name;
    ASSERT_FALSE(record->history.empty());
  }
  const auto several = resolver.record(digits.substr(0, 12));
  ASSERT_FALSE(several);
  EXPECT_TRUE(several.error().message.contains("is the start of several records"))
      << several.error().message;
  const auto few = resolver.record(digits.substr(0, 5));
  ASSERT_FALSE(few);
  EXPECT_TRUE(few.error().message.contains("at least 6 first digits")) << few.error().message;
}

TEST_F(ListingsTest, HardwareIsNamedAsInAQuery) {
  const Resolver resolver = catalog.resolver();
  const auto exact = resolver.runs({.hardware = "nvidia h100"});
  ASSERT_TRUE(exact);
  EXPECT_FALSE(exact->runs.empty());
  for (const std::string name : {"H100", "hopper", "sm_90"}) {
    const auto runs = resolver.runs({.hardware = name});
    const auto records = resolver.records({.hardware = name});
    ASSERT_TRUE(runs && records) << name;
    EXPECT_EQ(runs->runs.size(), exact->runs.size()) << name;
    EXPECT_FALSE(records->records.empty()) << name;
  }
  EXPECT_TRUE(resolver.runs({.hardware = "b200"})->runs.empty());
}

TEST_F(ListingsTest, OperationsOfAnUnknownFamilyOrTagAreNoneAndItSaysSo) {
  const Resolver resolver = catalog.resolver();
  const auto said_of = [&](const OperationsFilter& filter) {
    const auto list = resolver.operations(filter);
    EXPECT_TRUE(list && list->operations.empty());
    return said(list->not_applied);
  };
  EXPECT_EQ(said_of({.family = "ropes"}),
            "family ropes: no operation is of this family, so nothing is listed; near it: rope");
  EXPECT_EQ(said_of({.tag = "model:x"}),
            "tag model:x: no operation has this tag, so nothing is listed");
  EXPECT_EQ(said_of({.family = "rope", .words = "gemm"}), "") << "words are no name";
  EXPECT_EQ(said(resolver.operations({.family = "rope"})->not_applied), "");
}

TEST(Listings, APercentageThatIsNotNothingDoesNotReadSo) {
  EXPECT_EQ(percent_text(12.34), "12.3");
  EXPECT_EQ(percent_text(0.05), "0.1");
  EXPECT_EQ(percent_text(0.049), "under 0.1");
  EXPECT_EQ(percent_text(0), "0.0");
  EXPECT_EQ(percent_text(-3), "-3.0");
}

TEST(ClaimNote, MarksWhatIsNoWin) {
  EXPECT_EQ(claim_note({.code = "tie", .text = "", .run_ids = {}}), "shared");
  EXPECT_EQ(claim_note({.code = "not_enough_evidence", .text = "", .run_ids = {}}), "not claimed");
  EXPECT_EQ(claim_note({.code = "winner", .text = "", .run_ids = {}}), "");
  EXPECT_EQ(claim_note({.code = "only_run", .text = "", .run_ids = {}}), "");
}

TEST(MeasuredWhat, NamesMetricStatisticAndPass) {
  Row row;
  EXPECT_EQ(measured_what(row), "no value");
  row.primary.emplace();
  row.primary->metric = "latency";
  row.primary->statistic = "median";
  EXPECT_EQ(measured_what(row), "median latency");
  row.pass = "backward";
  EXPECT_EQ(measured_what(row), "median latency, backward");
}

TEST(UnmeasuredNote, CountsTheProductsWithoutARun) {
  std::vector<Variant> variants(3);
  EXPECT_EQ(unmeasured_note(variants), "3 more products of this name have no run here");
  variants[0].runs = variants[1].runs = 2;
  EXPECT_EQ(unmeasured_note(variants), "1 more product of this name has no run here");
  variants[2].runs = 1;
  EXPECT_EQ(unmeasured_note(variants), "");
}

}  // namespace
}  // namespace ki::query
