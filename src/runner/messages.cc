#include "runner/messages.h"

#include <array>

#include "base/digest.h"
#include "base/text.h"
#include "json/read.h"

namespace ki::runner {
namespace {

constexpr json::Limits kLineLimits{.bytes_max = kLineBytesMax, .depth_max = 4, .values_max = 4096};
constexpr std::size_t kWordBytesMax = 200;
constexpr std::size_t kTextBytesMax = 4000;
constexpr std::int64_t kMemoryBytesMax = std::int64_t{1} << 42;
constexpr std::int64_t kBlockNsMax = std::int64_t{3600} * 1'000'000'000;

template <class T>
Result<T> read_line(std::string_view line) {
  auto document = json::parse(line, kLineLimits);
  if (!document) return std::unexpected(to_error(document.error()));
  auto value = json::read<T>(document->root, line);
  if (!value) return std::unexpected(to_error(value.error()));
  return std::move(*value);
}

Status wrong(std::string message) { return fail(Code::invalid, std::move(message)); }

Status check_kernel(const KernelName& kernel) {
  if (kernel.provider.empty() || kernel.provider.size() > kWordBytesMax ||
      kernel.variant.size() > kWordBytesMax || kernel.language.size() > kWordBytesMax ||
      kernel.library.size() > kTextBytesMax) {
    return wrong("a kernel has a provider, and names of at most 200 bytes");
  }
  return {};
}

Status check_job(const Job& job) {
  if (job.candidates.empty() || job.candidates.size() > kCandidatesMax) {
    return wrong("a job has 1 to 32 candidates");
  }
  for (const KernelName& kernel : job.candidates) {
    TRY(check_kernel(kernel));
  }
  if (job.threads < 1 || job.threads > kThreadsMax) return wrong("threads are 1 to 1024");
  if (job.variants < 1 || job.variants > kVariantsMax) return wrong("variants are 1 to 8");
  if (job.memory_bytes < 0 || job.memory_bytes > kMemoryBytesMax || job.evict_bytes < 0 ||
      job.evict_bytes > kMemoryBytesMax) {
    return wrong("a size of memory is out of range");
  }
  if (job.seed.size() != 16 || !from_hex(job.seed)) return wrong("a seed is 16 hex digits");
  return {};
}

Status check_samples(const Message& message, std::size_t candidates) {
  const auto& all = message.samples;
  if (all.empty() || all.size() % kSampleFields != 0 || all.size() / kSampleFields > candidates) {
    return wrong("a round has one sample for each candidate at most");
  }
  if (message.round < 0 || message.round > 1'000'000) return wrong("a round has a number");
  for (std::size_t i = 0; i < all.size(); i += kSampleFields) {
    const bool good = all[i] >= 0 && all[i] < std::int64_t{kCandidatesMax} && all[i + 1] >= 0 &&
                      all[i + 1] < static_cast<std::int64_t>(candidates) && all[i + 2] > 0 &&
                      all[i + 2] <= static_cast<std::int64_t>(2 * kCallsMax) && all[i + 3] > 0 &&
                      all[i + 3] <= kBlockNsMax && (all[i + 4] == 0 || all[i + 4] == 1);
    if (!good) return wrong("a sample is position, candidate, calls, nanoseconds, disturbed");
  }
  return {};
}

}  // namespace

std::span<const std::string_view> words(JobKind) {
  static constexpr std::array<std::string_view, 4> kWords = {"list", "check", "measure",
                                                             "ceilings"};
  return kWords;
}

std::span<const std::string_view> words(Event) {
  static constexpr std::array<std::string_view, 7> kWords = {
      "confined", "listed", "checking", "round", "refused", "failed", "done"};
  return kWords;
}

Result<Job> parse_job(std::string_view line) {
  Job job = TRY(read_line<Job>(line));
  TRY(check_job(job));
  return job;
}

Result<Message> parse_message(std::string_view line, std::size_t candidates) {
  Message message = TRY(read_line<Message>(line));
  if (message.candidate < -1 || message.candidate >= static_cast<std::int64_t>(candidates) ||
      message.variant < -1 || message.variant >= kVariantsMax) {
    return fail(Code::invalid, "a candidate or variant that there is not");
  }
  message.text = excerpt(message.text, kTextBytesMax);
  if (message.event == Event::round) {
    TRY(check_samples(message, candidates));
  }
  for (const KernelName& kernel : message.kernels) {
    TRY(check_kernel(kernel));
  }
  return message;
}

std::vector<std::int64_t> flatten(std::span<const Sample> samples) {
  std::vector<std::int64_t> flat;
  for (const Sample& sample : samples) {
    flat.insert(flat.end(), {std::int64_t{sample.position}, std::int64_t{sample.candidate},
                             std::int64_t{sample.calls}, sample.block_ns,
                             sample.disturbed ? std::int64_t{1} : std::int64_t{0}});
  }
  return flat;
}

std::vector<Sample> unflatten(const Message& message) {
  std::vector<Sample> samples;
  for (std::size_t i = 0; i + kSampleFields <= message.samples.size(); i += kSampleFields) {
    const auto at = [&](std::size_t field) { return message.samples[i + field]; };
    samples.push_back({.round = static_cast<std::uint32_t>(message.round),
                       .position = static_cast<std::uint32_t>(at(0)),
                       .candidate = static_cast<std::uint32_t>(at(1)),
                       .calls = static_cast<std::uint32_t>(at(2)),
                       .block_ns = at(3),
                       .disturbed = at(4) == 1});
  }
  return samples;
}

}  // namespace ki::runner
