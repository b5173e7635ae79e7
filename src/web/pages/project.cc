#include <algorithm>

#include <fmt/format.h>

#include "web/pages/pages.h"
#include "web/parts.h"

namespace ki::web {
namespace {

constexpr std::size_t kImplementationsShown = 60;

Html implementations(const query::ProjectDossier& project) {
  Html html;
  if (project.implementations.empty()) return html;
  const std::size_t shown = std::min(project.implementations.size(), kImplementationsShown);
  Html rows;
  for (std::size_t i = 0; i < shown; ++i) {
    const query::ProjectImplementationItem& one = project.implementations[i];
    rows.add(R"(<tr><th scope="row"><a href="{}">{}</a></th><td><a href="{}">{}</a></td>)",
             implementation_url(one.slug), one.name, operation_url(one.operation.slug),
             one.operation.name);
    rows.add(R"(<td class="latency">{}</td><td class="wide">{}</td></tr>)",
             one.best_primary ? value(*one.best_primary) : text_value("not measured"),
             license_text(one.license));
  }
  html.add(R"(<section><h2>Implementations</h2><table><caption>{}</caption><thead><tr>)"
           R"(<th scope="col">Implementation</th><th scope="col">Operation</th>)"
           R"(<th scope="col">Best value</th><th scope="col" class="wide">Licence</th></tr>)"
           R"(</thead><tbody>{}</tbody></table></section>)",
           fmt::format("{} of {}; best values are of different workloads and do not compare", shown,
                       project.stats.implementations),
           rows);
  return html;
}

Html records(const query::ProjectDossier& project) {
  const std::string& slug = project.project.slug;
  const auto page = [&](const std::string& cursor) { return project_url(slug, cursor); };
  return records_section({.heading = "Records held",
                          .none = "It holds no record.",
                          .records = project.records,
                          .total = project.records_total,
                          .first = project_url(slug),
                          .next = project.next_cursor.transform(page)});
}

}  // namespace

Page project_page(const query::ProjectDossier& project, const Context& context) {
  const query::ProjectIdentity& self = project.project;
  Html repository;
  if (self.repository_url)
    repository.add("{}", outside_link(*self.repository_url, *self.repository_url));
  Html body;
  body.add(
      "<h1>{}</h1>{}", self.name,
      facts(std::vector<Fact>{
          {"kind", text_value(self.kind)},
          {"repository", repository},
          {"host", text_value(self.host ? self.host->kind + ": " + self.host->id : "")},
          {"licences", text_value(self.licenses.empty() ? "unknown" : join(self.licenses, ", "))},
          {"runs", text_value(std::to_string(project.stats.runs))},
          {"hardware", text_value(join(project.stats.hardware, ", "))},
          {"last observed",
           project.stats.last_observed_at ? date(*project.stats.last_observed_at) : Html()}}));
  body.add("{}{}{}", records(project), implementations(project), sources_list(project.sources));
  const Url json = api_url({"projects", self.slug});
  return {.title = self.name,
          .body = std::move(body),
          .description = "What " + self.name + " has published, and the records it holds.",
          .current = "Projects",
          .canonical = project_url(self.slug),
          .card = Url::local({"projects", self.slug, "card.png"}),
          .json = json,
          .commands = {curl_command(context, json), "ki projects " + shell_quoted(self.slug)},
          .illustrative = project.illustrative};
}

}  // namespace ki::web
