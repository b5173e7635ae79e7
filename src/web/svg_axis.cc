#include "web/svg_axis.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "policy/names.h"

namespace ki::web::svg {
namespace {

constexpr double kValueMax = 1e200;        // beyond it, differences would overflow
constexpr double kRelativeSpanMin = 1e-9;  // below it, ticks could not be told from each other
constexpr double kFineDecades = 1.35;      // up to here a logarithmic axis has ticks at 1, 2, 5
constexpr double kTickRoom = 0.12;         // of a logarithmic axis, between an end and a tick
constexpr double kDecadesMax = 5;
constexpr std::size_t kUnitBytesMax = 24;  // of a unit nobody registered

struct Range {
  double low = INFINITY;
  double high = -INFINITY;
};

Range range_of(std::span<const double> values) {
  Range out;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    const double held = std::clamp(value, -kValueMax, kValueMax);
    out.low = std::min(out.low, held);
    out.high = std::max(out.high, held);
  }
  return out.low > out.high ? Range{.low = 0, .high = 1} : out;
}

double round_down(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  double out = power;
  for (const double lead : {2.0, 5.0, 10.0}) {
    if (lead * power <= value) out = lead * power;
  }
  return out;
}

std::vector<double> linear_ticks(Range range, std::size_t steps) {
  const double most = std::max(std::abs(range.low), std::abs(range.high));
  const double least = most > 0 ? most * kRelativeSpanMin : 1;
  if (range.high - range.low < least) {
    const double middle = (range.low + range.high) / 2;
    const double half = most > 0 ? most * 0.01 : 0.5;
    range = {.low = range.low >= 0 ? std::max(0.0, middle - half) : middle - half,
             .high = middle + half};
  }
  const double step = round_up((range.high - range.low) / static_cast<double>(steps));
  double first = std::floor(range.low / step);
  double last = std::ceil(range.high / step);
  if (first * step > range.low) first -= 1;
  if (last * step < range.high) last += 1;
  std::vector<double> out;
  for (double at = first; at <= last && out.size() < kTicksMax; at += 1) out.push_back(at * step);
  return out;
}

std::vector<double> log_ticks(Range range) {
  const double first = round_down(range.low);
  double last = round_up(range.high);
  if (last < range.high) last = round_up(range.high * 1.01);
  const double decades = std::log10(last) - std::log10(first);
  const bool fine = decades <= kFineDecades;
  const double stride = std::max(1.0, std::ceil(decades / kDecadesMax));
  std::vector<double> out = {first};
  for (double power = std::floor(std::log10(first)); power <= std::log10(last); power += stride) {
    for (const double lead : {1.0, 2.0, 5.0}) {
      if (lead > 1 && !fine) continue;
      const double tick = lead * std::pow(10.0, power);
      const double at = (std::log10(tick) - std::log10(first)) / decades;
      if (at > kTickRoom && at < 1 - kTickRoom) out.push_back(tick);
    }
  }
  out.push_back(last);
  return out;
}

}  // namespace

double round_up(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double lead : {1.0, 2.0, 5.0}) {
    if (lead * power >= value * (1 - kRelativeSpanMin)) return lead * power;
  }
  return 10 * power;
}

Axis Axis::of(std::span<const double> values, const AxisOptions& options) {
  Axis axis;
  Range range = range_of(values);
  axis.logarithmic_ =
      options.logarithmic && range.low > 1e-200 && range.high / range.low > kLogSpan;
  const double most = std::max(std::abs(range.low), std::abs(range.high));
  axis.given_unit_ = excerpt(options.unit, kUnitBytesMax);
  if (!options.unit.empty() && !axis.logarithmic_) {
    auto shown = policy::shown_unit(most, axis.given_unit_);
    axis.factor_ = shown.factor;
    axis.unit_ = std::move(shown.name);
  }
  if (!axis.logarithmic_ && options.from_zero && range.low > 0) range.low = 0;
  range.low /= axis.factor_;
  range.high /= axis.factor_;
  axis.ticks_ = axis.logarithmic_ ? log_ticks(range) : linear_ticks(range, options.ticks);
  const double step = axis.ticks_[1] - axis.ticks_[0];
  axis.decimals_ = axis.logarithmic_ ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
  for (double& tick : axis.ticks_) tick *= axis.factor_;
  return axis;
}

double Axis::share(double value) const {
  if (!std::isfinite(value)) return 0;
  const double low = ticks_.front();
  const double high = ticks_.back();
  if (logarithmic_ && value <= low) return 0;
  const double share =
      logarithmic_ ? (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low))
                   : (value - low) / (high - low);
  return std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0;
}

std::string Axis::number(double tick) const {
  if (tick == 0) return "0";
  if (logarithmic_) {
    const auto shown =
        given_unit_.empty() ? policy::ShownUnit{} : policy::shown_unit(tick, given_unit_);
    const std::string digits = fmt::format("{:.4g}", tick / shown.factor);
    return shown.name.empty() ? digits : digits + " " + shown.name;
  }
  const double shown = tick / factor_;
  const double size = std::abs(shown);
  if (size >= 1e7 || size < 1e-4 || decimals_ > 6) return fmt::format("{:.12g}", shown);
  return fmt::format("{:.{}f}", shown, std::max(0, decimals_));
}

std::string Axis::text(double tick) const {
  return unit_.empty() || tick == 0 ? number(tick) : number(tick) + " " + unit_;
}

}  // namespace ki::web::svg
