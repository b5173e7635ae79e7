#include "json/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <double-conversion/double-conversion.h>
#include <fmt/format.h>

namespace ki::json::reading {
namespace {

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, text) != words.end();
}

constexpr std::array<std::string_view, 5> kNulls = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 6> kBooleans = {"true",  "True",  "TRUE",
                                                       "false", "False", "FALSE"};
constexpr std::array<std::string_view, 3> kInfinities = {".inf", ".Inf", ".INF"};
constexpr std::array<std::string_view, 3> kNotNumbers = {".nan", ".NaN", ".NAN"};

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
constexpr std::string_view kOctalDigits = "01234567";

// Removes the longest prefix made of `set` and returns its length.
std::size_t skip(std::string_view& text, std::string_view set) {
  const std::size_t length = std::min(text.find_first_not_of(set), text.size());
  text.remove_prefix(length);
  return length;
}

bool skip_sign(std::string_view& text) {
  const bool sign = text.starts_with('-') || text.starts_with('+');
  if (sign) text.remove_prefix(1);
  return sign;
}

bool has_radix(std::string_view text, std::string_view prefix, std::string_view digits) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return skip(text, digits) != 0 && text.empty();
}

Scalar classify_number(std::string_view text) {
  if (has_radix(text, "0x", kHexDigits) || has_radix(text, "0o", kOctalDigits)) {
    return Scalar::integer;
  }
  if (is_one_of(text, kNotNumbers)) return Scalar::not_finite;
  skip_sign(text);
  if (is_one_of(text, kInfinities)) return Scalar::not_finite;
  const std::size_t whole = skip(text, kDigits);
  if (text.empty()) return whole == 0 ? Scalar::string : Scalar::integer;
  std::size_t fraction = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = skip(text, kDigits);
  }
  if (whole + fraction == 0) return Scalar::string;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    skip_sign(text);
    if (skip(text, kDigits) == 0) return Scalar::string;
  }
  return text.empty() ? Scalar::real : Scalar::string;
}

}  // namespace

Scalar classify(std::string_view text) {
  if (is_one_of(text, kNulls)) return Scalar::null;
  if (kDigits.find(text.front()) != std::string_view::npos || text.front() == '-' ||
      text.front() == '+' || text.front() == '.') {
    return classify_number(text);
  }
  return is_one_of(text, kBooleans) ? Scalar::boolean : Scalar::string;
}

std::optional<Scalar> classify_tagged(std::string_view text, std::string_view tag) {
  constexpr std::string_view kCore = "tag:yaml.org,2002:";
  if (!tag.starts_with(kCore)) return std::nullopt;
  tag.remove_prefix(kCore.size());
  if (tag == "str") return Scalar::string;
  const Scalar kind = classify(text);
  const bool right = (tag == "null" && kind == Scalar::null) ||
                     (tag == "bool" && kind == Scalar::boolean) ||
                     (tag == "int" && kind == Scalar::integer) ||
                     (tag == "float" && (kind == Scalar::real || kind == Scalar::not_finite));
  return right ? std::optional(kind) : std::nullopt;
}

std::string tag_message(std::string_view text, std::string_view tag) {
  constexpr std::array<std::string_view, 4> kScalars = {
      "tag:yaml.org,2002:null", "tag:yaml.org,2002:bool", "tag:yaml.org,2002:int",
      "tag:yaml.org,2002:float"};
  if (is_one_of(tag, kScalars)) {
    return fmt::format("{} does not have the form that its tag promises ({}); drop the tag",
                       in_quotes(text), tag);
  }
  return fmt::format("the tag {} is not read here; write the value without it", in_quotes(tag));
}

std::optional<Number> scalar_number(std::string_view text) {
  if (classify_number(text) == Scalar::not_finite) return std::nullopt;
  const bool hex = text.starts_with("0x");
  if (!hex && !text.starts_with("0o")) {
    if (text.starts_with('+')) text.remove_prefix(1);
    return to_number(text);
  }
  using double_conversion::StringToDoubleConverter;
  static const StringToDoubleConverter converter(
      StringToDoubleConverter::ALLOW_HEX | StringToDoubleConverter::ALLOW_OCTALS, 0, 0, nullptr,
      nullptr);
  // Octal is 0o17 in YAML and 017 in double-conversion.
  const std::string literal = hex ? std::string(text) : fmt::format("0{}", text.substr(2));
  int used = 0;
  const double value =
      converter.StringToDouble(literal.data(), static_cast<int>(literal.size()), &used);
  if (!std::isfinite(value)) return std::nullopt;
  return Number{.value = value};
}

}  // namespace ki::json::reading
