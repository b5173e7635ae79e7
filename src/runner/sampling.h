// The timed region and what stands around it, as templates over the device, so that the order of
// actions, and what happens when one of them fails, is tested with a scripted device.
//
// A Device has
//   Status prepare(candidate, calls)   fresh inputs, addresses and poisoned outputs for that many
//                                      calls; not timed
//   Status evict()                     walks through other memory; not timed
//   std::int64_t now()                 monotonic nanoseconds
//   int launch(candidate, call)        what is timed; 0 = it says it worked
//   Status settle(candidate, calls)    the canaries hold; not timed
//   std::uint32_t disturbances()       switches and migrations of this process so far
//   Status check(candidate, call)      hands one output of the last block to whoever checks it
//   std::int64_t tick_ns()             resolution of now()
//   std::size_t calls_max()            as many calls as it can prepare at once
// A Recorder has
//   void begin(candidate)              the next action is about this candidate
//   Result<bool> round(samples)        keeps the samples of a round; false: that was the last one
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "runner/protocol.h"
#include "runner/schedule.h"
#include "stats/random.h"

namespace ki::runner {

inline constexpr std::size_t kCallsMax = 100'000;  // in a block
inline constexpr std::size_t kSequentialCallsMax = 10'000;

struct Sample {
  std::uint32_t round = 0;
  std::uint32_t position = 0;  // in the round
  std::uint32_t candidate = 0;
  std::uint32_t calls = 0;
  std::int64_t block_ns = 0;
  bool disturbed = false;  // an involuntary switch or a migration during the block
};

// One block: everything but the calls is outside of the two readings of the clock.
template <class Device>
Result<Sample> time_block(Device& device, const Protocol& protocol, std::size_t candidate,
                          std::size_t calls) {
  TRY(device.prepare(candidate, calls));
  if (protocol.cache == Cache::evicted) TRY(device.evict());
  const std::uint32_t disturbances = device.disturbances();
  int failed = 0;
  const std::int64_t begin = device.now();
  for (std::size_t call = 0; call < calls; ++call) failed |= device.launch(candidate, call);
  const std::int64_t end = device.now();
  Sample sample;
  sample.disturbed = device.disturbances() != disturbances;
  TRY(device.settle(candidate, calls));
  if (failed != 0) return fail(Code::unavailable, "the kernel says that it failed");
  if (end <= begin) return fail(Code::internal, "the clock did not advance over a block");
  sample.candidate = static_cast<std::uint32_t>(candidate);
  sample.calls = static_cast<std::uint32_t>(calls);
  sample.block_ns = end - begin;
  return sample;
}

// Calls until the protocol's warm-up is done; returns nanoseconds of a call, of the last block.
template <class Device, class Recorder>
Result<double> warm_up(Device& device, Recorder& recorder, const Protocol& protocol,
                       std::size_t candidate) {
  recorder.begin(candidate);
  const std::int64_t start = device.now();
  const std::int64_t long_enough = std::chrono::nanoseconds(protocol.warmup).count();
  double call_ns = 0;
  for (int done = 0; done < protocol.warmup_calls || device.now() - start < long_enough; ++done) {
    const Sample sample = TRY(time_block(device, protocol, candidate, 1));
    call_ns = static_cast<double>(sample.block_ns);
  }
  return call_ns;
}

// The shared number of calls of a block: as many as make the fastest candidate's block long enough,
// found by trying, at most kCallsMax.
template <class Device, class Recorder>
Result<std::size_t> shared_calls(Device& device, Recorder& recorder, const Protocol& protocol,
                                 std::size_t candidates) {
  const double needed =
      std::max(static_cast<double>(std::chrono::nanoseconds(protocol.block_min).count()),
               static_cast<double>(protocol.block_ticks_min * device.tick_ns()));
  const std::size_t most = std::min(kCallsMax, device.calls_max());
  std::size_t calls = 1;
  for (std::size_t candidate = 0; candidate < candidates; ++candidate) {
    recorder.begin(candidate);
    while (calls < most) {
      const Sample sample = TRY(time_block(device, protocol, candidate, calls));
      const double missing = needed / static_cast<double>(sample.block_ns);
      if (missing <= 1) break;
      const double grown = std::ceil(static_cast<double>(calls) * std::min(missing * 1.1, 10.0));
      calls = std::min(most, std::max(calls + 1, static_cast<std::size_t>(grown)));
    }
  }
  return calls;
}

// paired: warm-up of each candidate, the shared number of calls, then rounds until the recorder
// has enough.
template <class Device, class Recorder>
Status measure_paired(Device& device, Recorder& recorder, const Protocol& protocol,
                      std::size_t candidates, std::uint64_t seed) {
  for (std::size_t candidate = 0; candidate < candidates; ++candidate) {
    TRY(warm_up(device, recorder, protocol, candidate));
  }
  const std::size_t shared = TRY(shared_calls(device, recorder, protocol, candidates));
  stats::Random random(seed);
  LatinSquares squares(candidates);
  std::vector<Sample> samples;
  samples.reserve(candidates);
  for (std::uint32_t round = 0;; ++round) {
    const double jitter = 1 + protocol.jitter * random.uniform();
    const auto calls = std::min(device.calls_max(),
                                static_cast<std::size_t>(static_cast<double>(shared) * jitter));
    samples.clear();
    for (const std::size_t candidate : squares.next(random)) {
      recorder.begin(candidate);
      Sample sample = TRY(time_block(device, protocol, candidate, calls));
      sample.round = round;
      sample.position = static_cast<std::uint32_t>(samples.size());
      samples.push_back(sample);
      if (random.uniform() < protocol.checked_share) {
        TRY(device.check(candidate, random.below(calls)));
      }
    }
    const bool more = TRY(recorder.round(samples));
    if (!more) return {};
  }
}

// sequential: for each candidate some calls to estimate, calls for the warm-up's time, then calls
// for the repetition's time, each a sample and each a round of its own.
template <class Device, class Recorder>
Status measure_sequential(Device& device, Recorder& recorder, const Protocol& protocol,
                          std::size_t candidates, std::uint64_t seed) {
  stats::Random random(seed);
  const auto count_for = [&](std::chrono::nanoseconds budget, double estimate) {
    const double calls = static_cast<double>(budget.count()) / estimate;
    return static_cast<std::size_t>(
        std::clamp(calls, 1.0, static_cast<double>(kSequentialCallsMax)));
  };
  for (std::size_t candidate = 0; candidate < candidates; ++candidate) {
    recorder.begin(candidate);
    const std::int64_t start = device.now();  // the estimate includes the eviction, as there
    for (int call = 0; call < protocol.estimate_calls; ++call) {
      TRY(time_block(device, protocol, candidate, 1));
    }
    const double estimate = static_cast<double>(std::max<std::int64_t>(1, device.now() - start)) /
                            std::max(1, protocol.estimate_calls);
    const std::size_t warm = count_for(protocol.warmup, estimate);
    for (std::size_t call = 0; call < warm; ++call) {
      TRY(time_block(device, protocol, candidate, 1));
    }
    const std::size_t timed = count_for(protocol.repetition, estimate);
    for (std::size_t call = 0; call < timed; ++call) {
      Sample sample = TRY(time_block(device, protocol, candidate, 1));
      sample.round = static_cast<std::uint32_t>(call);
      if (random.uniform() < protocol.checked_share) TRY(device.check(candidate, 0));
      TRY(recorder.round(std::span<const Sample>(&sample, 1)));
    }
  }
  return {};
}

template <class Device, class Recorder>
Status measure(Device& device, Recorder& recorder, const Protocol& protocol, std::size_t candidates,
               std::uint64_t seed) {
  switch (protocol.order) {
    case Order::paired:
      return measure_paired(device, recorder, protocol, candidates, seed);
    case Order::sequential:
      return measure_sequential(device, recorder, protocol, candidates, seed);
  }
  KI_UNREACHABLE();
}

}  // namespace ki::runner
