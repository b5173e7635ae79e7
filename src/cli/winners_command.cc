// ki winners: who leads an operation where.

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "cli/table.h"

namespace ki::cli {
namespace {

std::string times_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.2f}×", *ratio) : "-";
}

std::string verdict_text(const query::WinnerCell& cell) {
  if (cell.verdict == "unmeasured") return "never measured";
  std::string text = cell.verdict;
  std::ranges::replace(text, '_', ' ');
  if (!cell.tied) return text;
  std::vector<std::string> names;
  for (const query::Ref& one : *cell.tied) names.push_back(one.name);
  return text + " with " + join(names, ", ");
}

void print_cells(const Context& c, const query::WinnerMap& map) {
  const bool second = map.y && map.y->values.size() > 0;
  Table table({{.heading = map.x.name, .align = Align::right},
               {.heading = second ? map.y->name : "hardware", .align = Align::right},
               {.heading = "leader", .narrowest = kNarrowest},
               {.heading = "value", .align = Align::right},
               {.heading = "ahead by", .align = Align::right},
               {.heading = "of", .narrowest = kNarrowest, .spare = 1},
               {.heading = "verdict", .narrowest = kNarrowest},
               {.heading = "series", .align = Align::right},  // what the list below explains
               {.heading = "others", .align = Align::right, .spare = 2}});
  for (const query::WinnerCell& cell : map.cells) {
    const auto number = [](const auto& value) { return value ? std::to_string(*value) : "-"; };
    table.add({std::to_string(cell.x), second ? number(cell.y) : cell.hardware.value_or("-"),
               cell.leader ? cell.leader->name : "-", value_text(cell.value),
               times_text(cell.ratio), cell.second ? cell.second->name : "-", verdict_text(cell),
               number(cell.series), number(cell.other_cohorts)});
  }
  table.print(c.out, !c.quiet, c.width);
}

std::string series_text(const query::WinnerSeries& series) {
  std::vector<std::string> parts{series.hardware};
  if (!series.dtypes.empty()) parts.push_back(join(series.dtypes, "/"));
  if (series.pass) parts.push_back(*series.pass + " pass");
  parts.push_back(series.statistic + " " + series.metric);
  for (const auto& [name, value] : series.axes) parts.push_back(fmt::format("{}={}", name, value));
  if (!series.protocol.empty()) parts.push_back(series.protocol);
  if (!series.environment.empty()) parts.push_back(series.environment);
  return printable(join(parts, ", "));
}

void print_rest(const Context& c, const query::WinnerMap& map) {
  if (!map.flips.empty()) c.out << '\n' << ink(c, Ink::bold, "Where the leader changes") << '\n';
  for (const query::WinnerFlip& flip : map.flips) {
    std::string at;
    if (flip.at) {
      const bool along_x = flip.along == map.x.name;
      at = fmt::format("{} = {}: ", along_x && map.y ? map.y->name : map.x.name, *flip.at);
    }
    if (flip.at_hardware) at = *flip.at_hardware + ": ";
    c.out << "  " << printable(at + flip.text) << '\n';
  }
  if (map.series.empty()) return;
  c.out << '\n' << ink(c, Ink::bold, "Series") << '\n';
  for (std::size_t i = 0; i < map.series.size(); ++i) {
    c.out << "  " << i << ": " << series_text(map.series[i]) << '\n';
  }
}

}  // namespace

int winners(const Context& c, const WinnersOptions& options) {
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  const auto map = resolver->winners(options.operation, options.map);
  if (!map) return report(c, map.error());
  for (const auto& note : map->notes) c.err << "note: " << printable(note) << '\n';
  if (c.output == Output::json) {
    print_json(c, *map);
    return kOk;
  }
  if (c.output == Output::jsonl) {
    print_json_lines(c, map->cells);
    return kOk;
  }
  if (!c.quiet) {
    const query::WinnerCounts& counts = map->counts;
    c.out << ink(c, Ink::bold, printable(map->operation.name)) << " over " << printable(map->x.name)
          << (map->y ? " and " + printable(map->y->name) : "") << '\n'
          << fmt::format(
                 "{} points: {} winner, {} tie, {} not enough evidence, {} only run, {} never "
                 "measured\n\n",
                 counts.cells, counts.winner, counts.tie, counts.not_enough_evidence,
                 counts.only_run, counts.unmeasured);
  }
  print_cells(c, *map);
  if (!c.quiet) print_rest(c, *map);
  return kOk;
}

}  // namespace ki::cli
