// The scratch memory of a call, the same for every instruction set.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/native/gemm.h"
#include "kernels/native/native.h"
#include "kernels/native/pieces.h"

namespace ki::kernels::neighborhood {

struct Sizes {
  explicit Sizes(const native::Planned& planned)
      : seq(planned.axis("seq")),
        tokens(planned.axis("batch") * planned.axis("seq")),
        hidden(planned.axis("hidden")),
        heads(planned.axis("heads")),
        width(planned.axis("head_dim")),
        window(planned.axis("kernel_size")),
        dilation(planned.axis("dilation")),
        threads(planned.threads),
        scale(1.0F / std::sqrt(static_cast<float>(width))) {}
  std::size_t seq, tokens, hidden, heads, width, window, dilation;
  unsigned threads;
  float scale;

  std::size_t stride() const { return native::sums_stride(hidden); }
  std::size_t floats() const { return tokens * stride(); }
  // The place of the weight that `token` gives to the one in `slot` of its window.
  std::size_t weight(std::size_t token, std::size_t head, std::size_t slot) const {
    return (token * heads + head) * window + slot;
  }

  // Calls work(slot, other token) for the window of a token; `direction` -1 takes it in reverse, so
  // that work gets those in whose window the token has that slot.
  template <class Work>
  void for_each_in_window(std::size_t token, int direction, const Work& work) const {
    const std::size_t at = token % seq;
    const std::size_t half = window / 2;
    for (std::size_t slot = 0; slot < window; ++slot) {
      const bool is_after = (slot >= half) == (direction > 0);
      const std::size_t away = (slot >= half ? slot - half : half - slot) * dilation;
      if (is_after ? at + away >= seq : away > at) continue;
      work(slot, is_after ? token + away : token - away);
    }
  }
};

// Nothing here grows with the square of the sequence. The weights of the windows are tokens x heads
// x kernel_size; only the backward pass keeps them.
template <class T>
struct Front {
  Front(const Sizes& sizes, native::Pieces& pieces)
      : q(pieces.take<float>(sizes.floats())),
        k(pieces.take<float>(sizes.floats())),
        v(pieces.take<float>(sizes.floats())),
        context(pieces.take<T>(sizes.floats())),
        rows(pieces.take<float>(sizes.threads * native::sums_stride(sizes.window))),
        product(pieces.take<unsigned char>(
            native::gemm_rounded_workspace_bytes(sizes.hidden, sizes.hidden, sizes.threads))) {}
  float *q, *k, *v;
  T* context;
  float* rows;  // of one window a thread
  void* product;
};

template <class T>
struct Back : Front<T> {
  Back(const Sizes& sizes, native::Pieces& pieces) : Front<T>(sizes, pieces) {
    given = pieces.take<float>(sizes.floats());
    dx = pieces.take<float>(sizes.floats());
    for (T** one : {&dq, &dk, &dv}) *one = pieces.take<T>(sizes.floats());
    weights = pieces.take<float>(sizes.tokens * sizes.heads * sizes.window);
    slopes = pieces.take<float>(sizes.tokens * sizes.heads * sizes.window);
  }
  float *given, *dx;  // the gradient of the context; of the input
  T *dq, *dk, *dv;
  float *weights, *slopes;  // of the softmaxes, and the gradients of their scores
};

}  // namespace ki::kernels::neighborhood
