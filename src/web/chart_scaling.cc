#include "web/chart_scaling.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "policy/metrics.h"
#include "policy/names.h"
#include "web/links.h"

namespace ki::web::svg {
namespace {

constexpr double kHeight = 240;
constexpr double kTop = 26;
constexpr double kInset = 0.04;
constexpr double kTickRoom = 0.14;  // of the width, between the texts of two cases
constexpr double kLogFrom = 4;      // largest case over smallest, above which they stand by ratio
constexpr std::size_t kPointsDrawn = 280;
constexpr std::size_t kCasesDrawn = 64;
constexpr std::size_t kLinkedMax = 80;  // points of a table whose values link to their runs
constexpr std::size_t kCrossingsNamed = 3;
constexpr std::size_t kCrossingsListed = 16;

struct Point {
  double value = 0;
  std::string_view run_id;
};

struct Line {
  const query::Ref* implementation = nullptr;
  std::map<double, Point> points = {};  // by the value of the axis; all finite
};

// What is drawn: lines over cases, in one unit.
struct Lines {
  std::string_view axis;
  std::string_view unit;
  std::string label;
  std::vector<Line> lines = {};
  std::vector<double> cases = {};  // ascending
  std::span<const query::SweepCrossing> crossings = {};
  double peak = 0;  // 0 = none
  std::size_t lines_cut = 0;
  std::size_t every = 1;  // of the cases, one in so many is drawn
  std::vector<std::string> notes = {};
};

class Drawing {
 public:
  Drawing(const Lines& lines, const ChartName& name) : lines_(lines), name_(name) {
    std::vector<double> values;
    for (const Line& line : lines.lines) {
      for (const auto& [x, point] : line.points) values.push_back(point.value);
    }
    if (lines.peak > 0) values.push_back(lines.peak);
    axis_ = Axis::of(values, {.unit = lines.unit});
    by_ratio_ = lines.cases.front() > 0 && lines.cases.back() / lines.cases.front() >= kLogFrom;
  }

  Html html() const {
    Html drawing = shapes(name_, lines_.lines.size());
    drawing.add("{}", y_axis(axis_, area(), lines_.label));
    add_cases(drawing);
    add_peak(drawing);
    for (std::size_t i = 0; i < lines_.lines.size(); ++i) add_line(drawing, i);
    for (const auto& crossing :
         lines_.crossings.first(std::min(lines_.crossings.size(), kCrossingsListed))) {
      add_crossing(drawing, crossing);
    }
    const std::vector<DataTable> tables = lines_.crossings.empty()
                                              ? std::vector<DataTable>{table()}
                                              : std::vector<DataTable>{table(), crossings_table()};
    return framed({.name = name_,
                   .kind = "scaling",
                   .description = description(),
                   .height = kTop + kHeight + kAxisHeight + kAxisNameHeight,
                   .has_y_axis = true,
                   .legend = legend(),
                   .notes = notes()},
                  drawing, tables);
  }

 private:
  static Area area() { return {.top = kTop, .height = kHeight}; }

  double across(double x) const {
    const double low = lines_.cases.front();
    const double high = lines_.cases.back();
    const double share =
        by_ratio_ ? std::log(x / low) / std::log(high / low) : (x - low) / (high - low);
    return kInset + (std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0) * (1 - 2 * kInset);
  }

  At at(double x, double value) const {
    return {.across = across(x), .down = area().y(axis_.share(value))};
  }

  // A tick at each case; a text where there is room since the last, and always at the end.
  void add_cases(Html& drawing) const {
    const double bottom = kTop + kHeight;
    double room_from = -1;
    drawing.add(R"(<g class="chart-axis">)");
    for (const double x : lines_.cases) {
      const double here = across(x);
      const std::string place_across = percent(here);
      drawing.add(R"(<line x1="{}" x2="{}" y1="{}" y2="{}"/>)", place_across, place_across,
                  place(bottom), place(bottom + 4));
      const bool is_last = x == lines_.cases.back();
      if (!is_last && (here < room_from || here > 1 - kInset - kTickRoom)) continue;
      room_from = here + kTickRoom;
      drawing.add(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)", place_across,
                  place(bottom + 17), case_text(x));
    }
    drawing.add(R"(<text class="chart-name" x="100%" y="{}" text-anchor="end">{}</text></g>)",
                place(bottom + kAxisHeight + 13), clipped(lines_.axis, kLabelBytesMax));
  }

  static std::string case_text(double x) { return fmt::format("{:.10g}", x); }

  void add_peak(Html& drawing) const {
    if (lines_.peak <= 0) return;
    const std::string y = place(area().y(axis_.share(lines_.peak)));
    drawing.add(R"(<line class="chart-peak" x1="0" x2="100%" y1="{}" y2="{}"/>)", y, y);
  }

  void add_line(Html& drawing, std::size_t index) const {
    const Line& of = lines_.lines[index];
    std::vector<std::optional<At>> through;
    for (const double x : lines_.cases) {
      const auto point = of.points.find(x);
      through.push_back(point == of.points.end() ? std::nullopt
                                                 : std::optional(at(x, point->second.value)));
    }
    drawing.add(R"(<g class="{}">{})", series_class(index),
                line(through, kTop + kHeight, "chart-line"));
    for (const auto& place_of : through) {
      if (place_of) drawing.add("{}", mark(name_, index, *place_of));
    }
    drawing.add("</g>");
  }

  const Line* line_of(const query::Ref& implementation) const {
    const auto found = std::ranges::find(lines_.lines, implementation.slug, [](const Line& line) {
      return std::string_view(line.implementation->slug);
    });
    return found == lines_.lines.end() ? nullptr : &*found;
  }

  // Where both lines meet as they are drawn; none where either is broken there.
  void add_crossing(Html& drawing, const query::SweepCrossing& crossing) const {
    const Line* const a = line_of(crossing.lower_before);
    const Line* const b = line_of(crossing.lower_after);
    const auto from = std::ranges::find(lines_.cases, crossing.from);
    if (a == nullptr || b == nullptr || from == lines_.cases.end()) return;
    if (std::next(from) == lines_.cases.end() || *std::next(from) != crossing.to) return;
    const auto gap = [&](double x) {
      return axis_.share(b->points.at(x).value) - axis_.share(a->points.at(x).value);
    };
    for (const double x : {crossing.from, crossing.to}) {
      if (!a->points.contains(x) || !b->points.contains(x)) return;
    }
    const double before = std::abs(gap(crossing.from));
    const double after = std::abs(gap(crossing.to));
    const double share = before + after > 0 ? before / (before + after) : 0.5;
    const At begin = at(crossing.from, a->points.at(crossing.from).value);
    const At end = at(crossing.to, a->points.at(crossing.to).value);
    const std::string x = percent(std::lerp(begin.across, end.across, share));
    drawing.add(R"(<circle class="chart-crossing" cx="{}" cy="{}" r="7"/>)", x,
                place(std::lerp(begin.down, end.down, share)));
  }

  std::string shown(double value) const { return value_text(value, lines_.unit); }

  std::string description() const {
    return fmt::format("{} over {} values of {}, {} lines.", lines_.label, lines_.cases.size(),
                       clipped(lines_.axis, kLabelBytesMax), lines_.lines.size());
  }

  Html legend() const {
    Html html;
    for (std::size_t i = 0; i < lines_.lines.size(); ++i) {
      html.add("{}", legend_entry(name_, i, lines_.lines[i].implementation->name));
    }
    if (!lines_.crossings.empty()) {
      html.add(R"(<span class="chart-key"><svg width="34" height="16" aria-hidden="true">)"
               R"(<circle class="chart-crossing" cx="17" cy="8" r="7"/></svg>order changes)"
               R"(</span> )");
    }
    if (lines_.peak > 0) {
      html.add(R"(<span class="chart-key"><svg width="34" height="12" aria-hidden="true">)"
               R"(<path class="chart-peak" d="M1 6h32"/></svg>most of this hardware: {}</span> )",
               shown(lines_.peak));
    }
    return html;
  }

  std::string crossing_text(const query::SweepCrossing& crossing) const {
    return fmt::format("{} is lower at {} = {}, {} at {}.",
                       clipped(crossing.lower_before.name, kLabelBytesMax),
                       clipped(lines_.axis, kLabelBytesMax), case_text(crossing.from),
                       clipped(crossing.lower_after.name, kLabelBytesMax), case_text(crossing.to));
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> out = lines_.notes;
    for (const auto& crossing :
         lines_.crossings.first(std::min(lines_.crossings.size(), kCrossingsNamed))) {
      out.push_back(crossing_text(crossing));
    }
    if (lines_.crossings.size() > kCrossingsNamed) {
      out.push_back(fmt::format("{} more changes of order are in the table.",
                                lines_.crossings.size() - kCrossingsNamed));
    }
    if (axis_.logarithmic()) out.emplace_back("Logarithmic axis of values.");
    if (has_gaps()) out.emplace_back("A line breaks where its implementation was not measured.");
    if (lines_.every > 1) {
      out.push_back(fmt::format("One in {} measured cases is drawn.", lines_.every));
    }
    if (lines_.lines_cut > 0) {
      out.push_back(fmt::format("{} more implementations are not drawn.", lines_.lines_cut));
    }
    return out;
  }

  bool has_gaps() const {
    return std::ranges::any_of(
        lines_.lines, [&](const Line& one) { return one.points.size() < lines_.cases.size(); });
  }

  DataTable table() const {
    std::size_t points = 0;
    DataTable out{.heads = {clipped(lines_.axis, kLabelBytesMax)}, .rows = {}};
    for (const Line& one : lines_.lines) {
      out.heads.push_back(clipped(one.implementation->name, kLabelBytesMax));
      points += one.points.size();
    }
    for (const double x : lines_.cases) {
      std::vector<Cell> row = {{case_text(x)}};
      for (const Line& one : lines_.lines) {
        const auto point = one.points.find(x);
        Cell cell{point == one.points.end() ? "not measured" : shown(point->second.value)};
        const bool links = point != one.points.end() && !point->second.run_id.empty();
        if (links && points <= kLinkedMax) cell.link = run_url(point->second.run_id);
        row.push_back(std::move(cell));
      }
      out.rows.push_back(std::move(row));
    }
    return out;
  }

  DataTable crossings_table() const {
    DataTable out{.caption = "Changes of order",
                  .heads = {"Lower before", "Up to", "Lower after", "From"},
                  .rows = {}};
    for (const auto& crossing :
         lines_.crossings.first(std::min(lines_.crossings.size(), kCrossingsListed))) {
      out.rows.push_back({{clipped(crossing.lower_before.name, kLabelBytesMax)},
                          {case_text(crossing.from)},
                          {clipped(crossing.lower_after.name, kLabelBytesMax)},
                          {case_text(crossing.to)}});
    }
    if (lines_.crossings.size() > kCrossingsListed) {
      out.caption += fmt::format(": the first {} of {}", kCrossingsListed, lines_.crossings.size());
    }
    return out;
  }

  const Lines& lines_;
  ChartName name_;
  Axis axis_ = Axis::of({}, {});
  bool by_ratio_ = false;
};

// Fills in the cases; leaves out what is too much to draw.
void bound(Lines& lines, std::span<const double> cases) {
  std::set<double> all;
  for (const double x : cases) {
    if (std::isfinite(x)) all.insert(x);
  }
  if (lines.lines.size() > kSeriesMax) {
    lines.lines_cut += lines.lines.size() - kSeriesMax;
    lines.lines.resize(kSeriesMax);
  }
  for (const Line& line : lines.lines) {
    for (const auto& [x, point] : line.points) all.insert(x);
  }
  lines.cases.assign(all.begin(), all.end());
  const std::size_t most =
      std::min(kCasesDrawn, kPointsDrawn / std::max<std::size_t>(lines.lines.size(), 1));
  if (lines.cases.size() <= most) return;
  lines.every = (lines.cases.size() + most - 1) / most;
  std::vector<double> kept;
  for (std::size_t i = 0; i < lines.cases.size(); i += lines.every) kept.push_back(lines.cases[i]);
  lines.cases = std::move(kept);
  for (Line& line : lines.lines) {
    std::erase_if(line.points, [&](const auto& entry) {
      return !std::ranges::binary_search(lines.cases, entry.first);
    });
  }
}

Html draw(Lines lines, std::span<const double> cases, const ChartName& name) {
  std::erase_if(lines.lines, [](const Line& line) { return line.points.empty(); });
  bound(lines, cases);
  if (lines.lines.empty() || lines.cases.size() < 2) return {};
  return Drawing(lines, name).html();
}

}  // namespace

Html scaling_chart(const query::Sweep& sweep, const ChartName& name) {
  Lines lines{.axis = sweep.axis,
              .unit = sweep.unit,
              .label = clipped(sweep.metric_label, kLabelBytesMax),
              .crossings = sweep.crossings,
              .lines_cut = static_cast<std::size_t>(std::max<std::int64_t>(sweep.overflow, 0))};
  if (!sweep.environment_label.empty()) {
    lines.notes.push_back("On " + clipped(sweep.environment_label, kLabelBytesMax) + ".");
  }
  for (const query::SweepSeries& series : sweep.series) {
    Line& line = lines.lines.emplace_back(Line{.implementation = &series.implementation});
    for (const query::SweepPoint& point : series.points) {
      if (!std::isfinite(point.x) || !std::isfinite(point.value)) continue;
      line.points.emplace(point.x, Point{.value = point.value, .run_id = point.run_id});
    }
  }
  return draw(std::move(lines), sweep.cases, name);
}

Html rate_chart(const query::Sweep& sweep, const Rates& rates, const ChartName& name) {
  const auto per_nanosecond = policy::per_nanosecond(sweep.unit);
  if (!per_nanosecond) return {};
  const double per_second = *per_nanosecond * 1e9;
  std::map<double, double> work;
  for (const query::SweepWork& one : sweep.work) {
    const auto amount = rates.unit == "bytes_s" ? one.bytes : one.flops;
    if (amount && std::isfinite(*amount) && *amount > 0) work.emplace(one.x, *amount);
  }
  Lines lines{.axis = sweep.axis,
              .unit = rates.unit,
              .label = rates.unit == "bytes_s" ? "memory traffic" : "arithmetic",
              .peak = std::isfinite(rates.peak) ? std::max(rates.peak, 0.0) : 0,
              .lines_cut = static_cast<std::size_t>(std::max<std::int64_t>(sweep.overflow, 0))};
  for (const query::SweepSeries& series : sweep.series) {
    Line& line = lines.lines.emplace_back(Line{.implementation = &series.implementation});
    for (const query::SweepPoint& point : series.points) {
      const auto known = work.find(point.x);
      if (known == work.end()) continue;
      const double rate = known->second / (point.value / per_second);
      if (!std::isfinite(rate)) continue;
      line.points.emplace(point.x, Point{.value = rate, .run_id = point.run_id});
    }
  }
  return draw(std::move(lines), sweep.cases, name);
}

}  // namespace ki::web::svg
