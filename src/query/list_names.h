// What the names and words that filters of lists take stand for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/read_listing.h"
#include "query/model_common.h"
#include "query/operation_index.h"

namespace ki::query {

// The environments that a name of hardware means: a model as environments state it, with its form
// factor, or the product that both amount to, in any case; or the slug of the model. Where that is
// none, those that it means in a query: "a100", "rtx 4090", "hopper".
struct HardwareNamed {
  std::vector<catalog::HardwareName> names;  // empty: any, or nothing where `unnamed`
  std::string model;                         // when all of them are of one, which an index finds
  std::optional<NotApplied> unnamed;         // the name means nothing here
};
Result<HardwareNamed> hardware_named(db::Connection& connection, const std::string& name);

// The independent approved runners that a run of a level of kListedTrust, or a better one, has
// behind it at least; 0 for "". Errors: Code::invalid for another word.
Result<std::int64_t> approved_runners_of(std::string_view trust);

// Every name that an operation is listed under, a line each.
std::string names_of(const OperationEntry& entry);

// Whether each word of `words`, which blanks part, stands in `names`, in any case.
bool has_words(std::string_view names, std::string_view words);

}  // namespace ki::query
