#include <algorithm>

#include <fmt/format.h>

#include "query/listings.h"
#include "web/pages/pages.h"
#include "web/parts.h"

namespace ki::web {
namespace {

struct Example {
  std::string text;
  std::string query;
};

// The newest record of each operation: what one import brings has many of the same.
std::vector<query::Holder> newest_of(const query::RecordsPage& records) {
  std::vector<query::Holder> out;
  for (const query::Holder& holder : records.records) {
    const auto same = [&](const query::Holder& one) {
      return one.operation.slug == holder.operation.slug;
    };
    if (std::ranges::none_of(out, same)) out.push_back(holder);
    if (out.size() == kHomeRecords) break;
  }
  return out;
}

// Queries that lead to an answer here: two operations of the newest records, on their hardware.
std::vector<Example> examples_of(const std::vector<query::Holder>& newest) {
  std::vector<Example> examples;
  for (const query::Holder& holder :
       std::span(newest).first(std::min<std::size_t>(2, newest.size()))) {
    examples.push_back(
        {.text = holder.operation.name + " on " + holder.hardware,
         .query = "op:" + holder.operation.slug + " gpu:\"" + holder.hardware + "\""});
  }
  return examples;
}

Html count(std::int64_t number, const Html& what) {
  Html html;
  html.add(R"(<div><dt>{}</dt><dd class="number">{}</dd></div>)", what, number);
  return html;
}

Html latest(const std::vector<query::Holder>& newest) {
  Html html;
  html.add(R"(<section><h2>Latest records</h2>{}<p><a href="{}">All records</a></p></section>)",
           records_table(newest,
                         {.caption = std::string(query::order_text(query::RecordOrder::published)) +
                                     "; of each operation the newest"}),
           records_url());
  return html;
}

// How far the runs that rank can be believed: as a bar and in words.
Html evidence(const query::CatalogCounts& counts) {
  Html html;
  if (counts.eligible_runs <= 0) return html;
  const std::int64_t reported = counts.eligible_runs - counts.reproducible_runs;
  const std::int64_t reproducible = counts.reproducible_runs - counts.verified_runs;
  const std::string share = fmt::format(
      "{:.2f}%", 100 * static_cast<double>(reported) / static_cast<double>(counts.eligible_runs));
  Html verified;
  if (counts.verified_runs > 0) {
    verified.add(R"(<li><span class="evidence verified">{} verified</span> <span class="meta">)"
                 R"(measured and signed by a runner that is approved here</span></li></ul><p>See )",
                 counts.verified_runs);
  } else {
    verified.add("</ul><p>No value was measured again here: ");
  }
  return html.add(
      R"(<svg class="levels" width="100%" height="8" aria-hidden="true"><rect width="100%" )"
      R"(height="8" class="reproducible"/><rect width="{}" height="8"/></svg><ul class="plain">)"
      R"(<li><span class="evidence reported">{} reported</span> <span class="meta">as their )"
      R"(sources state them; no source code and raw samples to check with</span></li>)"
      R"(<li><span class="evidence reproducible">{} reproducible</span> <span class="meta">source )"
      R"(code and raw samples are at hand</span></li>{}<a href="{}">what each level means</a>.)"
      "</p>",
      share, reported, reproducible, verified, docs_url("trust"));
}

Html source_rows(const query::SourcesList& list) {
  Html rows;
  for (const query::SourceItem& source : list.sources) {
    if (source.runs == 0) continue;
    const bool is_stale = source.stale.value_or(false);
    rows.add(R"(<tr><th scope="row">{}</th><td class="number">{}</td><td>)", source.name,
             source.runs);
    if (source.last_fetched) {
      rows.add(R"(<span class="{}">{}</span>)", is_stale ? "stale" : "",
               date(*source.last_fetched));
    } else {
      rows.add("not known");
    }
    rows.add("{}</td></tr>", is_stale ? ", out of date" : "");
  }
  return rows;
}

// What the answers rest on.
Html trust(const query::CatalogCounts& counts, const query::SourcesList& sources) {
  Html html;
  const Html rows = source_rows(sources);
  if (rows.empty()) return html;
  return html.add(
      R"(<section><h2>What this rests on</h2><div class="split"><div>{}</div><div><table>)"
      R"(<caption>Sources of kernel runs, and when each was last read</caption><thead><tr>)"
      R"(<th scope="col">Source</th><th scope="col" class="number">Runs that rank</th>)"
      R"(<th scope="col">Read</th></tr></thead><tbody>{}</tbody></table></div></div></section>)",
      evidence(counts), rows);
}

}  // namespace

Page home_page(const query::CatalogCounts& counts, const query::RecordsPage& records,
               const query::SourcesList& sources, const Context& context) {
  Html body;
  body.add(R"(<section class="hero"><h1>Which kernel is fastest for this exact workload?</h1>)"
           R"(<p class="lead">Published measurements, compared only where a comparison is fair, )"
           R"(each with its evidence.</p>{})",
           search_form(""));
  const std::vector<query::Holder> newest = newest_of(records);
  const auto examples = examples_of(newest);
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
  if (!newest.empty()) body.add("{}", latest(newest));
  body.add("{}", trust(counts, sources));
  return {.title = "Kernel performance, measured and explained",
          .body = std::move(body),
          .description =
              "Which kernel is fastest for an exact workload: published measurements, "
              "compared only where a comparison is fair, each with its evidence.",
          .own_search = true,
          .canonical = home_url(),
          .card = Url::local({"card.png"}),
          .json = api_url({"records"}, {{"limit", std::to_string(kHomeRecordsRead)}}),
          .commands = {curl_command(context, api_url({"search"}, {{"q", "rmsnorm bf16"}})),
                       "ki search rmsnorm bf16"}};
}

}  // namespace ki::web
