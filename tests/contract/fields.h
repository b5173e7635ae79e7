// The field trees of the public API (fields.json) as rules for answers. Pure.
#pragma once

#include <string>

#include "json/value.h"
#include "tests/contract/site.h"

namespace ki::contract {

// Adds what is wrong with `value`, at `place`, to `faults`. A rule is
//   "string" "number" "boolean" "any"          a type
//   ["array", rule, ...]                        a list
//   {"map": rule}                               an object of any names
//   {"oneOf": [rule, ...]}                      one of them
//   {"nullable": true, "of": rule}              or null
//   {"type": "string", "nullable"?, "enum"?}    a type with conditions
//   {"name": rule, "name?": rule}               an object; with "?" a member may be absent
// Members that no rule names are welcome.
void check_fields(const json::Value& rule, const json::Value& value, const std::string& place,
                  Faults& faults);

}  // namespace ki::contract
