// One product.

#include <algorithm>

#include <fmt/format.h>

#include "web/pages/pages.h"
#include "web/parts.h"

namespace ki::web {
namespace {

Html families(const query::HardwareDossier& dossier) {
  Html rows;
  for (const query::ProductFamily& one : dossier.families) {
    rows.add(R"(<tr><th scope="row"><a href="{}">{}</a></th><td class="number">{}</td>)",
             search_url("family:" + one.family + " \"" + dossier.product.model + "\""), one.family,
             one.operations);
    rows.add(R"(<td class="number">{}</td></tr>)", one.runs);
  }
  Html html;
  return html.add(
      R"(<section><h2>Families</h2><table class="{}"><caption>Runs that rank</caption>)"
      R"(<thead><tr><th scope="col">Family</th>)"
      R"(<th scope="col" class="number">Operations</th>)"
      R"(<th scope="col" class="number">Runs</th></tr></thead><tbody>{}</tbody></table>)"
      R"(</section>)",
      filter_class(dossier.families.size()), rows);
}

Html operations(const query::HardwareDossier& dossier) {
  const std::size_t shown = std::min(dossier.operations.size(), kProductOperationsShown);
  Html rows;
  for (std::size_t i = 0; i < shown; ++i) {
    const query::ProductOperation& one = dossier.operations[i];
    rows.add(R"(<tr><th scope="row"><a href="{}">{}</a><span class="meta">{}</span></th>)",
             search_url("op:" + one.operation.slug + " \"" + dossier.product.model + "\""),
             one.operation.name, one.family);
    rows.add(R"(<td class="number">{}</td><td class="wide">{}</td></tr>)", one.runs,
             date(one.last_observed_at));
  }
  Html html;
  return html.add(R"(<section><h2>Operations</h2><table class="{}"><caption>{} of {}, )"
                  R"(most runs first</caption><thead><tr><th scope="col">Operation</th>)"
                  R"(<th scope="col" class="number">Runs</th>)"
                  R"(<th scope="col" class="wide">Last observed</th></tr></thead>)"
                  R"(<tbody>{}</tbody></table></section>)",
                  filter_class(shown), shown, dossier.operations.size(), rows);
}

Html records(const query::HardwareDossier& dossier) {
  const std::string& slug = dossier.product.slug;
  const auto page = [&](const std::string& cursor) { return product_url(slug, cursor); };
  return records_section({.heading = "Records on it",
                          .none = "No record stands on it.",
                          .records = dossier.records,
                          .total = dossier.records_total,
                          .first = product_url(slug),
                          .next = dossier.next_cursor.transform(page)});
}

}  // namespace

Page product_page(const query::HardwareDossier& dossier, const Context& context) {
  const query::HardwareItem& product = dossier.product;
  Html serving;
  if (product.serving_runs > 0) {
    serving.add(R"(<a href="{}">{}</a>)", serving_url({{"hardware", product.model}}),
                runs_text(product.serving_runs));
  }
  Html body;
  body.add(
      R"(<p class="crumbs"><a href="{}">Hardware</a></p><h1>{}</h1>{})", hardware_url(),
      product.model,
      facts(std::vector<Fact>{
          {"maker", text_value(product.vendor.value_or("not stated"))},
          {"architecture", text_value(product.architecture.value_or("not stated"))},
          {"runs that rank", text_value(std::to_string(product.kernel_runs))},
          {"served models", serving},
          {"last observed", product.last_observed_at ? date(*product.last_observed_at) : Html()}}));
  if (product.kernel_runs > 0) {
    body.add(R"(<div class="split">{}{}</div>{})", operations(dossier), families(dossier),
             records(dossier));
    ;
  } else {
    body.add(R"(<p class="empty">No kernel was measured on it.</p>)");
  }
  const Url json = api_url({"hardware", product.slug});
  return {.title = product.model,
          .body = std::move(body),
          .description = fmt::format("What was measured on {}: {} of {} operations.", product.model,
                                     runs_text(product.kernel_runs), product.operations),
          .current = "Hardware",
          .canonical = product_url(product.slug),
          .json = json,
          .commands = {curl_command(context, json), "ki hardware " + shell_quoted(product.slug)}};
}

}  // namespace ki::web
