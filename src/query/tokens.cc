#include "query/tokens.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace ki::query {
namespace {

// Bytes of the blank character at `at`, 0 when there is none there.
std::size_t blank_at(std::string_view text, std::size_t at) {
  if (std::string_view(" \t\n\v\f\r").find(text[at]) != std::string_view::npos) return 1;
  static constexpr std::array<std::string_view, 8> kWide = {
      "\xC2\xA0",     "\xE2\x80\xA8", "\xE2\x80\xA9", "\xE2\x80\xAF",
      "\xE2\x81\x9F", "\xE3\x80\x80", "\xEF\xBB\xBF", "\xE1\x9A\x80"};
  const std::string_view rest = text.substr(at);
  for (const auto blank : kWide) {
    if (rest.starts_with(blank)) return blank.size();
  }
  const bool en_quad_or_kin = rest.size() >= 3 && rest.starts_with("\xE2\x80") &&
                              static_cast<unsigned char>(rest[2]) >= 0x80 &&
                              static_cast<unsigned char>(rest[2]) <= 0x8A;
  return en_quad_or_kin ? 3 : 0;
}

std::size_t run_length(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && blank_at(text, end) == 0) ++end;
  return end;
}

std::size_t quoted_length(std::string_view text, std::size_t quote) {
  if (quote >= text.size() || text[quote] != '"') return 0;
  const std::size_t close = text.find('"', quote + 1);
  return close == std::string_view::npos ? 0 : close + 1;
}

// key:"..." where the key is a word.
std::size_t keyed_quote_length(std::string_view text) {
  const auto is_key = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  std::size_t at = 0;
  while (at < text.size() && is_key(text[at])) ++at;
  if (at == 0 || at >= text.size() || (text[at] != ':' && text[at] != '=')) return 0;
  return quoted_length(text, at + 1);
}

// Up to the bracket that closes the last group opened inside the first run.
std::size_t bracket_length(std::string_view text, std::size_t run) {
  for (std::size_t open = run; open-- > 0;) {
    if (text[open] != '[') continue;
    const std::size_t close = text.find(']', open);
    if (close != std::string_view::npos) return close + 1;
  }
  return 0;
}

}  // namespace

std::vector<std::string> tokens_of(std::string_view query) {
  std::vector<std::string> out;
  std::size_t at = 0;
  while (at < query.size()) {
    if (const std::size_t blank = blank_at(query, at)) {
      at += blank;
      continue;
    }
    const std::string_view rest = query.substr(at);
    const std::size_t run = run_length(rest);
    const std::size_t length = std::max(
        {run, quoted_length(rest, 0), keyed_quote_length(rest), bracket_length(rest, run)});
    out.emplace_back(rest.substr(0, length));
    at += length;
  }
  return out;
}

std::vector<std::string> name_words(std::string_view lower) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) > 127;
  };
  std::vector<std::string> out;
  for (std::size_t at = 0; at < lower.size();) {
    std::size_t end = at;
    while (end < lower.size() && fits(lower[end])) ++end;
    if (end > at) out.emplace_back(lower.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string without_tokens(const std::vector<std::string>& tokens,
                           const std::vector<std::string>& dropped) {
  std::vector<std::string> kept;
  for (const auto& token : tokens) {
    if (std::ranges::find(dropped, token) == dropped.end()) kept.push_back(token);
  }
  return join(kept, " ");
}

std::optional<std::int64_t> leading_integer(std::string_view text) {
  constexpr std::int64_t kExactMax = std::int64_t{1} << 53;
  text = trim(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  std::optional<std::int64_t> value;
  for (const char c : text) {
    if (c < '0' || c > '9') break;
    value = value.value_or(0) * 10 + (c - '0');
    if (*value > kExactMax) return std::nullopt;
  }
  return value;
}

}  // namespace ki::query
