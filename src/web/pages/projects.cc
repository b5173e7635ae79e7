// Every project.

#include <algorithm>

#include <fmt/format.h>

#include "web/pager.h"
#include "web/pages/pages.h"
#include "web/parts.h"

namespace ki::web {
namespace {

Html heading(std::string_view name, std::string_view sort, const ProjectsView& view) {
  Html html;
  const Url url = projects_url({{"sort", std::string(sort)}});
  if (view.sort == sort) {
    html.add(R"(<th scope="col" class="number" aria-sort="descending"><a href="{}">{}</a></th>)",
             url, name);
  } else {
    html.add(R"(<th scope="col" class="number"><a href="{}">{}</a></th>)", url, name);
  }
  return html;
}

Html rows(std::span<const query::ProjectItem> projects) {
  Html html;
  for (const query::ProjectItem& one : projects) {
    html.add(R"(<tr><th scope="row"><a href="{}">{}</a><span class="meta">{}</span></th>)",
             project_url(one.slug), one.name, one.kind);
    html.add(R"(<td class="number wide">{}</td><td class="number">{}</td>)", one.implementations,
             one.runs);
    html.add(R"(<td class="number">{}</td><td class="number wide">{}</td>)", one.records,
             one.hardware);
    html.add(R"(<td class="wide">{}</td></tr>)", date(one.last_observed_at.value_or("")));
  }
  return html;
}

}  // namespace

Page projects_page(const query::ProjectsList& list, const ProjectsView& view,
                   const Context& context) {
  const std::size_t all = list.projects.size();
  const std::size_t first = std::min(static_cast<std::size_t>(view.offset), all);
  const std::size_t last = std::min(first + kProjectsShown, all);
  const RowRange range{.first = static_cast<std::int64_t>(first),
                       .last = static_cast<std::int64_t>(last),
                       .all = static_cast<std::int64_t>(all),
                       .shown = kProjectsShown};
  const auto page = [&](std::int64_t offset) {
    return projects_url(
        {{"sort", view.sort}, {"offset", offset > 0 ? std::to_string(offset) : ""}});
  };
  Html body;
  body.add(
      "<h1>Projects</h1><p>Who publishes implementations, and what of it is measured here.</p>");
  if (first == last) {
    body.add(R"(<p class="empty">No project here. <a href="{}">All projects</a></p>)",
             projects_url());
  } else {
    body.add(
        R"(<table class="{}"><caption>{} to {} of {} projects</caption><thead><tr>)"
        R"(<th scope="col">Project</th><th scope="col" class="number wide">Implementations</th>)"
        R"({}{}<th scope="col" class="number wide">Products</th>)"
        R"(<th scope="col" class="wide">Last observed</th></tr></thead><tbody>{}</tbody>)"
        R"(</table>{})",
        filter_class(last - first), first + 1, last, all, heading("Runs that rank", "runs", view),
        heading("Records held", "records", view),
        rows(std::span(list.projects).subspan(first, last - first)), pager(range, page));
  }
  const Url json = api_url({"projects"}, {{"sort", view.sort}});
  return {.title = "Projects",
          .body = std::move(body),
          .description = "Who publishes implementations, and what of it is measured.",
          .current = "Projects",
          .canonical = projects_url(),
          .json = json,
          .commands = {curl_command(context, json), "ki projects"}};
}

}  // namespace ki::web
