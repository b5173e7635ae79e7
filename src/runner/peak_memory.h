// How much memory a stretch of work needs at its worst, beyond what is resident when it begins.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "runner/cpu_device.h"

namespace ki::runner {

// Begins where it is made. The kernel's mark of the highest size so far never falls, so the process
// is first filled up to it: what the mark then rises by is the work's. To about half a MiB, since
// the kernel counts in steps.
class PeakMemory {
 public:
  // Code::unavailable: the memory to fill up with is not there.
  static Result<PeakMemory> begin();
  // Bytes; nullopt where the system does not tell.
  std::optional<std::int64_t> grown() const;

 private:
  PeakMemory(std::optional<std::int64_t> highest, Pages filling)
      : highest_(highest), filling_(std::move(filling)) {}
  std::optional<std::int64_t> highest_;
  Pages filling_;
};

}  // namespace ki::runner
