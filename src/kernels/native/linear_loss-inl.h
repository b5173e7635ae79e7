// Losses of the logits x weight^T that never hold all logits: a tile of tokens at a time. Included
// once per instruction set, inside foreach_target.
#if defined(KI_KERNELS_LINEAR_LOSS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KI_KERNELS_LINEAR_LOSS_INL
#undef KI_KERNELS_LINEAR_LOSS_INL
#else
#define KI_KERNELS_LINEAR_LOSS_INL
#endif

#include <hwy/highway.h>

#include "kernels/native/gemm-inl.h"
#include "kernels/native/linear_loss.h"
#include "kernels/native/log_sum-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ki::kernels::native::HWY_NAMESPACE {

HWY_INLINE float JoinLogSums(float a, float b) {
  const float top = b > a ? b : a;
  return top + std::log2(std::exp2(a - top) + std::exp2(b - top));
}

// Logits of `count` tokens (rows of x), a tile of the vocabulary at a time, and the state of each
// token; target_of(row) is its target. Where they are kept, whole rows lie in scratch.logits.
template <class T, class TargetOf>
void MakeLogits(const LinearSizes& sizes, const LinearScratch& scratch, const Matrix<T>& x,
                const Matrix<T>& weight, std::size_t count, bool is_kept, const TargetOf& target_of,
                TokenState* states) {
  const std::size_t stride = sizes.logits_stride(is_kept);
  for (std::size_t begin = 0; begin < sizes.vocab; begin += kVocabTile) {
    const std::size_t width = HWY_MIN(kVocabTile, sizes.vocab - begin);
    float* logits = scratch.logits + (is_kept ? begin : 0);
    const Matrix<T> part{weight.at(begin, 0), weight.row_stride, 1};
    Multiply(Product<T>{x, part.transposed(), count, width, sizes.hidden, logits, stride},
             sizes.threads, scratch.packed);
    ForEachRow(sizes.threads, count, [&](std::size_t row) HWY_ATTR {
      TokenState& state = states[row];
      const float* values = logits + row * stride;
      const float sum = Log2SumExp(values, width);
      state.log_sum = begin == 0 ? sum : JoinLogSums(state.log_sum, sum);
      const std::size_t target = target_of(row);
      if (target >= begin && target - begin < width) state.chosen = values[target - begin];
    });
  }
}

// Kept logits become their gradient in T, in place: scale (softmax - 1 at the target).
template <class T, class TargetOf>
void DifferentiateLogits(const LinearSizes& sizes, const LinearScratch& scratch, std::size_t count,
                         const TargetOf& target_of) {
  ForEachRow(sizes.threads, count, [&](std::size_t row) HWY_ATTR {
    const float* values = scratch.logits + row * sizes.logits_stride(true);
    T* to = reinterpret_cast<T*>(scratch.logits + row * sizes.logits_stride(true));
    const TokenState& state = scratch.states[row];
    const V shift = Set(-state.log_sum);
    const V scale = Set(scratch.scales[row]);
    // A vector is read before it is written, and no later one lies where it is written.
    ForEach(sizes.vocab, [&](auto how, std::size_t i) HWY_ATTR {
      const V power = Exp2(hn::MulAdd(how.Load(values + i), Set(kLog2E), shift));
      how.Store(hn::Mul(power, scale), to + i);
    });
    const float probability = std::exp2(state.chosen * kLog2E - state.log_sum);
    Partial{1}.Store(Set((probability - 1) * scratch.scales[row]), to + target_of(row));
  });
}

// Where the gradient of the weight is summed while its output is `rows` at `data`, and what ends
// it.
template <class T>
struct WeightSums {
  WeightSums(const LinearSizes& sizes, const LinearScratch& scratch, const Rows& rows, void* data)
      : sizes_(sizes), rows_(rows), data_(static_cast<T*>(data)) {
    if constexpr (std::is_same_v<T, float>) {
      at = data_;
      stride = rows.stride;
    } else {
      at = scratch.dweight;
      stride = sizes.hidden_stride();
    }
  }
  void Finish() const {
    if constexpr (std::is_same_v<T, float>) return;
    RoundRows(sizes_.threads, at, stride, sizes_.vocab, sizes_.hidden, data_, rows_.stride);
  }
  float* at;
  std::size_t stride;

 private:
  const LinearSizes& sizes_;
  const Rows& rows_;
  T* data_;
};

// From the gradient of a tile's logits: dx of its tokens, and its part of the weight's gradient.
template <class T>
void SpreadLogits(const LinearSizes& sizes, const LinearScratch& scratch, const Matrix<T>& x,
                  const Matrix<T>& weight, std::size_t count, bool is_first, T* dx,
                  std::size_t dx_stride, const WeightSums<T>& sums) {
  const std::size_t stride = sizes.logits_stride(true) * sizeof(float) / sizeof(T);
  const Matrix<T> gradient{reinterpret_cast<const T*>(scratch.logits), stride, 1};
  Multiply(Product<T>{gradient, weight, count, sizes.hidden, sizes.vocab, scratch.dx,
                      sizes.hidden_stride()},
           sizes.threads, scratch.packed);
  RoundRows(sizes.threads, scratch.dx, sizes.hidden_stride(), count, sizes.hidden, dx, dx_stride);
  Multiply(Product<T>{gradient.transposed(), x, sizes.vocab, sizes.hidden, count, sums.at,
                      sums.stride, !is_first},
           sizes.threads, scratch.packed);
}

// What follows the loss of a tile in a pass with gradients: those of its logits, and from them dx
// of its tokens and its part of the weight's gradient, the outputs `dx` and the one after it.
template <class T, class TargetOf>
void SpreadTile(const Planned& planned, const ki_kernel_launch& call, std::size_t dx,
                const LinearSizes& sizes, const LinearScratch& scratch, const Matrix<T>& x,
                const Matrix<T>& weight, std::size_t begin, std::size_t count,
                const TargetOf& target_of) {
  DifferentiateLogits<T>(sizes, scratch, count, target_of);
  const WeightSums<T> sums(sizes, scratch, planned.outputs[dx + 1], call.outputs[dx + 1]);
  SpreadLogits(sizes, scratch, x, weight, count, begin == 0,
               planned.outputs[dx].template at<T>(call.outputs[dx], begin),
               planned.outputs[dx].stride, sums);
  if (begin + count == sizes.tokens) sums.Finish();
}

}  // namespace ki::kernels::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
