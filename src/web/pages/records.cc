#include <fmt/format.h>

#include "query/listings.h"
#include "web/pages/pages.h"
#include "web/parts.h"

namespace ki::web {

Page records_page(const query::RecordsPage& records, const Context& context) {
  Html body;
  body.add("<h1>Records</h1><p>The best eligible run of each comparison group. {}.</p>{}",
           query::kRecordsOrder, record_tabs(""));
  if (records.records.empty()) {
    body.add(R"(<p class="empty">No record yet: nothing has been ranked.</p>)");
  } else {
    const std::string caption =
        fmt::format("{} of {} records", records.records.size(), records.total);
    body.add("{}", records_table(records.records, {.caption = caption, .detailed = true}));
  }
  if (records.next_cursor) {
    body.add(R"(<nav class="pager" aria-label="Pages"><a href="{}">First page</a> )"
             R"(<a rel="next" href="{}">Next</a></nav>)",
             records_url(), records_url({{"cursor", *records.next_cursor}}));
  }
  const Url json = api_url({"records"});
  return {.title = "Records",
          .body = std::move(body),
          .description = "The best eligible run of each comparison group.",
          .current = "Records",
          .canonical = records_url(),
          .json = json,
          .commands = {curl_command(context, json), "ki records"}};
}

}  // namespace ki::web
