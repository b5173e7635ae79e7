// A small valid manifest of each kind, in YAML with comments: what `ki manifest init` prints.
#pragma once

#include <string_view>

#include "manifest/manifest.h"

namespace ki::manifest {

std::string_view example_of(Kind kind);

}  // namespace ki::manifest
