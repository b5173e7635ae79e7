// The inputs of a session and what the outputs should be: made here, outside the process that runs
// kernels, which sees the inputs in sealed memory and the expected outputs never.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "kernels/operation.h"
#include "kernels/problem.h"
#include "runner/cpu_device.h"
#include "runner/process.h"

namespace ki::runner {

// Memory under a descriptor, mapped for writing here.
class SharedMemory {
 public:
  static Result<SharedMemory> create(const char* name, std::size_t bytes);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();
  // Nobody can write to it or change its size from now on, this process included.
  Status seal();
  int fd() const { return fd_.get(); }
  std::span<unsigned char> bytes() const { return {data_, size_}; }

 private:
  SharedMemory(Descriptor fd, unsigned char* data, std::size_t size)
      : fd_(std::move(fd)), data_(data), size_(size) {}
  void unmap();
  Descriptor fd_;
  unsigned char* data_;
  std::size_t size_;
};

struct Inputs {
  SharedMemory memory;  // sealed
  Digest digest;        // of all of it
  int variants = 0;
  std::vector<kernels::Expected> expected;  // of each variant

  // Draws `variants` sets of inputs from the seed and computes what is expected of them.
  static Result<Inputs> make(const kernels::Bound& bound, int variants, std::uint64_t seed);
};

// Compares the outputs of one call, as they lie in the memory that the child shares. `worst` grows
// to the largest error over the allowed one. The message of an error is for the run.
Status check_outputs(const kernels::Bound& bound, const Layout& layout,
                     std::span<const unsigned char> outputs, const kernels::Expected& expected,
                     double& worst);

}  // namespace ki::runner
