// One child process from its start to its end: what it was asked, what it answered.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/inputs.h"
#include "runner/messages.h"

namespace ki::runner {

inline constexpr std::size_t kNobodyKnows = SIZE_MAX;

// From the kernel: what a session draws everything from.
std::uint64_t random_seed();

struct Asked {
  std::string program;
  Job job;
  std::chrono::seconds answer_time{60};  // between two of its messages, at most
  std::chrono::seconds rounds_time{60};  // after which none is asked for, from kRoundsMin on
  std::uint64_t seed = 0;                // of the looks and of the environment's size
};

struct Answered {
  std::vector<std::string> confined;
  std::vector<KernelName> kernels;            // list
  std::vector<std::int64_t> samples;          // kRawFields of each, as in Launch
  std::vector<std::int64_t> outputs_checked;  // of each candidate
  std::vector<double> worst_error;
  std::int64_t tick_ns = 0;
  std::optional<std::int64_t> peak_bytes;  // check: memory beside inputs and outputs
  std::string log;
  // A candidate that failed or was refused: status of a run, or unsupported, unavailable.
  std::optional<std::size_t> candidate;  // kNobodyKnows: one of several, in a process they share
  std::string status;
  std::string text;
  bool interrupted = false;
};

// `bound` is the job's. Errors: Code::unavailable when no child can be started, or when it failed
// before it ran any kernel. A kernel that crashes, hangs, writes where it may not, lies about what
// it says or is wrong is no error: that is the answer.
Result<Answered> ask(const Asked& asked, const kernels::Bound& bound, const Inputs& inputs,
                     SharedMemory& outputs, const std::function<void(std::size_t round)>& on_round,
                     const std::function<bool()>& interrupted);

}  // namespace ki::runner
