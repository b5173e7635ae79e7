// The reader of traces. Whatever the bytes, it ends, keeps its limits, names lines of the file in
// order, and gives only rows that hold what its header promises.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "import/trace.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ki::importer;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = read_trace(text);
  if (!file) {
    KI_CHECK(!file.error().message.empty());
    return 0;
  }
  KI_CHECK(!file->rows.empty() || !file->refused.empty());
  KI_CHECK(file->rows.size() + file->refused.size() <= kTraceRowsMax);
  std::int64_t line = 0;
  for (const TraceRow& row : file->rows) {
    KI_CHECK(row.line > line && row.line <= static_cast<std::int64_t>(size) + 1);
    KI_CHECK(!row.axes.empty() && row.axes.size() <= kTraceColumnsMax);
    for (const auto& [name, value] : row.axes) KI_CHECK(!name.empty() && value >= 0);
    KI_CHECK(!row.weight || (std::isfinite(*row.weight) && *row.weight > 0));
    line = row.line;
  }
  line = 0;
  for (const RefusedRow& row : file->refused) {
    KI_CHECK(row.line > line && !row.reason.empty());
    line = row.line;
  }
  return 0;
}
