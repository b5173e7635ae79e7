// A session whose kernels live in a process of somebody else's, which times them itself:
// `ki bench --exec`. The inputs, the expected outputs, the order of the rounds and the comparison
// are ours; the clock is theirs, so its protocol is another one and its runs meet no others.
#pragma once

#include <string>

#include "runner/session.h"

namespace ki::runner {

struct WorkerRequest {
  Request request;      // of the case; its candidates, protocol and program are not used
  std::string command;  // for /bin/sh
  std::string folder;   // where tensors are exchanged; made and removed here
};

// As measure_session(): a kernel that fails becomes a run with its status. The worker is not
// confined. Errors: Code::invalid for what cannot be asked, Code::unavailable when the worker
// cannot be started, refuses the case or is not understood before any kernel of it was called, or
// when it was interrupted.
Result<Evidence> measure_worker(const WorkerRequest& request, const Facts& facts,
                                const Clock& clock, const OnProgress& progress = {},
                                const Interrupted& interrupted = {});

}  // namespace ki::runner
