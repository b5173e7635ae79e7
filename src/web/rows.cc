// The result table and the answer block: what is said about one row, and how rows stand together.

#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "policy/assessment.h"
#include "policy/names.h"
#include "query/listings.h"
#include "web/parts.h"

namespace ki::web {
namespace {

std::string rank_text(const query::Row& row) {
  if (!row.rank) return "–";
  return std::to_string(*row.rank) + (row.shares_rank ? "=" : "");
}

// "Reported · Apache-2.0 · source": how far one can trust and use the row.
Html trust_line(const query::Row& row) {
  Html html;
  html.add(R"(<span class="meta">)");
  if (row.evidence) {
    html.add(R"(<span class="evidence {}">{}</span> · )", *row.evidence,
             evidence_text(*row.evidence));
  }
  html.add("{} · {}", license_text(row.license), row.source_available ? "source" : "no source");
  if (row.installable) html.add(" · installable");
  if (row.language) html.add(" · {}", *row.language);
  if (row.last_tested_at) {
    html.add(" · observed {}{}", date(*row.last_tested_at), row.stale ? ", not since" : "");
  }
  html.add("</span>");
  return html;
}

// What sets a row apart from the ranked group.
Html differs_line(const query::Row& row) {
  Html html;
  if (row.differs.empty()) return html;
  html.add(R"(<ul class="mismatches">)");
  for (const query::Mismatch& one : row.differs) {
    // Where the request is silent, the row is told apart from the group shown.
    const std::string_view shown = one.against == "request" ? "" : " of the ranked group";
    html.add("<li>{}: {} instead of {}{}</li>", one.field, one.observed, one.requested, shown);
  }
  html.add("</ul>");
  return html;
}

// Why a row is not in the ranked group, and where it stands in its own.
Html why_elsewhere(const query::Row& row) {
  Html html;
  html.add(R"(<ul class="reasons"><li>{}</li>)", query::match_text(row));
  if (row.rank) {
    html.add(R"(<li><a href="{}">Rank {} of {} in its own group</a></li>)",
             operation_url(row.operation.slug, "", row.comparison_key), rank_text(row),
             row.cohort_size.value_or(1));
  }
  return html.add("</ul>");
}

// Why this rank or why none, what stands against using it, and where to go on.
Html why(const query::Row& row, const query::Row& leader, bool ranked) {
  Html html;
  const std::string_view about = row.rank ? "Why this rank" : "Why no rank";
  html.add("<details><summary>{}</summary>{}", ranked ? about : "Why not ranked here",
           ranked ? reasons(row.rank_reasons) : why_elsewhere(row));
  html.add(R"(<ul class="reasons">)");
  for (const std::string& caveat : row.caveats) html.add("<li>{}</li>", caveat);
  if (row.deployability_reasons.empty()) {
    html.add("<li>Source, an install recipe and a licence are stated</li>");
  }
  for (const std::string& code : row.deployability_reasons) {
    html.add(R"(<li title="{}">To use it as it is: {}</li>)", code,
             policy::deployability_text(code));
  }
  html.add("</ul>");
  if (row.install) html.add(R"(<pre class="command">{}</pre>)", row.install->command);
  if (row.run_id) {
    html.add(R"(<p class="links"><a href="{}">Run dossier</a>)", run_url(*row.run_id));
    if (ranked && leader.run_id && leader.run_id != row.run_id) {
      html.add(R"( · <a href="{}">Compare with {}</a>)",  //
               compare_url({*leader.run_id, *row.run_id}), leader.implementation.name);
    }
    html.add("</p>");
  }
  html.add("</details>");
  return html;
}

Html value_cell(const query::Row& row, const svg::Scale& scale, bool strip) {
  Html html;
  html.add(R"(<td class="latency">)");
  if (!row.primary) {
    html.add(R"(<span class="meta">not measured</span></td>)");
    return html;
  }
  html.add(R"({}<span class="meta">{}</span>)", value(*row.primary), spread_text(*row.primary));
  if (strip) {
    html.add("{}", svg::strip(scale, {.label = {},
                                      .value = row.primary->value,
                                      .interval = interval_of(*row.primary),
                                      .leader = row.rank == 1}));
  }
  html.add("</td>");
  return html;
}

Html name_cell(const query::Row& row, const RowsOptions& options) {
  Html html;
  html.add(R"(<th scope="row"><a href="{}">{}</a>)",
           row.run_id ? run_url(*row.run_id) : implementation_url(row.implementation.slug),
           row.implementation.name);
  if (row.project.name != row.implementation.name) {
    html.add(R"( <span class="project">{}</span>)", row.project.name);
  }
  if (row.baseline) html.add(R"( <span class="tag">baseline</span>)");
  if (options.show_operation) {
    html.add(R"(<span class="meta"><a href="{}">{}</a> · {} · {}{}</span>)",
             operation_url(row.operation.slug), row.operation.name, row.workload_summary,
             row.hardware.model, row.pass ? " · " + *row.pass + " pass" : std::string());
  } else if (!row.differs.empty()) {
    html.add(R"(<span class="meta">{} · {}</span>)", row.workload_summary, row.hardware.model);
  }
  return html.add("{}{}</th>", trust_line(row), differs_line(row));
}

// "Median latency": one table holds values of one metric.
std::string metric_heading(const query::Row& row) {
  if (!row.primary) return "Value";
  std::string label = policy::metric_label(row.primary->metric, row.primary->statistic);
  label[0] = ascii_upper(label.substr(0, 1))[0];
  return label;
}

bool same_unit(const query::Row& row, const query::Row& other) {
  return row.primary && other.primary && row.primary->unit == other.primary->unit &&
         row.primary->metric == other.primary->metric;
}

Html answer_card(std::string_view heading, const query::Row& row) {
  Html html;
  html.add(R"(<div class="card"><h3>{}</h3><p class="big"><a href="{}">{}</a></p>)", heading,
           row.run_id ? run_url(*row.run_id) : implementation_url(row.implementation.slug),
           row.implementation.name);
  if (row.primary) {
    html.add(R"(<p class="figure">{} <span class="meta">{}, {}</span></p>)", value(*row.primary),
             row.primary->statistic, spread_text(*row.primary));
  }
  html.add("{}", trust_line(row));
  if (row.install) html.add(R"(<pre class="command">{}</pre>)", row.install->command);
  return html;
}

// "Fastest by language: triton Liger 15.1 ms, ...", when there is a choice.
Html languages_line(std::span<const query::Row> rows) {
  Html html;
  if (rows.size() < 2) return html;
  html.add(R"(<p class="meta">Fastest by language:)");
  std::string_view before = " ";
  for (const query::Row& row : rows) {
    html.add(R"({}{} <a href="{}">{}</a>)", before, row.language.value_or(""),
             row.run_id ? run_url(*row.run_id) : implementation_url(row.implementation.slug),
             row.implementation.name);
    if (row.primary) html.add(" {}", value(*row.primary));
    before = " · ";
  }
  return html.add("</p>");
}

}  // namespace

std::vector<svg::Mark> marks_of(std::span<const query::Row> rows) {
  std::vector<svg::Mark> marks;
  const query::Row* first = nullptr;
  for (const query::Row& row : rows) {
    if (!row.primary || !std::isfinite(row.primary->value) || row.primary->value < 0) continue;
    if (first == nullptr) first = &row;
    if (!same_unit(*first, row)) continue;
    marks.push_back({.label = row.implementation.name,
                     .value = row.primary->value,
                     .interval = interval_of(*row.primary),
                     .leader = row.rank == 1});
  }
  return marks;
}

Html answer_block(const AnswerBlock& answer) {
  Html html;
  if (answer.fastest == nullptr && answer.deployable == nullptr) return html;
  html.add(R"(<div class="answers">)");
  const bool same = answer.fastest != nullptr && answer.deployable != nullptr &&
                    answer.fastest->run_id == answer.deployable->run_id;
  if (answer.fastest != nullptr) {
    std::string heading = same ? "Fastest known, and usable as it is" : "Fastest known";
    if (!answer.claim.empty()) heading += fmt::format(" ({})", answer.claim);
    html.add("{}", answer_card(heading, *answer.fastest));
    if (!answer.fastest_blocked_by.empty()) {
      html.add(R"(<p class="meta">What is missing to use it as it is:</p>{})",
               reasons(answer.fastest_blocked_by));
    }
    html.add("</div>");
  }
  if (!same && answer.deployable != nullptr) {
    html.add("{}</div>", answer_card("Fastest you can use as it is", *answer.deployable));
  } else if (!same) {
    html.add(R"(<div class="card"><h3>Fastest you can use as it is</h3>)"
             R"(<p>None: of no ranked row source, install recipe and licence are all stated.</p>)"
             R"(</div>)");
  }
  if (answer.verified != nullptr) {
    html.add("{}</div>", answer_card("Fastest verified", *answer.verified));
  }
  html.add("</div>{}", languages_line(answer.by_language));
  return html;
}

namespace {

// " of 5": a rank among rows of other groups needs its own group's size.
std::string own_size(const query::Row& row, const RowsOptions& options) {
  if (!options.show_operation || !row.rank || !row.cohort_size) return "";
  return " of " + std::to_string(*row.cohort_size);
}

Html one_table(std::span<const query::Row> rows, const RowsOptions& options) {
  Html html;
  const svg::Scale scale = svg::Scale::of(marks_of(rows));
  const bool strips = options.ranked && !options.show_operation && rows.size() > 1;
  Html below_rank;
  below_rank.add("<td></td>");
  Html body;
  for (const query::Row& row : rows) {
    body.add(R"(<tr class="{}">)", options.ranked && row.rank == 1 ? "leader" : "");
    if (options.ranked) {
      body.add(R"(<td class="rank">{}{}</td>)", rank_text(row), own_size(row, options));
    }
    body.add("{}{}", name_cell(row, options), value_cell(row, scale, strips));
    if (options.ranked) {
      body.add(R"(<td class="number">{}</td>)",
               row.relative ? policy::relative_text(*row.relative, 1.0) : std::string("–"));
    }
    body.add(R"(</tr><tr class="more">{}<td colspan="{}">{}</td></tr>)",
             options.ranked ? below_rank : Html(), options.ranked ? 3 : 2,
             why(row, rows.front(), options.ranked));
  }
  html.add(R"(<table class="results"><caption>{}</caption><thead><tr>)", options.caption);
  if (options.ranked) html.add(R"(<th scope="col">Rank</th>)");
  html.add(R"(<th scope="col">Implementation</th><th scope="col">{}</th>)",
           metric_heading(rows.front()));
  if (options.ranked) {
    html.add(R"(<th scope="col" class="number">{}</th>)",
             options.show_operation ? "vs its #1" : "vs #1");
  }
  html.add("</tr></thead><tbody>{}</tbody></table>", body);
  return html;
}

}  // namespace

Html rows_table(std::span<const query::Row> rows, const RowsOptions& options) {
  Html html;
  for (std::size_t from = 0; from < rows.size();) {
    std::size_t to = from + 1;
    while (to < rows.size() && metric_heading(rows[from]) == metric_heading(rows[to])) ++to;
    html.add("{}", one_table(rows.subspan(from, to - from), options));
    from = to;
  }
  return html;
}

}  // namespace ki::web
