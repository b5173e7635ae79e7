// Failures as problem documents (RFC 9457), the one form in which the API says no.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/issue.h"
#include "base/result.h"
#include "http/message.h"
#include "json/wire.h"

namespace ki::http {

struct FieldProblem {
  static constexpr std::string_view kWireName = "FieldProblem";
  std::string pointer;
  std::string code;
  std::string detail;
  template <class V>
  static void describe(V& v) {
    v.field("pointer", &FieldProblem::pointer,
            "RFC 6901 pointer into the body, or /query/<parameter>, /path/<parameter>");
    v.field("code", &FieldProblem::code, "stable, lower case");
    v.field("detail", &FieldProblem::detail, "what is wrong and what would be right");
  }
};

struct Problem {
  static constexpr std::string_view kWireName = "Problem";
  std::string type;
  std::string title;
  std::int64_t status = 500;
  std::string code;  // "RUN_NOT_FOUND"
  std::string detail;
  std::string request_id;
  std::vector<FieldProblem> errors = {};  // only of a failed validation
  std::string log_detail = {};            // not sent: what only the log may say
  template <class V>
  static void describe(V& v) {
    v.field("type", &Problem::type, "an address that names the code");
    v.field("title", &Problem::title, "the code in words");
    v.field("status", &Problem::status, "");
    v.field("code", &Problem::code, "stable, upper case");
    v.field("detail", &Problem::detail, "one sentence for people");
    v.field("requestId", &Problem::request_id, "as in the log and the header X-Request-Id");
    v.field("errors", &Problem::errors, "what failed validation, empty for other failures");
  }
};

// type and title follow from the code.
Problem make_problem(int status, std::string_view code, std::string detail);

// The only place where an error becomes a status. An error whose `where` is a code name in upper
// case ("RUN_NOT_FOUND") has that code; else the kind of error names it. Internal and storage
// errors say nothing about their inside: the log has it.
Problem problem_of(const Error& error);

// 400 INVALID_REQUEST with one entry an issue, at most kIssuesShownMax.
Problem problem_of(const Issues& issues);

Response problem_response(const Problem& problem);

}  // namespace ki::http
