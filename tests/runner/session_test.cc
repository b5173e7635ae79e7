// A session as `ki bench` has it, the child being the built program.

#include "runner/session.h"

#include <filesystem>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/evaluate.h"

namespace ki::runner {
namespace {

using testing::Contains;
using testing::HasSubstr;

Request request_of(std::vector<KernelName> candidates) {
  Request request;
  request.operation = "rms-norm";
  request.axes = {{"rows", 16}, {"hidden", 64}};
  request.protocol = find_protocol("paired-hot-busy/1");
  request.candidates = std::move(candidates);
  request.version = "test";
  request.answer_time = std::chrono::seconds(20);
  request.launch_time = std::chrono::seconds(1);
  request.program = KI_BINARY;
  return request;
}

KernelName hostile(const std::string& variant) { return {"hostile", variant, KI_HOSTILE, "c"}; }

const Measured& measured(const Evidence& evidence, const std::string& variant) {
  for (const Measured& m : evidence.session.candidates) {
    if (m.variant == variant) return m;
  }
  ADD_FAILURE() << "no candidate " << variant;
  return evidence.session.candidates.front();
}

TEST(Session, MeasuresWhatIsGoodAndItsClaimsFollow) {
  Request request = request_of({{"native", "", "", ""}, hostile("good")});
  request.launch_time = std::chrono::seconds(0);  // a slow machine: no launch has time for more
  const auto evidence = measure_session(request, read_facts(), SystemClock());
  ASSERT_TRUE(evidence) << to_string(evidence.error());
  const Session& s = evidence->session;
  ASSERT_EQ(s.candidates.size(), 2U);
  for (const Measured& m : s.candidates) {
    EXPECT_EQ(m.status, "passed") << m.text << "\n" << m.log;
    EXPECT_GT(m.outputs_checked, 3) << "timed outputs are checked, too";
    EXPECT_LE(m.worst_error, 1);
  }
  EXPECT_EQ(s.lineup, (std::vector<std::int64_t>{0, 1, 0}));
  EXPECT_EQ(evidence->launches.size(), 5U);
  EXPECT_THAT(s.confined, Contains("seccomp"));
  EXPECT_GT(s.tick_ns, 0);
  EXPECT_TRUE(check_claims(*evidence)) << to_string(check_claims(*evidence).error());
  EXPECT_EQ(evidence->runs.size(), 2U);
  const Evaluation e = evaluate(s, evidence->launches);
  EXPECT_EQ(e.timings.size(), 2U);
  EXPECT_EQ(e.launches, 5U);
  EXPECT_EQ(e.rounds, 5 * kRoundsMin) << "fewer would have made each launch void";
  EXPECT_EQ(e.twin_medians.size(), 5U);
}

TEST(Session, MeasuresWhatTheMachineCanDo) {
  CeilingsRequest request;
  request.program = KI_BINARY;
  request.launch_time = std::chrono::seconds(0);
  const Facts facts = read_facts();
  const auto ceilings = measure_ceilings(request, facts, SystemClock());
  ASSERT_TRUE(ceilings) << to_string(ceilings.error());
  EXPECT_TRUE(check_ceilings(*ceilings));
  EXPECT_EQ(ceilings->launches.size(), 3U);
  EXPECT_THAT(ceilings->confined, Contains("seccomp"));
  const auto rates = rates_of(*ceilings);
  ASSERT_EQ(rates.size(), ceilings->loops.size());
  for (const Rate& rate : rates) {
    EXPECT_GT(rate.low, 0) << rate.name;
    EXPECT_LE(rate.low, rate.median) << rate.name;
    EXPECT_LE(rate.median, rate.high) << rate.name;
    EXPECT_LE(rate.median, rate.best) << rate.name;
  }
  request.threads = facts.cores + 1;
  EXPECT_FALSE(measure_ceilings(request, facts, SystemClock()));
  request.threads = 1;
  const auto stopped = measure_ceilings(request, facts, SystemClock(), {}, [] { return true; });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().message, "interrupted");
}

// Whatever a kernel does, its run says what, the others are measured, and this process lives.
TEST(Session, MeasuresTheMemoryThatACandidateHoldsAtMost) {
  Request request = request_of({hostile("hungry"), hostile("good")});
  request.launch_time = std::chrono::seconds(0);
  const auto evidence = measure_session(request, read_facts(), SystemClock());
  ASSERT_TRUE(evidence) << to_string(evidence.error());
  constexpr std::int64_t kMiB = 1 << 20;
  const auto hungry = measured(*evidence, "hungry").peak_bytes;
  const auto good = measured(*evidence, "good").peak_bytes;
  ASSERT_TRUE(hungry && good) << "this system does not tell what is resident";
  EXPECT_GE(*hungry, 15 * kMiB);
  EXPECT_LE(*hungry, 24 * kMiB);
  EXPECT_LE(*good, 8 * kMiB);
}

TEST(Session, SurvivesWhateverAKernelDoes) {
  const std::map<std::string, std::pair<std::string, std::string>> expected = {
      {"crash", {"runtime_error", "signal 11"}},
      {"leave", {"runtime_error", "before the work was done"}},
      {"fails", {"runtime_error", "says that it failed"}},
      {"network", {"policy_violation", "forbidden system call"}},
      {"forks", {"policy_violation", "forbidden system call"}},
      {"beside", {"runtime_error", "beside the tensor y"}},
      {"into_input", {"runtime_error", "into the input x"}},
      {"zeros", {"incorrect_numerical", "y: "}},
      {"nothing", {"incorrect_numerical", "y: "}},
      {"stale", {"incorrect_numerical", "y: "}},
      {"later", {"incorrect_numerical", "y: "}},
      {"talks", {"runtime_error", "disturbed what its process says"}},
      {"forges", {"runtime_error", "says 'round' where that has no place"}},
      {"babbles", {"runtime_error", "says 'listed' where that has no place"}},
  };
  std::vector<KernelName> names = {hostile("good"), hostile("writes_file")};
  for (const auto& [variant, outcome] : expected) names.push_back(hostile(variant));
  const auto evidence = measure_session(request_of(names), read_facts(), SystemClock());
  ASSERT_TRUE(evidence) << to_string(evidence.error());
  for (const auto& [variant, outcome] : expected) {
    EXPECT_EQ(measured(*evidence, variant).status, outcome.first) << variant;
    EXPECT_THAT(measured(*evidence, variant).text, HasSubstr(outcome.second)) << variant;
  }
  EXPECT_EQ(measured(*evidence, "good").status, "passed");
  EXPECT_EQ(measured(*evidence, "writes_file").status, "passed") << "it could write a file";
  EXPECT_FALSE(std::filesystem::exists("/tmp/ki-hostile"));
  EXPECT_EQ(evidence->session.lineup.size(), 3U);
  EXPECT_EQ(evidence->launches.size(), 5U);
  EXPECT_EQ(evidence->runs.size(), names.size());  // failures are runs
  EXPECT_TRUE(check_claims(*evidence));
}

TEST(Session, EndsAKernelThatHangs) {
  Request request = request_of({hostile("hang")});
  request.answer_time = std::chrono::seconds(2);
  const auto evidence = measure_session(request, read_facts(), SystemClock());
  ASSERT_TRUE(evidence) << to_string(evidence.error());
  EXPECT_EQ(measured(*evidence, "hang").status, "timeout");
  EXPECT_TRUE(evidence->launches.empty());
  ASSERT_EQ(evidence->runs.size(), 1U);
  EXPECT_THAT(evidence->runs[0], HasSubstr("\"status\":\"timeout\""));
}

TEST(Session, FindsTheKernelsOfALibrary) {
  Request request = request_of({{"*", "", KI_HOSTILE, ""}});
  request.dtype = "bf16";  // which it has none for
  const auto none = measure_session(request, read_facts(), SystemClock());
  ASSERT_TRUE(none) << to_string(none.error());
  ASSERT_EQ(none->session.candidates.size(), 1U);
  EXPECT_EQ(none->session.candidates[0].status, "unsupported");
  EXPECT_TRUE(none->runs.empty());
}

TEST(Session, SaysWhyALibraryCannotBeLoaded) {
  const auto evidence =
      measure_session(request_of({{"acme", "", "/dev/null", ""}}), read_facts(), SystemClock());
  ASSERT_TRUE(evidence) << to_string(evidence.error());
  EXPECT_EQ(evidence->session.candidates[0].status, "unavailable");
  EXPECT_FALSE(evidence->session.candidates[0].text.empty());
}

TEST(Session, RefusesWhatCannotBeAsked) {
  const auto error_of = [](Request request) {
    const auto evidence = measure_session(request, read_facts(), SystemClock());
    return evidence ? std::string() : to_string(evidence.error());
  };
  Request request = request_of({{"native", "", "", ""}});
  request.operation = "no-such";
  EXPECT_THAT(error_of(request), HasSubstr("no operation"));
  request = request_of({{"native", "", "", ""}});
  request.axes = {{"rows", 4}};
  EXPECT_THAT(error_of(request), HasSubstr("hidden"));
  request = request_of({{"native", "", "", ""}});
  request.threads = 100000;
  EXPECT_THAT(error_of(request), HasSubstr("threads"));
  request = request_of({{"native", "", "", ""}});
  request.axes = {{"rows", 1 << 20}, {"hidden", 1 << 16}};
  EXPECT_THAT(error_of(request), HasSubstr("memory"));
  request = request_of({});
  EXPECT_THAT(error_of(request), HasSubstr("no kernel of these providers"));
}

TEST(Session, StopsWhileAKernelIsSilent) {
  const auto begin = std::chrono::steady_clock::now();
  const auto evidence = measure_session(
      request_of({hostile("hang")}), read_facts(), SystemClock(), {},
      [&] { return std::chrono::steady_clock::now() - begin > std::chrono::seconds(2); });
  ASSERT_FALSE(evidence) << "the answer time of a minute has not been waited for";
  EXPECT_THAT(evidence.error().message, HasSubstr("interrupted"));
}

TEST(Session, StopsWhenAsked) {
  int asked = 0;
  const auto evidence = measure_session(request_of({hostile("good")}), read_facts(), SystemClock(),
                                        {}, [&] { return ++asked > 30; });
  ASSERT_FALSE(evidence);
  EXPECT_THAT(evidence.error().message, HasSubstr("interrupted"));
}

}  // namespace
}  // namespace ki::runner
