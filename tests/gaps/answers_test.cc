// Gaps 15, 19, 20 and 25 to 32: what is ranked, how complete it is, and how a query is read.
#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query/resolver.h"
#include "query/testing_rows.h"

namespace ki::query {
namespace {

using ::testing::Contains;
using testing::digest;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::TestCatalog;
using testing::uuid;

class Gaps : public ::testing::Test {
 protected:
  Envelope ask(std::string_view query, const SearchOptions& options = {}) {
    auto answer = catalog.resolver().search(query, options);
    EXPECT_TRUE(answer) << query << ": " << to_string(answer.error());
    return answer ? std::move(*answer) : Envelope{};
  }

  // "trimul" with one implementation in each of two languages and one case.
  void trimul() {
    catalog.operation("0001", "trimul", "trimul");
    catalog.workload("0101", 64);
    catalog.implementation("0201", "quick", true, "cuda");
    catalog.implementation("0202", "usable", true, "triton");
  }

  static constexpr const char* kPasses[] = {"", "forward", "backward", "full"};

  // An operation of its own with so many runs, each of another pass.
  void operation(int number, const std::string& slug, const std::string& family, int runs = 1) {
    catalog.operation(fmt::format("{:04}", 1000 + number), slug, family);
    const std::string workload = fmt::format("{:04}", 2000 + number);
    catalog.workload(workload, 8 + number);
    const std::string implementation = fmt::format("{:04}", 3000 + number);
    catalog.implementation(implementation, slug + "-k", true);
    for (int i = 0; i < runs; ++i) {
      catalog.run({.id = fmt::format("{:04}", 4000 + number * 10 + i),
                   .implementation = implementation,
                   .workload = workload,
                   .value = 100.0 + i,
                   .pass = kPasses[i]});
    }
  }

  void case_of(const std::string& id, const std::string& shape, const std::string& dtype,
               const std::string& axes) {
    catalog.put(catalog::WorkloadRow{
        .id = uuid(id),
        .operation_id = uuid("0001"),
        .kind = "WorkloadCase",
        .workload_digest = digest(id),
        .schema_version = "v1alpha1",
        .correctness_key = digest("c0"),
        .shape_summary = shape,
        .dtypes = R"([")" + dtype + R"("])",
        .layout_keys = "[]",
        .manifest = R"({"spec":{"axes":)" + axes + R"(,"tensors":{"x":{"shape":)" + shape +
                    R"(,"dtype":")" + dtype + R"("}},"correctness":{"comparator":"close"}}})",
        .created_at = TestCatalog::kTime});
  }

  TestCatalog catalog;
};

TEST_F(Gaps, G15MetricsHaveADirection) {
  trimul();
  for (const auto& [id, by, value] :
       {std::tuple("0301", "0201", 100.0), std::tuple("0302", "0202", 900.0)}) {
    catalog.run({.id = id,
                 .implementation = by,
                 .workload = "0101",
                 .value = value,
                 .spread = 1,
                 .metric = "flops_per_second",
                 .unit = "flops_s"});
  }
  catalog.run({.id = "0303",
               .implementation = "0201",
               .workload = "0101",
               .hardware = "NVIDIA A100",
               .architecture = "sm_80",
               .value = 1,
               .metric = "charm",
               .unit = "quarks"});
  const Envelope known = ask("trimul h100");
  ASSERT_FALSE(known.groups.exact.empty());
  EXPECT_EQ(known.groups.exact.front().primary->value, 900);
  EXPECT_EQ(known.verdict->run_ids, std::vector{uuid("0302")});
  const Envelope unknown = ask("trimul a100");
  ASSERT_FALSE(unknown.groups.exact.empty());
  EXPECT_EQ(unknown.groups.exact.front().rank, std::nullopt);
  EXPECT_EQ(unknown.groups.exact.front().rank_reasons.at(0).code, "UNKNOWN_METRIC");
}

TEST_F(Gaps, G19NoCohortIsCut) {
  trimul();
  constexpr int kRuns = 700;
  for (int i = 0; i < kRuns; ++i) {
    catalog.run({.id = fmt::format("{:04}", 5000 + i),
                 .implementation = i % 2 == 0 ? "0201" : "0202",
                 .workload = "0101",
                 .value = 100.0 + i});
  }
  // Slower than all of these and of another group: the first a cut would take.
  catalog.run({.id = "0301",
               .implementation = "0202",
               .workload = "0101",
               .hardware = "NVIDIA A100",
               .architecture = "sm_80",
               .value = 1e6});
  const Envelope answer = ask("trimul h100", {.limit = 200});
  EXPECT_EQ(answer.totals.exact, kRuns);
  EXPECT_EQ(answer.overflow.exact, kRuns - 200);
  EXPECT_EQ(answer.cohort->runs, kRuns);
  EXPECT_EQ(ask("trimul a100").totals.exact, 1);
  EXPECT_EQ(catalog.resolver().operation("trimul")->records.size(), std::size_t{kRuns});
}

TEST_F(Gaps, G20RankAndSizeAgreeOnEverySurface) {
  trimul();
  for (int i = 0; i < 9; ++i) {
    catalog.run({.id = fmt::format("{:04}", 300 + i),
                 .implementation = i == 6 ? "0202" : "0201",
                 .workload = "0101",
                 .value = 100.0 + 10 * i});
  }
  const Resolver resolver = catalog.resolver();
  const Envelope faceted = ask("trimul language:triton");
  ASSERT_EQ(faceted.groups.exact.size(), 1U) << "the facet hides the others";
  const Row& row = faceted.groups.exact.front();
  EXPECT_EQ(row.rank, 7);
  EXPECT_EQ(row.cohort_size, 9);
  const auto run = resolver.run(uuid("0306"));
  EXPECT_EQ(run->cohort.rank, row.rank);
  EXPECT_EQ(run->cohort.size, row.cohort_size);
  const auto operation = resolver.operation("trimul");
  EXPECT_EQ(operation->records.at(6).rank, row.rank);
  EXPECT_EQ(operation->records.at(6).cohort_size, row.cohort_size);
  EXPECT_EQ(operation->cohort->runs, row.cohort_size);
  const auto used = resolver.implementation("usable");
  ASSERT_EQ(used->best_results.size(), 1U);
  EXPECT_EQ(used->best_results[0].rank, row.rank);
  EXPECT_EQ(used->best_results[0].cohort_size, row.cohort_size);
}

TEST_F(Gaps, G25FacetsSteerTheChoice) {
  trimul();
  for (int i = 0; i < 5; ++i) {
    catalog.run({.id = fmt::format("{:04}", 300 + i),
                 .implementation = "0201",
                 .workload = "0101",
                 .value = 10.0 + i});
  }
  catalog.run({.id = "0310",
               .implementation = "0202",
               .workload = "0101",
               .hardware = "NVIDIA A100",
               .architecture = "sm_80",
               .value = 70});
  const Envelope answer = ask("trimul A100");
  ASSERT_EQ(answer.groups.exact.size(), 1U);
  EXPECT_EQ(answer.groups.exact[0].hardware.model, "NVIDIA A100");
  EXPECT_EQ(answer.groups.exact[0].rank, 1);
  EXPECT_EQ(answer.totals.reported, 5);
}

TEST_F(Gaps, G26AFamilysOfferLeadsToItsOperations) {
  for (int i = 0; i < 4; ++i) operation(i, fmt::format("gemm-n{}", 128 + i), "gemm");
  const Envelope offer = ask("family:gemm");
  ASSERT_EQ(offer.mode, Mode::chooser);
  ASSERT_EQ(offer.matches->size(), 4U);
  for (const IndexEntry& entry : *offer.matches) {
    const Envelope found = ask(entry.query);
    ASSERT_EQ(found.mode, Mode::exact) << entry.query;
    EXPECT_EQ(found.operation->slug, entry.slug);
  }
}

TEST_F(Gaps, G27AModelAloneAsks) {
  for (int i = 0; i < 3; ++i) {
    operation(i, fmt::format("part-{}", i), "part");
    catalog.put(catalog::OperationTagRow{.operation_id = uuid(fmt::format("{:04}", 1000 + i)),
                                         .tag = "model:deepseek-v3",
                                         .ordinal = 0});
  }
  const Envelope answer = ask("model:deepseek-v3");
  EXPECT_EQ(answer.mode, Mode::chooser);
  EXPECT_EQ(answer.matches->size(), 3U);
}

TEST_F(Gaps, G28VendorsProductsPhrasesAndShortNamesAreRead) {
  operation(0, "gemm", "gemm");
  operation(1, "qr", "factorization");
  operation(2, "two words", "words");
  EXPECT_EQ(ask("NVIDIA H100 gemm").operation->slug, "gemm");
  for (const char* product : {"MI355X", "L4", "T4", "RTX 4090", "rtx4090"}) {
    const Envelope answer = ask(std::string("gemm ") + product);
    EXPECT_THAT(answer.readings, Contains(Field(&Reading::kind, "gpu"))) << product;
    EXPECT_EQ(answer.operation->slug, "gemm") << product;
  }
  EXPECT_EQ(ask("qr").operation->slug, "qr");
  EXPECT_NE(ask("\"two words\"").mode, Mode::none) << "a phrase is words of the name";
}

TEST_F(Gaps, G29AFamilyOfDtypesMeansEachOfThem) {
  trimul();
  case_of("0102", "[64,64]", "fp8_e4m3", R"({"n":1})");
  catalog.run({.id = "0301", .implementation = "0201", .workload = "0101", .value = 1});
  catalog.run({.id = "0302", .implementation = "0201", .workload = "0102", .value = 2});
  const Envelope answer = ask("trimul dtype:fp8");
  ASSERT_EQ(answer.groups.exact.size(), 1U);
  EXPECT_EQ(answer.groups.exact[0].run_id, uuid("0302"));
  EXPECT_EQ(ask("trimul fp8_e5m2").fitting_cohorts, 0) << "a format is not its neighbour";
  // A suite has the dtypes of its operation wherever they are looked at.
  catalog.put(catalog::WorkloadRow{.id = uuid("0103"),
                                   .operation_id = uuid("0001"),
                                   .kind = "WorkloadSuite",
                                   .workload_digest = digest("0103"),
                                   .schema_version = "v1alpha1",
                                   .correctness_key = digest("c0"),
                                   .shape_summary = "suite",
                                   .dtypes = "[]",
                                   .layout_keys = "[]",
                                   .manifest =
                                       R"({"spec":{"cases":[{"axes":{"n":1}}],)"
                                       R"("aggregation":{"statistic":"mean","metric":"latency"},)"
                                       R"("correctness":{"comparator":"close"}}})",
                                   .created_at = TestCatalog::kTime});
  catalog.run({.id = "0303",
               .implementation = "0201",
               .workload = "0103",
               .hardware = "NVIDIA A100",
               .architecture = "sm_80",
               .value = 3});
  catalog.touch("8001");
  const Envelope suites = ask("bf16 a100");
  ASSERT_EQ(suites.measured.size(), 1U);
  EXPECT_EQ(suites.measured[0].match->matching, 1);
  EXPECT_EQ(ask("trimul bf16 a100").groups.exact.at(0).run_id, uuid("0303"));
}

TEST_F(Gaps, G30ANeighbourKeepsWhatElseWasAskedFor) {
  trimul();
  int number = 0;
  for (const int k : {4096, 8192}) {
    const std::string id = fmt::format("{:04}", 110 + number);
    case_of(id, fmt::format("[1024,{}]", k), "bf16", fmt::format(R"({{"m":1024,"k":{}}})", k));
    catalog.run({.id = fmt::format("{:04}", 310 + number++),
                 .implementation = "0201",
                 .workload = id,
                 .value = 1});
  }
  const Envelope answer = ask("trimul m=1024 k=7000");
  ASSERT_TRUE(answer.nearest);
  ASSERT_TRUE(answer.nearest->below && answer.nearest->above);
  for (const Near& side : {*answer.nearest->below, *answer.nearest->above}) {
    const Envelope there = ask(side.query);
    EXPECT_EQ(there.groups.exact.size(), 1U) << side.query;
    EXPECT_THAT(side.query, HasSubstr("1024"));
  }
  const Envelope by_shape = ask("trimul [1024, 7000]");
  ASSERT_TRUE(by_shape.nearest);
  for (const NearCase& near : by_shape.nearest->cases) {
    EXPECT_EQ(ask(near.query).groups.exact.size(), 1U) << near.query;
  }
}

TEST_F(Gaps, G31WhichOfEqualsAreOfferedDoesNotDependOnWhenTheyCame) {
  // The last to come has most runs.
  for (int i = 0; i < 40; ++i) operation(i, fmt::format("norm-{}", i), "norm", i == 39 ? 3 : 1);
  const Envelope offer = ask("family:norm");
  ASSERT_EQ(offer.mode, Mode::chooser);
  EXPECT_EQ(offer.matches->front().slug, "norm-39");
}

TEST_F(Gaps, G32WhatCannotBeReadOrSatisfiedIsData) {
  trimul();
  catalog.implementation("0203", "closed", false);
  catalog.run({.id = "0301", .implementation = "0203", .workload = "0101", .value = 1});
  catalog.run({.id = "0302", .implementation = "0201", .workload = "0101", .value = 2});
  const Envelope slip = ask("trimul gpuu:B200");
  ASSERT_EQ(slip.issues.size(), 1U);
  EXPECT_THAT(slip.issues[0].hint.value_or(""), HasSubstr("gpu"));
  EXPECT_EQ(slip.verdict->code, "none") << "nothing is claimed while a condition is unread";
  const Envelope policy = ask("trimul source:true");
  EXPECT_EQ(policy.groups.exact.size(), 1U);
  EXPECT_EQ(policy.unmet.size(), 1U);
  EXPECT_EQ(policy.unmet[0].row.run_id, uuid("0301"));
  EXPECT_THAT(policy.unmet[0].failed, Not(IsEmpty()));
  EXPECT_THAT(policy.facets, Contains(Field(&FacetUse::state, "applied")));
}

}  // namespace
}  // namespace ki::query
