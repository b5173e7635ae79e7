// SHA-256 content digests, written "sha256:<64 lower-case hex digits>" everywhere.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ki {

struct Digest {
  std::array<std::uint8_t, 32> bytes{};
  auto operator<=>(const Digest&) const = default;
};

Digest sha256(std::string_view bytes);

// The same of what comes in parts.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  Digest finish();  // once

 private:
  struct Free {
    void operator()(void* state) const;
  };
  std::unique_ptr<void, Free> state_;
};
std::string to_string(const Digest& digest);
std::optional<Digest> parse_digest(std::string_view text);

std::string to_hex(std::string_view bytes);                 // lower case
std::optional<std::string> from_hex(std::string_view hex);  // either case

}  // namespace ki

template <>
struct std::hash<ki::Digest> {
  std::size_t operator()(const ki::Digest& digest) const noexcept;
};
