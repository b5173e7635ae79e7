// Markup that cannot be injected into. A template is a literal whose "{}" are filled in order:
//
//   Html cell;
//   cell.add(R"(<td title="{}"><a href="{}">{}</a></td>)", row.digest, run_url(id), row.name);
//
// The compiler checks each template: as many values as places, every tag closed by its end, values
// only in text or in a double-quoted attribute, a Url and nothing else after href, src and action,
// no Html inside an attribute, no script, style or event attribute at all (the content security
// policy would refuse them). At run time text is escaped where it is inserted. So no string of the
// outside can become markup, and only this header makes an Html.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "http/message.h"

namespace ki::web {

class Html;

// An address that a browser may follow: on this site, or http and https elsewhere.
class Url {
 public:
  // "/a/b%20c?x=1" from decoded segments and parameters.
  static Url local(const std::vector<std::string_view>& segments,
                   const std::vector<http::Parameter>& parameters = {});
  // "#fragment" on the same page, from a name of ours.
  static Url fragment(std::string_view name);
  // An address from outside; empty when its scheme is not http or https, or when it holds white
  // space, control characters or more than kUrlBytesMax bytes.
  static Url outside(std::string_view text);

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  // The same address, at a place of its page.
  Url at(std::string_view fragment) const { return Url(text_ + Url::fragment(fragment).text()); }

 private:
  explicit Url(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

inline constexpr std::size_t kUrlBytesMax = 2000;

enum class PartKind { text, number, html, url };

template <class T>
consteval PartKind part_kind() {
  if constexpr (std::is_same_v<T, Html>) {
    return PartKind::html;
  } else if constexpr (std::is_same_v<T, Url>) {
    return PartKind::url;
  } else if constexpr (std::integral<T>) {
    return PartKind::number;
  } else {
    static_assert(std::is_convertible_v<T, std::string_view>, "not a value for a page");
    return PartKind::text;
  }
}

// The one form in which a page may name a script: a file of this site.
inline constexpr std::string_view kScriptFile = R"(<script src="{}"></script>)";

// What is wrong with a template for values of these kinds; "" when nothing is.
constexpr std::string_view template_fault(std::string_view markup,
                                          std::span<const PartKind> kinds) {
  enum class At { text, tag, value } at = At::text;
  std::string_view name;  // of the attribute whose value we are in
  std::size_t used = 0;
  for (std::size_t i = 0; i < markup.size(); ++i) {
    const char c = markup[i];
    const std::string_view rest = markup.substr(i);
    if (rest.starts_with("<style")) return "no style";
    if (rest.starts_with("<script") && !rest.starts_with(kScriptFile)) return "no script here";
    if (rest.starts_with("{}")) {
      if (used == kinds.size()) return "more places than values";
      const PartKind kind = kinds[used++];
      const bool address = name == "href" || name == "src" || name == "action";
      if (at == At::tag) return "a value stands in text or between double quotes";
      if (at == At::text && kind == PartKind::url) return "a Url is an attribute, not text";
      if (at == At::value && kind == PartKind::html) return "no Html inside an attribute";
      if (at == At::value && address != (kind == PartKind::url)) return "an address is a Url";
      ++i;
    } else if (at == At::text && c == '<') {
      at = At::tag;
    } else if (at == At::tag && c == '>') {
      at = At::text;
    } else if (at == At::tag && c == '=') {
      std::size_t begin = i;
      while (begin > 0 && markup[begin - 1] != ' ' && markup[begin - 1] != '\n') --begin;
      name = markup.substr(begin, i - begin);
      if (name == "style" || name.starts_with("on")) return "no style or event attributes";
      if (!markup.substr(i + 1).starts_with('"')) return "quote attribute values";
    } else if (c == '"' && at != At::text) {
      at = at == At::tag ? At::value : At::tag;
    }
  }
  if (at != At::text) return "a template ends outside of tags";
  return used == kinds.size() ? "" : "more values than places";
}

template <class... Parts>
class Template {
 public:
  template <std::size_t N>
  consteval Template(const char (&text)[N]) : text_(text, N - 1) {  // NOLINT: meant to convert
    constexpr std::array<PartKind, sizeof...(Parts)> kKinds = {part_kind<Parts>()...};
    if (!template_fault(text_, kKinds).empty()) throw "see template_fault()";
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

class Html {
 public:
  // Appends the template with its places filled.
  template <class... Parts>
  Html& add(std::type_identity_t<Template<Parts...>> markup, const Parts&... parts) {
    std::string_view rest = markup.text();
    (put(rest, parts), ...);
    text_ += rest;
    return *this;
  }

  bool empty() const { return text_.empty(); }
  std::string_view text() const { return text_; }
  std::string take() { return std::move(text_); }
  void reserve(std::size_t bytes) { text_.reserve(bytes); }

 private:
  template <class T>
  void put(std::string_view& rest, const T& part) {
    const auto place = rest.find("{}");
    text_ += rest.substr(0, place);
    rest.remove_prefix(place + 2);
    if constexpr (part_kind<T>() == PartKind::html) {
      text_ += part.text_;
    } else if constexpr (part_kind<T>() == PartKind::url) {
      put_text(part.text());
    } else if constexpr (part_kind<T>() == PartKind::number) {
      text_ += std::to_string(part);
    } else {
      put_text(part);
    }
  }
  void put_text(std::string_view text);

  std::string text_;
};

// `text` as put_text() inserts it: & < > " ' become references; what is not UTF-8, control
// characters other than tab and line feed, and the marks that reorder neighbouring text (U+202A to
// U+202E, U+2066 to U+2069) become U+FFFD, so that a name cannot disguise what follows it.
std::string escaped(std::string_view text);

// The same without references, for text that no markup surrounds: a picture, a shell.
std::string plain(std::string_view text);

}  // namespace ki::web
