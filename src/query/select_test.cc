// Which case and group an answer is about where none has all that was asked for.
#include "query/select.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "query/testing_rows.h"

namespace ki::query {
namespace {

using testing::TestCatalog;

// "gemm" at several sizes: n = 34 has most runs, n = 1 ran on a B200 only, n = 7 has no run.
class SelectTest : public ::testing::Test {
 protected:
  void SetUp() override {
    catalog.operation("0001", "gemm", "gemm");
    catalog.implementation("0201", "one", true);
    catalog.implementation("0202", "two", true);
    catalog.implementation("0203", "three", true);
    for (const int n : {1, 3, 7, 16, 34, 901, 8828}) catalog.workload(case_id(n), n);
    add(1, "0201", "NVIDIA B200");
    for (const int n : {3, 16, 901, 8828}) add(n, "0201");
    for (const char* implementation : {"0201", "0202", "0203"}) add(34, implementation);
    catalog.touch("8001");
  }

  static std::string case_id(int n) { return std::to_string(10000 + n).substr(1); }

  void add(int n, const std::string& implementation, const std::string& hardware = "NVIDIA H100") {
    catalog.run({.id = std::to_string(++runs_),
                 .implementation = implementation,
                 .workload = case_id(n),
                 .hardware = hardware,
                 .architecture = hardware == "NVIDIA H100" ? "sm_90" : "sm_100",
                 .value = 10.0 * n});
  }

  Envelope ask(std::string_view query) {
    const auto answer = catalog.resolver().search(query, {});
    EXPECT_TRUE(answer) << to_string(answer.error());
    return answer ? *answer : Envelope{};
  }

  static std::string chosen(const Envelope& out) { return out.workload ? out.workload->id : ""; }
  static std::string case_of(int n) { return testing::uuid(case_id(n)); }

  TestCatalog catalog;
  int runs_ = 3000;
};

TEST_F(SelectTest, TheNearestSizeIsChosen) {
  const std::map<int, int> nearest_of = {
      {2, 3},       {5, 3},       {12, 16},      {40, 34},        {900, 901},     {2000, 901},
      {4000, 8828}, {9000, 8828}, {90000, 8828}, {1 << 20, 8828}, {1 << 30, 8828}};
  for (const auto& [asked, nearest] : nearest_of) {
    const Envelope out = ask("gemm H100 n=" + std::to_string(asked));
    EXPECT_EQ(chosen(out), case_of(nearest)) << asked;
    EXPECT_TRUE(out.groups.exact.empty()) << asked;
  }
  EXPECT_EQ(chosen(ask("gemm H100 n:100000..200000")), case_of(8828))
      << "the nearer end of a range";
  EXPECT_EQ(chosen(ask("gemm H100")), case_of(34)) << "nothing is asked of the case: most runs";
}

TEST_F(SelectTest, CompatibleRowsAscendByTheirDistance) {
  for (const int asked : {2, 12, 300, 9000, 1 << 20}) {
    const Envelope out = ask("gemm n=" + std::to_string(asked));
    ASSERT_EQ(out.groups.compatible.size(), 8U) << asked;
    double last = 0;
    for (const Row& row : out.groups.compatible) {
      if (row.hardware.model != "NVIDIA H100") continue;
      const double doublings =
          std::abs(std::log2(std::stod(row.mismatches.at(0).observed) / asked));
      EXPECT_GE(doublings, last) << asked << ' ' << row.mismatches[0].observed;
      last = doublings;
    }
  }
}

// One that has no run with what else was asked for is about the case all the same.
TEST_F(SelectTest, AMeasuredCaseIsNotCalledUnmeasured) {
  for (const std::string_view query :
       {"gemm n=1 H100", "gemm n=1 sm_90", "gemm n=1 language:cuda", "gemm n=1 framework:jax",
        "gemm n=1 pass:backward", "gemm n=1 metric:peak_memory", "gemm n=1 layout:strided",
        "gemm n=1 cuda:12", "gemm shape:[1,128] H100", "gemm n=1 H100 trust:verified",
        "gemm n=1 H100 language:cuda pass:backward"}) {
    const Envelope out = ask(query);
    EXPECT_EQ(chosen(out), case_of(1)) << query;
    ASSERT_TRUE(out.cohort) << query;
    EXPECT_TRUE(out.groups.exact.empty() && out.groups.reported.empty()) << query;
    EXPECT_EQ(out.workload->selected_because.find("no eligible run"), std::string::npos) << query;
    EXPECT_NE(out.workload->selected_because.find("is measured"), std::string::npos) << query;
  }
  const Envelope out = ask("gemm n=1 H100");
  ASSERT_EQ(out.groups.compatible.size(), 8U);
  const Row& first = out.groups.compatible[0];
  ASSERT_EQ(first.mismatches.size(), 1U) << "the run of the case comes first";
  EXPECT_EQ(first.mismatches[0].field, "hardware.gpu");
}

TEST_F(SelectTest, ACaseWithoutARunIsCalledUnmeasured) {
  for (const std::string_view query : {"gemm n=7", "gemm n=7 H100", "gemm shape:[7,128]"}) {
    const Envelope out = ask(query);
    EXPECT_EQ(chosen(out), case_of(7)) << query;
    EXPECT_FALSE(out.cohort) << query;
    EXPECT_EQ(out.workload->selected_because, "the case asked for exists but has no eligible run");
  }
}

}  // namespace
}  // namespace ki::query
