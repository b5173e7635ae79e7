// The same question on five surfaces: the program, the API, the tools for agents, the page, and for
// exact cases the C library. Leader, value, rank list and comparison key are the same on all.
#include "tests/surfaces/surfaces.h"

#include <gtest/gtest.h>

#include "support/places.h"

namespace ki::surfaces {
namespace {

constexpr std::size_t kPageRows =
    20;  // that a page of results shows at least, where there are more

// The page may be the first of several: what it shows is what the others begin with.
void expect_page(const Said& expected, const Said& page) {
  Said begin = expected;
  if (begin.ranks.size() > page.ranks.size() && page.ranks.size() >= kPageRows) {
    begin.ranks.resize(page.ranks.size());
  }
  EXPECT_EQ(to_string(page), to_string(begin)) << "the page";
}

// Asks all of them; gives what the API says.
std::vector<Said> expect_one_answer(const Surfaces& surfaces,
                                    const std::vector<Question>& questions) {
  std::vector<Said> out;
  const auto agents = surfaces.agents(questions);
  EXPECT_EQ(agents.size(), questions.size());
  for (std::size_t i = 0; i < questions.size(); ++i) {
    SCOPED_TRACE(questions[i].words + " " + questions[i].structure);
    const Said& api = out.emplace_back(surfaces.api(questions[i]));
    EXPECT_EQ(to_string(surfaces.program(questions[i])), to_string(api)) << "the program";
    if (i < agents.size()) {
      EXPECT_EQ(to_string(agents[i]), to_string(api)) << "agents";
    }
    expect_page(api, surfaces.page(questions[i]));
  }
  return out;
}

// Every `stride`th case of the snapshot, on all five.
void expect_cases(const Surfaces& surfaces, std::size_t stride) {
  std::vector<ki_case> cases;
  std::vector<std::vector<ki_axis>> axes;
  std::vector<Question> questions;
  const std::size_t count = ki_case_count(surfaces.snapshot());
  axes.reserve(count);
  for (std::size_t i = 0; i < count; i += stride) {
    ki_case one;
    auto& own = axes.emplace_back(64);
    ASSERT_EQ(ki_case_at(surfaces.snapshot(), i, own.data(), own.size(), &one), KI_OK);
    questions.push_back(question_of(one));
    cases.push_back(one);
  }
  const auto said = expect_one_answer(surfaces, questions);
  ASSERT_EQ(said.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_NE(said[i].leader, "") << questions[i].words;
    EXPECT_EQ(to_string(surfaces.library(cases[i])), to_string(said[i]))
        << "the library: " << questions[i].words;
  }
}

// Which of the answers have a leader.
std::string led(const std::vector<Said>& all) {
  std::string out;
  for (const Said& said : all) out += said.leader.empty() ? '.' : '1';
  return out;
}

TEST(Surfaces, TheRegistryIsAnsweredAlikeOnAllFive) {
  const Surfaces surfaces("registry");
  // Exact, ambiguous hardware, unmeasured, facets, structured, and nothing found.
  const auto said = expect_one_answer(
      surfaces, {{"op:fused-neighborhood-attention batch:4 seq:2048 heads:12 gpu:\"NVIDIA GeForce "
                  "RTX 3090\""},
                 {"op:rope a100"},
                 {"op:rope seq:12345"},
                 {"op:rope language:triton"},
                 {"op:rope gpu:A100",
                  R"({"operation":{"name":"rope"},"environment":{"hardwareProduct":"A100"}})"},
                 {"op:rope h100"}});
  EXPECT_EQ(led(said), "11.11.");
  ki_axis axis = {"seq", 12345};
  const ki_case unmeasured = {"rope", "", "", "", &axis, 1};
  EXPECT_EQ(to_string(surfaces.library(unmeasured)), to_string(Said{})) << "no answer is invented";
  expect_cases(surfaces, 1);
}

TEST(Surfaces, AnExportIsAnsweredAlikeOnAllFive) {
  const auto exported = places::shared_data("data/catalog-2026-08-16-94af2ae7.jsonl.zst");
  if (!exported) GTEST_SKIP() << "the public export is not on this machine";
  const Surfaces surfaces("export '" + exported->string() + "'");
  const auto said = expect_one_answer(
      surfaces, {{"op:rmsnorm-h4096 batch_size:7"},
                 {"trimul H100"},
                 {"op:rmsnorm-h4096 batch_size:10"},
                 {"trimul A100 language:python"},
                 {"op:rmsnorm-h4096 batch_size:34",
                  R"({"operation":{"name":"rmsnorm-h4096","axes":{"batch_size":34}}})"},
                 {"gpumode-amd-fp8-mm"}});
  EXPECT_EQ(led(said), "11.111");
  expect_cases(surfaces, 400);
}

}  // namespace
}  // namespace ki::surfaces
