// Ways of measuring: each a short visible sequence with a name and a version, and a manifest that
// states every parameter. A change that could change a number is a new name. The sequences
// themselves are in sampling.h; docs/method/protocols.md tells them in prose.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stats/compare.h"

namespace ki::runner {

// Of a launch under a paired protocol: fewer give it no interval worth the name.
inline constexpr std::size_t kRoundsMin = 20;

enum class Order {
  paired,      // rounds: every candidate once a round, in a cyclic Latin square; the baseline twice
  sequential,  // one candidate after the other, as most harnesses do
};

enum class Cache {
  written,  // what a call reads and writes was written just before its block
  evicted,  // the same, and then other memory is walked through
};

enum class TimedBy {
  runner,  // our code around the calls, in the child
  worker,  // a process of others says how long its calls took
};

struct Protocol {
  std::string_view name;  // "paired-cold/1"
  TimedBy timed_by = TimedBy::runner;
  Order order = Order::paired;
  Cache cache = Cache::written;
  // Of the memory walked through before a block: so many times the last-level cache, at least.
  int evict_caches = 0;
  std::int64_t evict_bytes_min = 0;
  int launches = 5;
  int launches_min = 5;  // fewer are no record
  std::vector<std::size_t> looks = {50, 100, 200, 400};
  double effect_min = 0.01;
  int warmup_calls = 10;
  std::chrono::milliseconds warmup{200};
  std::chrono::microseconds block_min{100};
  int block_ticks_min = 1000;
  double jitter = 0.2;  // of the calls in a block, from round to round, the same for all candidates
  double checked_share = 0.1;  // of the timed blocks, one output is checked
  // A round with an involuntary switch or a migration is void, and more than this share of them
  // voids the launch; 1: they are kept, and counted.
  double void_share_max = 0.1;
  // sequential only: as much of the estimated time of a call fits into these.
  std::chrono::milliseconds repetition{0};
  int estimate_calls = 0;

  bool keeps_disturbed() const { return void_share_max >= 1; }
  stats::Looks stopping() const { return {.rounds = looks, .half_width = effect_min / 2}; }
};

// paired-cold/1, paired-hot/1, do-bench/1, and of each a "-busy" one that keeps disturbed rounds,
// for machines that are never quiet: another protocol, whose runs never meet those of the strict
// one.
const std::vector<Protocol>& protocols();
const Protocol* find_protocol(std::string_view name);  // nullptr: there is none of that name
// The one that keeps disturbed rounds; itself when it keeps them already.
const Protocol& busy_variant(const Protocol& protocol);

// How workers of `ki bench --exec` are measured, one for each clock that a worker may have:
// "worker-host/1", "worker-cuda/1". Not for kernels that we run, so none of protocols();
// find_protocol() knows them.
const std::vector<Protocol>& worker_protocols();

// How the ceilings of a machine are measured (ceilings.h), "ceilings/1". No kernel is measured
// under it, so it is none of protocols().
const Protocol& ceilings_protocol();

// The BenchmarkProtocol manifest of timing one pass ("forward", "backward", "full"), JSON.
std::string manifest_of(const Protocol& protocol, std::string_view pass);

}  // namespace ki::runner
