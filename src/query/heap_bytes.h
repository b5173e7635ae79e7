// About how much memory a value takes besides itself.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "json/wire.h"

namespace ki::query {

template <class T>
std::size_t heap_bytes(const T& value);

template <class T>
struct HeapVisitor {
  const T& value;
  std::size_t bytes = 0;
  template <class M>
  void field(std::string_view, M T::* member, std::string_view,
             json::Presence = json::Presence::required) {
    bytes += heap_bytes(value.*member);
  }
};

// Texts, lists, optionals and everything that describes itself.
template <class T>
std::size_t heap_bytes(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    static const std::size_t inside = std::string().capacity();
    return value.capacity() > inside ? value.capacity() + 1 : 0;
  } else if constexpr (json::wire::kIsOptional<T>) {
    return value ? heap_bytes(*value) : 0;
  } else if constexpr (json::wire::kIsVector<T>) {
    std::size_t bytes = value.capacity() * sizeof(typename T::value_type);
    for (const auto& one : value) bytes += heap_bytes(one);
    return bytes;
  } else if constexpr (json::wire::Described<T>) {
    HeapVisitor<T> visitor{value};
    T::describe(visitor);
    return visitor.bytes;
  } else {
    return 0;
  }
}

}  // namespace ki::query
