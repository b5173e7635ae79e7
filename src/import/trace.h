// A trace: the shapes that a program asked for, one a line. Either CSV with a header (the names of
// axes, and the words weight, hardware, dtype and pass, which are no axes here) or one JSON object
// a line with the same names. A line that cannot be read is set aside with the reason, and reading
// goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ki::importer {

inline constexpr std::size_t kTraceBytesMax = std::size_t{4} << 20;
inline constexpr std::size_t kTraceRowsMax = 10'000;  // lines with a shape, the refused ones too
inline constexpr std::size_t kTraceColumnsMax = 68;   // 64 axes and the four words

struct TraceRow {
  std::int64_t line = 0;                     // of the file, the first is 1
  std::map<std::string, std::int64_t> axes;  // never empty
  std::optional<double> weight;              // over 0
  std::string hardware, dtype, pass;         // "" = not said
};

struct RefusedRow {
  std::int64_t line = 0;
  std::string reason;
};

struct TraceFile {
  std::vector<TraceRow> rows;
  std::vector<RefusedRow> refused;
};

// Code::invalid for what makes the whole unusable: too many bytes or lines, no header, a header
// that names something twice, no line at all.
Result<TraceFile> read_trace(std::string_view text);

}  // namespace ki::importer
