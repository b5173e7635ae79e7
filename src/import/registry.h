// The manifests that come with the program, so that a fresh catalog answers at once.
#pragma once

#include "base/result.h"
#include "import/importer.h"

namespace ki::importer {

inline constexpr std::string_view kRegistryParserVersion = "registry/1";

// registry/*.json as a bundle: what prepare_liger() makes, in mapping distinct, of twelve rows of
// Liger-Kernel's table (BSD-2-Clause), so that importing the whole table finds them there. Needs
// no file. Fails only when the program was built from files that are no manifests.
Result<Prepared> prepare_registry();

}  // namespace ki::importer
