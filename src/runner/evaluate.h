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
#include "runner/samples.h"
#include "stats/compare.h"

namespace ki::runner {

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
  double floor = 0;  // of noise: that of the session where it is known, else of its own launches
};

// Requires decoded evidence (decode()) or one's own.
Evaluation evaluate(const Session& session, const std::vector<Launch>& launches);

// What a session adds to the noise floor of its runner: the median ln(A'/A) of each good launch,
// also where the session is void. Empty where the baseline did not take part twice.
std::vector<double> twin_medians_of(const Session& session, const std::vector<Launch>& launches);

// The samples that the statistics of a candidate are made of: nanoseconds of a call by launch, in
// the order they were taken. Empty when it was not timed.
std::vector<std::vector<double>> samples_of(const Session& session,
                                            const std::vector<Launch>& launches,
                                            std::size_t candidate);

// Two candidates of a session of which one is held against the other.
struct Pair {
  std::size_t base = 0;
  std::size_t now = 0;
};
struct Change {
  Pair pair;
  stats::Effect effect;  // now over base: above 0 it became slower
  stats::Outcome outcome = stats::Outcome::tie;
  bool same_binary = false;  // then it is a tie, whatever the samples say
};
// What became of each pair, by the rules that claim a leader, corrected for as many pairs. Pairs of
// which one was not measured are left out; all are when nothing may be concluded (the void_reason
// of `evaluation`, which is that of these launches).
std::vector<Change> changes_of(const Session& session, const std::vector<Launch>& launches,
                               const Evaluation& evaluation, const std::vector<Pair>& pairs);

// How many launches may be used: none of the others has enough rounds that are not void.
std::size_t good_launches(const Session& session, const std::vector<Launch>& launches);

// The BenchmarkRun manifest of a candidate, JSON; "" when it was never run (unsupported or
// unavailable).
std::string run_of(const Session& session, std::size_t candidate, const Evaluation& evaluation,
                   const Digest& samples);

// All runs in the order of the candidates.
std::vector<std::string> runs_of(const Session& session, const std::vector<Launch>& launches);

// The floor of a candidate's calls, by the rates of the ceilings that were measured for its
// session. nullopt: none were, or neither its bytes nor its operations are known.
std::optional<Floor> floor_of(const Session& session, const Measured& candidate,
                              const std::vector<Rate>& rates);

// Whether every claim follows: the manifests are there and have the digests that the session names,
// the protocol is the one of that name, and the runs are those that the samples give. The error
// names the first thing that does not match, with both values.
Status check_claims(const Evidence& evidence);

}  // namespace ki::runner
