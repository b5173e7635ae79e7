// Who leads an operation where: the map, what changes hands, and what the cells are measured under.

#include <fmt/format.h>

#include "web/controls.h"
#include "web/pages/pages.h"
#include "web/parts.h"
#include "web/svg.h"

namespace ki::web {
namespace {

using query::WinnerMap;

// What can be laid along an edge of the map.
std::vector<Choice> axes_of(const WinnerMap& map, bool with_hardware) {
  std::vector<Choice> out;
  for (const std::string& axis : map.known_axes) out.push_back({axis, axis});
  if (with_hardware) out.push_back({std::string(query::kHardwareAxis), "hardware"});
  return out;
}

Html form(const WinnerMap& map, const query::WinnersOptions& view) {
  Html html;
  return html.add(R"(<form class="filters" action="{}" method="get">{}{}{}{}{}{}<div>)"
                  R"(<button>Show</button></div></form>)",
                  winners_url(map.operation.slug),
                  select({"x", "Across", "as it varies most", axes_of(map, false), view.x}),
                  select({"y", "Down", "as it varies most", axes_of(map, true), view.y}),
                  text_field({"axes", "Other axes, as batch=4,seq=1k..8k", view.axes}),
                  text_field({"hardware", "Hardware", view.hardware}),
                  text_field({"dtype", "Dtype", view.dtype}),
                  text_field({"pass", "Pass", view.pass}));
}

Html flips(const WinnerMap& map) {
  Html html;
  if (map.flips.empty()) return html;
  html.add(R"(<section><h2>Where the lead changes</h2><p class="meta">Between measured )"
           R"(neighbours; nothing is interpolated.</p><ul class="reasons">)");
  const std::size_t shown = std::min(map.flips.size(), kFlipsShown);
  for (std::size_t i = 0; i < shown; ++i) html.add("<li>{}</li>", map.flips[i].text);
  if (shown < map.flips.size()) {
    html.add("<li>and {} more, in the JSON</li>", map.flips.size() - shown);
  }
  return html.add("</ul></section>");
}

Html series(const WinnerMap& map) {
  Html rows;
  for (const query::WinnerSeries& one : map.series) {
    rows.add(R"(<tr><th scope="row">{}<span class="meta">{}</span></th><td>{}</td>)", one.hardware,
             one.environment, one.protocol);
    rows.add(R"(<td>{}{}</td><td class="number">{}</td></tr>)", join(one.dtypes, ", "),
             one.pass ? ", " + *one.pass : std::string(), one.cells);
  }
  Html html;
  if (rows.empty()) return html;
  return html.add(
      R"(<section><h2>Measured under</h2><table><caption>Cells of two lines differ in )"
      R"(more than the point they stand at</caption><thead><tr>)"
      R"(<th scope="col">Hardware</th><th scope="col">Protocol</th>)"
      R"(<th scope="col">Dtypes, pass</th><th scope="col" class="number">Cells</th></tr>)"
      R"(</thead><tbody>{}</tbody></table></section>)",
      rows);
}

std::string command(const WinnerMap& map, const query::WinnersOptions& view) {
  std::string text = "ki winners " + shell_quoted(map.operation.slug);
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += " --" + std::string(name) + " " + shell_quoted(value);
  };
  add("x", view.x);
  add("y", view.y);
  add("axes", view.axes);
  add("hardware", view.hardware);
  add("dtype", view.dtype);
  add("pass", view.pass);
  add("metric", view.metric);
  return text;
}

}  // namespace

Page winners_page(const WinnerMap& map, const query::WinnersOptions& view, const Context& context) {
  const std::string title = "Who leads " + map.operation.name + " where";
  const Html chart = svg::winner_map(map, {.title = title, .id = "winners"});
  Html body;
  body.add(R"(<p class="crumbs"><a href="{}">{}</a></p><h1>{}</h1>{})",
           operation_url(map.operation.slug), map.operation.name, title, form(map, view));
  for (const std::string& note : map.notes) body.add(R"(<p class="note">{}</p>)", note);
  if (chart.empty()) {
    body.add(R"(<p class="empty">Nothing that fits was measured over these axes.</p>)");
  } else {
    body.add("{}", chart);
  }
  body.add("{}{}", flips(map), series(map));
  const Url json =
      api_url({"operations", map.operation.slug, "winners"}, {{"x", view.x},
                                                              {"y", view.y},
                                                              {"axes", view.axes},
                                                              {"hardware", view.hardware},
                                                              {"dtype", view.dtype},
                                                              {"pass", view.pass},
                                                              {"metric", view.metric}});
  return {.title = title,
          .body = std::move(body),
          .description = title + ": by how much, where it is a tie, what nobody measured.",
          .canonical = winners_url(map.operation.slug),
          .json = json,
          .commands = {curl_command(context, json), command(map, view)}};
}

}  // namespace ki::web
