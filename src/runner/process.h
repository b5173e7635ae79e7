// The parent's side of a child process of the same program: started, spoken to, ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace ki::runner {

inline constexpr std::size_t kLogBytesMax = std::size_t{64} << 10;

// Whether this is a build under AddressSanitizer, which reserves more address space than any limit
// leaves, and at the end of a process looks for leaks by calls that the child is not allowed.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressSanitizer = true;
#elif defined(__has_feature)
inline constexpr bool kAddressSanitizer = __has_feature(address_sanitizer);
#else
inline constexpr bool kAddressSanitizer = false;
#endif

// Descriptors of the child: 0 is empty, 1 and 2 are its log, and these.
inline constexpr int kChildIn = 3;
inline constexpr int kChildOut = 4;
inline constexpr int kChildInputs = 5;   // sealed memory
inline constexpr int kChildOutputs = 6;  // shared memory

// A file descriptor, closed at its end.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  int fd_;
};

struct Spawn {
  std::string program = "/proc/self/exe";
  std::vector<std::string> arguments = {"ki", "child"};
  std::vector<std::string> environment;  // all of it
  int inputs = -1;
  int outputs = -1;
};

// How a child ended, as the status of a run and a sentence.
struct Ending {
  std::string status;  // "" = by itself, with 0; runtime_error, timeout, resource_exceeded,
                       // policy_violation
  std::string text;
};
// `killed_for_time`: it was killed because its time was over.
Ending ending_of(int wait_status, bool killed_for_time);

class Process {
 public:
  static Result<Process> start(const Spawn& spawn);
  Process(Process&&) = default;
  Process& operator=(Process&&) = delete;
  ~Process();  // kills what still runs

  // The next line, without its end. `stop` is asked several times a second whether to give up.
  // Errors: Code::unavailable when the time is over, it was given up or the child has closed its
  // side, Code::too_large for a line longer than kLineBytesMax.
  Result<std::string> read_line(std::chrono::steady_clock::time_point deadline,
                                const std::function<bool()>& stop = {});
  Status send(std::string_view text);
  // Kills it unless it ends by the deadline, and says how it ended. Once.
  Ending finish(std::chrono::steady_clock::time_point deadline);
  void kill();
  const std::string& log() const { return log_; }  // what it printed, at most kLogBytesMax

 private:
  Process() = default;
  bool wait_readable(std::chrono::steady_clock::time_point deadline);
  void drain_log();

  struct Pid {
    pid_t pid = -1;
    Pid() = default;
    Pid(Pid&& other) noexcept : pid(other.pid) { other.pid = -1; }
  };
  Pid pid_;
  Descriptor to_;
  Descriptor from_;
  Descriptor log_pipe_;
  std::string buffer_;
  std::string log_;
  bool timed_out_ = false;
  bool log_open_ = true;
};

}  // namespace ki::runner
