// The lines of a text that may be compressed with zstd, without holding all of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"

namespace ki::importer {

struct LineLimits {
  std::size_t line_bytes_max = std::size_t{16} << 20;
  std::uint64_t text_bytes_max = std::uint64_t{4} << 30;  // decompressed
};

// Calls `line` for each line that is not empty, without its line break, with its number from 1 and
// how many bytes of `bytes` are consumed. zstd is recognised by its first bytes. Code::invalid for
// damaged or truncated compression, Code::too_large past a limit.
Status for_each_line(std::string_view bytes,
                     const std::function<void(std::string_view line, std::int64_t number,
                                              std::uint64_t consumed)>& line,
                     const LineLimits& limits = {});

}  // namespace ki::importer
