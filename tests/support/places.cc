// The one file compiled with the path of the source tree: any other that knew it would have to be
// compiled anew for each checkout.
#include "support/places.h"

#include <cstdlib>

namespace ki::places {

std::filesystem::path source_dir() { return KI_SOURCE_DIR; }

std::optional<std::filesystem::path> shared_data(std::string_view name) {
  const char* const given = std::getenv("KI_SHARED");
  const auto folder = given != nullptr ? std::filesystem::path(given) : source_dir() / "../shared";
  auto path = name.empty() ? folder : folder / name;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return path;
}

}  // namespace ki::places
