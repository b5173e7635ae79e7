#include "manifest/check.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/bytes.h"
#include "base/result.h"
#include "base/text.h"
#include "json/write.h"
#include "manifest/kinds.h"
#include "manifest/scalars.h"

namespace ki::manifest {
namespace {

using json::Arena;
using json::Member;
using json::Value;

constexpr Type kNotNegative = {.form = Form::integer, .minimum = 0};

// The field of this name, or kFieldsMax. Members mostly come in the order of the table or of their
// lengths, so the search starts behind the field found last.
std::size_t find_field(const Mapping& mapping, std::string_view name, std::size_t start) {
  const std::size_t count = mapping.fields.size();
  const std::uint64_t mark = mark_of(name);
  const auto is_it = [&](std::size_t i) {
    return mapping.marks[i] == mark && same_bytes(mapping.fields[i].name, name);
  };
  for (std::size_t i = start; i < count; ++i) {
    if (is_it(i)) return i;
  }
  for (std::size_t i = 0; i < std::min(start, count); ++i) {
    if (is_it(i)) return i;
  }
  return kFieldsMax;
}

bool is_whole(double number) {
  if (std::abs(number) <= kIntegerMax) {
    return static_cast<double>(static_cast<std::int64_t>(number)) == number;
  }
  return !std::isnan(number);  // a double so large has no fraction
}

bool within(double number, const Type& type) {
  if (type.minimum_excluded ? number <= type.minimum : number < type.minimum) return false;
  if (type.form == Form::integer && std::abs(number) > kIntegerMax) return false;
  return number <= type.maximum;
}

constexpr std::string_view kLostName = "__proto__";

// A copy of the items or members that normalisation changes; nothing is copied until one does.
template <class T>
class Rebuilt {
 public:
  explicit Rebuilt(std::span<const T> originals) : originals_(originals) {}
  T& operator[](std::size_t index) {
    if (copy_.empty()) copy_.assign(originals_.begin(), originals_.end());
    return copy_[index];
  }
  bool any() const { return !copy_.empty(); }
  std::span<const T> get() const { return copy_; }

 private:
  std::span<const T> originals_;
  std::vector<T> copy_;
};

}  // namespace

void Checker::document(Value& root) {
  Value normalised;
  if (mapping(root, envelope(), Path{}, normalised)) root = normalised;
}

bool Checker::value(const Value& value, const Type& type, const Path& path, Value& out) {
  switch (type.form) {
    case Form::text:
      text(value, type, path);
      return false;
    case Form::word:
      if (!value.is_string()) {
        complaints_.wrong_word(value, type, path);
      } else if (std::ranges::find(type.words, value.string()) == type.words.end()) {
        complaints_.wrong_word(value, type, path);
      }
      return false;
    case Form::integer:
    case Form::number:
      number(value, type, path);
      return false;
    case Form::boolean:
      if (!value.is_boolean()) complaints_.wrong_form(value, type, path);
      return false;
    case Form::dimension:
      dimension(value, type, path);
      return false;
    case Form::duration:
      return duration(value, type, path, out);
    case Form::number_or_text:
      if (value.is_string()) {
        text(value, type, path);
      } else if (value.is_number()) {
        number(value, type, path);
      } else {
        complaints_.no_alternative(value, type, path);
      }
      return false;
    case Form::mapping:
      return mapping(value, *type.mapping, path, out);
    case Form::list:
      return list(value, type, path, out);
    case Form::set:
      return set(value, type, path, out);
    case Form::record:
      return record(value, type, path, out);
    case Form::kind_name:
      if (!kind_) complaints_.no_alternative(value, type, path);
      return false;
    case Form::spec:
      return spec(value, path, out);
  }
  KI_UNREACHABLE();
}

bool Checker::mapping(const Value& value, const Mapping& mapping, const Path& path, Value& out) {
  if (!value.is_object()) {
    complaints_.wrong_form(value, {.form = Form::mapping}, path);
    return false;
  }
  const std::size_t structural_before = complaints_.structural();
  const auto members = value.members();
  std::array<const Member*, kFieldsMax> found;
  std::fill_n(found.begin(), mapping.fields.size(), nullptr);
  std::vector<const Member*> unknown;
  std::size_t next = 0;
  for (const Member& member : members) {
    const std::size_t field = find_field(mapping, member.key, next);
    if (field == kFieldsMax) {
      unknown.push_back(&member);
    } else {
      found[field] = &member;
      next = field + 1;
    }
  }
  Rebuilt<Member> rebuilt(members);
  for (std::size_t i = 0; i < mapping.fields.size(); ++i) {
    const Field& field = mapping.fields[i];
    if (found[i] == nullptr) {
      if (field.required) complaints_.missing(value, field, path);
      continue;
    }
    Value changed;
    if (this->value(found[i]->value, field.type, {&path, field.name}, changed)) {
      rebuilt[static_cast<std::size_t>(found[i] - members.data())].value = changed;
    }
  }
  if (!unknown.empty()) complaints_.unknown_members(unknown, mapping, path);
  if (mapping.rule != Rule::none && complaints_.structural() == structural_before) {
    rule(value, mapping.rule, path);
  }
  if (rebuilt.any()) out = arena_.object(rebuilt.get(), value.offset());
  return rebuilt.any();
}

bool Checker::spec(const Value& value, const Path& path, Value& out) {
  if (kind_) return mapping(value, spec_of(*kind_), path, out);
  if (!value.is_object()) {
    complaints_.wrong_form(value, {.form = Form::mapping}, path);
    return false;
  }
  std::vector<const Member*> unknown;
  for (const Member& member : value.members()) {
    const bool known = std::ranges::any_of(all_kinds(), [&](Kind kind) {
      return find_field(spec_of(kind), member.key, 0) != kFieldsMax;
    });
    if (!known) unknown.push_back(&member);
  }
  if (!unknown.empty()) complaints_.members_of_no_kind(unknown, path);
  return false;
}

bool Checker::list(const Value& value, const Type& type, const Path& path, Value& out) {
  if (!value.is_array()) {
    complaints_.wrong_form(value, type, path);
    return false;
  }
  const auto items = value.items();
  if (items.size() < type.items_min || items.size() > type.items_max) {
    complaints_.wrong_size(value, type, path);
  }
  Rebuilt<Value> rebuilt(items);
  for (std::size_t i = 0; i < items.size(); ++i) {
    Value changed;
    if (this->value(items[i], *type.item, {&path, {}, i}, changed)) rebuilt[i] = changed;
  }
  if (rebuilt.any()) out = arena_.array(rebuilt.get(), value.offset());
  return rebuilt.any();
}

bool Checker::set(const Value& value, const Type& type, const Path& path, Value& out) {
  const std::size_t before = complaints_.count();
  list(value, type, path, out);
  if (complaints_.count() != before) return false;
  const auto items = value.items();
  const auto in_order = [](const Value& a, const Value& b) {
    return json::utf16_less(a.string(), b.string());
  };
  const auto same_or_behind = [&](const Value& a, const Value& b) { return !in_order(a, b); };
  if (std::ranges::adjacent_find(items, same_or_behind) == items.end()) return false;
  std::vector<Value> sorted(items.begin(), items.end());
  std::ranges::sort(sorted, in_order);
  const auto repeated = std::ranges::unique(sorted, {}, &Value::string);
  sorted.erase(repeated.begin(), repeated.end());
  out = arena_.array(sorted, value.offset());
  changed(path, "set", value, out);
  return true;
}

bool Checker::record(const Value& value, const Type& type, const Path& path, Value& out) {
  if (!value.is_object()) {
    complaints_.wrong_form(value, type, path);
    return false;
  }
  const auto members = value.members();
  const PatternInfo& pattern = info(type.key->pattern);
  Rebuilt<Member> rebuilt(members);
  bool lost = false;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::string_view key = members[i].key;
    const Path here{&path, key};
    if (key == kLostName) {
      lost = true;
      continue;
    }
    if (!pattern.matches(key) ||
        (key.size() > type.key->length_max && utf16_length(key) > type.key->length_max)) {
      complaints_.wrong_key(members[i], *type.key, here);
      continue;
    }
    Value changed;
    if (this->value(members[i].value, *type.item, here, changed)) rebuilt[i].value = changed;
  }
  if (rebuilt.any()) out = arena_.object(rebuilt.get(), value.offset());
  if (lost) drop_lost_name(value, path, out);
  return lost || rebuilt.any();
}

// The format's first reader loses an entry of this name, and identity is what is left; so every
// reader has to drop it, wherever names are free. `digest --explain` tells.
void Checker::drop_lost_name(const Value& value, const Path& path, Value& out) {
  const auto members = (out.is_object() ? out : value).members();
  std::vector<Member> kept;
  std::ranges::copy_if(members, std::back_inserter(kept),
                       [](const Member& member) { return member.key != kLostName; });
  out = arena_.object(kept, value.offset());
  changed(path, "dropped name", value, out);
}

void Checker::text(const Value& value, const Type& type, const Path& path) {
  if (!value.is_string()) {
    complaints_.wrong_form(value, type, path);
    return;
  }
  const std::string_view string = value.string();
  if (type.pattern != Pattern::any && !info(type.pattern).matches(string)) {
    complaints_.wrong_pattern(value, type, path);
  }
  // UTF-8 never takes fewer bytes than UTF-16 takes units.
  if (string.size() > type.length_max) {
    if (const std::size_t length = utf16_length(string); length > type.length_max) {
      complaints_.too_long(value, length, type, path);
    }
  }
}

void Checker::number(const Value& value, const Type& type, const Path& path) {
  const bool whole = type.form == Form::integer;
  if (!value.is_number() || !std::isfinite(value.number()) ||
      (whole && !is_whole(value.number()))) {
    complaints_.wrong_form(value, type, path);
  } else if (value.underflowed()) {
    complaints_.underflow(value, path);
  } else if (!within(value.number(), type)) {
    complaints_.out_of_bounds(value, type, path);
  }
}

void Checker::dimension(const Value& value, const Type& type, const Path& path) {
  if (value.is_number() && value.underflowed()) return complaints_.underflow(value, path);
  const bool right = value.is_string() ? info(Pattern::token).matches(value.string())
                                       : value.is_number() && is_whole(value.number()) &&
                                             within(value.number(), kNotNegative);
  if (!right) complaints_.no_alternative(value, type, path);
}

bool Checker::duration(const Value& value, const Type& type, const Path& path, Value& out) {
  if (value.is_number() && value.underflowed()) {
    complaints_.underflow(value, path);
    return false;
  }
  if (!value.is_string()) {
    const bool right =
        value.is_number() && is_whole(value.number()) && within(value.number(), kNotNegative);
    if (!right) complaints_.no_alternative(value, type, path);
    return false;
  }
  const auto read = parse_duration(value.string());
  if (const auto* problem = std::get_if<DurationProblem>(&read)) {
    switch (*problem) {
      case DurationProblem::form:
        complaints_.no_alternative(value, type, path);
        break;
      case DurationProblem::ambiguous:
        complaints_.ambiguous_duration(value, path);
        break;
    }
    return false;
  }
  out = Arena::number(std::get<double>(read), value.offset());
  changed(path, "duration", value, out);
  return true;
}

void Checker::rule(const Value& value, Rule rule, const Path& path) {
  switch (rule) {
    case Rule::none:
      return;
    case Rule::axis_role: {
      const std::string_view role = value.find("role")->string();
      if (role == "constant" && value.find("value") == nullptr) {
        complaints_.broken_rule("an axis whose role is constant needs a \"value\"", value, path);
      }
      if (role == "derived" && value.find("expression") == nullptr) {
        complaints_.broken_rule("an axis whose role is derived needs an \"expression\"", value,
                                path);
      }
      return;
    }
    case Rule::tensor_or_scalar:
      if ((value.find("tensor") == nullptr) == (value.find("scalar") == nullptr)) {
        complaints_.broken_rule(
            "an argument has exactly one of \"tensor\" and \"scalar\", this one has " +
                std::string(value.find("tensor") == nullptr ? "neither" : "both"),
            value, path);
      }
      return;
    case Rule::median_or_mean:
      if (value.find("median") == nullptr && value.find("mean") == nullptr) {
        complaints_.broken_rule("a latency needs a \"median\" or a \"mean\"", value, path);
      }
      return;
  }
  KI_UNREACHABLE();
}

void Checker::changed(const Path& path, std::string_view rule, const Value& before,
                      const Value& after) {
  if (changes_.size() == kIssuesKeptMax) return;
  Change change{.pointer = pointer_of(path), .rule = std::string(rule), .before = {}, .after = {}};
  json::append_compact(change.before, before);
  json::append_compact(change.after, after);
  changes_.push_back(std::move(change));
}

}  // namespace ki::manifest
