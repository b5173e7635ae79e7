#include "runner/cpu_device.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/mman.h>

#include "kernels/problem.h"
#include "runner/sampling.h"
#include "runner/timer.h"

namespace ki::runner {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kGuardBytes = 256;  // around every tensor
constexpr unsigned char kGuard = 0xA5;
constexpr std::size_t kShiftBytes = std::size_t{64} << 10;  // how far a block's addresses may move

std::size_t rounded(std::size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

// A tensor in a slot: guard, tensor, the rest of its line, guard.
std::size_t guarded(std::size_t bytes) { return rounded(bytes) + 2 * kGuardBytes; }

bool is_guard(const unsigned char* from, std::size_t bytes) {
  return std::all_of(from, from + bytes, [](unsigned char byte) { return byte == kGuard; });
}

}  // namespace

std::size_t bytes_of(const kernels::Tensor& tensor) {
  return static_cast<std::size_t>(tensor.span() * kernels::size_bytes(tensor.dtype));
}

std::size_t slot_bytes_of(const kernels::Bound& bound) {
  std::size_t bytes = 0;
  for (const auto& tensor : bound.inputs) bytes += guarded(bytes_of(tensor));
  for (const auto& tensor : bound.outputs) bytes += guarded(bytes_of(tensor));
  return bytes;
}

Layout layout_of(const kernels::Bound& bound) {
  Layout layout;
  for (const auto& tensor : bound.inputs) {
    layout.inputs.push_back(layout.variant_bytes);
    layout.variant_bytes += rounded(bytes_of(tensor));
  }
  for (const auto& tensor : bound.outputs) {
    layout.outputs.push_back(layout.output_bytes);
    layout.output_bytes += rounded(bytes_of(tensor));
  }
  return layout;
}

Result<Pages> Pages::reserve(std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, 1);
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (data == MAP_FAILED) {
    return fail(Code::unavailable, std::string("not enough memory: ") + std::strerror(errno));
  }
  return Pages(static_cast<unsigned char*>(data), bytes);
}

Pages::Pages(Pages&& other) noexcept : data_(other.data_), size_(other.size_) {
  other.data_ = nullptr;
}

Pages::~Pages() {
  if (data_ != nullptr) munmap(data_, size_);
}

CpuDevice::CpuDevice(const kernels::Bound& bound, std::span<kernels::Plan> plans, Pages slots)
    : bound_(bound), plans_(plans), memory_(std::move(slots)), random_(0) {}

Result<CpuDevice> CpuDevice::create(const kernels::Bound& bound, std::span<kernels::Plan> plans,
                                    std::span<const unsigned char> inputs,
                                    std::span<unsigned char> outputs, const CpuOptions& options,
                                    Show show) {
  const std::size_t slot_bytes = slot_bytes_of(bound);
  const std::size_t slots =
      std::clamp<std::size_t>(options.memory_bytes / slot_bytes, 2, kCallsMax);
  Pages memory = TRY(Pages::reserve(slots * slot_bytes + kShiftBytes));
  CpuDevice device(bound, plans, std::move(memory));
  device.layout_ = layout_of(bound);
  if (inputs.size() < device.layout_.variant_bytes * static_cast<std::size_t>(options.variants) ||
      outputs.size() < device.layout_.output_bytes) {
    return fail(Code::invalid, "the memory of the parent is smaller than the case");
  }
  device.inputs_ = inputs;
  device.outputs_ = outputs;
  device.options_ = options;
  device.show_ = std::move(show);
  device.random_ = stats::Random(options.seed);
  device.slot_bytes_ = slot_bytes;
  device.slots_ = slots;
  if (options.evict_bytes > 0) {
    Pages evicted = TRY(Pages::reserve(options.evict_bytes));
    device.evicted_ = std::make_unique<Pages>(std::move(evicted));
  }
  for (const kernels::Plan& plan : plans) {
    Pages workspace = TRY(Pages::reserve(plan.workspace_bytes()));
    device.workspaces_.push_back(std::move(workspace));
  }
  device.input_addresses_.resize(slots * bound.inputs.size());
  device.output_addresses_.resize(slots * bound.outputs.size());
  device.calls_.resize(slots);
  device.variants_.resize(slots);
  device.tick_ns_ = measure_tick_ns();
  return device;
}

// Other addresses than the block before had, by whole cache lines.
void CpuDevice::place_slots() {
  base_ = memory_.data() + kLine * random_.below(kShiftBytes / kLine);
}

void CpuDevice::fill_slot(std::size_t slot, std::size_t variant) {
  unsigned char* at = base_ + slot * slot_bytes_;
  const unsigned char* from = inputs_.data() + variant * layout_.variant_bytes;
  const auto place = [&](std::size_t bytes) {
    unsigned char* tensor = at + kGuardBytes;
    std::memset(at, kGuard, kGuardBytes);
    std::memset(tensor + bytes, kGuard, guarded(bytes) - kGuardBytes - bytes);
    at += guarded(bytes);
    return tensor;
  };
  for (std::size_t i = 0; i < bound_.inputs.size(); ++i) {
    const std::size_t bytes = bytes_of(bound_.inputs[i]);
    unsigned char* tensor = place(bytes);
    std::memcpy(tensor, from + layout_.inputs[i], bytes);
    input_addresses_[slot * bound_.inputs.size() + i] = tensor;
  }
  for (std::size_t i = 0; i < bound_.outputs.size(); ++i) {
    unsigned char* tensor = place(bytes_of(bound_.outputs[i]));
    kernels::poison(bound_.outputs[i], tensor);
    output_addresses_[slot * bound_.outputs.size() + i] = tensor;
  }
  variants_[slot] = variant;
}

Status CpuDevice::prepare(std::size_t candidate, std::size_t calls) {
  KI_CHECK(calls <= slots_);
  place_slots();
  for (std::size_t slot = 0; slot < calls; ++slot) {
    fill_slot(slot, random_.below(static_cast<std::size_t>(options_.variants)));
    calls_[slot] = {.struct_size = sizeof(ki_kernel_launch),
                    .inputs = &input_addresses_[slot * bound_.inputs.size()],
                    .outputs = &output_addresses_[slot * bound_.outputs.size()],
                    .workspace = workspaces_[candidate].data(),
                    .stream = nullptr};
  }
  return {};
}

Status CpuDevice::prepare_variant(std::size_t candidate, std::size_t variant) {
  TRY(prepare(candidate, 1));
  fill_slot(0, variant);
  return {};
}

Status CpuDevice::evict() {
  if (!evicted_) return {};
  // Written, one byte a line, so that every line has to be fetched and owned.
  unsigned char* data = evicted_->data();
  for (std::size_t i = 0; i < evicted_->size(); i += kLine) ++data[i];
  walked_ += data[0];
  return {};
}

std::int64_t CpuDevice::now() const { return monotonic_ns(); }

Status CpuDevice::settle(std::size_t candidate, std::size_t calls) {
  static_cast<void>(candidate);
  for (std::size_t slot = 0; slot < calls; ++slot) {
    const unsigned char* at = base_ + slot * slot_bytes_;
    for (const auto* tensors : {&bound_.inputs, &bound_.outputs}) {
      for (const kernels::Tensor& tensor : *tensors) {
        const std::size_t bytes = bytes_of(tensor);
        if (!is_guard(at, kGuardBytes) ||
            !is_guard(at + kGuardBytes + bytes, guarded(bytes) - kGuardBytes - bytes)) {
          return fail(Code::denied, "it wrote beside the tensor " + tensor.name);
        }
        at += guarded(bytes);
      }
    }
  }
  return {};
}

std::uint32_t CpuDevice::disturbances() const { return count_disturbances(); }

Status CpuDevice::check(std::size_t candidate, std::size_t call) {
  const unsigned char* from = inputs_.data() + variants_[call] * layout_.variant_bytes;
  for (std::size_t i = 0; i < bound_.inputs.size(); ++i) {
    const void* tensor = calls_[call].inputs[i];
    if (std::memcmp(tensor, from + layout_.inputs[i], bytes_of(bound_.inputs[i])) != 0) {
      return fail(Code::denied, "it wrote into the input " + bound_.inputs[i].name);
    }
  }
  for (std::size_t i = 0; i < bound_.outputs.size(); ++i) {
    std::memcpy(outputs_.data() + layout_.outputs[i], calls_[call].outputs[i],
                bytes_of(bound_.outputs[i]));
  }
  return show_(candidate, variants_[call]);
}

}  // namespace ki::runner
