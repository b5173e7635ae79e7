#include "tests/contract/schema.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "json/write.h"

namespace ki::contract {
namespace {

class Checker {
 public:
  Checker(const json::Value& document, Faults& faults) : document_(document), faults_(faults) {}

  void check(const json::Value& schema, const json::Value& value, const std::string& place) {
    if (const json::Value* reference = schema.find("$ref")) {
      const json::Value* target = follow(reference->string());
      if (target == nullptr) {
        faults_.push_back(place + ": there is no " + std::string(reference->string()));
      } else {
        check(*target, value, place);
      }
      return;
    }
    if (const json::Value* type = schema.find("type")) {
      if (!has_type(type->string(), value)) {
        faults_.push_back(place + " is not of type " + std::string(type->string()));
        return;
      }
    }
    check_words(schema, value, place);
    check_members(schema, value, place);
    check_parts(schema, value, place);
  }

 private:
  static bool has_type(std::string_view type, const json::Value& value) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "null") return value.is_null();
    if (type == "number") return value.is_number();
    return type == "integer" && value.is_number() && value.number() == std::floor(value.number());
  }

  const json::Value* follow(std::string_view reference) const {
    const json::Value* at = &document_;
    for (const auto part : split(reference.substr(std::string_view("#/").size()), '/')) {
      at = at == nullptr ? nullptr : at->find(part);
    }
    return at;
  }

  void check_words(const json::Value& schema, const json::Value& value, const std::string& place) {
    const json::Value* words = schema.find("enum");
    if (words == nullptr || !words->is_array()) return;
    const auto same = [&](const json::Value& word) { return word.string() == value.string(); };
    if (!std::ranges::any_of(words->items(), same)) {
      faults_.push_back(place + " is none of its words");
    }
  }

  void check_members(const json::Value& schema, const json::Value& value,
                     const std::string& place) {
    if (const json::Value* required = schema.find("required");
        required != nullptr && value.is_object()) {
      for (const json::Value& name : required->items()) {
        if (value.find(name.string()) != nullptr) continue;
        faults_.push_back(place + "." + std::string(name.string()) + " is missing");
      }
    }
    const json::Value* properties = schema.find("properties");
    const json::Value* others = schema.find("additionalProperties");
    if ((properties != nullptr || others != nullptr) && value.is_object()) {
      for (const json::Member& member : value.members()) {
        const std::string at = place + "." + std::string(member.key);
        const json::Value* own = properties == nullptr ? nullptr : properties->find(member.key);
        if (own == nullptr) own = others;
        if (own == nullptr) {
          faults_.push_back(at + " is not described");
        } else {
          check(*own, member.value, at);
        }
      }
    }
    if (const json::Value* items = schema.find("items"); items != nullptr && value.is_array()) {
      for (const json::Value& item : value.items()) check(*items, item, place + "[]");
    }
  }

  void check_parts(const json::Value& schema, const json::Value& value, const std::string& place) {
    if (const json::Value* all = schema.find("allOf")) {
      for (const json::Value& one : all->items()) check(one, value, place);
    }
    for (const char* name : {"anyOf", "oneOf"}) {
      const json::Value* any = schema.find(name);
      if (any == nullptr) continue;
      Faults fewest;
      for (std::size_t i = 0; i < any->items().size(); ++i) {
        Faults own;
        Checker(document_, own).check(any->items()[i], value, place);
        if (i == 0 || own.size() < fewest.size()) fewest = std::move(own);
      }
      faults_.insert(faults_.end(), fewest.begin(), fewest.end());
    }
  }

  const json::Value& document_;
  Faults& faults_;
};

}  // namespace

void check_schema(const json::Value& document, const json::Value& schema, const json::Value& value,
                  const std::string& place, Faults& faults) {
  Checker(document, faults).check(schema, value, place);
}

}  // namespace ki::contract
