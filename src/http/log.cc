#include "http/log.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "json/write.h"

namespace ki::http {
namespace {

std::string_view name_of(Level level) {
  switch (level) {
    case Level::debug:
      return "debug";
    case Level::info:
      return "info";
    case Level::warn:
      return "warn";
    case Level::error:
      return "error";
    case Level::off:
      return "off";
  }
  KI_UNREACHABLE();
}

std::string printable(std::string_view text) {
  std::string out = excerpt(text, 512);
  if (is_utf8(out)) return out;
  std::ranges::replace_if(out, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return out;
}

}  // namespace

std::string log_line(std::string_view at, Level level, std::string_view event,
                     std::initializer_list<LogField> fields) {
  std::string line;
  json::Writer out(line);
  out.begin_object().key("at").string(at).key("level").string(name_of(level));
  out.key("event").string(event);
  for (const LogField& field : fields) {
    if (const auto* text = std::get_if<std::string_view>(&field.value)) {
      if (!text->empty()) out.key(field.name).string(printable(*text));
    } else {
      out.key(field.name).integer(std::get<std::int64_t>(field.value));
    }
  }
  out.end_object();
  return line + "\n";
}

void log_event(Level minimum, Level level, std::string_view event,
               std::initializer_list<LogField> fields) {
  if (level < minimum || minimum == Level::off) return;
  write_log(log_line(to_iso(SystemClock{}.now()), level, event, fields));
}

void write_log(const std::string& line) { std::fwrite(line.data(), 1, line.size(), stderr); }

Result<std::shared_ptr<AccessLog>> AccessLog::open(const std::string& path) {
  if (path == "-") return std::shared_ptr<AccessLog>(new AccessLog(STDOUT_FILENO));
  // O_APPEND: lines of several programs do not overwrite each other.
  // O_NONBLOCK: a pipe that nobody reads is an error now and not a wait.
  const int fd =
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0640);
  if (fd >= 0) return std::shared_ptr<AccessLog>(new AccessLog(fd));
  const Code code =
      errno == EACCES || errno == EPERM || errno == EROFS ? Code::denied : Code::unavailable;
  return fail(code, std::string("cannot be opened as the access log: ") + std::strerror(errno),
              path);
}

AccessLog::~AccessLog() {
  if (fd_ != STDOUT_FILENO) ::close(fd_);
}

// A log that cannot take a line loses it: answers do not wait for whoever reads the log.
void AccessLog::write(std::string_view line) const {
  pollfd ready{.fd = fd_, .events = POLLOUT, .revents = 0};
  if (::poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0) return;
  const auto written = ::write(fd_, line.data(), line.size());
  static_cast<void>(written);
}

}  // namespace ki::http
