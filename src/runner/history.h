// Sessions of one runner over time: what one kernel took in one cohort, and where that changed and
// stayed changed. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "runner/evidence.h"

namespace ki::runner {

struct HistoryPoint {
  std::string at;      // when its session began
  std::string run;     // digest
  std::string binary;  // digest of the file that held the kernel then
  double median_ns = 0;
  // Set where a stretch begins: the medians of this stretch over those of the one before, less 1.
  std::optional<double> change;
  template <class V>
  static void describe(V& v) {
    v.field("at", &HistoryPoint::at, "");
    v.field("run", &HistoryPoint::run, "digest");
    v.field("binary", &HistoryPoint::binary, "digest of the file that held the kernel");
    v.field("medianNs", &HistoryPoint::median_ns, "");
    v.field("change", &HistoryPoint::change,
            "set where the level changes: 0.02 is two percent slower than before");
  }
};

struct History {
  std::string title;  // "rms-norm forward fp32 rows=4096 hidden=4096"
  std::string kernel;
  std::string protocol;
  std::int64_t threads = 1;
  std::string runner;  // id of the key
  std::string operation;
  std::vector<HistoryPoint> points;  // oldest first
  template <class V>
  static void describe(V& v) {
    v.field("case", &History::title, "");
    v.field("kernel", &History::kernel, "");
    v.field("protocol", &History::protocol, "");
    v.field("threads", &History::threads, "");
    v.field("runner", &History::runner, "id of its key");
    v.field("operation", &History::operation, "slug");
    v.field("points", &History::points, "oldest first");
  }
};

// One for each kernel, workload, protocol, environment and key, in the order of their titles. Runs
// that did not pass are no points. A change is one by stats::change_points() beyond the protocol's
// minimum effect: it needs a second session that agrees. Errors: those of a manifest that is none.
Result<std::vector<History>> histories(const std::vector<SignedEvidence>& sessions);

// Whose noise a session may count on: the same key, machine, protocol and number of threads. What
// was measured is left open: A and A' are one kernel, whichever it is.
struct NoiseOf {
  std::string runner;   // id of the key
  std::string machine;  // digest
  std::string protocol;
  std::int64_t threads = 1;
};
// A session of the past as a noise floor sees it.
struct PastSession {
  std::string at;                    // when it began
  std::vector<double> twin_medians;  // twin_medians_of()
};
// nullopt: it is of another runner, machine, protocol or number of threads, or has no good launch.
std::optional<PastSession> past_session(const SignedEvidence& session, const NoiseOf& whose);

inline constexpr std::size_t kFloorSessionsMax = 100;  // newer ones push the oldest out

// stats::noise_floor() over the newest kFloorSessionsMax of them; nullopt where they are too few.
std::optional<double> floor_of_past(std::vector<PastSession> sessions);

// Whether the last change of the series made it slower.
bool became_slower(const History& history);

}  // namespace ki::runner
