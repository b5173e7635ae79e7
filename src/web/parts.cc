#include "web/parts.h"

#include <algorithm>

#include <fmt/format.h>

#include "json/read.h"
#include "json/write.h"
#include "policy/names.h"
#include "query/describe.h"
#include "query/listings.h"

namespace ki::web {
namespace {

constexpr std::size_t kIdentifierShown = 24;

std::string exact_text(double value, std::string_view unit) {
  std::string text;
  json::append_number(text, value);
  return text + " " + std::string(unit);
}

}  // namespace

Html link(const Url& url, std::string_view text) {
  Html html;
  html.add(R"(<a href="{}">{}</a>)", url, text);
  return html;
}

Html outside_link(std::string_view address, std::string_view text) {
  const Url url = Url::outside(address);
  Html html;
  if (url.empty()) {
    html.add("{}", text);
  } else {
    html.add(R"(<a href="{}" rel="external noopener">{}</a>)", url, text);
  }
  return html;
}

std::string shortened(std::string_view text) {
  if (text.size() <= kIdentifierShown) return std::string(text);
  constexpr std::string_view kDigestPrefix = "sha256:";
  const std::size_t front = text.starts_with(kDigestPrefix) ? kDigestPrefix.size() + 8 : 12;
  const std::string head = excerpt(text, front);  // cut at a character, ends in "..."
  std::size_t tail = text.size() - 6;
  while (tail < text.size() && (static_cast<unsigned char>(text[tail]) & 0xC0) == 0x80) ++tail;
  return head.substr(0, head.size() - 3) + "…" + std::string(text.substr(tail));
}

std::string_view filter_class(std::size_t rows) {
  constexpr std::size_t kRowsOverseen = 11;  // at a glance
  return rows > kRowsOverseen ? "filtered" : "";
}

Html identifier(std::string_view text) {
  Html html;
  if (text.empty()) return html;
  html.add(R"(<code class="id" title="{}">{}</code>)", text, shortened(text));
  return html;
}

std::string runs_text(std::int64_t runs) { return query::counted(runs, "run"); }

std::string pretty_manifest(const json::Raw& raw) {
  const auto document = json::parse(raw.text);
  return document ? json::pretty(document->root) : raw.text;
}

Html date(std::string_view iso) {
  Html html;
  if (iso.empty()) {
    html.add("–");
  } else {
    html.add(R"(<time datetime="{}">{}</time>)", iso, policy::date_text(iso));
  }
  return html;
}

Html value(const query::Primary& primary) {
  Html html;
  html.add(R"(<span class="value" title="{}">{}</span>)", exact_text(primary.value, primary.unit),
           policy::measured_text(primary.value, primary.unit));
  return html;
}

std::optional<query::Interval> interval_of(const query::Primary& primary) {
  const auto known = query::known_interval(primary);
  return known ? std::optional(known->interval) : std::nullopt;
}

std::string spread_text(const query::Primary& primary) {
  const auto known = query::known_interval(primary);
  if (!known) return "spread unknown";
  std::string low = policy::measured_text(known->interval.low, primary.unit);
  std::string high = policy::measured_text(known->interval.high, primary.unit);
  if (low == high) {  // narrower than what is shown of a value
    low = exact_text(known->interval.low, primary.unit);
    high = exact_text(known->interval.high, primary.unit);
  }
  return low + " to " + high + (known->confidence ? " (95 % interval)" : " (p20 to p80)");
}

std::string evidence_text(std::string_view level) {
  if (level.empty()) return "No evidence";
  std::string text(level);
  text.front() = ascii_upper(text.substr(0, 1)).front();
  return text;
}

std::string license_text(const query::License& license) {
  if (license.concluded) return *license.concluded;
  return license.declared ? *license.declared + " (as declared)" : "license unknown";
}

Html facts(std::span<const Fact> all) {
  Html items;
  for (const Fact& fact : all) {
    if (fact.value.empty()) continue;
    items.add("<div><dt>{}</dt><dd>{}</dd></div>", fact.label, fact.value);
  }
  Html html;
  if (!items.empty()) html.add(R"(<dl class="facts">{}</dl>)", items);
  return html;
}

Html facts(std::span<const query::KeyValue> all) {
  std::vector<Fact> list;
  for (const auto& [key, text] : all) list.push_back({key, text_value(text)});
  return facts(list);
}

Html text_value(std::string_view text) {
  Html html;
  html.add("{}", text);
  return html;
}

Html reasons(std::span<const query::Reason> all) {
  Html html;
  if (all.empty()) return html;
  html.add(R"(<ul class="reasons">)");
  for (const query::Reason& reason : all) {
    html.add(R"(<li title="{}">{}</li>)", reason.code, reason.text);
  }
  html.add("</ul>");
  return html;
}

Html verdict(const std::optional<query::Verdict>& verdict) {
  Html html;
  if (!verdict) return html;
  std::string_view word = "Verdict";
  if (verdict->code == "winner") word = "Winner";
  if (verdict->code == "tie") word = "Tie";
  if (verdict->code == "not_enough_evidence") word = "Not enough evidence";
  if (verdict->code == "only_run") word = "Only run";
  if (verdict->code == "none") word = "No winner";
  html.add(R"(<p class="verdict {}"><strong>{}</strong> {}</p>)", verdict->code, word,
           verdict->text);
  return html;
}

Html sources_list(std::span<const query::Source> sources) {
  Html html;
  if (sources.empty()) return html;
  html.add(R"(<section><h2>Sources</h2><ul class="plain">)");
  for (const query::Source& source : sources) {
    html.add("<li>{}", outside_link(source.url.value_or(""), source.name));
    if (source.license) html.add(" · {}", *source.license);
    if (source.observed_at) html.add(" · newest observation {}", date(*source.observed_at));
    html.add("</li>");
  }
  html.add("</ul></section>");
  return html;
}

Html cohort_chips(std::span<const query::CohortOption> options, std::string_view current,
                  const std::function<Url(const std::string&)>& href) {
  Html html;
  if (options.size() < 2) return html;
  html.add(R"(<nav class="chips" aria-label="Comparison groups"><ul>)");
  for (const query::CohortOption& option : options) {
    const Url url = href(option.key);
    const std::string runs = runs_text(option.runs);
    if (option.key == current) {
      html.add(R"(<li><a class="chip" href="{}" aria-current="true">{} <small>{}</small></a></li>)",
               url, option.label, runs);
    } else {
      html.add(R"(<li><a class="chip" href="{}">{} <small>{}</small></a></li>)", url, option.label,
               runs);
    }
  }
  html.add("</ul></nav>");
  return html;
}

Html operations_table(std::span<const query::IndexEntry> entries, std::string_view caption,
                      std::string_view query_prefix) {
  Html rows;
  for (const query::IndexEntry& entry : entries) {
    std::string query(query_prefix);
    if (!query.empty()) query += ' ';
    Html note;
    if (entry.match) {
      note.add("{} on {}", entry.match->matching, entry.match->facet_label);
      if (entry.match->best) {
        note.add(", best {}",
                 policy::measured_text(entry.match->best->value, entry.match->best->unit));
      }
      note.add(", {} with source", entry.match->with_source);
    }
    rows.add(R"(<tr><th scope="row"><a href="{}">{}</a>)", search_url(query + "op:" + entry.slug),
             entry.name);
    if (!note.empty()) rows.add(R"(<span class="meta">{}</span>)", note);
    rows.add(R"(</th><td><a href="{}">{}</a></td><td class="number">{}</td>)",
             search_url("family:" + entry.family), entry.family, entry.runs);
    rows.add(R"(<td class="wide">{}</td></tr>)", date(entry.last_observed_at.value_or("")));
  }
  Html html;
  html.add(R"(<table><caption>{}</caption><thead><tr><th scope="col">Operation</th>)"
           R"(<th scope="col">Family</th><th scope="col" class="number">Runs</th>)"
           R"(<th scope="col" class="wide">Last observed</th></tr></thead>)"
           R"(<tbody>{}</tbody></table>)",
           caption, rows);
  return html;
}

Html badge_snippet(const Context& context, const Badge& badge) {
  const std::string markdown = "[![KernelIndex](" + absolute(context, badge.image) + ")](" +
                               absolute(context, badge.page) + ")";
  Html html;
  return html.add(R"(<details><summary>Badge for a README</summary><p><img src="{}" alt="" )"
                  R"(height="20"></p><pre class="command" tabindex="0">{}</pre></details>)",
                  badge.image, markdown);
}

Html excluded_note(const query::Excluded& excluded) {
  Html html;
  if (excluded.total == 0) return html;
  html.add(R"(<details><summary>{} {} excluded by a correction</summary><ul class="reasons">)",
           excluded.total, excluded.total == 1 ? "run" : "runs");
  for (const query::ExcludedRun& run : excluded.runs) {
    html.add(R"(<li title="{}">{}: {}: {}</li>)", run.code,
             link(run_url(run.run_id), run.implementation),
             run.code == "RETRACTED" ? "retracted" : "superseded", run.reason);
  }
  const auto listed = static_cast<std::int64_t>(excluded.runs.size());
  if (excluded.total > listed) html.add("<li>and {} more</li>", excluded.total - listed);
  html.add("</ul></details>");
  return html;
}

}  // namespace ki::web
