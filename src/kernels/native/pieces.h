// Scratch memory handed out piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/native/native.h"

namespace ki::kernels::native {

// With no memory it only counts: what is taken then is the size that a workspace must have.
class Pieces {
 public:
  explicit Pieces(void* memory = nullptr) : begin_(static_cast<unsigned char*>(memory)) {}

  // `count` numbers, the first at a whole cache line.
  template <class T>
  T* take(std::size_t count) {
    const std::size_t at = bytes_;
    bytes_ += (count * sizeof(T) + 63) / 64 * 64;
    return begin_ == nullptr ? nullptr : reinterpret_cast<T*>(begin_ + at);
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  unsigned char* begin_;
  std::size_t bytes_ = 0;
};

// What a layout takes whose pieces follow from sizes and the type of the tensors.
template <class Sizes, template <class> class Layout>
std::uint64_t workspace_bytes(const Planned& planned) {
  const Sizes sizes(planned);
  Pieces pieces;
  if (planned.bound.dtype == KI_KERNEL_BF16) {
    Layout<std::uint16_t>(sizes, pieces);
  } else {
    Layout<float>(sizes, pieces);
  }
  return pieces.bytes();
}

}  // namespace ki::kernels::native
