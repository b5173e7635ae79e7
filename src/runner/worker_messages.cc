#include "runner/worker_messages.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "json/read.h"
#include "runner/messages.h"

namespace ki::runner {
namespace {

constexpr json::Limits kLimits{.bytes_max = kLineBytesMax, .depth_max = 4, .values_max = 512};
constexpr std::size_t kNameBytesMax = 60;
constexpr std::size_t kVersionBytesMax = 100;
constexpr std::size_t kProductBytesMax = 200;
constexpr std::size_t kWhyBytesMax = 2000;

Status wrong(std::string message) { return fail(Code::invalid, std::move(message)); }

// A name that stands in names of implementations.
bool is_name(std::string_view text) {
  return text.size() <= kNameBytesMax && std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
         });
}

// One line of text that stands in a manifest.
bool is_line(std::string_view text, std::size_t bytes_max) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  return text.size() <= bytes_max && is_utf8(text) && std::ranges::none_of(text, is_control);
}

Status check_device(const WorkerSay& say) {
  const bool by_events = say.clock == "cuda_events";
  if (by_events != say.device.has_value()) {
    return wrong("a worker names its device with cuda_events, and only then");
  }
  if (!by_events) return {};
  const WorkerDevice& device = *say.device;
  const bool named = !device.vendor.empty() && is_name(device.vendor) &&
                     !device.architecture.empty() && is_name(device.architecture) &&
                     !trim(device.product).empty() && is_line(device.product, kProductBytesMax);
  if (named && device.memory_bytes > 0 && is_line(device.driver, kVersionBytesMax) &&
      is_line(device.cuda_toolkit, kVersionBytesMax)) {
    return {};
  }
  return wrong(
      "a device has a vendor and an architecture of a-z, 0-9, - and _, a product of at most 200 "
      "bytes, its memory in bytes, and versions of at most 100 bytes");
}

Status check_kernels(const WorkerSay& say) {
  if (say.kernels.empty() || say.kernels.size() > kWorkerKernelsMax) {
    return wrong("a worker has 1 to 16 kernels, or refuses the case");
  }
  if (say.clock != "host_monotonic" && say.clock != "cuda_events") {
    return wrong("a worker's clock is host_monotonic or cuda_events");
  }
  for (const WorkerKernel& kernel : say.kernels) {
    if (kernel.provider.empty() || !is_name(kernel.provider) || !is_name(kernel.variant) ||
        kernel.language.empty() || !is_name(kernel.language) ||
        !is_line(kernel.version, kVersionBytesMax)) {
      return wrong(
          "provider, variant and language are names of at most 60 of a-z, 0-9, - and _, and a "
          "version has at most 100 bytes");
    }
    if (std::ranges::count(say.kernels, kernel) != 1) return wrong("two kernels have one name");
  }
  return {};
}

}  // namespace

std::span<const std::string_view> words(Ask) {
  static constexpr std::array<std::string_view, 4> kWords = {"begin", "check", "block", "show"};
  return kWords;
}

std::span<const std::string_view> words(Say) {
  static constexpr std::array<std::string_view, 5> kWords = {"kernels", "refused", "done", "block",
                                                             "failed"};
  return kWords;
}

Result<WorkerSay> parse_worker_line(std::string_view line) {
  auto document = json::parse(line, kLimits);
  if (!document) return std::unexpected(to_error(document.error()));
  auto read = json::read<WorkerSay>(document->root, line);
  if (!read) return std::unexpected(to_error(read.error()));
  WorkerSay say = std::move(*read);
  say.why = excerpt(say.why, kWhyBytesMax);
  if (say.say == Say::kernels) {
    TRY(check_kernels(say));
    TRY(check_device(say));
  }
  if (say.say == Say::block &&
      (say.calls < 1 || say.calls > kWorkerCallsMax || say.ns < 1 || say.ns > kWorkerBlockNsMax)) {
    return fail(Code::invalid, "a block has 1 to 1,000,000 calls and takes 1 ns to an hour");
  }
  return say;
}

}  // namespace ki::runner
