// The YAML 1.2 core schema: what a plain scalar means. Only json/yaml.cc includes this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "json/read_common.h"

namespace ki::json::reading {

enum class Scalar : std::uint8_t { null, boolean, integer, real, not_finite, string };

// The kind of an untagged plain scalar.
Scalar classify(std::string_view text);

// The kind of a scalar under a resolved tag ("tag:yaml.org,2002:int"), or nothing when the tag is
// not one of the core schema's scalars or the text does not have the form the tag promises.
std::optional<Scalar> classify_tagged(std::string_view text, std::string_view tag);
std::string tag_message(std::string_view text, std::string_view tag);

// The value of a text that classify calls a number; nothing when no finite double is near.
std::optional<Number> scalar_number(std::string_view text);

}  // namespace ki::json::reading
