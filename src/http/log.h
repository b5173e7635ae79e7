// Logs: one event, one line of JSON, and nothing that a query, a header or a body may hold.
// Thread-safe: a line is written in one piece.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

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

// To standard error.
void write_log(const std::string& line);

// The access log of a server: a line for each request, appended to a file that others may rotate by
// copying, or written to standard output.
class AccessLog {
 public:
  // "-" is standard output. Errors: Code::denied or Code::unavailable at the path.
  static Result<std::shared_ptr<AccessLog>> open(const std::string& path);
  ~AccessLog();
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  // A line that cannot be written is lost: a full disk must not stop the answers.
  void write(std::string_view line) const;

 private:
  explicit AccessLog(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace ki::http
