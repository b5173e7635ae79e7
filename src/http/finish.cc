#include "http/finish.h"

#include "base/result.h"
#include "http/coding.h"
#include "http/etag.h"

namespace ki::http {
namespace {

// Nothing inline, nothing from elsewhere, nobody frames us.
constexpr std::string_view kContentSecurityPolicy =
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

std::string_view cache_control(Cache cache) {
  switch (cache) {
    case Cache::none:
      return "";
    case Cache::brief:
      return "public, max-age=0, s-maxage=60, stale-while-revalidate=300";
    case Cache::moderate:
      return "public, max-age=0, s-maxage=300, stale-while-revalidate=86400";
    case Cache::immutable:
      return "public, max-age=31536000, immutable";
    case Cache::personal:
      return "private, no-cache";
    case Cache::no_store:
      return "private, no-store";
  }
  KI_UNREACHABLE();
}

bool is_compressible(std::string_view content_type) {
  return content_type.starts_with("text/") || content_type.find("json") != std::string_view::npos ||
         content_type.find("xml") != std::string_view::npos;
}

void add_validators(const Request& request, Response& response) {
  const bool readable = request.method == Method::get || request.method == Method::head;
  if (!readable || response.status != 200) return;
  const bool codable = !response.file && response.body.size() >= kCompressBytesMin &&
                       is_compressible(response.content_type);
  const Coding coding =
      codable ? choose_coding(request.header_list("Accept-Encoding")) : Coding::identity;
  const std::string tag = coded_tag(
      response.tag.empty() ? strong_tag(response.body) : std::move(response.tag), name_of(coding));
  const bool unchanged = names_tag(request.header_list("If-None-Match"), tag);
  response.headers.push_back({"ETag", tag});
  if (is_compressible(response.content_type)) {
    response.headers.push_back({"Vary", "Accept-Encoding"});
  }
  if (unchanged) {
    response.status = 304;
    response.body.clear();
    response.file.reset();
    response.content_type.clear();
    return;
  }
  if (response.file) return;
  std::string packed = encode(coding, response.body);
  if (packed.empty()) return;
  response.body = std::move(packed);
  response.headers.push_back({"Content-Encoding", std::string(name_of(coding))});
}

}  // namespace

Response finish(const Request& request, Response response) {
  add_validators(request, response);
  const auto add = [&](std::string_view name, std::string_view value) {
    response.headers.push_back({std::string(name), std::string(value)});
  };
  if (const auto value = cache_control(response.cache); !value.empty()) add("Cache-Control", value);
  add("X-Request-Id", request.id);
  // Nothing here depends on who asks, so any origin may read everything.
  add("Access-Control-Allow-Origin", "*");
  add("Access-Control-Expose-Headers", "ETag, Link, Retry-After, WWW-Authenticate, X-Request-Id");
  add("Content-Security-Policy", kContentSecurityPolicy);
  add("X-Content-Type-Options", "nosniff");
  add("Referrer-Policy", "strict-origin-when-cross-origin");
  add("Permissions-Policy", "camera=(), geolocation=(), microphone=()");
  add("Cross-Origin-Opener-Policy", "same-origin");
  return response;
}

std::string head_of(const Response& response, std::string_view date, bool keep_alive) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " ";
  head += reason_phrase(response.status);
  head += "\r\nDate: ";
  head += date;
  const auto add = [&](std::string_view name, std::string_view value) {
    head += "\r\n";
    head += name;
    head += ": ";
    for (const char c : value) head += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  };
  if (!response.content_type.empty()) add("Content-Type", response.content_type);
  if (response.status != 204 && response.status != 304) {
    add("Content-Length", std::to_string(response.body_bytes()));
  }
  for (const Header& header : response.headers) add(header.name, header.value);
  add("Connection", keep_alive ? "keep-alive" : "close");
  head += "\r\n\r\n";
  return head;
}

}  // namespace ki::http
