#include "query/find_operation.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "query/lexicon.h"
#include "query/tags.h"
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
    // Where two operations share the name, neither is meant exactly, unless they are equivalent.
    if (found && index.listed(*found) != index.listed(i)) return std::nullopt;
    found = found ? index.listed(i) : i;
  }
  return found;
}

bool may_be_pass(const Request& request, const NameWord& word) {
  return request.readings[word.reading].kind == "pass";
}

// The family and the words of the name; those that may mean a pass only when asked for.
std::vector<std::string> words_of(const Request& request, bool with_passes) {
  std::vector<std::string> out;
  if (!request.family.empty()) out.push_back(request.family);
  for (const NameWord& word : request.words) {
    if (request.readings[word.reading].kind == "ignored") continue;
    if (with_passes || !may_be_pass(request, word)) out.push_back(word.text);
  }
  return out;
}

// A word that was typed to be part of a name, bare.
bool is_bare(const Request& request, const NameWord& word) {
  const Reading& reading = request.readings[word.reading];
  return !word.quoted && reading.kind == "operation" && reading.display.empty();
}

bool is_known(std::string_view word, const OperationIndex& index) {
  const auto parts = name_words(word);
  return index.is_alias(word) ||
         (!parts.empty() &&
          std::ranges::all_of(parts, [&](const auto& part) { return index.words().knows(part); }));
}

// What a word becomes that is a condition after all, because no operation is called by it.
void make_facet(Request& request, std::size_t reading, std::string kind, std::string meaning,
                std::string display, std::vector<std::string> alternatives) {
  Reading& now = request.readings[reading];
  now.kind = std::move(kind);
  now.meaning = std::move(meaning);
  now.display = std::move(display);
  now.alternatives = std::move(alternatives);
  std::erase_if(request.words, [&](const NameWord& word) { return word.reading == reading; });
}

// The other reading of a kind that stands.
std::optional<std::size_t> standing(const Request& request, std::string_view kind,
                                    std::size_t but) {
  for (std::size_t i = 0; i < request.readings.size(); ++i) {
    if (i != but && request.readings[i].kind == kind) return i;
  }
  return std::nullopt;
}

// A language that implementations state ("python") and the word "cpu" are conditions where no
// operation's name has them. Of two conditions of one kind the later counts.
void settle_languages(Request& request, const OperationIndex& index) {
  const std::vector<NameWord> words = request.words;
  for (const NameWord& word : words) {
    const bool processor = word.text == "cpu";
    if (!processor && !index.has_language(word.text)) continue;
    if (!is_bare(request, word) || is_known(word.text, index)) continue;
    const std::string kind = processor ? "architecture" : "language";
    const auto other = standing(request, kind, word.reading);
    const auto reading = policy::read_architecture(processor ? word.text : "");
    make_facet(request, word.reading, kind, processor ? "any processor" : word.text,
               (processor ? "arch " : "language ") + word.text,
               reading ? reading->tokens : std::vector<std::string>{});
    if (other && *other > word.reading) {
      replace_reading(request, word.reading, *other);
      continue;
    }
    if (other) replace_reading(request, *other, word.reading);
    if (processor) {
      request.facets.architecture = ArchitectureFacet{.requested = word.text, .reading = *reading};
    } else {
      request.facets.language = word.text;
    }
  }
}

// Words that no operation is called by, nor by anything like them, beside others that some are:
// they say nothing about which is meant.
void drop_strays(Request& request, const OperationIndex& index, std::vector<std::string>& notes) {
  constexpr double kAlike = 0.45;  // of the trigrams: "layernorm" and "layer norm" are alike
  const auto known = [&](const NameWord& word) {
    return !is_filler(word.text) && is_known(word.text, index);
  };
  if (std::ranges::none_of(request.words, known) && request.family.empty()) return;
  std::vector<std::string> unused;
  for (const NameWord& word : request.words) {
    if (!is_bare(request, word) || known(word) || is_filler(word.text)) continue;
    if (usable_terms({word.text}, index).empty() || index.words().likeness(word.text) >= kAlike) {
      continue;
    }
    request.readings[word.reading].kind = "ignored";
    request.readings[word.reading].meaning = "no word of any operation";
    unused.push_back(word.text);
  }
  if (unused.empty()) return;
  notes.push_back("not used, for no operation has such a word: " + join(unused, ", "));
}

bool has_pass_word(const Request& request) {
  return std::ranges::any_of(request.words,
                             [&](const NameWord& word) { return may_be_pass(request, word); });
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

// The word of a name that a misspelt one means: one of the index, or what another name that is
// nearer means there; "" when none is near.
std::string meant_by(const std::string& word, const OperationIndex& index) {
  std::vector<std::string_view> candidates;
  const std::string_view known = index.words().nearest_word(word);
  if (!known.empty()) candidates.push_back(known);
  for (const std::string_view name : operation_names()) candidates.push_back(name);
  const std::string near(nearest(word, candidates));
  if (near.empty() || near == known) return near;
  const std::vector<std::string> phrase = {near};
  const auto other = read_operation_name(phrase);
  const bool has =
      other && (index.has_family(other->meaning) || index.words().knows(other->meaning));
  return std::string(has ? other->meaning : known);
}

void correct_spelling(Request& request, const OperationIndex& index,
                      std::vector<std::string>& notes) {
  constexpr std::size_t kCorrectableMin = 4;
  for (NameWord& word : request.words) {
    const bool letters =
        std::ranges::all_of(word.text, [](char c) { return c >= 'a' && c <= 'z'; });
    if (!letters || word.text.size() < kCorrectableMin || is_filler(word.text)) continue;
    if (may_be_pass(request, word)) continue;
    // A word in quotes or of op: is meant as it stands.
    if (word.quoted || !request.readings[word.reading].display.empty()) continue;
    if (index.words().knows(word.text)) continue;
    const std::string near = meant_by(word.text, index);
    if (near.empty()) continue;
    notes.push_back("showing " + near + " for " + word.text);
    request.readings[word.reading].meaning = near;
    request.readings[word.reading].alternatives = {word.text};
    word.text = near;
  }
}

// "rmsnorm vs liger": the one operation whose slug or alias some of the words spell, where the
// others are words of no operation. The longest such run of words decides.
std::optional<std::size_t> named_among(const std::vector<std::string>& terms,
                                       const OperationIndex& index) {
  const auto known = [&](const std::string& term) { return index.words().knows(term); };
  for (std::size_t length = terms.size() - std::min<std::size_t>(terms.size(), 1); length > 0;
       --length) {
    for (std::size_t at = 0; at + length <= terms.size(); ++at) {
      const auto first = terms.begin() + static_cast<std::ptrdiff_t>(at);
      const auto last = first + static_cast<std::ptrdiff_t>(length);
      if (std::any_of(terms.begin(), first, known) || std::any_of(last, terms.end(), known)) {
        continue;
      }
      OperationQuery part;
      part.terms.assign(first, last);
      if (const auto found = index.named_exactly(part)) return found;
    }
  }
  return std::nullopt;
}

// Says which words the name that was found leaves over. Those of op: are the name.
void ignore_others(Request& request, const OperationEntry& entry, std::string_view why,
                   std::vector<std::string>& notes) {
  std::vector<std::string> names = {entry.slug, ascii_lower(entry.name)};
  names.insert(names.end(), entry.aliases.begin(), entry.aliases.end());
  std::vector<std::string> unused;
  for (const NameWord& word : request.words) {
    const auto part = [&](const std::string& name) { return name.contains(word.text); };
    Reading& reading = request.readings[word.reading];
    const bool of_name = reading.kind != "operation" || !reading.display.empty();
    if (of_name || std::ranges::any_of(names, part)) continue;
    reading.kind = "ignored";
    reading.meaning = "no word of the operation";
    unused.push_back(word.text);
  }
  if (unused.empty()) return;
  notes.push_back(std::string(why) + join(unused, ", "));
}

void keep_as_word(Request& request, const NameWord& word) {
  Reading& reading = request.readings[word.reading];
  reading.kind = "operation";
  reading.meaning = word.text;
}

// The whole query spells a name, so a word of it that could also be an axis is none.
void keep_axes_as_words(Request& request) {
  std::erase_if(request.facets.axes, [](const AxisFacet& axis) { return axis.soft; });
  for (const NameWord& word : request.words) {
    if (request.readings[word.reading].kind == "axis") keep_as_word(request, word);
  }
}

// A word of the name that was found ("silu-activation-backward") is no condition on its runs.
void settle_passes(Request& request, const OperationEntry& entry) {
  std::vector<std::string> names = {entry.slug, ascii_lower(entry.name)};
  names.insert(names.end(), entry.aliases.begin(), entry.aliases.end());
  const auto in_name = [&](std::string_view wanted) {
    return std::ranges::any_of(names, [&](std::string name) {
      std::ranges::replace_if(name, [](char c) { return c == '-' || c == '_'; }, ' ');
      const auto words = split(name, ' ');
      return std::ranges::find(words, wanted) != words.end();
    });
  };
  auto& pass = request.facets.pass;
  const bool by_word = pass && pass->soft;
  if (by_word) pass.reset();
  for (const NameWord& word : request.words) {
    if (!may_be_pass(request, word)) continue;
    if (in_name(word.text)) {
      keep_as_word(request, word);
    } else if (const auto other = policy::read_pass(word.text); other && by_word) {
      pass = PassFacet{.pass = *other, .soft = true};
    }
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

// A model is asked for by the start of its name.
void check_model(Request& request, const OperationIndex& index) {
  if (request.model.empty()) return;
  std::set<std::string_view> models;
  for (const OperationEntry& entry : index.entries()) {
    for (const std::string& tag : entry.tags) {
      const std::string_view model = model_of_tag(tag);
      if (model.starts_with(request.model)) return;
      if (!model.empty()) models.insert(model);
    }
  }
  constexpr std::size_t kListed = 20;
  const std::vector<std::string_view> names(models.begin(), models.end());
  const std::string near(nearest(request.model, names));
  std::vector<std::string> known(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kListed)));
  request.issues.push_back(
      {.token = "model:" + request.model,
       .code = "unknown_model",
       .message = "no operation belongs to a model '" + excerpt(request.model) + "'",
       .hint = near.empty() ? std::nullopt : std::optional(near),
       .known = std::move(known)});
}

}  // namespace

namespace {

bool holds_phrase(std::string_view name, const std::vector<std::string>& phrase) {
  const auto words = name_words(ascii_lower(name));
  return !std::ranges::search(words, phrase).empty();
}

// Whether an operation, or one that computes the same, is called by each quoted text: the words in
// their order, side by side, in one of its names.
bool has_phrases(const Request& request, const OperationIndex& index, std::size_t operation) {
  const auto called = [&](const OperationEntry& entry, const std::vector<std::string>& phrase) {
    const auto holds = [&](std::string_view name) { return holds_phrase(name, phrase); };
    return holds(entry.slug) || holds(entry.name) || holds(entry.display_name) ||
           holds(entry.family) || std::ranges::any_of(entry.aliases, holds) ||
           std::ranges::any_of(entry.tags, holds);
  };
  return std::ranges::all_of(request.phrases, [&](const std::vector<std::string>& phrase) {
    return std::ranges::any_of(index.group(operation), [&](std::uint32_t member) {
      return called(index.entries()[member], phrase);
    });
  });
}

void note_phrases(const Request& request, std::vector<std::string>& notes) {
  std::vector<std::string> shown;
  for (const auto& phrase : request.phrases) shown.push_back('"' + join(phrase, " ") + '"');
  notes.push_back("no operation that fits is called " + join(shown, " and ") +
                  ", in this order; without quotes the words are looked for one by one");
}

// The operation that the words name or clearly mean, with their passes or, if that finds none,
// without: "rope backward" is rope, unless an operation is called that.
void match_words(Found& out, Request& request, const OperationIndex& index) {
  OperationQuery query{.terms = usable_terms(words_of(request, true), index),
                       .model = request.model};
  OperationQuery bare{.terms = usable_terms(words_of(request, false), index),
                      .model = request.model};
  const bool two_ways = has_pass_word(request) && !bare.terms.empty();
  const auto quoted_otherwise = [&](std::size_t at) { return !has_phrases(request, index, at); };
  out.operation = index.named_exactly(query);
  if (!out.operation && two_ways) out.operation = index.named_exactly(bare);
  if (out.operation && quoted_otherwise(*out.operation)) out.operation.reset();
  if (!out.operation && request.model.empty()) {
    out.operation = named_among(bare.terms, index);
    if (out.operation && quoted_otherwise(*out.operation)) out.operation.reset();
    if (out.operation) {
      ignore_others(request, index.entries()[*out.operation],
                    "not used, for no operation has such a word: ", out.notes);
    }
  }
  if (!out.operation && !query.terms.empty()) {
    apply_synonyms(request, index, out.notes);
    correct_spelling(request, index, out.notes);
    drop_strays(request, index, out.notes);
    query.terms = usable_terms(words_of(request, true), index);
    bare.terms = usable_terms(words_of(request, false), index);
  }
  mark_ignored(request, query.terms);
  if (out.operation) return keep_axes_as_words(request);
  const auto match = [&](const OperationQuery& wanted) {
    auto hits = index.match(wanted);
    std::erase_if(hits, [&](const Hit& hit) { return quoted_otherwise(hit.operation); });
    return hits;
  };
  out.hits = match(query);
  if (out.hits.empty() && !request.phrases.empty()) note_phrases(request, out.notes);
  if (two_ways && !dominates(out.hits)) {
    auto hits = match(bare);
    if (dominates(hits) || out.hits.empty()) out.hits = std::move(hits);
  }
  // What op: names is that operation or none; what is near it is offered, not taken.
  if (request.operation_key.empty() && dominates(out.hits)) out.operation = out.hits[0].operation;
}

}  // namespace

Found find_operation(Request& request, const OperationIndex& index) {
  Found out;
  if (!request.digest.empty()) {
    out.operation = index.by_digest(request.digest);
    return out;
  }
  check_family(request, index);
  check_model(request, index);
  settle_languages(request, index);
  out.operation = by_exact_name(request.operation_key, index);
  if (out.operation) {
    ignore_others(request, index.entries()[*out.operation],
                  "not used, for the operation is named without it: ", out.notes);
  }
  if (!out.operation) match_words(out, request, index);
  if (out.operation) settle_passes(request, index.entries()[*out.operation]);
  return out;
}

std::string narrowed_query(const Request& request, const std::string& slug) {
  std::vector<std::string> dropped;
  for (const Reading& reading : request.readings) {
    const bool kept = reading.kind != "operation" && reading.kind != "ignored" &&
                      reading.kind != "issue" && reading.kind != "family" &&
                      reading.kind != "replaced";
    if (kept) continue;
    for (auto& token : tokens_of(reading.token)) dropped.push_back(std::move(token));
  }
  std::string out = without_tokens(request.tokens, dropped);
  return out + (out.empty() ? "" : " ") + "op:" + slug;
}

}  // namespace ki::query
