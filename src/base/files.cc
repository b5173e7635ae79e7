#include "base/files.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ki {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ > STDERR_FILENO) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

std::unexpected<Error> system_error(std::string_view doing, const std::filesystem::path& path) {
  const int error = errno;
  const Code code = error == ENOENT                     ? Code::not_found
                    : error == EACCES || error == EPERM ? Code::denied
                                                        : Code::unavailable;
  return fail(code, std::string(doing) + ": " + std::strerror(error), path.string());
}

std::unexpected<Error> exists_already(const std::filesystem::path& path) {
  return fail(Code::conflict, "exists already; nothing is ever overwritten", path.string());
}

Status write_all(int fd, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return system_error("cannot write", path);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// The names that a signal handler may read: set before it can be called, never freed while set.
constexpr std::size_t kUnfinishedMax = 32;
std::array<std::atomic<const char*>, kUnfinishedMax> unfinished{};
constexpr int kEndingSignals[] = {SIGINT, SIGTERM, SIGHUP};

// Calls only what may be called in a handler.
void remove_and_end(int signal) {
  for (const auto& slot : unfinished) {
    if (const char* path = slot.load(); path != nullptr) ::unlink(path);
  }
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void watch_for_signals() {
  for (const int signal : kEndingSignals) {
    struct sigaction now{};
    if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    struct sigaction ours{};
    ours.sa_handler = remove_and_end;
    ::sigaction(signal, &ours, nullptr);
  }
}

std::string place_of(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

// Holds the signals back, so that a file is never made and not yet listed.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t all;
    ::sigemptyset(&all);
    for (const int signal : kEndingSignals) ::sigaddset(&all, signal);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;
  ~SignalsWait() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

// A file in the folder of `path` that has no name, so that nothing can be left of it however the
// program ends; -1 where there are none, or where they could not be named later.
int open_nameless(const std::filesystem::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0 || ::access(place_of(fd).c_str(), F_OK) == 0) return fd;
  ::close(fd);
  return -1;
}

// A name is durable when its folder is. Not every file system can do this; the file itself is.
void sync_folder(const std::filesystem::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0) static_cast<void>(::fsync(fd.get()));
}

}  // namespace

Unfinished::Unfinished(std::vector<std::string> paths) : paths_(std::move(paths)) {
  for (const std::string& path : paths_) {
    for (auto& slot : unfinished) {
      const char* free = nullptr;
      if (slot.compare_exchange_strong(free, path.c_str())) break;
    }
  }
  watch_for_signals();
}

// Text that moves may move its bytes; a vector that moves leaves its texts where they are.
Unfinished::Unfinished(Unfinished&& other) noexcept = default;

Unfinished::~Unfinished() {
  for (const std::string& path : paths_) {
    for (auto& slot : unfinished) {
      const char* ours = path.c_str();
      if (slot.compare_exchange_strong(ours, nullptr)) break;
    }
  }
}

Status give_name(const std::filesystem::path& temporary, const std::filesystem::path& path) {
  // link() never replaces anything, unlike rename(). Where there are no links, renameat2() can be
  // told not to.
  if (::link(temporary.c_str(), path.c_str()) == 0) {
    ::unlink(temporary.c_str());
  } else if (errno == EEXIST) {
    return exists_already(path);
  } else if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) !=
             0) {
    if (errno == EEXIST) return exists_already(path);
    return system_error("cannot give the file its name", path);
  }
  sync_folder(path);
  return {};
}

Result<std::string> read_file(const std::filesystem::path& path, std::size_t bytes_max) {
  const bool standard_input = path == "-";
  const Descriptor fd(standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return system_error("cannot open the file", path);
  std::string out;
  struct stat info{};
  if (::fstat(fd.get(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return fail(Code::invalid, "is a folder, not a file", path.string());
    if (S_ISREG(info.st_mode)) {
      out.reserve(std::min(static_cast<std::size_t>(info.st_size), bytes_max) + 1);
    }
  }
  constexpr std::size_t kChunk = std::size_t{1} << 18;
  while (true) {
    const std::size_t filled = out.size();
    out.resize(filled + kChunk);
    const ssize_t count = ::read(fd.get(), out.data() + filled, kChunk);
    out.resize(filled + static_cast<std::size_t>(count > 0 ? count : 0));
    if (count < 0 && errno != EINTR) return system_error("cannot read the file", path);
    if (out.size() > bytes_max) {
      return fail(Code::too_large, "is larger than " + std::to_string(bytes_max) + " bytes",
                  path.string());
    }
    if (count == 0) return out;
  }
}

Status write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::string temporary = path.string() + ".XXXXXX";
  const Descriptor fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (fd.get() < 0) return system_error("cannot create a file beside it", path);
  Status written = write_all(fd.get(), bytes, path);
  if (written && (::fchmod(fd.get(), 0644) != 0 || ::fsync(fd.get()) != 0 ||
                  ::rename(temporary.c_str(), path.c_str()) != 0)) {
    written = system_error("cannot write the file", path);
  }
  if (!written) ::unlink(temporary.c_str());
  return written;
}

Result<NewFile> NewFile::create(const std::filesystem::path& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) == 0) return exists_already(path);
  if (const int nameless = open_nameless(path); nameless >= 0) return NewFile(path, "", nameless);
  std::string temporary = path.string() + ".XXXXXX";
  const SignalsWait until_listed;
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return system_error("cannot create the file", path);
  return NewFile(path, std::move(temporary), fd);
}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      unfinished_(std::move(other.unfinished_)),
      fd_(std::exchange(other.fd_, -1)) {}

NewFile::~NewFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status NewFile::write(std::string_view bytes) { return write_all(fd_, bytes, path_); }

Status NewFile::finish() { return finish_as(path_); }

Status NewFile::finish_as(const std::filesystem::path& path) {
  if (::fchmod(fd_, 0644) != 0 || ::fsync(fd_) != 0) {
    return system_error("cannot write the file", path_);
  }
  if (!temporary_.empty()) return give_name(temporary_, path);
  if (::linkat(AT_FDCWD, place_of(fd_).c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) != 0) {
    if (errno == EEXIST) return exists_already(path);
    return system_error("cannot give the file its name", path);
  }
  sync_folder(path);
  return {};
}

}  // namespace ki
