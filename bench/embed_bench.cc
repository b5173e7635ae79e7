// A look-up through the C library: KI_SNAPSHOT names a file of `ki snapshot`; without it there is
// nothing to measure and the program says so. Every case is asked, in random order. The floor is
// the look-up itself, four reads that miss the cache; `clock` is what reading the time twice costs.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "kernelindex.h"

namespace {

struct Question {
  ki_case wanted{};
  std::vector<ki_axis> axes;
};

std::vector<Question> questions(const ki_snapshot* snapshot) {
  std::vector<Question> out(ki_case_count(snapshot));
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].axes.resize(64);
    ki_case_at(snapshot, i, out[i].axes.data(), out[i].axes.size(), &out[i].wanted);
    out[i].axes.resize(out[i].wanted.axes_count);
    out[i].wanted.axes = out[i].axes.data();
  }
  std::ranges::shuffle(out, std::mt19937(1));
  return out;
}

double nanoseconds(auto from, auto to) {
  return std::chrono::duration<double, std::nano>(to - from).count();
}

void resolve(benchmark::State& state) {
  const char* const path = std::getenv("KI_SNAPSHOT");
  ki_snapshot* snapshot = nullptr;
  char message[200] = "set KI_SNAPSHOT to a file of `ki snapshot`";
  if (path == nullptr || ki_snapshot_open(path, &snapshot, message, sizeof message) != KI_OK) {
    return state.SkipWithError(message);
  }
  const auto asked = questions(snapshot);
  std::vector<double> took;
  took.reserve(asked.size());
  double clock = 0;
  using Clock = std::chrono::steady_clock;
  for (auto _ : state) {
    took.clear();
    for (const Question& one : asked) {
      ki_answer answer;
      const auto begin = Clock::now();
      const ki_status status = ki_resolve(snapshot, &one.wanted, nullptr, &answer);
      const auto end = Clock::now();
      if (status != KI_OK) return state.SkipWithError("a case of the snapshot was not found");
      benchmark::DoNotOptimize(answer);
      took.push_back(nanoseconds(begin, end));
      const auto again = Clock::now();
      clock += nanoseconds(end, again);
    }
  }
  std::ranges::sort(took);
  if (took.empty()) return state.SkipWithError("the snapshot has no case");
  const auto at = [&](double share) {
    return took[static_cast<std::size_t>(share * static_cast<double>(took.size() - 1))];
  };
  state.counters["cases"] = static_cast<double>(asked.size());
  state.counters["p50_ns"] = at(0.5);
  state.counters["p99_ns"] = at(0.99);
  state.counters["clock_ns"] =
      clock / static_cast<double>(asked.size()) / static_cast<double>(state.iterations());
  ki_snapshot_close(snapshot);
}
BENCHMARK(resolve)->Unit(benchmark::kMillisecond);

void open_and_check(benchmark::State& state) {
  const char* const path = std::getenv("KI_SNAPSHOT");
  if (path == nullptr) return state.SkipWithError("set KI_SNAPSHOT to a file of `ki snapshot`");
  for (auto _ : state) {
    ki_snapshot* snapshot = nullptr;
    if (ki_snapshot_open(path, &snapshot, nullptr, 0) != KI_OK) {
      return state.SkipWithError("the file is no snapshot");
    }
    ki_snapshot_close(snapshot);
  }
}
BENCHMARK(open_and_check)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
