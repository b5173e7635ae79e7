// Traces: each shape answered as a search answers it, and totals only where all of it compares.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query/testing_rows.h"

namespace ki::query {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TestCatalog;
using testing::uuid;

// "rope" with n = 1, 2, 4, measured on the H100: Quick and Slow everywhere, Partial not for n = 4.
class TraceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    catalog.operation("0001", "rope", "rope");
    catalog.workload("0101", 1);
    catalog.workload("0102", 2);
    catalog.workload("0104", 4);
    catalog.implementation("0201", "quick", true);
    catalog.implementation("0202", "slow", true);
    catalog.implementation("0203", "partial", true);
    run("0311", "0201", "0101", 10);
    run("0312", "0202", "0101", 20);
    run("0313", "0203", "0101", 30);
    run("0321", "0201", "0102", 30);
    run("0322", "0202", "0102", 25);
    run("0323", "0203", "0102", 40);
    run("0341", "0201", "0104", 50);
    run("0342", "0202", "0104", 80);
  }

  void run(const std::string& id, const std::string& implementation, const std::string& workload,
           double value) {
    catalog.run({.id = id,
                 .implementation = implementation,
                 .workload = workload,
                 .value = value,
                 .spread = 1});
  }

  static TraceLine line(double n, double weight = 1) {
    return {.axes = {{"n", n}}, .weight = weight};
  }

  TraceAnswer ask(const TraceRequest& request, const TraceOptions& options = {}) {
    auto answer = catalog.resolver().trace(request, options);
    EXPECT_TRUE(answer) << to_string(answer.error());
    return answer ? std::move(*answer) : TraceAnswer{};
  }

  static const TraceTotal& total(const TraceAnswer& answer, std::string_view slug) {
    const auto at = std::ranges::find_if(answer.implementations, [&](const TraceTotal& one) {
      return one.implementation.slug == slug;
    });
    EXPECT_NE(at, answer.implementations.end()) << slug;
    return *at;
  }

  TestCatalog catalog;
};

TEST_F(TraceTest, AddsUpOnlyWhatWasMeasuredForEveryShape) {
  const TraceAnswer answer =
      ask({.operation = "rope", .lines = {line(1, 3), line(2), line(4, 2), line(1)}});
  EXPECT_EQ(answer.lines, 4);
  EXPECT_EQ(answer.weight, 7);
  EXPECT_EQ(answer.shapes_total, 3);
  EXPECT_EQ(answer.coverage.exact.shapes, 3);
  EXPECT_EQ(answer.coverage.exact.share, 1.0);
  ASSERT_TRUE(answer.comparable);
  EXPECT_EQ(answer.unit, "ns");
  EXPECT_EQ(total(answer, "quick").total, 4 * 10 + 30 + 2 * 50);
  EXPECT_EQ(total(answer, "quick").ratio, 1.0);
  EXPECT_EQ(total(answer, "slow").total, 4 * 20 + 25 + 2 * 80);
  EXPECT_DOUBLE_EQ(*total(answer, "slow").ratio, 265.0 / 170.0);
  EXPECT_EQ(answer.best_of_each_shape, 4 * 10 + 25 + 2 * 50);
  const TraceTotal& partial = total(answer, "partial");
  EXPECT_EQ(partial.total, std::nullopt);
  EXPECT_EQ(partial.ratio, std::nullopt);
  EXPECT_EQ(partial.lacking, 1);
  EXPECT_THAT(partial.lacking_lines, ElementsAre(3));
  EXPECT_EQ(answer.implementations.front().implementation.slug, "quick");
}

TEST_F(TraceTest, AShapeSaysItsLeaderItsGroupAndHowOftenItIsAskedFor) {
  const TraceAnswer answer = ask({.operation = "rope", .lines = {line(2), line(1), line(2, 4)}});
  ASSERT_EQ(answer.shapes.size(), 2U);
  const TraceShape& shape = answer.shapes[0];
  EXPECT_EQ(shape.line, 1);
  EXPECT_EQ(shape.lines, 2);
  EXPECT_EQ(shape.weight, 5);
  EXPECT_EQ(shape.exactness, "exact");
  EXPECT_EQ(shape.leader->slug, "slow");
  EXPECT_EQ(shape.value->value, 25);
  EXPECT_EQ(shape.run_id, uuid("0322"));
  EXPECT_EQ(shape.measured_on, "NVIDIA H100");
  KernelRequest request;
  request.operation.emplace().name = "rope";
  request.operation->axes = {{"n", 2}};
  const auto searched = catalog.resolver().resolve(request);
  ASSERT_TRUE(searched);
  EXPECT_EQ(shape.cohort, searched->cohort->comparison_key);
  EXPECT_EQ(shape.verdict, searched->verdict->code);
}

TEST_F(TraceTest, AShapeThatNobodyMeasuredTakesEveryTotalAway) {
  const TraceAnswer answer = ask({.operation = "rope", .lines = {line(1), line(3, 9)}});
  EXPECT_FALSE(answer.comparable);
  EXPECT_THAT(answer.incomparable_because, Contains(Field(&Reason::code, "NOT_EXACT")));
  EXPECT_EQ(answer.coverage.nearest.lines, 1);
  EXPECT_EQ(answer.coverage.exact.share, 0.1);
  EXPECT_EQ(answer.shapes[1].exactness, "nearest");
  EXPECT_EQ(answer.shapes[1].leader, std::nullopt) << "what is near is not the answer";
  EXPECT_TRUE(answer.shapes[1].nearest);
  for (const TraceTotal& one : answer.implementations) {
    EXPECT_EQ(one.total, std::nullopt);
    EXPECT_THAT(one.lacking_lines, Contains(2));
  }
  EXPECT_EQ(answer.best_of_each_shape, std::nullopt);
}

TEST_F(TraceTest, ShapesOfTwoProductsAreNotAddedUp) {
  catalog.run({.id = "0351",
               .implementation = "0201",
               .workload = "0101",
               .hardware = "NVIDIA A100",
               .architecture = "sm_80",
               .value = 5,
               .spread = 1});
  TraceLine on_a100 = line(1);
  on_a100.hardware = "A100";
  const TraceAnswer answer =
      ask({.operation = "rope", .hardware = "H100", .lines = {on_a100, line(2)}});
  EXPECT_EQ(answer.shapes[0].measured_on, "NVIDIA A100");
  EXPECT_EQ(answer.shapes[1].measured_on, "NVIDIA H100");
  EXPECT_FALSE(answer.comparable);
  EXPECT_THAT(answer.incomparable_because, Contains(Field(&Reason::text, HasSubstr("hardware"))));
  EXPECT_EQ(total(answer, "quick").total, std::nullopt);
}

TEST_F(TraceTest, ANameThatMeansSeveralProductsIsSaidOnce) {
  const TraceAnswer answer =
      ask({.operation = "rope", .hardware = "H100", .lines = {line(1), line(2), line(4)}});
  EXPECT_THAT(answer.notes, ElementsAre(HasSubstr("'H100' names several products")));
}

TEST_F(TraceTest, ALineThatLeavesAnAxisOpenIsNotExact) {
  catalog.operation("0002", "silu", "silu");
  catalog.implementation("0204", "one", true);
  for (const int heads : {4, 8}) {
    const std::string id = "016" + std::to_string(heads);
    catalog.put(catalog::WorkloadRow{
        .id = uuid(id),
        .operation_id = uuid("0002"),
        .kind = "WorkloadCase",
        .workload_digest = testing::digest(id),
        .schema_version = "v1alpha1",
        .correctness_key = testing::digest("c0"),
        .shape_summary = "[]",
        .dtypes = "[]",
        .layout_keys = "[]",
        .manifest = R"({"spec":{"axes":{"n":1,"heads":)" + std::to_string(heads) +
                    R"(},"tensors":{},"correctness":{"comparator":"close"}}})",
        .created_at = TestCatalog::kTime});
    run("036" + std::to_string(heads), "0204", id, 10);
  }
  const TraceAnswer answer = ask({.operation = "silu", .lines = {line(1)}});
  EXPECT_EQ(answer.shapes[0].exactness, "open");
  EXPECT_EQ(answer.coverage.open.lines, 1);
  EXPECT_THAT(answer.notes, ElementsAre("open: several measured cases fit such a line, which "
                                        "differ in heads (4, 8); give each a column"));
  EXPECT_FALSE(answer.comparable);
}

TEST_F(TraceTest, SumsOfWhatIsNoTimeAreNotMade) {
  for (const char* id : {"0201", "0202"}) {
    catalog.run({.id = "037" + std::string(1, id[3]),
                 .implementation = id,
                 .workload = "0101",
                 .value = 4096,
                 .metric = "peak_memory",
                 .unit = "bytes"});
  }
  const TraceAnswer answer =
      ask({.operation = "rope", .metric = "peak_memory", .lines = {line(1)}});
  EXPECT_EQ(answer.shapes[0].exactness, "exact");
  EXPECT_THAT(answer.incomparable_because, ElementsAre(Field(&Reason::code, "NO_DURATION")));
  EXPECT_EQ(answer.implementations.front().total, std::nullopt);
}

TEST_F(TraceTest, LinesThatCannotBeUsedAreSetAsideByNumber) {
  TraceLine unknown{.line = 7, .axes = {{"m", 1}}};
  TraceLine heavy = line(1, -1);
  TraceLine dtype = line(1);
  dtype.dtype = "float99";
  const TraceAnswer answer = ask(
      {.operation = "rope",
       .lines = {unknown, heavy, dtype, {.line = 9, .axes = {}}, line(1.5), line(1), line(1.5)}});
  EXPECT_EQ(answer.lines, 1);
  EXPECT_EQ(answer.refused_total, 6);
  std::vector<std::int64_t> lines;
  for (const TraceRefusal& one : answer.refused) {
    EXPECT_FALSE(one.reason.empty());
    lines.push_back(one.line);
  }
  EXPECT_THAT(lines, ElementsAre(7, 2, 3, 9, 5, 7));
  EXPECT_THAT(answer.refused[0].reason, HasSubstr("there are: n"));
  EXPECT_TRUE(answer.comparable) << "of what could be used";
}

TEST_F(TraceTest, WhatIsListedIsBoundedAndWhatIsCountedIsNot) {
  TraceRequest request{.operation = "rope", .lines = {}};
  for (std::size_t i = 0; i < kTraceLinesMax; ++i) {
    request.lines.push_back(line(static_cast<double>(i) + 10));
  }
  const TraceAnswer answer = ask(request, {.limit = 5});
  EXPECT_EQ(answer.shapes.size(), 5U);
  EXPECT_EQ(answer.shapes_total, std::ssize(request.lines));
  request.lines.push_back(line(1));
  EXPECT_FALSE(catalog.resolver().trace(request));
  request.lines.clear();
  EXPECT_FALSE(catalog.resolver().trace(request));
  request.lines.push_back(line(1));
  EXPECT_FALSE(catalog.resolver().trace(request, {.limit = 0}));
  EXPECT_THAT(faults_of(request), IsEmpty());
}

}  // namespace
}  // namespace ki::query
