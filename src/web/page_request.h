// What a page takes from the request beside its path.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "http/problem.h"

namespace ki::web {

inline constexpr std::int64_t kOffsetMax = 1'000'000;

// "http://host:port" as the client addressed it; https where a proxy says so (X-Forwarded-Proto).
// The Host header is of the outside: what cannot be a host and a port is "localhost".
std::string origin_of(const http::Request& request);

// "" when the parameter is absent.
std::string text_of(const http::Request& request, std::string_view name);

// The parameter "offset", 0 when absent. Problem: 400 for what is no whole number up to kOffsetMax.
std::expected<std::int64_t, http::Problem> offset_of(const http::Request& request);

// An instant, or a date for the start of its day in UTC: as the API takes it. Problem: 400.
std::expected<std::string, http::Problem> instant_of(const http::Request& request,
                                                     std::string_view name);

// A number above 0, 0 when absent. Problem: 400.
std::expected<double, http::Problem> bound_of(const http::Request& request, std::string_view name);

// "runs=a,b" and "run=a&run=b", which the form sends, mean the same.
std::vector<std::string> runs_of(const http::Request& request);

}  // namespace ki::web
