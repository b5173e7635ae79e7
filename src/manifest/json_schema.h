// What the tables of kinds.cc say, for other programs and for people.
#pragma once

#include <string>

#include "manifest/manifest.h"

namespace ki::manifest {

// The JSON Schema (draft 2020-12) of a kind's documents as people write them, durations as integer
// or text, over several lines. It says everything the decoder checks except what schemas cannot:
// lengths count UTF-16 units here and code points there, https URLs are only approximated, and
// whether a duration is whole and a date exists is not said at all.
std::string json_schema(Kind kind);

// The reference tables of docs/formats/manifest.md in Markdown: one section for the envelope and
// one for each kind.
std::string format_tables();

}  // namespace ki::manifest
