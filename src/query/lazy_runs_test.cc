// Answers about random small operations, against what counting their runs one by one gives: what is
// read of a cohort only when it is shown must be what was counted of it before.
#include <map>
#include <random>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "json/wire.h"
#include "json/write.h"
#include "query/testing_rows.h"

namespace ki::query {
namespace {

using testing::TestCatalog;
using testing::TestRun;
using testing::uuid;

template <class T>
std::string json_of(const Result<T>& value) {
  if (!value) return to_string(value.error());
  std::string text;
  json::Writer out(text);
  json::write(out, *value);
  return text;
}

struct Made {
  TestRun run;
  std::string language;
  bool deployable = false;
  std::string cohort() const { return run.workload + run.hardware + run.metric; }
  // Evidence first, then the id: all were observed at one time.
  auto order() const { return std::tuple(run.value, !run.raw_evidence, run.id); }
};

// One operation of a few workloads, implementations and machines, with many equal values.
class RandomOperation {
 public:
  explicit RandomOperation(std::uint32_t seed) : random_(seed) {
    catalog_.operation("0001", "op", "family");
    for (int i = 0; i < 4; ++i) catalog_.workload("01" + two(i), 128 << i);
    const int implementations = 2 + pick(6);
    for (int i = 0; i < implementations; ++i) {
      languages_.emplace_back(pick(2) == 0 ? "cuda" : "triton");
      deployable_.push_back(pick(2) == 0);
      catalog_.implementation("02" + two(i), "impl-" + two(i), deployable_.back(),
                              languages_.back());
    }
    const int runs = 1 + pick(60);
    for (int i = 0; i < runs; ++i) add(i, pick(implementations));
  }

  TestCatalog& catalog() { return catalog_; }
  const std::vector<Made>& runs() const { return runs_; }

 private:
  int pick(int below) { return std::uniform_int_distribution<>(0, below - 1)(random_); }
  static std::string two(int i) { return (i < 10 ? "0" : "") + std::to_string(i); }

  void add(int i, int implementation) {
    Made made{.run = {.id = "1" + std::string(i < 10 ? "00" : "0") + std::to_string(i)},
              .language = languages_[static_cast<std::size_t>(implementation)],
              .deployable = deployable_[static_cast<std::size_t>(implementation)]};
    made.run.implementation = "02" + two(implementation);
    made.run.workload = "01" + two(pick(4));
    if (pick(3) == 0) made.run.hardware = "NVIDIA A100-SXM4-80GB";
    if (pick(5) == 0) made.run.metric = "duration_of_nobody";
    made.run.value = 100 + 10 * pick(5);
    made.run.raw_evidence = pick(2) == 0;
    catalog_.run(made.run);
    runs_.push_back(std::move(made));
  }

  std::mt19937 random_;
  TestCatalog catalog_;
  std::vector<std::string> languages_;
  std::vector<bool> deployable_;
  std::vector<Made> runs_;
};

constexpr std::uint32_t kSeeds = 10;
constexpr const char* kQueries[] = {"op:op",
                                    "op:op language:cuda",
                                    "op:op H100 trust:reproducible",
                                    "op:op n:256 license:mit",
                                    "op:op source:true language:triton",
                                    "op:op n:999 language:cuda"};

template <class Rows>
void append(std::vector<std::string>& out, const Rows& rows) {
  for (const auto& row : rows) {
    std::string& text = out.emplace_back();
    json::Writer writer(text);
    json::write(writer, row);
  }
}

// The rows of each group, read in pages of so many.
std::map<std::string, std::vector<std::string>> groups(const Resolver& resolver,
                                                       const std::string& query,
                                                       std::int64_t limit) {
  std::map<std::string, std::vector<std::string>> out;
  SearchOptions options{.cohort = {}, .cursor = {}, .offset = 0, .limit = limit};
  for (;;) {
    const auto page = resolver.search(query, options);
    EXPECT_TRUE(page) << to_string(page.error());
    if (!page) return out;
    append(out["exact"], page->groups.exact);
    append(out["compatible"], page->groups.compatible);
    append(out["reported"], page->groups.reported);
    append(out["unmet"], page->unmet);
    if (!page->next_cursor) return out;
    options.cursor = *page->next_cursor;
  }
}

TEST(LazyRuns, PagesOfAnySizeAreTheWholeAnswer) {
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomOperation made(seed);
    const Resolver resolver = made.catalog().resolver();
    for (const std::string query : kQueries) {
      const auto whole = groups(resolver, query, kGroupRowsMax);
      EXPECT_EQ(groups(resolver, query, 1), whole) << query;
      EXPECT_EQ(groups(resolver, query, 4), whole) << query;
    }
  }
}

TEST(LazyRuns, EveryRunIsCountedOnceAndWhatItFailsIsCounted) {
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomOperation made(seed);
    const Resolver resolver = made.catalog().resolver();
    const auto measured = [](const Envelope& answer) {
      return answer.totals.exact + answer.totals.compatible + answer.totals.reported;
    };
    const auto plain = resolver.search("op:op", {});
    ASSERT_TRUE(plain);
    EXPECT_EQ(measured(*plain), std::ssize(made.runs()));
    const auto trusted = resolver.search("op:op trust:reproducible", {});
    ASSERT_TRUE(trusted);
    std::int64_t reproducible = 0;
    std::set<std::string> fitting;
    for (const Made& one : made.runs()) {
      if (one.run.raw_evidence) ++reproducible;
      if (one.run.raw_evidence) fitting.insert(one.cohort());
    }
    EXPECT_EQ(measured(*trusted), reproducible);
    if (reproducible > 0) {
      EXPECT_EQ(trusted->fitting_cohorts, std::ssize(fitting));
    }
    fitting.clear();
    for (const Made& one : made.runs()) {
      if (one.language == "cuda") fitting.insert(one.cohort());
    }
    const auto cuda = resolver.search("op:op language:cuda", {});
    ASSERT_TRUE(cuda);
    EXPECT_EQ(cuda->fitting_cohorts, std::ssize(fitting));
    EXPECT_EQ(measured(*cuda), std::ssize(made.runs()));
  }
}

TEST(LazyRuns, HeadsAreTheFirstOfTheirCohorts) {
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomOperation made(seed);
    const Resolver resolver = made.catalog().resolver();
    const auto answer = resolver.operation("op");
    ASSERT_TRUE(answer);
    for (const CohortOption& option : answer->cohort_options) {
      const auto ranked = resolver.operation("op", {.workload = {}, .cohort = option.key});
      ASSERT_TRUE(ranked);
      ASSERT_EQ(option.head.has_value(), !ranked->records.empty());
      if (!option.head) continue;
      EXPECT_EQ(option.head->run_id, ranked->records.front().run_id);
      const auto self = std::ranges::find(made.runs(), option.head->run_id,
                                          [](const Made& one) { return uuid(one.run.id); });
      ASSERT_NE(self, made.runs().end());
      for (const Made& other : made.runs()) {
        if (other.cohort() != self->cohort()) continue;
        EXPECT_LE(self->order(), other.order());
      }
    }
  }
}

TEST(LazyRuns, AnImplementationIsShownByItsBestRun) {
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomOperation made(seed);
    const Resolver resolver = made.catalog().resolver();
    const auto answer = resolver.operation("op");
    ASSERT_TRUE(answer);
    for (const ImplementationItem& item : answer->implementations) {
      std::optional<std::pair<std::string, double>> best;  // metric, value
      bool reproducible = false;
      for (const Made& one : made.runs()) {
        if ("impl-" + one.run.implementation.substr(2) != item.slug) continue;
        reproducible = reproducible || one.run.raw_evidence;
        const std::pair found(one.run.metric, one.run.value);
        if (!best || found < *best) best = found;
      }
      ASSERT_EQ(item.best_primary.has_value(), best.has_value()) << item.slug;
      if (!best) continue;
      EXPECT_EQ(item.best_primary->value, best->second);
      EXPECT_EQ(item.evidence, reproducible ? "reproducible" : "reported");
    }
  }
}

TEST(LazyRuns, NothingKeptChangesNoAnswer) {
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomOperation made(seed);
    const Resolver warm = made.catalog().resolver();
    for (const std::string query : kQueries) {
      const std::string first = json_of(warm.search(query, {}));
      EXPECT_EQ(json_of(made.catalog().resolver().search(query, {})), first) << query;
      EXPECT_EQ(json_of(warm.search(query, {})), first) << query;
    }
  }
}

}  // namespace
}  // namespace ki::query
