// Records that changed hands: the latest by how much was gained, and all of them by time.

#include <algorithm>

#include <fmt/format.h>

#include "query/listings.h"
#include "web/pager.h"
#include "web/pages/pages.h"
#include "web/parts.h"

namespace ki::web {
namespace {

std::vector<const query::RecordEntry*> records_in(const query::Feed& feed) {
  std::vector<const query::RecordEntry*> out;
  for (const query::FeedDay& day : feed.days) {
    for (const query::FeedEntry& entry : day.entries) {
      if (const auto* record = std::get_if<query::RecordEntry>(&entry)) out.push_back(record);
    }
  }
  return out;
}

Html rows(std::span<const query::RecordEntry* const> records) {
  Html html;
  for (const query::RecordEntry* one : records) {
    html.add(R"(<tr><th scope="row"><a href="{}">{}</a><span class="meta">{} · {}</span></th>)",
             operation_url(one->operation.slug, one->workload_id, one->cohort_key),
             one->operation.name, one->workload_summary, one->hardware);
    html.add(R"(<td><a href="{}">{}</a><span class="meta">before: {}</span></td>)",
             run_url(one->run_id), one->implementation.name, one->previous.implementation.name);
    html.add(R"(<td class="latency">{}<span class="meta">{} {}</span></td>)", value(one->value),
             one->improvement_pct
                 ? query::percent_text(*one->improvement_pct) + "\u00A0% better than"
                 : "before:",
             value(one->previous.value));
    html.add(R"(<td class="wide">{}</td></tr>)", date(one->at));
  }
  return html;
}

Html pages(const query::Feed& feed, const RecordsView& view, std::size_t last, std::size_t all) {
  const auto url = [&](const std::string& cursor, std::size_t offset) {
    return records_url({{"view", view.view},
                        {"cursor", cursor},
                        {"offset", offset > 0 ? std::to_string(offset) : ""}});
  };
  std::optional<Url> first;
  std::optional<Url> next;
  if (!view.cursor.empty() || view.offset > 0) first = url("", 0);
  if (last < all) {
    next = url(view.cursor, last);
  } else if (view.view == "history" && feed.next_cursor) {
    next = url(*feed.next_cursor, 0);
  }
  return pager(first, next);
}

}  // namespace

Html record_tabs(std::string_view current) {
  struct Tab {
    std::string_view view;
    std::string_view name;
  };
  constexpr Tab kTabs[] = {{"", "Current"}, {"broken", "Broken lately"}, {"history", "History"}};
  Html html;
  html.add(R"(<nav class="tabs" aria-label="Records"><ul>)");
  for (const auto& [view, name] : kTabs) {
    const Url url = records_url({{"view", std::string(view)}});
    if (view == current) {
      html.add(R"(<li><a href="{}" aria-current="page">{}</a></li>)", url, name);
    } else {
      html.add(R"(<li><a href="{}">{}</a></li>)", url, name);
    }
  }
  return html.add("</ul></nav>");
}

Page record_changes_page(const query::Feed& feed, const RecordsView& view, const Context& context) {
  auto records = records_in(feed);
  const bool broken = view.view == "broken";
  if (broken) {
    std::ranges::stable_sort(records, std::greater{}, [](const query::RecordEntry* one) {
      return one->improvement_pct.value_or(0);
    });
  }
  const std::size_t first = std::min(static_cast<std::size_t>(view.offset), records.size());
  const std::size_t last = std::min(first + kRecordChangesShown, records.size());
  Html body;
  body.add("<h1>Records</h1><p>{}</p>{}",
           broken ? "Records that a run published since the date below took from another, the "
                    "largest gain first."
                  : "Every record that changed hands, the latest publication first.",
           record_tabs(view.view));
  if (first == last) {
    body.add(R"(<p class="empty">No record changed hands since {}. <a href="{}">All that ever )"
             R"(did</a></p>)",
             date(feed.from), records_url({{"view", "history"}}));
  } else {
    body.add(R"(<table><caption>{} to {} of {}, since {}</caption><thead><tr>)"
             R"(<th scope="col">Operation</th><th scope="col">Implementation</th>)"
             R"(<th scope="col">Value</th><th scope="col" class="wide">Published</th></tr></thead>)"
             R"(<tbody>{}</tbody></table>)",
             first + 1, last, records.size(), date(feed.from),
             rows(std::span(records).subspan(first, last - first)));
  }
  body.add("{}", pages(feed, view, last, records.size()));
  const Url json = api_url({"feed"}, {{"since", view.since}});  // its pages have other cursors
  return {.title = broken ? "Records broken lately" : "History of records",
          .body = std::move(body),
          .current = "Records",
          .canonical = records_url({{"view", view.view}}),
          .json = json,
          .commands = {curl_command(context, json),
                       view.since.empty() ? "ki changes" : "ki changes --since " + view.since}};
}

}  // namespace ki::web
