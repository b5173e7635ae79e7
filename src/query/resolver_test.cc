// The resolver on a small catalog: what is chosen, what is ranked, and why.
#include "query/resolver.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query/testing_rows.h"

namespace ki::query {
namespace {

using testing::digest;
using testing::TestCatalog;
using testing::uuid;

// One operation "trimul" with a case of 64 measured on H100 (three runs) and A100 (two, one with
// raw evidence), and a case of 256 on H100 (one run); "slow-only" was never measured.
class ResolverTest : public ::testing::Test {
 protected:
  void SetUp() override {
    catalog.operation("0001", "trimul", "trimul");
    catalog.workload("0101", 64);
    catalog.workload("0102", 256);
    catalog.implementation("0201", "quick", false);
    catalog.implementation("0202", "usable", true);
    catalog.implementation("0203", "other", true, "cuda");
    catalog.implementation("0204", "slow-only", true);
    catalog.run(
        {.id = "0301", .implementation = "0201", .workload = "0101", .value = 100, .spread = 1});
    catalog.run(
        {.id = "0302", .implementation = "0202", .workload = "0101", .value = 120, .spread = 1});
    catalog.run(
        {.id = "0303", .implementation = "0203", .workload = "0101", .value = 150, .spread = 1});
    catalog.run({.id = "0304",
                 .implementation = "0202",
                 .workload = "0101",
                 .hardware = "NVIDIA A100",
                 .architecture = "sm_80",
                 .value = 200,
                 .raw_evidence = true});
    catalog.run({.id = "0305",
                 .implementation = "0203",
                 .workload = "0101",
                 .hardware = "NVIDIA A100",
                 .architecture = "sm_80",
                 .value = 220});
    catalog.run({.id = "0306", .implementation = "0202", .workload = "0102", .value = 400});
    catalog.run({.id = "0307",
                 .implementation = "0201",
                 .workload = "0102",
                 .value = 1,
                 .status = "runtime_error"});
    catalog.operation("0002", "softmax-h1", "softmax");
    catalog.touch("8001");
  }

  Envelope ask(std::string_view query, const SearchOptions& options = {}) {
    const Resolver resolver = catalog.resolver();
    auto answer = resolver.search(query, options);
    EXPECT_TRUE(answer) << to_string(answer.error());
    return answer ? *answer : Envelope{};
  }

  static std::vector<std::string> names(const std::vector<Row>& rows) {
    std::vector<std::string> out;
    for (const Row& row : rows) out.push_back(row.implementation.slug);
    return out;
  }

  using Names = std::vector<std::string>;
  TestCatalog catalog;
};

TEST_F(ResolverTest, TheLargestGroupAnswersAPlainQuestion) {
  const Envelope out = ask("trimul");
  EXPECT_EQ(out.mode, Mode::exact);
  EXPECT_EQ(names(out.groups.exact), (Names{"quick", "usable", "other"}));
  EXPECT_EQ(out.groups.exact[1].rank, 2);
  EXPECT_EQ(out.groups.exact[1].cohort_size, 3);
  EXPECT_DOUBLE_EQ(*out.groups.exact[1].relative, 1.2);
  EXPECT_FALSE(out.groups.exact[1].rank_reasons.empty());
  EXPECT_EQ(names(out.groups.reported), (Names{"usable", "other"})) << "the A100 runs";
  EXPECT_EQ(names(out.groups.compatible), Names{"usable"}) << "the other case";
  EXPECT_EQ(out.groups.compatible[0].mismatches.at(0).field, "axes.n");
  EXPECT_EQ(names(out.groups.supported_unmeasured), Names{"slow-only"});
  EXPECT_EQ(out.policy_version, "ranking-v2");
  ASSERT_TRUE(out.verdict);
  EXPECT_EQ(out.verdict->code, "winner");
}

TEST_F(ResolverTest, AnAxisOfTheOperationIsNoUnknownFilter) {
  const Envelope out = ask("trimul n:many colour:red");
  ASSERT_EQ(out.issues.size(), 2U);
  EXPECT_EQ(out.issues[0].code, "unknown_value");
  EXPECT_THAT(out.issues[0].message, ::testing::HasSubstr("the axis 'n' takes a whole number"));
  EXPECT_THAT(out.issues[0].message, ::testing::HasSubstr("n=2048"));
  EXPECT_EQ(out.issues[1].code, "unknown_filter");
}

TEST_F(ResolverTest, FastestAndFastestDeployableStandSideBySide) {
  const Envelope out = ask("trimul");
  ASSERT_TRUE(out.fastest && out.best_deployable);
  EXPECT_EQ(out.fastest->implementation.slug, "quick");
  EXPECT_EQ(out.best_deployable->implementation.slug, "usable");
  ASSERT_EQ(out.fastest_blocked_by.size(), 3U);
  EXPECT_EQ(out.fastest_blocked_by[0].code, "NO_PUBLIC_SOURCE");
}

TEST_F(ResolverTest, HardwareSteersTheChoice) {
  const Envelope out = ask("trimul A100");
  EXPECT_EQ(names(out.groups.exact), (Names{"usable", "other"}));
  EXPECT_EQ(out.cohort->runs, 2);
  EXPECT_EQ(out.facets.at(0).state, "applied");
  EXPECT_EQ(out.groups.reported.at(0).mismatches.at(0).field, "hardware.gpu");
  EXPECT_EQ(out.groups.reported.at(0).match, "compatible");
}

TEST_F(ResolverTest, AnAmbiguousProductListsItsVariants) {
  const Envelope out = ask("trimul h100");
  EXPECT_EQ(names(out.groups.exact), (Names{"quick", "usable", "other"}));
  ASSERT_GE(out.variants.size(), 4U);
  EXPECT_EQ(out.variants[0].label, "NVIDIA H100");
  EXPECT_EQ(out.variants[0].runs, 4);
  EXPECT_EQ(out.variants[1].runs, 0);
  EXPECT_EQ(out.variants[0].query, "trimul gpu:\"NVIDIA H100\"");
}

TEST_F(ResolverTest, AnAxisPicksItsCase) {
  const Envelope out = ask("trimul n=256");
  EXPECT_EQ(out.workload->id, uuid("0102"));
  EXPECT_EQ(names(out.groups.exact), Names{"usable"});
  EXPECT_EQ(ask("trimul [256, 128]").workload->id, uuid("0102"));
  EXPECT_FALSE(out.nearest);
}

TEST_F(ResolverTest, AnUnmeasuredCaseNamesItsNeighbours) {
  const Envelope out = ask("trimul n=128");
  EXPECT_TRUE(out.groups.exact.empty());
  ASSERT_TRUE(out.nearest && out.nearest->below && out.nearest->above);
  EXPECT_EQ(out.nearest->axis, "n");
  EXPECT_EQ(out.nearest->below->value, 64);
  EXPECT_EQ(out.nearest->above->value, 256);
  EXPECT_EQ(out.nearest->above->query, "trimul n=256");
  ASSERT_EQ(out.nearest->cases.size(), 2U);
  EXPECT_DOUBLE_EQ(out.nearest->cases[0].distance, 1);
  EXPECT_EQ(ask("trimul [128, 128]").nearest->above->query, "trimul n=256");
  EXPECT_EQ(ask("trimul n=128 A100").nearest->above, std::nullopt) << "256 ran on H100 only";
}

TEST_F(ResolverTest, AFacetOfTheImplementationNarrowsTheRowsNotTheRanks) {
  const Envelope out = ask("trimul language:cuda");
  EXPECT_EQ(names(out.groups.exact), Names{"other"});
  const auto rank = out.groups.exact[0].rank;
  EXPECT_TRUE(rank == 2 || rank == 3);
  EXPECT_EQ(out.groups.compatible.at(0).mismatches.at(0).field, "language");
}

TEST_F(ResolverTest, PolicyFacetsFilterAndSaySo) {
  const Envelope out = ask("trimul source:true n=64 H100");
  EXPECT_EQ(names(out.groups.exact), (Names{"usable", "other"}));
  EXPECT_EQ(out.groups.exact[0].rank, 2) << "rank 1 is hidden, not renumbered";
  EXPECT_EQ(out.fastest->implementation.slug, "quick");
  const auto source = std::ranges::find(out.facets, "source", &FacetUse::name);
  ASSERT_NE(source, out.facets.end());
  EXPECT_EQ(source->state, "applied");
}

TEST_F(ResolverTest, BestEvidenceComesBeforeTheLargestGroup) {
  const Envelope out = ask("trimul bf16");
  EXPECT_EQ(out.cohort->runs, 2) << "the A100 group holds a reproducible run";
  EXPECT_EQ(out.groups.exact.at(0).evidence, "reproducible");
}

TEST_F(ResolverTest, ACohortCanBeNamed) {
  const Envelope out = ask("trimul", {.cohort = digest("01012")});
  EXPECT_EQ(out.cohort->comparison_key, digest("01012"));
  EXPECT_EQ(out.cohort_options.size(), 2U);
}

TEST_F(ResolverTest, PagesOfAGroupKeepTheTotals) {
  const Envelope out = ask("trimul", {.offset = 2});
  EXPECT_EQ(names(out.groups.exact), Names{"other"});
  EXPECT_EQ(out.totals.exact, 3);
  EXPECT_EQ(out.overflow.exact, 2);
}

TEST_F(ResolverTest, DigestsAreNames) {
  EXPECT_EQ(ask(digest("0001")).operation->slug, "trimul");
  EXPECT_EQ(ask(digest("0102")).workload->id, uuid("0102"));
  EXPECT_EQ(ask(digest("ffff")).mode, Mode::none);
}

TEST_F(ResolverTest, AStructuredRequestGivesTheSameAnswer) {
  KernelRequest request;
  request.operation =
      RequestOperation{.name = "trimul", .axes = std::map<std::string, double>{{"n", 64}}};
  request.environment = RequestEnvironment{.hardware_product = "NVIDIA A100"};
  const auto out = catalog.resolver().resolve(request);
  ASSERT_TRUE(out);
  EXPECT_EQ(names(out->groups.exact), (Names{"usable", "other"}));
  EXPECT_EQ(out->query, "op:trimul n:64 gpu:\"NVIDIA A100\"");
}

TEST_F(ResolverTest, ModesWithoutAnOperation) {
  EXPECT_EQ(ask("").mode, Mode::browse);
  EXPECT_EQ(ask("").index->size(), 2U);
  const Envelope filters = ask("bf16");
  EXPECT_EQ(filters.mode, Mode::none);
  EXPECT_NE(filters.notes.at(0).find("Filters alone"), std::string::npos);
  EXPECT_EQ(ask("zzzz").mode, Mode::none);
  EXPECT_FALSE(ask("zzzz").suggestions.empty());
}

TEST_F(ResolverTest, ImpossibleQueriesAreErrors) {
  const Resolver resolver = catalog.resolver();
  EXPECT_EQ(resolver.search(std::string(kQueryLengthMax + 1, 'a')).error().code, Code::invalid);
  EXPECT_TRUE(resolver.search(std::string(kQueryLengthMax, 'a')));
  EXPECT_EQ(resolver.search("\xFF").error().code, Code::invalid);
}

// An importer may measure one operation's implementation on a workload of another.
TEST_F(ResolverTest, ARunMayUseAnImplementationOfAnotherOperation) {
  catalog.operation("0003", "gemm-a", "gemm");
  catalog.workload("0103", 32);
  catalog.run({.id = "0309", .implementation = "0202", .workload = "0103", .value = 10});
  catalog.touch("8003");
  const Envelope out = ask("gemm-a");
  EXPECT_EQ(names(out.groups.exact), Names{"usable"});
  EXPECT_TRUE(out.groups.supported_unmeasured.empty());
  EXPECT_EQ(catalog.resolver().run(uuid("0309"))->implementation.slug, "usable");
  EXPECT_EQ(catalog.resolver().implementation("usable")->best_results.size(), 4U);
}

TEST_F(ResolverTest, ANewPublicationIsSeen) {
  const Resolver resolver = catalog.resolver();
  EXPECT_EQ(resolver.search("trimul")->groups.exact.size(), 3U);
  catalog.operation("0001", "trimul", "trimul");
  catalog.run({.id = "0308", .implementation = "0204", .workload = "0101", .value = 90});
  catalog.touch("8002");
  EXPECT_EQ(resolver.search("trimul")->groups.exact.size(), 4U);
}

TEST_F(ResolverTest, ARunKnowsItsPlace) {
  const Resolver resolver = catalog.resolver();
  const auto run = resolver.run(uuid("0302"));
  ASSERT_TRUE(run) << to_string(run.error());
  EXPECT_EQ(run->cohort.rank, 2);
  EXPECT_EQ(run->cohort.size, 3);
  EXPECT_EQ(run->cohort.head_run_id, uuid("0301"));
  EXPECT_EQ(run->implementation.revision, "abcdef0");
  EXPECT_EQ(run->workload.axis_list.at(0).value, "64");
  EXPECT_EQ(run->workload.tensors.at(0).value, "bf16 [64, 128]");
  EXPECT_EQ(run->protocol.at(0).value, "bench 2");
  EXPECT_EQ(run->environment.at(0).value, "NVIDIA H100 (sm_90)");
  EXPECT_EQ(run->provenance.source.license, "MIT");
  EXPECT_EQ(run->measurements.size(), 1U);
  EXPECT_FALSE(run->pending);
  EXPECT_EQ(resolver.run(digest("0302"))->run.id, uuid("0302"));
}

TEST_F(ResolverTest, AFailedRunIsShownWithItsReason) {
  const auto run = catalog.resolver().run(uuid("0307"));
  ASSERT_TRUE(run);
  EXPECT_FALSE(run->cohort.eligible);
  EXPECT_EQ(run->cohort.rank, std::nullopt);
  EXPECT_EQ(run->cohort.ineligible_reasons, std::vector<std::string>{"STATUS_RUNTIME_ERROR"});
}

TEST_F(ResolverTest, WhatDoesNotExistIsNotFoundByItsCode) {
  const Resolver resolver = catalog.resolver();
  EXPECT_EQ(resolver.run(uuid("7777")).error().where, "RUN_NOT_FOUND");
  EXPECT_EQ(resolver.operation("nope").error().where, "OPERATION_NOT_FOUND");
  EXPECT_EQ(resolver.implementation("nope").error().where, "IMPLEMENTATION_NOT_FOUND");
  EXPECT_EQ(resolver.run(uuid("7777")).error().code, Code::not_found);
}

TEST_F(ResolverTest, AnOperationInFull) {
  const auto out = catalog.resolver().operation("trimul");
  ASSERT_TRUE(out) << to_string(out.error());
  EXPECT_EQ(out->records.size(), 3U);
  EXPECT_EQ(out->semantics.inputs.at(0).shape, "[n, 128]");
  EXPECT_EQ(out->semantics.axes.at(0).constraint, "n >= 1");
  EXPECT_EQ(out->operation.summary, "What it does");
  EXPECT_EQ(out->implementations.size(), 4U);
  EXPECT_EQ(out->coverage.reproducible, 1);
  EXPECT_EQ(out->coverage.reported, 5);
  EXPECT_EQ(out->best_deployable->implementation.slug, "usable");
  const auto other = catalog.resolver().operation("trimul", {.workload = digest("0102")});
  EXPECT_EQ(other->selected_workload_id, uuid("0102"));
}

TEST_F(ResolverTest, AnImplementationInFull) {
  const auto out = catalog.resolver().implementation("usable");
  ASSERT_TRUE(out) << to_string(out.error());
  EXPECT_EQ(out->best_results.size(), 3U);
  EXPECT_EQ(out->trust.evidence, "reproducible");
  EXPECT_TRUE(out->deployability.empty());
  EXPECT_EQ(out->support.hardware, std::vector<std::string>{"NVIDIA L4"});
}

TEST_F(ResolverTest, ComparingRefusesAWinnerAcrossGroups) {
  const Resolver resolver = catalog.resolver();
  const std::vector<std::string> across = {uuid("0301"), uuid("0304")};
  const auto refused = resolver.compare(across);
  ASSERT_TRUE(refused) << to_string(refused.error());
  EXPECT_FALSE(refused->comparable);
  EXPECT_EQ(refused->first_material_mismatch, "environment");
  EXPECT_EQ(refused->runs[0].rank, std::nullopt);
  EXPECT_EQ(refused->verdict, std::nullopt);

  const std::vector<std::string> inside = {uuid("0302"), uuid("0301"), digest("0302"),
                                           uuid("7777")};
  const auto ranked = resolver.compare(inside);
  ASSERT_TRUE(ranked);
  EXPECT_TRUE(ranked->comparable);
  ASSERT_EQ(ranked->runs.size(), 2U);
  EXPECT_EQ(ranked->runs[0].rank, 2);
  EXPECT_DOUBLE_EQ(*ranked->runs[1].ratio, 100.0 / 120.0);
  EXPECT_EQ(ranked->missing_ids, std::vector<std::string>{uuid("7777")});

  const std::vector<std::string> one = {uuid("0301")};
  EXPECT_EQ(resolver.compare(one).error().code, Code::invalid);
  const std::vector<std::string> malformed = {uuid("0301"), "run"};
  EXPECT_EQ(resolver.compare(malformed).error().code, Code::invalid);
}

// Events tell 500 ns apart, and no less.
TEST_F(ResolverTest, ComparingRanksByTheRulesOfTheCohort) {
  catalog.operation("0003", "scan", "scan");
  catalog.workload("0103", 64);
  catalog.implementation("0205", "one", true);
  catalog.implementation("0206", "two", true);
  for (const auto& [id, by, value] :
       {std::tuple("0308", "0205", 3000.0), std::tuple("0309", "0206", 3400.0)}) {
    catalog.run({.id = id,
                 .implementation = by,
                 .workload = "0103",
                 .value = value,
                 .spread = 1,
                 .timer = "cuda_events"});
  }
  catalog.touch("8003");
  EXPECT_EQ(ask("op:scan").verdict->code, "tie");
  const std::vector<std::string> both = {uuid("0308"), uuid("0309")};
  const auto compared = catalog.resolver().compare(both);
  ASSERT_TRUE(compared) << to_string(compared.error());
  EXPECT_EQ(compared->verdict->code, "tie");
  EXPECT_EQ(compared->runs[1].rank, 1);
}

TEST_F(ResolverTest, RunsAreListedInPagesBoundToTheirFilters) {
  const Resolver resolver = catalog.resolver();
  EXPECT_EQ(resolver.runs()->runs.size(), 6U);
  EXPECT_EQ(resolver.runs({.hardware = "NVIDIA A100"})->runs.size(), 2U);
  EXPECT_EQ(resolver.runs({.status = "runtime_error"})->runs.size(), 1U);
  EXPECT_EQ(resolver.runs({.source = "board", .since = "2026-01-01T00:00:00Z"})->runs.size(), 6U);
  EXPECT_EQ(resolver.runs({.since = "2026-01-01T00:00:00.001Z"})->runs.size(), 0U);
  const auto first = resolver.runs({.operation = "trimul", .limit = 4});
  ASSERT_TRUE(first && first->next_cursor);
  const auto second =
      resolver.runs({.operation = "trimul", .cursor = *first->next_cursor, .limit = 4});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->runs.size(), 2U);
  EXPECT_EQ(second->next_cursor, std::nullopt);
  EXPECT_LT(second->runs[0].id, first->runs[3].id);
  const auto other = resolver.runs({.cursor = *first->next_cursor});
  EXPECT_EQ(other.error().where, "INVALID_CURSOR");
  EXPECT_EQ(resolver.runs({.cursor = "!"}).error().where, "INVALID_CURSOR");
  EXPECT_EQ(resolver.runs({.limit = 0}).error().code, Code::invalid);
  EXPECT_EQ(resolver.runs({.limit = kPageRowsMax + 1}).error().code, Code::invalid);
}

TEST_F(ResolverTest, RecordsHaveAHolderAndAHistory) {
  const Resolver resolver = catalog.resolver();
  const auto all = resolver.records();
  ASSERT_TRUE(all) << to_string(all.error());
  EXPECT_EQ(all->total, 3);
  EXPECT_EQ(all->records.size(), 3U);
  const auto first = resolver.records({.limit = 2});
  ASSERT_TRUE(first->next_cursor);
  const auto rest = resolver.records({.cursor = *first->next_cursor, .limit = 2});
  ASSERT_EQ(rest->records.size(), 1U);
  EXPECT_EQ(rest->records[0].cohort_key, all->records[2].cohort_key);
  EXPECT_FALSE(all->records[0].history.empty());
}

// Another group was answered as if it had been asked for.
TEST_F(ResolverTest, ACohortThatIsNotThereIsSaidAndNoWinnerClaimed) {
  const auto resolver = catalog.resolver();
  const auto plain = resolver.search("op:trimul");
  ASSERT_TRUE(plain && plain->cohort);
  const std::string key = plain->cohort->comparison_key;
  for (const std::string& good : {key, key.substr(7)}) {
    const auto found = resolver.search("op:trimul", {.cohort = good});
    ASSERT_TRUE(found && found->cohort) << good;
    EXPECT_EQ(found->cohort->comparison_key, key) << good;
    EXPECT_EQ(found->fitting_cohorts, 1) << good;
  }
  const auto expect_refused = [](const Result<Envelope>& answer) {
    ASSERT_TRUE(answer);
    EXPECT_FALSE(answer->verdict);
    EXPECT_THAT(answer->notes,
                ::testing::Contains(::testing::HasSubstr("the group shown is another")));
  };
  for (const char* bad : {"zz", "ffffffffffff", "sha256:ffff"}) {
    expect_refused(resolver.search("op:trimul", {.cohort = bad}));
  }
  expect_refused(resolver.search("op:trimul cohort:ffffffffffff"));
}

TEST_F(ResolverTest, OperationsAreListed) {
  const Resolver resolver = catalog.resolver();
  EXPECT_EQ(resolver.operations()->operations.size(), 2U);
  EXPECT_EQ(resolver.operations({.family = "trimul"})->operations.at(0).workloads, 2);
  EXPECT_EQ(resolver.counts()->eligible_runs, 6);
  EXPECT_EQ(resolver.index()->at(0).slug, "trimul");
}

}  // namespace
}  // namespace ki::query
