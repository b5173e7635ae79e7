#include "runner/timer.h"

#include <algorithm>
#include <ctime>

#include <sched.h>
#include <sys/resource.h>

namespace ki::runner {
namespace {

constexpr int kTickReadings = 200;

}  // namespace

std::int64_t monotonic_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::int64_t measure_tick_ns() {
  std::int64_t tick = 1'000'000;
  for (int i = 0; i < kTickReadings; ++i) {
    const std::int64_t begin = monotonic_ns();
    std::int64_t end = begin;
    while (end == begin) end = monotonic_ns();
    tick = std::min(tick, end - begin);
  }
  return tick;
}

std::uint32_t count_disturbances() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);  // of all threads
  // A migration shows as another CPU; where the process may use one CPU only, there is none.
  return static_cast<std::uint32_t>(usage.ru_nivcsw) +
         4096U * static_cast<std::uint32_t>(sched_getcpu());
}

}  // namespace ki::runner
