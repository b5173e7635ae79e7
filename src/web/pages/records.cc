#include <algorithm>

#include <fmt/format.h>

#include "query/listings.h"
#include "web/controls.h"
#include "web/pager.h"
#include "web/pages/pages.h"
#include "web/parts.h"

namespace ki::web {
namespace {

// The parameters of the page and of the API, without those that ask for nothing.
std::vector<http::Parameter> parameters_of(const query::RecordsFilter& filter) {
  const bool is_usual = filter.order == query::RecordOrder::published;
  return {{"q", filter.words},
          {"hardware", filter.hardware},
          {"with", filter.with_source ? "source" : ""},
          {"trust", filter.trust},
          {"baselines", filter.without_baselines ? "hide" : ""},
          {"sort", is_usual ? "" : std::string(query::name_of(filter.order))}};
}

std::string command(const query::RecordsFilter& filter) {
  std::string text = "ki records";
  if (!filter.words.empty()) text += " --words " + shell_quoted(filter.words);
  if (!filter.hardware.empty()) text += " --hardware " + shell_quoted(filter.hardware);
  if (filter.with_source) text += " --with-source";
  if (!filter.trust.empty()) text += " --trust " + shell_quoted(filter.trust);
  if (filter.without_baselines) text += " --without-baselines";
  if (filter.order != query::RecordOrder::published) {
    text += " --sort " + std::string(query::name_of(filter.order));
  }
  return text;
}

Html form(const query::RecordsFilter& filter, const query::HardwareList& products) {
  std::vector<Choice> choices;
  for (const query::HardwareItem& one : products.hardware) {
    if (one.kernel_runs > 0) choices.push_back({one.model, one.model});
  }
  // What was asked for stays chosen, under whatever name.
  if (std::ranges::find(choices, filter.hardware, &Choice::value) == choices.end() &&
      !filter.hardware.empty()) {
    choices.push_back({filter.hardware, filter.hardware});
  }
  const Choice orders[] = {
      {"since", "newest record"}, {"gain", "largest gain"}, {"operation", "operation"}};
  const bool is_usual = filter.order == query::RecordOrder::published;
  Html html;
  return html.add(R"(<form class="filters" action="/records" method="get">{}{}{}{}{}{})"
                  R"(<div><button>Show</button></div></form>)",
                  text_field({"q", "Operation, implementation, machine", filter.words}),
                  select({"hardware", "Hardware", "any", choices, filter.hardware}),
                  select({"sort", "First", "last published", orders,
                          is_usual ? std::string_view() : query::name_of(filter.order)}),
                  checkbox({.name = "with",
                            .label = "with source",
                            .value = "source",
                            .checked = filter.with_source}),
                  checkbox({.name = "trust",
                            .label = "verified only",
                            .value = filter.trust == "replicated" ? "replicated" : "verified",
                            .checked = !filter.trust.empty()}),
                  checkbox({.name = "baselines",
                            .label = "without unbeaten baselines",
                            .value = "hide",
                            .checked = filter.without_baselines}));
}

Html pages(const query::RecordsPage& records, const query::RecordsFilter& filter) {
  const auto parameters = parameters_of(filter);
  std::optional<Url> first;
  if (!filter.cursor.empty()) first = records_url(parameters);
  return pager(first, records.next_cursor.transform([&](const std::string& cursor) {
    auto next = parameters;
    next.push_back({"cursor", cursor});
    return records_url(next);
  }));
}

Html nothing(const query::RecordsFilter& filter) {
  Html html;
  if (command(filter) == command({})) {
    return html.add(R"(<p class="empty">No record yet: nothing has been ranked.</p>)");
  }
  return html.add(R"(<p class="empty">No record fits. <a href="{}">All records</a></p>)",
                  records_url());
}

}  // namespace

Page records_page(const query::RecordsPage& records, const query::RecordsFilter& filter,
                  const query::HardwareList& products, const Context& context) {
  Html body;
  body.add("<h1>Records</h1><p>The best eligible run of each comparison group. {}.</p>{}{}",
           query::order_text(filter.order), record_tabs(""), form(filter, products));
  for (const query::NotApplied& note : records.not_applied) {
    body.add(R"(<p class="note">{} {}: {}</p>)", note.parameter, note.value, note.text);
  }
  if (records.records.empty()) {
    body.add("{}", nothing(filter));
  } else {
    const std::string caption =
        fmt::format("{} of {} records", records.records.size(), records.total);
    body.add("{}", records_table(records.records, {.caption = caption, .detailed = true}));
  }
  body.add("{}", pages(records, filter));
  const Url json = api_url({"records"}, parameters_of(filter));
  return {.title = "Records",
          .body = std::move(body),
          .description = "The best eligible run of each comparison group.",
          .current = "Records",
          .canonical = records_url(),
          .json = json,
          .commands = {curl_command(context, json), command(filter)}};
}

}  // namespace ki::web
