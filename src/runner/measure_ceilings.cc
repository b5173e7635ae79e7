#include <algorithm>

#include <fmt/format.h>

#include "kernels/native/ceilings.h"
#include "runner/ceilings.h"
#include "runner/launch.h"
#include "stats/random.h"

namespace ki::runner {
namespace {

constexpr std::int64_t kCacheGuess = std::int64_t{32} << 20;  // where the size is not told
constexpr std::int64_t kUncachedCaches = 4;                   // last-level caches in all sets
constexpr std::int64_t kUncachedThreadMin = std::int64_t{16} << 20;

// What each launch is asked, and what is known before any.
Result<Job> plan(const CeilingsRequest& request, const Facts& facts, Ceilings& out) {
  const std::int64_t cache = facts.last_cache_bytes > 0 ? facts.last_cache_bytes : kCacheGuess;
  const auto threads = static_cast<unsigned>(request.threads);
  out.protocol = ceilings_protocol().name;
  out.machine = to_string(facts.machine);
  out.threads = request.threads;
  out.uncached_bytes = std::max(kUncachedThreadMin, kUncachedCaches * cache / request.threads);
  const auto loops = kernels::native::ceilings(out.uncached_bytes);
  const auto memory =
      static_cast<std::int64_t>(kernels::native::CeilingLoops::memory_bytes(loops, threads));
  if (facts.memory_bytes > 0 && memory > facts.memory_bytes / 2) {
    return fail(Code::unavailable, "sets that no cache holds are more than half of the memory");
  }
  Job job;
  job.kind = JobKind::ceilings;
  job.threads = request.threads;
  job.protocol = out.protocol;
  job.memory_bytes = memory;
  for (const auto& loop : loops) {
    out.loops.push_back({loop.name, loop.set_bytes, kernels::native::work_of(loop, threads)});
    job.candidates.push_back({loop.name, std::to_string(loop.set_bytes), "", ""});
  }
  return job;
}

// One process with all its rounds.
Result<Launch> measure_launch(const Asked& asked, std::size_t number, Ceilings& out,
                              const std::function<void(std::size_t)>& on_round,
                              const Interrupted& interrupted) {
  const Inputs none{
      .memory = TRY(SharedMemory::create("ki-inputs", 1)), .digest = {}, .expected = {}};
  SharedMemory outputs = TRY(SharedMemory::create("ki-outputs", 1));
  Answered answered = TRY(ask(asked, {}, none, outputs, on_round, interrupted));
  if (answered.interrupted) return fail(Code::unavailable, "interrupted");
  if (answered.candidate) {
    return fail(Code::unavailable, "the ceilings could not be measured: " + answered.text);
  }
  out.confined = answered.confined;
  out.tick_ns = std::max(out.tick_ns, answered.tick_ns);
  return Launch{.launch = static_cast<std::int64_t>(number),
                .samples = std::move(answered.samples)};
}

}  // namespace

Result<Ceilings> measure_ceilings(const CeilingsRequest& request, const Facts& facts,
                                  const Clock& clock, const OnProgress& progress,
                                  const Interrupted& interrupted) {
  if (request.threads < 1 || request.threads > facts.cores) {
    return fail(Code::invalid, fmt::format("threads are 1 to {} here", facts.cores), "threads");
  }
  Ceilings out;
  Job job = TRY(plan(request, facts, out));
  const std::uint64_t seed = random_seed();
  out.started_at = to_iso(clock.now());
  out.seed = fmt::format("{:016x}", seed);
  const auto launches = static_cast<std::size_t>(ceilings_protocol().launches);
  const auto rounds = static_cast<double>(ceilings_protocol().looks.back());
  for (std::size_t launch = 0; launch < launches; ++launch) {
    const auto on_round = [&](std::size_t round) {
      if (!progress) return;
      const double done = static_cast<double>(launch) + static_cast<double>(round) / rounds;
      progress({.what = fmt::format("ceilings of {} threads", request.threads),
                .done = done / static_cast<double>(launches)});
    };
    job.seed = fmt::format("{:016x}", stats::seed_of(seed, launch));
    const Asked asked{.program = request.program,
                      .job = job,
                      .answer_time = request.answer_time,
                      .rounds_time = request.launch_time,
                      .seed = stats::seed_of(seed, 1000 + launch)};
    Launch measured = TRY(measure_launch(asked, launch, out, on_round, interrupted));
    out.launches.push_back(std::move(measured));
  }
  return out;
}

}  // namespace ki::runner
