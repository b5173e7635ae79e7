// What holds for every catalog: runs that may not be ranked never change who leads, a condition
// never adds rows to the exact group, and the pages of a list are the list.
#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "query/resolver.h"
#include "query/testing_rows.h"

namespace ki::query {
namespace {

using testing::TestCatalog;
using testing::uuid;

constexpr const char* kProducts[] = {"NVIDIA H100", "NVIDIA A100"};

int pick(std::mt19937& random, int below) {
  return static_cast<int>(random() % static_cast<unsigned>(below));
}

class GapLaws : public ::testing::Test {
 protected:
  // A catalog that the seed decides: two operations, cases, languages, products, passes, failures.
  void fill(std::uint32_t seed) {
    catalog_.emplace();
    std::mt19937 random(seed);
    int run = 3000;
    for (int operation = 0; operation < 2; ++operation) {
      catalog_->operation(fmt::format("{:04}", 1 + operation), operation == 0 ? "rope" : "silu",
                          "math");
      for (int i = 0; i < 3; ++i) {
        catalog_->workload(fmt::format("{:04}", 100 + operation * 10 + i), 1 << i);
        catalog_->implementation(fmt::format("{:04}", 200 + operation * 10 + i),
                                 fmt::format("k{}-{}", operation, i), i != 1,
                                 i == 0 ? "cuda" : "triton");
      }
      for (int i = 0; i < 25; ++i) {
        catalog_->run(
            {.id = std::to_string(run++),
             .implementation = fmt::format("{:04}", 200 + operation * 10 + pick(random, 3)),
             .workload = fmt::format("{:04}", 100 + operation * 10 + pick(random, 3)),
             .hardware = kProducts[random() % 2],
             .architecture = "sm_90",
             .value = static_cast<double>(100 + random() % 40),
             .raw_evidence = random() % 4 == 0,
             .status = random() % 6 == 0 ? "runtime_error" : "passed",
             .spread = static_cast<double>(random() % 3),
             .pass = random() % 2 == 0 ? "forward" : ""});
      }
    }
    catalog_->touch("8001");
  }

  // The leader of every group of both operations, by comparison key.
  std::map<std::string, std::string> leaders() {
    std::map<std::string, std::string> out;
    for (const char* slug : {"rope", "silu"}) {
      const auto answers = catalog_->resolver().cases(slug);
      EXPECT_TRUE(answers);
      for (const RankedCohort& cohort : answers->cohorts) {
        const bool led = !cohort.rows.empty() && cohort.rows.front().rank == 1;
        out[cohort.cohort.comparison_key] =
            (led ? *cohort.rows.front().run_id : "nobody") + " " + cohort.verdict.code;
      }
    }
    return out;
  }

  std::set<std::string> exact(const std::string& query) {
    std::set<std::string> out;
    const auto answer = catalog_->resolver().search(query, {.limit = kGroupRowsMax});
    EXPECT_TRUE(answer) << query;
    for (const Row& row : answer->groups.exact) out.insert(*row.run_id);
    return out;
  }

  std::optional<TestCatalog> catalog_;
};

TEST_F(GapLaws, AnIneligibleRunNeverChangesALeader) {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    fill(seed);
    const auto before = leaders();
    ASSERT_GT(before.size(), 5U) << seed;
    std::mt19937 random(seed);
    for (int i = 0; i < 20; ++i) {
      catalog_->run({.id = std::to_string(6000 + i),
                     .implementation = fmt::format("{:04}", 200 + pick(random, 3)),
                     .workload = fmt::format("{:04}", 100 + pick(random, 3)),
                     .hardware = kProducts[random() % 2],
                     .value = 1,  // better than all
                     .status = i % 2 == 0 ? "runtime_error" : "timeout",
                     .pass = i % 3 == 0 ? "forward" : ""});
    }
    catalog_->touch("8002");
    EXPECT_EQ(leaders(), before) << "seed " << seed;
  }
}

TEST_F(GapLaws, AConditionNeverAddsRowsToTheExactGroup) {
  const std::vector<std::string> conditions = {
      "language:triton",  "language:cuda",      "framework:pytorch", "source:true",
      "installable:true", "trust:reproducible", "license:permissive"};
  for (const std::uint32_t seed : {4U, 5U}) {
    fill(seed);
    for (const char* hardware : {"h100", "a100"}) {
      // The group is named, so that the condition can only narrow it.
      const std::string base = std::string("op:rope n:1 ") + hardware;
      const auto answer = catalog_->resolver().search(base);
      ASSERT_TRUE(answer && answer->cohort) << base;
      const std::string named = base + " cohort:" + answer->cohort->comparison_key;
      const auto all = exact(named);
      for (const std::string& condition : conditions) {
        const auto some = exact(named + " " + condition);
        EXPECT_TRUE(std::ranges::includes(all, some)) << "seed " << seed << ": " << condition;
      }
    }
  }
}

TEST_F(GapLaws, ThePagesOfAListAreTheList) {
  fill(6);
  const Resolver resolver = catalog_->resolver();
  std::vector<std::string> whole;
  const auto runs = resolver.runs({.limit = kPageRowsMax});
  ASSERT_TRUE(runs);
  for (const RunItem& run : runs->runs) whole.push_back(run.id);
  ASSERT_GT(whole.size(), 30U);
  for (const std::int64_t limit : {1, 7, 13}) {
    std::vector<std::string> paged;
    std::string cursor;
    do {
      const auto page = resolver.runs({.cursor = cursor, .limit = limit});
      ASSERT_TRUE(page) << to_string(page.error());
      for (const RunItem& run : page->runs) paged.push_back(run.id);
      cursor = page->next_cursor.value_or("");
    } while (!cursor.empty());
    EXPECT_EQ(paged, whole) << limit;
  }
  const auto records = resolver.records({.limit = kPageRowsMax});
  std::vector<std::string> keys;
  std::string cursor;
  do {
    const auto page = resolver.records({.cursor = cursor, .limit = 2});
    ASSERT_TRUE(page) << to_string(page.error());
    for (const Holder& holder : page->records) keys.push_back(holder.cohort_key);
    cursor = page->next_cursor.value_or("");
  } while (!cursor.empty());
  ASSERT_EQ(keys.size(), records->records.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(keys[i], records->records[i].cohort_key);
  }
}

}  // namespace
}  // namespace ki::query
