#include "manifest/complaints.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/result.h"
#include "base/text.h"
#include "json/read.h"
#include "json/write.h"
#include "manifest/kinds.h"

namespace ki::manifest {
namespace {

using json::Member;
using json::Type;
using json::Value;

// `text` in double quotes, control characters escaped, cut when long.
std::string quoted(std::string_view text, std::size_t letters_max = kQuoteMax) {
  std::string out;
  json::append_string(out, excerpt(text, letters_max));
  return out;
}

std::string_view article_and_name(Type type) {
  switch (type) {
    case Type::null:
      return "null";
    case Type::boolean:
      return "a boolean";
    case Type::number:
      return "a number";
    case Type::string:
      return "text";
    case Type::array:
      return "a list";
    case Type::object:
      return "a mapping";
  }
  KI_UNREACHABLE();
}

bool wants_number(const manifest::Type& type) {
  return type.form == Form::integer || type.form == Form::number;
}

bool reads_as_number(std::string_view text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc{} && read.ptr == text.data() + text.size();
}

}  // namespace

std::string pointer_of(const Path& path) {
  if (path.parent == nullptr) return {};
  std::string pointer = pointer_of(*path.parent);
  if (path.index != Path::kNoIndex) {
    json::append_pointer(pointer, path.index);
  } else {
    json::append_pointer(pointer, excerpt(path.key, kQuoteMax));
  }
  return pointer;
}

bool Complaints::admit(bool structural) {
  if (structural) ++structural_;
  ++count_;
  return ++tally_.found <= kIssuesKeptMax;
}

void Complaints::add(std::string_view code, std::string message, const Path& path,
                     std::uint32_t offset) {
  Issue issue{.code = std::string(code),
              .message = std::move(message),
              .pointer = std::string(base_) + pointer_of(path),
              .file = std::string(file_),
              .place = {}};
  issue.place.offset = offset;
  issues_.push_back(std::move(issue));
}

// The value as the reader of the message knows it: what he wrote, and what that means.
std::string Complaints::said(const Value& value) const {
  if (value.is_string()) return "the text " + quoted(value.string());
  if (value.is_array() || value.is_object() || value.is_null()) {
    return std::string(article_and_name(value.type()));
  }
  std::string meaning;
  if (value.is_number() && !(std::abs(value.number()) <= std::numeric_limits<double>::max())) {
    meaning = value.number() > 0 ? "infinity" : value.number() < 0 ? "-infinity" : "NaN";
  } else {
    json::append_compact(meaning, value);
    if (const std::string written = as_written(value); written != meaning) {
      meaning = written + ", read as " + meaning;
    }
  }
  return fmt::format("the {} {}", value.is_number() ? "number" : "boolean", meaning);
}

// A number or boolean as the document has it: 9007199254740993 and 1e-400 are not the doubles that
// they are read as.
std::string Complaints::as_written(const Value& value) const {
  std::string written;
  if (value.offset() != json::kNoOffset && value.offset() < text_.size()) {
    written = excerpt(json::source_text(text_, value.offset()), kQuoteMax);
  }
  if (written.empty()) json::append_compact(written, value);
  return written;
}

// How to write a value that was meant as text but reads as something else.
std::string Complaints::quoting_hint(const Value& value) const {
  if (!value.is_number() && !value.is_boolean()) return {};
  return fmt::format("; if text is meant, write it in quotes: \"{}\"", as_written(value));
}

void Complaints::wrong_form(const Value& value, const manifest::Type& type, const Path& path) {
  if (!admit(true)) return;
  std::string message = fmt::format("must be {}, but is {}", describe(type), said(value));
  if (value.is_null()) {
    message += "; leave the member out when there is nothing to say";
  } else if (type.form == Form::text) {
    message += quoting_hint(value);
  } else if (value.is_string() && wants_number(type) && reads_as_number(value.string())) {
    message += fmt::format("; write {} without quotes", excerpt(value.string(), kQuoteMax));
  } else if (value.is_string() && type.form == Form::boolean) {
    message += "; only true and false, without quotes, are booleans";
  }
  add("invalid_type", std::move(message), path, value.offset());
}

void Complaints::no_alternative(const Value& value, const manifest::Type& type, const Path& path) {
  if (!admit(true)) return;
  std::string message = fmt::format("must be {}, but is {}", describe(type), said(value));
  if (type.form == Form::kind_name && value.is_string()) {
    std::vector<std::string_view> names;
    for (const Kind kind : all_kinds()) names.push_back(name_of(kind));
    const auto near = nearest(value.string(), names);
    if (!near.empty()) message += fmt::format("; did you mean \"{}\"?", near);
  }
  add("invalid_union", std::move(message), path, value.offset());
}

void Complaints::wrong_word(const Value& value, const manifest::Type& type, const Path& path) {
  if (!admit(true)) return;
  std::string message = fmt::format("must be {}, but is {}", describe(type), said(value));
  if (value.is_string() && type.words.size() > 1) {
    const auto near = nearest(value.string(), {type.words.begin(), type.words.end()});
    if (!near.empty()) message += fmt::format("; did you mean \"{}\"?", near);
  }
  add("invalid_value", std::move(message), path, value.offset());
}

void Complaints::wrong_pattern(const Value& value, const manifest::Type& type, const Path& path) {
  // A URL is judged by a rule of its own, which is no pattern.
  if (!admit(false)) return;
  const PatternInfo& pattern = info(type.pattern);
  add(type.pattern == Pattern::https_url ? "custom" : "invalid_format",
      fmt::format("{} is no {}; it must be {}", quoted(value.string()), pattern.name, pattern.says),
      path, value.offset());
}

void Complaints::too_long(const Value& value, std::size_t length, const manifest::Type& type,
                          const Path& path) {
  if (!admit(false)) return;
  add("too_big",
      fmt::format("is {} characters long, but at most {} are allowed: {}", length, type.length_max,
                  quoted(value.string())),
      path, value.offset());
}

void Complaints::out_of_bounds(const Value& value, const manifest::Type& type, const Path& path) {
  if (!admit(false)) return;
  const double number = value.number();
  const bool small = number < type.minimum || (type.minimum_excluded && number <= type.minimum) ||
                     number < -kIntegerMax;
  add(small ? "too_small" : "too_big",
      fmt::format("must be {}, but is {}", describe(type), said(value)), path, value.offset());
}

void Complaints::wrong_size(const Value& value, const manifest::Type& type, const Path& path) {
  if (!admit(false)) return;
  const std::size_t size = value.items().size();
  add(size < type.items_min ? "too_small" : "too_big",
      fmt::format("must be {}, but has {} items", describe(type), size), path, value.offset());
}

void Complaints::underflow(const Value& value, const Path& path) {
  if (!admit(false)) return;
  add("number_range",
      "is not representable: the number is not zero, yet too close to zero for a double; write 0 "
      "or a number of at least 5e-324",
      path, value.offset());
}

void Complaints::ambiguous_duration(const Value& value, const Path& path) {
  if (!admit(false)) return;
  add("custom",
      fmt::format("ambiguous duration {}: it is no whole number of nanoseconds up to 2^53-1; write "
                  "the nanoseconds as an integer",
                  quoted(value.string())),
      path, value.offset());
}

void Complaints::missing(const Value& mapping, const Field& field, const Path& path) {
  if (!admit(true)) return;
  add("invalid_type",
      fmt::format("is missing; it is required and must be {}: {}", describe(field.type),
                  field.says),
      {&path, field.name}, mapping.offset());
}

void Complaints::unknown_members(std::span<const Member* const> members, const Mapping& mapping,
                                 const Path& path) {
  if (!admit(true)) return;
  std::vector<std::string_view> known;
  for (const Field& field : mapping.fields) known.push_back(field.name);
  std::string message = members.size() == 1 ? "unknown member " : "unknown members ";
  bool suggested = false;
  for (const Member* member : members.first(std::min(members.size(), kIssuesShownMax))) {
    if (member != members[0]) message += ", ";
    message += quoted(member->key);
    const auto near = nearest(member->key, known);
    if (!near.empty()) message += fmt::format(" (did you mean \"{}\"?)", near);
    suggested |= !near.empty();
  }
  if (members.size() > kIssuesShownMax) {
    message += fmt::format(" and {} more", members.size() - kIssuesShownMax);
  }
  if (!suggested) message += fmt::format("; known here: {}", fmt::join(known, ", "));
  add("unrecognized_keys", std::move(message), path, members[0]->key_offset);
}

void Complaints::members_of_no_kind(std::span<const Member* const> members, const Path& path) {
  if (!admit(true)) return;
  std::string message = "no kind has ";
  for (const Member* member : members.first(std::min(members.size(), kIssuesShownMax))) {
    if (member != members[0]) message += ", ";
    message += quoted(member->key);
  }
  if (members.size() > kIssuesShownMax) {
    message += fmt::format(" and {} more", members.size() - kIssuesShownMax);
  }
  message += "; the rest of the spec is judged once \"kind\" names its kind";
  add("unrecognized_keys", std::move(message), path, members[0]->key_offset);
}

void Complaints::wrong_key(const Member& member, const manifest::Type& type, const Path& path) {
  if (!admit(true)) return;
  add("invalid_key", fmt::format("the name {} must be {}", quoted(member.key), describe(type)),
      path, member.key_offset);
}

void Complaints::broken_rule(std::string_view what, const Value& mapping, const Path& path) {
  if (!admit(false)) return;
  add("custom", std::string(what), path, mapping.offset());
}

Issues Complaints::take() {
  if (&tally_ == &own_) add_unlisted(issues_, tally_, file_);
  for (Issue& issue : issues_) {
    const bool known = issue.place.offset != json::kNoOffset && !text_.empty();
    issue.place = known ? tally_.lines.at(issue.place.offset) : Place{};
  }
  return std::move(issues_);
}

void add_unlisted(Issues& issues, const Tally& tally, std::string_view file) {
  if (tally.found <= kIssuesKeptMax) return;
  Issue issue{.code = "too_many",
              .message = fmt::format("{} more problems are not listed; mend those above first",
                                     tally.found - kIssuesKeptMax),
              .pointer = {},
              .file = std::string(file),
              .place = {}};
  issue.place.offset = json::kNoOffset;
  issues.push_back(std::move(issue));
}

}  // namespace ki::manifest
