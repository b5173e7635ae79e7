// The access log: one event, one line of JSON on standard error, and nothing that a query or a body
// may hold. Thread-safe: a line is written in one piece.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace ki::http {

enum class Level { debug, info, warn, error, off };

struct LogField {
  std::string_view name;
  std::variant<std::string_view, std::int64_t> value;
};

// {"at":"...","level":"info","event":"http.request", ...fields}. A field with an empty text is
// left out; invalid UTF-8 in a text is replaced by '?'.
std::string log_line(std::string_view at, Level level, std::string_view event,
                     std::initializer_list<LogField> fields);

// Writes log_line() to standard error when `level` is at or above `minimum`.
void log_event(Level minimum, Level level, std::string_view event,
               std::initializer_list<LogField> fields);

}  // namespace ki::http
