// Scratch memory of losses of a linear layer, the same for every instruction set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/native/gemm.h"
#include "kernels/native/native.h"
#include "kernels/native/pieces.h"

namespace ki::kernels::native {

// Tokens done at once, and words of the vocabulary: where a whole row of logits is not kept, a tile
// of both. Packing a weight costs a tenth of multiplying it by so many tokens.
inline constexpr std::size_t kTokenTile = 512;
inline constexpr std::size_t kVocabTile = 8192;

struct LinearSizes {
  explicit LinearSizes(const Planned& planned, std::size_t token_count)
      : tokens(token_count),
        hidden(planned.axis("hidden")),
        vocab(planned.axis("vocab")),
        threads(planned.threads) {}
  std::size_t tokens, hidden, vocab;
  unsigned threads;

  std::size_t tile() const { return std::min(kTokenTile, tokens); }
  std::size_t vocab_tile() const { return std::min(kVocabTile, vocab); }
  std::size_t hidden_stride() const { return sums_stride(hidden); }
  // Floats from row to row of a tile of logits.
  std::size_t logits_stride(bool is_kept) const {
    return sums_stride(is_kept ? vocab : vocab_tile());
  }
};

// Of each token of a tile.
struct TokenState {
  float log_sum;  // log2 of the sum of exponentials of its logits
  float chosen;   // its target's logit
};

struct LinearScratch {
  // `is_kept`: whole rows of logits stay until their gradient is made of them, which is what a
  // backward pass needs; `is_rounded`: the gradient of the weight is summed apart from its output.
  LinearScratch(const LinearSizes& sizes, Pieces& pieces, bool is_kept, bool is_rounded)
      : logits(pieces.take<float>(sizes.tile() * sizes.logits_stride(is_kept))),
        states(pieces.take<TokenState>(sizes.tile())),
        others(pieces.take<TokenState>(sizes.tile())),
        scales(pieces.take<float>(sizes.tile())),
        dx(pieces.take<float>(is_kept ? sizes.tile() * sizes.hidden_stride() : 0)),
        dweight(pieces.take<float>(is_rounded ? sizes.vocab * sizes.hidden_stride() : 0)),
        packed(pieces.take<unsigned char>(
            gemm_workspace_bytes(std::max(sizes.vocab_tile(), sizes.hidden), sizes.threads))) {}
  float* logits;
  TokenState *states, *others;
  float* scales;  // of the gradients of the logits
  float *dx, *dweight;
  void* packed;
};

// What LinearScratch takes in the pass that is planned.
inline std::uint64_t linear_workspace_bytes(const Planned& planned, std::size_t token_count) {
  const LinearSizes sizes(planned, token_count);
  const bool is_back = planned.bound.pass != Pass::forward;
  Pieces pieces;
  LinearScratch(sizes, pieces, is_back, is_back && planned.bound.dtype != KI_KERNEL_FP32);
  return pieces.bytes();
}

}  // namespace ki::kernels::native
