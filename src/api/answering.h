// What the handlers of routes share: bodies read, answers written.
#pragma once

#include <expected>
#include <string>

#include "api/routes.h"
#include "base/result.h"
#include "http/problem.h"
#include "json/read.h"
#include "json/wire.h"

namespace ki::api {

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

template <class T>
Answer to_answer(const Result<T>& result) {
  if (!result) return std::unexpected(http::problem_of(result.error()));
  return json::to_json(*result);
}

}  // namespace ki::api
