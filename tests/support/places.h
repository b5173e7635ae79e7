// Where tests and benchmarks find files.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace ki::places {

// The root of the source tree.
std::filesystem::path source_dir();

// A file or folder of the data that may lie beside the checkout ($KI_SHARED, else ../shared), or
// nothing where it is not: tests then say that they skip. "" is the folder itself.
std::optional<std::filesystem::path> shared_data(std::string_view name);

}  // namespace ki::places
