// What changed, day by day, as a page and as an Atom feed.

#include <algorithm>

#include <fmt/format.h>

#include "http/target.h"
#include "policy/names.h"
#include "query/listings.h"
#include "web/pages/pages.h"
#include "web/parts.h"

namespace ki::web {
namespace {

using query::CorrectionEntry;
using query::ImportEntry;
using query::RecordEntry;

std::string signed_percent(double improvement) {
  return query::percent_text(improvement) + "\u00A0% better";
}

Html record_line(const RecordEntry& entry) {
  Html html;
  html.add(R"(<span class="tag">record</span> <a href="{}">{}</a> )",
           operation_url(entry.operation.slug, entry.workload_id, entry.cohort_key),
           entry.operation.name);
  html.add(R"(<span class="meta">{} · {}</span>: )", entry.workload_summary, entry.hardware);
  html.add(R"(<a href="{}">{}</a> {})", run_url(entry.run_id), entry.implementation.name,
           value(entry.value));
  const bool same = entry.previous.implementation.slug == entry.implementation.slug;
  html.add(R"( <span class="meta">before: {}{})",
           same ? std::string() : entry.previous.implementation.name + " ",
           value(entry.previous.value));
  if (entry.improvement_pct) html.add(", {}", signed_percent(*entry.improvement_pct));
  return html.add("</span>");
}

Html import_line(const ImportEntry& entry) {
  Html html;
  html.add(R"(<span class="tag">import</span> {}: {} of {}, {})", entry.source.name,
           runs_text(entry.runs), query::counted(entry.operations, "operation"),
           join(entry.hardware, ", "));
  if (entry.first_records > 0) {
    html.add(R"( <span class="meta">{} measured for the first time</span>)",
             query::counted(entry.first_records, "comparison group"));
  }
  return html;
}

Html correction_line(const CorrectionEntry& entry) {
  Html html;
  html.add(R"(<span class="tag">correction</span> <a href="{}">{}</a> of <a href="{}">{}</a>: {})",
           run_url(entry.run_id), entry.implementation.name, operation_url(entry.operation.slug),
           entry.operation.name, entry.action);
  if (entry.reason) html.add(R"( <span class="meta">{}</span>)", *entry.reason);
  if (entry.superseded_by_id) {
    html.add(R"( <a href="{}">by this run</a>)", run_url(*entry.superseded_by_id));
  }
  return html;
}

struct LineOf {
  Html operator()(const RecordEntry& entry) const { return record_line(entry); }
  Html operator()(const ImportEntry& entry) const { return import_line(entry); }
  Html operator()(const CorrectionEntry& entry) const { return correction_line(entry); }
};

Html since_form(const FeedView& view) {
  Html html;
  html.add(
      R"(<form class="filters" action="/feed" method="get"><div><label for="since">Since)"
      R"(</label><input id="since" name="since" type="date" value="{}"></div><div><button>Show)"
      R"(</button></div></form>)",
      view.since.substr(0, 10));
  return html;
}

Html pager(const query::Feed& feed, const FeedView& view, std::size_t all) {
  Html html;
  const auto url = [&](const std::string& cursor, std::size_t offset) {
    return feed_url({{"since", view.since},
                     {"cursor", cursor},
                     {"offset", offset > 0 ? std::to_string(offset) : ""}});
  };
  const auto first = static_cast<std::size_t>(view.offset);
  const bool later = first + kFeedShown < all;
  if (first == 0 && view.cursor.empty() && !later && !feed.next_cursor) return html;
  html.add(R"(<nav class="pager" aria-label="Pages">)");
  if (first > 0 || !view.cursor.empty()) {
    html.add(R"(<a href="{}">Newest</a>)", url("", 0));
  }
  if (later) {
    html.add(R"(<a rel="next" href="{}">Older</a>)", url(view.cursor, first + kFeedShown));
  } else if (feed.next_cursor) {
    html.add(R"(<a rel="next" href="{}">Older</a>)", url(*feed.next_cursor, 0));
  }
  return html.add("</nav>");
}

// ---- Atom

struct AtomEntry {
  std::string id;
  std::string title;
  std::string updated;
  Url page;
  std::string summary;
};

// RFC 4151 with the domain of the manifests' format.
std::string tag(std::string_view kind, const std::vector<std::string_view>& parts) {
  std::string out = "tag:kernelindex.dev,2026:" + std::string(kind);
  for (const std::string_view part : parts) out += "/" + http::percent_encode(part);
  return out;
}

std::string measured(const query::Primary& primary) {
  return policy::measured_text(primary.value, primary.unit);
}

struct AtomOf {
  AtomEntry operator()(const RecordEntry& entry) const {
    std::string summary = entry.implementation.name + " " + measured(entry.value) + " on " +
                          entry.hardware + ", " + entry.workload_summary +
                          "; before: " + entry.previous.implementation.name + " " +
                          measured(entry.previous.value);
    if (entry.improvement_pct) summary += ", " + signed_percent(*entry.improvement_pct);
    return {.id = tag("record", {entry.cohort_key, entry.run_id}),
            .title = entry.operation.name + ": record taken by " + entry.implementation.name,
            .updated = entry.at,
            .page = run_url(entry.run_id),
            .summary = std::move(summary)};
  }
  AtomEntry operator()(const ImportEntry& entry) const {
    return {.id = tag("import", {entry.source.slug, entry.at}),
            .title = entry.source.name + ": " + runs_text(entry.runs) + " published",
            .updated = entry.at,
            .page = sources_url(),
            .summary =
                query::counted(entry.operations, "operation") + ", " + join(entry.hardware, ", ")};
  }
  AtomEntry operator()(const CorrectionEntry& entry) const {
    return {.id = tag("correction", {entry.run_id, entry.at}),
            .title = entry.operation.name + ": a run of " + entry.implementation.name + " was " +
                     entry.action,
            .updated = entry.at,
            .page = run_url(entry.run_id),
            .summary = entry.reason.value_or("no reason stated")};
  }
};

}  // namespace

Page feed_page(const query::Feed& feed, const FeedView& view, const Context& context) {
  std::size_t all = 0;
  for (const query::FeedDay& day : feed.days) all += day.entries.size();
  const auto first = static_cast<std::size_t>(view.offset);
  const std::size_t last = first + kFeedShown;
  Html days;
  std::size_t at = 0;
  for (const query::FeedDay& day : feed.days) {
    Html lines;
    for (const query::FeedEntry& entry : day.entries) {
      if (at >= first && at < last) lines.add("<li>{}</li>", std::visit(LineOf{}, entry));
      ++at;
    }
    if (lines.empty()) continue;
    days.add(R"(<section><h2>{}</h2><ul class="plain">{}</ul></section>)", date(day.date), lines);
  }
  Html body;
  body.add(R"(<h1>Changes</h1><p>Records taken, imports and corrections since {}, newest first. )"
           R"(<a href="{}">All there ever were</a> · )"
           R"(<a href="{}" type="application/atom+xml">Atom</a></p>)",
           date(feed.from), feed_url({{"since", "1970-01-01"}}), Url::local({"feed.xml"}));
  body.add("{}", since_form(view));
  if (days.empty()) {
    body.add(R"(<p class="empty">Nothing changed in that time.</p>)");
  } else {
    body.add("{}{}", days, pager(feed, view, all));
  }
  const Url json = api_url({"feed"}, {{"since", view.since}});  // its pages have other cursors
  return {.title = "Changes",
          .body = std::move(body),
          .description = "Records taken, imports and corrections, day by day.",
          .current = "Changes",
          .canonical = feed_url({}),
          .json = json,
          .commands = {curl_command(context, json),
                       view.since.empty() ? "ki changes" : "ki changes --since " + view.since},
          .illustrative = feed.illustrative};
}

std::string atom_feed(const query::Feed& feed, const Context& context) {
  Html entries;
  std::size_t shown = 0;
  std::string updated = feed.from;
  for (const query::FeedDay& day : feed.days) {
    for (const query::FeedEntry& one : day.entries) {
      if (shown++ == kAtomEntries) break;
      const AtomEntry entry = std::visit(AtomOf{}, one);
      updated = std::max(updated, entry.updated);
      entries.add("<entry><id>{}</id><title>{}</title><updated>{}</updated>", entry.id, entry.title,
                  entry.updated);
      entries.add(R"(<link href="{}"/><summary>{}</summary></entry>)",
                  Url::outside(absolute(context, entry.page)), entry.summary);
      entries.add("\n");
    }
  }
  Html html;
  html.add(R"(<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>{}</id>
<title>KernelIndex: records and changes</title>
<updated>{}</updated>
<author><name>KernelIndex</name></author>
<link rel="self" href="{}"/>
<link href="{}"/>
{}</feed>
)",
           tag("feed", {context.origin}), updated,
           Url::outside(absolute(context, Url::local({"feed.xml"}))),
           Url::outside(absolute(context, feed_url({}))), entries);
  return html.take();
}

}  // namespace ki::web
