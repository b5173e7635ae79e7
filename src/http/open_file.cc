#include "http/open_file.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ki::http {

Result<std::shared_ptr<const OpenFile>> OpenFile::open(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0 && errno != ENOENT) {
    return fail(Code::unavailable, "the file cannot be read", path.string());
  }
  struct stat info{};
  if (fd < 0 || ::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    if (fd >= 0) ::close(fd);
    return fail(Code::not_found, "there is no such file", path.string());
  }
  return std::shared_ptr<const OpenFile>(new OpenFile(fd, info.st_size));
}

OpenFile::~OpenFile() { ::close(fd_); }

std::size_t OpenFile::read(std::int64_t offset, std::span<char> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const auto got = ::pread(fd_, into.data() + done, into.size() - done,
                             offset + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace ki::http
