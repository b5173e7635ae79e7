// Manifests from people: files of single manifests, bundles, {run, protocol, environment} documents
// and submission documents.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "import/importer.h"

namespace ki::importer {

inline constexpr std::string_view kManifestsParserVersion = "manifests/1";

// Reads every document of every file into one bundle. Slugs are kebab(metadata.name). A document
// that is not well formed becomes issues of the report, with file, line, column and pointer; the
// others go in. An implementation that names no project slug joins the project of its file if that
// is the only one, else it is an issue. A run belongs to the source its sourceNative names. Does
// not fail for what files hold.
Result<Prepared> prepare_manifests(std::span<const InputFile> files, const Progress& progress = {});

}  // namespace ki::importer
