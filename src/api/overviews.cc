#include "api/overviews.h"

#include "api/paged.h"

namespace ki::api {

Answer records(const query::Resolver& resolver, const Arguments& arguments) {
  return to_list(arguments, kRecordRows, [&] {
    return resolver.records({.words = arguments.text("q"),
                             .hardware = arguments.text("hardware"),
                             .with_source = arguments.text("with") == kIncludes[0],
                             .trust = arguments.text("trust"),
                             .without_baselines = arguments.text("baselines") == kHidden[0],
                             .order = query::record_order(arguments.text("sort")).value(),
                             .cursor = arguments.text("cursor"),
                             .limit = arguments.integer("limit"),
                             .history = arguments.integer("history")});
  });
}

Answer projects(const query::Resolver& resolver, const Arguments& arguments) {
  const std::string& sort = arguments.text("sort");
  return to_pages(
      resolver, arguments, {.scope = {"projects", sort}, .rows = kProjectRows},
      [&](const std::string&) { return resolver.projects(query::project_order(sort).value()); });
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

Answer runners(const query::Resolver& resolver, const Arguments& arguments) {
  return to_pages(resolver, arguments, {.scope = {"runners"}, .rows = kRunnerRows},
                  [&](const std::string&) { return resolver.runners(); });
}

}  // namespace ki::api
