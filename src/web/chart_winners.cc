#include "web/chart_winners.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "policy/names.h"
#include "web/links.h"

namespace ki::web::svg {
namespace {

using query::WinnerCell;
using query::WinnerMap;

constexpr double kTop = 42;  // for the names of the axes and the values of the first
constexpr double kCellHeight = 34;
constexpr double kSmallCell = 16;              // of an overview
constexpr double kNameHeight = 18;             // above a row that is named by its hardware
constexpr double kTextRoom = 0.1;              // of the width, between two values of the first axis
constexpr std::size_t kRatioColumnsMax = 8;    // where there is room for the ratio in a cell
constexpr std::size_t kNarrowColumnsMax = 4;   // the same on a narrow screen
constexpr std::size_t kLinkedColumnsMax = 16;  // and for a letter in a cell with a link
constexpr std::size_t kColumnsMax = 32;
constexpr std::size_t kRowsMax = 32;
constexpr std::size_t kOverviewMax = 256;  // cells without links
constexpr std::size_t kRowNameBytesMax = 48;
constexpr std::size_t kLettersMax = 26;
constexpr std::size_t kLinkedBytesMax = kChartBytesMax - 1024;

// Deeper colour for a clearer lead.
struct Depth {
  double ratio;
  std::string_view css_class;
};
constexpr std::array kDepths = {Depth{2, "chart-d4"}, Depth{1.25, "chart-d3"},
                                Depth{1.05, "chart-d2"}, Depth{0, "chart-d1"}};

std::string_view depth_of(const WinnerCell& cell) {
  const double ratio = cell.ratio.value_or(1);
  for (const Depth& depth : kDepths) {
    if (ratio >= depth.ratio) return depth.css_class;
  }
  return kDepths.back().css_class;
}

bool has_ratio(const WinnerCell& cell) { return cell.ratio && std::isfinite(*cell.ratio); }
bool is_measured(const WinnerCell& cell) { return cell.verdict != "unmeasured"; }

// What of a map is drawn: positions in its rows and columns.
struct Cut {
  std::vector<std::size_t> rows;
  std::vector<std::size_t> columns;
  std::size_t empty = 0;  // rows and columns without a measurement that are left out
  std::size_t last = 0;   // further ones
};

class Grid {
 public:
  explicit Grid(const WinnerMap& map) : map_(map), columns_(map.x.values.size()) {
    rows_ = columns_ == 0 ? 0 : map.cells.size() / columns_;
    for (const WinnerCell& cell : map.cells) {
      if (cell.leader && is_measured(cell)) ++led_[cell.leader->slug];
      if (cell.leader) names_.emplace(cell.leader->slug, cell.leader->name);
    }
    for (const auto& [slug, count] : led_) order_.push_back(slug);
    std::ranges::stable_sort(order_,
                             [&](const auto& a, const auto& b) { return led_.at(a) > led_.at(b); });
  }

  const WinnerMap& map() const { return map_; }
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  bool empty() const { return rows_ == 0; }
  const WinnerCell& at(std::size_t row, std::size_t column) const {
    return map_.cells[row * columns_ + column];
  }

  // Position of a leader among all, by how much they lead.
  std::size_t series_of(const WinnerCell& cell) const {
    return static_cast<std::size_t>(std::ranges::find(order_, cell.leader->slug) - order_.begin());
  }
  const std::vector<std::string>& leaders() const { return order_; }
  const std::string& name_of(std::size_t series) const { return names_.at(order_[series]); }
  std::int64_t led_by(std::size_t series) const { return led_.at(order_[series]); }

  bool by_hardware() const { return map_.y && map_.y->name == query::kHardwareAxis; }
  std::string row_name(std::size_t row) const {
    if (!map_.y) return "";
    if (by_hardware()) {
      return row < map_.y->hardware.size() ? clipped(map_.y->hardware[row], kRowNameBytesMax) : "";
    }
    return row < map_.y->values.size() ? std::to_string(map_.y->values[row]) : "";
  }

 private:
  const WinnerMap& map_;
  std::size_t columns_ = 0;
  std::size_t rows_ = 0;
  std::map<std::string, std::int64_t> led_;  // cells by slug
  std::map<std::string, std::string> names_;
  std::vector<std::string> order_;
};

std::string letter_of(std::size_t series) {
  return series < kLettersMax ? std::string(1, static_cast<char>('A' + series)) : "+";
}

// All where it fits, else what is measured, else the first of that.
Cut cut_of(const Grid& grid) {
  Cut cut;
  const auto measured = [&](std::size_t rows, std::size_t columns, auto at) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        if (!is_measured(at(i, j))) continue;
        out.push_back(i);
        break;
      }
    }
    return out;
  };
  for (std::size_t i = 0; i < grid.rows(); ++i) cut.rows.push_back(i);
  for (std::size_t j = 0; j < grid.columns(); ++j) cut.columns.push_back(j);
  const auto too_many = [&] {
    return cut.rows.size() * cut.columns.size() > kOverviewMax ||
           cut.columns.size() > kColumnsMax || cut.rows.size() > kRowsMax;
  };
  if (too_many()) {
    auto rows = measured(grid.rows(), grid.columns(),
                         [&](std::size_t i, std::size_t j) { return grid.at(i, j); });
    auto columns = measured(grid.columns(), grid.rows(),
                            [&](std::size_t j, std::size_t i) { return grid.at(i, j); });
    if (!rows.empty()) {
      cut.empty = grid.rows() - rows.size() + grid.columns() - columns.size();
      cut.rows = std::move(rows);
      cut.columns = std::move(columns);
    }
  }
  const std::size_t all = cut.rows.size() + cut.columns.size();
  if (cut.columns.size() > kColumnsMax) cut.columns.resize(kColumnsMax);
  const std::size_t rows_max =
      std::min(kRowsMax, std::max<std::size_t>(kOverviewMax / cut.columns.size(), 1));
  if (cut.rows.size() > rows_max) cut.rows.resize(rows_max);
  cut.last = all - cut.rows.size() - cut.columns.size();
  return cut;
}

class Drawing {
 public:
  Drawing(const Grid& grid, const Cut& cut, const ChartName& name, bool is_linked)
      : grid_(grid), cut_(cut), name_(name), is_linked_(is_linked) {}

  Html html() const {
    Html drawing;
    drawing.add(
        R"(<defs><pattern id="{}-tie" width="6" height="6" patternUnits="userSpaceOnUse" )"
        R"~(patternTransform="rotate(45)"><path class="chart-hatch" d="M0 0v6"/></pattern>)~"
        "</defs>",
        name_.id);
    add_columns(drawing);
    if (is_linked_) {
      for (std::size_t i = 0; i < cut_.rows.size(); ++i) add_row(drawing, i);
    } else {
      add_overview(drawing);
    }
    const std::vector<DataTable> tables = {table(), leaders_table()};
    return framed({.name = name_,
                   .kind = "winners",
                   .description = description(),
                   .height = kTop + row_height() * static_cast<double>(cut_.rows.size()),
                   .has_links = is_linked_,
                   .has_y_axis = grid_.map().y && !grid_.by_hardware(),
                   .legend = legend(),
                   .notes = notes()},
                  drawing, tables);
  }

 private:
  double cell_height() const { return is_linked_ ? kCellHeight : kSmallCell; }
  double row_height() const { return cell_height() + (grid_.by_hardware() ? kNameHeight : 0); }
  double width() const { return 1 / static_cast<double>(cut_.columns.size()); }

  void add_columns(Html& drawing) const {
    double room_from = -1;
    drawing.add(R"(<g class="chart-axis"><text x="0" y="13">{}</text>)", axes_text());
    for (std::size_t j = 0; j < cut_.columns.size(); ++j) {
      const double middle = (static_cast<double>(j) + 0.5) * width();
      if (middle < room_from) continue;
      room_from = middle + kTextRoom;
      drawing.add(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)", percent(middle),
                  place(kTop - 8), grid_.map().x.values[cut_.columns[j]]);
    }
    drawing.add("</g>");
  }

  double cells_top(std::size_t i) const {
    return kTop + row_height() * static_cast<double>(i) + (grid_.by_hardware() ? kNameHeight : 0);
  }

  void add_row_name(Html& drawing, std::size_t i) const {
    const std::string name = grid_.row_name(cut_.rows[i]);
    if (grid_.by_hardware()) {
      drawing.add(R"(<text class="label" x="0" y="{}">{}</text>)", place(cells_top(i) - 5), name);
    } else if (grid_.map().y) {
      drawing.add(R"(<text class="chart-row" x="-8" y="{}" dy=".35em" text-anchor="end">{}</text>)",
                  place(cells_top(i) + cell_height() / 2), name);
    }
  }

  void add_row(Html& drawing, std::size_t i) const {
    add_row_name(drawing, i);
    for (std::size_t j = 0; j < cut_.columns.size(); ++j) {
      const WinnerCell& cell = grid_.at(cut_.rows[i], cut_.columns[j]);
      const Html drawn = cell_of(cell, static_cast<double>(j) * width(), cells_top(i));
      if (cell.cohort) {
        drawing.add(R"(<a href="{}">{}</a>)",
                    operation_url(grid_.map().operation.slug, {}, *cell.cohort), drawn);
      } else {
        drawing.add("{}", drawn);
      }
    }
  }

  // Cells of one look as one path, the letters of a row as one text: small enough for many.
  void add_overview(Html& drawing) const {
    std::map<std::string, std::string> boxes;  // by class
    std::string ties;
    Html names;
    for (std::size_t i = 0; i < cut_.rows.size(); ++i) {
      add_row_name(names, i);
      std::string places;
      std::string letters;
      for (std::size_t j = 0; j < cut_.columns.size(); ++j) {
        const WinnerCell& cell = grid_.at(cut_.rows[i], cut_.columns[j]);
        const std::string box = box_at(j, cells_top(i));
        if (is_measured(cell)) boxes[look_of(cell)] += box;
        if (cell.verdict == "tie") ties += box;
        const std::string_view no_letter = is_measured(cell) ? "–" : "·";
        const bool is_led = is_measured(cell) && cell.leader;
        letters += is_led ? letter_of(grid_.series_of(cell)) : std::string(no_letter);
        places += (places.empty() ? "" : " ") + percent((static_cast<double>(j) + 0.5) * width());
      }
      names.add(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)", places,
                place(cells_top(i) + cell_height() / 2 + 4.5), letters);
    }
    const std::string height = place(kTop + row_height() * static_cast<double>(cut_.rows.size()));
    drawing.add(R"(<svg class="chart-lines" width="100%" height="{}" viewBox="0 0 1000 {}" )"
                R"(preserveAspectRatio="none">)",
                height, height);
    for (const auto& [css_class, path] : boxes) {
      drawing.add(R"(<path class="{}" d="{}" vector-effect="non-scaling-stroke"/>)", css_class,
                  path);
    }
    drawing.add(R"~(<path fill="url(#{}-tie)" d="{}"/></svg>{})~", name_.id, ties, names);
  }

  std::string box_at(std::size_t j, double top) const {
    const std::string left = place(static_cast<double>(j) * width() * kAcross);
    const std::string right = place(static_cast<double>(j + 1) * width() * kAcross);
    return "M" + left + " " + place(top) + "H" + right + "V" + place(top + cell_height()) + "H" +
           left + "z";
  }

  Html rect(std::string_view css_class, double left, double top) const {
    Html html;
    return html.add(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>)", css_class,
                    percent(left), place(top), percent(width()), place(cell_height()));
  }

  // Colour says who, depth how clearly; the verdicts that claim nothing have looks of their own.
  std::string look_of(const WinnerCell& cell) const {
    if (!cell.leader) return "chart-none";
    const std::size_t series = grid_.series_of(cell);
    const std::string who(series < kSeriesMax ? series_class(series) : "chart-other");
    if (cell.verdict == "winner") return who + " " + std::string(depth_of(cell));
    if (cell.verdict == "tie") return who + " chart-d1";
    return who + (cell.verdict == "only_run" ? " chart-only" : " chart-unclear");
  }

  Html cell_of(const WinnerCell& cell, double left, double top) const {
    const double middle = left + width() / 2;
    Html html;
    if (!is_measured(cell)) {
      return html.add(R"(<circle class="chart-unmeasured" cx="{}" cy="{}" r="1.5"/>)",
                      percent(middle), place(top + cell_height() / 2));
    }
    html.add("<title>{}</title>{}", cell_text(cell, true), rect(look_of(cell), left, top));
    if (cell.verdict == "tie") {
      html.add(R"~(<rect fill="url(#{}-tie)" x="{}" y="{}" width="{}" height="{}"/>)~", name_.id,
               percent(left), place(top), percent(width()), place(cell_height()));
    }
    if (!cell.leader) return html;
    return html.add(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)", percent(middle),
                    place(top + cell_height() / 2 + 4.5), inside(cell, grid_.series_of(cell)));
  }

  // The letter, and the ratio where there is room; on a narrow screen only beside few others.
  Html inside(const WinnerCell& cell, std::size_t series) const {
    Html html;
    html.add("{}", letter_of(series));
    const bool fits = cut_.columns.size() <= kRatioColumnsMax;
    if (!fits || cell.verdict != "winner" || !has_ratio(cell)) return html;
    return html.add(R"(<tspan class="{}"> {}</tspan>)",
                    cut_.columns.size() <= kNarrowColumnsMax ? "" : "chart-wide",
                    policy::relative_text(*cell.ratio, 1.0));
  }

  static std::string verdict_words(const WinnerCell& cell) {
    if (cell.verdict == "winner") return "";
    if (cell.verdict == "not_enough_evidence") return "not enough evidence";
    if (cell.verdict == "only_run") return "only run";
    return clipped(cell.verdict, kLabelBytesMax);
  }

  // "A, 1.60×", "B, tie"; with the name instead of the letter where a reader has no legend.
  std::string cell_text(const WinnerCell& cell, bool with_name) const {
    if (!is_measured(cell)) return "not measured";
    if (!cell.leader) return "none ranked";
    const std::size_t series = grid_.series_of(cell);
    std::string text =
        with_name ? clipped(grid_.name_of(series), kLabelBytesMax / 2) : letter_of(series);
    if (has_ratio(cell)) text += ", " + policy::relative_text(*cell.ratio, 1.0);
    if (const std::string words = verdict_words(cell); !words.empty()) text += ", " + words;
    return text;
  }

  std::string axes_text() const {
    std::string text = clipped(grid_.map().x.name, kLabelBytesMax) + " across";
    if (grid_.map().y) text += ", " + clipped(grid_.map().y->name, kLabelBytesMax) + " down";
    return text;
  }

  std::string description() const {
    const query::WinnerCounts& counts = grid_.map().counts;
    return fmt::format(
        "{}: of {} points, {} have a winner, {} a tie, {} not enough evidence, {} one "
        "implementation, {} were never measured.",
        axes_text(), counts.cells, counts.winner, counts.tie, counts.not_enough_evidence,
        counts.only_run, counts.unmeasured);
  }

  static void add_key(Html& html, const Html& sample, std::string_view text) {
    html.add(R"(<span class="chart-key"><svg width="22" height="14" aria-hidden="true">{}</svg>)"
             "{}</span> ",
             sample, text);
  }

  static Html swatch(std::string_view css_class, std::string_view letter) {
    Html html;
    html.add(R"(<rect class="{}" x="1" y="1" width="20" height="12"/>)", css_class);
    if (!letter.empty()) {
      html.add(R"(<text class="chart-letter" x="11" y="11" text-anchor="middle">{}</text>)",
               letter);
    }
    return html;
  }

  Html legend() const {
    Html html;
    const std::size_t named = std::min(grid_.leaders().size(), kSeriesMax);
    for (std::size_t i = 0; i < named; ++i) {
      add_key(html, swatch(std::string(series_class(i)) + " chart-d3", letter_of(i)),
              clipped(grid_.name_of(i), kLabelBytesMax));
    }
    if (named < grid_.leaders().size()) {
      add_key(html, swatch("chart-other chart-d3", ""), "others, in the table");
    }
    const query::WinnerCounts& counts = grid_.map().counts;
    if (counts.winner > 0) {
      Html depths;
      for (std::size_t i = 0; i < kDepths.size(); ++i) {
        depths.add(R"(<rect class="chart-s1 {}" x="{}" y="1" width="5" height="12"/>)",
                   kDepths[kDepths.size() - 1 - i].css_class, 1 + 5 * i);
      }
      add_key(html, depths, "deeper: leads by 1.05, 1.25, 2 times and more");
    }
    if (counts.tie > 0) {
      Html tie = swatch("chart-other chart-d1", "");
      tie.add(R"~(<rect fill="url(#{}-tie)" x="1" y="1" width="20" height="12"/>)~", name_.id);
      add_key(html, tie, "tie");
    }
    if (counts.not_enough_evidence > 0) {
      add_key(html, swatch("chart-other chart-unclear", ""), "not enough evidence");
    }
    if (counts.only_run > 0) add_key(html, swatch("chart-other chart-only", ""), "only run");
    if (counts.none > 0) add_key(html, swatch("chart-none", ""), "none ranked");
    if (counts.unmeasured > 0) {
      Html dot;
      dot.add(R"(<circle class="chart-unmeasured" cx="11" cy="7" r="1.5"/>)");
      add_key(html, dot, "never measured");
    }
    return html;
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> out;
    if (cut_.empty > 0) {
      out.push_back(
          fmt::format("{} rows and columns without a measurement are left out.", cut_.empty));
    }
    if (cut_.last > 0) {
      out.push_back(fmt::format("{} more rows and columns are not drawn: hold an axis to see them.",
                                cut_.last));
    }
    if (!is_linked_) out.emplace_back("Hold an axis for a smaller map whose cells are links.");
    return out;
  }

  DataTable table() const {
    const WinnerMap& map = grid_.map();
    std::string corner = map.y ? clipped(map.y->name, kLabelBytesMax) + " \\ " : std::string();
    corner += clipped(map.x.name, kLabelBytesMax);
    DataTable out{.heads = {std::move(corner)}, .rows = {}};
    for (const std::size_t column : cut_.columns) {
      out.heads.push_back(std::to_string(map.x.values[column]));
    }
    for (const std::size_t row : cut_.rows) {
      std::vector<Cell> cells = {{map.y ? grid_.row_name(row) : "leader"}};
      for (const std::size_t column : cut_.columns) {
        cells.push_back({cell_text(grid_.at(row, column), false)});
      }
      out.rows.push_back(std::move(cells));
    }
    return out;
  }

  DataTable leaders_table() const {
    DataTable out{
        .caption = "Letters", .heads = {"Letter", "Implementation", "Points"}, .rows = {}};
    const std::size_t listed = std::min(grid_.leaders().size(), kLettersMax);
    for (std::size_t i = 0; i < listed; ++i) {
      out.rows.push_back({{letter_of(i)},
                          {clipped(grid_.name_of(i), kLabelBytesMax)},
                          {std::to_string(grid_.led_by(i))}});
    }
    if (listed < grid_.leaders().size()) {
      out.rows.push_back(
          {{"+"}, {fmt::format("{} more", grid_.leaders().size() - listed)}, {"each fewer"}});
    }
    return out;
  }

  const Grid& grid_;
  const Cut& cut_;
  ChartName name_;
  bool is_linked_;
};

}  // namespace

Html winner_map(const WinnerMap& map, const ChartName& name) {
  const Grid grid(map);
  if (grid.empty()) return {};
  const Cut cut = cut_of(grid);
  if (cut.rows.size() * cut.columns.size() <= kCellsMax &&
      cut.columns.size() <= kLinkedColumnsMax) {
    Html linked = Drawing(grid, cut, name, true).html();
    if (linked.text().size() <= kLinkedBytesMax) return linked;
  }
  return Drawing(grid, cut, name, false).html();
}

}  // namespace ki::web::svg
