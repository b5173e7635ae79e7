// Opening the catalog for a command.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "cli/io.h"
#include "query/resolver.h"

namespace ki::cli {

// The machine's clock, for the whole run of the program.
const Clock& clock();

// Whether there is certainly no file of that name.
bool is_absent(const std::string& file);

// The catalog for reading. A missing file is an error that says how to make one, and an empty
// catalog a note on standard error that says how to fill it.
Result<query::Resolver> open_resolver(const Context& context);

}  // namespace ki::cli
