// What a list says of a filter that names nothing in the catalog: it is empty, and the note has the
// names that may have been meant. One rule for every list; a name in a path that is none is an
// error of its own (not_found). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "query/model_common.h"

namespace ki::query {

// "; near it: a, b", "" for none.
std::string near_text(const std::vector<std::string>& near);

// The same of those of `known` that `typed` may mean, at most 4: what the name of a product reads
// as, names that hold it, else the nearest in spelling, in any case. Where none is near, the first
// of `known`: "; there is a, b and 7 more".
std::string near_text(std::string_view typed, const std::vector<std::string>& known);

// "no source has this name, so nothing is listed; near it: lab", for `what` "no source has this
// name" and `near` "; near it: lab".
NotApplied names_nothing(std::string_view parameter, const std::string& value,
                         std::string_view what, std::string_view near);

}  // namespace ki::query
