// Cases nobody measured: what is offered instead, on an operation with two axes.
#include "query/nearest.h"

#include <deque>

#include <gtest/gtest.h>

#include "query/parse.h"

namespace ki::query {
namespace {

// "rope" at each (seq, hidden), one run a case.
OperationSnapshot measured(const std::vector<std::pair<std::int64_t, std::int64_t>>& cases) {
  OperationSnapshot out;
  out.implementations.emplace_back();
  for (const auto& [seq, hidden] : cases) {
    const auto at = static_cast<std::uint32_t>(out.workloads.size());
    WorkloadInfo workload;
    workload.id = "w" + std::to_string(at);
    workload.axes = {{"hidden", hidden}, {"seq", seq}};
    out.workloads.push_back(workload);
    CohortInfo cohort;
    cohort.workload = at;
    cohort.runs = RunRange(at, at + 1);
    cohort.metric = "latency";
    cohort.statistic = "median";
    cohort.unit = "ns";
    cohort.best_value = static_cast<double>(seq * hidden);
    cohort.order_value = *cohort.best_value;
    cohort.has_value = true;
    out.cohorts.push_back(cohort);
  }
  return out;
}

// Gives every cohort the one run of its best value.
class OneRunEach final : public RunSource {
 public:
  explicit OneRunEach(const OperationSnapshot& snapshot) {
    for (std::uint32_t at = 0; at < snapshot.cohorts.size(); ++at) {
      const RunInfo run{.value = *snapshot.cohorts[at].best_value,
                        .workload = at,
                        .cohort = at,
                        .has_value = true};
      runs_.emplace_back().runs.push_back(run);
    }
  }
  std::shared_ptr<const ShownRow> row(std::size_t) override {
    return std::make_shared<const ShownRow>();
  }
  const RankedRuns& runs(std::size_t cohort) override { return runs_[cohort]; }
  std::shared_ptr<const Tallies> tallies(std::size_t) override {
    return std::make_shared<const Tallies>(Tallies{{.implementation = 0, .runs = 1}});
  }
  std::shared_ptr<const Head> head(std::size_t) override { return std::make_shared<const Head>(); }

 private:
  std::deque<RankedRuns> runs_;
};

std::optional<Nearest> nearest_to(std::string_view query, const OperationSnapshot& snapshot) {
  OneRunEach runs(snapshot);
  return nearest_cases(parse_query(query), {.snapshot = snapshot, .read = runs, .now = {}});
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

TEST(NearestCases, NeighboursOfAShapeAreNamedByTheirCases) {
  auto snapshot = measured({{512, 7168}, {1536, 7168}, {512, 2304}});
  for (WorkloadInfo& workload : snapshot.workloads) {
    const std::int64_t hidden = workload.axes[0].second;
    workload.tensors = {{.name = "x", .dtype = "bf16", .shape = {1024, hidden}}};
  }
  const auto found = nearest_to("rope [1024, 7000]", snapshot);
  ASSERT_TRUE(found && found->below && found->above);
  EXPECT_EQ(found->axis, "hidden");
  for (const Near* near : {&*found->below, &*found->above}) {
    const auto at = static_cast<std::size_t>(near->workload_id.back() - '0');
    const auto& axes = snapshot.workloads[at].axes;
    EXPECT_EQ(near->query, "rope hidden=" + std::to_string(axes[0].second) +
                               " seq=" + std::to_string(axes[1].second))
        << "one case, not all with such a tensor";
  }
}

TEST(NearestCases, ACaseWithoutAxesIsNamedByItsShape) {
  auto snapshot = measured({{512, 7168}, {512, 2304}});
  for (WorkloadInfo& workload : snapshot.workloads) {
    workload.tensors = {{.name = "w", .dtype = "bf16", .shape = {8, 8}},
                        {.name = "x", .dtype = "bf16", .shape = {1024, workload.axes[0].second}}};
    workload.axes.clear();
  }
  const auto found = nearest_to("rope [1024, 7000]", snapshot);
  ASSERT_TRUE(found && found->above);
  EXPECT_EQ(found->above->query, "rope shape:[1024, 7168]");
  ASSERT_FALSE(found->cases.empty());
  EXPECT_EQ(found->cases[0].query, "rope shape:[1024, 7168]");
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

TEST(NearestCases, ADistanceIsWrittenInDigits) {
  const auto text = [](std::int64_t seq) {
    const auto snapshot = measured({{seq, 8}});
    const auto found = nearest_to("rope seq=1000 hidden=8", snapshot);
    return found ? found->cases.at(0).distance_text : "";
  };
  EXPECT_EQ(text(2000), "seq 2x, hidden equal");
  EXPECT_EQ(text(512), "seq 0.512x, hidden equal");
  EXPECT_EQ(text(999'000), "seq 999x, hidden equal");
  EXPECT_EQ(text(1'000'000), "seq 1,000x, hidden equal");
  EXPECT_EQ(text(16'384'000), "seq 16,400x, hidden equal");
  EXPECT_EQ(text(1'234'567'890), "seq 1,230,000x, hidden equal");
  const auto far = nearest_to("rope seq=16384000 hidden=8", measured({{1000, 8}}));
  ASSERT_TRUE(far);
  EXPECT_EQ(far->cases.at(0).distance_text, "seq 1/16,400x, hidden equal");
}

TEST(NearestCases, EachSingleAxisHasItsNeighbours) {
  const auto snapshot = measured(
      {{2048, 4096}, {8192, 4096}, {16384, 4096}, {4096, 2048}, {4096, 8192}, {1024, 1024}});
  const auto found = nearest_to("rope seq=4096 hidden=4096", snapshot);
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->axes.size(), 2U);
  const NearAxis& most = found->axes[0];
  EXPECT_EQ(most.axis, "seq") << "three cases";
  EXPECT_EQ(most.requested, 4096);
  ASSERT_TRUE(most.below && most.above);
  EXPECT_EQ(most.below->value, 2048);
  EXPECT_EQ(most.above->value, 8192);
  const NearAxis& other = found->axes[1];
  EXPECT_EQ(other.axis, "hidden");
  ASSERT_TRUE(other.below && other.above);
  EXPECT_EQ(other.below->value, 2048);
  EXPECT_EQ(other.above->value, 8192);
  EXPECT_EQ(other.above->query, "rope seq=4096 hidden=8192");
  EXPECT_EQ(found->axis, most.axis);
  EXPECT_EQ(found->below->value, most.below->value);
  EXPECT_EQ(found->above->value, most.above->value);

  const auto one_side = nearest_to("rope seq=1024 hidden=4096", snapshot);
  ASSERT_TRUE(one_side.has_value());
  ASSERT_EQ(one_side->axes.size(), 2U);
  EXPECT_FALSE(one_side->axes[0].below) << "nothing is smaller";
  EXPECT_EQ(one_side->axes[1].below->value, 1024);
  const auto neither = nearest_to("rope seq=3 hidden=3", snapshot);
  ASSERT_TRUE(neither.has_value());
  EXPECT_TRUE(neither->axes.empty()) << "every case differs in both";
  EXPECT_EQ(neither->cases.size(), kNearCasesMax);
}

}  // namespace
}  // namespace ki::query
