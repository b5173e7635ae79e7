#include <algorithm>

#include <fmt/format.h>

#include "web/pager.h"
#include "web/pages/pages.h"
#include "web/parts.h"

namespace ki::web {
namespace {

Html filter_form(const std::string& words) {
  Html html;
  html.add(R"(<form class="filter" action="/operations" method="get">)"
           R"(<label for="words">Words of the name, the family or a tag</label>)"
           R"(<div class="field"><input id="words" name="q" type="search" maxlength="500" )"
           R"(value="{}" autocomplete="off"><button>Filter</button></div></form>)",
           words);
  return html;
}

Html rows(std::span<const query::OperationItem> operations) {
  Html html;
  for (const query::OperationItem& one : operations) {
    html.add(R"(<tr><th scope="row"><a href="{}">{}</a><span class="meta">{}</span></th>)",
             operation_url(one.slug), one.name, one.slug);
    html.add(R"(<td class="wide">{}</td><td class="number">{}</td><td class="number">{}</td></tr>)",
             one.family, one.workloads, one.runs);
  }
  return html;
}

}  // namespace

Page operations_page(const query::OperationsList& list, const OperationsView& view,
                     const Context& context) {
  const std::size_t all = list.operations.size();
  const std::size_t first = std::min(static_cast<std::size_t>(view.offset), all);
  const std::size_t last = std::min(first + kOperationsShown, all);
  const RowRange range{.first = static_cast<std::int64_t>(first),
                       .last = static_cast<std::int64_t>(last),
                       .all = static_cast<std::int64_t>(all),
                       .shown = kOperationsShown};
  const auto page = [&](std::int64_t offset) {
    return operations_url(
        {{"q", view.words}, {"offset", offset > 0 ? std::to_string(offset) : ""}});
  };
  Html body;
  body.add("<h1>Operations</h1><p>What is computed, the most measured first.</p>{}",
           filter_form(view.words));
  if (first == last) {
    body.add(R"(<p class="empty">No operation here. <a href="{}">All operations</a></p>)",
             operations_url({}));
  } else {
    body.add(R"(<table><caption>{} of {} operations; runs are those that rank</caption><thead><tr>)"
             R"(<th scope="col">Operation</th><th scope="col" class="wide">Family</th>)"
             R"(<th scope="col" class="number">Workloads</th>)"
             R"(<th scope="col" class="number">Runs</th></tr></thead><tbody>{}</tbody></table>{})",
             last - first, all, rows(std::span(list.operations).subspan(first, last - first)),
             pager(range, page));
  }
  const Url json = api_url({"operations"}, {{"q", view.words}});
  return {.title = "Operations",
          .body = std::move(body),
          .description = "What is computed, the most measured first.",
          .current = "Operations",
          .canonical = operations_url({}),
          .json = json,
          .commands = {curl_command(context, json)}};
}

}  // namespace ki::web
