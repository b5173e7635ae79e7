#include "query/find_operation.h"

#include <algorithm>

#include "base/text.h"
#include "query/tokens.h"

namespace ki::query {
namespace {

// A slug, an alias, the stored name or the name as shown, ignoring case.
std::optional<std::size_t> by_exact_name(const std::string& name, const OperationIndex& index) {
  if (name.empty()) return std::nullopt;
  if (const auto at = index.by_slug(name)) return at;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < index.entries().size(); ++i) {
    const OperationEntry& entry = index.entries()[i];
    const bool named = equals_ignoring_case(entry.name, name) ||
                       equals_ignoring_case(entry.display_name, name) ||
                       std::ranges::find(entry.aliases, name) != entry.aliases.end();
    if (!named) continue;
    if (found) return std::nullopt;  // two operations share the name: neither is meant exactly
    found = i;
  }
  return found;
}

std::vector<std::string> words_of(const Request& request) {
  std::vector<std::string> out;
  if (!request.family.empty()) out.push_back(request.family);
  for (const NameWord& word : request.words) out.push_back(word.text);
  return out;
}

// Replaces other names of operations ("matmul") by the one the index uses, where it has a family or
// an operation of that name.
void apply_synonyms(Request& request, const OperationIndex& index,
                    std::vector<std::string>& notes) {
  for (std::size_t i = 0; i < request.readings.size(); ++i) {
    const Reading& reading = request.readings[i];
    const auto is_part = [&](const NameWord& word) { return word.reading == i; };
    const auto first = std::ranges::find_if(request.words, is_part);
    if (reading.kind != "operation" || first == request.words.end()) continue;
    const std::string& meaning = reading.meaning;
    std::string typed = ascii_lower(reading.token);
    if (meaning == first->text || meaning == typed || !reading.display.empty()) continue;
    if (!index.has_family(meaning) && !index.words().knows(meaning)) continue;
    first->text = meaning;
    const auto [from, to] = std::ranges::remove_if(first + 1, request.words.end(), is_part);
    request.words.erase(from, to);
    notes.push_back("showing " + meaning + " for " + typed);
  }
}

void correct_spelling(Request& request, const OperationIndex& index,
                      std::vector<std::string>& notes) {
  constexpr std::size_t kCorrectableMin = 4;
  for (NameWord& word : request.words) {
    const bool letters =
        std::ranges::all_of(word.text, [](char c) { return c >= 'a' && c <= 'z'; });
    if (!letters || word.text.size() < kCorrectableMin || is_filler(word.text)) continue;
    if (index.words().knows(word.text)) continue;
    const std::string near(index.words().nearest_word(word.text));
    if (near.empty()) continue;
    notes.push_back("showing " + near + " for " + word.text);
    request.readings[word.reading].meaning = near;
    request.readings[word.reading].alternatives = {word.text};
    word.text = near;
  }
}

// The whole query spells a name, so a word of it that could also be a facet is none.
void keep_as_words(Request& request) {
  std::erase_if(request.facets.axes, [](const AxisFacet& axis) { return axis.soft; });
  for (const NameWord& word : request.words) {
    Reading& reading = request.readings[word.reading];
    if (reading.kind != "axis") continue;
    reading.kind = "operation";
    reading.meaning = word.text;
  }
}

void mark_ignored(Request& request, const std::vector<std::string>& terms) {
  for (std::size_t i = 0; i < request.readings.size(); ++i) {
    Reading& reading = request.readings[i];
    if (reading.kind != "operation" || !reading.display.empty()) continue;
    const auto used = [&](const NameWord& word) {
      return word.reading == i && std::ranges::find(terms, word.text) != terms.end();
    };
    if (std::ranges::any_of(request.words, used)) continue;
    reading.kind = "ignored";
    reading.meaning = "no operation can be named by it";
  }
}

void check_family(Request& request, const OperationIndex& index) {
  if (request.family.empty() || index.has_family(request.family)) return;
  std::vector<std::string_view> names(index.families().begin(), index.families().end());
  const std::string near(nearest(request.family, names));
  request.issues.push_back(
      {.token = "family:" + request.family,
       .code = "unknown_family",
       .message = "no operation belongs to the family '" + excerpt(request.family) + "'",
       .hint = near.empty() ? std::nullopt : std::optional(near),
       .known = index.families()});
}

}  // namespace

Found find_operation(Request& request, const OperationIndex& index) {
  Found out;
  if (!request.digest.empty()) {
    out.operation = index.by_digest(request.digest);
    return out;
  }
  check_family(request, index);
  out.operation = by_exact_name(request.operation_key, index);
  if (out.operation) return out;
  OperationQuery query{.terms = usable_terms(words_of(request), index), .model = request.model};
  out.operation = index.named_exactly(query);
  if (!out.operation && !query.terms.empty()) {
    apply_synonyms(request, index, out.notes);
    correct_spelling(request, index, out.notes);
    query.terms = usable_terms(words_of(request), index);
  }
  mark_ignored(request, query.terms);
  if (out.operation) {
    keep_as_words(request);
    return out;
  }
  out.hits = index.match(query);
  if (dominates(out.hits)) out.operation = out.hits[0].operation;
  return out;
}

std::string narrowed_query(const Request& request, const std::string& slug) {
  std::vector<std::string> dropped;
  for (const Reading& reading : request.readings) {
    const bool kept = reading.kind != "operation" && reading.kind != "ignored" &&
                      reading.kind != "issue" && reading.kind != "family";
    if (kept) continue;
    for (auto& token : tokens_of(reading.token)) dropped.push_back(std::move(token));
  }
  std::string out = without_tokens(request.tokens, dropped);
  return out + (out.empty() ? "" : " ") + "op:" + slug;
}

}  // namespace ki::query
