#include "runner/samples.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "stats/random.h"

namespace ki::runner {
namespace {

struct Raw {
  std::int64_t round, position, place, calls, ns, disturbed;
};

Raw raw_at(const Launch& launch, std::size_t i) {
  const auto* from = &launch.samples[i];
  return {from[0], from[1], from[2], from[3], from[4], from[5]};
}

Columns paired_columns(const Launch& launch, std::size_t places, bool keeps_disturbed) {
  std::map<std::int64_t, std::vector<Raw>> rounds;
  for (std::size_t i = 0; i < launch.samples.size(); i += kRawFields) {
    const Raw raw = raw_at(launch, i);
    rounds[raw.round].push_back(raw);
  }
  Columns columns;
  columns.call_ns.resize(places);
  columns.block_ns.resize(places);
  for (auto& [number, samples] : rounds) {
    std::ranges::sort(samples, {}, &Raw::place);
    bool whole = samples.size() == places;
    for (std::size_t i = 0; whole && i < places; ++i) {
      whole = samples[i].place == static_cast<std::int64_t>(i);
    }
    if (!whole) continue;
    const bool disturbed =
        std::ranges::any_of(samples, [](const Raw& s) { return s.disturbed == 1; });
    if (disturbed) ++(keeps_disturbed ? columns.disturbed : columns.void_rounds);
    if (disturbed && !keeps_disturbed) continue;
    ++columns.rounds;
    for (std::size_t i = 0; i < places; ++i) {
      const double ns = static_cast<double>(samples[i].ns);
      columns.call_ns[i].push_back(ns / static_cast<double>(samples[i].calls));
      columns.block_ns[i].push_back(ns);
    }
  }
  return columns;
}

Columns sequential_columns(const Launch& launch, std::size_t places) {
  Columns columns;
  columns.call_ns.resize(places);
  columns.block_ns.resize(places);
  for (std::size_t i = 0; i < launch.samples.size(); i += kRawFields) {
    const Raw raw = raw_at(launch, i);
    const auto place = static_cast<std::size_t>(raw.place);
    const double ns = static_cast<double>(raw.ns);
    columns.call_ns[place].push_back(ns / static_cast<double>(raw.calls));
    columns.block_ns[place].push_back(ns);
    columns.disturbed += raw.disturbed == 1 ? 1 : 0;
  }
  for (const auto& samples : columns.call_ns) {
    columns.rounds = std::max(columns.rounds, samples.size());
  }
  return columns;
}

}  // namespace

Status check_samples(const Launch& launch, std::size_t places) {
  const auto& raw = launch.samples;
  const auto wrong = [&](const char* what) {
    return fail(Code::invalid, what, "launch " + std::to_string(launch.launch));
  };
  if (raw.size() % kRawFields != 0) return wrong("samples have six numbers each");
  const auto count = static_cast<std::int64_t>(places);
  for (std::size_t i = 0; i < raw.size(); i += kRawFields) {
    const bool good = raw[i] >= 0 && raw[i + 1] >= 0 && raw[i + 2] >= 0 && raw[i + 2] < count &&
                      raw[i + 3] > 0 && raw[i + 4] > 0 && (raw[i + 5] == 0 || raw[i + 5] == 1);
    if (!good) {
      return wrong("a sample is round, position, place, calls, nanoseconds, disturbed");
    }
  }
  return {};
}

Columns columns_of(const Launch& launch, std::size_t places, const Protocol& protocol) {
  if (protocol.order == Order::sequential) return sequential_columns(launch, places);
  return paired_columns(launch, places, protocol.keeps_disturbed());
}

bool is_good(const Columns& columns, const Protocol& protocol) {
  if (protocol.order == Order::sequential) {
    return std::ranges::none_of(columns.call_ns, &std::vector<double>::empty);
  }
  const double run = static_cast<double>(columns.rounds + columns.void_rounds);
  return columns.rounds >= kRoundsMin &&
         static_cast<double>(columns.void_rounds) <= protocol.void_share_max * run;
}

Timing timing_of(std::size_t candidate, const Series& call_ns, double tick, std::uint64_t seed) {
  std::vector<double> all;
  Timing timing;
  timing.candidate = candidate;
  for (const auto& launch : call_ns) {
    all.insert(all.end(), launch.begin(), launch.end());
    const double drift = stats::drift(launch);
    if (std::abs(drift) > std::abs(timing.drift)) timing.drift = drift;
  }
  timing.summary = *stats::summarise(all);
  timing.median = stats::bootstrap_median(
      call_ns, {.resamples = 10'000, .confidence = 0.95, .seed = stats::seed_of(seed, candidate)});
  timing.modes = stats::two_modes(all, tick);
  return timing;
}

}  // namespace ki::runner
