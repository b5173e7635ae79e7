#include "web/chart_compare.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "policy/names.h"
#include "query/describe.h"
#include "web/chart_samples.h"
#include "web/links.h"

namespace ki::web::svg {
namespace {

constexpr double kTop = 22;
constexpr double kOutlineHeight = 120;
constexpr double kLineHeight = 38;
constexpr double kDown = 27;
constexpr double kInset = 0.02;
constexpr std::size_t kOutlinePoints = 240;  // bins of all outlines together

using query::CompareRun;

std::string name_of(const CompareRun& run) {
  return clipped(run.implementation.name, kLabelBytesMax);
}

// A dot of a series, its interval and their line, under its name.
struct RowMarks {
  std::string_view label;
  std::string value;
  std::string more;
  double at = 0;  // shares of the width
  std::optional<std::pair<double, double>> interval;
};

Html row(const ChartName& name, std::size_t series, const RowMarks& marks, double top) {
  const std::string y = place(top + kDown);
  Html html;
  html.add(R"(<g class="{}">{}<line class="track" x1="0" x2="100%" y1="{}" y2="{}"/>)",
           series_class(series),
           row_text({.label = marks.label, .value = marks.value, .more = marks.more}, top + 15), y,
           y);
  if (marks.interval) {
    html.add(R"(<line class="chart-interval" x1="{}" x2="{}" y1="{}" y2="{}"/>)",
             percent(marks.interval->first), percent(marks.interval->second), y, y);
  }
  return html.add(R"(<g class="{}">{}</g></g>)", marks.interval ? "chart-known" : "chart-hollow",
                  mark(name, series, {.across = marks.at, .down = top + kDown}));
}

double inset(double share) { return kInset + share * (1 - 2 * kInset); }

std::vector<double> finite(std::span<const double> values) {
  std::vector<double> out;
  std::ranges::copy_if(values, std::back_inserter(out),
                       [](double value) { return std::isfinite(value); });
  return out;
}

// A run that can be drawn beside the others.
struct Side {
  const CompareRun* run = nullptr;
  std::size_t series = 0;  // its position in the comparison: its colour everywhere
  std::optional<query::KnownInterval> interval;
  std::vector<double> samples;
};

class Distributions {
 public:
  Distributions(const query::Comparison& comparison, const CompareSamples& samples,
                const ChartName& name)
      : name_(name) {
    for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
      const CompareRun& run = comparison.runs[i];
      const bool is_drawn = run.primary && std::isfinite(run.primary->value) &&
                            sides_.size() < kSeriesMax &&
                            (sides_.empty() || run.primary->unit == unit());
      if (!is_drawn) {
        ++left_out_;
        continue;
      }
      sides_.push_back(
          {.run = &run,
           .series = i,
           .interval = query::known_interval(*run.primary),
           .samples = i < samples.size() ? finite(samples[i]) : std::vector<double>()});
    }
    collect();
  }

  Html html() const {
    if (sides_.empty()) return {};
    const double rows_top = has_outlines() ? kTop + kOutlineHeight + 14 : 0;
    const double height = rows_top + kLineHeight * static_cast<double>(sides_.size());
    Html drawing = shapes(name_, kSeriesMax);
    drawing.add("{}",
                x_axis(axis_, {.top = 0, .height = height}, {.label = label(), .inset = kInset}));
    if (has_outlines()) add_outlines(drawing);
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      drawing.add("{}", row(name_, sides_[i].series, marks_of(sides_[i]),
                            rows_top + kLineHeight * static_cast<double>(i)));
    }
    std::vector<DataTable> tables = {table()};
    if (has_outlines()) tables.push_back(bins_table());
    return framed({.name = name_,
                   .kind = "compare",
                   .description = description(),
                   .height = height + kAxisHeight + kAxisNameHeight,
                   .notes = notes()},
                  drawing, tables);
  }

 private:
  const std::string& unit() const { return sides_.front().run->primary->unit; }
  bool has_outlines() const { return !bins_.empty(); }
  std::string label() const {
    const query::Primary& value = *sides_.front().run->primary;
    return clipped(policy::metric_label(value.metric, value.statistic), kLabelBytesMax);
  }
  std::string shown(double value) const { return value_text(value, unit()); }
  double across(double value) const { return inset(axis_.share(value)); }

  void collect() {
    std::vector<double> values;
    std::vector<double> samples;
    for (const Side& side : sides_) {
      values.push_back(side.run->primary->value);
      if (side.interval) {
        values.insert(values.end(), {side.interval->interval.low, side.interval->interval.high});
      }
      samples.insert(samples.end(), side.samples.begin(), side.samples.end());
    }
    const auto sampled = static_cast<std::size_t>(
        std::ranges::count_if(sides_, [](const Side& side) { return !side.samples.empty(); }));
    bins_ = bins_of(samples, kOutlinePoints / std::max<std::size_t>(sampled, 3));
    for (const Bin& bin : bins_) values.insert(values.end(), {bin.low, bin.high});
    if (sides_.empty()) return;
    axis_ = Axis::of(values, {.unit = unit(), .from_zero = false});
    for (const Side& side : sides_) shares_.push_back(shares_of(side));
    for (const auto& all : shares_) {
      for (const double share : all) most_ = std::max(most_, share);
    }
  }

  // Of the samples of a run, the share in each bin.
  std::vector<double> shares_of(const Side& side) const {
    std::vector<double> out(bins_.size(), 0);
    for (const double value : side.samples) {
      const auto above = std::ranges::upper_bound(bins_, value, {}, &Bin::low);
      const auto bin = above == bins_.begin() ? 0 : above - bins_.begin() - 1;
      out[static_cast<std::size_t>(bin)] += 1 / static_cast<double>(side.samples.size());
    }
    return out;
  }

  void add_outlines(Html& drawing) const {
    const Area area{.top = kTop, .height = kOutlineHeight};
    const double bottom = area.top + area.height;
    drawing.add(R"(<text class="chart-name" x="0" y="{}">share of each run's samples, )"
                "at most {}</text>",
                place(kTop - 9), fmt::format("{:.0f} %", most_ * 100));
    drawing.add(R"(<line class="track" x1="0" x2="100%" y1="{}" y2="{}"/>)", place(bottom),
                place(bottom));
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      if (sides_[i].samples.empty()) continue;
      std::vector<std::optional<At>> through;
      double before = 0;  // a corner only where the height changes
      for (std::size_t j = 0; j <= bins_.size(); ++j) {
        const double share = j < bins_.size() ? shares_[i][j] : 0;
        if (share == before) continue;
        const double x = across(j < bins_.size() ? bins_[j].low : bins_.back().high);
        through.emplace_back(At{.across = x, .down = area.y(before / most_)});
        through.emplace_back(At{.across = x, .down = area.y(share / most_)});
        before = share;
      }
      drawing.add(R"(<g class="{}">{}</g>)", series_class(sides_[i].series),
                  line(through, bottom, "chart-line"));
    }
  }

  RowMarks marks_of(const Side& side) const {
    RowMarks out{.label = side.run->implementation.name,
                 .value = shown(side.run->primary->value),
                 .more = interval_text(side),
                 .at = across(side.run->primary->value),
                 .interval = std::nullopt};
    if (side.interval) {
      out.interval =
          std::pair(across(side.interval->interval.low), across(side.interval->interval.high));
    }
    return out;
  }

  std::string interval_text(const Side& side) const {
    if (!side.interval) return "spread unknown";
    return shown(side.interval->interval.low) + " to " + shown(side.interval->interval.high);
  }

  std::string description() const {
    return fmt::format("{} of {} runs, each with its interval where it is known.", label(),
                       sides_.size());
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> out = {
        "Mark: the value. Line: declared interval, else p20 to p80. Hollow: spread unknown."};
    if (axis_.logarithmic()) out.emplace_back("Logarithmic axis.");
    if (left_out_ > 0) {
      out.push_back(fmt::format("{} runs have no value in this unit.", left_out_));
    }
    return out;
  }

  DataTable table() const {
    DataTable out{.heads = {"Run", "Value", "Interval", "What it is", "Samples"}, .rows = {}};
    for (const Side& side : sides_) {
      Cell first{name_of(*side.run)};
      if (side.run->run_id.size() <= kLabelBytesMax) first.link = run_url(side.run->run_id);
      const bool knows = side.interval.has_value();
      out.rows.push_back({std::move(first),
                          {shown(side.run->primary->value)},
                          {interval_text(side)},
                          {!knows                      ? ""
                           : side.interval->confidence ? "95 % interval, as declared"
                                                       : "p20 to p80"},
                          {side.samples.empty() ? "–" : std::to_string(side.samples.size())}});
    }
    return out;
  }

  DataTable bins_table() const {
    DataTable out{.caption = fmt::format("Share of samples by {}", unit()),
                  .heads = {"From", "To"},
                  .rows = {}};
    for (const Side& side : sides_) {
      if (!side.samples.empty()) out.heads.push_back(name_of(*side.run));
    }
    for (std::size_t j = 0; j < bins_.size(); ++j) {
      if (std::ranges::all_of(shares_, [&](const auto& shares) { return shares[j] == 0; }))
        continue;
      std::vector<Cell> cells = {{fmt::format("{:.9g}", bins_[j].low)},
                                 {fmt::format("{:.9g}", bins_[j].high)}};
      for (std::size_t i = 0; i < sides_.size(); ++i) {
        if (sides_[i].samples.empty()) continue;
        cells.push_back({fmt::format("{:.1f} %", shares_[i][j] * 100)});
      }
      out.rows.push_back(std::move(cells));
    }
    return out;
  }

  ChartName name_;
  std::vector<Side> sides_;
  std::vector<Bin> bins_;                    // of all samples together
  std::vector<std::vector<double>> shares_;  // by side and bin
  double most_ = 0;
  std::size_t left_out_ = 0;
  Axis axis_ = Axis::of({}, {});
};

std::string widest_text(const CompareRun& run) {
  if (!run.ratio_interval) return "spread unknown";
  return policy::relative_text(run.ratio_interval->low, 1.0) + " to " +
         policy::relative_text(run.ratio_interval->high, 1.0);
}

bool has_ratio(const CompareRun& run) {
  const bool interval_is_sound = !run.ratio_interval || (std::isfinite(run.ratio_interval->low) &&
                                                         std::isfinite(run.ratio_interval->high));
  return run.ratio && std::isfinite(*run.ratio) && interval_is_sound;
}

}  // namespace

Html distributions_chart(const query::Comparison& comparison, const CompareSamples& samples,
                         const ChartName& name) {
  return Distributions(comparison, samples, name).html();
}

Html ratio_chart(const query::Comparison& comparison, const ChartName& name) {
  std::vector<std::size_t> drawn;
  std::vector<double> values = {1};
  for (std::size_t i = 1; i < std::min(comparison.runs.size(), kSeriesMax); ++i) {
    const CompareRun& run = comparison.runs[i];
    if (!has_ratio(run)) continue;
    drawn.push_back(i);
    values.push_back(*run.ratio);
    if (!run.ratio_interval) continue;
    values.insert(values.end(), {run.ratio_interval->low, run.ratio_interval->high});
  }
  Html html;
  if (!comparison.comparable || drawn.empty()) return html;
  const Axis axis = Axis::of(values, {});
  const auto across = [&](double value) { return inset(axis.share(value)); };
  const double height = kLineHeight * static_cast<double>(drawn.size());
  const std::string first = name_of(comparison.runs.front());
  Html drawing = shapes(name, kSeriesMax);
  const std::string one = percent(across(1));
  drawing.add(
      R"({}<line class="chart-reference" x1="{}" x2="{}" y1="0" y2="{}"/>)",
      x_axis(axis, {.top = 0, .height = height}, {.label = "times " + first, .inset = kInset}), one,
      one, place(height));
  DataTable table{.heads = {"Run", "Times " + first, "Widest ratio"}, .rows = {}};
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const CompareRun& run = comparison.runs[drawn[i]];
    RowMarks marks{.label = run.implementation.name,
                   .value = policy::relative_text(*run.ratio, 1.0),
                   .more = widest_text(run),
                   .at = across(*run.ratio),
                   .interval = std::nullopt};
    std::string widest = "spread unknown";
    if (run.ratio_interval) {
      const query::Interval& interval = *run.ratio_interval;
      marks.interval = std::pair(across(interval.low), across(interval.high));
      widest = fmt::format("{:.4g} to {:.4g}", interval.low, interval.high);
    }
    drawing.add("{}", row(name, drawn[i], marks, kLineHeight * static_cast<double>(i)));
    table.rows.push_back({{name_of(run)}, {fmt::format("{:.4g}", *run.ratio)}, {widest}});
  }
  return framed(
      {.name = name,
       .kind = "ratio",
       .description = fmt::format("Each value over that of {}, which stands at 1.", first),
       .height = height + kAxisHeight + kAxisNameHeight,
       .notes = {"Line: the widest ratio that both intervals allow."}},
      drawing, {&table, 1});
}

}  // namespace ki::web::svg
