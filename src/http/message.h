// Requests and responses as plain values. The server fills a Request, a handler returns a Response,
// finish() adds what every answer carries; none of them knows the HTTP library.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/open_file.h"

namespace ki::http {

enum class Method { get, head, post, options, other };

// By the exact, upper-case name (RFC 9110, section 9.1); anything else is Method::other.
Method parse_method(std::string_view name);
std::string_view name_of(Method method);  // "GET"; "" for Method::other

struct Header {
  std::string name;
  std::string value;
};

// A decoded "name=value" of the query.
using Parameter = std::pair<std::string, std::string>;

struct Request {
  Method method = Method::get;
  std::string path;                   // as sent: still percent-encoded, without the query
  std::vector<std::string> segments;  // of the path, decoded; {} for "/"
  std::vector<Parameter> parameters;  // of the query, decoded, in order, duplicates kept
  std::vector<Header> headers;        // in order, names as sent
  std::string body;
  std::string id;  // of this request, for logs and problem documents

  // The first header of that name, any case; "" when there is none.
  std::string_view header(std::string_view name) const;
  // All headers of that name joined by ", ", which means the same (RFC 9110, section 5.3).
  std::string header_list(std::string_view name) const;
  // The first parameter of that name, nullptr when there is none.
  const std::string* parameter(std::string_view name) const;
};

// How long an answer may be kept.
enum class Cache {
  none,       // no header: answers to POST
  brief,      // a minute at a shared cache
  moderate,   // five minutes at a shared cache
  immutable,  // for ever: the address names the content
  personal,   // by the client alone, and asked for again each time: answers to a key
  no_store,   // failures, probes, what only concerns who asks
};

struct Response {
  int status = 200;
  std::string content_type;  // "" only without a body
  std::string body;
  Cache cache = Cache::no_store;
  std::shared_ptr<const OpenFile> file = {};  // the body instead of `body`; needs a tag
  std::vector<Header> headers = {};           // beyond those finish() adds
  std::string tag = {};                       // strong ETag of the body; "": finish() makes it
  std::size_t route = 0;                      // which route made it, of Router::names()
  std::string log_key = {};                   // for the log: how the key that asked starts
  std::string log_detail = {};                // of a failure: for the log, never for the client

  std::int64_t body_bytes() const {
    return file ? file->bytes() : static_cast<std::int64_t>(body.size());
  }
};

Response html_response(int status, std::string body, Cache cache);
Response json_response(int status, std::string body, Cache cache);
// 302: what is there now is at `location`, which is already percent-encoded.
Response found(std::string location);

// "OK", "Not Found", ...; "" for a status this program never sends.
std::string_view reason_phrase(int status);

}  // namespace ki::http
