// Where everything comes from, how fresh it is, and what is covered.

#include "web/pages/pages.h"
#include "web/parts.h"

namespace ki::web {
namespace {

Html freshness(const query::SourceItem& source) {
  Html html;
  const std::string at = source.last_fetched.value_or(source.last_published_at.value_or(""));
  html.add("{}", date(at));
  if (!source.stale) {
    html.add(R"(<span class="meta">no freshness stated</span>)");
  } else if (*source.stale) {
    html.add(R"(<span class="meta stale">older than {} days</span>)",
             source.freshness_days.value_or(0));
  } else {
    html.add(R"(<span class="meta">within {} days</span>)", source.freshness_days.value_or(0));
  }
  return html;
}

Html source_rows(std::span<const query::SourceItem> sources) {
  Html html;
  for (const query::SourceItem& one : sources) {
    html.add(R"(<tr><th scope="row">{}<span class="meta">{}</span></th>)",
             outside_link(one.url.value_or(""), one.name),
             one.license.value_or("licence not stated"));
    html.add(R"(<td class="number">{}</td><td class="number wide">{}</td>)", one.runs, one.indexed);
    html.add(R"(<td class="number wide">{}</td><td class="number wide">{}</td><td>{}</td></tr>)",
             one.breadth, one.hardware, freshness(one));
  }
  return html;
}

// Chosen families on chosen products; what nobody measured is said, not left blank.
Html coverage_table(const query::Hero& hero) {
  Html html;
  if (hero.rows.empty()) return html;
  Html heads;
  for (const std::string& gpu : hero.gpus) {
    heads.add(R"(<th scope="col" class="number">{}</th>)", gpu);
  }
  Html rows;
  for (const query::HeroRow& row : hero.rows) {
    rows.add(R"(<tr><th scope="row"><a href="{}">{}</a></th>)", search_url("family:" + row.family),
             row.family);
    for (const std::int64_t runs : row.runs) {
      if (runs == 0) {
        rows.add(R"(<td class="number zero">none</td>)");
      } else {
        rows.add(R"(<td class="number">{}</td>)", runs);
      }
    }
    rows.add(R"(<td class="number">{}</td></tr>)", row.total);
  }
  return html.add(R"(<section><h2>Chosen families on chosen products</h2>)"
                  R"(<div class="scroll" tabindex="0"><table><caption>Runs that rank; the last )"
                  R"(column counts every product</caption><thead><tr><th scope="col">Family</th>{})"
                  R"(<th scope="col" class="number">All</th></tr></thead><tbody>{}</tbody></table>)"
                  R"(</div></section>)",
                  heads, rows);
}

// Whose measurements are believed here.
Html runners_section(const query::RunnersList& list) {
  Html html;
  if (list.runners.empty()) return html;
  Html rows;
  for (const query::RunnerItem& one : list.runners) {
    rows.add(R"(<tr><th scope="row">{}</th><td>{}</td><td class="number">{}</td>)",
             identifier(one.key_id), one.state, one.runs);
    if (one.decisions.empty()) {
      rows.add(R"(<td>nobody decided about it</td></tr>)");
      continue;
    }
    const query::RunnerDecision& now = one.decisions.back();
    rows.add(R"(<td>{}<span class="meta">{}, by {}</span></td></tr>)", date(now.at), now.reason,
             now.actor);
  }
  return html.add(
      R"(<section id="runners"><h2>Runners</h2><p>Runs that an approved runner signed are )"
      R"(<a href="{}">verified</a>.</p><table><caption>Keys that signed runs, or that somebody )"
      R"(decided about</caption><thead><tr><th scope="col">Key</th><th scope="col">State</th>)"
      R"(<th scope="col" class="number">Runs signed</th><th scope="col">Since</th></tr></thead>)"
      R"(<tbody>{}</tbody></table></section>)",
      docs_url("trust"), rows);
}

}  // namespace

Html sources_table(std::span<const query::SourceItem> sources) {
  Html html;
  if (sources.empty()) return html.add(R"(<p class="empty">Nothing was imported yet.</p>)");
  return html.add(R"(<table><caption>{} sources</caption><thead><tr><th scope="col">Source</th>)"
                  R"(<th scope="col" class="number">Runs that rank</th>)"
                  R"(<th scope="col" class="number wide">Published</th>)"
                  R"(<th scope="col" class="number wide">Operations</th>)"
                  R"(<th scope="col" class="number wide">Products</th>)"
                  R"(<th scope="col">Last read</th></tr></thead><tbody>{}</tbody></table>)",
                  sources.size(), source_rows(sources));
}

Page sources_page(const query::CoverageReport& report, const query::RunnersList& runners,
                  const Context& context) {
  Html body;
  body.add(R"(<h1>Sources and coverage</h1><p class="lead">Every figure here is stated by one of )"
           R"(these sources and kept as stated; nothing was measured again unless a run says so.)"
           R"(</p>{}{}{})",
           sources_table(report.sources), runners_section(runners), coverage_table(report.hero));
  const Url json = api_url({"coverage"});
  return {.title = "Sources and coverage",
          .body = std::move(body),
          .description = "Where the measurements come from, how fresh they are, what is covered.",
          .canonical = sources_url(),
          .json = json,
          .commands = {curl_command(context, json), "ki sources"},
          .illustrative = report.illustrative};
}

}  // namespace ki::web
