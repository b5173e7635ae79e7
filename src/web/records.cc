// The table of records, as home, the page of records, a product and a project show it.

#include <algorithm>

#include <fmt/format.h>

#include "policy/names.h"
#include "query/listings.h"
#include "web/pager.h"
#include "web/parts.h"
#include "web/svg.h"

namespace ki::web {
namespace {

using query::Holder;

constexpr std::size_t kStaircases = 4;         // of one table: each takes some kilobytes
constexpr std::size_t kStaircaseStepsMin = 3;  // fewer are told as well by their list

bool has_history(const Holder& holder) { return holder.history.size() > 1; }

// The steps, newest first.
Html steps(const Holder& holder) {
  Html html;
  html.add(R"(<ul class="plain">)");
  for (const query::RecordStep& step : holder.history) {
    html.add(R"(<li>{} <a href="{}">{}</a> {})", date(step.at), run_url(step.run_id),
             step.implementation.name, value(step.value));
    if (step.improvement_pct) {
      html.add(" {}", "(" + query::percent_text(*step.improvement_pct) + "\u00A0% better)");
    }
    if (step.cause != "new_run") html.add(" after a {}", step.cause);
    html.add("</li>");
  }
  return html.add("</ul>");
}

// How many steps there are before those shown.
Html earlier(const Holder& holder) {
  Html html;
  const auto more = holder.history_total - std::ssize(holder.history);
  if (more <= 0) return html;
  return html.add(R"(<p><a href="{}">{} earlier</a></p>)", api_url({"records", holder.cohort_key}),
                  more);
}

// A row with the steps of the record behind a disclosure: as a picture with its table under
// `chart_id`, or as a list where that is "".
Html history_row(const Holder& holder, const std::string& chart_id) {
  Html html;
  if (!has_history(holder)) return html;
  const std::string title = "The record of " + holder.operation.name;
  return html.add(R"(<tr class="more"><td colspan="4"><details><summary>History, {} events)"
                  "</summary>{}{}</details></td></tr>",
                  holder.history_total,
                  chart_id.empty()
                      ? steps(holder)
                      : svg::record_staircase(holder, {.title = title, .id = chart_id}),
                  earlier(holder));
}

Html subject_cell(const Holder& holder, bool detailed) {
  Html html;
  html.add(R"(<th scope="row"><a href="{}">{}</a><span class="meta">{}</span>)",
           operation_url(holder.operation.slug, holder.workload_id, holder.cohort_key),
           holder.operation.name, holder.workload_summary);
  const bool with_environment = detailed && !holder.environment_summary.empty();
  return html.add(R"(<span class="meta">{}{}</span></th>)", holder.hardware,
                  with_environment ? " · " + holder.environment_summary : std::string());
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
  if (detailed && has_history(holder)) html.add("{}", svg::record_steps(holder));
  html.add("</td>");
  return html;
}

}  // namespace

Html records_table(std::span<const Holder> records, const RecordsOptions& options) {
  Html rows;
  std::size_t drawn = 0;
  for (const Holder& holder : records) {
    const bool draws =
        options.detailed && drawn < kStaircases && holder.history.size() >= kStaircaseStepsMin;
    const std::string id = draws ? "record-" + std::to_string(++drawn) : std::string();
    rows.add("<tr>{}", subject_cell(holder, options.detailed));
    rows.add(R"(<td><a href="{}">{}</a><span class="meta">{}</span></td>{})",
             implementation_url(holder.current.implementation.slug),
             holder.current.implementation.name, license_text(holder.current.license),
             value_cell(holder, options.detailed));
    rows.add(R"(<td class="wide">{})", date(holder.since));
    if (options.detailed) {
      rows.add(R"(<span class="meta">published {}</span>)", date(holder.indexed_at));
    }
    rows.add("</td></tr>{}", options.detailed ? history_row(holder, id) : Html());
  }
  Html html;
  html.add(R"(<table><caption>{}</caption><thead><tr><th scope="col">Operation</th>)"
           R"(<th scope="col">Implementation</th><th scope="col">Value</th>)"
           R"(<th scope="col" class="wide">Since</th></tr></thead><tbody>{}</tbody></table>)",
           options.caption, rows);
  return html;
}

Html records_section(const HeldRecords& held) {
  Html html;
  html.add("<section><h2>{}</h2>", held.heading);
  if (held.records.empty()) return html.add(R"(<p class="empty">{}</p></section>)", held.none);
  const std::string caption = fmt::format("{} of {} records", held.records.size(), held.total);
  html.add("{}", records_table(held.records, {.caption = caption}));
  if (held.next) html.add("{}", pager(held.first, held.next));
  return html.add("</section>");
}

}  // namespace ki::web
