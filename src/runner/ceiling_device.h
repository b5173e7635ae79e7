// The Device of sampling.h whose candidates are the loops that show what a machine can do.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernels/native/ceilings.h"
#include "runner/cpu_device.h"
#include "runner/messages.h"
#include "runner/timer.h"

namespace ki::runner {

class CeilingDevice {
 public:
  // The candidates of a job of the kind `ceilings`. Errors: Code::invalid for a loop that there is
  // not, Code::unavailable where memory is short.
  static Result<CeilingDevice> create(const Job& job) {
    std::vector<kernels::native::Ceiling> loops;
    std::int64_t uncached = 0;
    for (const KernelName& name : job.candidates) {
      loops.push_back({name.provider, std::strtoll(name.variant.c_str(), nullptr, 10)});
      uncached = std::max(uncached, loops.back().set_bytes);
    }
    for (const auto& loop : loops) {
      const auto known = kernels::native::ceilings(uncached);
      const bool found = std::ranges::any_of(known, [&](const auto& one) {
        return one.name == loop.name && one.set_bytes == loop.set_bytes;
      });
      if (!found) return fail(Code::invalid, "there is no loop of that name and set", loop.name);
    }
    const auto threads = static_cast<unsigned>(job.threads);
    Pages memory = TRY(Pages::reserve(kernels::native::CeilingLoops::memory_bytes(loops, threads)));
    kernels::native::CeilingLoops running(std::move(loops), threads, memory.data());
    return CeilingDevice(std::move(memory), std::move(running));
  }

  Status prepare(std::size_t, std::size_t) { return {}; }
  Status evict() { return {}; }
  std::int64_t now() const { return monotonic_ns(); }
  int launch(std::size_t candidate, std::size_t) {
    seen_ ^= loops_.run(candidate);
    return 0;
  }
  Status settle(std::size_t, std::size_t) { return {}; }
  std::uint32_t disturbances() const { return count_disturbances(); }
  Status check(std::size_t, std::size_t) { return {}; }
  std::int64_t tick_ns() const { return tick_ns_; }
  std::size_t calls_max() const { return kCallsOfBlockMax; }

 private:
  static constexpr std::size_t kCallsOfBlockMax = 1000;
  CeilingDevice(Pages memory, kernels::native::CeilingLoops loops)
      : memory_(std::move(memory)), loops_(std::move(loops)), tick_ns_(measure_tick_ns()) {}
  Pages memory_;
  kernels::native::CeilingLoops loops_;
  std::int64_t tick_ns_;
  std::uint64_t seen_ = 0;
};

}  // namespace ki::runner
