#include "web/chart_samples.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include <fmt/format.h>

namespace ki::web::svg {
namespace {

constexpr double kTimeHeight = 180;
constexpr double kCountHeight = 96;
constexpr double kTop = 22;                // above an area, for its name
constexpr double kGap = 34;                // between both areas, below the texts of the first
constexpr std::size_t kTogetherMax = 200;  // points where each stands for several samples
constexpr std::size_t kColumns = 10;       // of the table of samples
constexpr double kInset = 0.02;

double median_of_sorted(std::span<const double> sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : std::midpoint(sorted[half - 1], sorted[half]);
}

std::string exact(double value) { return fmt::format("{:.9g}", value); }

std::vector<double> finite(std::span<const double> values) {
  std::vector<double> out;
  std::ranges::copy_if(values, std::back_inserter(out),
                       [](double value) { return std::isfinite(value); });
  return out;
}

class Drawing {
 public:
  Drawing(const SampleSet& set, const ChartName& name)
      : set_(set),
        name_(name),
        values_(finite(set.values)),
        points_(points_of(values_, values_.size() > kPointsMax ? kTogetherMax : kPointsMax)),
        bins_(bins_of(values_)) {}

  Html html() const {
    if (values_.empty()) return {};
    Html drawing;
    add_order(drawing);
    add_counts(drawing);
    const std::vector<DataTable> tables = {table_of_points(), table_of_bins()};
    return framed({.name = name_,
                   .kind = "samples",
                   .description = description(),
                   .height = counts_area().top + kCountHeight + kAxisHeight + kAxisNameHeight,
                   .has_y_axis = true,
                   .legend = legend(),
                   .notes = notes()},
                  drawing, tables);
  }

 private:
  static Area order_area() { return {.top = kTop, .height = kTimeHeight}; }
  static Area counts_area() {
    return {.top = kTop + kTimeHeight + kAxisHeight + kAxisNameHeight + kGap,
            .height = kCountHeight};
  }

  // Place of the i-th of all samples.
  double across(double i) const {
    const double steps = std::max(1.0, static_cast<double>(values_.size()) - 1);
    return kInset + i / steps * (1 - 2 * kInset);
  }

  void add_order(Html& drawing) const {
    std::vector<double> shown = values_;
    if (set_.trend) shown.insert(shown.end(), {set_.trend->first, set_.trend->last});
    if (set_.modes) shown.insert(shown.end(), {set_.modes->low, set_.modes->high});
    const Axis axis = Axis::of(shown, {.unit = set_.unit, .from_zero = false});
    const Area area = order_area();
    drawing.add("{}", y_axis(axis, area, set_.metric));
    add_numbers(drawing, area);
    add_band(drawing, axis, area);
    add_level(drawing, set_.median, "chart-median", axis, area);
    if (set_.modes) {
      add_level(drawing, set_.modes->low, "chart-mode", axis, area);
      add_level(drawing, set_.modes->high, "chart-mode", axis, area);
    }
    add_points(drawing, axis, area);
    if (!set_.trend) return;
    const std::optional<At> fitted[] = {
        At{.across = kInset, .down = area.y(axis.share(set_.trend->first))},
        At{.across = 1 - kInset, .down = area.y(axis.share(set_.trend->last))}};
    drawing.add("{}", line(fitted, area.top + area.height, "chart-drift"));
  }

  // First, middle and last sample.
  void add_numbers(Html& drawing, const Area& area) const {
    const std::size_t last = values_.size() - 1;
    drawing.add(R"(<g class="chart-axis">)");
    std::vector<std::size_t> at = {0};
    if (last > 1) at.push_back(last / 2);
    if (last > 0) at.push_back(last);
    for (const std::size_t i : at) {
      drawing.add(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)",
                  percent(across(static_cast<double>(i))), place(area.top + area.height + 17),
                  i + 1);
    }
    drawing.add(R"(<text class="chart-name" x="100%" y="{}" text-anchor="end">sample, in the )"
                R"(order taken</text></g>)",
                place(area.top + area.height + kAxisHeight + 13));
  }

  void add_band(Html& drawing, const Axis& axis, const Area& area) const {
    if (!set_.spread) return;
    const double top = area.y(axis.share(set_.spread->high));
    const double bottom = area.y(axis.share(set_.spread->low));
    drawing.add(R"(<rect class="chart-band" x="0" width="100%" y="{}" height="{}"/>)", place(top),
                place(std::max(0.0, bottom - top)));
  }

  static void add_level(Html& drawing, const std::optional<double>& value,
                        std::string_view css_class, const Axis& axis, const Area& area) {
    if (!value) return;
    const std::string y = place(area.y(axis.share(*value)));
    drawing.add(R"(<line class="{}" x1="0" x2="100%" y1="{}" y2="{}"/>)", css_class, y, y);
  }

  void add_points(Html& drawing, const Axis& axis, const Area& area) const {
    std::string dots;
    std::string ranges;
    for (const SamplePoint& point : points_) {
      const double middle =
          static_cast<double>(point.first) + static_cast<double>(point.count - 1) / 2;
      const std::string x = place(across(middle) * kAcross);
      dots += "M" + x + " " + place(area.y(axis.share(point.median))) + "h0";
      if (point.count == 1) continue;
      ranges += "M" + x + " " + place(area.y(axis.share(point.least))) + "V" +
                place(area.y(axis.share(point.most)));
    }
    const std::string height = place(area.top + area.height);
    drawing.add(R"(<svg class="chart-lines" width="100%" height="{}" viewBox="0 0 1000 {}" )"
                R"(preserveAspectRatio="none"><path class="chart-range" d="{}" fill="none" )"
                R"(vector-effect="non-scaling-stroke"/><path class="chart-dots" d="{}" )"
                R"(fill="none" stroke-linecap="round" vector-effect="non-scaling-stroke"/></svg>)",
                height, height, ranges, dots);
  }

  void add_counts(Html& drawing) const {
    const Area area = counts_area();
    std::vector<double> edges;
    std::vector<double> counts;
    for (const Bin& bin : bins_) {
      edges.insert(edges.end(), {bin.low, bin.high});
      counts.push_back(static_cast<double>(bin.count));
    }
    const Axis values =
        Axis::of(edges, {.unit = set_.unit, .from_zero = false, .logarithmic = false});
    const Axis count = Axis::of(counts, {.logarithmic = false, .ticks = 2});
    drawing.add("{}{}", y_axis(count, area, "samples"),
                x_axis(values, area, {.label = set_.metric, .lines = false, .inset = kInset}));
    const auto x = [&](double value) { return kInset + values.share(value) * (1 - 2 * kInset); };
    for (const Bin& bin : bins_) {
      if (bin.count == 0) continue;
      const double low = bin.low < bin.high ? x(bin.low) : std::max(0.0, x(bin.low) - 0.02);
      const double high = bin.low < bin.high ? x(bin.high) : std::min(1.0, x(bin.high) + 0.02);
      const double top = area.y(count.share(static_cast<double>(bin.count)));
      drawing.add(R"(<rect class="chart-bar" x="{}" width="{}" y="{}" height="{}"/>)", percent(low),
                  percent(high - low), place(top), place(area.top + area.height - top));
    }
    if (!set_.modes) return;
    for (const double mode : {set_.modes->low, set_.modes->high}) {
      const std::string at = percent(x(mode));
      drawing.add(R"(<line class="chart-mode" x1="{}" x2="{}" y1="{}" y2="{}"/>)", at, at,
                  place(area.top - 6), place(area.top + area.height));
    }
  }

  std::string shown(double value) const { return value_text(value, set_.unit); }

  std::string description() const {
    const auto [least, most] = std::ranges::minmax(values_);
    std::string text =
        fmt::format("{} samples from {} to {}", values_.size(), shown(least), shown(most));
    if (set_.median) text += ", median " + shown(*set_.median);
    text += ".";
    if (set_.trend && set_.trend->drifts) text += " They drift.";
    if (set_.modes) text += " They fall into two groups.";
    return text;
  }

  static void add_key(Html& html, std::string_view css_class, std::string_view text) {
    html.add(R"(<span class="chart-key"><svg width="34" height="12" aria-hidden="true">)"
             R"(<path class="{}" d="M1 6h32" fill="none"/></svg>{}</span> )",
             css_class, text);
  }

  Html legend() const {
    Html html;
    if (set_.median) add_key(html, "chart-median", "median " + shown(*set_.median));
    if (set_.spread) {
      html.add(R"(<span class="chart-key"><svg width="34" height="12" aria-hidden="true">)"
               R"(<rect class="chart-band" width="34" height="12"/></svg>p20 to p80: {} to {})"
               R"(</span> )",
               shown(set_.spread->low), shown(set_.spread->high));
    }
    if (set_.trend) {
      add_key(html, "chart-drift",
              fmt::format("{}: {} at the first sample, {} at the last",
                          set_.trend->drifts ? "drift" : "trend, within what is allowed",
                          shown(set_.trend->first), shown(set_.trend->last)));
    }
    if (set_.modes) {
      add_key(html, "chart-mode",
              fmt::format("two modes: {} and {}, {:.0f} % of the samples in the upper one",
                          shown(set_.modes->low), shown(set_.modes->high),
                          set_.modes->share_high * 100));
    }
    return html;
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> out;
    if (points_.front().count > 1) {
      out.push_back(fmt::format(
          "{} samples: each dot is the median of up to {} neighbours, its line their range.",
          values_.size(), points_.front().count));
    }
    if (bins_.front().low < bins_.front().high) {
      out.push_back(fmt::format("Bins of {}.", shown(bins_.front().high - bins_.front().low)));
    }
    if (values_.size() < set_.values.size()) {
      out.push_back(fmt::format("{} samples are not finite and not drawn.",
                                set_.values.size() - values_.size()));
    }
    return out;
  }

  DataTable table_of_points() const {
    const bool together = points_.front().count > 1;
    DataTable table{.caption = fmt::format("{} in the order taken, {}{}", set_.metric, set_.unit,
                                           together ? ": median (least to most)" : ""),
                    .heads = {"From sample"},
                    .rows = {}};
    const std::size_t columns = std::min(points_.size(), kColumns);
    for (std::size_t i = 0; i < columns; ++i) {
      table.heads.push_back(fmt::format("+{}", i * points_.front().count));
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const SamplePoint& point = points_[i];
      if (i % columns == 0) table.rows.push_back({{std::to_string(point.first + 1)}});
      std::string text = exact(point.median);
      if (together) text += fmt::format(" ({} to {})", exact(point.least), exact(point.most));
      table.rows.back().push_back({std::move(text)});
    }
    return table;
  }

  DataTable table_of_bins() const {
    DataTable table{.caption = fmt::format("How often, by {}", set_.unit),
                    .heads = {"From", "To", "Samples"},
                    .rows = {}};
    for (const Bin& bin : bins_) {
      table.rows.push_back({{exact(bin.low)}, {exact(bin.high)}, {std::to_string(bin.count)}});
    }
    return table;
  }

  const SampleSet& set_;
  ChartName name_;
  std::vector<double> values_;
  std::vector<SamplePoint> points_;
  std::vector<Bin> bins_;
};

}  // namespace

Html samples_chart(const SampleSet& samples, const ChartName& name) {
  return Drawing(samples, name).html();
}

std::vector<SamplePoint> points_of(std::span<const double> values, std::size_t points_max) {
  std::vector<SamplePoint> out;
  const std::size_t together =
      points_max == 0 ? values.size() : (values.size() + points_max - 1) / points_max;
  for (std::size_t first = 0; first < values.size(); first += together) {
    const auto part = values.subspan(first, std::min(together, values.size() - first));
    std::vector<double> sorted(part.begin(), part.end());
    std::ranges::sort(sorted);
    out.push_back({.first = first,
                   .count = sorted.size(),
                   .median = median_of_sorted(sorted),
                   .least = sorted.front(),
                   .most = sorted.back()});
  }
  return out;
}

std::vector<Bin> bins_of(std::span<const double> values, std::size_t bins_max) {
  const std::vector<double> all = finite(values);
  if (all.empty()) return {};
  const auto [least, most] = std::ranges::minmax(all);
  const double size = std::max(std::abs(least), std::abs(most));
  if (most - least <= size * 1e-9 || !std::isfinite(most - least)) {
    return {{.low = least, .high = most, .count = all.size()}};
  }
  // One more than asked for may be needed, where neither end stands on an edge.
  const double wanted = std::clamp(std::ceil(2 * std::sqrt(static_cast<double>(all.size()))), 1.0,
                                   std::max(1.0, static_cast<double>(bins_max) - 1));
  const double step = round_up((most - least) / wanted);
  const double first = std::floor(least / step);
  const auto count = static_cast<std::size_t>(
      std::clamp(std::floor(most / step) - first + 1, 1.0, static_cast<double>(bins_max)));
  std::vector<Bin> bins(count);
  for (std::size_t i = 0; i < count; ++i) {
    bins[i].low = (first + static_cast<double>(i)) * step;
    bins[i].high = (first + static_cast<double>(i) + 1) * step;
  }
  for (const double value : all) {
    const auto above = std::ranges::upper_bound(bins, value, {}, &Bin::low);
    ++bins[above == bins.begin() ? 0 : static_cast<std::size_t>(above - bins.begin()) - 1].count;
  }
  return bins;
}

}  // namespace ki::web::svg
