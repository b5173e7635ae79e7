#include "runner/peak_memory.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/files.h"

namespace ki::runner {
namespace {

constexpr std::size_t kStatusBytesMax = 1 << 16;

// The number of KiB behind "VmHWM:" and the like, as bytes.
std::optional<std::int64_t> bytes_at(std::string_view status, std::string_view name) {
  const std::size_t at = status.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  status.remove_prefix(at + name.size());
  status.remove_prefix(std::min(status.find_first_of("0123456789"), status.size()));
  std::int64_t value = 0;
  const auto read = std::from_chars(status.data(), status.data() + status.size(), value);
  if (read.ec != std::errc()) return std::nullopt;
  return value << 10;
}

// Of this process alone: what getrusage() tells may be its parent's.
std::optional<std::int64_t> resident(std::string_view name) {
  const auto status = read_file("/proc/self/status", kStatusBytesMax);
  if (!status) return std::nullopt;
  return bytes_at(*status, name);
}

}  // namespace

Result<PeakMemory> PeakMemory::begin() {
  const auto highest = resident("VmHWM:");
  const auto now = resident("VmRSS:");
  const std::int64_t gap = highest && now ? std::max<std::int64_t>(*highest - *now, 0) : 0;
  Pages filling = TRY(Pages::reserve(static_cast<std::size_t>(gap)));
  return PeakMemory(resident("VmHWM:"), std::move(filling));
}

std::optional<std::int64_t> PeakMemory::grown() const {
  const auto highest = resident("VmHWM:");
  if (!highest || !highest_) return std::nullopt;
  return std::max<std::int64_t>(*highest - *highest_, 0);
}

}  // namespace ki::runner
