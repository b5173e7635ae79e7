#include "query/stem.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ki::query {
namespace {

// 'Y' marks a y that counts as a consonant while a word is being stemmed.
bool is_vowel(char c) { return std::string_view("aeiouy").find(c) != std::string_view::npos; }

bool ends_with_double(std::string_view w) {
  if (w.size() < 2 || w[w.size() - 1] != w[w.size() - 2]) return false;
  return std::string_view("bdfgmnprt").find(w.back()) != std::string_view::npos;
}

// A vowel followed by a non-vowel other than w, x, Y and preceded by a non-vowel, or a vowel at the
// start followed by a non-vowel.
bool ends_in_short_syllable(std::string_view w) {
  const std::size_t n = w.size();
  if (n == 2) return is_vowel(w[0]) && !is_vowel(w[1]);
  if (n < 3) return false;
  return !is_vowel(w[n - 3]) && is_vowel(w[n - 2]) && !is_vowel(w[n - 1]) &&
         std::string_view("wxY").find(w[n - 1]) == std::string_view::npos;
}

struct Word {
  std::string text;
  std::size_t r1 = 0;
  std::size_t r2 = 0;

  bool has(std::string_view suffix) const { return text.ends_with(suffix); }
  bool in_r1(std::string_view suffix) const { return text.size() - suffix.size() >= r1; }
  bool in_r2(std::string_view suffix) const { return text.size() - suffix.size() >= r2; }
  std::string_view before(std::string_view suffix) const {
    return std::string_view(text).substr(0, text.size() - suffix.size());
  }
  void replace(std::string_view suffix, std::string_view by) {
    text.resize(text.size() - suffix.size());
    text += by;
  }
  bool vowel_before(std::string_view suffix) const {
    return std::ranges::any_of(before(suffix), is_vowel);
  }
};

std::size_t region_after(std::string_view w, std::size_t from) {
  for (std::size_t i = from + 1; i < w.size(); ++i) {
    if (!is_vowel(w[i]) && is_vowel(w[i - 1])) return i + 1;
  }
  return w.size();
}

Word prepare(std::string_view word) {
  Word w{.text = std::string(word)};
  if (w.text.starts_with('y')) w.text[0] = 'Y';
  for (std::size_t i = 1; i < w.text.size(); ++i) {
    if (w.text[i] == 'y' && is_vowel(w.text[i - 1])) w.text[i] = 'Y';
  }
  w.r1 = region_after(w.text, 0);
  for (const std::string_view prefix : {"gener", "commun", "arsen"}) {
    if (w.text.starts_with(prefix)) w.r1 = prefix.size();
  }
  w.r2 = w.r1 >= w.text.size() ? w.text.size() : region_after(w.text, w.r1);
  return w;
}

void step_1a(Word& w) {
  if (w.has("sses")) return w.replace("sses", "ss");
  if (w.has("ied") || w.has("ies")) {
    return w.replace("ies", w.text.size() > 4 ? "i" : "ie");
  }
  if (w.has("us") || w.has("ss") || !w.has("s")) return;
  // Deleted only when a vowel stands before the letter in front of the s.
  const std::string_view rest = w.before("s");
  if (rest.size() > 1 && std::ranges::any_of(rest.substr(0, rest.size() - 1), is_vowel)) {
    w.replace("s", "");
  }
}

void step_1b(Word& w) {
  for (const std::string_view suffix : {"eedly", "eed"}) {
    if (!w.has(suffix)) continue;
    if (w.in_r1(suffix)) w.replace(suffix, "ee");
    return;
  }
  for (const std::string_view suffix : {"ingly", "edly", "ing", "ed"}) {
    if (!w.has(suffix)) continue;
    if (!w.vowel_before(suffix)) return;
    w.replace(suffix, "");
    if (w.has("at") || w.has("bl") || w.has("iz")) {
      w.text += 'e';
    } else if (ends_with_double(w.text)) {
      w.text.pop_back();
    } else if (w.r1 >= w.text.size() && ends_in_short_syllable(w.text)) {
      w.text += 'e';
    }
    return;
  }
}

void step_1c(Word& w) {
  const std::size_t n = w.text.size();
  if (n > 2 && (w.text.back() == 'y' || w.text.back() == 'Y') && !is_vowel(w.text[n - 2])) {
    w.text.back() = 'i';
  }
}

using Rule = std::pair<std::string_view, std::string_view>;

void step_2(Word& w) {
  static constexpr std::array kRules = {
      Rule{"ization", "ize"}, Rule{"ational", "ate"}, Rule{"fulness", "ful"},
      Rule{"ousness", "ous"}, Rule{"iveness", "ive"}, Rule{"tional", "tion"},
      Rule{"biliti", "ble"},  Rule{"lessli", "less"}, Rule{"entli", "ent"},
      Rule{"ation", "ate"},   Rule{"alism", "al"},    Rule{"aliti", "al"},
      Rule{"ousli", "ous"},   Rule{"iviti", "ive"},   Rule{"fulli", "ful"},
      Rule{"enci", "ence"},   Rule{"anci", "ance"},   Rule{"abli", "able"},
      Rule{"izer", "ize"},    Rule{"ator", "ate"},    Rule{"alli", "al"},
      Rule{"bli", "ble"}};
  for (const auto& [suffix, by] : kRules) {
    if (!w.has(suffix)) continue;
    if (w.in_r1(suffix)) w.replace(suffix, by);
    return;
  }
  if (w.has("ogi")) {
    if (w.in_r1("ogi") && w.before("ogi").ends_with('l')) w.replace("ogi", "og");
    return;
  }
  if (!w.has("li") || !w.in_r1("li")) return;
  const std::string_view rest = w.before("li");
  if (!rest.empty() && std::string_view("cdeghkmnrt").find(rest.back()) != std::string_view::npos) {
    w.replace("li", "");
  }
}

void step_3(Word& w) {
  static constexpr std::array kRules = {
      Rule{"ational", "ate"}, Rule{"tional", "tion"}, Rule{"alize", "al"}, Rule{"icate", "ic"},
      Rule{"iciti", "ic"},    Rule{"ical", "ic"},     Rule{"ness", ""},    Rule{"ful", ""}};
  for (const auto& [suffix, by] : kRules) {
    if (!w.has(suffix)) continue;
    if (w.in_r1(suffix)) w.replace(suffix, by);
    return;
  }
  if (w.has("ative") && w.in_r2("ative")) w.replace("ative", "");
}

void step_4(Word& w) {
  static constexpr std::array<std::string_view, 16> kSuffixes = {
      "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent",
      "ism",   "ate",  "iti",  "ous",  "ive",  "ize",  "al",  "er"};
  for (const std::string_view suffix : kSuffixes) {
    if (!w.has(suffix)) continue;
    if (w.in_r2(suffix)) w.replace(suffix, "");
    return;
  }
  if (w.has("ic")) {
    if (w.in_r2("ic")) w.replace("ic", "");
  } else if (w.has("ion") && w.in_r2("ion")) {
    const std::string_view rest = w.before("ion");
    if (rest.ends_with('s') || rest.ends_with('t')) w.replace("ion", "");
  }
}

void step_5(Word& w) {
  if (w.has("e")) {
    if (w.in_r2("e") || (w.in_r1("e") && !ends_in_short_syllable(w.before("e")))) {
      w.replace("e", "");
    }
  } else if (w.has("l") && w.in_r2("l") && w.before("l").ends_with('l')) {
    w.replace("l", "");
  }
}

// Words whose stem the rules get wrong.
std::string_view exception(std::string_view word) {
  static constexpr std::array kWords = {
      Rule{"skis", "ski"},      Rule{"skies", "sky"},    Rule{"dying", "die"},
      Rule{"lying", "lie"},     Rule{"tying", "tie"},    Rule{"idly", "idl"},
      Rule{"gently", "gentl"},  Rule{"ugly", "ugli"},    Rule{"early", "earli"},
      Rule{"only", "onli"},     Rule{"singly", "singl"}, Rule{"sky", "sky"},
      Rule{"news", "news"},     Rule{"howe", "howe"},    Rule{"atlas", "atlas"},
      Rule{"cosmos", "cosmos"}, Rule{"bias", "bias"},    Rule{"andes", "andes"}};
  const auto found = std::ranges::find(kWords, word, &Rule::first);
  return found == kWords.end() ? std::string_view{} : found->second;
}

bool is_final_after_1a(std::string_view word) {
  static constexpr std::array<std::string_view, 8> kWords = {
      "inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"};
  return std::ranges::find(kWords, word) != kWords.end();
}

}  // namespace

std::string stem_english(std::string_view word) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  if (word.size() <= 2 || !std::ranges::all_of(word, is_letter)) return std::string(word);
  if (const auto fixed = exception(word); !fixed.empty()) return std::string(fixed);
  Word w = prepare(word);
  step_1a(w);
  if (!is_final_after_1a(w.text)) {
    step_1b(w);
    step_1c(w);
    step_2(w);
    step_3(w);
    step_4(w);
    step_5(w);
  }
  std::ranges::replace(w.text, 'Y', 'y');
  return w.text;
}

bool is_english_stop_word(std::string_view word) {
  static constexpr auto kWords = std::to_array<std::string_view>(
      {"a",      "about",  "above", "after", "again",   "against",   "all",       "am",
       "an",     "and",    "any",   "are",   "as",      "at",        "be",        "because",
       "been",   "before", "being", "below", "between", "both",      "but",       "by",
       "can",    "did",    "do",    "does",  "doing",   "don",       "down",      "during",
       "each",   "few",    "for",   "from",  "further", "had",       "has",       "have",
       "having", "he",     "her",   "here",  "hers",    "herself",   "him",       "himself",
       "his",    "how",    "i",     "if",    "in",      "into",      "is",        "it",
       "its",    "itself", "just",  "me",    "more",    "most",      "my",        "myself",
       "no",     "nor",    "not",   "now",   "of",      "off",       "on",        "once",
       "only",   "or",     "other", "our",   "ours",    "ourselves", "out",       "over",
       "own",    "s",      "same",  "she",   "should",  "so",        "some",      "such",
       "t",      "than",   "that",  "the",   "their",   "theirs",    "them",      "themselves",
       "then",   "there",  "these", "they",  "this",    "those",     "through",   "to",
       "too",    "under",  "until", "up",    "very",    "was",       "we",        "were",
       "what",   "when",   "where", "which", "while",   "who",       "whom",      "why",
       "will",   "with",   "you",   "your",  "yours",   "yourself",  "yourselves"});
  return std::ranges::binary_search(kWords, word);
}

}  // namespace ki::query
