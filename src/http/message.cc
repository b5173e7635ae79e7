#include "http/message.h"

#include <algorithm>

#include "base/text.h"

namespace ki::http {

Method parse_method(std::string_view name) {
  if (name == "GET") return Method::get;
  if (name == "HEAD") return Method::head;
  if (name == "POST") return Method::post;
  if (name == "OPTIONS") return Method::options;
  return Method::other;
}

std::string_view name_of(Method method) {
  switch (method) {
    case Method::get:
      return "GET";
    case Method::head:
      return "HEAD";
    case Method::post:
      return "POST";
    case Method::options:
      return "OPTIONS";
    case Method::other:
      return "";
  }
  return "";
}

std::string_view Request::header(std::string_view name) const {
  const auto found = std::ranges::find_if(
      headers, [&](const Header& header) { return equals_ignoring_case(header.name, name); });
  return found == headers.end() ? std::string_view{} : std::string_view(found->value);
}

std::string Request::header_list(std::string_view name) const {
  std::string all;
  for (const Header& header : headers) {
    if (!equals_ignoring_case(header.name, name)) continue;
    if (!all.empty()) all += ", ";
    all += header.value;
  }
  return all;
}

const std::string* Request::parameter(std::string_view name) const {
  const auto found = std::ranges::find(parameters, name, &Parameter::first);
  return found == parameters.end() ? nullptr : &found->second;
}

Response html_response(int status, std::string body, Cache cache) {
  return {.status = status,
          .content_type = "text/html; charset=utf-8",
          .body = std::move(body),
          .cache = cache};
}

Response json_response(int status, std::string body, Cache cache) {
  return {.status = status,
          .content_type = "application/json",
          .body = std::move(body),
          .cache = cache};
}

Response found(std::string location) {
  return {.status = 302,
          .content_type = "",
          .body = "",
          .headers = {{.name = "Location", .value = std::move(location)}}};
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 416:
      return "Range Not Satisfiable";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    default:
      return "";
  }
}

}  // namespace ki::http
