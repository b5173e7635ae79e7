// A small valid manifest of each kind, in YAML with comments: what `ki manifest init` prints.
#pragma once

#include <string>

#include "manifest/manifest.h"

namespace ki::manifest {

// Where it refers to another manifest, it names the digest of that kind's example, so that examples
// of several kinds fit each other.
std::string example_of(Kind kind);

}  // namespace ki::manifest
