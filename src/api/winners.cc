#include "api/winners.h"

#include "api/answering.h"

namespace ki::api {

Answer winners(const query::Resolver& resolver, const Arguments& arguments) {
  return to_answer(
      resolver.winners(arguments.text("idOrSlug"), {.x = arguments.text("x"),
                                                    .y = arguments.text("y"),
                                                    .axes = arguments.text("axes"),
                                                    .hardware = arguments.text("hardware"),
                                                    .dtype = arguments.text("dtype"),
                                                    .pass = arguments.text("pass"),
                                                    .metric = arguments.text("metric")}));
}

Answer trace(const query::Resolver& resolver, const Arguments& arguments) {
  const auto request = read_body<query::TraceRequest>(arguments.body());
  if (!request) return std::unexpected(http::problem_of(request.error()));
  if (const Issues issues = faults_of(*request); !issues.empty()) {
    return std::unexpected(http::problem_of(issues));
  }
  return to_answer(resolver.trace(*request, {.limit = arguments.integer("limit")}));
}

}  // namespace ki::api
