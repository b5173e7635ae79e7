#include "policy/version.h"

#include <algorithm>
#include <charconv>
#include <compare>

#include "base/text.h"

namespace ki::policy {
namespace {

using Numbers = Versions::Numbers;

// The numbers that a text starts with, separated by dots, after one "v"; `rest` is what follows.
std::optional<Numbers> leading_numbers(std::string_view text, std::string_view& rest) {
  if (text.starts_with('v') || text.starts_with('V')) text.remove_prefix(1);
  Numbers out;
  while (out.size() < kVersionPartsMax) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{}) return std::nullopt;
    out.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    const bool more = text.size() > 1 && text[0] == '.' && text[1] >= '0' && text[1] <= '9';
    if (!more) break;
    text.remove_prefix(1);
  }
  rest = text;
  return out;
}

std::optional<Numbers> whole_version(std::string_view text) {
  std::string_view rest;
  auto out = leading_numbers(text, rest);
  return out && rest.empty() ? out : std::nullopt;
}

// As far as `bound` is stated; numbers that are missing in `stated` are 0.
std::strong_ordering compare(const Numbers& stated, const Numbers& bound) {
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const std::int64_t number = i < stated.size() ? stated[i] : 0;
    if (number != bound[i]) return number <=> bound[i];
  }
  return std::strong_ordering::equal;
}

std::optional<Versions> one_sided(std::string_view text) {
  const bool above = text[0] == '>';
  const bool included = text.size() > 1 && text[1] == '=';
  auto numbers = whole_version(trim(text.substr(included ? 2 : 1)));
  if (!numbers) return std::nullopt;
  Versions out;
  (above ? out.least : out.most) =
      Versions::Bound{.numbers = std::move(*numbers), .included = included};
  return out;
}

std::optional<Versions> between(std::string_view before, std::string_view after) {
  Versions out;
  if (!before.empty()) {
    auto numbers = whole_version(before);
    if (!numbers) return std::nullopt;
    out.least = Versions::Bound{.numbers = std::move(*numbers)};
  }
  if (!after.empty()) {
    auto numbers = whole_version(after);
    if (!numbers) return std::nullopt;
    out.most = Versions::Bound{.numbers = std::move(*numbers)};
  }
  if (!out.least && !out.most) return std::nullopt;
  if (out.least && out.most && compare(out.least->numbers, out.most->numbers) > 0) {
    return std::nullopt;
  }
  return out;
}

std::optional<Versions> read(std::string_view text) {
  if (text.starts_with('<') || text.starts_with('>')) return one_sided(text);
  if (const auto dots = text.find(".."); dots != std::string_view::npos) {
    return between(trim(text.substr(0, dots)), trim(text.substr(dots + 2)));
  }
  return text.empty() ? std::nullopt : between(text, text);
}

}  // namespace

bool Versions::hold(std::string_view stated) const {
  std::string_view rest;
  const auto numbers = leading_numbers(trim(stated), rest);
  if (!numbers) return false;
  if (least) {
    const auto order = compare(*numbers, least->numbers);
    if (order < 0 || (order == 0 && !least->included)) return false;
  }
  if (most) {
    const auto order = compare(*numbers, most->numbers);
    if (order > 0 || (order == 0 && !most->included)) return false;
  }
  return true;
}

std::optional<Versions> read_versions(std::string_view text) {
  auto out = read(trim(text));
  if (!out) return out;
  for (const char c : text) {
    if (c != ' ' && c != '\t') out->requested += c;
  }
  return out;
}

}  // namespace ki::policy
