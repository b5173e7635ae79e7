// From query text to a Request. Pure and deterministic; docs/method/search.md is the grammar.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/model_request.h"
#include "query/request.h"

namespace ki::query {

// The keys of facets, in the order hints are looked for.
std::span<const std::string_view> known_filters();

// Reads a query. What cannot be used becomes an issue and contributes nothing else. `text` is
// valid UTF-8 of at most kQueryLengthMax UTF-16 units.
Request parse_query(std::string_view text);

// Reads a structured request: its members go into the Request as they are, never through text.
Request read_request(const KernelRequest& request);

// The interpreted line: "Operation RMSNorm · gpu H100 · dtype bf16"; `operation` is the display
// name once it is known, else "".
std::string interpretation_of(const Request& request, std::string_view operation);

// What the interpretation does not say of words, a line each: "A6000: NVIDIA RTX A6000",
// "causal: causal = true"; of an ambiguous word all that it can mean: "h100: one of NVIDIA H100
// 80GB HBM3, NVIDIA H100 PCIe, NVIDIA H100 NVL".
std::vector<std::string> readings_shown(const std::vector<Reading>& readings);

}  // namespace ki::query
