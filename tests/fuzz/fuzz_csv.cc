// Whatever the bytes: the CSV reader ends, counts lines in order and keeps its limits.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "base/text.h"
#include "import/csv.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ki::importer::CsvLimits limits{
      .field_bytes_max = 64, .record_bytes_max = 256, .fields_max = 16};
  ki::importer::CsvReader reader({reinterpret_cast<const char*>(data), size}, limits);
  std::int64_t line = 0;
  while (const auto record = reader.next()) {
    KI_CHECK(record->line > line && record->line_last >= record->line);
    KI_CHECK(record->fields.size() <= limits.fields_max);
    for (const auto& field : record->fields) {
      KI_CHECK(!record->problem.empty() || ki::is_utf8(field));
    }
    line = record->line_last;
  }
  KI_CHECK(reader.offset() == size);
  return 0;
}
