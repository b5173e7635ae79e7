// A whole catalog's export: JSON lines {"table", "row"}, compressed with zstd or not.
#pragma once

#include <string_view>

#include "base/result.h"
#include "import/importer.h"

namespace ki::importer {

inline constexpr std::string_view kExportParserVersion = "export/1";

// Reads an export into a bundle whose objects keep their ids and times. Every digest, key and
// stored fact is recomputed from the manifests: a row that differs, or that stands on one that
// does, becomes an issue with its id and reason and is left out. Rows may refer to earlier ones
// only, as exports are written. Unknown tables and columns are drift warnings. Code::invalid when
// the file cannot be read as such lines at all.
Result<Prepared> prepare_export(const InputFile& file, const Progress& progress = {});

}  // namespace ki::importer
