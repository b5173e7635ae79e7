// Where a runner keeps its key and its evidence.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/io.h"
#include "runner/sign.h"

namespace ki::cli {

// `given`, else $KI_RUNNER_KEY, else runner.pem in $XDG_CONFIG_HOME/kernelindex or
// ~/.config/kernelindex.
Result<std::string> runner_key_path(const std::string& given);

// The key of this runner; with `create` one is made where there is none, and that is said.
Result<runner::SigningKey> runner_key(const Context& context, const std::string& given,
                                      bool create);

// Writes evidence under the name of its content; returns the path.
Result<std::string> keep_evidence(const std::string& folder, std::string_view encoded);

}  // namespace ki::cli
