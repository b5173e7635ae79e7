#include <fmt/format.h>

#include "web/pages/pages.h"
#include "web/parts.h"

namespace ki::web {
namespace {

Html history(const query::Holder& holder) {
  Html html;
  if (holder.history.size() < 2) return html;
  html.add(R"(<details><summary>History, {} events</summary><ul class="plain">)",
           holder.history.size());
  for (const query::RecordStep& step : holder.history) {
    html.add(R"(<li>{} <a href="{}">{}</a> {})", date(step.at), run_url(step.run_id),
             step.implementation.name, value(step.value));
    if (step.improvement_pct)
      html.add(" {}", fmt::format("({:.1f} % better)", *step.improvement_pct));
    if (step.cause != "new_run") html.add(" after a {}", step.cause);
    html.add("</li>");
  }
  html.add("</ul></details>");
  return html;
}

Html row(const query::Holder& holder) {
  Html html;
  html.add(R"(<tr><th scope="row"><a href="{}">{}</a><span class="meta">{} · {}</span>{}</th>)",
           operation_url(holder.operation.slug, holder.workload_id, holder.cohort_key),
           holder.operation.name, holder.workload_summary,
           holder.environment_summary.empty() ? holder.hardware : holder.environment_summary,
           history(holder));
  html.add(R"(<td><a href="{}">{}</a><span class="meta">{}</span></td><td class="latency">)",
           implementation_url(holder.current.implementation.slug),
           holder.current.implementation.name, license_text(holder.current.license));
  if (holder.current.primary) {
    html.add(R"({}<span class="meta">{}</span>)", value(*holder.current.primary),
             spread_text(*holder.current.primary));
  }
  html.add(R"(</td><td class="wide">{}</td></tr>)", date(holder.since));
  return html;
}

}  // namespace

Page records_page(const query::RecordsPage& records, const Context& context) {
  Html body;
  body.add("<h1>Records</h1><p>The best eligible run of each comparison group, newest first.</p>");
  if (records.records.empty()) {
    body.add(R"(<p class="empty">No record yet: nothing has been ranked.</p>)");
  } else {
    Html rows;
    for (const query::Holder& holder : records.records) rows.add("{}", row(holder));
    body.add(R"(<table><caption>{} of {} records</caption><thead><tr>)"
             R"(<th scope="col">Operation</th><th scope="col">Implementation</th>)"
             R"(<th scope="col">Value</th><th scope="col" class="wide">Since</th></tr></thead>)"
             R"(<tbody>{}</tbody></table>)",
             records.records.size(), records.total, rows);
  }
  if (records.next_cursor) {
    body.add(R"(<nav class="pager" aria-label="Pages"><a href="{}">First page</a> )"
             R"(<a rel="next" href="{}">Next</a></nav>)",
             records_url(), records_url(*records.next_cursor));
  }
  const Url json = api_url({"records"});
  return {.title = "Records",
          .body = std::move(body),
          .current = "Records",
          .json = json,
          .commands = {curl_command(context, json), "ki records"}};
}

}  // namespace ki::web
