// The JSON reader. simdjson's first stage finds the tokens and checks UTF-8, quotes and control
// characters at several GB/s; this file walks the tokens, checks the grammar and everything that
// simdjson does not, and knows the offset of each thing it complains about.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "json/read.h"
#include "json/read_common.h"

namespace ki::json {
namespace {

using reading::Findings;
using reading::in_quotes;
using reading::Step;

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_mark(char c) {
  return c == ',' || c == ']' || c == '}' || c == ':' || c == '[' || c == '{';
}

// What is wrong with the bytes of a text, and where the good tokens before it end.
struct Flaw {
  std::size_t offset = 0;
  std::string_view code;
  std::string message;
  std::size_t cut = 0;  // where the token that holds the flaw starts
};

// Tokens are the offsets of [ ] { } : , of opening quotes, and of the first byte of each other run.
struct Tokens {
  std::span<const std::uint32_t> offsets;
  std::optional<Flaw> flaw;  // then the tokens are those before it
};

// Reused by each call on the same thread: what the parser allocates, it keeps.
struct Workspace {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> simd;
  std::vector<std::uint32_t> tokens;
  // Of the lists and objects that are open. Each value starts with a token of its own, so with one
  // more than there are tokens they never grow while reading, and values are built in place.
  std::vector<Value> values;
  std::vector<Member> members;
  std::string text;

  void make_room(std::size_t tokens_count) {
    if (values.size() > tokens_count) return;
    values.resize(tokens_count + 1);
    members.resize(tokens_count + 1);
  }
};

std::string control_message(char c) {
  const auto code = static_cast<unsigned char>(c);
  if (c == '\n' || c == '\r') {
    return R"(a line break inside a string; close the string or write \n)";
  }
  return fmt::format("control character 0x{:02x} inside a string; write \\u{:04x}", code, code);
}

// Finds tokens one byte at a time: only for texts that simdjson refused, to learn where and why.
Tokens scan_slowly(std::string_view text, std::vector<std::uint32_t>& offsets) {
  offsets.clear();
  std::size_t start = 0;  // of the current string or run
  bool in_string = false;
  bool in_run = false;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const std::size_t length = reading::utf8_length(text, at);
    if (length == 0) {
      const std::size_t cut = in_string || in_run ? start : at;
      if (cut == start && !offsets.empty() && offsets.back() == cut) offsets.pop_back();
      return {offsets, Flaw{at, "utf8", reading::utf8_message(text, at), cut}};
    }
    if (in_string) {
      if (static_cast<unsigned char>(c) < 0x20) {
        offsets.pop_back();
        return {offsets, Flaw{at, "syntax", control_message(c), start}};
      }
      if (c == '"') in_string = false;
      at += c == '\\' && at + 1 < text.size() && text[at + 1] < 0x7F && text[at + 1] >= 0x20
                ? std::size_t{2}
                : length;
      continue;
    }
    const bool starts = is_mark(c) || c == '"' || (!is_blank(c) && !in_run);
    if (starts && !(c == '"' && in_run)) {
      offsets.push_back(static_cast<std::uint32_t>(at));
      start = at;
    }
    in_string = c == '"' && !in_run;
    in_run = !is_mark(c) && c != '"' && !is_blank(c);
    at += length;
  }
  if (in_string) {
    offsets.pop_back();
    return {offsets, Flaw{start, "syntax", "the string that starts here is not closed", start}};
  }
  return {offsets, std::nullopt};
}

Tokens scan(std::string_view text, Workspace& space) {
  if (space.simd == nullptr || space.simd->capacity() < text.size()) {
    constexpr std::size_t kRoom = 16384;
    // The depth is ours to bound: simdjson's second stage never runs.
    const auto error = simdjson::get_active_implementation()->create_dom_parser_implementation(
        std::max(text.size(), kRoom), 1, space.simd);
    if (error != simdjson::SUCCESS) return scan_slowly(text, space.tokens);
  }
  const auto error = space.simd->stage1(reinterpret_cast<const std::uint8_t*>(text.data()),
                                        text.size(), simdjson::stage1_mode::regular);
  if (error != simdjson::SUCCESS) return scan_slowly(text, space.tokens);
  return {{space.simd->structural_indexes.get(), space.simd->n_structural_indexes}, std::nullopt};
}

class Reader {
 public:
  // `text` is followed by a NUL byte and stays: strings borrow from it.
  Reader(std::string_view text, const Limits& limits, const Tokens& tokens, Arena& arena,
         Findings& findings, Workspace& space)
      : text_(text),
        limits_(limits),
        tokens_(tokens.offsets),
        flaw_(tokens.flaw),
        arena_(arena),
        findings_(findings),
        escapes_(std::memchr(text.data(), '\\', text.size()) != nullptr) {
    space.make_room(tokens_.size());
    values_ = space.values.data();
    members_ = space.members.data();
  }

  // False when reading had to stop; the findings say why.
  bool read_document(Value& out) {
    if (!read_value(nullptr, 0, out)) return false;
    if (next_ == tokens_.size() && !flaw_) return true;
    return fail(nullptr, token(), "trailing",
                fmt::format("expected the end of the text, found {}", found(token())));
  }

 private:
  std::size_t token() const { return next_ < tokens_.size() ? tokens_[next_] : text_.size(); }

  bool fail(const Step* at, std::size_t offset, std::string_view code, std::string message) {
    if (flaw_ && offset >= text_.size()) {
      findings_.add(flaw_->code, flaw_->message, at, flaw_->offset);
    } else {
      findings_.add(code, std::move(message), at, offset);
    }
    return false;
  }

  // The run of bytes at `offset` up to the next blank or mark, at most one excerpt long.
  std::string_view run(std::size_t offset) const {
    std::size_t end = offset + 1;
    while (end < text_.size() && end < offset + 100 && !is_blank(text_[end]) &&
           !is_mark(text_[end])) {
      ++end;
    }
    return text_.substr(offset, end - offset);
  }

  std::string found(std::size_t offset) const {
    if (offset >= text_.size()) return "the end of the text";
    if (is_mark(text_[offset])) return in_quotes(text_.substr(offset, 1));
    return in_quotes(run(offset));
  }

  bool expected(const Step* at, std::string_view what, std::string_view hint = {}) {
    return fail(at, token(), "syntax",
                fmt::format("expected {}, found {}{}", what, found(token()), hint));
  }

  bool read_value(const Step* at, int depth, Value& out) {
    if (next_ == tokens_.size()) return expected(at, "a value");
    if (++count_ > limits_.values_max) {
      return fail(at, token(), "size", reading::count_message("values", limits_.values_max));
    }
    const std::size_t offset = tokens_[next_];
    switch (text_[offset]) {
      case '{':
      case '[':
        if (depth >= limits_.depth_max) {
          return fail(
              at, offset, "depth",
              reading::depth_message(static_cast<std::size_t>(depth) + 1, limits_.depth_max));
        }
        return text_[offset] == '{' ? read_object(at, depth + 1, out)
                                    : read_array(at, depth + 1, out);
      case '"': {
        const std::string_view text = read_string(at);
        if (text.data() == nullptr) return false;
        out = Arena::string(text, static_cast<std::uint32_t>(offset));
        return true;
      }
      case 't':
        return read_word(at, "true", Arena::boolean(true, tokens_[next_]), out);
      case 'f':
        return read_word(at, "false", Arena::boolean(false, tokens_[next_]), out);
      case 'n':
        return read_word(at, "null", Arena::null(tokens_[next_]), out);
      default:
        if (text_[offset] == '-' || is_digit(text_[offset])) return read_number(at, out);
        return no_value(at);
    }
  }

  bool take_mark(char mark) {
    if (next_ == tokens_.size() || text_[tokens_[next_]] != mark) return false;
    ++next_;
    return true;
  }

  bool read_array(const Step* up, int depth, Value& out) {
    const std::uint32_t start = tokens_[next_++];
    Value* const first = values_;
    if (!take_mark(']')) {
      Step step{.up = up};
      do {
        if (!read_value(&step, depth, *values_++)) return false;
        ++step.index;
      } while (take_mark(','));
      if (!take_mark(']')) return expected(up, "\",\" or \"]\" after an item of the list");
    }
    ::new (&out) Value(arena_.array({first, values_}, start));  // built in place, as below
    values_ = first;
    return true;
  }

  bool read_object(const Step* up, int depth, Value& out) {
    const std::uint32_t start = tokens_[next_++];
    Member* const first = members_;
    if (!take_mark('}')) {
      Step step{.up = up, .in_object = true};
      do {
        Member& member = *members_;
        member.key_offset = static_cast<std::uint32_t>(token());
        if (member.key_offset >= text_.size() || text_[member.key_offset] != '"') {
          return no_key(up, members_ == first);
        }
        const std::string_view key = read_string(up);
        if (key.data() == nullptr) return false;
        member.key = key;
        step.key = key;
        if (!take_mark(':')) return expected(&step, "\":\" after the key");
        ++members_;
        if (!read_value(&step, depth, member.value)) return false;
      } while (take_mark(','));
      if (!take_mark('}')) return expected(up, "\",\" or \"}\" after a member");
    }
    const std::span<const Member> members(first, members_);
    findings_.check_keys(members, up);
    // Built in place: a copy right after the stores of its parts would wait for each of them.
    ::new (&out) Value(arena_.object(members, start));
    members_ = first;
    return true;
  }

  bool read_word(const Step* at, std::string_view word, const Value& value, Value& out) {
    const std::size_t offset = tokens_[next_];
    const std::size_t end = offset + word.size();
    if (text_.substr(offset, word.size()) != word || !ends_run(end)) return no_value(at);
    out = value;
    ++next_;
    return true;
  }

  bool ends_run(std::size_t offset) const {
    return offset >= text_.size() || is_blank(text_[offset]) || is_mark(text_[offset]);
  }

  bool read_number(const Step* at, Value& out) {
    const std::uint32_t start = tokens_[next_];
    // The NUL after the text ends every loop here.
    const char* p = text_.data() + start;
    const bool negative = *p == '-';
    if (negative) ++p;
    const char* first = p;
    std::uint64_t whole = 0;
    for (; is_digit(*p); ++p) whole = whole * 10 + static_cast<std::uint64_t>(*p - '0');
    const auto digits = p - first;
    if (digits == 0 || (*first == '0' && digits > 1)) return bad_number(at, first);
    const auto here = [&] { return static_cast<std::size_t>(p - text_.data()); };
    constexpr std::ptrdiff_t kExact = 15;  // digits that any double holds
    if (digits <= kExact && ends_run(here())) {
      const auto value = static_cast<double>(whole);
      out = Arena::number(negative ? -value : value, start);
      ++next_;
      return true;
    }
    const auto skip_digits = [&] {
      const char* from = p;
      while (is_digit(*p)) ++p;
      return p != from;
    };
    if (*p == '.') {
      ++p;
      if (!skip_digits()) return bad_number(at, first);
    }
    if (*p == 'e' || *p == 'E') {
      ++p;
      if (*p == '+' || *p == '-') ++p;
      if (!skip_digits()) return bad_number(at, first);
    }
    if (!ends_run(here())) return bad_number(at, first);
    const std::string_view literal = text_.substr(start, here() - start);
    const auto number = reading::to_number(literal);
    if (!number) {
      findings_.add("number_range", reading::number_range_message(literal), at, start);
    }
    out = number ? Arena::number(number->value, start, number->underflowed) : Arena::null(start);
    ++next_;
    return true;
  }

  bool bad_number(const Step* at, const char* first) {
    const std::size_t offset = tokens_[next_];
    const bool zero = *first == '0' && is_digit(first[1]);
    return fail(at, offset, "syntax",
                fmt::format("{} is not a JSON number{}", in_quotes(run(offset)),
                            zero ? ": it may not start with 0" : ""));
  }

  // The token where a value should stand is none: say what JSON would have there.
  bool no_value(const Step* at) {
    const std::size_t offset = token();
    const std::string_view word = run(offset);
    std::string_view hint;
    if (word.starts_with("NaN") || word.starts_with("Inf") || word.starts_with("nan") ||
        word.starts_with("inf")) {
      hint = "; JSON has finite numbers only: leave out what is unknown";
    } else if (word.starts_with('\'')) {
      hint = "; strings take double quotes";
    } else if (word.starts_with('/') || word.starts_with('#')) {
      hint = "; JSON has no comments";
    } else if (word.starts_with(']') || word.starts_with('}')) {
      hint = "; JSON has no comma before a closing bracket";
    } else if (word.starts_with("\xEF\xBB\xBF")) {
      hint = "; save the text without a byte order mark";
    } else if (word.starts_with('+') || word.starts_with('.')) {
      hint = "; a number starts with a digit or \"-\"";
    }
    return expected(at, "a value", hint);
  }

  bool no_key(const Step* at, bool first) {
    const bool closes = token() < text_.size() && text_[token()] == '}';
    return expected(at, first ? "a key in double quotes or \"}\"" : "a key in double quotes",
                    closes ? "; JSON has no comma before a closing bracket" : "");
  }

  // The string at the next token, decoded; without data when it cannot be. Returned and not stored
  // by the callee: what is copied again right after two stores of its halves waits for both.
  std::string_view read_string(const Step* at) {
    const std::size_t open = tokens_[next_];
    ++next_;
    // Nothing but blanks stands between a closing quote and the next token.
    std::size_t close = token() - 1;
    while (is_blank(text_[close])) --close;
    const std::string_view text = text_.substr(open + 1, close - open - 1);
    if (!escapes_ || text.find('\\') == std::string_view::npos) return text;
    return unescape(at, open + 1, text);
  }

  std::string_view unescape(const Step* at, std::size_t offset, std::string_view text) {
    std::string decoded;
    std::size_t done = 0;
    for (std::size_t i = text.find('\\'); i != std::string_view::npos; i = text.find('\\', done)) {
      decoded.append(text, done, i - done);
      constexpr std::string_view kLetters = "\"\\/bfnrt";
      constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
      const char letter = text[i + 1];
      if (const auto which = kLetters.find(letter); which != std::string_view::npos) {
        decoded += kMeanings[which];
        done = i + 2;
        continue;
      }
      const auto unit = letter == 'u' ? hex4(text.substr(i + 2)) : std::nullopt;
      if (!unit) {
        fail(at, offset + i, "syntax",
             fmt::format("{} is no escape of JSON; for a backslash write \\\\",
                         in_quotes(text.substr(i, letter == 'u' ? 6 : 2))));
        return {};
      }
      done = i + 6;
      if (*unit < 0xD800 || *unit > 0xDFFF) {
        reading::append_utf8(decoded, *unit);
        continue;
      }
      const auto low = text.substr(done, 2) == "\\u" ? hex4(text.substr(done + 2)) : std::nullopt;
      if (*unit < 0xDC00 && low && *low >= 0xDC00 && *low <= 0xDFFF) {
        reading::append_utf8(decoded, 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00));
        done += 6;
        continue;
      }
      // Reading goes on, so that every one of them is reported.
      findings_.add("surrogate",
                    fmt::format("{} is a lone {} surrogate, not a character; write the pair, high "
                                "then low, or the character itself",
                                in_quotes(text.substr(i, 6)), *unit < 0xDC00 ? "high" : "low"),
                    at, offset + i);
    }
    decoded.append(text, done);
    return decoded.empty() ? text.substr(0, 0) : arena_.copy(decoded);
  }

  static std::optional<std::uint32_t> hex4(std::string_view text) {
    if (text.size() < 4) return std::nullopt;
    std::uint32_t value = 0;
    for (const char c : text.substr(0, 4)) {
      const char lower = static_cast<char>(c | 0x20);
      if (is_digit(c)) {
        value = value * 16 + static_cast<std::uint32_t>(c - '0');
      } else if (lower >= 'a' && lower <= 'f') {
        value = value * 16 + static_cast<std::uint32_t>(lower - 'a' + 10);
      } else {
        return std::nullopt;
      }
    }
    return value;
  }

  std::string_view text_;
  const Limits& limits_;
  std::span<const std::uint32_t> tokens_;
  const std::optional<Flaw>& flaw_;
  Arena& arena_;
  Findings& findings_;
  bool escapes_;
  Value* values_ = nullptr;    // behind the last one of the lists that are open
  Member* members_ = nullptr;  // behind the last one of the objects that are open
  std::size_t next_ = 0;
  std::size_t count_ = 0;
};

bool read(std::string_view text, const Limits& limits, Workspace& space, Document& document,
          Findings& findings) {
  const Tokens tokens = scan(text, space);
  if (!tokens.flaw) {
    // One block for the whole document: a list of n values has 2n + 1 tokens, an object of n
    // members 4n + 1.
    constexpr std::size_t kPerToken = std::max(sizeof(Value) / 2, sizeof(Member) / 4);
    document.arena.reserve(text.size() + 1 + alignof(Member) + tokens.offsets.size() * kPerToken);
    // With the copy in the arena, strings borrow from it and offsets need no bookkeeping.
    const std::string_view kept = document.arena.copy(text);
    return Reader(kept, limits, tokens, document.arena, findings, space)
        .read_document(document.root);
  }
  // The tokens before the flaw may hold an earlier mistake, which is then the one to report.
  space.text = text.substr(0, tokens.flaw->cut);
  Reader(space.text, limits, tokens, document.arena, findings, space).read_document(document.root);
  return false;
}

std::unexpected<Issues> refuse(std::string_view text, std::string_view code, std::string message) {
  Findings findings(text);
  findings.add(code, std::move(message), nullptr, 0);
  return std::unexpected(findings.take());
}

}  // namespace

std::expected<Document, Issues> parse(std::string_view text, const Limits& limits, Issues* also) {
  constexpr std::size_t kKept = std::size_t{1} << 20;
  if (text.size() > limits.bytes_max) {
    return refuse(text, "size", reading::size_message(text.size(), limits.bytes_max));
  }
  if (text.empty()) return refuse(text, "syntax", "expected a value, found the end of the text");
  static thread_local Workspace space;
  Document document;
  Findings findings(text);
  const bool whole = read(text, limits, space, document, findings);
  if (text.size() > kKept) space = {};
  if (whole && also != nullptr) {
    *also = findings.take();
  } else if (!whole || !findings.empty()) {
    return std::unexpected(findings.take());
  }
  return document;
}

}  // namespace ki::json
