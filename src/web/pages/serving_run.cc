// One run of a served model.

#include <fmt/format.h>

#include "json/read.h"
#include "json/write.h"
#include "policy/names.h"
#include "query/listings.h"
#include "query/serving_parts.h"
#include "web/pages/pages.h"
#include "web/parts.h"

namespace ki::web {
namespace {

using query::ServingRunDossier;

Html measurements(const ServingRunDossier& dossier) {
  Html rows;
  for (const query::ServingFigure& one : dossier.measurements) {
    rows.add(R"(<tr><th scope="row">{}</th><td>{}</td><td class="latency">)", one.metric,
             one.statistic);
    rows.add(R"(<span class="value">{}</span></td><td class="wide">{}</td></tr>)",
             policy::measured_text(one.value, one.unit), one.unit);
  }
  Html html;
  if (rows.empty()) return html.add(R"(<p class="empty">No figure is stated.</p>)");
  return html.add(R"(<table><caption class="hidden">Measurements</caption><thead><tr>)"
                  R"(<th scope="col">Metric</th><th scope="col">Statistic</th>)"
                  R"(<th scope="col">Value</th><th scope="col" class="wide">Unit</th></tr></thead>)"
                  R"(<tbody>{}</tbody></table>)",
                  rows);
}

Html configuration(const ServingRunDossier& dossier) {
  std::vector<Fact> all = {
      {"summary", text_value(dossier.configuration.summary)},
      {"dtype", text_value(dossier.configuration.dtype.value_or(""))},
      {"quantization", text_value(dossier.configuration.quantization.value_or(""))}};
  for (const query::ServingFact& fact : dossier.configuration.facts) {
    all.push_back({fact.key, text_value(fact.value)});
  }
  all.push_back({"digest", identifier(dossier.configuration.digest)});
  Html html;
  return html.add("<section><h2>Configuration</h2>{}</section>", facts(all));
}

Html load(const ServingRunDossier& dossier) {
  std::string bounds;
  for (const query::ServingBoundShown& one : dossier.workload.slo) {
    bounds += fmt::format("{}{} {} {} {}", bounds.empty() ? "" : ", ", one.statistic, one.metric,
                          one.op, policy::measured_text(one.value, one.unit));
  }
  Html html;
  return html.add(
      "<section><h2>Load</h2>{}</section>",
      facts(std::vector<Fact>{{"workload", link(serving_url({{"workload", dossier.workload.slug}}),
                                                dossier.workload.name)},
                              {"scenario", text_value(dossier.cohort.scenario)},
                              {"streaming", text_value(dossier.workload.streaming ? "yes" : "no")},
                              {"load generation", text_value(dossier.workload.load_generation)},
                              {"declared bounds", text_value(bounds)},
                              {"harness", text_value(dossier.harness)},
                              {"digest", identifier(dossier.workload.digest)}}));
}

Html identity(const ServingRunDossier& dossier) {
  const query::ServingTopologyShown& topology = dossier.topology;
  Html source;
  source.add("{}", outside_link(dossier.attribution.url.value_or(""), dossier.attribution.line));
  Html html;
  return html.add(
      "<section><h2>Identity</h2>{}</section>",
      facts(std::vector<Fact>{
          {"model", link(serving_url({{"model", dossier.model.slug}}), dossier.model.name)},
          {"model licence", text_value(dossier.model.license.value_or("not stated"))},
          {"stack", text_value(query::stack_label(dossier.stack.name, dossier.stack.version))},
          {"hardware", text_value(fmt::format("{} × {}, {} a node, {}", topology.total,
                                              topology.accelerator_model, topology.per_node,
                                              query::counted(topology.nodes, "node")))},
          {"quality", text_value(dossier.cohort.quality_policy)},
          {"comparison key", identifier(dossier.cohort.key)},
          {"source", source},
          {"source licence", text_value(dossier.attribution.license.value_or("not stated"))},
          {"run id", identifier(dossier.run.id)},
          {"digest", identifier(dossier.run.digest)}}));
}

}  // namespace

Page serving_run_page(const ServingRunDossier& dossier, const Context& context) {
  Html body;
  body.add(R"(<p class="crumbs"><a href="{}">Serving</a></p><h1>{}</h1>)", serving_url({}),
           dossier.configuration.summary);
  body.add(R"(<p class="context">{} · {} · <span class="state {}">{}</span> · observed {}</p>)",
           dossier.model.name, dossier.workload.name,
           dossier.run.status == "valid" ? "good" : "bad", dossier.run.status,
           date(dossier.run.observed_at));
  if (dossier.lifecycle.retracted) {
    body.add(R"(<p class="notice"><strong>Retracted</strong> {}: {}</p>)",
             date(dossier.lifecycle.retracted->at), dossier.lifecycle.retracted->reason);
  }
  if (!dossier.caveats.empty()) {
    body.add(R"(<ul class="reasons">)");
    for (const std::string& caveat : dossier.caveats) body.add("<li>{}</li>", caveat);
    body.add("</ul>");
  }
  body.add(R"(<section><h2>Measurements</h2>{}</section><p><a href="{}">Runs it may be compared )"
           R"(with</a></p><div class="dossier">{}{}{}</div>)",
           measurements(dossier),
           serving_url({{"model", dossier.model.slug}, {"workload", dossier.workload.slug}}),
           identity(dossier), configuration(dossier), load(dossier));
  body.add(R"(<section><h2>Canonical manifest</h2><details><summary>Show manifest</summary>)"
           R"(<pre tabindex="0">{}</pre></details></section>)",
           pretty_manifest(dossier.manifest));
  const Url json = api_url({"serving-runs", dossier.run.id});
  return {.title = dossier.configuration.summary + " · " + dossier.model.name,
          .body = std::move(body),
          .description = dossier.cohort.description,
          .current = "Serving",
          .canonical = serving_run_url(dossier.run.id),
          .json = json,
          .commands = {curl_command(context, json),
                       "ki show serving-run " + shell_quoted(dossier.run.id)},
          .illustrative = dossier.illustrative};
}

}  // namespace ki::web
