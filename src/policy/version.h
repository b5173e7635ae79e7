// Versions as people ask for them and as records state them: "12.8", "2.9.0+cu128", ">=12.4". Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::policy {

inline constexpr std::size_t kVersionPartsMax = 6;  // numbers of one version

// One version or a range of them. A bound is compared as far as it is stated: "12.4" holds 12.4.1,
// "<=12.4" too, and ">12.4" does not.
struct Versions {
  using Numbers = std::vector<std::int64_t>;
  struct Bound {
    Numbers numbers;
    bool included = true;
    bool operator==(const Bound&) const = default;
  };
  std::string requested;       // as typed, without blanks
  std::optional<Bound> least;  // both the same for one version
  std::optional<Bound> most;

  // Whether a stated version is one of them. A text that states none is none.
  bool hold(std::string_view stated) const;
};

// "12", "12.8", ">=12.4", "<13", "12.4..12.9", "12.4.."; nullopt for anything else and for a range
// that is empty.
std::optional<Versions> read_versions(std::string_view text);

}  // namespace ki::policy
