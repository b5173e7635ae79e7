// The table of records, as home and the page of records show it.

#include <fmt/format.h>

#include "policy/names.h"
#include "query/listings.h"
#include "web/parts.h"

namespace ki::web {
namespace {

using query::Holder;

Html history(const Holder& holder) {
  Html html;
  if (holder.history.size() < 2) return html;
  html.add(R"(<details><summary>History, {} events</summary><ul class="plain">)",
           holder.history_total);
  for (const query::RecordStep& step : holder.history) {
    html.add(R"(<li>{} <a href="{}">{}</a> {})", date(step.at), run_url(step.run_id),
             step.implementation.name, value(step.value));
    if (step.improvement_pct) {
      html.add(" {}", fmt::format("({:.1f} % better)", *step.improvement_pct));
    }
    if (step.cause != "new_run") html.add(" after a {}", step.cause);
    html.add("</li>");
  }
  const auto more = holder.history_total - std::ssize(holder.history);
  if (more > 0) {
    html.add(R"(<li><a href="{}">{} more</a></li>)", api_url({"records", holder.cohort_key}), more);
  }
  html.add("</ul></details>");
  return html;
}

Html subject_cell(const Holder& holder, bool detailed) {
  Html html;
  html.add(R"(<th scope="row"><a href="{}">{}</a><span class="meta">{}</span>)",
           operation_url(holder.operation.slug, holder.workload_id, holder.cohort_key),
           holder.operation.name, holder.workload_summary);
  const bool with_environment = detailed && !holder.environment_summary.empty();
  html.add(R"(<span class="meta">{}{}</span>{}</th>)", holder.hardware,
           with_environment ? " · " + holder.environment_summary : std::string(),
           detailed ? history(holder) : Html());
  return html;
}

Html value_cell(const Holder& holder, bool detailed) {
  Html html;
  html.add(R"(<td class="latency">)");
  if (holder.current.primary) html.add("{}", value(*holder.current.primary));
  const std::string_view claim = query::claim_note(holder.verdict);
  if (!claim.empty()) {
    html.add(R"( <span class="tag" title="{}">{}</span>)", holder.verdict.text, claim);
  }
  html.add(R"(<span class="meta">{}</span>)", query::measured_what(holder.current));
  if (detailed && holder.current.primary) {
    html.add(R"(<span class="meta">{}</span>)", spread_text(*holder.current.primary));
  }
  html.add("</td>");
  return html;
}

}  // namespace

Html records_table(std::span<const Holder> records, const RecordsOptions& options) {
  Html rows;
  for (const Holder& holder : records) {
    rows.add("<tr>{}", subject_cell(holder, options.detailed));
    rows.add(R"(<td><a href="{}">{}</a><span class="meta">{}</span></td>{})",
             implementation_url(holder.current.implementation.slug),
             holder.current.implementation.name, license_text(holder.current.license),
             value_cell(holder, options.detailed));
    rows.add(R"(<td class="wide">{})", date(holder.since));
    if (options.detailed) {
      rows.add(R"(<span class="meta">published {}</span>)", date(holder.indexed_at));
    }
    rows.add("</td></tr>");
  }
  Html html;
  html.add(R"(<table><caption>{}</caption><thead><tr><th scope="col">Operation</th>)"
           R"(<th scope="col">Implementation</th><th scope="col">Value</th>)"
           R"(<th scope="col" class="wide">Since</th></tr></thead><tbody>{}</tbody></table>)",
           options.caption, rows);
  return html;
}

}  // namespace ki::web
