// Kernels that come from shared libraries, as a host uses them: the examples, and providers of ours
// over libraries of others.
#include <filesystem>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/provider.h"
#include "kernels/registry.h"
#include "kernels/trial.h"

namespace ki::kernels {
namespace {

using ::testing::HasSubstr;

std::string name_of(const ki_kernel& kernel) {
  return std::string(kernel.provider) + " " + kernel.variant + " " + kernel.operation + " " +
         kernel.pass;
}

// A kernel on random cases that it accepts: ragged, of one element, with padding between rows,
// beside any boundary. How many were checked.
int check_kernel(const ki_kernel& kernel, std::mt19937_64& random, int rounds) {
  constexpr Distribution kDistributions[] = {Distribution::bell, Distribution::uniform,
                                             Distribution::outliers, Distribution::shifted};
  Pass pass{};
  EXPECT_TRUE(read_pass(kernel.pass, pass));
  const Operation* operation = find_operation(kernel.operation);
  if (operation == nullptr) return 0;
  int checked = 0;
  for (int round = 0; round < rounds; ++round) {
    const Bound bound = random_case(*operation, pass, random, random() % 2 * 3);
    if (!serves(kernel, bound)) continue;
    Plan plan;
    const Answer answer = prepare(kernel, bound, 1 + static_cast<unsigned>(random() % 3), plan);
    if (answer.status == KI_KERNEL_UNSUPPORTED) {
      EXPECT_NE(answer.reason, "");
      continue;
    }
    Trial trial(bound, kDistributions[random() % 4], random(), random() % 2);
    EXPECT_TRUE(answer.ok()) << answer.reason << " " << trial.describe();
    if (!answer.ok()) continue;
    // Twice: what one call leaves behind must not reach the next.
    for (int call = 0; call < 2; ++call) {
      EXPECT_EQ(trial.launch(plan), KI_KERNEL_OK);
      EXPECT_EQ(trial.problem(), "") << name_of(kernel) << ", " << trial.describe();
    }
    ++checked;
  }
  return checked;
}

int check_library(const Library& library) {
  std::mt19937_64 random(20260102);
  int checked = 0;
  for (const ki_kernel* kernel : library.kernels) checked += check_kernel(*kernel, random, 60);
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

class Companions : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Each, Companions, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const Companion& one : companions()) {
                             names.emplace_back(one.provider);
                           }
                           return names;
                         }()),
                         [](const auto& one) { return one.param; });

TEST_P(Companions, EveryKernelIsRightOnRandomShapes) {
  const auto& all = companions();
  const auto one = std::find_if(
      all.begin(), all.end(), [](const Companion& known) { return known.provider == GetParam(); });
  const auto file = std::filesystem::path(KI_PROGRAM_FOLDER) / one->file;
  if (!std::filesystem::exists(file)) {
    GTEST_SKIP() << "provider " << one->provider << " is not built here: it needs " << one->needs;
  }
  Library library;
  std::string problem;
  ASSERT_TRUE(load_library(file.string(), library, problem)) << problem;
  EXPECT_FALSE(library.kernels.empty());
  std::mt19937_64 random(20260103);
  for (const ki_kernel* kernel : library.kernels) {
    EXPECT_EQ(kernel->provider, one->provider);
    EXPECT_GT(check_kernel(*kernel, random, 20), 0) << name_of(*kernel) << " accepted no case";
  }
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
