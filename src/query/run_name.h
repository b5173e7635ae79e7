// A run by as much of its id or digest as it takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "catalog/lookup.h"

namespace ki::query {

inline constexpr std::string_view kHowRunsAreNamed =
    "a run is named by its id, its digest or at least 6 first digits of either";

// The id or digest that `name` is, whether or not a run has it; else that of the one run, pending
// ones too, whose id or digest starts with it (6 hex digits or more, in any case, with or without
// "sha256:"); nullopt when there is none. Code::invalid, listing them, when there are several.
Result<std::optional<std::string>> run_name(db::Connection& connection, std::string_view name);
// The same of the comparison key of a record.
Result<std::optional<std::string>> record_name(db::Connection& connection, std::string_view name);
// The same of a serving run.
Result<std::optional<std::string>> serving_run_name(db::Connection& connection,
                                                    std::string_view name);

}  // namespace ki::query
