#include "http/problem.h"

#include <algorithm>

#include "base/text.h"

namespace ki::http {

Problem make_problem(int status, std::string_view code, std::string detail) {
  std::string slug = ascii_lower(code);
  std::string title = slug;
  std::ranges::replace(title, '_', ' ');
  return {.type = "https://kernelindex.dev/errors/" + slug,
          .title = std::move(title),
          .status = status,
          .code = std::string(code),
          .detail = std::move(detail),
          .request_id = {}};
}

namespace {

Problem hidden(Problem problem, const Error& error) {
  problem.log_detail = to_string(error);
  return problem;
}

}  // namespace

Problem problem_of(const Error& error, std::string_view not_found_code) {
  switch (error.code) {
    case Code::invalid:
      return make_problem(400, "INVALID_REQUEST", to_string(error));
    case Code::not_found:
      return make_problem(404, not_found_code, to_string(error));
    case Code::conflict:
      return make_problem(409, "CONFLICT", to_string(error));
    case Code::too_large:
      return make_problem(413, "TOO_LARGE", to_string(error));
    case Code::denied:
      return make_problem(403, "FORBIDDEN", to_string(error));
    case Code::unavailable:
      return hidden(
          make_problem(503, "UNAVAILABLE", "the catalog cannot be read just now: try again"),
          error);
    case Code::internal:
      return hidden(
          make_problem(500, "INTERNAL", "this is a fault of the server; its log has the reason"),
          error);
  }
  KI_UNREACHABLE();
}

Problem problem_of(const Issues& issues) {
  Problem problem = make_problem(400, "INVALID_REQUEST", "the request is not valid");
  for (const Issue& issue : issues) {
    if (problem.errors.size() == kIssuesShownMax) break;
    problem.errors.push_back(
        {.pointer = issue.pointer, .code = issue.code, .detail = issue.message});
  }
  if (issues.size() == 1) problem.detail = to_string(issues.front());
  return problem;
}

Response problem_response(const Problem& problem) {
  return {.status = static_cast<int>(problem.status),
          .content_type = "application/problem+json",
          .body = json::to_json(problem),
          .cache = Cache::no_store};
}

}  // namespace ki::http
