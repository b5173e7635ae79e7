#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "policy/names.h"
#include "query/listings.h"
#include "query/parse.h"
#include "web/pager.h"
#include "web/pages/pages.h"
#include "web/parts.h"

namespace ki::web {
namespace {

using query::Envelope;

struct Group {
  std::string_view key;
  std::string_view name;
  std::string_view note;
  const std::vector<query::Row>* rows;
  std::int64_t total;
};

std::array<Group, 4> groups_of(const Envelope& envelope) {
  const auto& groups = envelope.groups;
  const auto& totals = envelope.totals;
  const bool ranked = groups.exact.empty() || groups.exact.front().rank;
  return {Group{"exact", "Exact",
                ranked ? "Same workload, protocol and environment: ranked."
                       : "Same workload, protocol and environment; not ranked, for it is not known "
                         "which values are better.",
                &groups.exact, totals.exact},
          Group{"compatible", "Compatible",
                "Measured, but something differs: listed by how few and how material the "
                "differences are, never ranked across.",
                &groups.compatible, totals.compatible},
          Group{"supported", "Supported, no run that passed",
                "Declared to support the request; no measurement that passed is published.",
                &groups.supported_unmeasured, totals.supported_unmeasured},
          Group{"reported", "Other protocols",
                "Measured under another protocol: values are not comparable with the ranking.",
                &groups.reported, totals.reported}};
}

const Group& shown_group(const std::array<Group, 4>& groups, std::string_view asked) {
  for (const Group& group : groups) {
    if (group.key == asked) return group;
  }
  for (const Group& group : groups) {
    if (group.total > 0) return group;
  }
  return groups.front();
}

Url group_url(const Envelope& envelope, const SearchView& view, std::string_view group,
              std::int64_t offset) {
  return search_url({{"q", envelope.query},
                     {"cohort", view.cohort},
                     {"group", std::string(group)},
                     {"offset", offset > 0 ? std::to_string(offset) : ""}});
}

Html tabs(const Envelope& envelope, const SearchView& view, const std::array<Group, 4>& groups,
          std::string_view current) {
  Html html;
  html.add(R"(<nav class="tabs" aria-label="Groups of results"><ul>)");
  for (const Group& group : groups) {
    if (group.key == current) {
      html.add(R"(<li><a href="{}" aria-current="page">{} <small>{}</small></a></li>)",
               group_url(envelope, view, group.key, 0), group.name, group.total);
    } else {
      html.add(R"(<li><a href="{}">{} <small>{}</small></a></li>)",
               group_url(envelope, view, group.key, 0), group.name, group.total);
    }
  }
  html.add("</ul></nav>");
  return html;
}

Html chips(const Envelope& envelope) {
  Html items;
  for (const query::Reading& reading : envelope.readings) {
    if (reading.display.empty()) continue;
    items.add(R"(<li class="chip"><span>{}</span> )", reading.display);
    items.add(R"(<a href="{}" aria-label="{}">×</a></li>)", search_url(reading.query_without),
              "Remove " + reading.display);
  }
  Html html;
  if (!items.empty()) {
    html.add(R"(<nav class="chips" aria-label="The query as it was read"><ul>{}</ul></nav>)",
             items);
  }
  return html;
}

Html issues(const Envelope& envelope) {
  Html html;
  if (envelope.issues.empty()) return html;
  html.add(R"(<ul class="issues">)");
  for (const query::QueryIssue& issue : envelope.issues) {
    html.add("<li><strong>{}</strong>: {}", issue.token, issue.message);
    if (issue.hint) html.add("; did you mean {}?", *issue.hint);
    if (!issue.known.empty()) {
      html.add("<details><summary>What is known</summary><p>{}</p></details>",
               join(issue.known, ", "));
    }
    html.add("</li>");
  }
  html.add("</ul>");
  return html;
}

Html facet_notes(const Envelope& envelope) {
  Html html;
  for (const std::string& note : envelope.notes) html.add(R"(<p class="note">{}</p>)", note);
  for (const query::FacetUse& facet : envelope.facets) {
    if (facet.state != "refused") continue;
    html.add(R"(<p class="note">{} {}: {}</p>)", facet.name, facet.requested, facet.text);
  }
  return html;
}

Html best_of(const query::Head& head) {
  Html html;
  html.add(" · best {} by {}", value(head.primary), head.implementation.name);
  return html;
}

Html variants(const Envelope& envelope) {
  Html html;
  if (envelope.variants.empty()) return html;
  html.add(R"(<section><h2>Which one?</h2><p>These products share a name and are never ranked )"
           R"(against each other.</p><ul class="plain">)");
  for (const query::Variant& variant : envelope.variants) {
    if (variant.runs == 0) continue;
    html.add(R"(<li><a href="{}">{}</a> <span class="meta">{} · {})", search_url(variant.query),
             variant.label, variant.architecture, runs_text(variant.runs));
    if (variant.head) {
      html.add("{}", best_of(*variant.head));
    }
    html.add("</span></li>");
  }
  html.add("</ul>");
  const std::string unmeasured = query::unmeasured_note(envelope.variants);
  if (!unmeasured.empty()) html.add(R"(<p class="meta">{}.</p>)", unmeasured);
  html.add("</section>");
  return html;
}

Html near_item(std::string_view relation, const std::string& label, const std::string& query,
               const std::optional<query::Head>& head, std::int64_t runs) {
  Html html;
  html.add(R"(<li>{} <a href="{}">{}</a> <span class="meta">{})", relation, search_url(query),
           label, runs_text(runs));
  if (head) html.add("{}", best_of(*head));
  html.add("</span></li>");
  return html;
}

Html nearest(const Envelope& envelope) {
  Html html;
  if (!envelope.nearest) return html;
  const query::Nearest& near = *envelope.nearest;
  html.add(R"(<section><h2>Nearest measured cases</h2><p class="meta">Measured values of other )"
           R"(workloads, never interpolated.</p><ul class="plain">)");
  for (const query::NearAxis& one : near.axes) {
    if (one.below) {
      html.add("{}", near_item(one.axis + " below:", one.below->label, one.below->query,
                               one.below->head, one.below->runs));
    }
    if (one.above) {
      html.add("{}", near_item(one.axis + " above:", one.above->label, one.above->query,
                               one.above->head, one.above->runs));
    }
  }
  for (const query::NearCase& one : near.cases) {
    html.add("{}", near_item(one.distance_text + ":", one.label, one.query, one.head, one.runs));
  }
  html.add("</ul></section>");
  return html;
}

Html cohort_aside(const Envelope& envelope) {
  Html html;
  if (!envelope.cohort) return html;
  html.add(R"(<aside class="cohort" aria-label="Comparison group"><h2>Comparison group</h2>)"
           R"(<p>{}</p>{}<dl class="facts"><div><dt>comparison key</dt><dd>{}</dd></div>)"
           R"(<div><dt>ranking</dt><dd>{}</dd></div></dl></aside>)",
           envelope.cohort->description, facts(envelope.cohort->facts),
           identifier(envelope.cohort->comparison_key), envelope.policy_version);
  return html;
}

Html result_rows(const Envelope& envelope, const SearchView& view,
                 const std::array<Group, 4>& groups, const Group& group) {
  const auto shown = std::min(static_cast<std::int64_t>(group.rows->size()), kRowsShown);
  Html html;
  html.add(R"({}<p class="meta">{}</p>)", tabs(envelope, view, groups, group.key), group.note);
  if (shown == 0) {
    const Group& other = shown_group(groups, "");
    html.add(R"(<p class="empty">Nothing here.)");
    if (other.total > 0 && other.key != group.key) {
      html.add(R"( <a href="{}">{} has {}</a>.)", group_url(envelope, view, other.key, 0),
               other.name, other.total);
    }
    html.add("</p>");
    return html;
  }
  const std::string caption = fmt::format("{}: {} of {}", group.name, shown, group.total);
  html.add(
      "{}{}",
      rows_table(std::span(*group.rows).first(static_cast<std::size_t>(shown)),
                 {.caption = caption, .ranked = group.key == "exact"}),
      pager({.first = view.offset,
             .last = view.offset + shown,
             .all = group.total,
             .shown = kRowsShown},
            [&](std::int64_t offset) { return group_url(envelope, view, group.key, offset); }));
  return html;
}

// What the requirements of the request leave out, and which of them.
Html unmet(const Envelope& envelope) {
  Html html;
  if (envelope.unmet.empty()) return html;
  html.add(R"(<details><summary>{} left out by what is required</summary><ul class="plain">)",
           envelope.totals.unmet);
  for (const query::UnmetRow& one : envelope.unmet) {
    html.add(
        R"(<li><a href="{}">{}</a> <span class="meta">{}</span>)",
        one.row.run_id ? run_url(*one.row.run_id) : implementation_url(one.row.implementation.slug),
        one.row.implementation.name, one.row.hardware.model);
    if (one.row.primary) html.add(" {}", value(*one.row.primary));
    for (const query::Mismatch& fails : one.failed) {
      html.add(R"( <span class="meta">{} {} is required, it has {}</span>)", fails.field,
               fails.requested, fails.observed);
    }
    html.add("</li>");
  }
  html.add("</ul></details>");
  return html;
}

// Groups that satisfy the request as well as the ranked one.
Html fitting_note(const Envelope& envelope) {
  Html html;
  if (envelope.fitting_cohorts < 2) return html;
  return html.add(R"(<p class="note">{} comparison groups satisfy this request; one is ranked )"
                  R"(here. The others of this workload are above; those of other workloads need )"
                  R"(axes, a shape or a dtype in the query.</p>)",
                  envelope.fitting_cohorts);
}

// What rows can be asked to have, each a link that adds the condition to the query.
Html narrowing(const Envelope& envelope) {
  struct Condition {
    std::string_view facet;
    std::string_view name;
  };
  constexpr Condition kConditions[] = {{"source:true", "with source"},
                                       {"installable:true", "installable"},
                                       {"license:permissive", "permissive licence"},
                                       {"trust:verified", "verified"}};
  Html items;
  for (const auto& [facet, name] : kConditions) {
    const std::string_view key = facet.substr(0, facet.find(':') + 1);
    if (ascii_lower(envelope.query).contains(key)) continue;
    items.add(R"(<li><a class="chip" href="{}">{}</a></li>)",
              search_url(envelope.query + " " + std::string(facet)), name);
  }
  Html html;
  if (items.empty()) return html;
  return html.add(R"(<nav class="chips" aria-label="Only rows"><ul>{}</ul></nav>)", items);
}

Html exact_answer(const Envelope& envelope, const SearchView& view) {
  const auto groups = groups_of(envelope);
  const Group& group = shown_group(groups, view.group);
  Html html;
  if (envelope.operation) {
    html.add(R"(<h1><a href="{}">{}</a></h1>)",
             operation_url(envelope.operation->slug, envelope.workload ? envelope.workload->id : "",
                           view.cohort),
             envelope.operation->name);
  }
  if (envelope.workload) {
    html.add(R"(<p class="context">{} <span class="meta">{}</span></p>)",
             envelope.workload->summary, envelope.workload->selected_because);
  }
  const auto with_cohort = [&](const std::string& key) {
    return search_url({{"q", envelope.query}, {"cohort", key}});
  };
  html.add("{}", cohort_chips(envelope.cohort_options,
                              envelope.cohort ? envelope.cohort->comparison_key : "", with_cohort));
  html.add("{}", fitting_note(envelope));
  html.add(
      R"(<h2 class="hidden">Answer</h2>{}{})", verdict(envelope.verdict),
      answer_block({.fastest = envelope.fastest ? &*envelope.fastest : nullptr,
                    .deployable = envelope.best_deployable ? &*envelope.best_deployable : nullptr,
                    .fastest_blocked_by = envelope.fastest_blocked_by,
                    .verified = envelope.best_verified ? &*envelope.best_verified : nullptr,
                    .by_language = envelope.fastest_by_language,
                    .claim = envelope.verdict ? query::claim_note(*envelope.verdict) : ""}));
  html.add(R"(<div class="columns"><div>{}{}{}</div>{}</div>)", narrowing(envelope),
           result_rows(envelope, view, groups, group), nearest(envelope), cohort_aside(envelope));
  html.add("{}", excluded_note(envelope.excluded));
  html.add("{}", unmet(envelope));
  if (envelope.pending_runs > 0) {
    html.add(R"(<p class="meta">{} more published runs of this operation wait for an object that )"
             R"(is not published yet.</p>)",
             envelope.pending_runs);
  }
  return html;
}

// The conditions of the query beside the operation words, so that a choice keeps them.
std::string kept_filters(const Envelope& envelope) {
  std::string kept;
  for (const query::Reading& reading : envelope.readings) {
    if (reading.display.empty() || reading.kind == "operation") continue;
    kept += (kept.empty() ? "" : " ") + reading.token;
  }
  return kept;
}

Html measured(const Envelope& envelope) {
  Html html;
  if (envelope.measured.empty()) return html;
  return html.add("{}", operations_table(envelope.measured, "Measured with this hardware or dtype",
                                         kept_filters(envelope)));
}

Url url_of(const query::NamedThing& one) {
  if (one.kind == "project") return project_url(one.slug);
  if (one.kind == "implementation") return implementation_url(one.slug);
  if (one.kind == "model") return model_url(one.slug);
  return search_url(one.query.value_or(one.slug));
}

// What the words name besides operations.
Html named(const Envelope& envelope) {
  Html html;
  if (envelope.named.empty()) return html;
  html.add(R"(<section><h2>Called so, too</h2><ul class="plain">)");
  for (const query::NamedThing& one : envelope.named) {
    html.add(R"(<li>{} )", one.kind);
    if (one.kind == "source") {
      html.add("{}", one.name);
    } else {
      html.add(R"(<a href="{}">{}</a>)", url_of(one), one.name);
    }
    if (one.operation) {
      html.add(R"( of <a href="{}">{}</a>)", operation_url(one.operation->slug),
               one.operation->name);
    }
    html.add("</li>");
  }
  return html.add("</ul></section>");
}

Html guidance(const Envelope& envelope) {
  Html html;
  if (!envelope.measured.empty()) return html.add("<h1>What is measured</h1>");
  if (!envelope.named.empty()) return html.add("<h1>No operation is called so</h1>");
  html.add(R"(<h1>Nothing found</h1><p>No operation of the catalog matches this query.</p>)");
  if (!envelope.suggestions.empty()) {
    html.add(R"(<p>Try:</p><ul class="plain">)");
    for (const std::string& suggestion : envelope.suggestions) {
      html.add(R"(<li><a href="{}">{}</a></li>)", search_url(suggestion), suggestion);
    }
    html.add("</ul>");
  }
  html.add(R"(<p><a href="{}">Browse every operation</a></p>)", Url::local({"search"}));
  return html;
}

Html browse_pager(const Envelope& envelope, const SearchView& view, std::int64_t shown) {
  Html html;
  const auto page = [&](std::int64_t offset) {
    return search_url(
        {{"q", envelope.query}, {"offset", offset > 0 ? std::to_string(offset) : ""}});
  };
  if (view.offset == 0 && !envelope.next_cursor) return html;
  html.add(R"(<nav class="pager" aria-label="Pages"><p>{} to {}</p>)", view.offset + 1,
           view.offset + shown);
  if (view.offset > 0) {
    html.add(R"(<a rel="prev" href="{}">Previous</a>)",
             page(std::max<std::int64_t>(0, view.offset - kRowsShown)));
  }
  if (envelope.next_cursor) {
    html.add(R"(<a rel="next" href="{}">Next</a>)", page(view.offset + shown));
  }
  return html.add("</nav>");
}

Html outcome(const Envelope& envelope, const SearchView& view) {
  Html html;
  switch (envelope.mode) {
    case query::Mode::exact:
      return exact_answer(envelope, view);
    case query::Mode::chooser: {
      html.add("<h1>Which operation?</h1>");
      const auto matches = envelope.matches.value_or(std::vector<query::IndexEntry>{});
      html.add("{}", operations_table(matches, fmt::format("{} operations", envelope.entries_total),
                                      kept_filters(envelope)));
      return html.add("{}", browse_pager(envelope, view, std::ssize(matches)));
    }
    case query::Mode::browse: {
      html.add("<h1>Operations</h1>");
      const auto index = envelope.index.value_or(std::vector<query::IndexEntry>{});
      html.add("{}",
               operations_table(index, fmt::format("{} operations", envelope.entries_total), ""));
      return html.add("{}", browse_pager(envelope, view, std::ssize(index)));
    }
    case query::Mode::none:
      html.add("{}", guidance(envelope));
      return html.add("{}{}", measured(envelope),
                      browse_pager(envelope, view, std::ssize(envelope.measured)));
  }
  KI_UNREACHABLE();
}

}  // namespace

Page search_page(const Envelope& envelope, const SearchView& view, const Context& context) {
  Html body;
  body.add("{}", search_form(envelope.query));
  if (!envelope.query.empty()) {
    body.add(R"(<p class="interpretation">{}</p>)", envelope.interpretation);
    for (const std::string& line : query::readings_shown(envelope.readings)) {
      body.add(R"(<p class="meta">Read as {}</p>)", line);
    }
  }
  body.add("{}{}{}{}{}", chips(envelope), issues(envelope), facet_notes(envelope),
           variants(envelope), outcome(envelope, view));
  if (envelope.mode != query::Mode::none) body.add("{}", measured(envelope));
  body.add("{}", named(envelope));
  if (!envelope.related.empty()) {
    body.add(R"(<p class="meta">Related: )");
    std::string_view between;
    for (const query::Ref& related : envelope.related) {
      body.add(R"({}<a href="{}">{}</a>)", between, operation_url(related.slug), related.name);
      between = " · ";
    }
    body.add("</p>");
  }
  body.add("{}", sources_list(envelope.sources));
  const Url json = api_url({"search"}, {{"q", envelope.query}, {"cohort", view.cohort}});
  return {.title = envelope.query.empty() ? "Search" : excerpt(envelope.query),
          .body = std::move(body),
          .own_search = true,
          .current = "Search",
          .json = json,
          .commands = {curl_command(context, json), "ki search " + shell_quoted(envelope.query)}};
}

}  // namespace ki::web
