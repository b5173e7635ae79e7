// JSON among words: records copied from a page together with its heading and what stands around.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "base/issue.h"

namespace ki::manifest {

// Whether a line, or a text, starts as JSON: with '{' or '['.
bool opens_json(std::string_view line);

// Whether JSON starts a line ('{' or '[' in its first column) below a heading of words. A text that
// starts with a YAML manifest, or with JSON, is no page.
bool is_page(std::string_view text);

// The JSON of a page, everything else blanked out. Several values become the items of a list; each
// stands on a line of its own. Lines stay as they are in the page, and columns within the values.
// Refuses what could be a record and would be passed over: bytes that are no text, a YAML manifest
// beside the JSON, and signs of JSON behind a value on its last line.
std::expected<std::string, Issue> json_of_page(std::string_view page);

}  // namespace ki::manifest
