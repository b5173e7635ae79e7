// What the machine of a session could do at most, measured as the session was: several processes,
// rounds of all loops in random order, medians with intervals. docs/formats/evidence.md has the
// line that keeps it, docs/method/protocols.md says what it is good for. Rates are computed from
// the raw samples by rates_of() and by nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "json/wire.h"
#include "runner/environment.h"
#include "runner/progress.h"
#include "runner/samples.h"

namespace ki::runner {

inline constexpr std::size_t kCeilingsMax = 32;

// One loop: kernels/native/ceilings.h says what each does.
struct CeilingLoop {
  std::string name;            // read, write, copy, fma_fp32, dot_bf16, dot_int8
  std::int64_t set_bytes = 0;  // memory of each thread; 0: it is arithmetic
  double work = 0;             // of a call of all threads: bytes, or operations
  template <class V>
  static void describe(V& v) {
    v.field("name", &CeilingLoop::name, "");
    v.field("setBytes", &CeilingLoop::set_bytes, "");
    v.field("work", &CeilingLoop::work, "");
  }
};

struct Ceilings {
  std::string protocol;  // "ceilings/1"
  std::string machine;   // digest, as the session's
  std::string started_at;
  std::int64_t threads = 1;
  std::string seed;
  std::int64_t tick_ns = 0;
  std::vector<std::string> confined;
  // Of each thread, more than caches hold: what is streamed from and to memory.
  std::int64_t uncached_bytes = 0;
  std::vector<CeilingLoop> loops;
  std::vector<Launch> launches;  // a place is an index into `loops`
  template <class V>
  static void describe(V& v) {
    v.field("protocol", &Ceilings::protocol, "");
    v.field("machine", &Ceilings::machine, "");
    v.field("startedAt", &Ceilings::started_at, "");
    v.field("threads", &Ceilings::threads, "");
    v.field("seed", &Ceilings::seed, "");
    v.field("tickNs", &Ceilings::tick_ns, "");
    v.field("confined", &Ceilings::confined, "");
    v.field("uncachedBytes", &Ceilings::uncached_bytes, "");
    v.field("loops", &Ceilings::loops, "");
    v.field("launches", &Ceilings::launches, "");
  }
};

// What a loop reached, in bytes or operations a second.
struct Rate {
  std::string name;
  std::int64_t set_bytes = 0;
  std::int64_t threads = 1;
  double median = 0;
  double low = 0;  // 95 % interval of the median
  double high = 0;
  double best = 0;  // of any block: no steady reading is above it
  std::int64_t samples = 0;
  template <class V>
  static void describe(V& v) {
    v.field("name", &Rate::name, "read, write, copy, fma_fp32, dot_bf16, dot_int8");
    v.field("setBytes", &Rate::set_bytes, "memory that each thread walks through; 0: arithmetic");
    v.field("threads", &Rate::threads, "");
    v.field("median", &Rate::median, "bytes or operations a second");
    v.field("low", &Rate::low, "of the 95 % interval of the median");
    v.field("high", &Rate::high, "");
    v.field("best", &Rate::best, "of any block");
    v.field("samples", &Rate::samples, "");
  }
};

// In the order of the loops; empty when too little was measured. Requires decoded ceilings or one's
// own.
std::vector<Rate> rates_of(const Ceilings& ceilings);

// The shortest time in which this machine could do what a call has to, by the median rates.
struct Floor {
  double ns = 0;             // the larger of the next two
  double memory_ns = 0;      // the bytes that must move, at `bandwidth`; 0: not known
  double arithmetic_ns = 0;  // the operations at `arithmetic`; 0: not counted, or not known here
  double best_ns = 0;        // the same with the best rates instead of the median ones
  double bytes = 0;
  double operations = 0;
  std::optional<Rate> bandwidth;
  std::optional<Rate> arithmetic;
  template <class V>
  static void describe(V& v) {
    v.field("ns", &Floor::ns, "the larger of memoryNs and arithmeticNs");
    v.field("memoryNs", &Floor::memory_ns, "bytes over the median bandwidth; 0: not known");
    v.field("arithmeticNs", &Floor::arithmetic_ns, "operations over the median rate; 0: not known");
    v.field("bestNs", &Floor::best_ns, "ns by the best rates instead of the median ones");
    v.field("bytes", &Floor::bytes, "that a call must move");
    v.field("operations", &Floor::operations, "of a call; 0: not counted");
    v.field("bandwidth", &Floor::bandwidth, "the rate that the bytes are held against");
    v.field("arithmetic", &Floor::arithmetic, "the rate that the operations are held against");
  }
};

struct FloorCase {
  Cache cache = Cache::evicted;  // of the protocol
  std::string dtype;
  std::int64_t threads = 1;
  double bytes = 0;       // that must move in a call; 0: not known
  double operations = 0;  // of a call; 0: not counted
};

// Caches emptied before each block: bytes come at the largest uncached rate. Else they may come
// from a cache: at the largest rate of the largest set that is no larger than the case's share of a
// thread (a larger case cannot be faster), or of the smallest set. Operations of fp32 go at
// fma_fp32, of bf16 at dot_bf16, of int8 at dot_int8: where that loop is missing, or the type is
// another, their ceiling is not known. nullopt: nothing is known, or the rates are of other
// threads.
std::optional<Floor> floor_of(const FloorCase& one, const std::vector<Rate>& rates);

struct CeilingsRequest {
  int threads = 1;
  std::chrono::seconds answer_time{60};
  std::chrono::seconds launch_time{20};
  std::string program = "/proc/self/exe";  // that is `ki`
};

// Errors: Code::unavailable when no child can be started, memory is short, or it was interrupted;
// Code::invalid for threads that there are not.
Result<Ceilings> measure_ceilings(const CeilingsRequest& request, const Facts& facts,
                                  const Clock& clock, const OnProgress& progress = {},
                                  const Interrupted& interrupted = {});

// What a stranger's may not be: of another protocol, without loops, with a median of no samples.
// Errors: Code::invalid, Code::too_large.
Status check_ceilings(const Ceilings& ceilings);

}  // namespace ki::runner
