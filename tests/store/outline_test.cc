// What resolvers keep of operations changes nothing but the time an answer takes: it is asked again
// whenever an operation changed, and only then.
#include <atomic>
#include <thread>

#include "import/registry.h"
#include "json/wire.h"
#include "json/write.h"
#include "publish/corrections.h"
#include "query/resolver.h"
#include "query/shared.h"
#include "store/store_test.h"

namespace ki::test {
namespace {

using query::Resolver;
using query::SearchOptions;

const publish::Justification kWhy{.actor = "curator", .reason = "the timer was read too early"};

template <class T>
std::string json_of(const Result<T>& value) {
  if (!value) return to_string(value.error());
  std::string text;
  json::Writer out(text);
  json::write(out, *value);
  return text;
}

class Outline : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    catalog_.emplace(open());
    auto registry = importer::prepare_registry();
    ASSERT_TRUE(registry) << to_string(registry.error());
    publish_ok(*catalog_, registry->bundle);
    tick();
    publish_ok(*catalog_, bundle_of({{"a", 1000, "2026-01-01T00:00:00Z"},
                                     {"b", 900, "2026-01-02T00:00:00Z"},
                                     {"c", 950, "2026-01-03T00:00:00Z"}}));
  }
  void TearDown() override {
    catalog_.reset();
    StoreTest::TearDown();
  }

  void tick() { clock_.set(clock_.now() + std::chrono::seconds(1)); }

  Resolver resolver(std::shared_ptr<query::Shared> shared = query::make_shared_index()) {
    auto opened = Resolver::open(path(), asked_at_, std::move(shared));
    EXPECT_TRUE(opened) << to_string(opened.error());
    return std::move(*opened);
  }

  static std::vector<std::string> slugs(const Resolver& resolver) {
    std::vector<std::string> out;
    const auto index = resolver.index();
    EXPECT_TRUE(index);
    for (const auto& entry : *index) out.push_back(entry.slug);
    return out;
  }

  // Every kind of answer about every operation, as text.
  static std::string answers(const Resolver& resolver) {
    std::string out;
    for (const std::string& slug : slugs(resolver)) {
      for (const std::string_view facets :
           {"", " B200", " hidden=123", " language:triton", " trust:reproducible license:mit"}) {
        out += json_of(resolver.search("op:" + slug + std::string(facets))) + "\n";
      }
      const auto dossier = resolver.operation(slug);
      out += json_of(dossier) + "\n";
      if (!dossier) continue;
      for (const auto& one : dossier->implementations) {
        out += json_of(resolver.implementation(one.slug)) + "\n";
      }
      for (const auto& row : dossier->records) out += json_of(resolver.run(*row.run_id)) + "\n";
    }
    return out + json_of(resolver.records()) + json_of(resolver.runs());
  }

  // The operation as it is kept for this state of the catalog; nullptr when it is not.
  static query::Shared::Snapshot kept(query::Shared& shared, const Resolver& resolver,
                                      std::string_view slug) {
    const auto version = resolver.version();
    EXPECT_TRUE(version);
    const auto index = shared.index(*version);
    if (!index) return nullptr;
    const auto at = index->by_slug(slug);
    return at ? shared.find(index, index->entries()[*at].id) : nullptr;
  }

  std::optional<catalog::Catalog> catalog_;
  FixedClock asked_at_{*parse_instant("2026-08-01T00:00:00Z")};
};

TEST_F(Outline, AfterEveryKindOfChangeAnswersAreThoseOfAnewcomer) {
  const Resolver old_hand = resolver();
  const auto expect_same = [&](std::string_view change) {
    tick();
    const std::string before = answers(old_hand);
    EXPECT_EQ(before, answers(resolver())) << "after " << change;
    EXPECT_EQ(before, answers(old_hand)) << "asked again after " << change;
    return before;
  };
  std::string last = expect_same("nothing");
  const auto expect_changed = [&](std::string_view change) {
    std::string now = expect_same(change);
    EXPECT_NE(now, last) << change << " should change an answer";
    last = std::move(now);
  };
  const std::string leader = run_of(*catalog_, "b");
  ASSERT_TRUE(publish::retract(*catalog_, leader, kWhy, clock_));
  expect_changed("a retraction");
  ASSERT_TRUE(publish::restore(*catalog_, leader, kWhy, clock_));
  expect_changed("a restoration");
  publish_ok(*catalog_, bundle_of({{"d", 800, "2026-01-04T00:00:00Z"}}));
  expect_changed("a new run of a new implementation");
  publish_ok(*catalog_, bundle_of({{"d", 700, "2026-01-05T00:00:00Z"}}));
  expect_changed("a new run of one that is known");
  publish::Bundle policy = bundle_of({});
  policy.source.policy_json = R"({"license":"MIT","url":"https://example.org/other"})";
  publish_ok(*catalog_, policy);
  expect_changed("a new policy of a source");
  publish::Bundle only_operation = bundle_of({});
  only_operation.workloads.push_back({.manifest = workload(operation().digest(), 77)});
  publish_ok(*catalog_, only_operation);
  expect_changed("a workload that nobody measured");
  publish::Bundle waiting = bundle_of({{"e", 600, "2026-01-06T00:00:00Z"}});
  auto implementations = std::move(waiting.implementations);
  waiting.implementations.clear();
  publish_ok(*catalog_, waiting);
  expect_changed("evidence that waits");
  publish::Bundle arrived = bundle_of({});
  arrived.implementations = std::move(implementations);
  publish_ok(*catalog_, arrived);
  expect_changed("the arrival of what it waited for");
}

TEST_F(Outline, APublicationElsewhereKeepsAnOperation) {
  const auto shared = query::make_shared_index();
  const Resolver one = resolver(shared);
  const std::vector<std::string> all = slugs(one);
  for (const std::string& slug : all) ASSERT_TRUE(one.search("op:" + slug));
  std::map<std::string, query::Shared::Snapshot> before;
  for (const std::string& slug : all) before[slug] = kept(*shared, one, slug);
  tick();
  publish_ok(*catalog_, bundle_of({{"d", 800, "2026-01-04T00:00:00Z"}}));
  std::size_t changed = 0;
  for (const std::string& slug : all) {
    ASSERT_TRUE(one.search("op:" + slug));
    const auto now = kept(*shared, one, slug);
    ASSERT_NE(now, nullptr);
    changed += now == before[slug] ? 0U : 1U;
  }
  EXPECT_GT(all.size(), 1U);
  EXPECT_EQ(changed, 1U) << "only the operation of the new run is read again";
}

TEST_F(Outline, AnotherCatalogInItsPlaceKeepsNothing) {
  const auto shared = query::make_shared_index();
  const Resolver one = resolver(shared);
  answers(one);
  catalog_.reset();
  std::filesystem::remove(path());
  for (const char* ending : {"-wal", "-shm"}) std::filesystem::remove(path() + ending);
  tick();
  catalog_.emplace(open());
  publish_ok(*catalog_, bundle_of({{"a", 1000, "2026-01-01T00:00:00Z"},
                                   {"b", 901, "2026-01-02T00:00:00Z"},
                                   {"c", 950, "2026-01-03T00:00:00Z"}}));
  EXPECT_EQ(answers(one), answers(resolver()));
}

TEST_F(Outline, TheCacheIsBoundedByBytesAndChangesNoAnswer) {
  const auto roomy = query::make_shared_index();
  const auto tight = query::make_shared_index(1);
  const Resolver with_room = resolver(roomy);
  const Resolver without = resolver(tight);
  EXPECT_EQ(answers(with_room), answers(without));
  std::size_t held = 0;
  for (const std::string& slug : slugs(without)) held += kept(*tight, without, slug) ? 1U : 0U;
  EXPECT_EQ(held, 1U) << "the operation used last";
  EXPECT_LT(tight->bytes(), roomy->bytes());
}

// The groups of an answer of at most `limit` rows each, page by page.
std::vector<std::string> paged(const Resolver& resolver, const std::string& query,
                               std::int64_t limit) {
  std::vector<std::string> out;
  SearchOptions options;
  options.limit = limit;
  for (;;) {
    const auto answer = resolver.search(query, options);
    EXPECT_TRUE(answer) << to_string(answer.error());
    if (!answer) return out;
    const auto add = [&](std::string_view group, const auto& rows) {
      for (const auto& row : rows) {
        std::string text(group);
        json::Writer writer(text);
        json::write(writer, row);
        out.push_back(std::move(text));
      }
    };
    add("exact ", answer->groups.exact);
    add("compatible ", answer->groups.compatible);
    add("unmeasured ", answer->groups.supported_unmeasured);
    add("reported ", answer->groups.reported);
    add("unmet ", answer->unmet);
    if (!answer->next_cursor) break;
    options.cursor = *answer->next_cursor;
  }
  std::ranges::stable_sort(out, {},
                           [](const std::string& row) { return row.substr(0, row.find(' ')); });
  return out;
}

TEST_F(Outline, ThePagesOfAnAnswerAreTheWholeOfIt) {
  const Resolver one = resolver();
  for (const std::string& slug : slugs(one)) {
    for (const std::string_view facets : {"", " B200", " trust:reproducible", " language:triton"}) {
      const std::string query = "op:" + slug + std::string(facets);
      const auto whole = paged(one, query, query::kGroupRowsMax);
      EXPECT_EQ(paged(one, query, 1), whole) << query;
      EXPECT_EQ(paged(one, query, 3), whole) << query;
    }
  }
}

TEST_F(Outline, ReadersOfOneCacheSeePublicationsWhole) {
  const auto shared = query::make_shared_index(std::size_t{64} << 10);
  std::atomic<bool> done = false;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&, one = std::make_shared<Resolver>(resolver(shared))] {
      std::int64_t seen = 0;
      const auto all = slugs(*one);
      while (!done) {
        for (const std::string& slug : all) {
          const auto answer = one->search("op:" + slug);
          ASSERT_TRUE(answer) << to_string(answer.error());
          if (!answer->operation || answer->operation->slug != "axpy") continue;
          EXPECT_GE(answer->totals.exact, seen) << "a run that was seen is gone";
          EXPECT_EQ(answer->totals.exact, std::ssize(answer->groups.exact));
          seen = answer->totals.exact;
        }
      }
    });
  }
  for (int i = 0; i < 12; ++i) {
    tick();
    publish_ok(*catalog_, bundle_of({{"p" + std::to_string(i), 2000 + i, "2026-02-01T00:00:00Z"}}));
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(answers(resolver(shared)), answers(resolver()));
}

}  // namespace
}  // namespace ki::test
