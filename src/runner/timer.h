// The clock of measuring, and what disturbs this process: read in the child around the calls.
#pragma once

#include <cstdint>

namespace ki::runner {

std::int64_t monotonic_ns();

// The smallest step of the clock that is seen, which is what a block must be long against.
std::int64_t measure_tick_ns();

// Changes when this process lost its CPU involuntarily or its thread is on another one.
std::uint32_t count_disturbances();

}  // namespace ki::runner
