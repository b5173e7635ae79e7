// Charts as inline SVG: positions are percentages, so they fit any width and their text never
// scales; colours come from the style sheet's classes. Pure: same values, same bytes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "query/models.h"
#include "web/html.h"

namespace ki::web::svg {

// One run of a cohort.
struct Mark {
  std::string label;
  double value = 0;                              // finite, >= 0, all in one unit
  std::optional<query::Interval> interval = {};  // none: spread unknown, drawn as such
  bool leader = false;
};

// A horizontal axis that shows values from `low` to `high`: from zero, or logarithmic when the
// values span more than kLogSpan.
class Scale {
 public:
  static Scale of(std::span<const Mark> marks);
  // 0 to 100, clamped.
  double percent(double value) const;
  bool logarithmic() const { return logarithmic_; }
  // Round values inside the axis, rising; at most 6.
  std::vector<double> ticks() const;

 private:
  double low_ = 0;
  double high_ = 1;
  bool logarithmic_ = false;
};

inline constexpr double kLogSpan = 20;
inline constexpr std::size_t kMarksMax = 24;

// The strip of one row in a table: a line for the interval, a dot for the value; a hollow dot when
// the spread is unknown. Decoration beside the numbers in the row: hidden from screen readers.
Html strip(const Scale& scale, const Mark& mark);

// A dot-and-interval plot with an axis, one line a mark, at most kMarksMax (the caption says when
// there are more). `unit` as in the API ("ns"); `title` is its accessible name.
Html dot_plot(std::span<const Mark> marks, std::string_view unit, std::string_view title);

}  // namespace ki::web::svg
