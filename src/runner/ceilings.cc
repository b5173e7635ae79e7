#include "runner/ceilings.h"

#include <algorithm>
#include <cstdlib>

#include "base/text.h"

namespace ki::runner {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr std::size_t kLaunchesOfCeilingsMax = 16;
constexpr double kWorkMax = 1e15;

bool is_bandwidth(const Rate& rate) { return rate.set_bytes > 0; }

// The largest of those that count, by `of`.
std::optional<Rate> largest(const std::vector<Rate>& rates, const auto& counts) {
  std::optional<Rate> found;
  for (const Rate& rate : rates) {
    if (counts(rate) && (!found || rate.median > found->median)) found = rate;
  }
  return found;
}

std::optional<Rate> bandwidth_of(const FloorCase& one, const std::vector<Rate>& rates) {
  std::int64_t uncached = 0;
  std::int64_t smallest = INT64_MAX;
  for (const Rate& rate : rates) {
    if (!is_bandwidth(rate)) continue;
    uncached = std::max(uncached, rate.set_bytes);
    smallest = std::min(smallest, rate.set_bytes);
  }
  std::int64_t set = uncached;
  if (one.cache == Cache::written) {
    const double share = one.bytes / static_cast<double>(one.threads);
    set = smallest;
    for (const Rate& rate : rates) {
      if (is_bandwidth(rate) && static_cast<double>(rate.set_bytes) <= share) {
        set = std::max(set, rate.set_bytes);
      }
    }
  }
  return largest(rates, [&](const Rate& r) { return is_bandwidth(r) && r.set_bytes == set; });
}

std::string_view arithmetic_name(std::string_view dtype) {
  if (dtype == "fp32") return "fma_fp32";
  if (dtype == "bf16") return "dot_bf16";
  if (dtype == "int8") return "dot_int8";
  return {};
}

}  // namespace

std::vector<Rate> rates_of(const Ceilings& ceilings) {
  const Protocol& protocol = ceilings_protocol();
  std::vector<Series> call_ns(ceilings.loops.size());
  for (const Launch& launch : ceilings.launches) {
    const Columns columns = columns_of(launch, ceilings.loops.size(), protocol);
    if (!is_good(columns, protocol)) continue;
    for (std::size_t i = 0; i < call_ns.size(); ++i) call_ns[i].push_back(columns.call_ns[i]);
  }
  std::vector<Rate> rates;
  if (call_ns.empty() || call_ns[0].size() < static_cast<std::size_t>(protocol.launches_min)) {
    return rates;
  }
  const std::uint64_t seed = std::strtoull(ceilings.seed.c_str(), nullptr, 16);
  for (std::size_t i = 0; i < call_ns.size(); ++i) {
    const CeilingLoop& loop = ceilings.loops[i];
    const Timing timing = timing_of(i, call_ns[i], static_cast<double>(ceilings.tick_ns), seed);
    const auto rate = [&](double ns) { return loop.work / ns * kNsPerSecond; };
    rates.push_back({.name = loop.name,
                     .set_bytes = loop.set_bytes,
                     .threads = ceilings.threads,
                     .median = rate(timing.summary.median),
                     .low = rate(timing.median.interval.high),
                     .high = rate(timing.median.interval.low),
                     .best = rate(timing.summary.minimum),
                     .samples = static_cast<std::int64_t>(timing.summary.count)});
  }
  return rates;
}

std::optional<Floor> floor_of(const FloorCase& one, const std::vector<Rate>& rates) {
  if (rates.empty() || rates.front().threads != one.threads) return std::nullopt;
  Floor floor;
  floor.bytes = one.bytes;
  floor.operations = one.operations;
  double best_memory = 0;
  double best_arithmetic = 0;
  if (one.bytes > 0) floor.bandwidth = bandwidth_of(one, rates);
  if (floor.bandwidth) {
    floor.memory_ns = one.bytes / floor.bandwidth->median * kNsPerSecond;
    best_memory = one.bytes / floor.bandwidth->best * kNsPerSecond;
  }
  if (one.operations > 0) {
    const std::string_view name = arithmetic_name(one.dtype);
    floor.arithmetic = largest(rates, [&](const Rate& rate) { return rate.name == name; });
  }
  if (floor.arithmetic) {
    floor.arithmetic_ns = one.operations / floor.arithmetic->median * kNsPerSecond;
    best_arithmetic = one.operations / floor.arithmetic->best * kNsPerSecond;
  }
  floor.ns = std::max(floor.memory_ns, floor.arithmetic_ns);
  floor.best_ns = std::max(best_memory, best_arithmetic);
  if (floor.ns <= 0) return std::nullopt;
  return floor;
}

Status check_ceilings(const Ceilings& ceilings) {
  const auto wrong = [](const char* what, const char* where) {
    return fail(Code::invalid, what, std::string("/ceilings/") + where);
  };
  if (ceilings.protocol != ceilings_protocol().name) {
    return wrong("this program knows no ceilings of that protocol", "protocol");
  }
  if (ceilings.seed.size() != 16 || !from_hex(ceilings.seed)) {
    return wrong("a seed is 16 hex digits", "seed");
  }
  if (ceilings.loops.empty() || ceilings.loops.size() > kCeilingsMax) {
    return wrong("there are 1 to 32 loops", "loops");
  }
  for (const CeilingLoop& loop : ceilings.loops) {
    if (loop.set_bytes < 0 || !(loop.work > 0) || loop.work > kWorkMax) {
      return wrong("a loop has a set and does some work", "loops");
    }
  }
  if (ceilings.launches.size() > kLaunchesOfCeilingsMax) return wrong("too many", "launches");
  for (const Launch& launch : ceilings.launches) {
    TRY(check_samples(launch, ceilings.loops.size()));
  }
  return {};
}

}  // namespace ki::runner
