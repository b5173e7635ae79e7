#include "runner/protocol.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "json/write.h"
#include "kernels/manifest_text.h"

namespace ki::runner {
namespace {

std::vector<Protocol> make_protocols() {
  std::vector<Protocol> all(3);
  all[0].name = "paired-cold/1";
  all[0].cache = Cache::evicted;
  all[0].evict_caches = 2;
  all[1].name = "paired-hot/1";
  // What the seeds' harness does: warm-up and repetitions by time, 256 MB written before each call.
  Protocol& budgeted = all[2];
  budgeted.name = "do-bench/1";
  budgeted.order = Order::sequential;
  budgeted.cache = Cache::evicted;
  budgeted.evict_bytes_min = std::int64_t{256} << 20;
  budgeted.launches = 1;
  budgeted.launches_min = 1;
  budgeted.looks = {};
  budgeted.warmup_calls = 0;
  budgeted.warmup = std::chrono::milliseconds{25};
  budgeted.block_min = std::chrono::microseconds{0};
  budgeted.block_ticks_min = 0;
  budgeted.jitter = 0;
  budgeted.void_share_max = 1;
  budgeted.repetition = std::chrono::milliseconds{100};
  budgeted.estimate_calls = 5;
  for (const std::string_view name : {"paired-cold-busy/1", "paired-hot-busy/1"}) {
    Protocol busy = name.starts_with("paired-cold") ? all[0] : all[1];
    busy.name = name;
    busy.void_share_max = 1;
    all.push_back(busy);
  }
  return all;
}

std::string_view family_of(const Protocol& protocol) {
  return protocol.name.substr(0, protocol.name.find('/'));
}

// Every parameter, in words that are part of the protocol's identity.
std::string notes_of(const Protocol& p) {
  if (p.timed_by == TimedBy::worker) {
    return fmt::format(
        "{}: timed by the worker, a process that this runner does not confine; {} processes; "
        "rounds "
        "of all kernels in random cyclic Latin squares, the baseline twice; looks at {} rounds, "
        "half-width {}; a block is as many calls as take {} us by the worker's clock, on inputs "
        "that it read once, one of two sets drawn for each block; what lies in caches is not "
        "known; a warm-up of one block; {} of blocks have the output of their last call checked; "
        "{}, effect at least {}",
        p.name, p.launches, fmt::join(p.looks, "/"), p.effect_min / 2, p.block_min.count(),
        p.checked_share, stats::kCompareRules, p.effect_min);
  }
  if (p.order == Order::sequential) {
    return fmt::format(
        "{}: one process, candidates one after the other; {} estimating calls with the cache "
        "written, then calls for {} ms untimed and for {} ms timed, at least one each; {} bytes "
        "written before each timed call; a sample is one call; fresh inputs and outputs each call; "
        "median with p20 and p80; a tenth of the timed outputs checked",
        p.name, p.estimate_calls, p.warmup.count(), p.repetition.count(), p.evict_bytes_min);
  }
  const std::string cache =
      p.cache == Cache::evicted
          ? fmt::format("then {} times the last-level cache walked through", p.evict_caches)
          : "no eviction";
  const std::string disturbed =
      p.keeps_disturbed()
          ? "disturbed rounds kept and counted"
          : fmt::format(
                "rounds with an involuntary switch or a migration void, above {} the launch",
                p.void_share_max);
  return fmt::format(
      "{}: {} processes with ASLR and a random environment size; rounds of all candidates in "
      "random cyclic Latin squares, the baseline twice; looks at {} rounds, half-width {}; a block "
      "is the shared number of calls, at least {} us and {} ticks for the fastest, jitter {}; "
      "every call of a block has inputs, outputs and addresses of its own, outputs poisoned, "
      "written before the block, {}; warm-up {} calls and {} ms each; {}; {} of blocks have an "
      "output checked; {}, "
      "effect at least {}",
      p.name, p.launches, fmt::join(p.looks, "/"), p.effect_min / 2, p.block_min.count(),
      p.block_ticks_min, p.jitter, cache, p.warmup_calls, p.warmup.count(), disturbed,
      p.checked_share, stats::kCompareRules, p.effect_min);
}

}  // namespace

const std::vector<Protocol>& protocols() {
  static const std::vector<Protocol> all = make_protocols();
  return all;
}

const std::vector<Protocol>& worker_protocols() {
  static const std::vector<Protocol> all = [] {
    std::vector<Protocol> both(2);
    both[0].name = "worker-host/1";
    both[1].name = "worker-cuda/1";
    for (Protocol& p : both) {
      p.timed_by = TimedBy::worker;
      p.launches = 3;
      p.launches_min = 3;
      p.looks = {50, 100};
      p.jitter = 0;
      p.void_share_max = 1;
    }
    return both;
  }();
  return all;
}

const Protocol* find_protocol(std::string_view name) {
  for (const auto* list : {&protocols(), &worker_protocols()}) {
    const auto found = std::ranges::find(*list, name, &Protocol::name);
    if (found != list->end()) return &*found;
  }
  return nullptr;
}

const Protocol& busy_variant(const Protocol& protocol) {
  if (protocol.keeps_disturbed()) return protocol;
  const bool cold = protocol.cache == Cache::evicted;
  return *find_protocol(cold ? "paired-cold-busy/1" : "paired-hot-busy/1");
}

const Protocol& ceilings_protocol() {
  static const Protocol only = [] {
    Protocol p;
    p.name = "ceilings/1";
    p.launches = 3;
    p.launches_min = 3;
    p.looks = {50};
    p.warmup_calls = 3;
    p.warmup = std::chrono::milliseconds{20};
    p.jitter = 0;
    p.checked_share = 0;
    p.void_share_max = 1;
    return p;
  }();
  return only;
}

std::string manifest_of(const Protocol& protocol, std::string_view pass) {
  const std::string family = std::string(family_of(protocol)) + '-' + std::string(pass);
  const bool paired = protocol.order == Order::paired;
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.key("apiVersion").string("kernelindex.dev/v1alpha1");
  w.key("kind").string("BenchmarkProtocol");
  w.key("metadata").begin_object().key("name").string(family).end_object();
  w.key("spec").begin_object();
  w.key("harness").begin_object();
  w.key("name").string("ki bench");
  w.key("version").string(protocol.name.substr(protocol.name.find('/') + 1));
  w.end_object();
  w.key("measurement").begin_object();
  const bool by_worker = protocol.timed_by == TimedBy::worker;
  const bool by_events = protocol.name == "worker-cuda/1";
  w.key("timer").string(by_events   ? "worker_cuda_events"
                        : by_worker ? "worker_host_monotonic"
                                    : "host_monotonic");
  w.key("synchronization").string(by_events ? "end_event" : "call_returns");
  w.key("inputRegeneration").string(by_worker ? "none" : "every_call");
  w.key("compileIncluded").boolean(false);
  w.key("setupIncluded").boolean(false);
  if (paired && !by_worker) w.key("warmupIterations").integer(protocol.warmup_calls);
  if (!by_worker) {
    w.key("warmupDuration").integer(std::chrono::nanoseconds(protocol.warmup).count());
  }
  w.key("outlierPolicy").string("kept and counted; whole rounds void by a sensor are left out");
  w.key("primaryStatistic").string("median");
  w.end_object();
  w.key("correctness").begin_object();
  w.key("reference").string("float64 reference of the operation, computed outside the process");
  w.key("comparator").string(kernels::kComparator);
  w.end_object();
  w.key("comparability").begin_object();
  std::string token = family;  // which has no dashes
  std::ranges::replace(token, '-', '_');
  w.key("family").string(token);
  w.key("notes").string(fmt::format("{} pass; {}", pass, notes_of(protocol)));
  w.end_object();
  w.end_object();
  w.end_object();
  return out;
}

}  // namespace ki::runner
