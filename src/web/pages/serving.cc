// Served models under load: the overview, and the answer to a request.

#include <fmt/format.h>

#include "json/wire.h"
#include "json/write.h"
#include "policy/names.h"
#include "policy/serving_policy.h"
#include "web/controls.h"
#include "web/pager.h"
#include "web/pages/pages.h"
#include "web/parts.h"

namespace ki::web {
namespace {

using query::ServingGroup;
using query::ServingRow;

std::string best_text(const query::ServingBest& best) {
  return policy::measured_text(best.value, best.unit);
}

Html best_cell(const std::optional<query::ServingBest>& best, bool with_stack) {
  const std::string_view css_class = with_stack ? "latency" : "latency wide";
  Html html;
  if (!best) return html.add(R"(<td class="{}">not reported</td>)", css_class);
  html.add(R"(<td class="{}"><a class="value" href="{}">{}</a>)", css_class,
           serving_run_url(best->run_id), best_text(*best));
  if (with_stack) {
    html.add(R"(<span class="meta">{}</span><span class="meta">{} × {}</span>)", best->stack,
             best->total, best->accelerator_model);
  }
  return html.add("</td>");
}

constexpr std::string_view kThroughput = "output_token_throughput_tps";

Html pair_rows(const query::ServingOverview& overview) {
  Html html;
  for (const query::ServingPair& pair : overview.pairs) {
    const Url url = serving_url({{"model", pair.model.slug},
                                 {"workload", pair.workload.slug},
                                 {"objective", std::string(kThroughput)}});
    html.add(R"(<tr><th scope="row"><a href="{}">{}</a><span class="meta">{}</span></th>)", url,
             pair.model.name, pair.workload.name);
    html.add(R"(<td class="number">{}</td><td class="number wide">{}</td>{}{}</tr>)", pair.runs,
             pair.configurations, best_cell(pair.best, true),
             best_cell(pair.best_per_accelerator, false));
  }
  return html;
}

Html overview_table(const query::ServingOverview& overview) {
  Html html;
  if (overview.pairs.empty()) {
    return html.add(R"(<p class="empty">No result of a served model was published yet.</p>)");
  }
  return html.add(
      R"(<table><caption>{}; the largest system is not the best one, so the most of one )"
      R"(accelerator stands beside it</caption><thead><tr>)"
      R"(<th scope="col">Model and load</th><th scope="col" class="number">Runs</th>)"
      R"(<th scope="col" class="number wide">Configurations</th>)"
      R"(<th scope="col">Most output tokens</th>)"
      R"(<th scope="col" class="wide">Most of one accelerator</th></tr></thead>)"
      R"(<tbody>{}</tbody></table>)",
      runs_text(overview.total_runs), pair_rows(overview));
}

std::vector<Choice> choices_of(std::span<const query::ServingName> names) {
  std::vector<Choice> out;
  for (const query::ServingName& one : names) {
    out.push_back({one.slug, one.name + " (" + std::to_string(one.runs) + ")"});
  }
  return out;
}

Html request_form(const query::ServingFacets& facets, const ServingView& view) {
  std::vector<Choice> objectives;
  for (const policy::ServingMetric& metric : policy::serving_metrics()) {
    objectives.push_back({std::string(metric.name), std::string(metric.name)});
  }
  std::vector<Choice> products;
  for (const std::string& product : facets.hardware) products.push_back({product, product});
  Html html;
  html.add(R"(<form class="filters" action="/serving" method="get">{}{}{}{})",
           select({"model", "Model", "any", choices_of(facets.models), view.model}),
           select({"workload", "Load", "any", choices_of(facets.workloads), view.workload}),
           select({"hardware", "Accelerator", "any", products, view.hardware}),
           select({"objective", "Rank by", "nothing", objectives, view.objective}));
  html.add(R"(<div><label for="ttft_ms">p99 time to first token, ms, at most</label>)"
           R"(<input id="ttft_ms" name="ttft_ms" inputmode="decimal" maxlength="20" value="{}">)"
           R"(</div><div><label for="tpot_ms">p99 time per token, ms, at most</label>)"
           R"(<input id="tpot_ms" name="tpot_ms" inputmode="decimal" maxlength="20" value="{}">)"
           R"(</div><div><button>Show</button></div></form>)",
           view.ttft_ms, view.tpot_ms);
  return html;
}

std::string heading(std::string_view metric, std::string_view statistic) {
  return std::string(statistic) + " " + std::string(metric);
}

Html figures_cell(const ServingRow& row) {
  Html html;
  html.add(R"(<td class="latency"><ul class="plain">)");
  for (const query::ServingFigure& figure : row.measurements) {
    html.add(R"(<li><span class="value">{}</span> <span class="meta">{}</span></li>)",
             policy::measured_text(figure.value, figure.unit),
             heading(figure.metric, figure.statistic));
  }
  return html.add("</ul></td>");
}

std::string_view state_text(const query::ServingOutcome& outcome) {
  if (!outcome.satisfied) return "unknown";
  return *outcome.satisfied ? "kept" : "not kept";
}

Html why(const ServingRow& row, const ServingGroup& group) {
  Html html;
  html.add("<details><summary>{}</summary><ul class=\"reasons\">",
           row.rank ? "Why this rank" : "Why no rank");
  if (row.rank && group.ranking) {
    html.add("<li>Rank {} of {} by {}, {}</li>", *row.rank, group.ranking->ranked,
             heading(group.ranking->metric, group.ranking->statistic),
             group.ranking->direction == "minimize" ? "smallest first" : "largest first");
  } else {
    html.add("<li>{}</li>", group.ranking ? "It reports no figure of the metric ranked by"
                                          : "Nothing was asked to be ranked by");
  }
  html.add("<li>{}</li>", row.on_frontier
                              ? "On the frontier: no other run is as good on every shared axis "
                                "and better on one"
                              : "Another run is as good on every shared axis and better on one, or "
                                "there is no shared axis");
  for (const query::ServingOutcome& outcome : row.constraints) {
    html.add("<li>{} {}: {}, {}</li>", outcome.statistic, outcome.constraint, state_text(outcome),
             outcome.detail);
  }
  for (const std::string& caveat : row.caveats) html.add("<li>{}</li>", caveat);
  return html.add("</ul></details>");
}

Html group_row(const ServingRow& row, const ServingGroup& group) {
  Html html;
  html.add(R"(<tr class="{}"><td class="rank">{}</td>)", row.rank == 1 ? "leader" : "",
           row.rank ? std::to_string(*row.rank) : "–");
  html.add(R"(<th scope="row"><a href="{}">{}</a><span class="meta">{}</span>)",
           serving_run_url(row.run_id), row.configuration, row.stack);
  html.add(R"(<span class="meta">{} · {} × {} · observed {}</span>{}</th>{})",
           row.dtype.value_or("dtype not stated"), row.hardware.total, row.hardware.model,
           date(row.observed_at), why(row, group), figures_cell(row));
  return html.add(R"(<td class="wide">{}</td></tr>)", row.on_frontier ? "◆ frontier" : "–");
}

Html excluded(const ServingGroup& group) {
  Html html;
  if (group.excluded_total == 0) return html;
  html.add(R"(<details><summary>{} left out</summary><ul class="reasons">)",
           runs_text(group.excluded_total));
  for (const query::ServingExcluded& one : group.excluded) {
    html.add(R"(<li><a href="{}">{}</a>: {}</li>)", serving_run_url(one.run_id), one.configuration,
             join(one.reasons, ", "));
  }
  return html.add("</ul></details>");
}

Html group_section(const ServingGroup& group) {
  Html rows;
  const std::size_t shown = std::min(group.rows.size(), kServingRowsShown);
  for (std::size_t i = 0; i < shown; ++i) rows.add("{}", group_row(group.rows[i], group));
  Html html;
  html.add(R"(<section><h2>{} · {}</h2><p class="meta">{} · {} · comparison key {}</p>)",
           group.identity.model, group.identity.workload, group.identity.topology,
           group.identity.quality, identifier(group.cohort_key));
  if (rows.empty()) {
    html.add(R"(<p class="empty">No run keeps every bound.</p>)");
  } else {
    html.add(R"(<table class="results"><caption>{} of {}</caption><thead><tr>)"
             R"(<th scope="col">Rank</th><th scope="col">Configuration</th>)"
             R"(<th scope="col">Measured</th><th scope="col" class="wide">Frontier</th></tr>)"
             R"(</thead><tbody>{}</tbody></table>)",
             shown, runs_text(group.rows_total), rows);
  }
  return html.add("{}</section>", excluded(group));
}

Html answer_part(const query::ServingAnswer& answer, const ServingView& view) {
  Html html;
  html.add(R"(<p class="context">{} of {} matching runs keep every bound.</p>)",
           answer.feasible_runs, answer.matching_runs);
  for (const std::string& note : answer.notes) html.add(R"(<p class="note">{}</p>)", note);
  for (const ServingGroup& group : answer.groups) html.add("{}", group_section(group));
  if (answer.next_cursor) {
    std::vector<http::Parameter> next = parameters_of(view);
    next.emplace_back("cursor", *answer.next_cursor);
    html.add("{}", pager(serving_url(parameters_of(view)), serving_url(next)));
  }
  return html;
}

}  // namespace

std::vector<http::Parameter> parameters_of(const ServingView& view) {
  return given({{"model", view.model},
                {"workload", view.workload},
                {"hardware", view.hardware},
                {"objective", view.objective},
                {"ttft_ms", view.ttft_ms},
                {"tpot_ms", view.tpot_ms}});
}

Page serving_page(const query::ServingOverview& overview, const query::ServingAnswer& answer,
                  const ServingView& view, const Context& context) {
  const bool asked = !parameters_of(view).empty();
  Html body;
  body.add(
      R"(<h1>Serving</h1><p class="lead">Whole model servers under load, compared only within )"
      R"(one model, load, harness, topology, quality and set of metrics. There is no overall )"
      R"(score. <a href="{}">How it is done</a></p>{})",
      docs_url("serving"), request_form(answer.facets, view));
  if (asked) {
    body.add("{}", answer_part(answer, view));
  } else {
    body.add("{}", overview_table(overview));
  }
  Page page{.title = "Serving",
            .body = std::move(body),
            .description = "Model servers under load: who keeps which bounds, and how they rank.",
            .current = "Serving",
            .canonical = serving_url(parameters_of(view))};
  page.illustrative = asked && answer.illustrative;
  if (asked) {
    page.commands = {curl_command(context, api_url({"resolve", "serving"})) +
                     " -H 'Content-Type: application/json' -d " +
                     shell_quoted(json::to_json(answer.input))};
  } else {
    page.json = api_url({"serving"});
    page.commands = {curl_command(context, *page.json), "ki serving overview"};
  }
  return page;
}

}  // namespace ki::web
