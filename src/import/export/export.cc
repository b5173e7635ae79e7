#include "import/export/export.h"

#include "import/export/lines.h"
#include "import/export/reader.h"
#include "import/known_sources.h"

namespace ki::importer {

Result<Prepared> prepare_export(const InputFile& file, const Progress& progress) {
  Prepared prepared;
  prepared.report.source = "catalog-export";
  prepared.report.parser_version = kExportParserVersion;
  prepared.bundle.source = source_of(prepared.report.source);
  add_input(
      prepared, file,
      {.media_type = file.name.ends_with(".zst") ? "application/zstd" : "application/x-ndjson",
       .parser_name = "export",
       .parser_version = std::string(kExportParserVersion)});
  ExportReader reader(prepared, file.name);
  const auto read = for_each_line(
      file.bytes, [&](std::string_view line, std::int64_t number, std::uint64_t consumed) {
        constexpr std::int64_t kLinesPerStep = 512;
        if (progress && number % kLinesPerStep == 0) progress(consumed, file.bytes.size());
        reader.add(line, number);
      });
  if (!read) return fail(read.error().code, read.error().message, file.name);
  if (progress) progress(file.bytes.size(), file.bytes.size());
  return prepared;
}

}  // namespace ki::importer
