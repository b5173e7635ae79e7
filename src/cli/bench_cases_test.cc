#include "cli/bench_cases.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/values.h"
#include "kernels/registry.h"

namespace ki::cli {
namespace {

using testing::HasSubstr;

kernels::Bound bound_of(const BenchAsk& ask) {
  kernels::Case one;
  one.operation = ask.operation;
  EXPECT_TRUE(kernels::read_pass(ask.pass, one.pass));
  EXPECT_TRUE(kernels::read_dtype(ask.dtype, one.dtype));
  one.axes.assign(ask.axes.begin(), ask.axes.end());
  kernels::Bound bound;
  std::string problem;
  EXPECT_TRUE(kernels::bind(one, bound, problem)) << ask.title() << ": " << problem;
  return bound;
}

TEST(Tour, StaysWithinItsLimitsAndSaysWhatItMadeSmaller) {
  const auto cases = bench_cases({});
  ASSERT_TRUE(cases) << to_string(cases.error());
  std::set<std::string> operations;
  for (const BenchAsk& ask : *cases) {
    operations.insert(ask.operation);
    const kernels::Bound bound = bound_of(ask);
    EXPECT_LE(bound.bytes(), kTourBytesMax) << ask.title();
    EXPECT_LE(bound.flops(), kTourOperationsMax) << ask.title();
    const kernels::Operation& operation = *kernels::find_operation(ask.operation);
    const bool is_whole = std::ranges::any_of(operation.cases, [&](const auto& named) {
      return std::map(named.axes.begin(), named.axes.end()) == ask.axes;
    });
    EXPECT_EQ(is_whole, ask.scaled.empty()) << ask.title() << ": " << ask.scaled;
    if (ask.operation == "rope") {
      EXPECT_THAT(ask.scaled, HasSubstr(" of 16384"));
    }
    if (ask.operation == "sparse-multi-token-attention") {
      EXPECT_EQ(ask.scaled, "");
    }
  }
  for (const char* one : {"sparse-multi-token-attention", "rope", "rms-norm", "layer-norm",
                          "softmax", "swiglu", "cross-entropy", "gemm"}) {
    EXPECT_TRUE(operations.contains(one)) << one;
  }
}

TEST(Tour, TakesTheOptionsThatFitAndRefusesWhatFitsNothing) {
  MeasureOptions backward;
  backward.pass = "backward";
  const auto cases = bench_cases(backward);
  ASSERT_TRUE(cases) << to_string(cases.error());
  for (const BenchAsk& ask : *cases) EXPECT_EQ(ask.pass, "backward");
  MeasureOptions nonsense;
  nonsense.dtype = "fp3";
  EXPECT_FALSE(bench_cases(nonsense));
  MeasureOptions axis;
  axis.axes = "no_such_axis=3";
  const auto refused = bench_cases(axis);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("has no axis no_such_axis"));
}

TEST(Sweep, IsEveryCombinationOverTheFirstCase) {
  MeasureOptions options;
  options.operations = {"RMSNorm"};
  options.axes = "rows=1..4*2,hidden=100..300+100";
  const auto cases = bench_cases(options);
  ASSERT_TRUE(cases) << to_string(cases.error());
  ASSERT_EQ(cases->size(), 9U);
  for (const BenchAsk& ask : *cases) EXPECT_EQ(ask.scaled, "") << "what is asked for is measured";
  options.operations = {"rope"};
  options.axes = "";
  EXPECT_EQ(bench_cases(options)->front().axes.at("seq"), 16384);
}

TEST(Time, IsSecondsMinutesOrHours) {
  EXPECT_EQ(seconds_of("90"), 90);
  EXPECT_EQ(seconds_of("20s"), 20);
  EXPECT_EQ(seconds_of("5m"), 300);
  EXPECT_EQ(seconds_of("24h"), 86400);
  for (const char* wrong :
       {"", "0", "-1", "5 m", "5x", "25h", "86401", "1441m", "m", "1.5m", "99999999999999999999"}) {
    EXPECT_EQ(seconds_of(wrong), 0) << wrong;
  }
}

}  // namespace
}  // namespace ki::cli
