#include "query/parser.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "query/lexicon.h"
#include "query/operation_index.h"
#include "query/parse.h"
#include "query/tokens.h"

namespace ki::query {
namespace {

struct Key {
  std::string_view name;
  void (Parser::*read)(const std::string&, std::string_view);
  bool axis_with_number = false;  // "pass=2" binds an axis, as every key did before this one
  bool ranges = false;            // takes ">=13" and "12..13"
};

// In the order in which hints are looked for.
constexpr std::array kKeys = {Key{"op", &Parser::operation},
                              Key{"operation", &Parser::operation},
                              Key{"family", &Parser::family},
                              Key{"model", &Parser::model},
                              Key{"gpu", &Parser::hardware},
                              Key{"hardware", &Parser::hardware},
                              Key{"arch", &Parser::architecture},
                              Key{"dtype", &Parser::dtype},
                              Key{"shape", &Parser::shape},
                              Key{"layout", &Parser::layout},
                              Key{"framework", &Parser::framework},
                              Key{"language", &Parser::language},
                              Key{"lang", &Parser::language},
                              Key{"cuda", &Parser::cuda, false, true},
                              Key{"trust", &Parser::trust},
                              Key{"evidence", &Parser::trust},
                              Key{"license", &Parser::license},
                              Key{"source", &Parser::source},
                              Key{"source_available", &Parser::source},
                              Key{"installable", &Parser::installable},
                              Key{"pass", &Parser::pass, true},
                              Key{"metric", &Parser::metric, true},
                              Key{"cohort", &Parser::cohort, true},
                              Key{"vendor", &Parser::vendor},
                              Key{"memory", &Parser::memory, false, true},
                              Key{"count", &Parser::count, false, true},
                              Key{"project", &Parser::project},
                              Key{"package", &Parser::package},
                              Key{"author", &Parser::author},
                              Key{"driver", &Parser::driver, false, true},
                              Key{"compiler", &Parser::compiler},
                              Key{"protocol", &Parser::protocol},
                              Key{"statistic", &Parser::statistic},
                              Key{"framework_version", &Parser::framework_version, false, true},
                              Key{"toolkit_version", &Parser::toolkit_version, false, true}};

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A letter, then letters, digits and '_': the names of axes, in any case.
bool is_axis_name(std::string_view text) {
  const auto fits = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
  return !text.empty() && is_letter(text[0]) && std::ranges::all_of(text, fits);
}

// The parts of "key:value", "key=value" and "key>=value", where a sign belongs to the value. A key
// with a digit is one only of an axis: it needs a size.
struct Keyed {
  std::string_view key;
  std::string_view value;
};
std::optional<Keyed> keyed(std::string_view token) {
  const std::size_t split = token.find_first_of(":=<>");
  if (split == std::string_view::npos || split + 1 == token.size()) return std::nullopt;
  const bool sign = token[split] == '<' || token[split] == '>';
  const Keyed out{.key = token.substr(0, split), .value = token.substr(split + (sign ? 0 : 1))};
  const auto fits = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
  if (out.key.empty() || !std::ranges::all_of(out.key, fits)) return std::nullopt;
  const bool digits = std::ranges::any_of(out.key, is_digit);
  if (digits && (!is_axis_name(out.key) || !read_range(out.value))) return std::nullopt;
  return out;
}

bool looks_like_range(std::string_view value) {
  if (value.starts_with('<') || value.starts_with('>')) return true;
  const std::size_t dots = value.find("..");
  return dots != std::string_view::npos && dots > 0 && value[0] >= '0' && value[0] <= '9';
}

// digits, x, then digits and further x.
bool looks_like_shape(std::string_view lower) {
  const std::size_t cross = lower.find('x');
  if (cross == std::string_view::npos || !is_digits(lower.substr(0, cross))) return false;
  const std::string_view rest = lower.substr(cross + 1);
  const auto fits = [](char c) { return c == 'x' || (c >= '0' && c <= '9'); };
  return !rest.empty() && std::ranges::all_of(rest, fits);
}

// A word as it would stand alone: "H100?", "(bf16)," and "rmsnorm." mean what they enclose. Quotes
// and brackets say themselves where they end.
std::string_view without_punctuation(std::string_view token) {
  if (token.find_first_of("\"[") != std::string_view::npos) return token;
  const std::string_view after = keyed(token) ? ",;?!" : ".,:;?!)";
  const std::size_t last = token.find_last_not_of(after);
  token = token.substr(0, last == std::string_view::npos ? 0 : last + 1);
  return token.substr(std::min(token.find_first_not_of('('), token.size()));
}

// "full" alone is too common a word of names to mean the pass.
std::optional<policy::Pass> bare_pass(std::string_view word) {
  const auto pass = policy::read_pass(word);
  return pass == policy::Pass::full ? std::nullopt : pass;
}

QueryIssue range_issue(const std::string& token, std::string_view key) {
  return {
      .token = token,
      .code = "range",
      .message = "'" + std::string(key) + "' cannot be filtered by a range; give one exact value",
      .hint = std::nullopt,
      .known = {}};
}

}  // namespace

QueryIssue axis_issue(const std::string& token, std::string_view axis) {
  const std::string name = excerpt(axis);
  return {.token = token,
          .code = "unknown_value",
          .message = "the axis '" + name + "' takes a whole number or a range, such as " + name +
                     "=2048, " + name + ":1k..8k or " + name + ">=64",
          .hint = std::nullopt,
          .known = {}};
}

std::span<const std::string_view> known_filters() {
  static constexpr auto kNames = [] {
    std::array<std::string_view, kKeys.size()> names{};
    for (std::size_t i = 0; i < kKeys.size(); ++i) names[i] = kKeys[i].name;
    return names;
  }();
  return kNames;
}

Parser::Parser(std::string_view text) {
  request_.text = std::string(trim(text));
  request_.tokens = tokens_of(request_.text);
  for (const auto& token : request_.tokens) {
    bare_.emplace_back(without_punctuation(token));
    lower_.push_back(ascii_lower(bare_.back()));
  }
}

void Parser::read_tokens() {
  for (std::size_t at = 0; at < request_.tokens.size();) at += read_at(at);
}

std::string Parser::append_token(std::string_view key, std::string_view value) {
  std::string shown(value);
  std::ranges::replace(shown, '"', ' ');
  const bool quote = tokens_of(shown).size() != 1;
  const std::string token =
      std::string(key) + ":" + (quote ? "\"" + shown + "\"" : std::string(trim(shown)));
  request_.tokens.push_back(token);
  bare_.push_back(token);
  lower_.push_back(ascii_lower(token));
  request_.text += (request_.text.empty() ? "" : " ") + token;
  return token;
}

Request Parser::finish() && {
  for (std::size_t i = 0; i < origins_.size(); ++i) {
    request_.readings[i].query_without = without_tokens(request_.tokens, origins_[i]);
  }
  return std::move(request_);
}

std::size_t Parser::read_at(std::size_t at) {
  const std::string& token = request_.tokens[at];
  const std::string& lower = lower_[at];
  if (lower.empty()) {
    add_reading(token, "ignored", "punctuation", "");
    return 1;
  }
  if (read_quoted(token) || read_keyed(token, bare_[at]) || read_shape(token, lower) ||
      read_digest(token, lower)) {
    return 1;
  }
  if (policy::read_dtype(lower)) {
    dtype(token, lower);
    return 1;
  }
  if (const std::size_t taken = read_hardware_at(at)) return taken;
  if (read_word(token, lower)) return 1;
  if (const std::size_t taken = read_operation_at(at)) return taken;
  if (const std::size_t taken = read_axis_at(at)) return taken;
  free_word(token, lower);
  return 1;
}

bool Parser::read_quoted(const std::string& token) {
  if (!token.starts_with('"') || !token.ends_with('"')) return false;
  const std::string_view inner =
      token.size() < 2 ? std::string_view{} : std::string_view(token).substr(1, token.size() - 2);
  // One word in quotes is a word, so that a name like "L4" can be searched for.
  if (inner.contains(' ') && policy::read_gpu(inner)) {
    hardware(token, inner);
    return true;
  }
  const std::string lower = ascii_lower(trim(inner));
  for (const auto& word : tokens_of(lower)) free_word(token, word, true);
  if (auto phrase = name_words(lower); !phrase.empty()) {
    request_.phrases.push_back(std::move(phrase));
  }
  return true;
}

bool Parser::read_keyed(const std::string& token, std::string_view bare) {
  const auto parts = keyed(bare);
  if (!parts) return false;
  auto [key, value] = *parts;
  if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"')) {
    value = value.substr(1, value.size() - 2);
  }
  const auto found = std::ranges::find(kKeys, ascii_lower(key), &Key::name);
  // Eight digits or more are no size of anything; of a cohort's key they are the start.
  constexpr std::size_t kSizeDigitsMax = 7;
  const bool number = is_digits(value) && value.size() <= kSizeDigitsMax;
  if (found == kKeys.end() || (found->axis_with_number && number)) {
    unknown_key(token, key, value);
  } else if (looks_like_range(value) && !found->ranges) {
    add_issue(range_issue(token, key));
  } else {
    (this->*found->read)(token, value);
  }
  return true;
}

void Parser::unknown_key(const std::string& token, std::string_view key, std::string_view value) {
  const auto size = query::read_range(value);
  if (size && is_axis_name(key)) {
    if (is_range(token, size, value)) axis(token, ascii_lower(key), *size);
    return;
  }
  if (looks_like_range(value)) {
    is_range(token, std::nullopt, value);
    return;
  }
  if (is_axis_word(ascii_lower(key))) return add_issue(axis_issue(token, ascii_lower(key)));
  QueryIssue issue{.token = token,
                   .code = "unknown_filter",
                   .message = "unknown filter '" + excerpt(key) + "'",
                   .hint = std::nullopt,
                   .known = {known_filters().begin(), known_filters().end()}};
  const std::string lower = ascii_lower(key);
  for (const auto name : known_filters()) {
    if (!name.starts_with(lower.substr(0, 3)) && !lower.starts_with(name)) continue;
    issue.hint = std::string(name);
    issue.message += "; did you mean '" + std::string(name) + ":'?";
    break;
  }
  if (!issue.hint && !value.empty() && value[0] >= '0' && value[0] <= '9') {
    issue.message += "; an axis is a lower-case name with a whole number, such as tokens=2048";
  }
  add_issue(std::move(issue));
}

bool Parser::read_shape(const std::string& token, const std::string& lower) {
  const bool bracketed = token.size() >= 2 && token.starts_with('[') && token.ends_with(']');
  if (!bracketed && !looks_like_shape(lower)) return false;
  shape(token, lower);
  return true;
}

bool Parser::read_digest(const std::string& token, const std::string& lower) {
  if (!parse_digest(lower)) return false;
  request_.digest = lower;
  add_reading(token, "digest", "an object by its digest", "digest " + lower.substr(0, 15));
  return true;
}

std::size_t Parser::read_hardware_at(std::size_t at) {
  const auto found = read_hardware(std::span(lower_).subspan(at));
  if (!found) return 0;
  std::vector<std::string> origin(
      request_.tokens.begin() + static_cast<std::ptrdiff_t>(at),
      request_.tokens.begin() + static_cast<std::ptrdiff_t>(at + found->words));
  const auto first = lower_.begin() + static_cast<std::ptrdiff_t>(at);
  const std::string name = join({first, first + static_cast<std::ptrdiff_t>(found->words)}, " ");
  set_hardware(join(origin, " "),
               {.requested = ascii_upper(name), .gpu = found->reading, .part = {}});
  origins_.back() = std::move(origin);
  return found->words;
}

std::size_t Parser::read_operation_at(std::size_t at) {
  const auto found = read_operation_name(std::span(lower_).subspan(at));
  if (!found) return 0;
  std::vector<std::string> origin(
      request_.tokens.begin() + static_cast<std::ptrdiff_t>(at),
      request_.tokens.begin() + static_cast<std::ptrdiff_t>(at + found->words));
  const std::string typed = join(origin, " ");
  const std::size_t reading = add_reading(typed, "operation", std::string(found->meaning), "");
  for (std::size_t i = at; i < at + found->words; ++i) {
    request_.words.push_back({.text = lower_[i], .reading = reading});
  }
  origins_.back() = std::move(origin);
  return found->words;
}

// "hidden 4096" and "hidden size 4096" as people say them: hidden=4096.
std::size_t Parser::read_axis_at(std::size_t at) {
  const auto found = read_axis_phrase(std::span(lower_).subspan(at));
  if (!found) return 0;
  const auto first = request_.tokens.begin() + static_cast<std::ptrdiff_t>(at);
  std::vector<std::string> origin(first, first + static_cast<std::ptrdiff_t>(found->words));
  axis(join(origin, " "), std::string(found->axis), found->size);
  origins_.back() = std::move(origin);
  return found->words;
}

bool Parser::read_word(const std::string& token, const std::string& lower) {
  static constexpr std::array<std::string_view, 5> kLanguages = {"triton", "cuda", "cutlass", "ptx",
                                                                 "tilelang"};
  // "cpu" may be part of a name; find_operation.cc decides.
  if (lower != "cpu" && policy::read_architecture(lower)) {
    architecture(token, lower);
  } else if (policy::read_vendor(lower)) {
    vendor(token, lower);
  } else if (lower == "pytorch" || lower == "torch") {
    framework(token, lower);
  } else if (std::ranges::find(kLanguages, lower) != kLanguages.end()) {
    language(token, lower);
  } else if (policy::parse_evidence_level(lower)) {
    trust(token, lower);
  } else if (lower.starts_with('x') && policy::read_device_count(lower)) {
    count(token, lower);
  } else {
    return false;
  }
  return true;
}

void Parser::free_word(const std::string& token, std::string_view word, bool quoted) {
  std::size_t reading = 0;
  if (is_filler(word)) {
    reading = add_reading(token, "ignored", "not part of a name", "");
  } else if (word == "causal" && !quoted) {
    // Part of many names and an axis of others: it stays a word, and counts as a facet only where
    // the operation found has such an axis.
    reading = add_reading(token, "axis", "causal = true", "");
    request_.facets.axes.push_back(
        {.name = "causal", .size = {.least = 1, .most = 1}, .soft = true, .token = token});
  } else if (const auto pass = bare_pass(word); pass && !quoted) {
    // The same for passes: a word of names, a condition where the runs found state a pass.
    // What pass: says stands above it.
    reading = add_reading(token, "pass", std::string(policy::name_of(*pass)) + " pass", "");
    auto& facet = request_.facets.pass;
    if (!facet || facet->soft) facet = PassFacet{.pass = *pass, .soft = true};
  } else {
    reading = add_reading(token, "operation", std::string(word), "");
  }
  request_.words.push_back({.text = std::string(word), .reading = reading, .quoted = quoted});
}

std::size_t Parser::add_reading(const std::string& token, std::string kind, std::string meaning,
                                std::string display, std::vector<std::string> alternatives) {
  request_.readings.push_back({.token = token,
                               .kind = std::move(kind),
                               .meaning = std::move(meaning),
                               .alternatives = std::move(alternatives),
                               .display = std::move(display),
                               .query_without = {}});
  origins_.push_back({token});
  return request_.readings.size() - 1;
}

void Parser::add_facet(const std::string& facet, const std::string& token, std::string kind,
                       std::string meaning, std::string display,
                       std::vector<std::string> alternatives) {
  const std::size_t now = add_reading(token, std::move(kind), std::move(meaning),
                                      std::move(display), std::move(alternatives));
  const auto [standing, first] = facet_reading_.try_emplace(facet, now);
  if (!first) replace_reading(request_, std::exchange(standing->second, now), now);
}

void Parser::add_issue(QueryIssue issue) {
  add_reading(issue.token, "issue", issue.message, "");
  request_.issues.push_back(std::move(issue));
}

}  // namespace ki::query
