#include "web/svg.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "policy/names.h"

namespace ki::web::svg {
namespace {

constexpr double kLineHeight = 38;
constexpr double kAxisHeight = 26;

std::string percent_text(double percent) { return fmt::format("{:.2f}%", percent); }
std::string pixels(double value) { return fmt::format("{:.0f}", value); }

// The largest of 1, 2, 5 times a power of ten that is not above `value`.
double round_down(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  const double lead = value / power;
  return (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power;
}

std::string describe(const Mark& mark, std::string_view unit) {
  std::string text = policy::measured_text(mark.value, unit);
  if (!mark.interval) return text + ", spread unknown";
  return text + ", " + policy::measured_text(mark.interval->low, unit) + " to " +
         policy::measured_text(mark.interval->high, unit);
}

Html dot(const Scale& scale, const Mark& mark, double y) {
  const std::string at = percent_text(scale.percent(mark.value));
  const std::string line = pixels(y);
  Html html;
  if (mark.interval) {
    html.add(R"(<line class="interval" x1="{}" x2="{}" y1="{}" y2="{}"/>)",
             percent_text(scale.percent(mark.interval->low)),
             percent_text(scale.percent(mark.interval->high)), line, line);
    html.add(R"(<circle class="dot" cx="{}" cy="{}" r="4"/>)", at, line);
  } else {
    html.add(R"(<circle class="dot hollow" cx="{}" cy="{}" r="4"/>)", at, line);
  }
  return html;
}

Html axis(const Scale& scale, std::string_view unit, double height) {
  Html html;
  for (const double tick : scale.ticks()) {
    const double at = scale.percent(tick);
    const std::string x = percent_text(at);
    html.add(R"(<line class="tick" x1="{}" x2="{}" y1="0" y2="{}"/>)", x, x, pixels(height));
    const std::string_view anchor = at < 6 ? "start" : at > 94 ? "end" : "middle";
    html.add(R"(<text class="tick" x="{}" y="{}" text-anchor="{}">{}</text>)", x,
             pixels(height + 16), anchor, policy::measured_text(tick, unit));
  }
  return html;
}

}  // namespace

Scale Scale::of(std::span<const Mark> marks) {
  Scale scale;
  double low = INFINITY;
  double high = 0;
  for (const Mark& mark : marks) {
    low = std::min({low, mark.value, mark.interval ? mark.interval->low : mark.value});
    high = std::max({high, mark.value, mark.interval ? mark.interval->high : mark.value});
  }
  if (high <= 0) return scale;
  scale.logarithmic_ = low > 0 && high / low > kLogSpan;
  scale.low_ = scale.logarithmic_ ? low / 1.2 : 0;
  scale.high_ = scale.logarithmic_ ? high * 1.2 : high * 1.04;
  return scale;
}

double Scale::percent(double value) const {
  const double share = logarithmic_ ? std::log(value / low_) / std::log(high_ / low_)
                                    : (value - low_) / (high_ - low_);
  return std::isfinite(share) ? std::clamp(share, 0.0, 1.0) * 100 : 0;
}

std::vector<double> Scale::ticks() const {
  std::vector<double> all;
  if (logarithmic_) {
    const double decades = std::ceil(std::log10(high_ / low_) / 6);
    const double step = std::pow(10.0, std::max(1.0, decades));
    for (double tick = std::pow(10.0, std::ceil(std::log10(low_))); tick <= high_; tick *= step) {
      all.push_back(tick);
    }
    return all;
  }
  double step = round_down((high_ - low_) / 3);
  for (double tick = 0; tick <= high_ && all.size() < 7; tick += step) all.push_back(tick);
  return all;
}

Html strip(const Scale& scale, const Mark& mark) {
  Html html;
  html.add(R"(<svg class="strip{}" width="100%" height="20" aria-hidden="true">)"
           R"(<line class="track" x1="0" x2="100%" y1="10" y2="10"/>{}</svg>)",
           mark.leader ? " leader" : "", dot(scale, mark, 10));
  return html;
}

Html dot_plot(std::span<const Mark> marks, std::string_view unit, std::string_view title) {
  const std::size_t shown = std::min(marks.size(), kMarksMax);
  const Scale scale = Scale::of(marks.first(shown));
  const double height = kLineHeight * static_cast<double>(shown);
  Html lines;
  for (std::size_t i = 0; i < shown; ++i) {
    const Mark& mark = marks[i];
    const double top = kLineHeight * static_cast<double>(i);
    lines.add(R"(<g class="{}"><text class="label" x="0" y="{}">{}</text>)"
              R"(<text class="value" x="100%" y="{}" text-anchor="end">{}</text>)"
              R"(<line class="track" x1="0" x2="100%" y1="{}" y2="{}"/>{}</g>)",
              mark.leader ? "leader" : "", pixels(top + 16), mark.label, pixels(top + 16),
              describe(mark, unit), pixels(top + 28), pixels(top + 28), dot(scale, mark, top + 28));
  }
  Html html;
  html.add(R"(<figure class="plot"><svg role="img" aria-label="{}" width="100%" height="{}">)"
           R"({}{}</svg>)",
           title, pixels(height + kAxisHeight), axis(scale, unit, height), lines);
  html.add(
      "<figcaption>Dot: the value. Line: declared interval or p20 to p80. Hollow dot: spread "
      "unknown.{}</figcaption></figure>",
      scale.logarithmic() ? " Logarithmic axis." : "");
  return html;
}

}  // namespace ki::web::svg
