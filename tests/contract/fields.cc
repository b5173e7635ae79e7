#include "tests/contract/fields.h"

#include <algorithm>

#include "json/write.h"

namespace ki::contract {
namespace {

// Members of a rule that is a type with conditions, not an object with a member called "type".
bool is_condition(std::string_view key) {
  constexpr std::string_view kAll[] = {"type",      "nullable",        "enum",    "format",
                                       "maxLength", "minLength",       "minimum", "maximum",
                                       "default",   "exclusiveMinimum"};
  return std::ranges::find(kAll, key) != std::end(kAll);
}

bool is_type(const json::Value& rule) {
  const json::Value* type = rule.find("type");
  return type != nullptr && type->is_string() &&
         std::ranges::all_of(rule.members(),
                             [](const json::Member& member) { return is_condition(member.key); });
}

bool has_type(std::string_view type, const json::Value& value) {
  if (type == "any") return true;
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "number" || type == "integer") return value.is_number();
  return false;
}

std::string shown(const json::Value& value) {
  std::string out;
  json::append_compact(out, value);
  constexpr std::size_t kShown = 60;
  return out.size() > kShown ? out.substr(0, kShown) + "..." : out;
}

void check_type(const json::Value& rule, const json::Value& value, const std::string& place,
                Faults& faults) {
  const json::Value* nullable = rule.find("nullable");
  if (value.is_null() && nullable != nullptr && nullable->boolean()) return;
  const std::string type(rule.find("type")->string());
  if (!has_type(type, value)) {
    faults.push_back(place + " is " + shown(value) + ", not a " + type);
    return;
  }
  const json::Value* words = rule.find("enum");
  if (words == nullptr) return;
  const auto same = [&](const json::Value& word) { return shown(word) == shown(value); };
  if (!std::ranges::any_of(words->items(), same)) {
    faults.push_back(place + " is " + shown(value) + ", none of " + shown(*words));
  }
}

void check_members(const json::Value& rule, const json::Value& value, const std::string& place,
                   Faults& faults) {
  if (!value.is_object()) {
    faults.push_back(place + " is " + shown(value) + ", not an object");
    return;
  }
  for (const json::Member& member : rule.members()) {
    std::string_view name = member.key;
    const bool optional = name.ends_with('?');
    if (optional) name.remove_suffix(1);
    const json::Value* found = value.find(name);
    const std::string at = place + "." + std::string(name);
    if (found != nullptr) {
      check_fields(member.value, *found, at, faults);
    } else if (!optional) {
      faults.push_back(at + " is missing");
    }
  }
}

void check_one_of(const json::Value& rules, const json::Value& value, const std::string& place,
                  Faults& faults) {
  Faults fewest;
  for (std::size_t i = 0; i < rules.items().size(); ++i) {
    Faults own;
    check_fields(rules.items()[i], value, place, own);
    if (i == 0 || own.size() < fewest.size()) fewest = std::move(own);
  }
  faults.insert(faults.end(), fewest.begin(), fewest.end());
}

}  // namespace

void check_fields(const json::Value& rule, const json::Value& value, const std::string& place,
                  Faults& faults) {
  if (rule.is_string()) {
    if (!has_type(rule.string(), value)) {
      faults.push_back(place + " is " + shown(value) + ", not a " + std::string(rule.string()));
    }
    return;
  }
  if (rule.is_array()) {
    if (!value.is_array()) {
      faults.push_back(place + " is " + shown(value) + ", not a list");
      return;
    }
    for (const json::Value& item : value.items()) {
      check_fields(rule.items()[1], item, place + "[]", faults);
    }
    return;
  }
  const json::Value* nullable = rule.find("nullable");
  const json::Value* of = rule.find("of");
  if (of != nullptr && nullable != nullptr) {
    if (!value.is_null()) check_fields(*of, value, place, faults);
  } else if (const json::Value* one_of = rule.find("oneOf"); one_of != nullptr) {
    check_one_of(*one_of, value, place, faults);
  } else if (const json::Value* map = rule.find("map"); map != nullptr && !map->is_null()) {
    if (!value.is_object()) {
      faults.push_back(place + " is " + shown(value) + ", not an object");
      return;
    }
    for (const json::Member& member : value.members()) {
      check_fields(*map, member.value, place + ".*", faults);
    }
  } else if (is_type(rule)) {
    check_type(rule, value, place, faults);
  } else {
    check_members(rule, value, place, faults);
  }
}

}  // namespace ki::contract
