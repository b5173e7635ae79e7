#include "json/write.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include <double-conversion/double-conversion.h>

#include "base/bytes.h"
#include "base/result.h"

namespace ki::json {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

// The two-character escape of a control character, or 0.
constexpr char short_escape(unsigned char c) {
  switch (c) {
    case '\b':
      return 'b';
    case '\t':
      return 't';
    case '\n':
      return 'n';
    case '\f':
      return 'f';
    case '\r':
      return 'r';
    case '"':
      return '"';
    case '\\':
      return '\\';
    default:
      return 0;
  }
}

constexpr std::uint64_t kLowBits = 0x0101010101010101;
constexpr std::uint64_t kHighBits = 0x8080808080808080;
constexpr std::uint64_t kBlanks = kLowBits * ' ';

// Whether any of eight bytes needs an escape: Bit Twiddling Hacks, "determine if a word has a byte
// less than n" and "has a zero byte", after xor with the byte sought.
constexpr bool any_needs_escape(std::uint64_t bytes) {
  const auto has_zero = [](std::uint64_t x) { return (x - kLowBits) & ~x; };
  const std::uint64_t control = (bytes - kLowBits * 0x20) & ~bytes;
  return ((control | has_zero(bytes ^ (kLowBits * '"')) | has_zero(bytes ^ (kLowBits * '\\'))) &
          kHighBits) != 0;
}

// Writes behind the end of a string through a pointer: appending to the string itself would look
// at its capacity for every piece.
class Sink {
 public:
  // The string grows by `step` bytes at least: more than 0 when many pieces will follow.
  explicit Sink(std::string& out, std::size_t step = 0)
      : out_(out), step_(step), at_(out.data() + out.size()), end_(at_) {}
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink() { out_.resize(static_cast<std::size_t>(at_ - out_.data())); }

  void byte(char c) {
    make_room(1);
    *at_++ = c;
  }
  void text(std::string_view text) {
    make_room(text.size());
    at_ = std::ranges::copy(text, at_).out;
  }

  void quoted(std::string_view text) {
    constexpr std::size_t kWord = sizeof(std::uint64_t);
    make_room(text.size() + kWord + 2);
    *at_++ = '"';
    const char* from = text.data();
    std::size_t left = text.size();
    for (; left >= kWord; left -= kWord, from += kWord, at_ += kWord) {
      if (!copy(load_bytes<std::uint64_t>(from))) return escaped({from, left});
    }
    if (!copy(first_bytes({from, left}) | kBlanks << 8 * left)) return escaped({from, left});
    at_ += left;
    *at_++ = '"';
  }

  void number(double value) {
    constexpr std::size_t kDigits = 32;
    make_room(kDigits);
    // Most numbers in manifests are small integers; they print without the general algorithm.
    if (std::abs(value) < 1e15) {
      const auto whole = static_cast<std::int64_t>(value);
      if (static_cast<double>(whole) == value) {  // -0 too, which prints as 0
        at_ = std::to_chars(at_, at_ + kDigits, whole).ptr;
        return;
      }
    }
    double_conversion::StringBuilder builder(at_, kDigits);
    double_conversion::DoubleToStringConverter::EcmaScriptConverter().ToShortest(value, &builder);
    at_ += builder.position();
    builder.Finalize();
  }

 private:
  void make_room(std::size_t bytes) {
    if (static_cast<std::size_t>(end_ - at_) >= bytes) return;
    const auto used = static_cast<std::size_t>(at_ - out_.data());
    out_.resize(used + std::max(bytes, step_));
    at_ = out_.data() + used;
    end_ = out_.data() + out_.size();
  }

  // False when one of the bytes has to be escaped; then nothing counts as written.
  bool copy(std::uint64_t word) {
    std::memcpy(at_, &word, sizeof word);
    return !any_needs_escape(word);
  }

  // The rest of a string from the word that holds its first escape, and the closing quote.
  void escaped(std::string_view text) {
    constexpr std::size_t kLongest = 6;  // \u001f
    make_room(text.size() * kLongest + 1);
    for (const char byte : text) {
      const auto c = static_cast<unsigned char>(byte);
      const char letter = short_escape(c);
      if (letter == 0 && c >= 0x20) {
        *at_++ = byte;
        continue;
      }
      *at_++ = '\\';
      if (letter != 0) {
        *at_++ = letter;
      } else {
        for (const char part : {'u', '0', '0', kHex[c >> 4], kHex[c & 15]}) *at_++ = part;
      }
    }
    *at_++ = '"';
  }

  std::string& out_;
  std::size_t step_;
  char* at_;
  char* end_;
};

// A member with the first bytes of its key as a number that sorts as they do.
struct Ordered {
  std::uint64_t prefix;
  const Member* member;
};

bool before(const Ordered& a, const Ordered& b) {
  const bool ascii = ((a.prefix | b.prefix) & kHighBits) == 0;
  if (ascii && a.prefix != b.prefix) return a.prefix < b.prefix;
  return utf16_less(a.member->key, b.member->key);
}

// Small objects, nearly all there are, are sorted by insertion: their keys often stand in order.
void sort_members(std::span<Ordered> order) {
  constexpr std::size_t kFew = 16;
  if (order.size() > kFew) {
    std::ranges::sort(order, before);
    return;
  }
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Ordered moved = order[i];
    std::size_t at = i;
    for (; at > 0 && before(moved, order[at - 1]); --at) order[at] = order[at - 1];
    order[at] = moved;
  }
}

void append_canonical(Sink& out, const Value& value);

void append_canonical(Sink& out, std::span<const Member> members) {
  constexpr std::size_t kFew = 32;
  Ordered few[kFew];
  std::vector<Ordered> many;
  std::span<Ordered> order(few, std::min(members.size(), kFew));
  if (members.size() > kFew) {
    many.resize(members.size());
    order = many;
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    order[i] = {__builtin_bswap64(first_bytes(members[i].key)), &members[i]};
  }
  sort_members(order);
  out.byte('{');
  for (const Ordered& entry : order) {
    if (&entry != order.data()) out.byte(',');
    out.quoted(entry.member->key);
    out.byte(':');
    append_canonical(out, entry.member->value);
  }
  out.byte('}');
}

void append_canonical(Sink& out, const Value& value) {
  switch (value.type()) {
    case Type::null:
      return out.text("null");
    case Type::boolean:
      return out.text(value.boolean() ? "true" : "false");
    case Type::number:
      return out.number(value.number());
    case Type::string:
      return out.quoted(value.string());
    case Type::array:
      out.byte('[');
      for (const Value& item : value.items()) {
        if (&item != value.items().data()) out.byte(',');
        append_canonical(out, item);
      }
      return out.byte(']');
    case Type::object:
      return append_canonical(out, value.members());
  }
  KI_UNREACHABLE();
}

}  // namespace

void append_number(std::string& out, double value) { Sink(out).number(value); }

void append_string(std::string& out, std::string_view text) { Sink(out).quoted(text); }

void append_canonical(std::string& out, const Value& value) {
  constexpr std::size_t kStep = 256;
  Sink sink(out, kStep);
  append_canonical(sink, value);
}

bool utf16_less(std::string_view a, std::string_view b) {
  const auto [at_a, at_b] = std::ranges::mismatch(a, b);
  if (at_b == b.end()) return false;
  if (at_a == a.end()) return true;
  auto x = static_cast<unsigned char>(*at_a);
  auto y = static_cast<unsigned char>(*at_b);
  // UTF-8 sorts by code point. UTF-16 differs in one place: surrogates (code points from U+10000,
  // lead byte 0xF0 and up) sort before U+E000..U+FFFF (lead bytes 0xEE, 0xEF).
  const bool astral_x = x >= 0xF0;
  const bool astral_y = y >= 0xF0;
  if (astral_x != astral_y) {
    if (astral_x && y >= 0xEE) return true;
    if (astral_y && x >= 0xEE) return false;
  }
  return x < y;
}

std::string canonical(const Value& value) {
  std::string out;
  append_canonical(out, value);
  return out;
}

void append_compact(std::string& out, const Value& value) { Writer(out).value(value); }

std::string indented(std::string_view compact) {
  std::string out;
  std::size_t depth = 0;
  const auto line = [&] {
    out += '\n';
    out.append(depth * 2, ' ');
  };
  for (std::size_t i = 0; i < compact.size(); ++i) {
    const char c = compact[i];
    if (c == '"') {
      const std::size_t begin = i++;
      while (compact[i] != '"') i += compact[i] == '\\' ? 2 : 1;
      out += compact.substr(begin, i + 1 - begin);
    } else if ((c == '{' || c == '[') && (compact[i + 1] == '}' || compact[i + 1] == ']')) {
      out += compact.substr(i++, 2);
    } else if (c == '{' || c == '[') {
      out += c;
      ++depth;
      line();
    } else if (c == '}' || c == ']') {
      --depth;
      line();
      out += c;
    } else if (c == ',') {
      out += c;
      line();
    } else {
      out += c == ':' ? std::string_view(": ") : compact.substr(i, 1);
    }
  }
  return out;
}

std::string pretty(const Value& value) {
  std::string compact;
  append_compact(compact, value);
  return indented(compact);
}

void Writer::separate() {
  if (!first_) out_ += ',';
  first_ = false;
}

Writer& Writer::begin_object() {
  separate();
  out_ += '{';
  first_ = true;
  return *this;
}

Writer& Writer::end_object() {
  out_ += '}';
  first_ = false;
  return *this;
}

Writer& Writer::begin_array() {
  separate();
  out_ += '[';
  first_ = true;
  return *this;
}

Writer& Writer::end_array() {
  out_ += ']';
  first_ = false;
  return *this;
}

Writer& Writer::key(std::string_view name) {
  separate();
  append_string(out_, name);
  out_ += ':';
  first_ = true;
  return *this;
}

Writer& Writer::string(std::string_view text) {
  separate();
  append_string(out_, text);
  return *this;
}

Writer& Writer::number(double value) {
  if (!std::isfinite(value)) return null();
  separate();
  append_number(out_, value);
  return *this;
}

Writer& Writer::integer(std::int64_t value) {
  separate();
  out_ += std::to_string(value);
  return *this;
}

Writer& Writer::boolean(bool value) {
  separate();
  out_ += value ? "true" : "false";
  return *this;
}

Writer& Writer::null() {
  separate();
  out_ += "null";
  return *this;
}

Writer& Writer::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

Writer& Writer::value(const Value& value) {
  switch (value.type()) {
    case Type::null:
      return null();
    case Type::boolean:
      return boolean(value.boolean());
    case Type::number:
      return number(value.number());
    case Type::string:
      return string(value.string());
    case Type::array:
      begin_array();
      for (const Value& item : value.items()) this->value(item);
      return end_array();
    case Type::object:
      begin_object();
      for (const Member& member : value.members()) key(member.key).value(member.value);
      return end_object();
  }
  KI_UNREACHABLE();
}

}  // namespace ki::json
