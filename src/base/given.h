// A text that may be empty where its absence is meant, as a value that may be absent.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ki {

// nullopt for the empty text.
inline std::optional<std::string> given(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

}  // namespace ki
