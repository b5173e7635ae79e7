// What a measurement tells whoever waits for it, and how it is told to stop.
#pragma once

#include <functional>
#include <string>

namespace ki::runner {

// What is going on, for whoever waits. Called often, from this thread.
struct Progress {
  std::string what;  // "checking native", "launch 2 of 5"
  double done = 0;   // share of the session
};
using OnProgress = std::function<void(const Progress&)>;
// Asked between rounds: whether to stop (Ctrl-C).
using Interrupted = std::function<bool()>;

}  // namespace ki::runner
