// Resolving in process: KI_DB names a catalog, such as an imported export; without it there is
// nothing to measure and the program says so. Each query is asked of a warm resolver; the slowest
// operation decides p99, so every operation of the catalog is asked by its slug. How answers grow
// with the catalog: `tools/bench --million`.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "query/resolver.h"

namespace {

using namespace ki;

const SystemClock kClock;

std::string database() {
  const char* path = std::getenv("KI_DB");
  return path == nullptr ? std::string() : path;
}

// KI_CACHE_MIB: what the resolver may keep, where that is not the default.
std::shared_ptr<query::Shared> shared() {
  const char* mib = std::getenv("KI_CACHE_MIB");
  if (mib == nullptr) return query::make_shared_index();
  return query::make_shared_index(static_cast<std::size_t>(std::atoi(mib)) << 20);
}

// Slugs of every operation with runs, and then each with a GPU facet.
std::vector<std::string> queries(const query::Resolver& resolver, bool with_facet) {
  std::vector<std::string> out;
  const auto index = resolver.index();
  if (!index) return out;
  for (const auto& entry : *index) {
    if (entry.runs > 0) out.push_back("op:" + entry.slug + (with_facet ? " B200 bf16" : ""));
  }
  return out;
}

void report(benchmark::State& state, std::vector<double>& micros) {
  if (micros.empty()) return;
  std::ranges::sort(micros);
  const auto at = [&](double share) {
    return micros[static_cast<std::size_t>(share * static_cast<double>(micros.size() - 1))];
  };
  state.counters["p50_us"] = at(0.5);
  state.counters["p99_us"] = at(0.99);
  state.counters["max_us"] = micros.back();
}

void resolve(benchmark::State& state, bool with_facet) {
  const std::string path = database();
  if (path.empty()) return state.SkipWithError("set KI_DB to a catalog");
  const auto resolver = query::Resolver::open(path, kClock, shared());
  if (!resolver) return state.SkipWithError(to_string(resolver.error()).c_str());
  const auto asked = queries(*resolver, with_facet);
  for (const auto& one : asked) benchmark::DoNotOptimize(resolver->search(one));  // warm
  std::vector<double> micros;
  for (auto _ : state) {
    for (const auto& one : asked) {
      const auto begin = std::chrono::steady_clock::now();
      const auto answer = resolver->search(one);
      const auto end = std::chrono::steady_clock::now();
      benchmark::DoNotOptimize(answer);
      micros.push_back(std::chrono::duration<double, std::micro>(end - begin).count());
    }
  }
  report(state, micros);
}

void resolve_by_slug(benchmark::State& state) { resolve(state, false); }
void resolve_with_facets(benchmark::State& state) { resolve(state, true); }

// The first question to an operation: what is kept of it is read. Of every operation, or of
// kFirstAsked spread over all, the one with most runs among them.
void first_answer(benchmark::State& state) {
  constexpr std::size_t kFirstAsked = 200;
  const std::string path = database();
  if (path.empty()) return state.SkipWithError("set KI_DB to a catalog");
  std::vector<double> micros;
  for (auto _ : state) {
    const auto resolver = query::Resolver::open(path, kClock);
    if (!resolver) return state.SkipWithError(to_string(resolver.error()).c_str());
    const auto asked = queries(*resolver, false);
    const std::size_t step = std::max<std::size_t>(1, asked.size() / kFirstAsked);
    for (std::size_t i = 0; i < asked.size(); i += step) {
      const auto begin = std::chrono::steady_clock::now();
      const auto answer = resolver->search(asked[i]);
      const auto end = std::chrono::steady_clock::now();
      benchmark::DoNotOptimize(answer);
      micros.push_back(std::chrono::duration<double, std::micro>(end - begin).count());
    }
  }
  report(state, micros);
}

// Peak of this program so far; every operation was asked by then.
void peak_memory(benchmark::State& state) {
  rusage usage{};
  for (auto _ : state) getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_mib"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

// What the command line pays: open, load the index, answer once.
void cold_exact(benchmark::State& state) {
  const std::string path = database();
  if (path.empty()) return state.SkipWithError("set KI_DB to a catalog");
  for (auto _ : state) {
    const auto resolver = query::Resolver::open(path, kClock);
    if (!resolver) return state.SkipWithError(to_string(resolver.error()).c_str());
    benchmark::DoNotOptimize(resolver->search("trimul H100"));
  }
}

// A query that names a family: every operation is scored.
void warm_chooser(benchmark::State& state) {
  const std::string path = database();
  if (path.empty()) return state.SkipWithError("set KI_DB to a catalog");
  const auto resolver = query::Resolver::open(path, kClock);
  if (!resolver) return state.SkipWithError(to_string(resolver.error()).c_str());
  for (auto _ : state) benchmark::DoNotOptimize(resolver->search("rmsnorm B200 bf16"));
}

BENCHMARK(resolve_by_slug)->Unit(benchmark::kMillisecond);
BENCHMARK(resolve_with_facets)->Unit(benchmark::kMillisecond);
BENCHMARK(first_answer)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(cold_exact)->Unit(benchmark::kMillisecond);
BENCHMARK(warm_chooser)->Unit(benchmark::kMicrosecond);
BENCHMARK(peak_memory)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
