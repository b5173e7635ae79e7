// Whole sessions with the reference worker of examples/worker, and with workers that misbehave.
#include "runner/worker_session.h"

#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "runner/evaluate.h"
#include "signing/sign.h"
#include "support/places.h"

namespace ki::runner {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kFolder = places::source_dir() / "examples/worker";

// The reference worker, after `change` to its module `worker`.
std::string worker(const std::string& change = "") {
  return fmt::format(
      "python3 -B -c 'import sys; sys.path.insert(0, \"{}\"); import worker; {}\n"
      "worker.main()'",
      kFolder.string(), change);
}

class WorkerSessions : public testing::Test {
 protected:
  WorkerSessions()
      : folder_(fs::path(testing::TempDir()) / ("ki_worker_test_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~WorkerSessions() override {
    EXPECT_TRUE(fs::is_empty(folder_)) << "tensors are left behind";
    fs::remove_all(folder_);
  }

  Result<Evidence> measure(const std::string& command) {
    WorkerRequest asked{.request = {}, .command = command, .folder = folder_.string()};
    asked.request.operation = "rms-norm";
    asked.request.axes = {{"rows", 4}, {"hidden", 16}};
    asked.request.version = "1";
    asked.request.answer_time = std::chrono::seconds(20);
    asked.request.launch_time = std::chrono::seconds(1);
    return measure_worker(asked, read_facts(), SystemClock());
  }

  fs::path folder_;
};

TEST_F(WorkerSessions, MeasuresTheReferenceWorkerAndItsEvidenceHolds) {
  const auto evidence = measure(worker("worker.torch = None"));
  ASSERT_TRUE(evidence) << to_string(evidence.error());
  const Session& session = evidence->session;
  EXPECT_EQ(session.protocol, "worker-host/1");
  ASSERT_EQ(session.candidates.size(), 1U);
  EXPECT_EQ(session.candidates[0].provider, "python");
  EXPECT_EQ(session.candidates[0].status, "passed") << session.candidates[0].text;
  EXPECT_GT(session.candidates[0].outputs_checked, 2);
  EXPECT_EQ(evidence->launches.size(), 3U);
  ASSERT_EQ(evidence->runs.size(), 1U);
  EXPECT_THAT(evidence->runs[0], HasSubstr("latencyNs"));
  const auto key = SigningKey::generate();
  const auto read = decode(encode(*evidence, *key));
  ASSERT_TRUE(read) << to_string(read.error());
  const Status holds = check_claims(read->evidence);
  EXPECT_TRUE(holds) << to_string(holds.error());
}

TEST_F(WorkerSessions, AKernelThatComputesSomethingElseIsARunThatFailed) {
  const auto evidence = measure(
      worker("worker.torch = None; worker.plain_rms_norm = lambda case, inputs: [[0.0] * 64]"));
  ASSERT_TRUE(evidence) << to_string(evidence.error());
  EXPECT_EQ(evidence->session.candidates[0].status, "incorrect_numerical");
  EXPECT_TRUE(evidence->launches.empty());
  ASSERT_EQ(evidence->runs.size(), 1U);
  EXPECT_THAT(evidence->runs[0], testing::Not(HasSubstr("latencyNs")));
}

// Right when it is checked, something else once it is timed.
TEST_F(WorkerSessions, OutputsOfTimedBlocksAreChecked) {
  const auto evidence = measure(
      worker("worker.torch = None; right = worker.Plain.time; "
             "worker.Plain.time = lambda self, call, n: (right(self, call, n)[0], [[0.0] * 64])"));
  ASSERT_TRUE(evidence) << to_string(evidence.error());
  EXPECT_EQ(evidence->session.candidates[0].status, "incorrect_numerical");
}

TEST_F(WorkerSessions, AKernelThatRaisesOrEndsIsARunThatFailed) {
  const auto raised =
      measure(worker("worker.torch = None; worker.plain_rms_norm = lambda case, inputs: 1 / 0"));
  ASSERT_TRUE(raised) << to_string(raised.error());
  EXPECT_EQ(raised->session.candidates[0].status, "runtime_error");
  EXPECT_THAT(raised->session.candidates[0].text, HasSubstr("ZeroDivisionError"));
  const auto ended = measure(
      worker("worker.torch = None; worker.plain_rms_norm = lambda case, inputs: sys.exit(3)"));
  ASSERT_TRUE(ended) << to_string(ended.error());
  EXPECT_EQ(ended->session.candidates[0].status, "runtime_error");
}

TEST_F(WorkerSessions, AWorkerThatIsNoneIsRefusedWithWhatItSays) {
  const auto silent = measure("true");
  ASSERT_FALSE(silent);
  EXPECT_THAT(to_string(silent.error()), HasSubstr("does not answer"));
  const auto missing = measure("no-such-program-of-anybody");
  ASSERT_FALSE(missing);
  EXPECT_THAT(to_string(missing.error()), HasSubstr("no-such-program-of-anybody"));
  const auto prose = measure("echo hello");
  ASSERT_FALSE(prose);
  EXPECT_THAT(to_string(prose.error()), HasSubstr("cannot be understood"));
  const auto without = measure(worker("worker.torch = None; worker.kernels_for = lambda case: []"));
  ASSERT_FALSE(without);
  EXPECT_THAT(to_string(without.error()), HasSubstr("has no kernel for the case"));
}

}  // namespace
}  // namespace ki::runner
