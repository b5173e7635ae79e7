// A wire type is described once and gives its serialiser, its parser and its OpenAPI schema:
//
//   struct Ref {
//     std::string name, slug;
//     template <class V> static void describe(V& v) {
//       v.field("name", &Ref::name, "display name");
//       v.field("slug", &Ref::slug, "stable identifier");
//     }
//   };
//
// Field types: bool, std::int64_t, double, std::string, Raw, a described struct, an enum with a
// `words(E)` overload found by argument-dependent lookup, std::optional (written as null when
// empty; left out when described with `Presence::optional`), std::vector, std::map<std::string, T>,
// a type with a form of its own (OwnForm), and in answers std::variant of described structs
// (written as the one it holds). A parsed optional may be absent or null; every other field is
// required unless described with `Presence::optional`.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/issue.h"
#include "base/text.h"
#include "json/write.h"

namespace ki::json {

// A JSON text kept as it is, for manifests inside answers.
struct Raw {
  std::string text = "null";
};

enum class Presence { required, optional };

// The words of an enum in declaration order: `std::span<const std::string_view> words(E)`.
template <class E>
concept WordEnum = std::is_enum_v<E> && requires(E e) {
  { words(e) } -> std::convertible_to<std::span<const std::string_view>>;
};

template <WordEnum E>
std::string_view word(E e) {
  return words(e)[static_cast<std::size_t>(e)];
}

template <WordEnum E>
std::optional<E> parse_word(std::string_view text) {
  const auto all = words(E{});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == text) return static_cast<E>(i);
  }
  return std::nullopt;
}

// A type that several forms of a value can become, such as a text or a list of texts: it reads,
// writes and describes itself. `kExpected` completes "expected ...".
template <class T>
concept OwnForm = requires(T value, const Value& from, Writer& out) {
  { value.read_json(from) } -> std::same_as<bool>;
  { T::kExpected } -> std::convertible_to<std::string_view>;
  std::as_const(value).write_json(out);
  T::write_schema(out);
};

namespace wire {

struct AnyVisitor {
  template <class T, class M>
  void field(std::string_view, M T::*, std::string_view, Presence = Presence::required) {}
};

template <class T>
concept Described = requires(AnyVisitor& v) { T::describe(v); };

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsMap = false;
template <class T>
inline constexpr bool kIsMap<std::map<std::string, T>> = true;
template <class T>
inline constexpr bool kIsVariant = false;
template <class... Ts>
inline constexpr bool kIsVariant<std::variant<Ts...>> = true;

}  // namespace wire

// ---- out

template <class T>
void write(Writer& out, const T& value);

namespace wire {

template <class T>
struct WriteVisitor {
  Writer& out;
  const T& value;
  template <class M>
  void field(std::string_view name, M T::* member, std::string_view,
             Presence presence = Presence::required) {
    if constexpr (kIsOptional<M>) {
      if (presence == Presence::optional && !(value.*member)) return;
    }
    out.key(name);
    write(out, value.*member);
  }
};

}  // namespace wire

template <class T>
void write(Writer& out, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    out.boolean(value);
  } else if constexpr (std::is_integral_v<T>) {
    out.integer(static_cast<std::int64_t>(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    out.number(value);
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>) {
    out.string(value);
  } else if constexpr (std::is_same_v<T, Raw>) {
    out.raw(value.text);
  } else if constexpr (OwnForm<T>) {
    value.write_json(out);
  } else if constexpr (WordEnum<T>) {
    out.string(word(value));
  } else if constexpr (wire::kIsOptional<T>) {
    value ? write(out, *value) : static_cast<void>(out.null());
  } else if constexpr (wire::kIsVector<T>) {
    out.begin_array();
    for (const auto& item : value) write(out, item);
    out.end_array();
  } else if constexpr (wire::kIsMap<T>) {
    out.begin_object();
    for (const auto& [key, item] : value) {
      out.key(key);
      write(out, item);
    }
    out.end_object();
  } else if constexpr (wire::kIsVariant<T>) {
    std::visit([&](const auto& held) { write(out, held); }, value);
  } else {
    static_assert(wire::Described<T>, "give the type a describe()");
    out.begin_object();
    wire::WriteVisitor<T> visitor{out, value};
    T::describe(visitor);
    out.end_object();
  }
}

template <class T>
std::string to_json(const T& value) {
  std::string out;
  Writer writer(out);
  write(writer, value);
  return out;
}

// ---- in

namespace wire {

inline constexpr std::size_t kIssuesReadMax = 100;  // that are reported of one text

class Reader {
 public:
  explicit Reader(std::string_view text) : lines_(text) {}

  template <class T>
  void read(const Value& from, T& into);

  Issues issues;

 private:
  template <class T>
  friend struct ReadVisitor;
  void wrong_type(const Value& at, std::string_view expected) {
    add(at, "invalid_type", "expected " + std::string(expected));
  }
  // Whether enough is wrong already: the time that a text takes is bounded by its size.
  bool full() const { return issues.size() >= kIssuesReadMax; }
  void add(const Value& at, std::string code, std::string message) {
    if (full()) return;
    issues.push_back({.code = std::move(code),
                      .message = std::move(message),
                      .pointer = pointer_,
                      .file = {},
                      .place = at.offset() == kNoOffset ? Place{} : lines_.at(at.offset())});
  }
  Lines lines_;
  std::string pointer_;
};

template <class T>
struct ReadVisitor {
  Reader& reader;
  const Value& from;
  T& into;
  std::vector<std::string_view> known{};

  template <class M>
  void field(std::string_view name, M T::* member, std::string_view,
             Presence presence = Presence::required) {
    known.push_back(name);
    const Value* value = from.find(name);
    if (value == nullptr) {
      if (presence == Presence::optional || kIsOptional<M>) return;
      reader.add(from, "invalid_type", "the member \"" + std::string(name) + "\" is missing");
      return;
    }
    const std::size_t length = reader.pointer_.size();
    append_pointer(reader.pointer_, name);
    reader.read(*value, into.*member);
    reader.pointer_.resize(length);
  }
};

template <class T>
void Reader::read(const Value& from, T& into) {
  if constexpr (kIsOptional<T>) {
    if (!from.is_null()) read(from, into.emplace());
  } else if constexpr (std::is_same_v<T, bool>) {
    from.is_boolean() ? static_cast<void>(into = from.boolean()) : wrong_type(from, "a boolean");
  } else if constexpr (std::is_integral_v<T>) {
    constexpr double kSafe = 9007199254740991;
    if (from.is_number() && from.number() == std::floor(from.number()) &&
        std::abs(from.number()) <= kSafe) {
      into = static_cast<T>(from.number());
    } else {
      wrong_type(from, "an integer");
    }
  } else if constexpr (std::is_floating_point_v<T>) {
    from.is_number() ? static_cast<void>(into = from.number()) : wrong_type(from, "a number");
  } else if constexpr (std::is_same_v<T, std::string>) {
    from.is_string() ? static_cast<void>(into = from.string()) : wrong_type(from, "a string");
  } else if constexpr (std::is_same_v<T, Raw>) {
    into.text.clear();
    append_compact(into.text, from);
  } else if constexpr (OwnForm<T>) {
    if (!into.read_json(from)) wrong_type(from, T::kExpected);
  } else if constexpr (WordEnum<T>) {
    const auto parsed = from.is_string() ? parse_word<T>(from.string()) : std::nullopt;
    if (parsed) {
      into = *parsed;
    } else {
      std::string all;
      for (const auto w : words(T{})) all += (all.empty() ? "" : ", ") + std::string(w);
      add(from, "invalid_value", "expected one of " + all);
    }
  } else if constexpr (kIsVector<T>) {
    if (!from.is_array()) return wrong_type(from, "a list");
    for (std::size_t i = 0; i < from.items().size() && !full(); ++i) {
      const std::size_t length = pointer_.size();
      append_pointer(pointer_, i);
      read(from.items()[i], into.emplace_back());
      pointer_.resize(length);
    }
  } else if constexpr (kIsMap<T>) {
    if (!from.is_object()) return wrong_type(from, "an object");
    for (const Member& member : from.members()) {
      if (full()) break;
      const std::size_t length = pointer_.size();
      append_pointer(pointer_, member.key);
      read(member.value, into[std::string(member.key)]);
      pointer_.resize(length);
    }
  } else {
    static_assert(Described<T>, "give the type a describe()");
    if (!from.is_object()) return wrong_type(from, "an object");
    ReadVisitor<T> visitor{*this, from, into};
    T::describe(visitor);
    for (const Member& member : from.members()) {
      if (full()) break;
      if (std::ranges::find(visitor.known, member.key) != visitor.known.end()) continue;
      const auto near = nearest(member.key, visitor.known);
      const std::string hint = near.empty() ? "" : "; did you mean \"" + std::string(near) + "\"?";
      add(member.value, "unrecognized_keys",
          "unknown member \"" + excerpt(member.key) + "\"" + hint +
              " (known: " + join({visitor.known.begin(), visitor.known.end()}, ", ") + ")");
    }
  }
}

}  // namespace wire

// Reads a described type from a parsed value, reporting what is wrong, up to 100 places. `text` is
// the source of `from`, for line and column.
template <class T>
std::expected<T, Issues> read(const Value& from, std::string_view text = {}) {
  wire::Reader reader(text);
  T into{};
  reader.read(from, into);
  if (!reader.issues.empty()) return std::unexpected(std::move(reader.issues));
  return into;
}

// ---- OpenAPI 3.1 schema

// Collects the schemas of described types under the names given by `T::kWireName`; nested types
// become references.
class Schemas {
 public:
  // Writes the schema of T: inline for simple types, a "$ref" for named ones.
  template <class T>
  void write_schema(Writer& out);
  // The same of each type that a variant may hold.
  template <class... Ts>
  void write_each(Writer& out, const std::variant<Ts...>*) {
    (write_schema<Ts>(out), ...);
  }
  // Name -> schema text of every named type met so far.
  const std::map<std::string, std::string>& named() const { return named_; }

 private:
  std::map<std::string, std::string> named_;
};

namespace wire {

template <class T>
concept Named = requires {
  { T::kWireName } -> std::convertible_to<std::string_view>;
};

template <class T>
struct SchemaVisitor {
  Schemas& schemas;
  Writer& out;
  std::vector<std::string_view> required{};
  template <class M>
  void field(std::string_view name, M T::*, std::string_view doc,
             Presence presence = Presence::required) {
    if (presence == Presence::required) required.push_back(name);
    out.key(name).begin_object();
    if (!doc.empty()) out.key("description").string(doc);
    out.key("allOf").begin_array();
    schemas.write_schema<M>(out);
    out.end_array().end_object();
  }
};

template <class T>
void write_object_schema(Schemas& schemas, Writer& out) {
  out.begin_object().key("type").string("object").key("properties").begin_object();
  SchemaVisitor<T> visitor{schemas, out};
  T::describe(visitor);
  out.end_object().key("required").begin_array();
  for (const auto name : visitor.required) out.string(name);
  out.end_array().end_object();
}

}  // namespace wire

template <class T>
void Schemas::write_schema(Writer& out) {
  const auto simple = [&](std::string_view type) {
    out.begin_object().key("type").string(type).end_object();
  };
  if constexpr (std::is_same_v<T, bool>) {
    simple("boolean");
  } else if constexpr (std::is_integral_v<T>) {
    simple("integer");
  } else if constexpr (std::is_floating_point_v<T>) {
    simple("number");
  } else if constexpr (std::is_same_v<T, std::string>) {
    simple("string");
  } else if constexpr (std::is_same_v<T, Raw>) {
    out.begin_object().end_object();
  } else if constexpr (OwnForm<T>) {
    T::write_schema(out);
  } else if constexpr (WordEnum<T>) {
    out.begin_object().key("type").string("string").key("enum").begin_array();
    for (const auto w : words(T{})) out.string(w);
    out.end_array().end_object();
  } else if constexpr (wire::kIsOptional<T>) {
    out.begin_object().key("anyOf").begin_array();
    write_schema<typename T::value_type>(out);
    simple("null");
    out.end_array().end_object();
  } else if constexpr (wire::kIsVector<T>) {
    out.begin_object().key("type").string("array").key("items");
    write_schema<typename T::value_type>(out);
    out.end_object();
  } else if constexpr (wire::kIsMap<T>) {
    out.begin_object().key("type").string("object").key("additionalProperties");
    write_schema<typename T::mapped_type>(out);
    out.end_object();
  } else if constexpr (wire::kIsVariant<T>) {
    out.begin_object().key("oneOf").begin_array();
    write_each(out, static_cast<const T*>(nullptr));
    out.end_array().end_object();
  } else if constexpr (wire::Named<T>) {
    const std::string name(T::kWireName);
    if (named_.try_emplace(name).second) {  // inserted first, so recursion ends
      std::string text;
      Writer nested(text);
      wire::write_object_schema<T>(*this, nested);
      named_[name] = std::move(text);
    }
    out.begin_object().key("$ref").string("#/components/schemas/" + name).end_object();
  } else {
    wire::write_object_schema<T>(*this, out);
  }
}

}  // namespace ki::json
