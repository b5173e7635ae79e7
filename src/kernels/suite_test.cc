// Every kernel of the suite against the float64 reference, and the references against themselves.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "kernels/native/bf16.h"
#include "kernels/native/native.h"
#include "kernels/problem.h"
#include "kernels/provider.h"
#include "kernels/registry.h"
#include "kernels/trial.h"

namespace ki::kernels {
namespace {

constexpr Distribution kDistributions[] = {Distribution::bell, Distribution::uniform,
                                           Distribution::outliers, Distribution::shifted};

std::vector<Pass> passes_of(const Operation& operation) {
  if (!operation.has(Pass::backward)) return {Pass::forward};
  return {Pass::forward, Pass::backward, Pass::full};
}

std::vector<const ki_kernel*> kernels_of(const Bound& bound, std::string_view provider) {
  std::vector<const ki_kernel*> list;
  for (const ki_kernel* kernel : built_in_kernels()) {
    if (kernel->provider == provider && serves(*kernel, bound)) list.push_back(kernel);
  }
  return list;
}

class Suite : public testing::TestWithParam<std::string> {
 protected:
  const Operation& operation() const { return *find_operation(GetParam()); }
  std::mt19937_64 random{20260101};
};

INSTANTIATE_TEST_SUITE_P(Each, Suite, testing::ValuesIn([] {
                           std::vector<std::string> slugs;
                           for (const auto& operation : operations()) {
                             slugs.push_back(operation.slug);
                           }
                           return slugs;
                         }()),
                         [](const auto& one) {
                           std::string name = one.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST_P(Suite, NativeAgreesWithTheReferenceOnRandomShapes) {
  int tried = 0;
  for (int round = 0; round < 60; ++round) {
    for (const Pass pass : passes_of(operation())) {
      const std::int64_t padding = static_cast<std::int64_t>(random() % 3) * 5;
      const Bound bound = random_case(operation(), pass, random, padding);
      for (const ki_kernel* kernel : kernels_of(bound, "native")) {
        Trial trial(bound, kDistributions[random() % 4], random(), random() % 2);
        Plan plan;
        const unsigned threads = 1 + static_cast<unsigned>(random() % 3);
        const double before = native::set_streaming_bytes_min(random() % 2 == 0 ? 0 : 1e9);
        const Answer answer = prepare(*kernel, bound, threads, plan);
        native::set_streaming_bytes_min(before);
        // Both ways of rounding to bf16 and of multiplying it, where the processor has
        // instructions.
        const bool has_instructions = native::has_bf16_instructions;
        native::has_bf16_instructions = has_instructions && random() % 2 == 0;
        ASSERT_TRUE(answer.ok()) << answer.reason << "\n" << trial.describe();
        ASSERT_EQ(trial.launch(plan), KI_KERNEL_OK);
        native::has_bf16_instructions = has_instructions;
        EXPECT_EQ(trial.problem(), "") << trial.describe() << " threads " << threads;
        ++tried;
      }
    }
  }
  EXPECT_GT(tried, 0) << "no native kernel of " << operation().slug;
}

// Where the reference has a NaN, a kernel that skips it hides a fault of the program that calls it.
TEST_P(Suite, NativeKeepsNaN) {
  for (const Pass pass : passes_of(operation())) {
    const Bound bound = telling_case(operation(), pass, operation().dtypes.front());
    for (const ki_kernel* kernel : kernels_of(bound, "native")) {
      for (std::size_t i = 0; i < bound.inputs.size(); ++i) {
        if (bound.inputs[i].dtype != KI_KERNEL_FP32) continue;
        Trial trial(bound, Distribution::bell, 3, 0);
        trial.set_input(i, trial.inputs()[i].size() / 2, std::numeric_limits<double>::quiet_NaN());
        Plan plan;
        ASSERT_TRUE(prepare(*kernel, bound, 2, plan).ok());
        ASSERT_EQ(trial.launch(plan), KI_KERNEL_OK);
        const Values actual = trial.outputs();
        for (std::size_t j = 0; j < actual.size(); ++j) {
          const auto& expected = trial.expected().values[j];
          for (std::size_t k = 0; k < expected.size(); ++k) {
            ASSERT_EQ(std::isnan(actual[j][k]), std::isnan(expected[k]))
                << trial.describe() << ": NaN in " << bound.inputs[i].name << ", "
                << bound.outputs[j].name << "[" << k << "]";
          }
        }
      }
    }
  }
}

TEST_P(Suite, NativeIsTheSameAtEachCall) {
  for (const Pass pass : passes_of(operation())) {
    const Bound bound = random_case(operation(), pass, random, 0);
    for (const ki_kernel* kernel : kernels_of(bound, "native")) {
      Trial trial(bound, Distribution::bell, 7, 0);
      Plan plan;
      ASSERT_TRUE(prepare(*kernel, bound, 2, plan).ok());
      ASSERT_EQ(trial.launch(plan), KI_KERNEL_OK);
      const Values first = trial.outputs();
      ASSERT_EQ(trial.launch(plan), KI_KERNEL_OK);
      EXPECT_EQ(trial.outputs(), first) << trial.describe();
    }
  }
}

TEST_P(Suite, ReferenceIsAKernelOfEveryPassAndType) {
  for (const Pass pass : passes_of(operation())) {
    for (const Dtype dtype : operation().dtypes) {
      Bound bound = random_case(operation(), pass, random, 3, dtype);
      const auto kernels = kernels_of(bound, "reference");
      ASSERT_EQ(kernels.size(), 1U);
      Trial trial(bound, Distribution::bell, 1, 0);
      Plan plan;
      ASSERT_TRUE(prepare(*kernels[0], bound, 1, plan).ok());
      ASSERT_EQ(trial.launch(plan), KI_KERNEL_OK);
      EXPECT_EQ(trial.problem(), "") << trial.describe();
    }
  }
}

// What a comparison is for: each of these is not the result, and none may pass for it.
TEST_P(Suite, TolerancesRefuseWhatIsNoResult) {
  for (const Pass pass : passes_of(operation())) {
    for (const Dtype dtype : operation().dtypes) {
      const Bound bound = telling_case(operation(), pass, dtype);
      Trial trial(bound, Distribution::bell, 1, 0);
      Trial other(bound, Distribution::bell, 2, 0);
      for (std::size_t i = 0; i < bound.outputs.size(); ++i) {
        const Tensor& output = bound.outputs[i];
        const auto& expected = trial.expected().values[i];
        const Allowance allowance = allowance_of(bound, trial.expected(), i);
        const auto is_refused = [&](const std::vector<double>& values) {
          Buffer buffer(output);
          store_values(output, values, buffer.data());
          return !compare(output, buffer.data(), expected, allowance).ok();
        };
        const std::string what = trial.describe() + " " + output.name;
        EXPECT_FALSE(is_refused(expected)) << what;
        EXPECT_TRUE(is_refused(std::vector<double>(expected.size(), 0.0))) << what << ": zeros";
        EXPECT_TRUE(is_refused(other.expected().values[i])) << what << ": a stale output";
        Buffer untouched(output);
        poison(output, untouched.data());
        EXPECT_FALSE(compare(output, untouched.data(), expected, allowance).ok())
            << what << ": nothing written";
        if (output.dtype != KI_KERNEL_INT32 && output.dtype != KI_KERNEL_INT8) {
          auto one_nan = expected;
          one_nan.back() = std::numeric_limits<double>::quiet_NaN();
          EXPECT_TRUE(is_refused(one_nan)) << what << ": one NaN";
        }
        for (std::size_t input = 0; input < bound.inputs.size(); ++input) {
          if (trial.inputs()[input].size() != expected.size()) continue;
          if (trial.inputs()[input] == expected) continue;  // a copy is its input
          EXPECT_TRUE(is_refused(trial.inputs()[input]))
              << what << ": the input " << bound.inputs[input].name;
        }
      }
    }
  }
}

// The derivative of sum(output * its gradient) by central differences, at random places.
TEST_P(Suite, GradientsAreThoseOfFiniteDifferences) {
  if (!operation().has(Pass::backward)) GTEST_SKIP() << "it has no backward pass";
  for (int round = 0; round < 8; ++round) {
    const Bound full = random_case(operation(), Pass::full, random, 0, KI_KERNEL_FP32);
    Trial trial(full, Distribution::bell, random(), 0);
    const auto loss = [&](const Values& inputs) {
      Expected forward = evaluate(full, inputs);
      if (operation().held != nullptr) {
        for (std::vector<double>& values : forward.values) {
          std::fill(values.begin(), values.end(), 0.0);
        }
        operation().held({full.axes, full.scalars}, inputs, trial.inputs(), forward);
      }
      const Values& outputs = forward.values;
      double sum = 0;
      for (std::size_t i = 0; i < operation().outputs.size(); ++i) {
        const std::string upstream = "d" + operation().outputs[i].name;
        for (std::size_t j = 0; j < full.inputs.size(); ++j) {
          if (full.inputs[j].name != upstream) continue;
          for (std::size_t k = 0; k < outputs[i].size(); ++k) {
            sum += outputs[i][k] * inputs[j][k];
          }
        }
      }
      return sum;
    };
    for (std::size_t i = 0; i < full.inputs.size(); ++i) {
      const std::string gradient = "d" + full.inputs[i].name;
      for (std::size_t j = operation().outputs.size(); j < full.outputs.size(); ++j) {
        if (full.outputs[j].name != gradient) continue;
        for (int sample = 0; sample < 4; ++sample) {
          Values inputs = trial.inputs();
          const std::size_t at = random() % inputs[i].size();
          const double step = 1e-5;
          const double before = inputs[i][at];
          inputs[i][at] = before + step;
          const double above = loss(inputs);
          inputs[i][at] = before - step;
          const double below = loss(inputs);
          const double expected = trial.expected().values[j][at];
          EXPECT_NEAR((above - below) / (2 * step), expected, 1e-6 + 2e-6 * std::abs(expected))
              << gradient << "[" << at << "] " << trial.describe();
        }
      }
    }
  }
}

TEST_P(Suite, NamedCasesFit) {
  std::set<std::string> names;
  EXPECT_FALSE(operation().cases.empty());
  for (const NamedCase& named : operation().cases) {
    Bound bound;
    std::string problem;
    const Case one{operation().slug, Pass::forward, named.dtype, named.axes, {}};
    EXPECT_TRUE(bind(one, bound, problem)) << named.name << ": " << problem;
    EXPECT_TRUE(names.insert(named.name).second) << named.name;
    EXPECT_GT(bound.bytes(), 0);
  }
}

// Random shapes are small: these keys take several blocks, so that what was summed below one
// block's largest score is scaled to the next one's, and the last block is not whole.
TEST(Attention, ManyKeysAreTakenInSeveralBlocks) {
  for (const Dtype dtype : {KI_KERNEL_FP32, KI_KERNEL_BF16}) {
    for (const std::int64_t seq : {300, 577}) {
      Bound bound;
      std::string problem;
      const Case one{
          "causal-scaled-dot-product-attention",
          Pass::forward,
          dtype,
          {{"batch", 1}, {"q_heads", 2}, {"kv_heads", 1}, {"seq", seq}, {"head_dim", 40}},
          {}};
      ASSERT_TRUE(kernels::bind(one, bound, problem)) << problem;
      for (const ki_kernel* kernel : kernels_of(bound, "native")) {
        for (const Distribution distribution : {Distribution::bell, Distribution::outliers}) {
          Trial trial(bound, distribution, 11, 0);
          Plan plan;
          ASSERT_TRUE(prepare(*kernel, bound, 2, plan).ok());
          ASSERT_EQ(trial.launch(plan), KI_KERNEL_OK);
          EXPECT_EQ(trial.problem(), "") << trial.describe();
        }
      }
    }
  }
}

// Rows long enough for the ways that short ones do not take, with the largest value at the end, in
// the middle, or nowhere but among negative ones.
TEST(Softmax, LongRowsWithTheLargestValueAnywhere) {
  for (const char* slug : {"softmax", "cross-entropy"}) {
    for (const Dtype dtype : {KI_KERNEL_FP32, KI_KERNEL_BF16}) {
      const bool is_loss = std::string(slug) == "cross-entropy";
      const std::map<std::string, std::int64_t> axes =
          is_loss ? std::map<std::string, std::int64_t>{{"tokens", 3}, {"vocab", 4517}}
                  : std::map<std::string, std::int64_t>{{"rows", 3}, {"hidden", 4517}};
      Bound bound;
      std::string problem;
      Case one{slug, Pass::forward, dtype, {}, {}};
      one.axes.assign(axes.begin(), axes.end());
      ASSERT_TRUE(kernels::bind(one, bound, problem)) << problem;
      for (const double large : {300.0, -300.0}) {
        for (const std::size_t at : {std::size_t{0}, std::size_t{2300}, std::size_t{4516}}) {
          Trial trial(bound, Distribution::bell, 3, 0);
          for (std::size_t row = 0; row < 3; ++row) trial.set_input(0, row * 4517 + at, large);
          for (const ki_kernel* kernel : kernels_of(bound, "native")) {
            Plan plan;
            ASSERT_TRUE(prepare(*kernel, bound, 2, plan).ok());
            ASSERT_EQ(trial.launch(plan), KI_KERNEL_OK);
            EXPECT_EQ(trial.problem(), "") << trial.describe() << ' ' << large << " at " << at;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ki::kernels
