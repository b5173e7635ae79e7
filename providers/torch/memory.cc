#include "torch/memory.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <unordered_map>

#include <c10/core/CPUAllocator.h>
#include <sys/mman.h>

namespace ki::providers::eager {

namespace {

// Blocks by their size: a training step asks for the same sizes again and again.
class Kept : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) const override {
    if (bytes == 0) return {nullptr, nullptr, free_one, c10::Device(c10::DeviceType::CPU)};
    void* const block = take((bytes + kUnit - 1) / kUnit * kUnit);
    return {block, block, free_one, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return free_one; }

  static Kept& shared() {
    static Kept* const one = new Kept;  // outlives every tensor
    return *one;
  }

 private:
  static constexpr std::size_t kUnit = 4096;
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;

  static void free_one(void* block) {
    if (block != nullptr) shared().give_back(block);
  }

  void* take(std::size_t bytes) const {
    const std::lock_guard lock(mutex_);
    const auto found = free_.find(bytes);
    if (found != free_.end()) {
      void* const block = found->second;
      free_.erase(found);
      return block;
    }
    void* block = nullptr;
    const std::size_t alignment = bytes >= kHugePage ? kHugePage : kUnit;
    if (posix_memalign(&block, alignment, bytes) != 0) throw std::bad_alloc();
    if (bytes >= kHugePage) madvise(block, bytes, MADV_HUGEPAGE);
    sizes_[block] = bytes;
    return block;
  }

  void give_back(void* block) const {
    const std::lock_guard lock(mutex_);
    free_.emplace(sizes_.at(block), block);
  }

  mutable std::mutex mutex_;
  mutable std::multimap<std::size_t, void*> free_;
  mutable std::unordered_map<void*, std::size_t> sizes_;
};

}  // namespace

Using::Using(Memory memory) : is_tuned_(memory == Memory::tuned) {
  if (is_tuned_) c10::SetCPUAllocator(&Kept::shared(), 1);
}

Using::~Using() {
  // A lower priority than the one set is ignored, so the default comes back with the same.
  if (is_tuned_) c10::SetCPUAllocator(c10::GetDefaultCPUAllocator(), 1);
}

}  // namespace ki::providers::eager
