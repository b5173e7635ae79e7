#include "web/pages/pages.h"
#include "web/parts.h"

namespace ki::web {

Page failure_page(const http::Problem& problem) {
  const bool absent = problem.status == 404;
  const bool ours = problem.status >= 500;
  const std::string_view heading = absent ? "Not found" : ours ? "Something failed" : "Not valid";
  Html body;
  body.add("<h1>{}</h1><p>{}</p>", heading, problem.detail);
  for (const http::FieldProblem& field : problem.errors) {
    body.add("<p><code>{}</code>: {}</p>", field.pointer, field.detail);
  }
  if (absent) body.add("{}", search_form(""));
  if (ours) body.add("<p>Loading the page again may help.</p>");
  body.add("{}", facts(std::vector<Fact>{{"code", text_value(problem.code)},
                                         {"request", text_value(problem.request_id)}}));
  return {.title = std::string(heading), .body = std::move(body), .own_search = absent};
}

}  // namespace ki::web
