// The two strict readers. Both refuse what would make one text mean two things: duplicate keys (by
// decoded name), lone surrogates, invalid UTF-8, numbers beyond a double, trailing bytes, and
// anything over the limits. Thread-safe; no exception leaves.
#pragma once

#include <expected>
#include <string_view>
#include <vector>

#include "base/issue.h"
#include "json/value.h"

namespace ki::json {

struct Limits {
  std::size_t bytes_max = std::size_t{1} << 20;
  int depth_max = 64;  // nested arrays and objects
  int alias_max = 99;  // YAML: references to one anchor, counting nesting
  // Values of one text, aliases expanded: what bounds memory and the size of the canonical form.
  std::size_t values_max = std::size_t{1} << 20;
  std::size_t documents_max = 1000;  // YAML
};

inline constexpr Limits kManifestLimits{};
inline constexpr Limits kBundleLimits{.bytes_max = std::size_t{64} << 20,
                                      .values_max = std::size_t{1} << 23,
                                      .documents_max = 100'000};

enum class Format { json, yaml };

// RFC 8259 with the restrictions above and no byte order mark. The whole text is one document.
// The document copies the text once and its strings borrow from that copy: `text` need not outlive
// the call. A number that is not zero but rounds to it is kept, marked Value::underflowed.
// Reading goes on after a duplicate key, a lone surrogate and a number out of range, so that all of
// them are reported (the first 1,000), and stops at the first of the others. With `also`, a
// document that was read to its end comes back with its issues there: good for finding more that is
// wrong with it, and for nothing else. Issue codes: size, syntax, utf8, surrogate, depth,
// duplicate_key, number_range, trailing.
std::expected<Document, Issues> parse(std::string_view text, const Limits& limits = {},
                                      Issues* also = nullptr);

// One or more documents of YAML 1.2, scalars by the core schema, as docs/formats/canonical.md has
// it. `n` and 3.10.1 are strings, 3.10 and digests or commit ids of only digits are numbers: the
// caller, who knows that a string is due, says how to quote them (`source_text` gives what was
// written). Issue codes: those above and tag, alias, merge_key, tab.
std::expected<std::vector<Document>, Issues> parse_yaml(std::string_view text,
                                                        const Limits& limits = {},
                                                        Issues* also = nullptr);

// The characters of the scalar that starts at `offset` in `text`, quotes included, for messages
// ("3.10" is read as the number 3.1; write '3.10'). A plain scalar is given up to its first blank
// or comma, which is all of it for numbers, booleans and null. Empty when `offset` is past the end.
std::string_view source_text(std::string_view text, std::uint32_t offset);

}  // namespace ki::json
