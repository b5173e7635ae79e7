#include "web/chart_cohort.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "query/describe.h"

namespace ki::web::svg {
namespace {

constexpr double kLineHeight = 40;
constexpr double kDown = 29;                  // of a mark in its line
constexpr double kStripHeight = 5;            // of a sample's tick
constexpr std::size_t kStripPointsMax = 200;  // of all lines together

bool is_shown(const Mark& mark) { return std::isfinite(mark.value); }

// Ends that can be drawn; an interval without them says nothing.
std::optional<query::Interval> interval_of(const Mark& mark) {
  const bool known = mark.interval && std::isfinite(mark.interval->low) &&
                     std::isfinite(mark.interval->high) &&
                     mark.interval->low <= mark.interval->high;
  return known ? mark.interval : std::nullopt;
}

std::vector<double> all_values(std::span<const Mark> marks) {
  std::vector<double> out;
  for (const Mark& mark : marks) {
    if (!is_shown(mark)) continue;
    out.push_back(mark.value);
    if (const auto interval = interval_of(mark)) {
      out.insert(out.end(), {interval->low, interval->high});
    }
    out.insert(out.end(), mark.samples.begin(), mark.samples.end());
  }
  return out;
}

std::string spread_words(const Mark& mark, std::string_view unit) {
  const auto interval = interval_of(mark);
  if (!interval) return "spread unknown";
  return value_text(interval->low, unit) + " to " + value_text(interval->high, unit);
}

// A line with ends for the interval, a dot for the value.
Html dot(double value, const std::optional<std::pair<double, double>>& interval, double y) {
  Html html;
  const std::string at = percent(value);
  const std::string line = place(y);
  if (!interval) {
    return html.add(R"(<circle class="dot hollow" cx="{}" cy="{}" r="4"/>)", at, line);
  }
  const std::string low = percent(interval->first);
  const std::string high = percent(interval->second);
  html.add(R"(<line class="interval" x1="{}" x2="{}" y1="{}" y2="{}"/>)", low, high, line, line);
  for (const std::string& end : {low, high}) {
    html.add(R"(<line class="end" x1="{}" x2="{}" y1="{}" y2="{}"/>)", end, end, place(y - 4),
             place(y + 4));
  }
  return html.add(R"(<circle class="dot" cx="{}" cy="{}" r="4"/>)", at, line);
}

template <class ShareOf>
std::optional<std::pair<double, double>> shares_of(const std::optional<query::Interval>& interval,
                                                   ShareOf share) {
  if (!interval) return std::nullopt;
  return std::pair(share(interval->low), share(interval->high));
}

// At most `most` of the samples, in order of size: every k-th.
std::vector<double> thinned(std::span<const double> samples, std::size_t most) {
  std::vector<double> all;
  std::ranges::copy_if(samples, std::back_inserter(all), [](double v) { return std::isfinite(v); });
  std::ranges::sort(all);
  if (all.size() <= most) return all;
  std::vector<double> out;
  for (std::size_t i = 0; i < most; ++i) {
    out.push_back(all[i * (all.size() - 1) / std::max<std::size_t>(most - 1, 1)]);
  }
  return out;
}

Html sample_strip(std::span<const double> samples, const Axis& axis, double y, double height) {
  Html html;
  if (samples.empty()) return html;
  std::string path;
  for (const double sample : samples) {
    path += "M" + place(axis.share(sample) * kAcross) + " " + place(y) + "v" + place(kStripHeight);
  }
  return html.add(R"(<svg class="chart-lines" width="100%" height="{}" viewBox="0 0 1000 {}" )"
                  R"(preserveAspectRatio="none"><path class="chart-sample" d="{}" fill="none" )"
                  R"(vector-effect="non-scaling-stroke"/></svg>)",
                  place(height), place(height), path);
}

// A plot in the making: the marks that can be drawn, on their axis.
class Plot {
 public:
  Plot(const Values& values, const ChartName& name) : unit_(values.unit), name_(name) {
    for (const Mark& mark : values.marks) {
      if (!is_shown(mark)) {
        ++unshown_;
      } else if (marks_.size() < kMarksMax) {
        marks_.push_back(mark);
      } else {
        ++cut_;
      }
      if (is_shown(mark) && !mark.samples.empty()) ++sampled_;
    }
    axis_ = Axis::of(all_values(marks_), {.unit = unit_});
  }

  Html html() const {
    if (marks_.empty()) return {};
    const double height = kLineHeight * static_cast<double>(marks_.size());
    Html drawing = x_axis(axis_, {.top = 0, .height = height}, {});
    DataTable table{.heads = {"Run", "Value", "Interval", "What it is"}, .rows = {}};
    if (sampled_ > 0) table.heads.emplace_back("Samples drawn");
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      const auto samples =
          thinned(marks_[i].samples, kStripPointsMax / std::max<std::size_t>(sampled_, 1));
      add_line(drawing, marks_[i], kLineHeight * static_cast<double>(i), samples, height);
      table.rows.push_back(row_of(marks_[i], samples));
    }
    return framed({.name = name_,
                   .kind = "cohort",
                   .description = description(),
                   .height = height + kAxisHeight,
                   .legend = legend(),
                   .notes = notes()},
                  drawing, {&table, 1});
  }

 private:
  void add_line(Html& drawing, const Mark& mark, double top, std::span<const double> samples,
                double height) const {
    const auto share = [&](double value) { return axis_.share(value); };
    drawing.add(R"(<g class="{}">{}<line class="track" x1="0" x2="100%" y1="{}" y2="{}"/>{}{}</g>)",
                mark.leader ? "leader" : "",
                row_text({.label = mark.label,
                          .value = value_text(mark.value, unit_),
                          .more = spread_words(mark, unit_)},
                         top + 17),
                place(top + kDown), place(top + kDown),
                sample_strip(samples, axis_, top + kDown + 4, height),
                dot(share(mark.value), shares_of(interval_of(mark), share), top + kDown));
  }

  std::vector<Cell> row_of(const Mark& mark, std::span<const double> samples) const {
    std::vector<Cell> out = {
        {clipped(mark.label, kLabelBytesMax)},
        {value_text(mark.value, unit_)},
        {spread_words(mark, unit_)},
        {std::string(interval_of(mark) ? mark.interval_name : std::string_view())}};
    if (sampled_ == 0) return out;
    std::string all;
    for (const double sample : samples) {
      all += (all.empty() ? "" : ", ") + value_text(sample, unit_);
    }
    out.push_back({std::move(all)});
    return out;
  }

  std::string description() const {
    const auto [least, most] = std::ranges::minmax(marks_, {}, &Mark::value);
    return fmt::format("{} of {} values, from {} to {}.", marks_.size(), marks_.size() + cut_,
                       value_text(least.value, unit_), value_text(most.value, unit_));
  }

  Html legend() const {
    Html html;
    const auto key = [&](bool known, std::string_view text) {
      const auto interval = known ? std::optional(std::pair(0.05, 0.95)) : std::nullopt;
      html.add(R"(<span class="chart-key"><svg width="34" height="12" aria-hidden="true">{}</svg>)"
               "{}</span> ",
               dot(0.5, interval, 6), text);
    };
    const auto known = [](const Mark& mark) { return interval_of(mark).has_value(); };
    if (std::ranges::any_of(marks_, known)) key(true, "value and its interval");
    if (!std::ranges::all_of(marks_, known)) key(false, "spread unknown");
    return html;
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> out;
    if (axis_.logarithmic()) out.emplace_back("Logarithmic axis.");
    if (cut_ > 0) {
      out.push_back(
          fmt::format("The first {} of {} values are drawn.", marks_.size(), marks_.size() + cut_));
    }
    if (unshown_ > 0) out.push_back(fmt::format("{} without a finite value.", unshown_));
    const std::size_t room = kStripPointsMax / std::max<std::size_t>(sampled_, 1);
    const bool thin =
        std::ranges::any_of(marks_, [&](const Mark& mark) { return mark.samples.size() > room; });
    if (sampled_ > 0) {
      out.push_back(thin ? fmt::format("Ticks: raw samples, at most {} of each run, evenly taken "
                                       "by size.",
                                       room)
                         : std::string("Ticks: raw samples."));
    }
    return out;
  }

  std::string_view unit_;
  ChartName name_;
  std::vector<Mark> marks_;
  std::size_t cut_ = 0;
  std::size_t unshown_ = 0;
  std::size_t sampled_ = 0;
  Axis axis_ = Axis::of({}, {});
};

}  // namespace

Mark mark_of(std::string_view label, const query::Primary& primary, bool leader) {
  Mark out{.label = std::string(label), .value = primary.value, .leader = leader};
  if (const auto known = query::known_interval(primary)) {
    out.interval = known->interval;
    out.interval_name = known->confidence ? "95 % interval, as declared" : "p20 to p80";
  }
  return out;
}

Scale Scale::of(std::span<const Mark> marks) {
  Scale scale;
  scale.axis_ = Axis::of(all_values(marks), {});
  const auto leader =
      std::ranges::find_if(marks, [](const Mark& mark) { return mark.leader && is_shown(mark); });
  if (leader != marks.end()) scale.reference_ = leader->value;
  return scale;
}

Html strip(const Scale& scale, const Mark& mark) {
  const auto share = [&](double value) { return scale.percent(value) / 100; };
  Html html;
  html.add(R"(<svg class="strip{}" width="100%" height="20" aria-hidden="true">)"
           R"(<line class="track" x1="0" x2="100%" y1="10" y2="10"/>)",
           mark.leader ? " leader" : "");
  if (!scale.logarithmic()) {
    html.add(R"(<line class="bar" x1="0" x2="{}" y1="10" y2="10"/>)", percent(share(mark.value)));
  }
  if (scale.reference()) {
    const std::string at = percent(share(*scale.reference()));
    html.add(R"(<line class="reference" x1="{}" x2="{}" y1="2" y2="18"/>)", at, at);
  }
  return html.add("{}</svg>", dot(share(mark.value), shares_of(interval_of(mark), share), 10));
}

Html dot_plot(const Values& values, const ChartName& name) { return Plot(values, name).html(); }

}  // namespace ki::web::svg
