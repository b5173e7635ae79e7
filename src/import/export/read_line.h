// What a line of an export says by itself, without the lines before it: the work that can be done
// ahead of the reader, on another thread. Internal to the reader of exports.
#pragma once

#include <expected>
#include <optional>
#include <string_view>

#include "json/read.h"
#include "manifest/manifest.h"

namespace ki::importer {

inline constexpr json::Limits kLineLimits{.bytes_max = std::size_t{16} << 20};

// Moving it keeps `of` valid.
struct ReadLine {
  std::expected<json::Document, Issues> document;
  const json::Value* of = nullptr;  // which value of the document `manifest` was decoded from
  std::optional<std::expected<manifest::Manifest, Issues>> manifest{};
};

// Parses a line under kLineLimits and decodes the manifest of its row, or the run in it. What is
// wrong with it counts only where somebody asks for that manifest. Thread-safe.
ReadLine read_line(std::string_view line);

// The manifest that `body`, a value of `read`, states: the one that was decoded, once, or else
// decoded now. `line` is what was read.
std::expected<manifest::Manifest, Issues> take_decoded(ReadLine& read, std::string_view line,
                                                       const json::Value& body);

}  // namespace ki::importer
