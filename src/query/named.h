// What the words of a query name besides operations.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "catalog/read_named.h"
#include "query/measured.h"
#include "query/model_named.h"
#include "query/operation_index.h"
#include "query/request.h"

namespace ki::query {

inline constexpr std::size_t kNamedMax = 8;  // of one kind

struct Named {
  std::vector<NamedThing> things;  // by kind; of a kind those that are called so first
  std::vector<std::string> more;   // kinds of which only kNamedMax are listed
};

// Projects, implementations, models and sources that are called by the words, which may be parts of
// their names (Naming::part), together or, where that finds nothing, one by one. `words` are lower
// case. Errors: Code::unavailable from storage.
Result<Named> find_named(db::Connection& connection, const OperationIndex& index,
                         const std::vector<std::string>& words, catalog::Naming how);

// The products that something was measured on and that the hardware facet means, if there is one,
// or that have a word which starts with one of `words` (lower case, three letters or more).
std::vector<NamedThing> named_hardware(const HardwareFacet* facet,
                                       const std::vector<std::string>& words,
                                       const Measured& measured);

}  // namespace ki::query
