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

bool is_code_name(std::string_view where) {
  return !where.empty() && std::ranges::all_of(where, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

Problem told(int status, std::string_view code, const Error& error) {
  if (is_code_name(error.where)) return make_problem(status, error.where, error.message);
  return make_problem(status, code, to_string(error));
}

Problem hidden(int status, std::string_view code, std::string detail, const Error& error) {
  Problem problem = make_problem(status, code, std::move(detail));
  problem.log_detail = to_string(error);
  return problem;
}

}  // namespace

Problem problem_of(const Error& error) {
  switch (error.code) {
    case Code::invalid:
      return told(400, "INVALID_REQUEST", error);
    case Code::not_found:
      return told(404, "NOT_FOUND", error);
    case Code::conflict:
      return told(409, "CONFLICT", error);
    case Code::too_large:
      return told(413, "TOO_LARGE", error);
    case Code::denied:
      return told(403, "FORBIDDEN", error);
    case Code::unavailable:
      if (is_code_name(error.where)) return told(503, "UNAVAILABLE", error);
      return hidden(503, "UNAVAILABLE", "the catalog cannot be read just now: try again", error);
    case Code::internal:
      return hidden(500, "INTERNAL", "this is a fault of the server; its log has the reason",
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
