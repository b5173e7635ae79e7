// An answer against a schema of our own OpenAPI document: type, properties, required, items,
// additionalProperties, enum, allOf, anyOf, oneOf, $ref, which is all that document uses. Pure.
#pragma once

#include <string>

#include "json/value.h"
#include "tests/contract/site.h"

namespace ki::contract {

// `document` is the whole OpenAPI document, for references into it.
void check_schema(const json::Value& document, const json::Value& schema, const json::Value& value,
                  const std::string& place, Faults& faults);

}  // namespace ki::contract
