// Whether a measured time can be true: what a call must move and compute, over what its machine was
// measured to do at most in the same session, is a floor. Pure.
#pragma once

#include <vector>

#include "publish/bundle.h"
#include "runner/evidence.h"

namespace ki::evidence {

// The runs of decoded evidence whose median is below their floor at the best rates that any block
// of its ceilings reached, each with the arithmetic. Bytes and operations are those of the suite
// where it has the case, or what the evidence states, whichever is more. Without ceilings, or where
// neither is known, nothing is held: that is said nowhere a doubt could come from.
std::vector<publish::HoldEntry> implausible(const runner::Evidence& evidence);

}  // namespace ki::evidence
