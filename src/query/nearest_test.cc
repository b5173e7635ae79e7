// Cases nobody measured: what is offered instead, on an operation with two axes.
#include "query/nearest.h"

#include <gtest/gtest.h>

#include "query/parse.h"

namespace ki::query {
namespace {

// "rope" at each (seq, hidden), one run a case.
OperationSnapshot measured(const std::vector<std::pair<std::int64_t, std::int64_t>>& cases) {
  OperationSnapshot out;
  out.implementations.emplace_back();
  out.measures.push_back({.metric = "latency", .statistic = "median", .unit = "ns"});
  for (const auto& [seq, hidden] : cases) {
    const auto at = static_cast<std::uint32_t>(out.workloads.size());
    WorkloadInfo workload;
    workload.id = "w" + std::to_string(at);
    workload.axes = {{"hidden", hidden}, {"seq", seq}};
    out.workloads.push_back(workload);
    CohortInfo cohort;
    cohort.workload = at;
    cohort.runs = RunRange(at, at + 1);
    out.cohorts.push_back(cohort);
    RunInfo run;
    run.value = static_cast<double>(seq * hidden);
    run.has_value = true;
    run.workload = at;
    run.cohort = at;
    out.runs.push_back(run);
  }
  return out;
}

std::optional<Nearest> nearest_to(std::string_view query, const OperationSnapshot& snapshot) {
  const auto row = [](std::size_t) { return std::make_shared<const Row>(); };
  return nearest_cases(parse_query(query), {.snapshot = snapshot, .of = row, .now = {}});
}

TEST(NearestCases, BothSidesAreEqualInEverythingElse) {
  const auto snapshot = measured({{2048, 2048}, {2048, 8192}, {4096, 8192}, {8192, 2048}});
  const auto found = nearest_to("rope seq:3000", snapshot);
  ASSERT_TRUE(found.has_value());
  ASSERT_TRUE(found->below && found->above);
  EXPECT_EQ(found->axis, "seq");
  EXPECT_EQ(found->below->value, 2048);
  const bool wide = found->below->workload_id == "w1";
  EXPECT_EQ(found->above->workload_id, wide ? "w2" : "w3");
}

TEST(NearestCases, TheirQueriesNameEveryAxis) {
  const auto snapshot = measured({{2048, 2048}, {2048, 8192}});
  const auto found = nearest_to("rope seq 3000 h100", snapshot);
  ASSERT_FALSE(found.has_value()) << "the runs state no hardware";
  const auto offered = nearest_to("rope seq 3000", snapshot);
  ASSERT_TRUE(offered.has_value());
  ASSERT_EQ(offered->cases.size(), 2U);
  EXPECT_EQ(offered->cases[0].query, "rope seq=2048 hidden=2048");
  EXPECT_EQ(offered->cases[1].query, "rope seq=2048 hidden=8192");
}

}  // namespace
}  // namespace ki::query
