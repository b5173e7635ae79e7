#include "api/overviews.h"

#include <algorithm>
#include <iterator>

#include "api/paged.h"

namespace ki::api {

Answer projects(const query::Resolver& resolver, const Arguments& arguments) {
  const std::string& sort = arguments.text("sort");
  const auto* const order = std::ranges::find(query::kProjectOrders, sort);
  return to_pages(resolver, arguments, {.scope = {"projects", sort}, .rows = kProjectRows},
                  [&](const std::string&) {
                    return resolver.projects(static_cast<query::ProjectOrder>(
                        order - std::begin(query::kProjectOrders)));
                  });
}

Answer product(const query::Resolver& resolver, const Arguments& arguments) {
  const std::string& slug = arguments.text("slug");
  return to_pages_beside(
      resolver, arguments, {.scope = {"product", slug}, .rows = kProductLists},
      [&](const std::string& cursor, std::int64_t limit) {
        return resolver.product(
            slug, {.cursor = cursor, .limit = limit, .history = arguments.integer("history")});
      });
}

}  // namespace ki::api
