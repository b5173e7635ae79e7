// What handlers of routes are made of: bodies that are read, answers that are written. Internal to
// this module.
#pragma once

#include <expected>
#include <string>

#include "api/routes.h"
#include "base/issue.h"
#include "http/problem.h"
#include "json/read.h"
#include "json/wire.h"

namespace ki::api {

template <class T>
Answer to_answer(const Result<T>& result) {
  if (!result) return std::unexpected(http::problem_of(result.error()));
  return json::to_json(*result);
}

template <class T>
void schema_of(json::Schemas& schemas, json::Writer& out) {
  schemas.write_schema<T>(out);
}

template <class T>
std::expected<T, Issues> read_body(const std::string& body) {
  auto document = json::parse(body);
  if (!document) return std::unexpected(std::move(document.error()));
  return json::read<T>(document->root, body);
}

}  // namespace ki::api
