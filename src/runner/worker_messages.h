// What `ki bench --exec` and a worker say to each other: one JSON document a line, each way, over
// the worker's standard input and output. docs/formats/worker.md is the protocol. A worker is code
// of others, so what it says is read as strictly as a stranger's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/wire.h"

namespace ki::runner {

inline constexpr std::string_view kWorkerFormat = "kernelindex.dev/worker/1";
inline constexpr std::size_t kWorkerKernelsMax = 16;
inline constexpr std::int64_t kWorkerCallsMax = 1'000'000;  // of a block
inline constexpr std::int64_t kWorkerBlockNsMax = std::int64_t{3600} * 1'000'000'000;

struct WorkerTensor {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::string> files;  // dense, little-endian; of each variant, or one of an output
  template <class V>
  static void describe(V& v) {
    v.field("name", &WorkerTensor::name, "");
    v.field("dtype", &WorkerTensor::dtype, "");
    v.field("shape", &WorkerTensor::shape, "");
    v.field("files", &WorkerTensor::files, "");
  }
};

struct WorkerCase {
  std::string operation;
  std::string pass;
  std::string dtype;
  std::map<std::string, std::int64_t> axes;
  std::map<std::string, double> scalars;
  std::int64_t threads = 1;
  std::vector<WorkerTensor> inputs;
  std::vector<WorkerTensor> outputs;
  template <class V>
  static void describe(V& v) {
    v.field("operation", &WorkerCase::operation, "slug");
    v.field("pass", &WorkerCase::pass, "");
    v.field("dtype", &WorkerCase::dtype, "");
    v.field("axes", &WorkerCase::axes, "");
    v.field("scalars", &WorkerCase::scalars, "");
    v.field("threads", &WorkerCase::threads, "");
    v.field("inputs", &WorkerCase::inputs, "");
    v.field("outputs", &WorkerCase::outputs, "");
  }
};

enum class Ask {
  begin,  // the case: which kernels are there for it
  check,  // one call on a variant, its outputs written
  block,  // calls on a variant, timed, for at least minNs
  show,   // the outputs of the last call of the last block, written
};
std::span<const std::string_view> words(Ask);

struct WorkerAsk {
  Ask ask = Ask::begin;
  std::string format{kWorkerFormat};
  std::optional<WorkerCase> one;  // begin
  std::int64_t kernel = -1;       // check, block, show
  std::int64_t variant = -1;      // check, block
  std::int64_t min_ns = 0;        // block
  template <class V>
  static void describe(V& v) {
    using json::Presence;
    v.field("ask", &WorkerAsk::ask, "");
    v.field("format", &WorkerAsk::format, "");
    v.field("case", &WorkerAsk::one, "", Presence::optional);
    v.field("kernel", &WorkerAsk::kernel, "");
    v.field("variant", &WorkerAsk::variant, "");
    v.field("minNs", &WorkerAsk::min_ns, "");
  }
};

struct WorkerKernel {
  std::string provider;
  std::string variant;
  std::string language;
  std::string version;
  bool operator==(const WorkerKernel&) const = default;
  template <class V>
  static void describe(V& v) {
    using json::Presence;
    v.field("provider", &WorkerKernel::provider, "");
    v.field("variant", &WorkerKernel::variant, "", Presence::optional);
    v.field("language", &WorkerKernel::language, "");
    v.field("version", &WorkerKernel::version, "", Presence::optional);
  }
};

// What the kernels run on, where that is not the processor of this machine.
struct WorkerDevice {
  std::string vendor;        // "nvidia"
  std::string product;       // "NVIDIA H100 80GB HBM3"
  std::string architecture;  // "sm_90"
  std::int64_t memory_bytes = 0;
  std::string driver;
  std::string cuda_toolkit;
  bool operator==(const WorkerDevice&) const = default;
  template <class V>
  static void describe(V& v) {
    using json::Presence;
    v.field("vendor", &WorkerDevice::vendor, "");
    v.field("product", &WorkerDevice::product, "");
    v.field("architecture", &WorkerDevice::architecture, "");
    v.field("memoryBytes", &WorkerDevice::memory_bytes, "");
    v.field("driver", &WorkerDevice::driver, "", Presence::optional);
    v.field("cudaToolkit", &WorkerDevice::cuda_toolkit, "", Presence::optional);
  }
};

enum class Say { kernels, refused, done, block, failed };
std::span<const std::string_view> words(Say);

struct WorkerSay {
  Say say = Say::done;
  std::vector<WorkerKernel> kernels;   // kernels
  std::string clock;                   // kernels: host_monotonic or cuda_events
  std::optional<WorkerDevice> device;  // kernels, with cuda_events
  std::int64_t calls = 0;              // block
  std::int64_t ns = 0;                 // block: of all its calls
  std::string why;                     // refused, failed
  template <class V>
  static void describe(V& v) {
    using json::Presence;
    v.field("say", &WorkerSay::say, "");
    v.field("kernels", &WorkerSay::kernels, "", Presence::optional);
    v.field("clock", &WorkerSay::clock, "", Presence::optional);
    v.field("device", &WorkerSay::device, "", Presence::optional);
    v.field("calls", &WorkerSay::calls, "", Presence::optional);
    v.field("ns", &WorkerSay::ns, "", Presence::optional);
    v.field("why", &WorkerSay::why, "", Presence::optional);
  }
};

// Errors: Code::invalid for what is no answer or beyond the limits above.
Result<WorkerSay> parse_worker_line(std::string_view line);

}  // namespace ki::runner
