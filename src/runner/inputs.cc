#include "runner/inputs.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runner/cases.h"
#include "stats/random.h"

namespace ki::runner {

Result<SharedMemory> SharedMemory::create(const char* name, std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, 1);
  Descriptor fd(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (fd.get() < 0 || ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) {
    return fail(Code::unavailable, std::string("no shared memory: ") + std::strerror(errno));
  }
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (data == MAP_FAILED) {
    return fail(Code::unavailable, std::string("no shared memory: ") + std::strerror(errno));
  }
  return SharedMemory(std::move(fd), static_cast<unsigned char*>(data), bytes);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : fd_(std::move(other.fd_)), data_(other.data_), size_(other.size_) {
  other.data_ = nullptr;
}

void SharedMemory::unmap() {
  if (data_ != nullptr) munmap(data_, size_);
  data_ = nullptr;
}

SharedMemory::~SharedMemory() { unmap(); }

Status SharedMemory::seal() {
  unmap();
  if (fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) !=
      0) {
    return fail(Code::unavailable, std::string("memory cannot be sealed: ") + std::strerror(errno));
  }
  void* data = mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd_.get(), 0);
  if (data == MAP_FAILED) return fail(Code::unavailable, "sealed memory cannot be mapped");
  data_ = static_cast<unsigned char*>(data);
  return {};
}

Result<Inputs> Inputs::make(const kernels::Bound& bound, int variants, std::uint64_t seed) {
  const Layout layout = layout_of(bound);
  SharedMemory memory = TRY(
      SharedMemory::create("ki-inputs", layout.variant_bytes * static_cast<std::size_t>(variants)));
  std::vector<kernels::Expected> all;
  for (int variant = 0; variant < variants; ++variant) {
    unsigned char* base =
        memory.bytes().data() + layout.variant_bytes * static_cast<std::size_t>(variant);
    std::vector<void*> addresses;
    for (const std::size_t offset : layout.inputs) addresses.push_back(base + offset);
    const auto own = stats::seed_of(seed, static_cast<std::uint64_t>(variant));
    kernels::fill_inputs(bound, kDistribution, own, addresses.data());
    kernels::Values values;
    for (std::size_t i = 0; i < bound.inputs.size(); ++i) {
      values.push_back(kernels::load_values(bound.inputs[i], addresses[i]));
    }
    all.push_back(kernels::evaluate(bound, values));
  }
  const std::span<unsigned char> bytes = memory.bytes();
  const Digest digest = sha256({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  TRY(memory.seal());
  return Inputs{std::move(memory), digest, variants, std::move(all)};
}

Status check_outputs(const kernels::Bound& bound, const Layout& layout,
                     std::span<const unsigned char> outputs, const kernels::Expected& expected,
                     double& worst) {
  for (std::size_t i = 0; i < bound.outputs.size(); ++i) {
    const kernels::Comparison compared =
        kernels::compare(bound.outputs[i], outputs.data() + layout.outputs[i], expected.values[i],
                         kernels::allowance_of(bound, expected, i));
    worst = std::max(worst, compared.worst);
    if (!compared.ok()) {
      return fail(Code::conflict, bound.outputs[i].name + ": " + compared.message);
    }
  }
  return {};
}

}  // namespace ki::runner
