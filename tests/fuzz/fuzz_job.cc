// The two sides of the line between a runner and its child. The child runs what nobody vouches for:
// what it says is read within its limits, or refused.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "runner/messages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ki::runner;
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  if (const auto job = parse_job(line)) {
    KI_CHECK(!job->candidates.empty() && job->candidates.size() <= kCandidatesMax);
    KI_CHECK(job->threads >= 1 && job->variants >= 1 && job->seed.size() == 16);
    const auto again = parse_job(ki::json::to_json(*job));
    KI_CHECK(again.has_value() && again->candidates == job->candidates);
  }
  constexpr std::size_t kCandidates = 3;
  if (const auto message = parse_message(line, kCandidates)) {
    KI_CHECK(message->candidate < static_cast<std::int64_t>(kCandidates));
    for (const Sample& sample : unflatten(*message)) {
      if (message->event != Event::round) break;
      KI_CHECK(sample.candidate < kCandidates && sample.calls > 0 && sample.block_ns > 0);
    }
  }
  return 0;
}
