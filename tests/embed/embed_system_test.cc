// A snapshot of a real catalog, asked through the C library and through both examples.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "kernelindex.h"
#include "query/resolver.h"
#include "support/places.h"

namespace ki {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Ran {
  int code = 0;
  std::string out;  // standard output and standard error
};

Ran run(const std::string& command) {
  Ran ran;
  FILE* const pipe = ::popen(("(" + command + ") 2>&1").c_str(), "r");
  if (pipe == nullptr) return {.code = -1, .out = {}};
  char chunk[4096];
  while (const std::size_t count = std::fread(chunk, 1, sizeof chunk, pipe)) {
    ran.out.append(chunk, count);
  }
  const int status = ::pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

class Embedded : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    char pattern[] = "/tmp/ki-embed-XXXXXX";
    home_ = ::mkdtemp(pattern);
    const std::string ki = std::string(KI_BINARY) + " --quiet --db " + db();
    ASSERT_EQ(run(ki + " import registry --publish").code, 0);
    const Ran made = run(ki + " snapshot " + file());
    ASSERT_EQ(made.code, 0) << made.out;
  }
  static void TearDownTestSuite() { fs::remove_all(home_); }
  static std::string db() { return home_ / "ki.db"; }
  static std::string file() { return home_ / "answers.kisnap"; }

  void SetUp() override {
    char message[200];
    ASSERT_EQ(ki_snapshot_open(file().c_str(), &snapshot_, message, sizeof message), KI_OK)
        << message;
  }
  void TearDown() override { ki_snapshot_close(snapshot_); }

  static inline fs::path home_;
  ki_snapshot* snapshot_ = nullptr;
};

#ifdef KI_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
constexpr const char* kNoRuntime =
    "a program of another compiler does not bring the sanitizer that the library needs here";

constexpr std::size_t kStride = 5;
constexpr const char* kNeighborhood = "fused-neighborhood-attention";
constexpr const char* kGpu = "NVIDIA GeForce RTX 3090";

struct Axes {
  ki_axis axes[6] = {{"batch", 4},    {"seq", 2048},      {"heads", 12},
                     {"hidden", 768}, {"kernel_size", 7}, {"dilation", 1}};
  ki_case wanted(const char* pass) { return {kNeighborhood, "fp32", kGpu, pass, axes, 6}; }
};

TEST_F(Embedded, RanksLigerBeforePyTorch) {
  Axes axes;
  const ki_case wanted = axes.wanted("backward");
  ki_answer answer;
  ASSERT_EQ(ki_resolve(snapshot_, &wanted, nullptr, &answer), KI_OK);
  EXPECT_STREQ(answer.verdict, "winner");
  EXPECT_STREQ(answer.unit, "ns");
  ASSERT_EQ(answer.candidates_count, 2U);
  ki_candidate first;
  ki_candidate second;
  ASSERT_EQ(ki_candidate_at(snapshot_, &answer, 0, &first), KI_OK);
  ASSERT_EQ(ki_candidate_at(snapshot_, &answer, 1, &second), KI_OK);
  EXPECT_EQ(first.value, 15'102'833);
  EXPECT_EQ(second.value, 24'104'448);
  EXPECT_EQ(first.rank, 1);
  EXPECT_STREQ(first.name, "Liger");
  EXPECT_EQ(first.evidence, KI_REPORTED);
  EXPECT_LT(first.low, first.value);
}

TEST_F(Embedded, ChoosesTheBestThatAPolicyAllows) {
  Axes axes;
  const ki_case wanted = axes.wanted("backward");
  const ki_policy verified = {KI_VERIFIED, 0, 0, 0};
  ki_answer answer;
  ASSERT_EQ(ki_resolve(snapshot_, &wanted, &verified, &answer), KI_OK);
  EXPECT_EQ(answer.best, answer.candidates_count) << "nothing here is verified";
  const ki_policy installable = {0, 0, 1, 0};
  ASSERT_EQ(ki_resolve(snapshot_, &wanted, &installable, &answer), KI_OK);
  for (std::size_t i = 0; i < answer.best; ++i) {
    ki_candidate one;
    ASSERT_EQ(ki_candidate_at(snapshot_, &answer, i, &one), KI_OK);
    EXPECT_STREQ(one.install, "");
  }
}

// The query that asks what a case of a snapshot asks.
std::string query_of(const ki_case& one) {
  std::string text = "op:" + std::string(one.operation);
  for (std::size_t a = 0; a < one.axes_count; ++a) {
    text += ' ' + std::string(one.axes[a].name) + ':' + std::to_string(one.axes[a].value);
  }
  if (*one.dtype != '\0') text += " dtype:" + std::string(one.dtype);
  if (*one.hardware != '\0') text += " gpu:\"" + std::string(one.hardware) + '"';
  if (*one.pass != '\0') text += " pass:" + std::string(one.pass);
  return text;
}

void expect_same(const ki_snapshot* snapshot, const ki_case& one, const query::Envelope& asked) {
  ki_answer answer;
  ASSERT_EQ(ki_resolve(snapshot, &one, nullptr, &answer), KI_OK);
  ASSERT_TRUE(asked.cohort.has_value());
  EXPECT_EQ(asked.cohort->comparison_key, answer.comparison_key);
  EXPECT_EQ(asked.verdict->code, answer.verdict);
  const auto& rows = asked.groups.exact;
  ASSERT_EQ(asked.totals.exact, static_cast<std::int64_t>(answer.candidates_count));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    ki_candidate candidate;
    ASSERT_EQ(ki_candidate_at(snapshot, &answer, r, &candidate), KI_OK);
    EXPECT_EQ(rows[r].run_digest, candidate.run);
    EXPECT_EQ(rows[r].rank.value_or(0), candidate.rank);
    EXPECT_EQ(rows[r].primary->value, candidate.value);
    EXPECT_EQ(rows[r].deployability_reasons.empty(), candidate.deployable == 1);
  }
}

// Asks the resolver every `stride`th case.
void expect_same(const ki_snapshot* snapshot, const std::string& db, std::size_t stride) {
  SystemClock clock;
  auto resolver = query::Resolver::open(db, clock);
  ASSERT_TRUE(resolver.has_value());
  for (std::size_t i = 0; i < ki_case_count(snapshot); i += stride) {
    ki_axis axes[64];
    ki_case one;
    ASSERT_EQ(ki_case_at(snapshot, i, axes, 64, &one), KI_OK);
    SCOPED_TRACE(query_of(one));
    const auto asked = resolver->search(query_of(one), {.limit = query::kGroupRowsMax});
    ASSERT_TRUE(asked.has_value());
    expect_same(snapshot, one, *asked);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST_F(Embedded, AnswersEveryCaseAsTheResolverDoes) {
  ASSERT_GT(ki_case_count(snapshot_), 20U);
  expect_same(snapshot_, db(), 1);
}

TEST_F(Embedded, AnswersCasesOfALargeCatalogAsTheResolverDoes) {
  const auto exported = places::shared_data("data/catalog-2026-08-16-94af2ae7.jsonl.zst");
  if (!exported) GTEST_SKIP() << "the public export is not on this machine";
  const std::string large = home_ / "large.db";
  const std::string answers = home_ / "large.kisnap";
  const std::string ki = std::string(KI_BINARY) + " --quiet --db " + large;
  ASSERT_EQ(run(ki + " import export " + exported->string() + " --publish").code, 0);
  ASSERT_EQ(run(ki + " snapshot " + answers).code, 0);
  ki_snapshot* snapshot = nullptr;
  ASSERT_EQ(ki_snapshot_open(answers.c_str(), &snapshot, nullptr, 0), KI_OK);
  EXPECT_GT(ki_case_count(snapshot), 5000U);
  expect_same(snapshot, large, kStride);
  ki_snapshot_close(snapshot);
}

TEST_F(Embedded, RefusesWhatNoCallMayHave) {
  Axes axes;
  ki_answer answer;
  EXPECT_EQ(ki_resolve(nullptr, nullptr, nullptr, nullptr), KI_INVALID);
  ki_case odd = axes.wanted("sideways");
  EXPECT_EQ(ki_resolve(snapshot_, &odd, nullptr, &answer), KI_INVALID);
  odd = axes.wanted("backward");
  odd.axes = nullptr;
  EXPECT_EQ(ki_resolve(snapshot_, &odd, nullptr, &answer), KI_INVALID);
  odd = axes.wanted("backward");
  odd.axes_count = 5;
  EXPECT_EQ(ki_resolve(snapshot_, &odd, nullptr, &answer), KI_NOT_FOUND);
  const ki_case good = axes.wanted("backward");
  ASSERT_EQ(ki_resolve(snapshot_, &good, nullptr, &answer), KI_OK);
  ki_candidate candidate;
  EXPECT_EQ(ki_candidate_at(snapshot_, &answer, 2, &candidate), KI_INVALID);
  answer.handle = 1'000'000;
  EXPECT_EQ(ki_candidate_at(snapshot_, &answer, 0, &candidate), KI_INVALID);
  ki_case one;
  EXPECT_EQ(ki_case_at(snapshot_, ki_case_count(snapshot_), nullptr, 0, &one), KI_INVALID);
}

TEST_F(Embedded, SaysWhyAFileCannotBeOpened) {
  ki_snapshot* none = snapshot_;
  char message[200];
  const std::string absent = home_ / "absent";
  EXPECT_EQ(ki_snapshot_open(absent.c_str(), &none, message, sizeof message), KI_UNREADABLE);
  EXPECT_EQ(none, nullptr);
  EXPECT_THAT(message, HasSubstr("No such file"));
  EXPECT_EQ(ki_snapshot_open(db().c_str(), &none, message, sizeof message), KI_DAMAGED);
  EXPECT_EQ(none, nullptr);
  char short_message[8];
  EXPECT_EQ(ki_snapshot_open(db().c_str(), &none, short_message, sizeof short_message), KI_DAMAGED);
  EXPECT_EQ(std::string(short_message).size(), 7U);
}

TEST_F(Embedded, TakesThePlaceOfASnapshotAndOfNothingElse) {
  const std::string ki = std::string(KI_BINARY) + " --db " + db();
  const std::string again = home_ / "again.kisnap";
  EXPECT_EQ(run(ki + " snapshot " + again).code, 0);
  EXPECT_EQ(run(ki + " snapshot " + again).code, 0);
  const std::string notes = home_ / "notes.txt";
  std::ofstream(notes) << "mine";
  const Ran refused = run(ki + " snapshot " + notes);
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.out, HasSubstr("is no snapshot"));
  std::string kept;
  std::ifstream(notes) >> kept;
  EXPECT_EQ(kept, "mine");
}

TEST_F(Embedded, ServesManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      Axes axes;
      const ki_case wanted = axes.wanted("backward");
      for (int i = 0; i < 1000; ++i) {
        ki_answer answer;
        if (ki_resolve(snapshot_, &wanted, nullptr, &answer) == KI_OK) ++right;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 4000);
}

std::string question() {
  return std::string(" ") + kNeighborhood + " '" + kGpu +
         "' backward batch=4 seq=2048 heads=12 hidden=768 kernel_size=7 dilation=1";
}

TEST_F(Embedded, ExampleInCAnswers) {
  const Ran listed = run(std::string(KI_EXAMPLE) + ' ' + file());
  EXPECT_EQ(listed.code, 0);
  EXPECT_THAT(listed.out, HasSubstr(kNeighborhood));
  const Ran asked = run(std::string(KI_EXAMPLE) + ' ' + file() + question());
  EXPECT_EQ(asked.code, 0);
  EXPECT_THAT(asked.out, StartsWith("median latency on NVIDIA GeForce RTX 3090: winner\n"));
  EXPECT_THAT(asked.out, HasSubstr("15102833 ns"));
  EXPECT_EQ(run(std::string(KI_EXAMPLE) + ' ' + file() + " rope '' '' seq=1").code, 1);
}

// The commands that a comment gives: lines set in by three blanks, "\\" going on in the next.
std::string commands_of(const fs::path& source) {
  std::ifstream in(source);
  std::string commands;
  for (std::string line; std::getline(in, line) && line != " */";) {
    if (line.starts_with(" *   ")) commands += line.substr(5) + '\n';
  }
  return commands;
}

TEST_F(Embedded, TheCommandsOfTheExampleInCRunAsTheyStand) {
  if (kSanitized) GTEST_SKIP() << kNoRuntime;
  const std::string commands = commands_of(places::source_dir() / "examples/embed/fastest.c");
  ASSERT_THAT(commands, StartsWith("cmake --build "));  // which has been done here
  const std::string prepare = "set -e; cd '" + home_.string() + "'; ln -sfn '" +
                              places::source_dir().string() + "/src' src; ln -sfn '" +
                              places::source_dir().string() +
                              "/examples' examples; mkdir -p build; " + "ln -sfn '" +
                              fs::path(KI_LIBRARY).parent_path().string() +
                              "' build/release; unset LD_LIBRARY_PATH; cmake() { :; }\n";
  const Ran done = run(prepare + commands);
  EXPECT_EQ(done.code, 0) << done.out;
  EXPECT_THAT(done.out, HasSubstr("15102833 ns"));
}

TEST_F(Embedded, TheExampleInCSaysWhichPassesThereAre) {
  const Ran asked = run(std::string(KI_EXAMPLE) + ' ' + file() + " rope '' backwards seq=1");
  EXPECT_EQ(asked.code, 1);
  EXPECT_THAT(asked.out, HasSubstr("backwards: the pass is forward, backward, full or \"\""));
}

TEST_F(Embedded, HardwareIsFoundUnderEveryNameThatAnswersPrint) {
  for (const char* const name : {"NVIDIA A100", "NVIDIA A100-SXM4-80GB", "NVIDIA A100 SXM4-80GB"}) {
    ki_axis rope[] = {{"hidden", 8192}, {"kv_heads", 8}, {"q_heads", 32}, {"seq", 16384}};
    const ki_case wanted = {"rope", nullptr, name, "backward", rope, std::size(rope)};
    ki_answer answer;
    EXPECT_EQ(ki_resolve(snapshot_, &wanted, nullptr, &answer), KI_OK) << name;
  }
}

TEST_F(Embedded, ExampleInPythonAnswersTheSame) {
  if (kSanitized) GTEST_SKIP() << kNoRuntime;
  const fs::path script = places::source_dir() / "examples/embed/fastest.py";
  const Ran asked =
      run("python3 -B " + script.string() + ' ' + KI_LIBRARY + ' ' + file() + question());
  EXPECT_EQ(asked.code, 0) << asked.out;
  EXPECT_THAT(asked.out, StartsWith("median latency on NVIDIA GeForce RTX 3090: winner\n"));
  EXPECT_THAT(asked.out, HasSubstr("15102833 ns"));
}

}  // namespace
}  // namespace ki
