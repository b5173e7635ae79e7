#include "base/files.h"

#include <cerrno>
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

}  // namespace

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
  std::string temporary = path.string() + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return system_error("cannot create the file", path);
  return NewFile(path, std::move(temporary), fd);
}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      fd_(std::exchange(other.fd_, -1)) {}

NewFile::~NewFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary_.c_str());
}

Status NewFile::write(std::string_view bytes) { return write_all(fd_, bytes, path_); }

Status NewFile::finish() {
  if (::fchmod(fd_, 0644) != 0 || ::fsync(fd_) != 0) {
    return system_error("cannot write the file", path_);
  }
  // link() never replaces anything, unlike rename().
  if (::link(temporary_.c_str(), path_.c_str()) == 0) return {};
  if (errno == EEXIST) return exists_already(path_);
  return system_error("cannot give the file its name", path_);
}

}  // namespace ki
