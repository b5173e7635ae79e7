#include "policy/metrics.h"

#include <algorithm>
#include <iterator>

namespace ki::policy {
namespace {

constexpr double kCudaEventResolutionNs = 500;

constexpr Metric kMetrics[] = {
    {"latency", "ns", Direction::lower, "time of one call"},
    {"latency", "us", Direction::lower, "time of one call"},
    {"latency", "ms", Direction::lower, "time of one call"},
    {"latency", "s", Direction::lower, "time of one call"},
    {"score", "s", Direction::lower, "time over a suite of cases, as its source aggregates it"},
    {"peak_memory", "bytes", Direction::lower, "largest device memory in use"},
    {"energy", "joules", Direction::lower, "energy of one call"},
    {"tokens_per_second", "tokens_s", Direction::higher, "tokens processed a second"},
    {"requests_per_second", "requests_s", Direction::higher, "requests answered a second"},
    {"bytes_per_second", "bytes_s", Direction::higher, "memory traffic a second"},
    {"flops_per_second", "flops_s", Direction::higher, "floating-point operations a second"},
    {"ttft_ms", "ms", Direction::lower, "time to the first token"},
    {"tpot_ms", "ms", Direction::lower, "time per output token after the first"},
    {"itl_ms", "ms", Direction::lower, "time between two tokens"},
    {"e2e_latency_ms", "ms", Direction::lower, "time of a whole request"},
    {"request_throughput_rps", "requests_s", Direction::higher, "requests answered a second"},
    {"output_token_throughput_tps", "tokens_s", Direction::higher, "tokens generated a second"},
    {"token_throughput_tps", "tokens_s", Direction::higher, "tokens processed a second"},
    {"goodput", "tokens_s", Direction::higher, "tokens a second within the objective"},
    {"error_rate", "ratio", Direction::lower, "share of requests that failed"},
};

}  // namespace

std::span<const Metric> all_metrics() { return kMetrics; }

std::optional<Metric> find_metric(std::string_view name, std::string_view unit) {
  const auto* found = std::ranges::find_if(
      kMetrics, [&](const Metric& metric) { return metric.name == name && metric.unit == unit; });
  if (found == std::end(kMetrics)) return std::nullopt;
  return *found;
}

bool better(Direction direction, double a, double b) {
  return direction == Direction::lower ? a < b : a > b;
}

std::optional<double> per_nanosecond(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit == "us") return 1e-3;
  if (unit == "ms") return 1e-6;
  if (unit == "s") return 1e-9;
  return std::nullopt;
}

double resolution_of(std::string_view timer, std::string_view unit) {
  const double scale = per_nanosecond(unit).value_or(0);
  return timer == "cuda_events" ? kCudaEventResolutionNs * scale : 0;
}

}  // namespace ki::policy
