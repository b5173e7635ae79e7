#include "http/finish.h"

#include <algorithm>
#include <charconv>

#include <zstd.h>

#include "base/text.h"
#include "http/etag.h"

namespace ki::http {
namespace {

constexpr int kZstdLevel = 3;

// Nothing inline, nothing from elsewhere, nobody frames us; images are our own or data:.
constexpr std::string_view kContentSecurityPolicy =
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'";

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
    case Cache::no_store:
      return "no-store";
  }
  return "no-store";
}

bool is_compressible(std::string_view content_type) {
  return content_type.starts_with("text/") || content_type.find("json") != std::string_view::npos ||
         content_type.find("xml") != std::string_view::npos;
}

std::string zstd_of(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kZstdLevel);
  if (ZSTD_isError(size) != 0) return {};
  out.resize(size);
  return out;
}

void add_validators(const Request& request, Response& response) {
  const bool readable = request.method == Method::get || request.method == Method::head;
  if (!readable || response.status != 200) return;
  const bool coded = response.body.size() >= kCompressBytesMin &&
                     is_compressible(response.content_type) &&
                     accepts_coding(request.header_list("Accept-Encoding"), "zstd");
  std::string tag =
      response.tag.empty() ? strong_tag(response.body, coded ? "zstd" : "") : response.tag;
  const bool unchanged = names_tag(request.header_list("If-None-Match"), tag);
  response.headers.push_back({"ETag", std::move(tag)});
  if (is_compressible(response.content_type))
    response.headers.push_back({"Vary", "Accept-Encoding"});
  if (unchanged) {
    response.status = 304;
    response.body.clear();
    response.content_type.clear();
    return;
  }
  if (!coded) return;
  if (std::string packed = zstd_of(response.body); !packed.empty()) {
    response.body = std::move(packed);
    response.headers.push_back({"Content-Encoding", "zstd"});
  }
}

}  // namespace

bool accepts_coding(std::string_view accept_encoding, std::string_view coding) {
  bool any = false;
  for (const std::string_view entry : split(accept_encoding, ',')) {
    const auto semicolon = entry.find(';');
    const std::string_view name = trim(entry.substr(0, semicolon));
    double weight = 1;
    if (semicolon != std::string_view::npos) {
      const std::string_view parameter = trim(entry.substr(semicolon + 1));
      if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) continue;
      const std::string_view digits = parameter.substr(2);
      if (std::from_chars(digits.data(), digits.data() + digits.size(), weight).ec != std::errc{}) {
        continue;
      }
    }
    if (equals_ignoring_case(name, coding)) return weight > 0;
    if (name == "*") any = weight > 0;
  }
  return any;
}

Response finish(const Request& request, Response response) {
  add_validators(request, response);
  const auto add = [&](std::string_view name, std::string_view value) {
    response.headers.push_back({std::string(name), std::string(value)});
  };
  if (const auto value = cache_control(response.cache); !value.empty()) add("Cache-Control", value);
  add("X-Request-Id", request.id);
  // Nothing here depends on who asks, so any origin may read everything.
  add("Access-Control-Allow-Origin", "*");
  add("Access-Control-Expose-Headers", "ETag, X-Request-Id");
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
    add("Content-Length", std::to_string(response.body.size()));
  }
  for (const Header& header : response.headers) add(header.name, header.value);
  add("Connection", keep_alive ? "keep-alive" : "close");
  head += "\r\n\r\n";
  return head;
}

}  // namespace ki::http
