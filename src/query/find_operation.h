// Which operation a request is about. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "query/operation_index.h"
#include "query/request.h"

namespace ki::query {

struct Found {
  std::optional<std::size_t> operation;  // the one answer; position in the index
  std::vector<Hit> hits;                 // candidates when there is no one answer
  std::vector<std::string> notes;        // what was read differently from what was typed
};

// Looks an operation up by digest, by a name to be taken exactly, by its words; corrects words that
// nothing is called and says so in `notes`. Readings of words that name nothing become "ignored";
// an unknown family becomes an issue.
Found find_operation(Request& request, const OperationIndex& index);

// The request narrowed to one operation: its facets and "op:<slug>".
std::string narrowed_query(const Request& request, const std::string& slug);

}  // namespace ki::query
