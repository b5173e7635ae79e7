// What a worker of `ki bench --exec` says: read within its limits, or refused.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "runner/worker_messages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ki::runner;
  const auto said = parse_worker_line({reinterpret_cast<const char*>(data), size});
  if (!said) {
    KI_CHECK(!said.error().message.empty());
    return 0;
  }
  KI_CHECK(said->kernels.size() <= kWorkerKernelsMax || said->say != Say::kernels);
  if (said->say == Say::block) {
    KI_CHECK(said->calls > 0 && said->calls <= kWorkerCallsMax);
    KI_CHECK(said->ns > 0 && said->ns <= kWorkerBlockNsMax);
  }
  const auto again = parse_worker_line(ki::json::to_json(*said));
  KI_CHECK(again.has_value() && again->kernels == said->kernels && again->ns == said->ns);
  return 0;
}
