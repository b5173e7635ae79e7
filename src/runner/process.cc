#include "runner/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/messages.h"

namespace ki::runner {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kStopAskedEvery{200};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Result<Pipe> make_pipe() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) {
    return fail(Code::unavailable, std::string("no pipe: ") + std::strerror(errno));
  }
  return Pipe{Descriptor(fds[0]), Descriptor(fds[1])};
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

// Moves the descriptors of the child above those they become, so that no one overwrites another.
Result<Descriptor> lifted(int fd) {
  const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 16);
  if (copy < 0)
    return fail(Code::unavailable, std::string("no descriptor: ") + std::strerror(errno));
  return Descriptor(copy);
}

Result<pid_t> spawn_with(const Spawn& spawn, int in, int out, int log) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  const std::array<std::pair<int, int>, 6> moves = {{{log, 1},
                                                     {log, 2},
                                                     {in, kChildIn},
                                                     {out, kChildOut},
                                                     {spawn.inputs, kChildInputs},
                                                     {spawn.outputs, kChildOutputs}}};
  for (const auto& [from, to] : moves) {
    if (from >= 0) posix_spawn_file_actions_adddup2(&actions, from, to);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = -1;
  const int error =
      posix_spawn(&pid, spawn.program.c_str(), &actions, &attributes,
                  pointers(spawn.arguments).data(), pointers(spawn.environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return fail(Code::unavailable, std::string("no child process: ") + std::strerror(error),
                spawn.program);
  }
  return pid;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) close(fd_);
    fd_ = other.release();
  }
  return *this;
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

Ending ending_of(int wait_status, bool killed_for_time) {
  if (killed_for_time) return {"timeout", "it was ended because its time was over"};
  if (WIFEXITED(wait_status)) {
    const int code = WEXITSTATUS(wait_status);
    if (code == 0) return {};
    return {"runtime_error", fmt::format("it ended by itself with status {}", code)};
  }
  const int signal = WTERMSIG(wait_status);
  const std::string text = fmt::format("ended by signal {} ({})", signal, strsignal(signal));
  if (signal == SIGSYS) return {"policy_violation", "it made a forbidden system call; " + text};
  if (signal == SIGXCPU) return {"timeout", text};
  if (signal == SIGKILL) return {"resource_exceeded", text + ", as the kernel does without memory"};
  return {"runtime_error", text};
}

Result<Process> Process::start(const Spawn& spawn) {
  Pipe in = TRY(make_pipe());
  Pipe out = TRY(make_pipe());
  Pipe log = TRY(make_pipe());
  const Descriptor child_in = TRY(lifted(in.read.get()));
  const Descriptor child_out = TRY(lifted(out.write.get()));
  const Descriptor child_log = TRY(lifted(log.write.get()));
  Spawn high = spawn;
  Descriptor inputs;
  Descriptor outputs;
  if (spawn.inputs >= 0) {
    inputs = TRY(lifted(spawn.inputs));
    high.inputs = inputs.get();
  }
  if (spawn.outputs >= 0) {
    outputs = TRY(lifted(spawn.outputs));
    high.outputs = outputs.get();
  }
  Process process;
  process.pid_.pid = TRY(spawn_with(high, child_in.get(), child_out.get(), child_log.get()));
  process.to_ = std::move(in.write);
  process.from_ = std::move(out.read);
  process.log_pipe_ = std::move(log.read);
  fcntl(process.from_.get(), F_SETFL, O_NONBLOCK);
  fcntl(process.log_pipe_.get(), F_SETFL, O_NONBLOCK);
  return process;
}

Process::~Process() {
  if (pid_.pid <= 0) return;
  kill();
  int status = 0;
  while (waitpid(pid_.pid, &status, 0) < 0 && errno == EINTR) {
  }
}

void Process::kill() {
  // Its group, too: whoever it started, should it ever have been able to.
  if (pid_.pid <= 0) return;
  ::kill(-pid_.pid, SIGKILL);
  ::kill(pid_.pid, SIGKILL);
}

void Process::drain_log() {
  char bytes[4096];
  for (;;) {
    const ssize_t count = read(log_pipe_.get(), bytes, sizeof bytes);
    if (count == 0) log_open_ = false;
    if (count <= 0) return;
    const std::size_t room = kLogBytesMax - log_.size();
    log_.append(bytes, std::min(room, static_cast<std::size_t>(count)));
  }
}

bool Process::wait_readable(steady_clock::time_point deadline) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd fds[2] = {{from_.get(), POLLIN, 0}, {log_open_ ? log_pipe_.get() : -1, POLLIN, 0}};
    const int ready = poll(fds, 2, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
    if (ready < 0 && errno != EINTR) return false;
    if (ready > 0 && fds[1].revents != 0) drain_log();
    if (ready > 0 && fds[0].revents != 0) return true;
  }
}

Result<std::string> Process::read_line(steady_clock::time_point deadline,
                                       const std::function<bool()>& stop) {
  for (;;) {
    const std::size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    if (buffer_.size() > kLineBytesMax) {
      return fail(Code::too_large, "the child says more than a message may hold");
    }
    const auto look = steady_clock::now() + kStopAskedEvery;
    const bool readable = wait_readable(stop ? std::min(deadline, look) : deadline);
    if (stop && stop()) return fail(Code::unavailable, "given up");
    if (!readable && steady_clock::now() < deadline) continue;
    if (!readable) {
      timed_out_ = true;
      return fail(Code::unavailable, "the child's time is over");
    }
    char bytes[16384];
    const ssize_t count = read(from_.get(), bytes, sizeof bytes);
    if (count > 0) {
      buffer_.append(bytes, static_cast<std::size_t>(count));
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      return fail(Code::unavailable, "the child has ended");
    }
  }
}

Status Process::send(std::string_view text) {
  // A child that is gone must not end this process with SIGPIPE; where it is not ignored already,
  // it is for the length of this write.
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  struct sigaction before{};
  sigaction(SIGPIPE, &ignore, &before);
  bool sent = true;
  while (sent && !text.empty()) {
    const ssize_t count = write(to_.get(), text.data(), text.size());
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
    sent = count > 0 || (count < 0 && errno == EINTR);
  }
  sigaction(SIGPIPE, &before, nullptr);
  if (!sent) return fail(Code::unavailable, "the child does not listen");
  return {};
}

Ending Process::finish(steady_clock::time_point deadline) {
  to_ = Descriptor();
  int status = 0;
  for (;;) {
    drain_log();
    if (!timed_out_ && steady_clock::now() >= deadline) timed_out_ = true;
    if (timed_out_) kill();
    const pid_t done = waitpid(pid_.pid, &status, WNOHANG);
    if (done == pid_.pid || (done < 0 && errno != EINTR)) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  drain_log();
  pid_.pid = -1;
  return ending_of(status, timed_out_);
}

}  // namespace ki::runner
