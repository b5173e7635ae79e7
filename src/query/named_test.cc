// What a query names besides one operation: projects, implementations, hardware, models, sources;
// and the pages of a chooser.
#include "query/named.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query/resolver.h"
#include "query/testing_rows.h"

namespace ki::query {
namespace {

using ::testing::Contains;
using testing::digest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using testing::TestCatalog;
using testing::uuid;

using Texts = std::vector<std::string>;

class NamedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    catalog.operation("0001", "turn", "rotary");
    catalog.put(catalog::OperationTagRow{
        .operation_id = uuid("0001"), .tag = "model:deepseek-v3", .ordinal = 0});
    catalog.workload("0101", 16);
    catalog.implementation("0201", "swift-turn", true);
    catalog.run({.id = "0301", .implementation = "0201", .workload = "0101"});
    catalog.touch("8001");
  }
  Envelope ask(const std::string& query, const SearchOptions& options = {}) {
    auto found = catalog.resolver().search(query, options);
    EXPECT_TRUE(found) << to_string(found.error());
    return found ? std::move(*found) : Envelope{};
  }
  Texts named(const std::string& query) {
    Texts out;
    const Envelope found = ask(query);
    for (const NamedThing& one : found.named) out.push_back(one.kind + " " + one.slug);
    return out;
  }
  TestCatalog catalog;
};

TEST_F(NamedTest, WhereNoOperationIsFoundAPartOfANameIsEnough) {
  EXPECT_EQ(ask("project").mode, Mode::none);
  EXPECT_THAT(named("project"), ElementsAre("project project"));
  EXPECT_THAT(named("PROJ"), ElementsAre("project project"));
  EXPECT_THAT(named("board"), ElementsAre("source board"));
  EXPECT_THAT(named("the board kernels"), ElementsAre("source board"));
  const Envelope swift = ask("swift");
  ASSERT_EQ(swift.named.size(), 1U);
  EXPECT_EQ(swift.named[0].kind, "implementation");
  EXPECT_EQ(swift.named[0].slug, "swift-turn");
  ASSERT_TRUE(swift.named[0].operation);
  EXPECT_EQ(swift.named[0].operation->slug, "turn");
  EXPECT_THAT(named("project board"), ElementsAre("project project", "source board"));
  EXPECT_THAT(named("zzz-none"), IsEmpty());
  EXPECT_THAT(named("%"), IsEmpty());
  EXPECT_THAT(named("proj_ct"), IsEmpty()) << "no pattern";
}

TEST_F(NamedTest, ElsewhereTheWholeNameIs) {
  const Envelope model = ask("deepseek-v3");
  EXPECT_EQ(model.mode, Mode::chooser);
  ASSERT_EQ(model.named.size(), 1U);
  EXPECT_EQ(model.named[0].kind, "model");
  EXPECT_EQ(model.named[0].query, "model:deepseek-v3");
  EXPECT_THAT(named("deepseek"), ElementsAre("model deepseek-v3")) << "the first words";
  EXPECT_THAT(named("turn"), IsEmpty());
  // A word that the operation found leaves over.
  const Envelope both = ask("turn vs project");
  EXPECT_EQ(both.operation->slug, "turn");
  EXPECT_THAT(named("turn vs project"), ElementsAre("project project"));
  catalog.put(catalog::ProjectRow{.id = uuid("9003"),
                                  .slug = "user-77",
                                  .name = "TTT Lab",
                                  .normalized_name = "ttt lab",
                                  .kind = "library",
                                  .canonical_url = {},
                                  .license_expression = {},
                                  .manifest_digest = digest("9003"),
                                  .manifest = "{}",
                                  .created_at = TestCatalog::kTime});
  EXPECT_THAT(named("turn vs TTT Lab"), ElementsAre("project user-77"));
  EXPECT_THAT(named("ttt"), ElementsAre("project user-77"));
}

TEST_F(NamedTest, HardwareIsOfferedWithItsQuery) {
  const Envelope found = ask("h100");
  EXPECT_EQ(found.mode, Mode::none);
  ASSERT_EQ(found.named.size(), 1U);
  EXPECT_EQ(found.named[0].kind, "hardware");
  EXPECT_EQ(found.named[0].slug, "nvidia-h100");
  EXPECT_EQ(found.named[0].query, "gpu:\"NVIDIA H100\"");
  EXPECT_EQ(ask(*found.named[0].query).measured.size(), found.measured.size());
  EXPECT_THAT(named("gpu:B200"), IsEmpty()) << "nothing was measured on it";
}

TEST_F(NamedTest, HardwareIsFoundByTheStartOfAWordOfItsName) {
  EXPECT_THAT(named("h10"), ElementsAre("hardware nvidia-h100"));
  EXPECT_THAT(named("NVI"), ElementsAre("hardware nvidia-h100"));
  EXPECT_THAT(named("h1"), IsEmpty()) << "too short to mean something";
  EXPECT_THAT(named("100"), IsEmpty()) << "the end of a word";
  EXPECT_EQ(ask("turn h10").mode, Mode::exact);
  EXPECT_THAT(named("turn h10"), ElementsAre("hardware nvidia-h100")) << "what is left over";
  EXPECT_EQ(ask(*ask("h10").named.at(0).query).measured.size(), 1U);
}

TEST_F(NamedTest, WhatIsReadAsAConditionMayHaveAPage) {
  catalog.put(catalog::ProjectRow{.id = uuid("9003"),
                                  .slug = "pytorch",
                                  .name = "PyTorch",
                                  .normalized_name = "pytorch",
                                  .kind = "library",
                                  .canonical_url = {},
                                  .license_expression = {},
                                  .manifest_digest = digest("9003"),
                                  .manifest = "{}",
                                  .created_at = TestCatalog::kTime});
  catalog.touch("8002");
  EXPECT_EQ(ask("pytorch").mode, Mode::none);
  EXPECT_THAT(named("pytorch"), Contains("project pytorch"));
  EXPECT_THAT(named("turn pytorch"), IsEmpty()) << "a condition on what was found";
}

TEST_F(NamedTest, WhatASourceCallsItsMachineIsNotOfferedAsAProduct) {
  catalog.run({.id = "0351",
               .implementation = "0201",
               .workload = "0101",
               .form_factor = "runner:H100",
               .value = 9});
  catalog.touch("8002");
  const Resolver resolver = catalog.resolver();
  const auto nowhere = resolver.runs({.hardware = "nope"});
  ASSERT_TRUE(nowhere && nowhere->not_applied.size() == 1);
  EXPECT_TRUE(nowhere->not_applied[0].text.contains("there is NVIDIA H100"));
  EXPECT_FALSE(nowhere->not_applied[0].text.contains("runner"));
  EXPECT_TRUE(resolver.runs({.hardware = "NVIDIA H100 runner:H100"})->not_applied.empty());
}

TEST_F(NamedTest, ManyOfAKindAreCutInSight) {
  for (int i = 0; i < 10; ++i) {
    catalog.implementation("021" + std::to_string(i), "quick-" + std::to_string(i), true);
  }
  catalog.implementation("0220", "quick", true);
  const Envelope found = ask("quick");
  ASSERT_EQ(found.named.size(), kNamedMax);
  EXPECT_EQ(found.named[0].slug, "quick") << "what is called so comes first";
  EXPECT_THAT(found.notes, Contains(HasSubstr("implementations: 8 of those")));
}

// 25 operations of a family, every third of them with a run on B200.
class ChooserPages : public NamedTest {
 protected:
  void SetUp() override {
    NamedTest::SetUp();
    for (int i = 0; i < 25; ++i) {
      const std::string number = std::to_string(10 + i);
      catalog.operation("10" + number, "norm-" + number, "norm");
      catalog.workload("11" + number, 16);
      catalog.implementation("12" + number, "by-" + number, true);
      catalog.run({.id = "13" + number,
                   .implementation = "12" + number,
                   .workload = "11" + number,
                   .hardware = i % 3 == 0 ? "NVIDIA B200" : "NVIDIA H100",
                   .architecture = i % 3 == 0 ? "sm_100" : "sm_90"});
    }
    catalog.touch("8002");
  }
  Texts pages_of(const std::string& query, std::int64_t limit) {
    Texts out;
    std::string cursor;
    do {
      const Envelope page = ask(query, {.cursor = cursor, .limit = limit});
      EXPECT_EQ(page.mode, Mode::chooser);
      EXPECT_EQ(page.entries_total, 25);
      EXPECT_LE(std::ssize(*page.matches), limit);
      for (const IndexEntry& entry : *page.matches) out.push_back(entry.slug);
      cursor = page.next_cursor.value_or("");
    } while (!cursor.empty() && out.size() < 100);
    return out;
  }
};

TEST_F(ChooserPages, AreTheWholeList) {
  for (const std::string query : {"family:norm", "norm", "family:norm B200"}) {
    const Texts whole = pages_of(query, 200);
    EXPECT_EQ(whole.size(), 25U) << query;
    EXPECT_EQ(std::set<std::string>(whole.begin(), whole.end()).size(), 25U);
    for (const std::int64_t limit : {1, 7, 20, 25}) EXPECT_EQ(pages_of(query, limit), whole);
  }
  EXPECT_EQ(ask("family:norm").matches->size(), 20U) << "unless something else is said";
}

TEST_F(ChooserPages, WhatHasSuchRunsComesFirstOverAllPages) {
  const Texts whole = pages_of("norm B200", 4);
  ASSERT_EQ(whole.size(), 25U);
  const Texts first(whole.begin(), whole.begin() + 9);
  EXPECT_THAT(first, ElementsAre("norm-10", "norm-13", "norm-16", "norm-19", "norm-22", "norm-25",
                                 "norm-28", "norm-31", "norm-34"));
  const Envelope page = ask("norm B200", {.limit = 200});
  for (std::size_t i = 0; i < page.matches->size(); ++i) {
    EXPECT_EQ((*page.matches)[i].match->matching, i < 9 ? 1 : 0);
  }
}

}  // namespace
}  // namespace ki::query
