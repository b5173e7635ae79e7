#include "web/svg_frame.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "policy/names.h"

namespace ki::web::svg {
namespace {

constexpr std::string_view kCut = "…";
constexpr std::size_t kNarrowTicksMax = 4;
constexpr std::size_t kNarrowBytesMax = 32;  // of a row's name, beside its value on a small screen
constexpr std::array<std::string_view, kSeriesMax> kClasses = {
    "chart-s1", "chart-s2", "chart-s3", "chart-s4", "chart-s5", "chart-s6", "chart-s7", "chart-s8"};

// Shapes about a place, told apart without colour.
constexpr std::array<std::string_view, kSeriesMax> kShapes = {
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",             // disc
    "M-3.6-3.6h7.2v7.2h-7.2z",                        // square
    "M0-4.6L4.6 3.6h-9.2z",                           // triangle
    "M0-5L5 0L0 5L-5 0z",                             // diamond
    "M0 4.6L4.6-3.6h-9.2z",                           // triangle on its point
    "M-1.4-4.4h2.8v3h3v2.8h-3v3h-2.8v-3h-3v-2.8h3z",  // cross
    "M-4.6-2h9.2v4h-9.2z",                            // bar
    "M-2-4.6h4v9.2h-4z"};                             // post

std::string shape_id(const ChartName& name, std::size_t series) {
  return std::string(name.id) + "-m" + std::to_string(series % kSeriesMax + 1);
}

std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

void add_row(Html& html, const std::vector<Cell>& row) {
  html.add("<tr>");
  bool is_first = true;
  for (const Cell& cell : row) {
    Html text;
    if (cell.link) {
      text.add(R"(<a href="{}">{}</a>)", *cell.link, cell.text);
    } else {
      text.add("{}", cell.text);
    }
    if (is_first) {
      html.add(R"(<th scope="row">{}</th>)", text);
    } else {
      html.add("<td>{}</td>", text);
    }
    is_first = false;
  }
  html.add("</tr>");
}

Html table_of(const DataTable& table, std::string_view title) {
  const std::string_view caption = table.caption.empty() ? title : std::string_view(table.caption);
  Html html;
  html.add(R"(<section class="scroll" aria-label="{}" tabindex="0"><table><caption )"
           R"(class="{}">{}</caption><thead><tr>)",
           caption, table.caption.empty() ? "hidden" : "", caption);
  for (const std::string& head : table.heads) html.add(R"(<th scope="col">{}</th>)", head);
  html.add("</tr></thead><tbody>");
  for (const auto& row : table.rows) add_row(html, row);
  return html.add("</tbody></table></section>");
}

}  // namespace

std::string clipped(std::string_view text, std::size_t bytes_max) {
  if (escaped(text).size() <= bytes_max) return std::string(text);
  std::size_t bytes = kCut.size();
  std::size_t end = 0;
  while (end < text.size()) {
    std::size_t next = end + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0) == 0x80) ++next;
    bytes += escaped(text.substr(end, next - end)).size();
    if (bytes > bytes_max) break;
    end = next;
  }
  return std::string(text.substr(0, end)) + std::string(kCut);
}

std::string value_text(double value, std::string_view unit) {
  return clipped(policy::measured_text(value, unit), kLabelBytesMax);
}

std::string percent(double share) {
  return number(std::clamp(std::isfinite(share) ? share : 0.0, 0.0, 1.0) * 100) + "%";
}

std::string place(double value) { return number(std::isfinite(value) ? value : 0); }

Html framed(const Frame& frame, const Html& drawing, std::span<const DataTable> tables) {
  const std::string title = clipped(frame.name.title, 4 * kLabelBytesMax);
  const std::string title_id = std::string(frame.name.id) + "-title";
  const std::string description_id = std::string(frame.name.id) + "-desc";
  Html html;
  html.add(R"(<div class="chart chart-{}"><figure><svg class="{}" role="{}" )"
           R"(aria-labelledby="{} {}" width="100%" height="{}">)",
           frame.kind, frame.has_y_axis ? "chart-area" : "", frame.has_links ? "group" : "img",
           title_id, description_id, place(frame.height));
  html.add(R"(<title id="{}">{}</title><desc id="{}">{}</desc>{}</svg>)", title_id, title,
           description_id, frame.description, drawing);
  html.add("<figcaption>");
  if (!frame.legend.empty()) html.add(R"(<p class="chart-legend">{}</p>)", frame.legend);
  if (!frame.notes.empty()) html.add("<p>{}</p>", join(frame.notes, " "));
  html.add(R"(</figcaption></figure><details class="chart-data">)"
           "<summary>The same as a table</summary>");
  for (const DataTable& table : tables) html.add("{}", table_of(table, title));
  return html.add("</details></div>");
}

Html y_axis(const Axis& axis, const Area& area, std::string_view label) {
  Html html;
  html.add(R"(<g class="chart-axis">)");
  for (const double tick : axis.ticks()) {
    const std::string y = place(area.y(axis.share(tick)));
    html.add(R"(<line x1="0" x2="100%" y1="{}" y2="{}"/>)", y, y);
    html.add(R"(<text x="-8" y="{}" dy=".35em" text-anchor="end">{}</text>)", y, axis.number(tick));
  }
  std::string name(label);
  if (!axis.unit().empty()) name += ", " + axis.unit();
  return html.add(R"(<text class="chart-name" x="0" y="{}">{}</text></g>)", place(area.top - 9),
                  name);
}

Html x_axis(const Axis& axis, const Area& area, const XAxisOptions& options) {
  Html html;
  const double bottom = area.top + area.height;
  html.add(R"(<g class="chart-axis">)");
  const std::vector<double>& ticks = axis.ticks();
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const double tick = ticks[i];
    const double at = options.inset + axis.share(tick) * (1 - 2 * options.inset);
    const std::string x = percent(at);
    html.add(R"(<line x1="{}" x2="{}" y1="{}" y2="{}"/>)", x, x,
             place(options.lines ? area.top : bottom), place(options.lines ? bottom : bottom + 4));
    const std::string_view anchor = at < 0.04 ? "start" : at > 0.96 ? "end" : "middle";
    // On a narrow screen every other text goes, where there are many.
    const bool is_extra = ticks.size() > kNarrowTicksMax && i % 2 == 1;
    html.add(R"(<text class="{}" x="{}" y="{}" text-anchor="{}">{}</text>)",
             is_extra ? "chart-wide" : "", x, place(bottom + 17), anchor, axis.text(tick));
  }
  if (!options.label.empty()) {
    html.add(R"(<text class="chart-name" x="100%" y="{}" text-anchor="end">{}</text>)",
             place(bottom + kAxisHeight + 13), options.label);
  }
  return html.add("</g>");
}

Html line(std::span<const std::optional<At>> through, double height, std::string_view css_class) {
  std::string path;
  bool is_down = false;
  for (const auto& at : through) {
    if (at) {
      path += is_down ? 'L' : 'M';
      path += place(std::clamp(at->across, 0.0, 1.0) * kAcross) + ' ' +
              place(std::clamp(at->down, 0.0, height));
    }
    is_down = at.has_value();
  }
  Html html;
  if (path.empty()) return html;
  return html.add(R"(<svg class="chart-lines" width="100%" height="{}" viewBox="0 0 1000 {}" )"
                  R"(preserveAspectRatio="none"><path class="{}" d="{}" fill="none" )"
                  R"(vector-effect="non-scaling-stroke"/></svg>)",
                  place(height), place(height), css_class, path);
}

Html shapes(const ChartName& name, std::size_t series) {
  Html html;
  html.add("<defs>");
  for (std::size_t i = 0; i < std::min(series, kSeriesMax); ++i) {
    html.add(R"(<path id="{}" d="{}"/>)", shape_id(name, i), kShapes[i]);
  }
  return html.add("</defs>");
}

Html mark(const ChartName& name, std::size_t series, const At& at) {
  Html html;
  return html.add(R"(<use href="{}" x="{}" y="{}"/>)", Url::fragment(shape_id(name, series)),
                  percent(at.across), place(at.down));
}

Html legend_entry(const ChartName& name, std::size_t series, std::string_view text) {
  Html html;
  return html.add(
      R"(<span class="chart-key"><svg class="{}" width="34" height="12" aria-hidden="true">)"
      R"(<path class="chart-line" d="M1 6h32"/>{}</svg>{}</span> )",
      series_class(series), mark(name, series, {.across = 0.5, .down = 6}),
      clipped(text, kLabelBytesMax));
}

Html row_text(const RowText& text, double down) {
  const std::string y = place(down);
  const std::string wide = clipped(text.label, kLabelBytesMax);
  const std::string narrow = clipped(text.label, kNarrowBytesMax);
  Html html;
  html.add(R"(<text class="label{}" x="0" y="{}">{}</text>)", wide == narrow ? "" : " chart-wide",
           y, wide);
  if (wide != narrow) {
    html.add(R"(<text class="label chart-narrow" x="0" y="{}">{}</text>)", y, narrow);
  }
  html.add(R"(<text class="value" x="100%" y="{}" text-anchor="end">{})", y, text.value);
  if (!text.more.empty()) html.add(R"(<tspan class="chart-wide">, {}</tspan>)", text.more);
  return html.add("</text>");
}

std::string_view series_class(std::size_t series) { return kClasses[series % kSeriesMax]; }

}  // namespace ki::web::svg
