// Pages of every list, over catalogs that were really published: together they are the list, and a
// cursor is good for nothing else.

#include <functional>
#include <random>

#include <fmt/format.h>

#include "query/cursor.h"
#include "query/resolver.h"
#include "store/store_test.h"

namespace ki::test {
namespace {

using query::Resolver;

struct Page {
  std::vector<std::string> rows;
  std::optional<std::string> next;
};

// One list of the catalog, a page of it at a time.
struct List {
  std::string name;
  std::function<Result<Page>(const Resolver&, const std::string& cursor, std::int64_t limit)> page;
};

Result<Page> of_runs(const Resolver& resolver, query::RunsFilter filter, const std::string& cursor,
                     std::int64_t limit) {
  filter.cursor = cursor;
  filter.limit = limit;
  const auto runs = TRY(resolver.runs(filter));
  Page page{.rows = {}, .next = runs.next_cursor};
  for (const auto& run : runs.runs) page.rows.push_back(run.id);
  return page;
}

List runs_list(const std::string& name, const query::RunsFilter& filter) {
  return {"runs " + name,
          [filter](const Resolver& resolver, const std::string& cursor, std::int64_t limit) {
            return of_runs(resolver, filter, cursor, limit);
          }};
}

Result<Page> of_records(const Resolver& resolver, const std::string& cursor, std::int64_t limit) {
  const auto records = TRY(resolver.records({.cursor = cursor, .limit = limit}));
  Page page{.rows = {}, .next = records.next_cursor};
  for (const auto& record : records.records) page.rows.push_back(record.cohort_key);
  return page;
}

// A group of an answer; the others are paged beside it, so its last page may be empty.
List group_list(const std::string& query, std::vector<query::Row> query::Groups::* group) {
  return {"search " + query,
          [query, group](const Resolver& resolver, const std::string& cursor,
                         std::int64_t limit) -> Result<Page> {
            const auto answer = TRY(resolver.search(query, {.cursor = cursor, .limit = limit}));
            Page page{.rows = {}, .next = answer.next_cursor};
            for (const auto& row : answer.groups.*group) {
              page.rows.push_back(row.run_id.value_or(row.implementation.slug));
            }
            return page;
          }};
}

Result<Page> of_index(const Resolver& resolver, const std::string& cursor, std::int64_t limit) {
  const auto answer = TRY(resolver.search("", {.cursor = cursor, .limit = limit}));
  Page page{.rows = {}, .next = answer.next_cursor};
  for (const auto& entry : answer.index.value()) page.rows.push_back(entry.slug);
  return page;
}

std::vector<List> all_lists() {
  return {runs_list("", {}),
          runs_list("of an operation", {.operation = "axpy"}),
          runs_list("on a product", {.hardware = "NVIDIA B200"}),
          runs_list("of a source", {.source = "lab"}),
          runs_list("of a status", {.status = "runtime_error"}),
          runs_list("since", {.since = "2026-01-02T00:00:00Z"}),
          runs_list("that wait", {.status = "pending"}),
          {"records", of_records},
          group_list("axpy", &query::Groups::exact),
          group_list("axpy", &query::Groups::compatible),
          group_list("axpy", &query::Groups::reported),
          {"index", of_index}};
}

class Paging : public StoreTest {
 protected:
  // Runs of a few cases under a few protocols, observed at few instants, so that most of them are
  // told apart by their ids alone. Some failed, some wait for their workload.
  void fill(catalog::Catalog& catalog, std::mt19937& random, int runs) {
    publish::Bundle bundle = bundle_of({});
    const Digest of = bundle.operations.front().manifest.digest();
    std::vector<Digest> cases = {bundle.workloads.front().manifest.digest()};
    for (const int n : {2048, 4096}) {
      auto more = workload(of, n);
      cases.push_back(more.digest());
      bundle.workloads.push_back({.manifest = std::move(more)});
    }
    cases.push_back(workload(of, 8192).digest());  // not published
    for (int i = 0; i < runs; ++i) {
      auto by = implementation(of, fmt::format("kernel-{}", i));
      bundle.runs.push_back(
          run({.implementation = by.digest(),
               .workload = cases[random() % cases.size()],
               .latency_ns = static_cast<std::int64_t>(1000 + random() % 50),
               .observed_at = fmt::format("2026-01-0{}T00:00:00.000Z", 1 + random() % 3),
               .status = random() % 5 == 0 ? "runtime_error" : "passed",
               .harness = fmt::format("harness-{}", random() % 3)}));
      bundle.implementations.push_back({.manifest = std::move(by),
                                        .slug = fmt::format("kernel-{}", i),
                                        .project_slug = "kernels"});
    }
    publish_ok(catalog, bundle);
  }
  Resolver resolver() {
    auto opened = Resolver::open(path(), clock_);
    EXPECT_TRUE(opened) << to_string(opened.error());
    return std::move(*opened);
  }
  static std::string code_of(const Result<Page>& page) {
    return page ? "a page" : page.error().where;
  }
};

TEST_F(Paging, ThePagesOfAListAreTheList) {
  std::random_device device;
  const auto seed = device();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  auto catalog = open();
  fill(catalog, random, 60);
  const Resolver resolver = this->resolver();
  for (const List& list : all_lists()) {
    const auto whole = list.page(resolver, "", query::kPageRowsMax);
    ASSERT_TRUE(whole) << list.name << ": " << to_string(whole.error());
    EXPECT_EQ(whole->next, std::nullopt) << list.name;
    EXPECT_FALSE(whole->rows.empty()) << list.name;
    for (const std::int64_t limit : {1, 2, 3, 7, 59, 60}) {
      // Where pages are small, of two sizes in turn.
      const auto size_of = [&](int page) { return limit < 10 ? limit + page % 2 : limit; };
      std::vector<std::string> rows;
      std::string cursor;
      for (int pages = 0; pages < 100; ++pages) {
        const auto page = list.page(resolver, cursor, size_of(pages));
        ASSERT_TRUE(page) << list.name << ": " << to_string(page.error());
        EXPECT_LE(std::ssize(page->rows), size_of(pages)) << list.name;
        rows.insert(rows.end(), page->rows.begin(), page->rows.end());
        cursor = page->next.value_or("");
        if (cursor.empty()) break;
        EXPECT_LE(cursor.size(), query::kCursorBytesMax);
      }
      EXPECT_EQ(cursor, "") << list.name << " does not end";
      EXPECT_EQ(rows, whole->rows) << list.name << " by " << limit;
    }
  }
}

TEST_F(Paging, ACursorIsGoodForItsOwnListOnly) {
  std::mt19937 random(1);
  auto catalog = open();
  fill(catalog, random, 60);
  const Resolver resolver = this->resolver();
  const std::vector<List> lists = all_lists();
  for (const List& from : lists) {
    const auto first = from.page(resolver, "", 1);
    ASSERT_TRUE(first) << from.name;
    if (!first->next) continue;
    for (const List& to : lists) {
      const std::string expected = from.name == to.name ? "a page" : "INVALID_CURSOR";
      EXPECT_EQ(code_of(to.page(resolver, *first->next, 1)), expected)
          << "of " << from.name << " to " << to.name;
    }
  }
}

TEST_F(Paging, ACursorEndsWithTheStateOfTheCatalogItIsOf) {
  std::mt19937 random(1);
  auto catalog = open();
  fill(catalog, random, 60);
  const Resolver resolver = this->resolver();
  std::vector<std::pair<List, std::string>> held;
  for (const List& list : all_lists()) {
    const auto first = list.page(resolver, "", 1);
    ASSERT_TRUE(first) << list.name;
    if (first->next) held.emplace_back(list, *first->next);
  }
  EXPECT_GT(held.size(), 8U);
  random.seed(1);
  fill(catalog, random, 60);  // the same once more: nothing changes
  for (const auto& [list, cursor] : held) {
    EXPECT_EQ(code_of(list.page(resolver, cursor, 1)), "a page") << list.name;
  }
  publish_ok(catalog, bundle_of({{.name = "late"}}));
  for (const auto& [list, cursor] : held) {
    const auto page = list.page(resolver, cursor, 1);
    EXPECT_EQ(code_of(page), "INVALID_CURSOR") << list.name;
    EXPECT_NE(page.error().message.find("has changed"), std::string::npos) << list.name;
    EXPECT_TRUE(list.page(resolver, "", 1)) << list.name;
  }
}

}  // namespace
}  // namespace ki::test
