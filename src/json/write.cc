#include "json/write.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include <double-conversion/double-conversion.h>

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

constexpr bool needs_escape(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
}

constexpr std::uint64_t kLowBits = 0x0101010101010101;
constexpr std::uint64_t kHighBits = 0x8080808080808080;

// Whether any of eight bytes needs an escape: Bit Twiddling Hacks, "determine if a word has a byte
// less than n" and "has a zero byte", after xor with the byte sought.
constexpr bool any_needs_escape(std::uint64_t bytes) {
  const auto has_zero = [](std::uint64_t x) { return (x - kLowBits) & ~x; };
  const std::uint64_t control = (bytes - kLowBits * 0x20) & ~bytes;
  return ((control | has_zero(bytes ^ (kLowBits * '"')) | has_zero(bytes ^ (kLowBits * '\\'))) &
          kHighBits) != 0;
}

// Where the first byte stands that needs an escape; the size when none does.
std::size_t plain_length(std::string_view text) {
  std::size_t at = 0;
  for (std::uint64_t word = 0; at + sizeof word <= text.size(); at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    if (any_needs_escape(word)) break;
  }
  while (at < text.size() && !needs_escape(text[at])) ++at;
  return at;
}

// A member with the first bytes of its key as a number that sorts as they do.
struct Ordered {
  std::uint64_t prefix;
  const Member* member;
};

std::uint64_t prefix_of(std::string_view key) {
  std::uint64_t prefix = 0;
  if (key.empty()) return 0;
  std::memcpy(&prefix, key.data(), std::min(key.size(), sizeof prefix));
  if constexpr (std::endian::native == std::endian::little) prefix = __builtin_bswap64(prefix);
  return prefix;
}

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

}  // namespace

void append_number(std::string& out, double value) {
  // Most numbers in manifests are small integers; they print without the general algorithm.
  if (value == std::floor(value) && std::abs(value) < 1e15) {
    char buffer[24];
    char* end = buffer + sizeof buffer;
    char* at = end;
    auto rest = static_cast<std::uint64_t>(std::abs(value));
    do {
      *--at = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    if (value < 0) *--at = '-';  // -0 compares equal to 0 and prints as 0
    out.append(at, static_cast<std::size_t>(end - at));
    return;
  }
  char buffer[32];
  double_conversion::StringBuilder builder(buffer, sizeof buffer);
  double_conversion::DoubleToStringConverter::EcmaScriptConverter().ToShortest(value, &builder);
  const auto length = static_cast<std::size_t>(builder.position());
  out.append(buffer, length);
  builder.Finalize();
}

void append_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t plain = plain_length(text);
    out.append(text.data(), plain);
    if (plain == text.size()) break;
    const auto c = static_cast<unsigned char>(text[plain]);
    out += '\\';
    if (const char letter = short_escape(c)) {
      out += letter;
    } else {
      out += "u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
    }
    text.remove_prefix(plain + 1);
  }
  out += '"';
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

void append_canonical(std::string& out, const Value& value) {
  switch (value.type()) {
    case Type::null:
      out += "null";
      return;
    case Type::boolean:
      out += value.boolean() ? "true" : "false";
      return;
    case Type::number:
      append_number(out, value.number());
      return;
    case Type::string:
      append_string(out, value.string());
      return;
    case Type::array: {
      out += '[';
      for (const Value& item : value.items()) {
        if (&item != value.items().data()) out += ',';
        append_canonical(out, item);
      }
      out += ']';
      return;
    }
    case Type::object: {
      const auto members = value.members();
      constexpr std::size_t kFew = 32;
      Ordered few[kFew];
      std::vector<Ordered> many;
      std::span<Ordered> order(few, std::min(members.size(), kFew));
      if (members.size() > kFew) {
        many.resize(members.size());
        order = many;
      }
      for (std::size_t i = 0; i < members.size(); ++i) {
        order[i] = {prefix_of(members[i].key), &members[i]};
      }
      sort_members(order);
      out += '{';
      bool first = true;
      for (const auto& [prefix, member] : order) {
        if (!first) out += ',';
        first = false;
        append_string(out, member->key);
        out += ':';
        append_canonical(out, member->value);
      }
      out += '}';
      return;
    }
  }
  KI_UNREACHABLE();
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
