#include "web/page_request.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "base/clock.h"
#include "base/text.h"

namespace ki::web {

using http::Request;

std::string origin_of(const Request& request) {
  const std::string_view host = request.header("Host");
  const bool sound = !host.empty() && host.size() <= 255 && std::ranges::all_of(host, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view(".:-[]").contains(c);
  });
  const bool secure = request.header("X-Forwarded-Proto") == "https";
  return (secure ? "https://" : "http://") + (sound ? std::string(host) : std::string("localhost"));
}

std::string text_of(const Request& request, std::string_view name) {
  const std::string* value = request.parameter(name);
  return value == nullptr ? std::string() : *value;
}

namespace {

std::unexpected<http::Problem> refused(std::string detail) {
  return std::unexpected(http::make_problem(400, "INVALID_REQUEST", std::move(detail)));
}

}  // namespace

std::expected<std::int64_t, http::Problem> offset_of(const Request& request) {
  const std::string text = text_of(request, "offset");
  std::int64_t offset = 0;
  if (text.empty()) return offset;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
  if (error == std::errc{} && end == text.data() + text.size() && offset >= 0 &&
      offset <= kOffsetMax) {
    return offset;
  }
  return refused("offset must be a whole number, 0 to " + std::to_string(kOffsetMax));
}

std::expected<std::string, http::Problem> instant_of(const Request& request,
                                                     std::string_view name) {
  std::string text = text_of(request, name);
  if (text.empty()) return text;
  if (text.size() == std::string_view("2026-01-31").size()) text += "T00:00:00Z";
  if (!parse_instant(text)) {
    return refused(std::string(name) + " is a date or an instant, as 2026-01-31");
  }
  return text;
}

std::expected<double, http::Problem> bound_of(const Request& request, std::string_view name) {
  const std::string text = text_of(request, name);
  double value = 0;
  if (text.empty()) return value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size() && std::isfinite(value) &&
      value > 0) {
    return value;
  }
  return refused(std::string(name) + " is a number above 0");
}

std::vector<std::string> runs_of(const Request& request) {
  std::vector<std::string> runs;
  for (const auto& [name, value] : request.parameters) {
    if (name != "run" && name != "runs") continue;
    for (const std::string_view part : split(value, ',')) {
      if (!trim(part).empty()) runs.emplace_back(trim(part));
    }
  }
  return runs;
}

}  // namespace ki::web
