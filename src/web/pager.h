// Links between the pages of a list.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "web/html.h"
#include "web/links.h"

namespace ki::web {

// To the first and the next page; empty when there is neither.
Html pager(const std::optional<Url>& first, const std::optional<Url>& next);

// The rows `first` (from 0) to `last` (behind it) of `all`, with links to the `shown` rows before
// and after them; `page` makes the address of the page that begins at a row. Empty when all rows
// are there.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t all = 0;
  std::int64_t shown = 0;
};
Html pager(const RowRange& rows, const std::function<Url(std::int64_t)>& page);

}  // namespace ki::web
