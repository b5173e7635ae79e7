// The thirteen kinds as data. Read kinds.cc first: it is the whole format on one page.
#pragma once

#include <string_view>

#include "manifest/manifest.h"
#include "manifest/schema.h"

namespace ki::manifest {

// apiVersion, kind, metadata and spec, which every document consists of.
const Mapping& envelope();

// The members of `spec` of this kind.
const Mapping& spec_of(Kind kind);

// What the kind is for, one sentence without a full stop.
std::string_view says(Kind kind);

}  // namespace ki::manifest
