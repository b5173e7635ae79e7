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
};

inline constexpr Limits kManifestLimits{};
inline constexpr Limits kBundleLimits{.bytes_max = std::size_t{64} << 20};

enum class Format { json, yaml };

// RFC 8259 with the restrictions above and no byte order mark. The whole text is one document.
// Issue codes: size, syntax, utf8, surrogate, depth, duplicate_key, number_range, trailing.
std::expected<Document, Issues> parse(std::string_view text, const Limits& limits = {});

// YAML 1.2 core schema, one or more documents, as contract/manifests section 5 reads them, but
// custom tags are refused. Strings stay strings: `n`, `3.10` under a string field, digests and
// commit ids of only digits are the caller's business, who sees a number and can say how to quote
// it: `source_text` gives the scalar as written.
// Issue codes: those above and tag, alias, merge_key, tab.
std::expected<std::vector<Document>, Issues> parse_yaml(std::string_view text,
                                                        const Limits& limits = {});

// The characters of the scalar that starts at `offset` in `text`, for messages ("3.10" is read as
// the number 3.1; write '3.10').
std::string_view source_text(std::string_view text, std::uint32_t offset);

}  // namespace ki::json
