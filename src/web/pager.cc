#include "web/pager.h"

#include <algorithm>

namespace ki::web {

Html pager(const std::optional<Url>& first, const std::optional<Url>& next) {
  Html html;
  if (!first && !next) return html;
  html.add(R"(<nav class="pager" aria-label="Pages">)");
  if (first) html.add(R"(<a href="{}">First page</a> )", *first);
  if (next) html.add(R"(<a rel="next" href="{}">Next</a>)", *next);
  return html.add("</nav>");
}

Html pager(const RowRange& rows, const std::function<Url(std::int64_t)>& page) {
  Html html;
  if (rows.first == 0 && rows.last >= rows.all) return html;
  html.add(R"(<nav class="pager" aria-label="Pages"><p>{} to {} of {}</p>)", rows.first + 1,
           rows.last, rows.all);
  if (rows.first > 0) {
    html.add(R"(<a rel="prev" href="{}">Previous</a>)",
             page(std::max<std::int64_t>(0, rows.first - rows.shown)));
  }
  if (rows.last < rows.all) html.add(R"(<a rel="next" href="{}">Next</a>)", page(rows.last));
  return html.add("</nav>");
}

}  // namespace ki::web
