// For tests of pages: read models full of one text, and a reader that finds what is wrong in
// markup.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "json/wire.h"
#include "web/layout.h"

namespace ki::web {

inline const Context kContext{.origin = "http://localhost:8080", .today = "2026-02-01"};

// Fills any described type: each string with `text`, each optional present, two of each list.
struct Filler {
  std::string text;

  template <class T>
  void fill(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = true;
    } else if constexpr (std::is_arithmetic_v<T>) {
      value = T{3};
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = text;
    } else if constexpr (std::is_same_v<T, json::Raw>) {
      value.text.clear();
      json::append_string(value.text, text);
    } else if constexpr (std::is_enum_v<T>) {
      value = T{};
    } else if constexpr (json::wire::kIsOptional<T>) {
      fill(value.emplace());
    } else if constexpr (json::wire::kIsVector<T>) {
      value.resize(std::max<std::size_t>(2, alternatives<typename T::value_type>()));
      for (std::size_t i = 0; i < value.size(); ++i) fill_item(value[i], i);
    } else if constexpr (json::wire::kIsMap<T>) {
      fill(value[text]);
    } else {
      Fields<T> fields{*this, value};
      T::describe(fields);
    }
  }

  // Of a list of variants each alternative once.
  template <class T>
  static constexpr std::size_t alternatives() {
    if constexpr (requires { std::variant_size<T>::value; }) return std::variant_size_v<T>;
    return 0;
  }
  template <class T>
  void fill_item(T& item, std::size_t i) {
    if constexpr (alternatives<T>() > 0) {
      fill_alternative(item, i, std::make_index_sequence<alternatives<T>()>());
    } else {
      fill(item);
    }
  }
  template <class T, std::size_t... Is>
  void fill_alternative(T& item, std::size_t i, std::index_sequence<Is...>) {
    ((Is == i % sizeof...(Is) ? fill(item.template emplace<Is>()) : void()), ...);
  }

  template <class T>
  struct Fields {
    Filler& filler;
    T& value;
    template <class M>
    void field(std::string_view, M T::* member, std::string_view,
               json::Presence = json::Presence::required) {
      filler.fill(value.*member);
    }
  };
};

template <class T>
T full(std::string_view text) {
  T model{};
  Filler{std::string(text)}.fill(model);
  return model;
}

// What is wrong with a document: a tag that is not closed, closed out of turn, an attribute that is
// not name="value", an id twice. "" when nothing is.
inline std::string fault_of(std::string_view html) {
  static const std::set<std::string, std::less<>> kVoid = {"meta", "link", "input",
                                                           "img",  "line", "circle"};
  std::vector<std::string> open;
  std::set<std::string, std::less<>> ids;
  for (std::size_t at = html.find('<'); at != std::string_view::npos; at = html.find('<', at)) {
    std::size_t end = at + 1;
    bool quoted = false;
    while (end < html.size() && (quoted || html[end] != '>')) {
      if (html[end] == '"') quoted = !quoted;
      if (html[end] == '<') return "a < inside a tag at " + std::string(html.substr(at, 80));
      ++end;
    }
    if (end == html.size()) return "a tag without end";
    const std::string_view tag = html.substr(at + 1, end - at - 1);
    at = end;
    if (tag.starts_with("!DOCTYPE")) continue;
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) {
        return "</" + std::string(tag.substr(1)) + "> closes " + (open.empty() ? "" : open.back());
      }
      open.pop_back();
      continue;
    }
    const std::string name(tag.substr(0, tag.find_first_of(" \n/")));
    if (const auto id = tag.find(" id=\""); id != std::string_view::npos) {
      const std::string_view rest = tag.substr(id + 5);
      if (!ids.insert(std::string(rest.substr(0, rest.find('"')))).second) return "an id twice";
    }
    if (!kVoid.contains(name) && !tag.ends_with('/')) open.push_back(name);
  }
  return open.empty() ? "" : "<" + open.back() + "> stays open";
}

inline std::string text_of(const Page& page) { return std::string(page.body.text()); }

// How often `part` stands in `text`.
inline std::size_t times(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace ki::web
