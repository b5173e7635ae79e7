// What the sessions kept on this machine say of its noise.
#pragma once

#include <optional>
#include <string>

#include "runner/history.h"

namespace ki::cli {

// The noise floor by the evidence in the folder, of which the newest kPastFilesMax files are read;
// nullopt while there are too few sessions. What cannot be read is left out.
std::optional<double> past_floor(const std::string& folder, const runner::NoiseOf& whose);

inline constexpr std::size_t kPastFilesMax = 400;

}  // namespace ki::cli
