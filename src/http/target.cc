#include "http/target.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "json/value.h"

namespace ki::http {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

// Text areas and pasted text bring these along; no other control character has a meaning.
bool is_white_space(char c) { return c == '\t' || c == '\n' || c == '\r'; }

Result<std::string> decode(std::string_view text, bool plus_is_blank) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
      const bool whole = high >= 0 && low >= 0;
      if (!whole) {
        return fail(Code::invalid, "a percent sign in an address needs two hex digits: write %25");
      }
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += plus_is_blank && text[i] == '+' ? ' ' : text[i];
    }
  }
  if (!is_utf8(out)) return fail(Code::invalid, "the address is not UTF-8 once decoded");
  return out;
}

Result<std::string> decode_segment(std::string_view text) {
  std::string segment = TRY(percent_decode(text));
  if (std::ranges::any_of(segment, is_control)) {
    return fail(Code::invalid, "the path holds a control character");
  }
  if (segment == "." || segment == "..") {
    return fail(Code::invalid, "the path holds a \"" + segment + "\" segment");
  }
  return segment;
}

Result<std::string> decode_form(std::string_view text) {
  std::string value = TRY(decode(text, true));
  if (std::ranges::any_of(value, [](char c) { return is_control(c) && !is_white_space(c); })) {
    return fail(Code::invalid, "the query holds a control character");
  }
  return value;
}

// The error with the place in the request that it is of.
std::unexpected<Error> at(std::string pointer, Error error) {
  error.where = std::move(pointer);
  return std::unexpected(std::move(error));
}

// From the path on, which may be empty after an authority; the origin form stays as it is.
Result<std::string_view> without_authority(std::string_view text) {
  if (text.starts_with('/')) return text;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!equals_ignoring_case(text.substr(0, scheme.size()), scheme)) continue;
    const std::string_view rest = text.substr(scheme.size());
    const auto authority = std::min(rest.find_first_of("/?#"), rest.size());
    if (authority == 0) return fail(Code::invalid, "the address names no host after \"://\"");
    return authority == rest.size() ? std::string_view("/") : rest.substr(authority);
  }
  return fail(Code::invalid, "the address must start with \"/\", or be a whole http:// address");
}

}  // namespace

Result<std::string> percent_decode(std::string_view text) { return decode(text, false); }

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

std::string query_string(const std::vector<Parameter>& parameters) {
  std::string out;
  for (const auto& [name, value] : parameters) {
    out += out.empty() ? '?' : '&';
    out += percent_encode(name) + "=" + percent_encode(value);
  }
  return out;
}

Result<std::vector<Parameter>> parse_query(std::string_view text) {
  std::vector<Parameter> out;
  if (text.empty()) return out;
  for (const std::string_view pair : split(text, '&')) {
    if (pair.empty()) continue;
    if (out.size() == kParametersMax) {
      return fail(Code::too_large,
                  "the query has more than " + std::to_string(kParametersMax) + " parameters");
    }
    const auto equals = std::min(pair.find('='), pair.size());
    auto name = decode_form(pair.substr(0, equals));
    if (!name) return at("/query", std::move(name.error()));
    auto value = decode_form(pair.substr(std::min(equals + 1, pair.size())));
    if (!value) {
      std::string pointer = "/query";
      json::append_pointer(pointer, *name);
      return at(std::move(pointer), std::move(value.error()));
    }
    out.emplace_back(std::move(*name), std::move(*value));
  }
  return out;
}

Result<Target> parse_target(std::string_view text) {
  if (text.size() > kTargetBytesMax) {
    return fail(Code::too_large,
                "the address is longer than " + std::to_string(kTargetBytesMax) + " bytes");
  }
  text = TRY(without_authority(text));
  if (text.find('#') != std::string_view::npos) {
    return fail(Code::invalid, "the address holds a \"#\": write %23");
  }
  Target target;
  const auto question = text.find('?');
  target.path = question == 0 ? std::string_view("/") : text.substr(0, question);
  if (target.path != "/") {
    for (const std::string_view part : split(std::string_view(target.path).substr(1), '/')) {
      auto segment = decode_segment(part);
      if (!segment) return at("/path", std::move(segment.error()));
      target.segments.push_back(std::move(*segment));
    }
  }
  if (question != std::string_view::npos) {
    target.parameters = TRY(parse_query(text.substr(question + 1)));
  }
  return target;
}

}  // namespace ki::http
