// The routes that look at many workloads of one operation: winner maps and traces.
#pragma once

#include <array>

#include "api/parameters.h"
#include "api/routes.h"
#include "query/resolver.h"

namespace ki::api {

constexpr Parameter winners_text(std::string_view name, std::string_view doc) {
  return {.name = name, .doc = doc, .maximum = 200};
}

inline constexpr std::array kWinners = {
    Parameter{.name = "idOrSlug", .in = In::path, .doc = "slug, id or digest", .maximum = 200},
    winners_text("x", "axis to lay out; the one that varies most when absent"),
    winners_text("y", "second axis, or hardware; without x and y the next that varies"),
    winners_text("axes", "what other axes are held at: batch=4,seq=1k..8k"),
    winners_text("hardware", "product, nickname or architecture"),
    winners_text("dtype", "dtype or family of dtypes"),
    winners_text("pass", "forward, backward or full"),
    winners_text("metric", "latency, peak_memory, ...")};
Answer winners(const query::Resolver& resolver, const Arguments& arguments);

inline constexpr std::array kTrace = {
    Parameter{.name = "limit",
              .type = ParameterType::integer,
              .doc = "shapes that are listed; coverage and totals are always of all",
              .minimum = 1,
              .maximum = static_cast<std::int64_t>(query::kTraceLinesMax),
              .initial = "100"}};
static_assert(query::kTraceShapes == 100);
Answer trace(const query::Resolver& resolver, const Arguments& arguments);

}  // namespace ki::api
