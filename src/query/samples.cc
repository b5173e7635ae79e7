// Resolver::samples: what stands behind the statistics of one run.
#include <cmath>

#include "catalog/lookup.h"
#include "query/resolver_impl.h"
#include "query/run_name.h"
#include "stats/describe.h"

namespace ki::query {
namespace {

constexpr double kDriftShare = 0.01;  // of the median, from the first sample to the last
constexpr double kNsPerS = 1e9;

SampleTrend trend_of(const std::vector<double>& values, double median) {
  const double half = stats::theil_sen(values) * static_cast<double>(values.size() - 1) / 2;
  return {.first = median - half,
          .last = median + half,
          .drifts = std::abs(2 * half) > kDriftShare * median};
}

std::optional<double> rate(const std::optional<double>& amount, const SamplesReport& report) {
  if (!amount || report.samples.unit != "ns") return std::nullopt;
  return *amount / report.median * kNsPerS;
}

// Requires what samples_of_content() gives.
void summarise(SamplesReport& report) {
  std::vector<double> all;
  for (const catalog::LaunchSamples& launch : report.samples.launches) {
    all.insert(all.end(), launch.values.begin(), launch.values.end());
  }
  const stats::Summary summary = *stats::summarise(all);
  report.count = static_cast<std::int64_t>(summary.count);
  report.median = summary.median;
  if (summary.spread_known) report.spread = Interval{.low = summary.p20, .high = summary.p80};
  report.mad = summary.mad;
  report.trend = trend_of(all, summary.median);
  if (const auto modes = stats::two_modes(all, report.samples.resolution)) {
    report.modes =
        SampleModes{.low = modes->low, .high = modes->high, .share_high = modes->share_high};
  }
  report.bytes_per_s = rate(report.samples.call_bytes, report);
  report.flops_per_s = rate(report.samples.call_flops, report);
}

}  // namespace

Result<SamplesReport> Resolver::samples(std::string_view name) const {
  db::Connection& connection = impl_->connection();
  const auto key = TRY(run_name(connection, name));
  if (!key) return not_found(kRunNotFound, "run", name);
  const auto run = TRY(catalog::find_run(connection, *key));
  if (!run) return not_found(kRunNotFound, "run", name);
  auto samples = TRY(catalog::read_samples(connection, run->id));
  if (!samples) {
    return fail(Code::not_found,
                "the catalog does not hold the samples of this run, only what its source says of "
                "them",
                std::string(kSamplesNotFound));
  }
  SamplesReport report;
  report.run_id = run->id;
  report.run_digest = run->run_digest;
  report.samples = std::move(*samples);
  summarise(report);
  return report;
}

}  // namespace ki::query
