#include "json/read_common.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <double-conversion/double-conversion.h>
#include <fmt/format.h>

#include "base/bytes.h"
#include "base/text.h"
#include "json/write.h"

namespace ki::json::reading {

std::string pointer_of(const Step* step) {
  constexpr std::size_t kKeyShown = 200;  // no legal name is longer; a hostile one is cut
  std::vector<const Step*> way;
  for (; step != nullptr; step = step->up) way.push_back(step);
  std::string pointer;
  for (auto at = way.rbegin(); at != way.rend(); ++at) {
    if ((*at)->in_object) {
      append_pointer(pointer, excerpt((*at)->key, kKeyShown));
    } else {
      append_pointer(pointer, (*at)->index);
    }
  }
  return pointer;
}

void Findings::add(std::string_view code, std::string message, const Step* at, std::size_t offset) {
  if (found_.size() >= kIssuesMax) return;
  found_.push_back({.issue = {.code = std::string(code),
                              .message = std::move(message),
                              .pointer = pointer_of(at),
                              .file = {},
                              .place = {.offset = offset}},
                    .first = std::nullopt,
                    .key = {}});
}

void Findings::add_duplicate(const Member& first, const Member& again, const Step* at) {
  if (found_.size() >= kIssuesMax) return;
  const Step member{.up = at, .key = again.key, .in_object = true};
  add("duplicate_key", {}, &member, again.key_offset);
  found_.back().first = first.key_offset;
  found_.back().key = in_quotes(again.key);
}

void Findings::check_keys(std::span<const Member> members, const Step* at) {
  constexpr std::size_t kFew = 24;  // up to here comparing all pairs is faster than sorting
  if (members.size() <= kFew) {
    std::array<std::uint64_t, kFew> marks;
    for (std::size_t i = 0; i < members.size(); ++i) {
      marks[i] = mark_of(members[i].key);
      for (std::size_t j = 0; j < i; ++j) {
        if (marks[j] != marks[i] || members[j].key != members[i].key) continue;
        add_duplicate(members[j], members[i], at);
        break;
      }
    }
    return;
  }
  std::vector<const Member*> order(members.size());
  std::ranges::transform(members, order.begin(), [](const Member& m) { return &m; });
  std::ranges::sort(order, [](const Member* a, const Member* b) {
    const auto by_key = a->key <=> b->key;
    return by_key != 0 ? by_key < 0 : a < b;  // among equals, as they stand
  });
  const Member* first = order.front();
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (order[i]->key == first->key) {
      add_duplicate(*first, *order[i], at);
    } else {
      first = order[i];
    }
  }
}

Issues Findings::take() {
  std::ranges::sort(found_, {}, [](const Found& f) {
    return std::pair(f.issue.place.offset, std::string_view(f.issue.code));
  });
  std::vector<std::size_t> offsets;
  for (const Found& found : found_) {
    offsets.push_back(found.issue.place.offset);
    if (found.first) offsets.push_back(*found.first);
  }
  std::ranges::sort(offsets);
  // One pass over the text, however many issues there are: each place is counted from the last.
  std::vector<Place> places;
  for (const std::size_t offset : offsets) {
    const Place from = places.empty() ? Place{0, 1, 1} : places.back();
    const std::size_t start = std::min(from.offset, text_.size());
    Place place = place_at(text_.substr(start), offset - from.offset);
    if (place.line == 1) place.column += from.column - 1;
    place.line += from.line - 1;
    place.offset = offset;
    places.push_back(place);
  }
  const auto place_of = [&](std::size_t offset) {
    return places[static_cast<std::size_t>(std::ranges::lower_bound(offsets, offset) -
                                           offsets.begin())];
  };
  Issues issues;
  for (Found& found : found_) {
    found.issue.place = place_of(found.issue.place.offset);
    if (found.first) {
      const Place first = place_of(*found.first);
      const Place& again = found.issue.place;
      found.issue.message = fmt::format(
          "duplicate key {}: first at line {} column {}, again at line {} column {}; keep one",
          found.key, first.line, first.column, again.line, again.column);
    }
    issues.push_back(std::move(found.issue));
  }
  found_.clear();
  return issues;
}

std::optional<Number> to_number(std::string_view literal) {
  Number number;
  const char* end = literal.data() + literal.size();
  const auto [stop, error] = std::from_chars(literal.data(), end, number.value);
  if (error == std::errc{} && stop == end && std::isfinite(number.value) && number.value != 0) {
    return number;
  }
  // Zero, or beyond a double at either end: from_chars does not say which.
  using double_conversion::StringToDoubleConverter;
  static const StringToDoubleConverter converter(StringToDoubleConverter::NO_FLAGS, 0, 0, nullptr,
                                                 nullptr);
  int used = 0;
  number.value = converter.StringToDouble(literal.data(), static_cast<int>(literal.size()), &used);
  if (!std::isfinite(number.value)) return std::nullopt;
  const std::string_view digits = literal.substr(0, literal.find_first_of("eE"));
  number.underflowed =
      number.value == 0 && digits.find_first_of("123456789") != std::string_view::npos;
  return number;
}

std::string number_range_message(std::string_view literal) {
  return fmt::format(
      "the number {} is beyond the largest double, about 1.8e308; write a smaller one or quote it",
      in_quotes(literal));
}

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
  };
  const auto tails = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if ((byte(i) & 0xC0) != 0x80) return false;
    }
    return true;
  };
  // The well-formed sequences of the Unicode Standard, table 3-7.
  const unsigned lead = byte(0);
  const unsigned second = byte(1);
  if (lead < 0x80) return at < text.size() ? 1 : 0;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return tails(1, 2) ? 2 : 0;
  if (lead < 0xF0) {
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F)) return 0;
    return tails(1, 3) ? 3 : 0;
  }
  if (lead > 0xF4) return 0;
  if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) return 0;
  return tails(1, 4) ? 4 : 0;
}

std::string utf8_message(std::string_view text, std::size_t at) {
  return fmt::format("byte 0x{:02x} at offset {} is not UTF-8; save the text as UTF-8",
                     static_cast<unsigned char>(text[at]), at);
}

void append_utf8(std::string& out, std::uint32_t code_point) {
  const auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80 | ((code_point >> shift) & 0x3F));
  };
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xC0 | (code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xE0 | (code_point >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 40;
  std::string out;
  append_string(out, excerpt(text, kShown));
  return out;
}

std::string size_message(std::size_t bytes, std::size_t bytes_max) {
  return fmt::format("the text has {} bytes; at most {} are read: split it", bytes, bytes_max);
}

std::string depth_message(std::size_t depth, int depth_max) {
  return fmt::format("nested {} levels deep here; the limit is {}", depth, depth_max);
}

std::string count_message(std::string_view what, std::size_t max) {
  return fmt::format("more than {} {}: split the text", max, what);
}

}  // namespace ki::json::reading
