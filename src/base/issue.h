// What is wrong with a document from outside, precisely enough to mend it. Readers report every
// issue they find, in document order, never only the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ki {

// A place in a text. Lines and columns start at 1 and columns count bytes; 0 means unknown.
struct Place {
  std::size_t offset = 0;  // bytes from the start of the text
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

struct Issue {
  // invalid_type, unrecognized_keys, ... (docs/formats/manifest.md) or, from the
  // readers, syntax, duplicate_key, depth, size, ...
  std::string code;
  std::string message;  // one sentence: what is wrong and what would be right
  std::string pointer;  // RFC 6901 pointer to the value, "" for the whole document
  std::string file;     // as the user named it, "-" for standard input, "" when there is none
  Place place;
};

using Issues = std::vector<Issue>;

inline constexpr std::size_t kIssuesShownMax = 20;

// Line and column of a byte offset in `text` (an offset past the end gives the end).
Place place_at(std::string_view text, std::size_t offset);

// The same for many offsets of one text, which has to outlive this: one pass over it, at the first.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}
  Place at(std::size_t offset);

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;  // of each line; empty before the first call
};

// "file:line:column: pointer: message", omitting the parts that are unknown.
std::string to_string(const Issue& issue);

// At most kIssuesShownMax lines, then "... and N more".
std::string to_string(const Issues& issues);

// All issues as one error, for callers that only pass failures on.
Error to_error(const Issues& issues);

}  // namespace ki
