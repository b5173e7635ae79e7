// Where a runner keeps its key and its evidence.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/result.h"
#include "cli/io.h"
#include "signing/sign.h"

namespace ki::cli {

// `given`, else $KI_RUNNER_KEY, else runner.pem in $XDG_CONFIG_HOME/kernelindex or
// ~/.config/kernelindex.
Result<std::string> runner_key_path(const std::string& given);

// Makes a key in a file that is not there yet, and says so. Errors: Code::conflict where it is.
Result<signing::SigningKey> make_runner_key(const Context& context, const std::string& path);

// The key of this runner, made where there is none.
Result<signing::SigningKey> runner_key(const Context& context, const std::string& given);

// The evidence in a folder, by name; `failed` says why there is none.
std::vector<std::filesystem::path> evidence_in(const std::string& folder, std::error_code& failed);

// Writes evidence under the name of its content; returns the path.
Result<std::string> keep_evidence(const std::string& folder, std::string_view encoded);

}  // namespace ki::cli
