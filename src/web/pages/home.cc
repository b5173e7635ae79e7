#include <algorithm>

#include "query/listings.h"
#include "web/pages/pages.h"
#include "web/parts.h"

namespace ki::web {
namespace {

struct Example {
  std::string text;
  std::string query;
};

// Queries that lead to an answer here: two operations of the newest records, on their hardware.
std::vector<Example> examples_of(const query::RecordsPage& records) {
  std::vector<Example> examples;
  std::vector<std::string> seen;
  for (const query::Holder& holder : records.records) {
    if (std::ranges::find(seen, holder.operation.slug) != seen.end()) continue;
    seen.push_back(holder.operation.slug);
    examples.push_back(
        {.text = holder.operation.name + " on " + holder.hardware,
         .query = "op:" + holder.operation.slug + " gpu:\"" + holder.hardware + "\""});
    if (examples.size() == 2) break;
  }
  return examples;
}

Html count(std::int64_t number, const Html& what) {
  Html html;
  html.add(R"(<div><dt>{}</dt><dd class="number">{}</dd></div>)", what, number);
  return html;
}

Html latest(const query::RecordsPage& records) {
  const auto shown =
      std::span(records.records).first(std::min(records.records.size(), kHomeRecords));
  Html html;
  html.add(R"(<section><h2>Latest records</h2>{}<p><a href="{}">All records</a></p></section>)",
           records_table(shown, {.caption = query::kRecordsOrder}), records_url());
  return html;
}

}  // namespace

Page home_page(const query::CatalogCounts& counts, const query::RecordsPage& records,
               const Context& context) {
  Html body;
  body.add(R"(<section class="hero"><h1>Which kernel is fastest for this exact workload?</h1>)"
           R"(<p class="lead">Published measurements, compared only where a comparison is fair, )"
           R"(each with its evidence.</p>{})",
           search_form(""));
  const auto examples = examples_of(records);
  if (!examples.empty()) {
    body.add(R"(<p class="examples">Try: )");
    for (const auto& [text, query] : examples) {
      body.add(R"(<a href="{}">{}</a> )", search_url(query), text);
    }
    body.add("</p>");
  }
  body.add(R"(</section><dl class="counts">{}{}{}{}{}</dl>)",
           count(counts.operations, link(operations_url({}), "operations")),
           count(counts.implementations, text_value("implementations")),
           count(counts.runs, text_value("runs")),
           count(counts.eligible_runs, text_value("that rank")),
           count(counts.cohorts, text_value("comparison groups")));
  if (counts.pending_runs > 0) {
    body.add(R"(<p class="meta">{} more runs wait for an implementation or workload that is not )"
             R"(published yet.</p>)",
             counts.pending_runs);
  }
  if (!records.records.empty()) body.add("{}", latest(records));
  return {.title = "Kernel performance, measured and explained",
          .body = std::move(body),
          .description =
              "Which kernel is fastest for an exact workload: published measurements, "
              "compared only where a comparison is fair, each with its evidence.",
          .own_search = true,
          .canonical = home_url(),
          .card = Url::local({"card.png"}),
          .json = api_url({"records"}, {{"limit", std::to_string(kHomeRecords)}}),
          .commands = {curl_command(context, api_url({"search"}, {{"q", "rmsnorm bf16"}})),
                       "ki search rmsnorm bf16"}};
}

}  // namespace ki::web
