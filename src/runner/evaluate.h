// What follows from raw samples: the statistics of each candidate, who leads, and the runs that are
// claimed. Pure, and the only source of both: a runner writes what this computes, and whoever
// receives evidence computes it again (check_claims).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runner/evidence.h"
#include "runner/protocol.h"
#include "stats/compare.h"
#include "stats/describe.h"

namespace ki::runner {

// One place of the lineup, in nanoseconds of one call.
struct Timing {
  std::size_t candidate = 0;  // index into Session::candidates
  stats::Summary summary;
  stats::Estimate median;  // with its interval
  std::optional<stats::Modes> modes;
  double drift = 0;  // the largest of a launch, by size
};

struct Evaluation {
  std::size_t launches = 0;       // used
  std::size_t void_launches = 0;  // too many of their rounds were disturbed
  std::size_t rounds = 0;         // used
  std::size_t void_rounds = 0;    // disturbed and left out
  std::size_t disturbed = 0;      // disturbed and kept
  std::string void_reason;        // why nothing may be concluded; "" = something may
  std::vector<Timing> timings;    // in the order of the lineup, without the second baseline
  // Paired protocols with two candidates or more; indices are into `timings`.
  std::optional<stats::Leading> leading;
  std::vector<double>
      twin_medians;      // median ln(A'/A) of each launch: what a noise floor is made of
  double threshold = 0;  // what an effect had to exceed
};

// Requires decoded evidence (decode()) or one's own.
Evaluation evaluate(const Session& session, const std::vector<Launch>& launches);

// The samples that the statistics of a candidate are made of: nanoseconds of a call by launch, in
// the order they were taken. Empty when it was not timed.
std::vector<std::vector<double>> samples_of(const Session& session,
                                            const std::vector<Launch>& launches,
                                            std::size_t candidate);

// How many launches may be used: none of the others has enough rounds that are not void.
std::size_t good_launches(const Session& session, const std::vector<Launch>& launches);

// The BenchmarkRun manifest of a candidate, JSON; "" when it was never run (unsupported or
// unavailable).
std::string run_of(const Session& session, std::size_t candidate, const Evaluation& evaluation,
                   const Digest& samples);

// All runs in the order of the candidates.
std::vector<std::string> runs_of(const Session& session, const std::vector<Launch>& launches);

// Whether every claim follows: the manifests are there and have the digests that the session names,
// the protocol is the one of that name, and the runs are those that the samples give. The error
// names the first thing that does not match, with both values.
Status check_claims(const Evidence& evidence);

}  // namespace ki::runner
