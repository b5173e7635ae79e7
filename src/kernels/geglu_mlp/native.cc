#include "kernels/folders.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/geglu_mlp/native.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/geglu_mlp/scratch.h"
#include "kernels/native/gemm-inl.h"
#include "kernels/native/math-inl.h"
HWY_BEFORE_NAMESPACE();
namespace ki::kernels::geglu_mlp::HWY_NAMESPACE {

using namespace native::HWY_NAMESPACE;  // the vectors of this instruction set
using native::Planned;

using native::Matrix;
using native::Product;

template <class T>
void ForwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const Sizes sizes(planned);
  native::Pieces pieces(call.workspace);
  const Front<T> front(sizes, pieces);
  const std::size_t wide = sizes.inner_stride();
  const auto w_gate = MatrixOf<T>(planned.inputs[1], call.inputs[1]).transposed();
  const auto w_up = MatrixOf<T>(planned.inputs[2], call.inputs[2]).transposed();
  const auto w_down = MatrixOf<T>(planned.inputs[3], call.inputs[3]).transposed();
  const auto run = [&](const Product<T>& product) {
    Multiply(product, sizes.threads, front.packed);
  };
  for (std::size_t first = 0; first < sizes.tokens; first += kTile) {
    const std::size_t count = HWY_MIN(kTile, sizes.tokens - first);
    const auto x = MatrixOf<T>(planned.inputs[0], call.inputs[0], first);
    run({x, w_gate, count, sizes.inner, sizes.hidden, front.gate, wide});
    run({x, w_up, count, sizes.inner, sizes.hidden, front.up, wide});
    ForEachRow(sizes.threads, count, [&](std::size_t row) HWY_ATTR {
      const std::size_t at = row * wide;
      ForEach(sizes.inner, [&](auto how, std::size_t i) HWY_ATTR {
        const V value = GeluTanh::Of(how.Load(front.gate + at + i));
        how.Store(hn::Mul(value, how.Load(front.up + at + i)), front.active + at + i);
      });
    });
    run({{front.active, wide, 1},
         w_down,
         count,
         sizes.hidden,
         sizes.inner,
         front.y,
         sizes.hidden_stride()});
    RoundRows(sizes.threads, front.y, sizes.hidden_stride(), count, sizes.hidden,
              planned.outputs[0].at<T>(call.outputs[0], first), planned.outputs[0].stride);
  }
}

// Inner values of a tile and their gradients, from gate, up and the gradient of their product.
template <class T>
void Differentiate(const Sizes& sizes, std::size_t count, const Back<T>& back) {
  ForEachRow(sizes.threads, count, [&](std::size_t row) HWY_ATTR {
    const std::size_t at = row * sizes.inner_stride();
    ForEach(sizes.inner, [&](auto how, std::size_t i) HWY_ATTR {
      const Slope slope = GeluTanh::Both(how.Load(back.gate + at + i));
      const V up = how.Load(back.up + at + i);
      const V given = how.Load(back.given + at + i);
      how.Store(hn::Mul(slope.value, up), back.active + at + i);
      how.Store(hn::Mul(hn::Mul(given, up), slope.derivative), back.dgate + at + i);
      how.Store(hn::Mul(given, slope.value), back.dup + at + i);
    });
  });
}

template <class T>
void BackwardTile(const Planned& planned, const ki_kernel_launch& call, const Sizes& sizes,
                  std::size_t first, const Back<T>& back) {
  const std::size_t count = HWY_MIN(kTile, sizes.tokens - first);
  const std::size_t inner = sizes.inner;
  const std::size_t hidden = sizes.hidden;
  const std::size_t wide = sizes.inner_stride();
  const std::size_t narrow = sizes.hidden_stride();
  const bool is_added = first > 0;
  const auto dy = MatrixOf<T>(planned.inputs[0], call.inputs[0], first);
  const auto x = MatrixOf<T>(planned.inputs[1], call.inputs[1], first);
  const auto w_gate = MatrixOf<T>(planned.inputs[2], call.inputs[2]);
  const auto w_up = MatrixOf<T>(planned.inputs[3], call.inputs[3]);
  const auto w_down = MatrixOf<T>(planned.inputs[4], call.inputs[4]);
  const auto run = [&](const Product<T>& product) {
    Multiply(product, sizes.threads, back.packed);
  };
  run({x, w_gate.transposed(), count, inner, hidden, back.gate, wide});
  run({x, w_up.transposed(), count, inner, hidden, back.up, wide});
  run({dy, w_down, count, inner, hidden, back.given, wide});
  Differentiate(sizes, count, back);
  const Matrix<T> active{back.active, wide, 1};
  const Matrix<T> dgate{back.dgate, wide, 1};
  const Matrix<T> dup{back.dup, wide, 1};
  run({dgate, w_gate, count, hidden, inner, back.dx, narrow});
  run({dup, w_up, count, hidden, inner, back.dx, narrow, true});
  run({dgate.transposed(), x, inner, hidden, count, back.dw_gate, narrow, is_added});
  run({dup.transposed(), x, inner, hidden, count, back.dw_up, narrow, is_added});
  run({dy.transposed(), active, hidden, inner, count, back.dw_down, wide, is_added});
  RoundRows(sizes.threads, back.dx, narrow, count, hidden,
            planned.outputs[0].at<T>(call.outputs[0], first), planned.outputs[0].stride);
}

template <class T>
void BackwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const Sizes sizes(planned);
  native::Pieces pieces(call.workspace);
  const Back<T> back(sizes, pieces);
  for (std::size_t first = 0; first < sizes.tokens; first += kTile) {
    BackwardTile(planned, call, sizes, first, back);
  }
  const auto& out = planned.outputs;
  RoundRows(sizes.threads, back.dw_gate, sizes.hidden_stride(), sizes.inner, sizes.hidden,
            static_cast<T*>(call.outputs[1]), out[1].stride);
  RoundRows(sizes.threads, back.dw_up, sizes.hidden_stride(), sizes.inner, sizes.hidden,
            static_cast<T*>(call.outputs[2]), out[2].stride);
  RoundRows(sizes.threads, back.dw_down, sizes.inner_stride(), sizes.hidden, sizes.inner,
            static_cast<T*>(call.outputs[3]), out[3].stride);
}

void Forward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { ForwardOf<decltype(type)>(planned, call); });
}

void Backward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { BackwardOf<decltype(type)>(planned, call); });
}

}  // namespace ki::kernels::geglu_mlp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::geglu_mlp {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);

std::vector<native::Kernel> native_kernels() {
  return {
      {"geglu-mlp", Pass::forward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Forward)(planned, call);
       },
       native::workspace_bytes<Sizes, Front>},
      {"geglu-mlp", Pass::backward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Backward)(planned, call);
       },
       native::workspace_bytes<Sizes, Back>},
  };
}

}  // namespace ki::kernels::geglu_mlp
#endif
