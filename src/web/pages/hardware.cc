// The pages of products and of models.

#include <fmt/format.h>

#include "query/listings.h"
#include "web/pages/pages.h"
#include "web/parts.h"

namespace ki::web {
namespace {

Html optional_date(const std::optional<std::string>& at) { return date(at.value_or("")); }

Html product_rows(const query::HardwareList& list) {
  Html html;
  for (const query::HardwareItem& one : list.hardware) {
    html.add(R"(<tr><th scope="row">{}<span class="meta">{}</span></th>)",
             link(product_url(one.slug), one.model),
             one.architecture.value_or("architecture unknown"));
    html.add(R"(<td class="number">{}</td><td class="number">{}</td>)", one.kernel_runs,
             one.operations);
    html.add(R"(<td class="number wide">{}</td><td class="number wide">{}</td>)", one.families,
             one.serving_runs);
    html.add(R"(<td class="wide">{}</td></tr>)", optional_date(one.last_observed_at));
  }
  return html;
}

// A row with what it is and whether it can be used.
Html best_cell(const query::Row& row, std::string_view note) {
  Html html;
  html.add(R"(<td>{} <a href="{}">{}</a>)",
           row.primary ? value(*row.primary) : text_value("no value"),
           run_url(row.run_id.value_or("")), row.implementation.name);
  html.add(R"(<span class="meta">{}</span></td>)", note);
  return html;
}

Html entry_row(const query::ModelEntry& entry) {
  Html html;
  html.add(R"(<tr><th scope="row"><a href="{}">{}</a><span class="meta">{}</span></th>{})",
           operation_url(entry.operation.slug, entry.workload_id, entry.cohort.comparison_key),
           entry.operation.name, entry.fastest.workload_summary,
           best_cell(entry.fastest, query::claim_note(entry.verdict)));
  if (entry.deployable) {
    html.add("{}</tr>", best_cell(*entry.deployable, license_text(entry.deployable->license)));
  } else {
    html.add(R"(<td>none can be used as it is</td></tr>)");
  }
  return html;
}

Html entries(const query::ModelDossier& model) {
  Html html;
  for (const query::ModelGroup& group : model.groups) {
    Html rows;
    for (const query::ModelEntry& entry : group.entries) rows.add("{}", entry_row(entry));
    html.add(R"(<table><caption>{}</caption><thead><tr><th scope="col">Operation</th>)"
             R"(<th scope="col">Fastest</th><th scope="col">Fastest usable</th></tr></thead>)"
             R"(<tbody>{}</tbody></table>)",
             group.family, rows);
  }
  if (model.left_out > 0) {
    html.add(R"(<p class="meta">{} more operations were measured there.</p>)", model.left_out);
  }
  return html;
}

Html gaps(const query::ModelDossier& model) {
  Html html;
  if (model.gaps.empty()) return html;
  html.add(R"(<section><h2>Not ranked there</h2><ul class="plain">)");
  for (const query::ModelGap& gap : model.gaps) {
    html.add(R"(<li><a href="{}">{}</a> <span class="meta">{}</span></li>)",
             operation_url(gap.operation.slug), gap.operation.name,
             gap.measured_on.empty() ? "not measured at all"
                                     : "measured on " + join(gap.measured_on, ", "));
  }
  html.add("</ul></section>");
  return html;
}

Html served_models(const query::ModelsList& list) {
  Html html;
  if (list.serving.empty()) return html;
  Html rows;
  for (const query::ServingModelItem& one : list.serving) {
    rows.add(R"(<tr><th scope="row"><a href="{}">{}</a></th><td class="number">{}</td>)",
             serving_url({{"model", one.slug}}), one.name,
             one.parameter_count ? std::to_string(*one.parameter_count) : "not stated");
    rows.add(R"(<td class="number">{}</td></tr>)", one.runs);
  }
  return html.add(
      R"(<section><h2>Served models</h2><table><caption>{} models</caption><thead><tr>)"
      R"(<th scope="col">Model</th><th scope="col" class="number">Parameters</th>)"
      R"(<th scope="col" class="number">Runs</th></tr></thead><tbody>{}</tbody></table>)"
      R"(</section>)",
      list.serving.size(), rows);
}

Html product_links(const query::ModelDossier& model) {
  Html html;
  if (model.gpus.empty()) return html;
  html.add(R"(<nav aria-label="Products"><ul class="plain">)");
  for (const query::ModelGpu& gpu : model.gpus) {
    html.add(R"(<li><a href="{}">{}</a> <span class="meta">{}{}</span></li>)",
             model_url(model.model.slug, gpu.model), gpu.model, runs_text(gpu.runs),
             gpu.model == model.selected_gpu ? ", shown" : "");
  }
  html.add("</ul></nav>");
  return html;
}

}  // namespace

Page hardware_page(const query::HardwareList& list, const Context& context) {
  Html body;
  body.add("<h1>Hardware</h1><p>Products that were measured on, most runs first.</p>");
  if (list.hardware.empty()) {
    body.add(R"(<p class="empty">Nothing was measured yet.</p>)");
  } else {
    body.add(R"(<table class="{}"><caption>{}</caption><thead><tr>)"
             R"(<th scope="col">Product</th>)"
             R"(<th scope="col" class="number">Runs</th>)"
             R"(<th scope="col" class="number">Operations</th>)"
             R"(<th scope="col" class="number wide">Families</th>)"
             R"(<th scope="col" class="number wide">Serving runs</th>)"
             R"(<th scope="col" class="wide">Last observed</th></tr></thead>)"
             R"(<tbody>{}</tbody></table>)",
             filter_class(list.hardware.size()),
             fmt::format("{} products; runs are those that rank", list.hardware.size()),
             product_rows(list));
  }
  const Url json = api_url({"hardware"});
  return {.title = "Hardware",
          .body = std::move(body),
          .description = "Products that kernels and served models were measured on.",
          .current = "Hardware",
          .canonical = hardware_url(),
          .json = json,
          .commands = {curl_command(context, json), "ki hardware"}};
}

Page models_page(const query::ModelsList& list, const Context& context) {
  Html rows;
  for (const query::ModelItem& one : list.kernel) {
    rows.add(R"(<tr><th scope="row"><a href="{}">{}</a></th><td class="number">{}</td>)",
             model_url(one.model), one.model, one.operations);
    rows.add(R"(<td class="number">{}</td></tr>)", one.runs);
  }
  Html body;
  body.add("<h1>Models</h1><p>Models whose operations are in the catalog.</p>");
  if (list.kernel.empty()) {
    body.add(R"(<p class="empty">No operation names a model.</p>)");
  } else {
    body.add(R"(<table class="{}"><caption>{}</caption><thead><tr>)"
             R"(<th scope="col">Model</th>)"
             R"(<th scope="col" class="number">Operations</th>)"
             R"(<th scope="col" class="number">Runs</th></tr></thead><tbody>{}</tbody></table>)",
             filter_class(list.kernel.size()),
             fmt::format("{} models; runs are those that rank", list.kernel.size()), rows);
  }
  body.add("{}", served_models(list));
  const Url json = api_url({"models"});
  return {.title = "Models",
          .body = std::move(body),
          .description = "Models whose operations are in the catalog, and served models.",
          .current = "Models",
          .canonical = models_url(),
          .json = json,
          .commands = {curl_command(context, json), "ki models"}};
}

Page model_page(const query::ModelDossier& model, const Context& context) {
  const std::string& slug = model.model.slug;
  Html body;
  body.add("<h1>{}</h1><p>{}</p>", slug,
           fmt::format("{} operations, {}. Each with its largest comparison group on one product.",
                       model.stats.operations, runs_text(model.stats.runs)));
  for (const query::NotApplied& note : model.not_applied) {
    body.add(R"(<p class="empty">{} “{}”: {}.</p>)", note.parameter, note.value, note.text);
  }
  if (!model.resolved) {
    body.add(R"(<p class="empty">No operation is tagged with exactly this model.</p>)");
  }
  body.add("{}{}{}", product_links(model), entries(model), gaps(model));
  if (!model.model.related_tags.empty()) {
    body.add(R"(<section><h2>Related models</h2><ul class="plain">)");
    for (const std::string& one : model.model.related_tags) {
      body.add("<li>{}</li>", link(model_url(one), one));
    }
    body.add("</ul></section>");
  }
  if (model.serving) {
    body.add(R"(<p>Served: <a href="{}">{}</a>, {}</p>)",
             serving_url({{"model", model.serving->slug}}), model.serving->name,
             runs_text(model.serving->runs));
  }
  body.add("{}", sources_list(model.sources));
  const Url json = api_url({"models", slug}, {{"gpu", model.selected_gpu.value_or("")}});
  return {.title = slug,
          .body = std::move(body),
          .description = fmt::format("The best of each operation of {}, and the gaps.", slug),
          .current = "Models",
          .canonical = model_url(slug),
          .json = json,
          .commands = {curl_command(context, json), "ki models " + shell_quoted(slug)},
          .illustrative = model.illustrative};
}

}  // namespace ki::web
