// What all charts share: the figure around a drawing, its axes, its table, its marks.
//
// Across, positions are percentages of the width, so that a chart fits any width and its text never
// scales; down, they are pixels. Lines that bend are drawn in a nested view of kAcross by the
// height, stretched across. Colours, dashes and fonts come from the style sheet: --chart-1 to
// --chart-8, --chart-grid, --chart-text, --chart-muted, and classes that start with "chart-".
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "web/html.h"
#include "web/svg_axis.h"

namespace ki::web::svg {

inline constexpr std::size_t kChartBytesMax = 30 * 1024;  // of a chart with its table
inline constexpr std::size_t kPointsMax = 500;            // drawn; above it a chart aggregates
inline constexpr std::size_t kSeriesMax = 8;              // that colour, shape and dash tell apart
inline constexpr double kAcross = 1000;

// How a chart is called and found on its page.
struct ChartName {
  std::string_view title;         // its accessible name
  std::string_view id = "chart";  // unique on the page, of a-z, 0-9 and '-': ids in it start so
};

// `text`, cut so that it takes at most `bytes_max` bytes where it is inserted, "…" at the cut.
std::string clipped(std::string_view text, std::size_t bytes_max);
inline constexpr std::size_t kLabelBytesMax = 72;  // of a label in a drawing or a table

// A measured value for people (policy::measured_text), no longer than a label.
std::string value_text(double value, std::string_view unit);

// "37.5%" of a share from 0 to 1, and "12.5", pixels or places in a nested view. Two decimals.
std::string percent(double share);
std::string place(double value);

// A cell of a chart's table.
struct Cell {
  std::string text;
  std::optional<Url> link = {};
};
struct DataTable {
  std::string caption = {};  // "" = the chart's title
  std::vector<std::string> heads;
  std::vector<std::vector<Cell>> rows;  // the first cell of each names the row
};

// The figure of a chart: the drawing under its name and description, what explains its marks, and
// the same data as tables that open below.
struct Frame {
  ChartName name;
  std::string_view kind;                // "cohort": its class is "chart chart-cohort"
  std::string description = {};         // one or two sentences that say what the drawing shows
  double height = 0;                    // of the drawing, pixels
  bool has_links = false;               // then it is a group of links, no image
  bool has_y_axis = false;              // makes room on the left for the numbers of y_axis()
  Html legend = {};                     // below the drawing
  std::vector<std::string> notes = {};  // sentences, such as what is left out
};
Html framed(const Frame& frame, const Html& drawing, std::span<const DataTable> tables);

// A part of a drawing, in pixels from its top; all of its width.
struct Area {
  double top = 0;
  double height = 0;
  // From a share of the vertical axis, 1 on top.
  double y(double share) const { return top + (1 - share) * height; }
};

// Hairlines with their numbers left of them and the axis's name above them.
Html y_axis(const Axis& axis, const Area& area, std::string_view label);
// Hairlines or, where `lines` is false, ticks, with their texts below and the name under them.
// `inset` leaves that share of the width free at each end.
struct XAxisOptions {
  std::string_view label{};
  bool lines = true;
  double inset = 0;
};
Html x_axis(const Axis& axis, const Area& area, const XAxisOptions& options);
inline constexpr double kAxisHeight = 22;      // below an area: texts of ticks
inline constexpr double kAxisNameHeight = 20;  // and the name, where there is one

// A bent line through places of a nested view; nullopt lifts the pen.
struct At {
  double across = 0;  // share of the width
  double down = 0;    // pixels
};
Html line(std::span<const std::optional<At>> through, double height, std::string_view css_class);

// The shapes of the first `series` marks, once in each drawing that has such marks: they are told
// apart by shape as well as colour. Series count from 0, modulo kSeriesMax.
Html shapes(const ChartName& name, std::size_t series);
Html mark(const ChartName& name, std::size_t series, const At& at);
// The same mark on its line, and what it stands for.
Html legend_entry(const ChartName& name, std::size_t series, std::string_view text);

// The name of a row and what it says on the right: the long forms where there is room for both.
struct RowText {
  std::string_view label;
  std::string_view value;
  std::string_view more = {};  // after the value, left out on a narrow screen
};
Html row_text(const RowText& text, double down);

// The class that gives a series its colour and dash: "chart-s1" to "chart-s8".
std::string_view series_class(std::size_t series);

}  // namespace ki::web::svg
