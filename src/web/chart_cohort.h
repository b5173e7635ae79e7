// The values of one comparison group, and the small bar of one of them in a row.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_common.h"
#include "web/html.h"
#include "web/svg_axis.h"
#include "web/svg_frame.h"

namespace ki::web::svg {

// One run.
struct Mark {
  std::string label;
  double value = 0;                              // of one unit; not finite: not drawn
  std::optional<query::Interval> interval = {};  // none: spread unknown, drawn as such
  bool leader = false;
  std::string_view interval_name = {};   // what the interval is; "" = not said here
  std::span<const double> samples = {};  // raw ones, where the record holds them
};
// Of a measured value: the interval that rankings use (query::known_interval), under its name.
Mark mark_of(std::string_view label, const query::Primary& primary, bool leader);

// The scale that rows of a table share: from zero, or logarithmic where the values ask for it.
class Scale {
 public:
  static Scale of(std::span<const Mark> marks);
  // 0 to 100, clamped.
  double percent(double value) const { return axis_.share(value) * 100; }
  bool logarithmic() const { return axis_.logarithmic(); }
  // Round values inside the axis, rising.
  const std::vector<double>& ticks() const { return axis_.ticks(); }
  // The leader's value; none where no mark leads.
  std::optional<double> reference() const { return reference_; }

 private:
  Axis axis_ = Axis::of({}, {});
  std::optional<double> reference_;
};

inline constexpr std::size_t kMarksMax = 24;

// The bar of one row: from zero to the value (logarithmic: only its end), its interval, and a line
// where the leader stands; a hollow end when the spread is unknown. Decoration beside the numbers
// in the row: hidden from screen readers.
Html strip(const Scale& scale, const Mark& mark);

// A dot-and-interval plot with an axis, one line a mark, at most kMarksMax (a note says when there
// are more). `unit` as in the API ("ns").
struct Values {
  std::span<const Mark> marks;
  std::string_view unit;
};
Html dot_plot(const Values& values, const ChartName& name);

}  // namespace ki::web::svg
