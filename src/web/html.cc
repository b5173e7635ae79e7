#include "web/html.h"

#include <algorithm>

#include "base/text.h"
#include "http/target.h"

namespace ki::web {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_plain(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7F &&
         c != '&' && c != '<' && c != '>' && c != '"' && c != '\'';
}

// What markup would read as its own.
bool is_markup(char c) { return std::string_view("&<>\"'").contains(c); }

// Length of the well-formed character at the front, 0 when there is none.
std::size_t character_bytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  return text.size() >= size && is_utf8(text.substr(0, size)) ? size : 0;
}

bool reorders(std::string_view character) {
  return (character >= "\xE2\x80\xAA" && character <= "\xE2\x80\xAE") ||
         (character >= "\xE2\x81\xA6" && character <= "\xE2\x81\xA9");
}

enum class Form { markup, plain };

void append_character(std::string& out, std::string_view character, Form form) {
  const char c = character.front();
  if (form == Form::plain && is_markup(c)) {
    out += c;
    return;
  }
  if (c == '&') {
    out += "&amp;";
  } else if (c == '<') {
    out += "&lt;";
  } else if (c == '>') {
    out += "&gt;";
  } else if (c == '"') {
    out += "&quot;";
  } else if (c == '\'') {
    out += "&#39;";
  } else if (character.size() == 1 && c != '\t' && c != '\n' && !is_plain(c)) {
    out += kReplacement;
  } else {
    out += reorders(character) ? kReplacement : character;
  }
}

void append_text(std::string& out, std::string_view text, Form form) {
  while (!text.empty()) {
    const auto plain =
        static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return;
    const std::size_t size = character_bytes(text);
    if (size == 0) {
      out += kReplacement;
    } else {
      append_character(out, text.substr(0, size), form);
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
}

}  // namespace

void Html::put_text(std::string_view text) { append_text(text_, text, Form::markup); }

std::string escaped(std::string_view text) {
  std::string out;
  append_text(out, text, Form::markup);
  return out;
}

std::string plain(std::string_view text) {
  std::string out;
  append_text(out, text, Form::plain);
  return out;
}

Url Url::local(const std::vector<std::string_view>& segments,
               const std::vector<http::Parameter>& parameters) {
  std::string text;
  for (const std::string_view segment : segments) text += "/" + http::percent_encode(segment);
  if (text.empty()) text = "/";
  return Url(text + http::query_string(parameters));
}

Url Url::fragment(std::string_view name) { return Url("#" + http::percent_encode(name)); }

Url Url::outside(std::string_view text) {
  const std::string scheme = ascii_lower(text.substr(0, 8));
  const bool known = scheme.starts_with("https://") || scheme.starts_with("http://");
  const bool clean = std::ranges::all_of(
      text, [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7F; });
  return Url(known && clean && text.size() <= kUrlBytesMax ? std::string(text) : "");
}

}  // namespace ki::web
