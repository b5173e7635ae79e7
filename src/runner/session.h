// One session: every candidate of one case, checked, then measured together in several processes,
// and what came of it as evidence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "kernels/operation.h"
#include "runner/environment.h"
#include "runner/evidence.h"
#include "runner/messages.h"
#include "runner/progress.h"
#include "runner/protocol.h"

namespace ki::runner {

struct Request {
  std::string operation;
  std::string pass = "forward";
  std::string dtype = "fp32";
  std::map<std::string, std::int64_t> axes;
  std::map<std::string, double> scalars;
  int threads = 1;
  const Protocol* protocol = nullptr;
  // The first that works is the baseline. One with a library and the provider "*" stands for all
  // kernels of the library that serve the case.
  std::vector<KernelName> candidates;
  std::string version;                    // of ki
  std::optional<double> floor;            // noise floor of this runner and protocol, when known
  std::chrono::seconds answer_time{120};  // a child that says nothing for so long is ended
  std::chrono::seconds launch_time{60};  // a launch of kRoundsMin ends then, whatever the looks say
  // Of the whole session: what is left of it is shared by the launches, of which each still has
  // kRoundsMin rounds. 0: no bound but launch_time.
  std::chrono::seconds session_time{0};
  std::string program = "/proc/self/exe";  // that is `ki`
};

// Candidates that fail become runs with their status; a session where none is left has no launches.
// Errors: Code::invalid for what cannot be asked, Code::not_found for an operation,
// Code::unavailable when no child can be started, or memory is short, or it was interrupted.
Result<Evidence> measure_session(const Request& request, const Facts& facts, const Clock& clock,
                                 const OnProgress& progress = {},
                                 const Interrupted& interrupted = {});

// What is known of a session before anything runs, with the manifests it names. `bound` is the
// case of the request.
Status describe_session(const Request& request, const Facts& facts, const Clock& clock,
                        const kernels::Bound& bound, std::uint64_t seed, Evidence& evidence);

// Who is measured together: the candidates that passed so far, in their order, and in a paired
// session the first of them once more at the end.
void line_up(Session& session, Order order);

}  // namespace ki::runner
