#include "web/chart_records.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/clock.h"
#include "policy/names.h"
#include "web/links.h"

namespace ki::web::svg {
namespace {

constexpr double kHeight = 200;
constexpr double kTop = 26;
constexpr double kInset = 0.03;
constexpr double kTail = 0.08;     // of the width, after the last step: it still holds
constexpr double kDateRoom = 0.3;  // of the width, between two dates
constexpr double kSmallHeight = 22;
constexpr std::size_t kSmallStepsMax = 40;

// What causes look like: the shape of their mark.
constexpr std::size_t kNewRun = 0;
constexpr std::size_t kRetraction = 3;
constexpr std::size_t kRestore = 1;
constexpr std::size_t kOther = 2;

std::size_t shape_of(std::string_view cause) {
  if (cause == "new_run") return kNewRun;
  if (cause == "retraction") return kRetraction;
  if (cause == "restore") return kRestore;
  return kOther;
}

std::string cause_text(std::string_view cause) {
  if (cause == "new_run") return "new run";
  if (cause == "retraction") return "the holder was retracted";
  if (cause == "restore") return "a run was restored";
  return clipped(cause, kLabelBytesMax);
}

// A step that can be drawn.
struct Step {
  const query::RecordStep* record = nullptr;
  double at = 0;  // share of the time between the first and the last
};

// The newest `most` steps, oldest first; by time, or evenly where times do not tell them apart or
// cannot be read.
std::vector<Step> steps_of(const query::Holder& holder, std::size_t most, std::size_t& left_out) {
  std::vector<Step> out;
  left_out = 0;
  for (const query::RecordStep& step : holder.history) {
    if (!std::isfinite(step.value.value) || step.value.unit != holder.history.front().value.unit) {
      ++left_out;
    } else if (out.size() < most) {
      out.push_back({.record = &step});
    } else {
      ++left_out;
    }
  }
  std::ranges::reverse(out);
  std::vector<double> times;
  for (const Step& step : out) {
    const auto at = parse_instant(step.record->at);
    if (at) times.push_back(static_cast<double>(at->time_since_epoch().count()));
  }
  const bool by_time = times.size() == out.size() && std::ranges::is_sorted(times) &&
                       !times.empty() && times.back() > times.front();
  const double last = std::max(1.0, static_cast<double>(out.size()) - 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].at = by_time ? (times[i] - times.front()) / (times.back() - times.front())
                        : static_cast<double>(i) / last;
  }
  return out;
}

// Level until the next step, then up or down.
std::vector<std::optional<At>> staircase(std::span<const Step> steps, const Axis& axis,
                                         const Area& area) {
  std::vector<std::optional<At>> out;
  const auto across = [](double at) { return kInset + at * (1 - kInset - kTail); };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double y = area.y(axis.share(steps[i].record->value.value));
    out.push_back(At{.across = across(steps[i].at), .down = y});
    const bool is_last = i + 1 == steps.size();
    out.push_back(At{.across = is_last ? 1 : across(steps[i + 1].at), .down = y});
  }
  return out;
}

Axis axis_of(std::span<const Step> steps, bool from_zero) {
  std::vector<double> values;
  for (const Step& step : steps) values.push_back(step.record->value.value);
  const std::string_view unit =
      steps.empty() ? std::string_view() : std::string_view(steps.front().record->value.unit);
  return Axis::of(values, {.unit = unit, .from_zero = from_zero});
}

class Drawing {
 public:
  Drawing(const query::Holder& holder, const ChartName& name)
      : name_(name), steps_(steps_of(holder, kStepsMax, left_out_)), axis_(axis_of(steps_, true)) {}

  Html html() const {
    if (steps_.empty()) return {};
    const query::Primary& value = steps_.back().record->value;
    const Area area{.top = kTop, .height = kHeight};
    Html drawing = shapes(name_, 4);
    drawing.add(
        "{}", y_axis(axis_, area,
                     clipped(policy::metric_label(value.metric, value.statistic), kLabelBytesMax)));
    const auto through = staircase(steps_, axis_, area);
    drawing.add("{}", line(through, kTop + kHeight, "chart-line chart-accent"));
    double room_from = -1;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      add_date(drawing, i, *through[2 * i], room_from);
      drawing.add(R"(<g class="chart-accent">{}</g>)",
                  mark(name_, shape_of(steps_[i].record->cause), *through[2 * i]));
    }
    const DataTable rows = table();
    return framed({.name = name_,
                   .kind = "records",
                   .description = description(),
                   .height = kTop + kHeight + kAxisHeight,
                   .has_y_axis = true,
                   .legend = legend(),
                   .notes = notes()},
                  drawing, {&rows, 1});
  }

 private:
  void add_date(Html& drawing, std::size_t i, const At& at, double& room_from) const {
    const std::string x = percent(at.across);
    const double bottom = kTop + kHeight;
    drawing.add(R"(<g class="chart-axis"><line x1="{}" x2="{}" y1="{}" y2="{}"/>)", x, x,
                place(bottom), place(bottom + 4));
    const bool is_last = i + 1 == steps_.size();
    if (at.across >= room_from && (is_last || at.across < 1 - kDateRoom || i == 0)) {
      room_from = at.across + kDateRoom;
      const std::string_view anchor = at.across < 0.1   ? "start"
                                      : at.across > 0.8 ? "end"
                                                        : "middle";
      drawing.add(R"(<text x="{}" y="{}" text-anchor="{}">{}</text>)", x, place(bottom + 17),
                  anchor, clipped(policy::date_text(steps_[i].record->at), kLabelBytesMax));
    }
    drawing.add("</g>");
  }

  static std::string shown(const query::Primary& value) {
    return value_text(value.value, value.unit);
  }

  std::string description() const {
    return fmt::format("{} holders in turn, from {} to {}.", steps_.size(),
                       shown(steps_.front().record->value), shown(steps_.back().record->value));
  }

  Html legend() const {
    Html html;
    for (const std::string_view cause : {"new_run", "retraction", "restore"}) {
      const bool occurs = std::ranges::any_of(
          steps_, [&](const Step& step) { return step.record->cause == cause; });
      if (!occurs) continue;
      html.add(R"(<span class="chart-key"><svg class="chart-accent" width="14" height="12" )"
               R"(aria-hidden="true">{}</svg>{}</span> )",
               mark(name_, shape_of(cause), {.across = 0.5, .down = 6}), cause_text(cause));
    }
    return html;
  }

  std::vector<std::string> notes() const {
    const query::RecordStep& last = *steps_.back().record;
    std::vector<std::string> out = {
        fmt::format("Held by {} since {}: {}.", clipped(last.implementation.name, kLabelBytesMax),
                    clipped(policy::date_text(last.at), kLabelBytesMax), shown(last.value))};
    if (axis_.logarithmic()) out.emplace_back("Logarithmic axis.");
    if (left_out_ > 0) out.push_back(fmt::format("{} older steps are not drawn.", left_out_));
    return out;
  }

  DataTable table() const {
    DataTable out{.heads = {"From", "Holder", "Value", "Better by", "Cause"}, .rows = {}};
    for (const Step& step : steps_) {
      const query::RecordStep& record = *step.record;
      const bool knows_change = record.improvement_pct && std::isfinite(*record.improvement_pct);
      std::string change = "–";
      if (knows_change) change = fmt::format("{:+.3g} %", *record.improvement_pct);
      Cell holder{clipped(record.implementation.name, kLabelBytesMax)};
      const std::string& id = record.run_id;
      if (!id.empty() && id.size() <= kLabelBytesMax) holder.link = run_url(id);
      out.rows.push_back({{clipped(policy::date_text(record.at), kLabelBytesMax)},
                          std::move(holder),
                          {shown(record.value)},
                          {std::move(change)},
                          {cause_text(record.cause)}});
    }
    return out;
  }

  ChartName name_;
  std::size_t left_out_ = 0;
  std::vector<Step> steps_;
  Axis axis_;
};

}  // namespace

Html record_staircase(const query::Holder& holder, const ChartName& name) {
  return Drawing(holder, name).html();
}

Html record_steps(const query::Holder& holder) {
  std::size_t left_out = 0;
  const auto steps = steps_of(holder, kSmallStepsMax, left_out);
  Html html;
  if (steps.size() < 2) return html;
  const Area area{.top = 3, .height = kSmallHeight - 6};
  const auto through = staircase(steps, axis_of(steps, false), area);
  return html.add(
      R"(<svg class="chart-steps" width="100%" height="{}" aria-hidden="true">{}</svg>)",
      place(kSmallHeight), line(through, kSmallHeight, "chart-line chart-accent"));
}

}  // namespace ki::web::svg
