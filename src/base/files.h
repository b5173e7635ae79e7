// The file system behind a seam small enough to script in tests.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ki {

// The whole of a regular file, or of standard input for "-". A file larger than `bytes_max` is an
// error of code too_large and is not read further.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t bytes_max);

// Writes beside `path`, syncs, then renames over it: readers see the old file or the new one, and
// nothing half-written is left behind when it fails.
Status write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace ki
