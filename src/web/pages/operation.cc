#include <algorithm>

#include <fmt/format.h>

#include "policy/names.h"
#include "query/listings.h"
#include "web/pages/pages.h"
#include "web/parts.h"
#include "web/svg.h"

namespace ki::web {
namespace {

using query::OperationDossier;

constexpr std::size_t kImplementationsShown = 40;

Html head(const OperationDossier& dossier) {
  const query::OperationIdentity& operation = dossier.operation;
  Html html;
  html.add("<h1>{}</h1>", operation.name);
  if (!operation.summary.empty()) html.add(R"(<p class="lead">{}</p>)", operation.summary);
  Html family;
  if (!operation.family.empty()) {
    family.add("{}", link(search_url("family:" + operation.family), operation.family));
  }
  Html equivalents;
  for (const query::Ref& one : operation.equivalents) {
    equivalents.add("{} ", link(operation_url(one.slug), one.name));
  }
  const query::Coverage& coverage = dossier.coverage;
  html.add("{}", facts(std::vector<Fact>{
                     {"family", family},
                     {"also called", text_value(join(operation.aliases, ", "))},
                     {"models", text_value(join(operation.models, ", "))},
                     {"also indexed as", equivalents},
                     {"evidence", text_value(fmt::format("{} verified · {} reproducible · {} "
                                                         "reported",
                                                         coverage.verified, coverage.reproducible,
                                                         coverage.reported))},
                     {"digest", identifier(operation.semantic_digest)}}));
  if (dossier.pending_runs > 0) {
    html.add(R"(<p class="meta">{} more published runs wait for an object that is not published )"
             R"(yet.</p>)",
             dossier.pending_runs);
  }
  return html;
}

Html workload_links(const OperationDossier& dossier, std::size_t first, std::size_t last) {
  Html html;
  html.add(R"(<ul class="workloads">)");
  for (std::size_t i = first; i < last; ++i) {
    const query::WorkloadItem& workload = dossier.workloads[i];
    const Url url = operation_url(dossier.operation.slug, workload.id);
    if (workload.id == dossier.selected_workload_id) {
      html.add(R"(<li><a href="{}" aria-current="true">{}</a> <small>{}</small></li>)", url,
               workload.label, workload.runs);
    } else {
      html.add(R"(<li><a href="{}">{}</a> <small>{}</small></li>)", url, workload.label,
               workload.runs);
    }
  }
  html.add("</ul>");
  return html;
}

// The first few at once, more on demand, the rest counted.
Html workload_picker(const OperationDossier& dossier) {
  constexpr std::size_t kOpen = 8;
  Html html;
  const std::size_t count = dossier.workloads.size();
  if (count < 2) return html;
  const std::size_t open = std::min(count, kOpen);
  html.add(R"(<nav aria-label="Workloads"><h3>Workloads <small>eligible runs of each</small></h3>)"
           "{}",
           workload_links(dossier, 0, open));
  const std::size_t shown = std::min(count, kWorkloadsShown);
  if (shown > open) {
    html.add("<details><summary>{} more</summary>{}", count - open,
             workload_links(dossier, open, shown));
    if (count > shown) {
      html.add(R"(<p class="meta">{} of {} workloads; all of them are in the JSON.</p>)", shown,
               count);
    }
    html.add("</details>");
  }
  html.add("</nav>");
  return html;
}

// The whole group at once; its rows have their bars already, so it waits behind a disclosure.
Html group_plot(const OperationDossier& dossier) {
  Html html;
  const auto marks = marks_of(dossier.records);
  if (marks.size() < 2) return html;
  const query::Row& first = dossier.records.front();
  if (!first.primary) return html;
  const std::string title = fmt::format("{} of {} on {}, {} runs", first.primary->metric,
                                        dossier.operation.name, first.hardware.model, marks.size());
  return html.add("<details><summary>The group as a picture</summary>{}</details>",
                  svg::dot_plot({.marks = marks, .unit = first.primary->unit},
                                {.title = title, .id = "group"}));
}

// How values grow along the axis that varies, and the way to who leads where.
Html growth(const OperationDossier& dossier) {
  Html html;
  Html chart;
  if (dossier.sweep) {
    const std::string title = fmt::format("{} of {} over {}", dossier.sweep->metric_label,
                                          dossier.operation.name, dossier.sweep->axis);
    chart = svg::scaling_chart(*dossier.sweep, {.title = title, .id = "scaling"});
  }
  const bool several = dossier.workloads.size() > 1;
  if (chart.empty() && !several) return html;
  html.add("<section><h2>Over its sizes</h2>");
  if (!chart.empty()) {
    html.add(R"(<p class="meta">{}</p>{})", dossier.sweep->environment_label, chart);
    html.add("{}", svg::rate_chart(*dossier.sweep, {.unit = "bytes_s"},
                                   {.title = "The same as memory traffic", .id = "traffic"}));
    html.add("{}", svg::rate_chart(*dossier.sweep, {.unit = "flops_s"},
                                   {.title = "The same as arithmetic", .id = "arithmetic"}));
  }
  if (several) {
    html.add(R"(<p><a href="{}">Who leads where: the map of winners</a></p>)",
             winners_url(dossier.operation.slug));
  }
  return html.add("</section>");
}

Html results(const OperationDossier& dossier, const Context& context) {
  const auto with_cohort = [&](const std::string& key) {
    return operation_url(dossier.operation.slug, dossier.selected_workload_id.value_or(""), key);
  };
  Html html;
  html.add(R"(<section><h2>Results</h2>{}{})", workload_picker(dossier),
           cohort_chips(dossier.cohort_options,
                        dossier.cohort ? dossier.cohort->comparison_key : "", with_cohort));
  if (dossier.records.empty()) {
    html.add(R"(<p class="empty">{}</p>{}</section>)",
             dossier.excluded.total == 0 ? "This workload has not been measured."
                                         : "No run of this workload stands.",
             excluded_note(dossier.excluded));
    return html;
  }
  const query::Row& first = dossier.records.front();
  html.add(R"(<p class="context">{} <span class="meta">{}</span></p>{})", first.workload_summary,
           first.hardware.model, verdict(dossier.verdict));
  html.add("{}", answer_block(
                     {.fastest = first.rank == 1 ? &first : nullptr,
                      .deployable = dossier.best_deployable ? &*dossier.best_deployable : nullptr,
                      .claim = dossier.verdict ? query::claim_note(*dossier.verdict) : ""}));
  const std::size_t shown = std::min(dossier.records.size(), kOperationRowsShown);
  html.add(
      "{}",
      rows_table(std::span(dossier.records).first(shown),
                 {.caption = fmt::format("{} of {} ranked runs", shown, dossier.records.size())}));
  html.add("{}", group_plot(dossier));
  if (shown < dossier.records.size()) {
    html.add(R"(<p><a href="{}">All {} in search</a></p>)",
             search_url({{"q", "op:" + dossier.operation.slug}, {"cohort", first.comparison_key}}),
             dossier.records.size());
  }
  html.add("{}", excluded_note(dossier.excluded));
  if (dossier.cohort) {
    html.add(
        "<details><summary>Comparison group</summary>{}{}{}</details>",
        facts(dossier.cohort->facts),
        facts(std::vector<Fact>{{"comparison key", identifier(dossier.cohort->comparison_key)},
                                {"profile", text_value(dossier.cohort->profile)}}),
        badge_snippet(
            context,
            {.image = Url::local({"badges", "operations", dossier.operation.slug + ".svg"},
                                 {{"cohort", dossier.cohort->comparison_key}}),
             .page = operation_url(dossier.operation.slug, "", dossier.cohort->comparison_key)}));
  }
  html.add("</section>");
  return html;
}

Html implementations(const OperationDossier& dossier) {
  Html rows;
  const std::size_t all = dossier.implementations.size();
  const std::size_t shown = std::min(all, kImplementationsShown);
  for (const query::ImplementationItem& one : std::span(dossier.implementations).first(shown)) {
    rows.add(
        R"(<tr><th scope="row"><a href="{}">{}</a><span class="meta">{} · {} · {}</span></th>)",
        implementation_url(one.slug), one.name, one.project.name, license_text(one.license),
        one.source_available ? "source" : "no source");
    rows.add(R"(<td class="wide">{}</td><td class="latency">)", one.language.value_or("–"));
    if (one.best_primary) {
      rows.add("{}", value(*one.best_primary));
    } else {
      rows.add("–");
    }
    rows.add("</td></tr>");
  }
  Html html;
  if (rows.empty()) return html;
  html.add(R"(<section><h2>Implementations</h2><table><caption>{} of {}; best value over all )"
           R"(workloads: a hint, not a ranking</caption><thead><tr>)"
           R"(<th scope="col">Implementation</th><th scope="col" class="wide">Language</th>)"
           R"(<th scope="col">Best value</th></tr></thead><tbody>{}</tbody></table></section>)",
           shown, all, rows);
  return html;
}

Html tensors(std::string_view heading, const std::vector<query::TensorSpec>& specs) {
  Html html;
  if (specs.empty()) return html;
  html.add(R"(<table><caption>{}</caption><thead><tr><th scope="col">Name</th>)"
           R"(<th scope="col">Type</th><th scope="col">Shape</th></tr></thead><tbody>)",
           heading);
  for (const query::TensorSpec& spec : specs) {
    html.add(
        R"(<tr><th scope="row"><code>{}</code></th><td>{}</td><td><code>{}</code>{}</td></tr>)",
        spec.name, spec.dtype, spec.shape, spec.layout ? " " + *spec.layout : std::string());
  }
  html.add("</tbody></table>");
  return html;
}

Html semantics(const OperationDossier& dossier) {
  const query::Semantics& semantics = dossier.semantics;
  Html axes;
  for (const query::AxisSpec& axis : semantics.axes) {
    std::string text = axis.role;
    if (axis.value) text += fmt::format(" = {:g}", *axis.value);
    if (axis.constraint) text += ", " + *axis.constraint;
    axes.add("<div><dt><code>{}</code></dt><dd>{}</dd></div>", axis.name, text);
  }
  Html html;
  html.add("<section><h2>Semantics</h2>{}{}", tensors("Inputs", semantics.inputs),
           tensors("Outputs", semantics.outputs));
  if (!axes.empty()) html.add(R"(<h3>Axes</h3><dl class="facts">{}</dl>)", axes);
  if (semantics.expression)
    html.add("<h3>Expression</h3><pre tabindex=\"0\">{}</pre>", *semantics.expression);
  html.add("{}", facts(std::vector<Fact>{{"determinism", text_value(semantics.determinism)}}));
  if (!semantics.constraints.empty()) {
    html.add(R"(<h3>Constraints</h3><ul class="plain">)");
    for (const std::string& constraint : semantics.constraints) html.add("<li>{}</li>", constraint);
    html.add("</ul>");
  }
  html.add("</section>");
  return html;
}

}  // namespace

Page operation_page(const OperationDossier& dossier, const Context& context) {
  const std::string& slug = dossier.operation.slug;
  Html body;
  body.add("{}{}{}{}{}{}", head(dossier), results(dossier, context), growth(dossier),
           implementations(dossier), semantics(dossier), sources_list(dossier.sources));
  const Url json = api_url({"operations", slug},
                           {{"workload", dossier.selected_workload_id.value_or("")},
                            {"cohort", dossier.cohort ? dossier.cohort->comparison_key : ""}});
  return {.title = dossier.operation.name,
          .body = std::move(body),
          .description = dossier.operation.summary.empty()
                             ? "Who is fastest at " + dossier.operation.name + ", and why."
                             : dossier.operation.summary,
          .canonical = operation_url(slug),
          .card = Url::local({"operations", slug, "card.png"}),
          .json = json,
          .commands = {curl_command(context, json), "ki show operation " + shell_quoted(slug)},
          .illustrative = dossier.illustrative};
}

}  // namespace ki::web
