// The part of the WHATWG URL standard that decides whether an absolute URL is valid and https.
#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "base/digest.h"
#include "base/text.h"
#include "manifest/scalars.h"

namespace ki::manifest {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_control_or_blank(char c) { return static_cast<unsigned char>(c) <= 0x20; }

// Leading and trailing controls and blanks go; tabs and line ends go everywhere.
std::string cleaned(std::string_view text) {
  while (!text.empty() && is_control_or_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_control_or_blank(text.back())) text.remove_suffix(1);
  std::string out(text);
  std::erase_if(out, [](char c) { return c == '\t' || c == '\n' || c == '\r'; });
  return out;
}

// Percent escapes decoded; what is no escape stays.
std::string percent_decoded(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto byte = text.size() >= 3 && text[0] == '%' ? from_hex(text.substr(1, 2))
                                                         : std::optional<std::string>{};
    out += byte ? *byte : std::string(1, text[0]);
    text.remove_prefix(byte ? 3 : 1);
  }
  return out;
}

// One part of an IPv4 address: decimal, 0 octal, 0x hexadecimal. Above any limit when too large.
std::optional<std::uint64_t> ipv4_part(std::string_view part) {
  int base = 10;
  if (part.size() >= 2 && part[0] == '0') {
    const bool hex = part[1] == 'x' || part[1] == 'X';
    base = hex ? 16 : 8;
    part.remove_prefix(hex ? 2 : 1);
    if (part.empty()) return 0;
  }
  std::uint64_t value = 0;
  const auto read = std::from_chars(part.data(), part.data() + part.size(), value, base);
  if (read.ptr != part.data() + part.size() || read.ec == std::errc::invalid_argument) return {};
  return read.ec == std::errc{} ? value : UINT64_MAX;
}

// The standard calls a host an IPv4 address when its last label is a number.
bool ends_in_number(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  const std::string_view last = host.substr(host.rfind('.') + 1);
  if (last.empty()) return false;
  return std::ranges::all_of(last, is_digit) ||
         ((last.starts_with("0x") || last.starts_with("0X")) && ipv4_part(last));
}

bool is_ipv4(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  const auto parts = split(host, '.');
  if (parts.size() > 4) return false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto value = parts[i].empty() ? std::nullopt : ipv4_part(parts[i]);
    if (!value) return false;
    // The last part fills the bytes that the others leave.
    const std::size_t bytes = i + 1 < parts.size() ? 1 : 5 - parts.size();
    if (*value >= std::uint64_t{1} << (8 * bytes)) return false;
  }
  return true;
}

// Pieces of 1 to 4 hexadecimal digits, one "::" for a run of zeros, an IPv4 tail allowed.
bool is_ipv6(std::string_view host) {
  std::size_t pieces = 0;
  bool compressed = false;
  if (host.starts_with("::")) {
    compressed = true;
    host.remove_prefix(2);
  }
  while (!host.empty()) {
    const std::string_view piece = host.substr(0, host.find(':'));
    if (piece.find('.') != std::string_view::npos) {
      const auto parts = split(piece, '.');
      const bool plain = std::ranges::all_of(parts, [](std::string_view part) {
        return !part.empty() && part.size() <= 3 && std::ranges::all_of(part, is_digit) &&
               (part.size() == 1 || part[0] != '0');
      });
      if (piece.size() != host.size() || parts.size() != 4 || !plain || !is_ipv4(piece)) {
        return false;
      }
      pieces += 2;
      break;
    }
    constexpr std::string_view kHex = "0123456789abcdefABCDEF";
    if (piece.empty() || piece.size() > 4 || piece.find_first_not_of(kHex) != piece.npos) {
      return false;
    }
    ++pieces;
    host.remove_prefix(piece.size());
    if (host.empty()) break;
    host.remove_prefix(1);
    if (host.empty()) return false;  // a lone colon at the end
    if (host[0] == ':') {
      if (compressed) return false;
      compressed = true;
      host.remove_prefix(1);
    }
  }
  return compressed ? pieces <= 7 : pieces == 8;
}

bool is_domain(std::string_view text) {
  constexpr std::string_view kForbidden = " #/:<>?@[\\]^|%\x7F";
  const std::string host = percent_decoded(text);
  for (std::string_view rest = host; !rest.empty(); rest.remove_prefix(1)) {
    if (is_control_or_blank(rest[0]) || kForbidden.find(rest[0]) != kForbidden.npos ||
        white_space_at_start(rest) != 0) {
      return false;
    }
  }
  return !host.empty() && (!ends_in_number(host) || is_ipv4(host));
}

bool is_port(std::string_view text) {
  if (!std::ranges::all_of(text, is_digit)) return false;
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  return text.size() < 5 || (text.size() == 5 && text <= "65535");
}

// Whether `text` names a host as nearly all do: https, two slashes, a name of letters, digits,
// dashes and dots that ends in a label of a letter first and last, which is no number, and a slash.
// Nothing that the standard takes out or decodes stands among these, so none of it need be looked
// for; what stands behind them makes no difference.
bool has_plain_host(std::string_view text) {
  constexpr std::string_view kStart = "https://";
  constexpr auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  if (!text.starts_with(kStart)) return false;
  char first = '.';  // of the label
  char last = '.';
  for (const char c : text.substr(kStart.size())) {
    if (c == '/') return is_letter(first) && is_letter(last);
    if (!is_letter(c) && !is_digit(c) && c != '-' && c != '.') return false;
    if (last == '.') first = c;
    last = c;
  }
  return false;
}

}  // namespace

bool is_https_url(std::string_view text) {
  if (has_plain_host(text)) return true;
  const std::string url = cleaned(text);
  std::string_view rest = url;
  constexpr std::string_view kScheme = "https:";
  if (!equals_ignoring_case(rest.substr(0, kScheme.size()), kScheme)) return false;
  rest.remove_prefix(kScheme.size());
  // A special scheme needs no slashes, and any number of them, either way round, is forgiven.
  rest.remove_prefix(std::min(rest.find_first_not_of("/\\"), rest.size()));
  rest = rest.substr(0, rest.find_first_of("/\\?#"));
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) rest.remove_prefix(at + 1);
  if (rest.starts_with('[')) {
    const auto end = rest.find(']');
    if (end == std::string_view::npos || !is_ipv6(rest.substr(1, end - 1))) return false;
    rest.remove_prefix(end + 1);
    return rest.empty() || (rest[0] == ':' && is_port(rest.substr(1)));
  }
  const auto colon = rest.find(':');
  if (colon != std::string_view::npos && !is_port(rest.substr(colon + 1))) return false;
  return is_domain(rest.substr(0, colon));
}

}  // namespace ki::manifest
