// The exact questions about an operation: of cases by their axes, of suites without any.
#include <set>

#include <gtest/gtest.h>

#include "query/parse.h"
#include "query/resolver.h"
#include "query/testing_rows.h"

namespace ki::query {
namespace {

using testing::digest;
using testing::TestCatalog;
using testing::uuid;

class CasesTest : public ::testing::Test {
 protected:
  // Of the operation 0001, which is to be made first.
  void suite(const std::string& id) {
    catalog.put(catalog::WorkloadRow{.id = uuid(id),
                                     .operation_id = uuid("0001"),
                                     .kind = "WorkloadSuite",
                                     .workload_digest = digest(id),
                                     .schema_version = "v1alpha1",
                                     .correctness_key = digest("c0"),
                                     .shape_summary = "suite of 2 cases",
                                     .dtypes = "[]",
                                     .layout_keys = "[]",
                                     .manifest =
                                         R"({"spec":{"cases":[{"axes":{"n":1}},{"axes":{"n":2}}],)"
                                         R"("aggregation":{"statistic":"mean","metric":"latency"},)"
                                         R"("correctness":{"comparator":"close"}}})",
                                     .created_at = TestCatalog::kTime});
  }
  ExactAnswers cases() {
    auto found = catalog.resolver().cases("rope");
    EXPECT_TRUE(found) << to_string(found.error());
    return found ? std::move(*found) : ExactAnswers{};
  }
  TestCatalog catalog;
};

TEST_F(CasesTest, ASuiteIsAskedForWithoutAxes) {
  catalog.operation("0001", "rope", "rope");
  suite("0101");
  catalog.implementation("0201", "quick", true);
  catalog.run({.id = "0301", .implementation = "0201", .workload = "0101", .value = 5});
  catalog.run({.id = "0302",
               .implementation = "0201",
               .workload = "0101",
               .hardware = "NVIDIA B200",
               .architecture = "sm_100",
               .value = 3});
  catalog.touch("8001");
  const ExactAnswers answers = cases();
  std::set<std::string> hardware;
  for (const ExactCase& one : answers.cases) {
    EXPECT_TRUE(one.axes.empty());
    hardware.insert(one.hardware);
    KernelRequest request;
    request.operation.emplace().name = "rope";
    if (!one.hardware.empty()) request.environment.emplace().hardware_product = one.hardware;
    const auto said = catalog.resolver().resolve(request);
    ASSERT_TRUE(said);
    EXPECT_EQ(said->cohort->comparison_key, answers.cohorts[one.cohort].cohort.comparison_key);
  }
  EXPECT_EQ(hardware, (std::set<std::string>{"", "NVIDIA B200", "NVIDIA H100"}));
}

// Of hardware that a source states with its form factor, each name that answers show finds it, and
// a name that means two products here finds the one that the resolver takes.
TEST_F(CasesTest, HardwareIsFoundByEachOfItsNames) {
  catalog.operation("0001", "rope", "rope");
  catalog.workload("0101", 16);
  catalog.workload("0102", 32);
  catalog.implementation("0201", "quick", true);
  const auto run = [&](const std::string& id, const std::string& workload,
                       const std::string& form_factor) {
    catalog.run({.id = id,
                 .implementation = "0201",
                 .workload = workload,
                 .hardware = "NVIDIA A100",
                 .form_factor = form_factor,
                 .architecture = "sm_80",
                 .value = 5});
  };
  run("0301", "0101", "SXM4-80GB");
  run("0302", "0102", "SXM4-80GB");
  run("0303", "0102", "PCIe");
  catalog.touch("8001");
  const ExactAnswers answers = cases();
  std::set<std::string> hardware;
  for (const ExactCase& one : answers.cases) {
    if (one.axes.at("n") == 16) hardware.insert(one.hardware);
    KernelRequest request;
    request.operation.emplace().name = "rope";
    request.operation->axes = {{"n", static_cast<double>(one.axes.at("n"))}};
    if (!one.hardware.empty()) request.environment.emplace().hardware_product = one.hardware;
    const auto said = catalog.resolver().resolve(request);
    ASSERT_TRUE(said && said->cohort) << one.hardware;
    EXPECT_EQ(said->cohort->comparison_key, answers.cohorts[one.cohort].cohort.comparison_key);
  }
  EXPECT_TRUE(hardware.contains("NVIDIA A100"));
  EXPECT_TRUE(hardware.contains("NVIDIA A100-SXM4-80GB"));
}

TEST_F(CasesTest, WhereACaseIsRankedNothingIsSaidWithoutItsAxes) {
  catalog.operation("0001", "rope", "rope");
  suite("0101");
  catalog.workload("0102", 16);
  catalog.implementation("0201", "quick", true);
  catalog.run({.id = "0301", .implementation = "0201", .workload = "0101", .value = 5});
  catalog.run({.id = "0302", .implementation = "0201", .workload = "0102", .value = 6});
  catalog.run({.id = "0303", .implementation = "0201", .workload = "0102", .value = 7});
  catalog.touch("8001");
  const ExactAnswers answers = cases();
  EXPECT_FALSE(answers.cases.empty());
  for (const ExactCase& one : answers.cases) EXPECT_EQ(one.axes.at("n"), 16);
}

}  // namespace
}  // namespace ki::query
