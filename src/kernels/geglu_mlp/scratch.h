// The scratch memory of a call, the same for every instruction set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/native/gemm.h"
#include "kernels/native/native.h"
#include "kernels/native/pieces.h"

namespace ki::kernels::geglu_mlp {

// Tokens done at once: enough that packing the weights for them costs a twentieth of the products,
// few enough that inner values of a tile are small beside those of all.
inline constexpr std::size_t kTile = 512;

struct Sizes {
  explicit Sizes(const native::Planned& planned)
      : tokens(planned.axis("batch") * planned.axis("seq")),
        hidden(planned.axis("hidden")),
        inner(planned.axis("intermediate")),
        threads(planned.threads) {}
  std::size_t tokens, hidden, inner;
  unsigned threads;

  std::size_t tile() const { return std::min(kTile, tokens); }
  std::size_t inner_stride() const { return native::sums_stride(inner); }
  std::size_t hidden_stride() const { return native::sums_stride(hidden); }
  std::uint64_t packed_bytes() const {
    return native::gemm_workspace_bytes(std::max(inner, hidden), threads);
  }
};

// One tile of the forward pass: rows of `inner` or `hidden` numbers at their strides.
template <class T>
struct Front {
  Front(const Sizes& sizes, native::Pieces& pieces)
      : gate(pieces.take<float>(sizes.tile() * sizes.inner_stride())),
        up(pieces.take<float>(sizes.tile() * sizes.inner_stride())),
        y(pieces.take<float>(sizes.tile() * sizes.hidden_stride())),
        active(pieces.take<T>(sizes.tile() * sizes.inner_stride())),
        packed(pieces.take<unsigned char>(sizes.packed_bytes())) {}
  float *gate, *up, *y;
  T* active;
  void* packed;
};

// One tile of the backward pass, and the gradients of the weights in fp32.
template <class T>
struct Back {
  Back(const Sizes& sizes, native::Pieces& pieces) {
    const std::size_t tile = sizes.tile();
    for (float** one : {&gate, &up, &given}) *one = pieces.take<float>(tile * sizes.inner_stride());
    for (T** one : {&active, &dgate, &dup}) *one = pieces.take<T>(tile * sizes.inner_stride());
    dx = pieces.take<float>(tile * sizes.hidden_stride());
    dw_gate = pieces.take<float>(sizes.inner * sizes.hidden_stride());
    dw_up = pieces.take<float>(sizes.inner * sizes.hidden_stride());
    dw_down = pieces.take<float>(sizes.hidden * sizes.inner_stride());
    packed = pieces.take<unsigned char>(sizes.packed_bytes());
  }
  float *gate, *up, *given, *dx, *dw_gate, *dw_up, *dw_down;
  T *active, *dgate, *dup;
  void* packed;
};

}  // namespace ki::kernels::geglu_mlp
