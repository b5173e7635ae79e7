// The sources of benchmark data that are known by name, with the terms under which theirs is used.
#pragma once

#include <string_view>

#include "publish/bundle.h"

namespace ki::importer {

// The source of a slug. One that is not known gets its slug as its name, kind "submission" and no
// terms.
publish::SourceEntry source_of(std::string_view slug);

}  // namespace ki::importer
