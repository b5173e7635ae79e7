// Kernels that come from shared libraries: the examples, as a host uses them.
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/provider.h"
#include "kernels/registry.h"
#include "kernels/trial.h"

namespace ki::kernels {
namespace {

using ::testing::HasSubstr;

// Every kernel of a library on random cases that it accepts; how many were checked.
int check_library(const Library& library) {
  std::mt19937_64 random(20260102);
  int checked = 0;
  for (const ki_kernel* kernel : library.kernels) {
    Pass pass{};
    EXPECT_TRUE(read_pass(kernel->pass, pass));
    const Operation* operation = find_operation(kernel->operation);
    if (operation == nullptr) continue;
    for (int round = 0; round < 60; ++round) {
      const Bound bound = random_case(*operation, pass, random, random() % 2 * 3);
      if (!serves(*kernel, bound)) continue;
      Plan plan;
      const Answer answer = prepare(*kernel, bound, 1 + static_cast<unsigned>(random() % 3), plan);
      if (answer.status == KI_KERNEL_UNSUPPORTED) {
        EXPECT_NE(answer.reason, "");
        continue;
      }
      EXPECT_TRUE(answer.ok()) << answer.reason;
      Trial trial(bound, Distribution::bell, random(), 0);
      EXPECT_EQ(trial.launch(plan), KI_KERNEL_OK);
      EXPECT_EQ(trial.problem(), "") << trial.describe();
      ++checked;
    }
  }
  return checked;
}

TEST(Library, TheExampleInCIsRight) {
  Library library;
  std::string problem;
  ASSERT_TRUE(load_library(KI_EXAMPLE_C, library, problem)) << problem;
  EXPECT_EQ(library.name, "example in C");
  EXPECT_GT(check_library(library), 3);
}

TEST(Library, TheExampleInCppIsRight) {
  Library library;
  std::string problem;
  ASSERT_TRUE(load_library(KI_EXAMPLE_CPP, library, problem)) << problem;
  EXPECT_EQ(library.kernels.size(), 2U);
  EXPECT_GT(check_library(library), 20);
}

TEST(Library, AConstraintIsCheckedBeforeTheKernelIsAsked) {
  Library library;
  std::string problem;
  ASSERT_TRUE(load_library(KI_EXAMPLE_C, library, problem)) << problem;
  Bound bound;
  const Case one{"rms-norm", Pass::forward, KI_KERNEL_FP32, {{"rows", 2}, {"hidden", 6}}, {}};
  ASSERT_TRUE(bind(one, bound, problem)) << problem;
  Plan plan;
  const Answer answer = prepare(*library.kernels[0], bound, 1, plan);
  EXPECT_EQ(answer.status, KI_KERNEL_UNSUPPORTED);
  EXPECT_EQ(answer.reason, "hidden must be a multiple of 4");
}

TEST(Library, WhatIsNoneSaysSo) {
  Library library;
  std::string problem;
  EXPECT_FALSE(load_library("/no/such/file.so", library, problem));
  EXPECT_THAT(problem, HasSubstr("/no/such/file.so"));
  EXPECT_FALSE(load_library(KI_NOT_A_KERNEL, library, problem));
  EXPECT_THAT(problem, HasSubstr("exports no ki_kernel_library_v1"));
}

ki_kernel_status not_here(char* message, std::size_t message_size) {
  std::snprintf(message, message_size, "needs an NPU");
  return KI_KERNEL_UNAVAILABLE;
}

TEST(Library, NotOnThisMachineIsAnAnswer) {
  ki_kernel kernel = *built_in_kernels().front();
  kernel.available = not_here;
  Bound bound;
  std::string problem;
  const Case one{"rms-norm", Pass::forward, KI_KERNEL_FP32, {{"rows", 2}, {"hidden", 6}}, {}};
  ASSERT_TRUE(bind(one, bound, problem)) << problem;
  Plan plan;
  const Answer answer = prepare(kernel, bound, 1, plan);
  EXPECT_EQ(answer.status, KI_KERNEL_UNAVAILABLE);
  EXPECT_EQ(answer.reason, "needs an NPU");
}

}  // namespace
}  // namespace ki::kernels
