#include "policy/licence.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text.h"

namespace ki::policy {
namespace {

#include "policy/spdx_ids.inc"

constexpr std::size_t kWordMax = 100;  // bytes of one identifier of a list

using List = std::span<const std::string_view>;

// The official spelling of a listed identifier, or "".
std::string_view find_listed(List list, std::string_view word) {
  if (word.size() > kWordMax) return {};
  const std::string lower = ascii_lower(word);
  const auto at = std::ranges::lower_bound(list, lower, {}, ascii_lower);
  return at != list.end() && equals_ignoring_case(*at, word) ? *at : std::string_view{};
}

// Deprecated identifiers that were a licence and an exception in one.
constexpr std::array<std::array<std::string_view, 3>, 7> kJoined = {{
    {"GPL-2.0-with-autoconf-exception", "GPL-2.0", "Autoconf-exception-2.0"},
    {"GPL-2.0-with-bison-exception", "GPL-2.0", "Bison-exception-2.2"},
    {"GPL-2.0-with-classpath-exception", "GPL-2.0", "Classpath-exception-2.0"},
    {"GPL-2.0-with-font-exception", "GPL-2.0", "Font-exception-2.0"},
    {"GPL-2.0-with-GCC-exception", "GPL-2.0", "GCC-exception-2.0"},
    {"GPL-3.0-with-autoconf-exception", "GPL-3.0", "Autoconf-exception-3.0"},
    {"GPL-3.0-with-GCC-exception", "GPL-3.0", "GCC-exception-3.1"},
}};

// ---- what an expression is made of

struct Node {
  enum class Kind { leaf, all, any };
  Kind kind = Kind::leaf;
  std::string text{};     // leaf: the licence with its exception
  std::string version{};  // leaf: the same without "or any later version", "" when it has none
  std::vector<Node> children{};
};

std::string to_text(const Node& node) {
  if (node.kind == Node::Kind::leaf) return node.text;
  const bool all = node.kind == Node::Kind::all;
  std::string out;
  for (const Node& child : node.children) {
    if (!out.empty()) out += all ? " AND " : " OR ";
    const bool wrap = all && child.kind == Node::Kind::any;
    out += wrap ? "(" + to_text(child) + ")" : to_text(child);
  }
  return out;
}

bool satisfied(const Node& node, std::span<const std::string> allowed) {
  const auto holds = [&](const Node& child) { return satisfied(child, allowed); };
  switch (node.kind) {
    case Node::Kind::leaf:
      return std::ranges::any_of(allowed, [&](const std::string& entry) {
        return entry == node.text || (!node.version.empty() && entry == node.version);
      });
    case Node::Kind::all:
      return std::ranges::all_of(node.children, holds);
    case Node::Kind::any:
      return std::ranges::any_of(node.children, holds);
  }
  KI_UNREACHABLE();
}

struct Simple {
  std::string id;
  bool later = false;  // a "+" of its own
  std::string exception;
};

Node leaf_of(const Simple& simple) {
  const std::string tail = simple.exception.empty() ? "" : " WITH " + simple.exception;
  constexpr std::string_view kOrLater = "-or-later";
  Node node{.text = simple.id + (simple.later ? "+" : "") + tail};
  if (simple.later) {
    node.version = simple.id + tail;
  } else if (simple.id.ends_with(kOrLater)) {
    node.version = simple.id.substr(0, simple.id.size() - kOrLater.size()) + "-only" + tail;
  }
  return node;
}

// ---- what people mean

std::vector<std::string_view> listed_with_prefix(std::string_view prefix) {
  std::vector<std::string_view> out;
  for (const std::string_view id : kSpdxLicences) {
    if (id.size() > prefix.size() && equals_ignoring_case(id.substr(0, prefix.size()), prefix)) {
      out.push_back(id);
    }
  }
  return out;
}

// "The Apache License, Version 2.0" -> "Apache-2.0": titles and identifiers with blanks.
std::string_view listed_title(std::string_view text) {
  constexpr std::array<std::string_view, 6> kFiller = {"the",     "license",  "licence",
                                                       "version", "software", "v"};
  std::string spaced(text);
  std::ranges::replace(spaced, ',', ' ');
  std::vector<std::string> words;
  for (const std::string_view word : split(spaced, ' ')) {
    if (word.empty() || std::ranges::find(kFiller, ascii_lower(word)) != kFiller.end()) continue;
    words.emplace_back(word);
  }
  return find_listed(kSpdxLicences, join(words, "-"));
}

// The whole text in a form that people use and SPDX does not, as an expression; "" when it is none.
std::string suggest_expression(std::string_view text) {
  if (text.find('/') != std::string_view::npos) {
    std::vector<std::string> ids;
    for (const std::string_view part : split(text, '/')) {
      ids.emplace_back(find_listed(kSpdxLicences, trim(part)));
    }
    const bool all_known = std::ranges::none_of(ids, &std::string::empty);
    return all_known ? join(ids, " OR ") : "";
  }
  return std::string(listed_title(text));
}

std::string unknown_word(std::string_view word) {
  const std::string quoted = "\"" + excerpt(word) + "\"";
  if (word.size() > kWordMax) return quoted + " is no SPDX licence identifier";
  if (!find_listed(kSpdxExceptions, word).empty()) {
    return quoted + " is an exception: write LICENCE WITH " + std::string(word);
  }
  const auto several = listed_with_prefix(std::string(word) + "-");
  if (several.size() > 1) {
    return quoted + " is ambiguous, it could be " + std::string(several[0]) + ", " +
           std::string(several[1]) + (several.size() > 2 ? ", ..." : "") + ": write which one";
  }
  const std::vector<std::string_view> all(std::begin(kSpdxLicences), std::end(kSpdxLicences));
  const std::string_view near = several.size() == 1 ? several[0] : nearest(word, all);
  return quoted + " is no SPDX licence identifier" +
         (near.empty() ? "; a licence without one is written LicenseRef-NAME"
                       : "; did you mean " + std::string(near) + "?");
}

// ---- reading

enum class Operator { none, all, any, with };

Operator operator_of(std::string_view token) {
  if (equals_ignoring_case(token, "AND")) return Operator::all;
  if (equals_ignoring_case(token, "OR")) return Operator::any;
  if (equals_ignoring_case(token, "WITH")) return Operator::with;
  return Operator::none;
}

std::vector<std::string_view> tokens_of(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  const auto close = [&](std::size_t end) {
    if (end > begin) out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == ')') {
      close(i);
      out.push_back(text.substr(i, 1));
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      close(i);
    }
  }
  close(text.size());
  return out;
}

// "PREFIX" + one or more of A-Z a-z 0-9 . -; the prefix in either case. "" when it is none.
std::string reference(std::string_view word, std::string_view prefix) {
  if (word.size() <= prefix.size()) return {};
  if (!equals_ignoring_case(word.substr(0, prefix.size()), prefix)) return {};
  const std::string_view name = word.substr(prefix.size());
  const bool good = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-';
  });
  return good ? std::string(prefix) + std::string(name) : "";
}

std::string licence_reference(std::string_view word) {
  const auto colon = word.find(':');
  if (colon == std::string_view::npos) return reference(word, "LicenseRef-");
  const std::string document = reference(word.substr(0, colon), "DocumentRef-");
  const std::string licence = reference(word.substr(colon + 1), "LicenseRef-");
  return document.empty() || licence.empty() ? "" : document + ":" + licence;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(tokens_of(text)) {}

  Result<Node> parse() {
    Node node = TRY(list(Operator::any, 0));
    if (at_ == tokens_.size()) return node;
    if (tokens_[at_] == ")") return fail(Code::invalid, "a \")\" has no \"(\"");
    return fail(Code::invalid, "AND or OR is missing before \"" + excerpt(tokens_[at_]) + "\"");
  }

  bool deprecated() const { return deprecated_; }
  std::string notes() const { return join(notes_, "; "); }

 private:
  // Operands of one operator; those of OR are lists of AND.
  Result<Node> list(Operator joined, int depth) {
    const bool is_any = joined == Operator::any;
    Node node{.kind = is_any ? Node::Kind::any : Node::Kind::all};
    while (true) {
      Result<Node> next = is_any ? list(Operator::all, depth) : operand(depth);
      if (!next) return next;
      if (next->kind == node.kind) {  // (A OR B) OR C is A OR B OR C.
        std::ranges::move(next->children, std::back_inserter(node.children));
      } else {
        node.children.push_back(std::move(*next));
      }
      const bool more = TRY(take_operator(joined));
      if (!more) break;
    }
    if (node.children.size() > 1) return node;
    Node only = std::move(node.children[0]);
    return only;
  }

  Result<bool> take_operator(Operator wanted) {
    if (at_ == tokens_.size()) return false;
    const std::string_view token = tokens_[at_];
    const Operator found = operator_of(token);
    if (found == Operator::none) return false;
    const bool lower = token == ascii_lower(token);
    if (!lower && token != ascii_upper(token)) {
      return fail(Code::invalid, "the operator \"" + std::string(token) +
                                     "\" is in mixed case: write " + ascii_upper(token));
    }
    if (found != wanted) return false;
    if (lower) note("lower-case operators are allowed, upper case is written");
    ++at_;
    return true;
  }

  Result<Node> operand(int depth) {
    if (at_ == tokens_.size()) return fail(Code::invalid, "a licence is missing at the end");
    const std::string_view token = tokens_[at_];
    if (token == ")" || operator_of(token) != Operator::none) {
      return fail(Code::invalid, "a licence is missing before \"" + std::string(token) + "\"");
    }
    if (token != "(") return simple();
    if (depth == kLicenceDepthMax) return fail(Code::too_large, "parentheses nest too deep");
    ++at_;
    Node node = TRY(list(Operator::any, depth + 1));
    if (at_ == tokens_.size()) return fail(Code::invalid, "a \")\" is missing");
    if (tokens_[at_] != ")") {
      return fail(Code::invalid, "AND or OR is missing before \"" + excerpt(tokens_[at_]) + "\"");
    }
    ++at_;
    return node;
  }

  Result<Node> simple() {
    const std::string_view word = tokens_[at_++];
    Simple out = TRY(licence(word));
    if (at_ < tokens_.size() && tokens_[at_] == "+") {
      const auto joined = licence(std::string(word) + "+");
      return fail(Code::invalid,
                  "no blank may stand before \"+\": " +
                      (joined ? "write " + leaf_of(*joined).text : joined.error().message));
    }
    const bool has_exception = TRY(take_operator(Operator::with));
    if (!has_exception) return leaf_of(out);
    if (at_ == tokens_.size()) return fail(Code::invalid, "an exception is missing after WITH");
    if (!out.exception.empty()) {
      return fail(Code::invalid, "\"" + std::string(word) + "\" has an exception already");
    }
    out.exception = TRY(exception(tokens_[at_++]));
    return leaf_of(out);
  }

  Result<Simple> licence(std::string_view word) {
    if (word == "NONE" || word == "NOASSERTION") {
      return fail(Code::invalid, std::string(word) + " cannot be combined with anything");
    }
    Simple out{.id = licence_reference(word), .later = false, .exception = {}};
    if (!out.id.empty()) return out;
    out.later = word.ends_with('+');
    const std::string_view bare = word.substr(0, word.size() - (out.later ? 1 : 0));
    std::string_view listed = find_listed(kSpdxLicences, bare);
    const bool current = !listed.empty();
    if (!current) listed = find_listed(kSpdxDeprecated, bare);
    if (listed.empty()) return fail(Code::invalid, unknown_word(bare));
    if (listed != bare) note("identifiers match without regard to case");
    out.id = listed;
    if (!current) replace_deprecated(out);
    return check_later(std::move(out));
  }

  // "+" belongs to licences that do not say it themselves.
  static Result<Simple> check_later(Simple out) {
    if (!out.later) return out;
    for (const std::string_view ending : {"-only", "-or-later"}) {
      if (!out.id.ends_with(ending)) continue;
      const std::string stem = out.id.substr(0, out.id.size() - ending.size());
      return fail(Code::invalid,
                  "\"+\" has no meaning after " + out.id + ": write " + stem + "-or-later");
    }
    return out;
  }

  void replace_deprecated(Simple& simple) {
    deprecated_ = true;
    const std::string before = simple.id + (simple.later ? "+" : "");
    for (const auto& [joined, licence, exception] : kJoined) {
      if (simple.id != joined) continue;
      simple.id = licence;
      simple.exception = exception;
    }
    if (simple.id == "StandardML-NJ") simple.id = "SMLNJ";
    const std::string_view successor =
        find_listed(kSpdxLicences, simple.id + (simple.later ? "-or-later" : "-only"));
    if (!successor.empty()) {
      simple.id = successor;
      simple.later = false;
    }
    note("\"" + before + "\" is deprecated");
  }

  Result<std::string> exception(std::string_view word) {
    std::string added = reference(word, "AdditionRef-");
    if (!added.empty()) return added;
    const std::string_view listed = find_listed(kSpdxExceptions, word);
    if (listed.empty()) {
      const std::vector<std::string_view> all(std::begin(kSpdxExceptions),
                                              std::end(kSpdxExceptions));
      const auto near = word.size() > kWordMax ? std::string_view{} : nearest(word, all);
      return fail(Code::invalid,
                  "\"" + excerpt(word) + "\" is no SPDX exception" +
                      (near.empty() ? "" : "; did you mean " + std::string(near) + "?"));
    }
    if (listed != word) note("identifiers match without regard to case");
    return std::string(listed);
  }

  void note(std::string text) {
    if (std::ranges::find(notes_, text) == notes_.end()) notes_.push_back(std::move(text));
  }

  std::vector<std::string_view> tokens_;
  std::size_t at_ = 0;
  bool deprecated_ = false;
  std::vector<std::string> notes_;
};

}  // namespace

std::string_view spdx_list_version() { return kSpdxListVersion; }

std::string_view name_of(LicenceVerdict verdict) {
  switch (verdict) {
    case LicenceVerdict::valid:
      return "valid";
    case LicenceVerdict::valid_deprecated:
      return "valid-deprecated";
    case LicenceVerdict::unknown:
      return "unknown";
    case LicenceVerdict::invalid:
      return "invalid";
  }
  KI_UNREACHABLE();
}

Licence parse_licence(std::string_view text) {
  const std::string_view bare = trim(text);
  Licence out;
  if (bare.empty()) {
    out.why = "no licence is stated, which is not a permission";
    return out;
  }
  if (bare == "NONE" || bare == "NOASSERTION") {
    out.why = std::string(bare) + " states no licence";
    return out;
  }
  out.verdict = LicenceVerdict::invalid;
  if (bare.size() > kLicenceTextMax) {
    out.why = "longer than " + std::to_string(kLicenceTextMax) + " bytes";
    return out;
  }
  Parser parser(bare);
  const Result<Node> node = parser.parse();
  if (!node) {
    const std::string meant = suggest_expression(bare);
    out.why = meant.empty() ? node.error().message
                            : "not an SPDX expression; did you mean " + meant + "?";
    return out;
  }
  out.verdict = parser.deprecated() ? LicenceVerdict::valid_deprecated : LicenceVerdict::valid;
  out.normalized = to_text(*node);
  out.why = parser.notes();
  return out;
}

std::optional<std::string> conclude_licence(std::string_view text) {
  return parse_licence(text).normalized;
}

bool licence_satisfies(std::string_view expression, std::span<const std::string_view> allowed) {
  if (expression.size() > kLicenceTextMax) return false;
  const Result<Node> node = Parser(expression).parse();
  if (!node) return false;
  std::vector<std::string> entries;
  for (const std::string_view entry : allowed) {
    auto normalized = conclude_licence(entry);
    if (normalized) entries.push_back(std::move(*normalized));
  }
  return satisfied(*node, entries);
}

namespace {

constexpr std::array<std::string_view, 7> kPermissive = {
    "Apache-2.0", "MIT", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib", "BSL-1.0"};

}  // namespace

bool is_permissive(std::string_view expression) {
  return std::ranges::find(kPermissive, expression) != kPermissive.end();
}

namespace {

void add_leaves(const Node& node, std::vector<std::string>& out) {
  if (node.kind == Node::Kind::leaf) out.push_back(node.text);
  for (const Node& child : node.children) add_leaves(child, out);
}

Status add_entry(std::string_view entry, LicenceFilter& into) {
  if (equals_ignoring_case(entry, "permissive")) {
    into.permissive = true;
    return {};
  }
  if (equals_ignoring_case(entry, "unknown")) {
    into.unknown = true;
    return {};
  }
  const Licence licence = parse_licence(entry);
  if (!licence.normalized) {
    const bool nothing = licence.verdict == LicenceVerdict::unknown;
    return fail(Code::invalid, "'" + excerpt(entry) + "': " + licence.why +
                                   (nothing ? "; rows without a known licence are 'unknown'" : ""));
  }
  const Result<Node> node = Parser(*licence.normalized).parse();
  if (node) add_leaves(*node, into.allowed);
  into.spelt.push_back(*licence.normalized);
  return {};
}

}  // namespace

Result<LicenceFilter> read_licence_filter(std::string_view value) {
  LicenceFilter out;
  out.requested = ascii_lower(value);
  for (const std::string_view entry : split(value, ',')) {
    TRY(add_entry(trim(entry), out));
  }
  return out;
}

bool LicenceFilter::accepts(const std::optional<std::string>& concluded) const {
  if (!concluded) return unknown;
  if (permissive && is_permissive(*concluded)) return true;
  // References are cased as their authors wish; a filter ignores case.
  const auto same = [&](const std::string& one) { return equals_ignoring_case(one, *concluded); };
  if (std::ranges::any_of(spelt, same)) return true;
  const Result<Node> node = Parser(*concluded).parse();
  return node && satisfied(*node, allowed);
}

}  // namespace ki::policy
