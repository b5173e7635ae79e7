#include <algorithm>

#include "policy/names.h"
#include "web/pages/pages.h"
#include "web/parts.h"
#include "web/svg.h"

namespace ki::web {
namespace {

using query::CompareRun;
using query::Comparison;

Html head_cells(const Comparison& comparison) {
  Html html;
  for (const CompareRun& run : comparison.runs) {
    html.add(R"(<th scope="col"><a href="{}">{}</a></th>)", run_url(run.run_id),
             run.implementation.name);
  }
  return html;
}

template <class Cell>
Html line(std::string_view label, const Comparison& comparison, Cell cell) {
  Html html;
  html.add(R"(<tr><th scope="row">{}</th>)", label);
  for (const CompareRun& run : comparison.runs) html.add("<td>{}</td>", cell(run));
  html.add("</tr>");
  return html;
}

Html primary_cell(const CompareRun& run) {
  Html html;
  if (!run.primary) return text_value("not measured");
  html.add(R"({}<span class="meta">{}, {}</span>)", value(*run.primary), run.primary->statistic,
           spread_text(*run.primary));
  return html;
}

Html rank_cell(const CompareRun& run) {
  if (run.rank) {
    return text_value(std::to_string(*run.rank) + (run.shares_rank ? "=" : ""));
  }
  return text_value(run.eligible ? "–" : "not eligible: " + join(run.ineligible_reasons, ", "));
}

Html values(const Comparison& comparison) {
  Html html;
  html.add("{}", line("value", comparison, primary_cell));
  if (comparison.comparable) {
    html.add("{}{}", line("rank here", comparison, rank_cell),
             line("times the first run", comparison, [](const CompareRun& run) {
               return text_value(run.ratio ? policy::relative_text(*run.ratio, 1.0) : "–");
             }));
  }
  return html.add("{}", line("source code", comparison, [](const CompareRun& run) {
                    return text_value(run.source_available ? "available" : "not available");
                  }));
}

Html field_value(const std::optional<std::string>& value) {
  return text_value(value ? std::string_view(*value) : "unknown");
}

// What the runs have in common stands once, across their columns.
Html field_lines(const Comparison& comparison) {
  Html html;
  for (const query::CompareField& field : comparison.fields) {
    if (field.values.empty()) continue;
    if (!field.differs) {
      html.add(R"(<tr><th scope="row">{}</th><td colspan="{}">{}</td></tr>)", field.field,
               field.values.size(), field_value(field.values.front()));
      continue;
    }
    html.add(R"(<tr class="differs"><th scope="row">{}<span class="meta">{}</span></th>)",
             field.field, field.material ? "differs: forbids a winner" : "differs");
    for (const auto& one : field.values) html.add("<td>{}</td>", field_value(one));
    html.add("</tr>");
  }
  return html;
}

// "First material difference: environment": the line of the table that forbids a winner.
Html first_difference(const Comparison& comparison) {
  Html html;
  const std::string name = comparison.first_material_mismatch.value_or("");
  const auto field = std::ranges::find(comparison.fields, name, &query::CompareField::field);
  if (field == comparison.fields.end()) return html;
  html.add("<p>First material difference: <strong>{}</strong>", field->field);
  std::string_view separator = " – ";
  for (const auto& one : field->values) {
    html.add("{}{}", separator, field_value(one));
    separator = " | ";
  }
  return html.add("</p>");
}

Html comparison_part(const Comparison& comparison) {
  Html html;
  if (comparison.comparable) {
    html.add("{}", verdict(comparison.verdict));
  } else {
    html.add(R"(<p class="notice"><strong>Not comparable.</strong> {}</p>{})",
             comparison.explanation, first_difference(comparison));
  }
  if (comparison.runs.empty()) return html;
  if (comparison.comparable) {
    const svg::CompareSamples none(comparison.runs.size());
    html.add("{}{}",
             svg::distributions_chart(comparison, none,
                                      {.title = "Values of the compared runs", .id = "values"}),
             svg::ratio_chart(comparison, {.title = "Times the first run", .id = "ratios"}));
  }
  html.add(
      R"(<section class="scroll" aria-label="Comparison" tabindex="0">)"
      R"(<table class="compare"><caption class="hidden">Runs side by side</caption><thead><tr>)"
      R"(<td></td>{}</tr></thead><tbody>{}{}</tbody></table></section>)",
      head_cells(comparison), values(comparison), field_lines(comparison));
  return html;
}

std::string cell_text(const std::optional<std::string>& value) { return value.value_or("unknown"); }

std::string value_text(const CompareRun& run) {
  return run.primary ? policy::measured_text(run.primary->value, run.primary->unit)
                     : std::string("not measured");
}

// Every line of the table, its label first.
std::vector<std::vector<std::string>> lines_of(const Comparison& comparison) {
  std::vector<std::vector<std::string>> lines(3);
  lines[0] = {"implementation"};
  lines[1] = {"run"};
  lines[2] = {"value"};
  for (const CompareRun& run : comparison.runs) {
    lines[0].push_back(run.implementation.name);
    lines[1].push_back(run.run_digest.empty() ? run.run_id : run.run_digest);
    lines[2].push_back(value_text(run));
  }
  for (const query::CompareField& field : comparison.fields) {
    auto& line = lines.emplace_back(std::vector{field.field});
    for (const auto& one : field.values) line.push_back(cell_text(one));
  }
  return lines;
}

std::string as_markdown(const std::vector<std::vector<std::string>>& lines) {
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += "|";
    for (const std::string& cell : lines[i]) {
      out += ' ';
      for (const char c : cell) {
        if (c == '|') out += '\\';
        out += c == '\n' ? ' ' : c;
      }
      out += " |";
    }
    out += '\n';
    if (i > 0) continue;
    out += "|";
    for (std::size_t k = 0; k < lines[i].size(); ++k) out += "---|";
    out += '\n';
  }
  return out;
}

// RFC 4180 with line feeds alone, every cell quoted; a cell that a spreadsheet would run starts
// with an apostrophe.
std::string as_csv(const std::vector<std::vector<std::string>>& lines) {
  std::string out;
  for (const auto& line : lines) {
    std::string_view between;
    for (const std::string& cell : line) {
      out += between;
      out += '"';
      if (!cell.empty() && std::string_view("=+-@\t\r").contains(cell.front())) out += '\'';
      for (const char c : cell) {
        if (c == '"') out += '"';
        out += c;
      }
      out += '"';
      between = ",";
    }
    out += '\n';
  }
  return out;
}

Html copies(const Comparison& comparison) {
  Html html;
  const auto lines = lines_of(comparison);
  const auto one = [&](std::string_view name, const std::string& text) {
    html.add(
        R"(<details><summary>{}</summary><pre class="copyable" tabindex="0">{}</pre></details>)",
        name, text);
  };
  html.add("<section><h2>Copy</h2>");
  one("Markdown", as_markdown(lines));
  one("CSV", as_csv(lines));
  one("JSON", json::to_json(comparison));
  return html.add("</section>");
}

Html add_form(const std::vector<std::string>& runs) {
  Html html;
  if (runs.size() >= query::kCompareRunsMax) return html;
  html.add(R"(<form class="add-run" action="/compare" method="get">)");
  for (const std::string& run : runs) {
    html.add(R"(<input type="hidden" name="run" value="{}">)", run);
  }
  html.add(R"(<label for="add">Add a run by id or digest</label><div class="field">)"
           R"(<input id="add" name="run" maxlength="200" required autocomplete="off">)"
           R"(<button>Add</button></div></form>)");
  return html;
}

std::string curl_post(const Context& context, const std::vector<std::string>& runs) {
  std::string body;
  json::Writer out(body);
  out.begin_object().key("runs").begin_array();
  for (const std::string& run : runs) out.string(run);
  out.end_array().end_object();
  return curl_command(context, api_url({"compare"})) + " -H 'Content-Type: application/json' -d " +
         shell_quoted(body);
}

std::string compare_command(const std::vector<std::string>& runs) {
  std::string command = "ki compare";
  for (const std::string& run : runs) command += " " + shell_quoted(run);
  return command;
}

}  // namespace

Page compare_page(const std::vector<std::string>& runs, const Comparison* comparison,
                  const Context& context) {
  Html body;
  body.add("<h1>Compare runs</h1>");
  if (comparison == nullptr) {
    body.add(R"(<p class="empty">Name 2 to {} runs. Every run dossier and every result row has a )"
             R"(link that compares it with the leader of its group.</p>)",
             query::kCompareRunsMax);
  } else {
    if (!comparison->missing_ids.empty()) {
      body.add(R"(<p class="notice">Not found: {}</p>)", join(comparison->missing_ids, ", "));
    }
    body.add("{}", comparison_part(*comparison));
  }
  if (comparison != nullptr && !comparison->runs.empty()) body.add("{}", copies(*comparison));
  body.add("{}", add_form(runs));
  Page page{.title = "Compare runs", .body = std::move(body)};
  if (comparison != nullptr) {
    page.commands = {curl_post(context, runs), compare_command(runs)};
    page.illustrative = comparison->illustrative;
  }
  return page;
}

}  // namespace ki::web
