// Errors as values. Every function that can fail for a reason outside this program's control
// returns Result<T>; TRY unwraps it or returns the error to the caller.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <expected>
#include <string>
#include <type_traits>
#include <utility>

namespace ki {

enum class Code { invalid, not_found, conflict, too_large, denied, unavailable, internal };

struct Error {
  Code code = Code::internal;
  std::string message;  // For people: what went wrong, in one sentence without a full stop.
  std::string where;    // A JSON pointer, path, URL or SQL statement name; may be empty.
};

template <class T>
using Result = std::expected<T, Error>;

using Status = std::expected<void, Error>;

inline std::unexpected<Error> fail(Code code, std::string message, std::string where = {}) {
  return std::unexpected(Error{code, std::move(message), std::move(where)});
}

// "where: message", or the message alone.
inline std::string to_string(const Error& error) {
  return error.where.empty() ? error.message : error.where + ": " + error.message;
}

[[noreturn]] inline void stop(const char* what, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: %s\n", file, line, what);
  std::abort();
}

// Moves the value out of a result known to hold one. For TRY.
template <class T>
T take(std::expected<T, Error>& result) {
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace ki

// States what this code guarantees; on in release builds. Input can never make it false.
#define KI_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::ki::stop("check failed: " #condition, __FILE__, __LINE__))
#define KI_UNREACHABLE() ::ki::stop("unreachable", __FILE__, __LINE__)

// Yields the value, or returns the error from the enclosing function. A statement expression: both
// of our compilers have it, and a chain of fallible steps then reads as a chain.
#define TRY(...) KI_TRY_NAMED((__VA_ARGS__), KI_JOIN(try_result_, __COUNTER__))
#define KI_TRY_NAMED(expression, name)                          \
  __extension__({                                               \
    auto name = expression;                                     \
    if (!name) return std::unexpected(std::move(name).error()); \
    ::ki::take(name);                                           \
  })
#define KI_JOIN(a, b) KI_JOIN_NOW(a, b)
#define KI_JOIN_NOW(a, b) a##b
