// The Device of sampling.h for kernels on the CPU: memory for the calls of a block, the calls, and
// what surrounds them. Lives in the child; the inputs it copies from are sealed by the parent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "kernels/operation.h"
#include "kernels/provider.h"
#include "stats/random.h"

namespace ki::runner {

// Where the parent's tensors lie in the sealed memory: dense, each on a 64-byte boundary, the
// inputs of variant 0, then those of variant 1, ...; and the outputs of one call in the shared one.
struct Layout {
  std::vector<std::size_t> inputs;   // offset of each input in one variant
  std::vector<std::size_t> outputs;  // offset of each output
  std::size_t variant_bytes = 0;
  std::size_t output_bytes = 0;
};
Layout layout_of(const kernels::Bound& bound);
std::size_t bytes_of(const kernels::Tensor& tensor);
// What one call needs: its tensors, each between guards.
std::size_t slot_bytes_of(const kernels::Bound& bound);

// Memory from mmap, populated, given back at its end.
class Pages {
 public:
  static Result<Pages> reserve(std::size_t bytes);  // Code::unavailable: there is not so much
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&&) = delete;
  ~Pages();
  unsigned char* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  Pages(unsigned char* data, std::size_t size) : data_(data), size_(size) {}
  unsigned char* data_;
  std::size_t size_;
};

struct CpuOptions {
  std::size_t memory_bytes = 0;  // for the slots; at least two are made
  std::size_t evict_bytes = 0;
  int variants = 1;
  std::uint64_t seed = 0;
};

class CpuDevice {
 public:
  // Hands one output of variant `variant` to the parent and waits until it has looked.
  using Show = std::function<Status(std::size_t candidate, std::size_t variant)>;

  // `inputs` and `outputs` are the two memories and outlive the device, as `bound` and `plans` do.
  static Result<CpuDevice> create(const kernels::Bound& bound, std::span<kernels::Plan> plans,
                                  std::span<const unsigned char> inputs,
                                  std::span<unsigned char> outputs, const CpuOptions& options,
                                  Show show);

  Status prepare(std::size_t candidate, std::size_t calls);
  // The same for one call on a variant that the caller names.
  Status prepare_variant(std::size_t candidate, std::size_t variant);
  Status evict();
  std::int64_t now() const;
  int launch(std::size_t candidate, std::size_t call) {
    return static_cast<int>(plans_[candidate].launch(calls_[call]));
  }
  Status settle(std::size_t candidate, std::size_t calls);
  std::uint32_t disturbances() const;
  Status check(std::size_t candidate, std::size_t call);
  std::int64_t tick_ns() const { return tick_ns_; }
  std::size_t calls_max() const { return slots_; }
  std::size_t workspace_bytes(std::size_t candidate) const { return workspaces_[candidate].size(); }

 private:
  CpuDevice(const kernels::Bound& bound, std::span<kernels::Plan> plans, Pages slots);
  void place_slots();
  void fill_slot(std::size_t slot, std::size_t variant);

  const kernels::Bound& bound_;
  std::span<kernels::Plan> plans_;
  std::span<const unsigned char> inputs_;
  std::span<unsigned char> outputs_;
  CpuOptions options_;
  Show show_;
  Layout layout_;
  Pages memory_;
  std::unique_ptr<Pages> evicted_;
  std::vector<Pages> workspaces_;  // of each candidate
  stats::Random random_;
  std::size_t slot_bytes_ = 0;
  std::size_t slots_ = 0;
  unsigned char* base_ = nullptr;  // of the first slot in this block
  std::vector<std::size_t> variants_;
  std::vector<const void*> input_addresses_;
  std::vector<void*> output_addresses_;
  std::vector<ki_kernel_launch> calls_;
  std::int64_t tick_ns_ = 1;
  std::uint64_t walked_ = 0;
};

}  // namespace ki::runner
