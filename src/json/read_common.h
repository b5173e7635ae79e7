// What the two readers share: the way to a node, the list of findings, and the rules that must be
// one rule for both formats (numbers, duplicate keys, UTF-8). Only json/parse.cc and json/yaml.cc
// include this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/issue.h"
#include "json/value.h"

namespace ki::json::reading {

// A text can be wrong in a million places; this many are kept, the earliest found first.
inline constexpr std::size_t kIssuesMax = 1000;

// One step on the way from the root to a node, linked upwards; lives on the reader's stack.
struct Step {
  const Step* up = nullptr;
  std::string_view key = {};  // of a member
  std::size_t index = 0;
  bool in_object = false;
};

// RFC 6901 pointer of the node that `step` leads to; nullptr is the root.
std::string pointer_of(const Step* step);

// Collects issues by byte offset and works out their lines in one pass at the end.
class Findings {
 public:
  // `text` is borrowed and must outlive this.
  explicit Findings(std::string_view text) : text_(text) {}

  void add(std::string_view code, std::string message, const Step* at, std::size_t offset);
  // Issues come out in document order.
  Issues take();
  bool empty() const { return found_.empty(); }

  // Reports every member of the object at `at` whose key stood there before.
  void check_keys(std::span<const Member> members, const Step* at);

 private:
  struct Found {
    Issue issue;
    std::optional<std::size_t> first;  // duplicate_key: where the key stood first
    std::string key;                   // quoted
  };
  void add_duplicate(const Member& first, const Member& again, const Step* at);
  std::string_view text_;
  std::vector<Found> found_;
};

struct Number {
  double value = 0;
  bool underflowed = false;  // the literal is not zero, the value is
};

// The double nearest to a decimal literal, or nothing when it is beyond the largest one. `literal`
// must be [-]digits[.digits][e[sign]digits] with digits on at least one side of the point.
std::optional<Number> to_number(std::string_view literal);

// What to say of a literal that to_number refuses.
std::string number_range_message(std::string_view literal);

// Length in bytes of the valid UTF-8 character at `at`, 0 when there is none.
std::size_t utf8_length(std::string_view text, std::size_t at);
std::string utf8_message(std::string_view text, std::size_t at);

// Appends a Unicode scalar value as UTF-8.
void append_utf8(std::string& out, std::uint32_t code_point);

// At most 40 bytes of `text` in quotes, control characters escaped, for messages.
std::string in_quotes(std::string_view text);

std::string size_message(std::size_t bytes, std::size_t bytes_max);
std::string depth_message(std::size_t depth, int depth_max);
std::string count_message(std::string_view what, std::size_t max);

}  // namespace ki::json::reading
