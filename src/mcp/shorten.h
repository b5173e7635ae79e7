// Making an answer small enough for a reader whose attention is bounded. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "json/value.h"

namespace ki::mcp {

// `answer`, an object, as compact JSON of at most `bytes_max` bytes where that is possible: long
// lists lose their last items, long texts their ends; then rows that stand alone, as the fastest
// one, keep what matters most of them, and members that hold nothing go; then the items of the
// longest list are made small each, and at last whole members go, the largest first, but what says
// the answer (its verdict, operation, fastest row, ...) last. A cursor is never cut. Then a member
// "omitted" tells what: [{pointer, kind: items | text | member | row | empty, shown, total}], the
// first kOmissionsListed of them; "empty" counts the members that hold nothing. Texts of up to
// kTextKept bytes, so ids and digests, stay whole. An answer that fits is returned as it is.
std::string shorten(const json::Value& answer, std::size_t bytes_max);

// What may go from a page so that it fits, beside its rows.
enum class Loss : std::uint8_t {
  ends,     // of the other lists and texts; then of rows that stand alone, and what holds nothing
  members,  // all of the other members but what says the answer, the largest first
  inside,   // of the lists and texts in a row too; then the less important members of each row, at
            // last what says the answer, the most important of it last
};

// The same for a page of rows: no row goes, whatever else does, for the cursor leads past all of
// them. `lists` names the members that are lists of rows, or objects of such lists, or lists of
// groups with their rows in "entries". nullopt where the page does not fit so.
std::optional<std::string> shorten_page(const json::Value& page,
                                        std::span<const std::string_view> lists, Loss loss,
                                        std::size_t bytes_max);

inline constexpr std::size_t kTextKept = 160;
inline constexpr std::size_t kOmissionsListed = 12;

}  // namespace ki::mcp
