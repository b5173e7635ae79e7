// The language the thirteen kinds are described in. One table of fields per mapping (kinds.cc)
// drives the decoder, its messages, the JSON Schema and the tables of docs/formats/manifest.md, so
// these cannot disagree. Everything here is constant data: no allocation, no order of
// initialisation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace ki::manifest {

// What a text has to look like. Each has a name, a regular expression for documents and schemas,
// and a hand-written matcher (patterns.cc); a test holds the last two together.
enum class Pattern : std::uint8_t {
  any,
  token,  // also axis names
  slug,
  manifest_name,
  digest,
  git_commit,
  axis_expression,  // the characters only; axis_expression.h evaluates
  https_url,
  instant,
  duration,  // the text form; Form::duration also takes integers
};

enum class Form : std::uint8_t {
  text,     // with `pattern`, `length_max`
  word,     // one of `words`
  integer,  // whole, magnitude at most kIntegerMax, within `minimum` and `maximum`
  number,   // finite double within `minimum` and `maximum`
  boolean,
  dimension,       // an integer >= 0 or the name of an axis
  duration,        // nanoseconds: an integer >= 0 or text such as "1.5 ms"; normalised to integer
  number_or_text,  // a number, or a text of at most `length_max`
  mapping,         // `mapping`
  list,            // of `item`, between `items_min` and `items_max` long; order is meaningful
  set,             // a list that is normalised: sorted by UTF-16 code units, duplicates dropped
  record,          // member names of form `key`, values of form `item`
  kind_name,       // of the envelope: one of the kinds
  spec,            // of the envelope: the mapping the kind says
};

// Conditions between the members of one mapping, checked when each of them is well formed.
enum class Rule : std::uint8_t {
  none,
  axis_role,         // constant needs `value`, derived needs `expression`
  tensor_or_scalar,  // exactly one of the two
  median_or_mean,    // at least one of the two
};

inline constexpr double kIntegerMax = 9007199254740991;  // 2^53 - 1
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr std::uint32_t kUnbounded = 0xFFFFFFFF;
inline constexpr std::size_t kFieldsMax = 16;  // of one mapping

struct Mapping;

struct Type {
  Form form = Form::text;
  Pattern pattern = Pattern::any;
  bool minimum_excluded = false;
  std::uint32_t length_max = kUnbounded;  // UTF-16 code units
  std::uint32_t items_min = 0;
  std::uint32_t items_max = kUnbounded;
  double minimum = -kInfinity;
  double maximum = kInfinity;
  std::span<const std::string_view> words = {};
  const Mapping* mapping = nullptr;
  const Type* item = nullptr;
  const Type* key = nullptr;
};

struct Field {
  std::string_view name;
  Type type;
  bool required = false;
  std::string_view says;  // what it means, one sentence without a full stop
};

struct Mapping {
  constexpr Mapping(std::span<const Field> all, Rule between = Rule::none)
      : fields(all), rule(between) {
    for (std::size_t i = 0; i < all.size(); ++i) marks.at(i) = mark_of(all[i].name);
  }
  std::span<const Field> fields;
  Rule rule;
  std::array<std::uint64_t, kFieldsMax> marks{};  // of the fields' names, so that most do not match
};

struct PatternInfo {
  std::string_view name;   // "token"
  std::string_view regex;  // ECMA 262; of a URL and an instant it says less than the matcher
  std::string_view says;   // "a lower-case letter, then lower-case letters, digits or _"
  bool (*matches)(std::string_view text) = nullptr;
};
const PatternInfo& info(Pattern pattern);

// The type as people say it: "text of at most 200 characters", "a whole number above 0",
// "one of none, in_place, destination". For messages and the format page.
std::string describe(const Type& type);

// How tables are written. Arguments that a Type points to must be constants with static storage.
constexpr Field required(std::string_view name, const Type& type, std::string_view says) {
  return {name, type, true, says};
}
constexpr Field optional(std::string_view name, const Type& type, std::string_view says) {
  return {name, type, false, says};
}
constexpr Type text(std::uint32_t length_max) { return {.length_max = length_max}; }
constexpr Type text(Pattern pattern, std::uint32_t length_max = kUnbounded) {
  return {.pattern = pattern, .length_max = length_max};
}
constexpr Type word(std::span<const std::string_view> words) {
  return {.form = Form::word, .words = words};
}
constexpr Type integer(double minimum = -kInfinity) {
  return {.form = Form::integer, .minimum = minimum};
}
constexpr Type number(double minimum = -kInfinity, double maximum = kInfinity) {
  return {.form = Form::number, .minimum = minimum, .maximum = maximum};
}
constexpr Type above_zero(Form form) {
  return {.form = form, .minimum_excluded = true, .minimum = 0};
}
constexpr Type list(const Type& item, std::uint32_t min = 0, std::uint32_t max = kUnbounded) {
  return {.form = Form::list, .items_min = min, .items_max = max, .item = &item};
}
constexpr Type set(const Type& item) { return {.form = Form::set, .item = &item}; }
constexpr Type record(const Type& key, const Type& item) {
  return {.form = Form::record, .item = &item, .key = &key};
}
constexpr Type mapping(const Mapping& mapping) {
  return {.form = Form::mapping, .mapping = &mapping};
}

}  // namespace ki::manifest
