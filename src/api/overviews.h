// The routes that look over the catalog: records, every project, one product, runners.
#pragma once

#include <array>
#include <string_view>

#include "api/route_parameters.h"

namespace ki::api {

inline constexpr std::array<std::string_view, 1> kHidden = {"hide"};
inline constexpr std::array kRecords = {
    text("q",
         "words that each stand in a name of the operation, the implementation, its project or the "
         "environment",
         kSearchTextMax),
    text("hardware", "name of a product, in any case, or its slug"),
    Parameter{.name = "with",
              .type = ParameterType::choice,
              .doc = "source: only records of runs whose source is at hand",
              .choices = kIncludes},
    kTrust,
    Parameter{.name = "baselines",
              .type = ParameterType::choice,
              .doc = "hide: no records of a reference implementation that nobody has beaten",
              .choices = kHidden},
    Parameter{.name = "sort",
              .type = ParameterType::choice,
              .doc = "last published first, newest record first, largest gain on the record before "
                     "first, or by operation",
              .initial = query::kRecordOrders[0],
              .choices = query::kRecordOrders},
    kHistory,
    kCursor,
    kLimit,
    kFields};
Answer records(const query::Resolver& resolver, const Arguments& arguments);

inline constexpr std::array<std::string_view, 1> kProjectRows = {"projects"};
inline constexpr std::array kProjects = {Parameter{.name = "sort",
                                                   .type = ParameterType::choice,
                                                   .doc = "most runs or records first, or by slug",
                                                   .initial = query::kProjectOrders[0],
                                                   .choices = query::kProjectOrders},
                                         kCursor, kPageRows, kFields};
Answer projects(const query::Resolver& resolver, const Arguments& arguments);

inline constexpr std::array<std::string_view, 3> kProductLists = {"records", "families",
                                                                  "operations"};
inline constexpr std::array kProduct = {in_path("slug", "slug or name of a product"), kCursor,
                                        kLimit, kHistory, kFields};
// Its records, which have a cursor of their own, and its other lists go side by side.
Answer product(const query::Resolver& resolver, const Arguments& arguments);

inline constexpr std::array<std::string_view, 1> kRunnerRows = {"runners"};
Answer runners(const query::Resolver& resolver, const Arguments& arguments);

}  // namespace ki::api
