#include "kernels/folders.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/neighborhood/native.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/native/gemm-inl.h"
#include "kernels/native/math-inl.h"
#include "kernels/neighborhood/scratch.h"
HWY_BEFORE_NAMESPACE();
namespace ki::kernels::neighborhood::HWY_NAMESPACE {

using namespace native::HWY_NAMESPACE;  // the vectors of this instruction set
using native::Matrix;
using native::Planned;
using native::Pool;
using native::Product;
using native::Share;

// to (tokens x hidden, fp32) = from weight^T + bias
template <class T>
void Project(const Sizes& sizes, const Matrix<T>& from, const Matrix<T>& weight, const T* bias,
             float* to, void* memory) {
  ForEachRow(sizes.threads, sizes.tokens, [&](std::size_t row) HWY_ATTR {
    ForEach(sizes.hidden, [&](auto how, std::size_t i) HWY_ATTR {
      how.Store(how.Load(bias + i), to + row * sizes.stride() + i);
    });
  });
  Multiply(Product<T>{from, weight.transposed(), sizes.tokens, sizes.hidden, sizes.hidden, to,
                      sizes.stride(), true},
           sizes.threads, memory);
}

HWY_INLINE float Dot(const float* a, const float* b, std::size_t count) {
  return SumOf(Accumulate(count, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
    return hn::MulAdd(how.Load(a + i), how.Load(b + i), sum);
  }));
}

// The softmax of one token and head over its window, into `row`; places cut off are 0.
void Weigh(const Sizes& sizes, const float* q, const float* k, std::size_t token, std::size_t head,
           float* row) {
  const std::size_t offset = head * sizes.width;
  const float* query = q + token * sizes.stride() + offset;
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  std::fill(row, row + sizes.window, kLowest);
  sizes.for_each_in_window(token, 1, [&](std::size_t slot, std::size_t other) HWY_ATTR {
    row[slot] = Dot(query, k + other * sizes.stride() + offset, sizes.width) * sizes.scale;
  });
  const float top = LargestOf(row, sizes.window);
  const V shift = Set(-top * kLog2E);
  const V sums = Accumulate(sizes.window, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
    const V power = how.Or(Exp2(hn::MulAdd(how.Load(row + i), Set(kLog2E), shift)), 0);
    how.Store(power, row + i);
    return hn::Add(sum, power);
  });
  const V scale = Set(1.0F / SumOf(sums));
  ForEach(sizes.window, [&](auto how, std::size_t i)
                            HWY_ATTR { how.Store(hn::Mul(how.Load(row + i), scale), row + i); });
}

// to = the sum over a window of weight times from, one head's channels.
template <class T, class WeightOf>
void Gather(const Sizes& sizes, const float* from, std::size_t token, std::size_t head,
            int direction, const WeightOf& weight_of, T* to) {
  const std::size_t offset = head * sizes.width;
  ForEach(sizes.width, [&](auto how, std::size_t i) HWY_ATTR {
    V sum = Zero();
    sizes.for_each_in_window(token, direction, [&](std::size_t slot, std::size_t other) HWY_ATTR {
      const V value = how.Load(from + other * sizes.stride() + offset + i);
      sum = hn::MulAdd(Set(weight_of(slot, other)), value, sum);
    });
    how.Store(sum, to + token * sizes.stride() + offset + i);
  });
}

// Calls work(token, head, part) for all tokens and heads, shared by the threads.
template <class Work>
void ForEachHead(const Sizes& sizes, const Work& work) {
  Pool::shared().run(sizes.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const Share share = native::share_of(sizes.tokens, part, parts);
    for (std::size_t token = share.begin; token < share.end; ++token) {
      for (std::size_t head = 0; head < sizes.heads; ++head) work(token, head, part);
    }
  });
}

// q, k and v; inputs from `first` on are hidden_states, the four weights and the biases.
template <class T>
void ProjectAll(const Planned& planned, const ki_kernel_launch& call, const Sizes& sizes,
                std::size_t first, const Front<T>& front) {
  const auto x = MatrixOf<T>(planned.inputs[first], call.inputs[first]);
  float* const to[] = {front.q, front.k, front.v};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t weight = first + 1 + i;
    Project(sizes, x, MatrixOf<T>(planned.inputs[weight], call.inputs[weight]),
            static_cast<const T*>(call.inputs[weight + 4]), to[i], front.product);
  }
}

template <class T>
void ForwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const Sizes sizes(planned);
  native::Pieces pieces(call.workspace);
  const Front<T> front(sizes, pieces);
  ProjectAll(planned, call, sizes, 0, front);
  ForEachHead(sizes, [&](std::size_t token, std::size_t head, unsigned part) HWY_ATTR {
    float* row = front.rows + part * native::sums_stride(sizes.window);
    Weigh(sizes, front.q, front.k, token, head, row);
    Gather(
        sizes, front.v, token, head, 1, [&](std::size_t slot, std::size_t) { return row[slot]; },
        front.context);
  });
  float* y = front.q;  // no longer needed
  const auto out_weight = MatrixOf<T>(planned.inputs[4], call.inputs[4]);
  Project(sizes, Matrix<T>{front.context, sizes.stride(), 1}, out_weight,
          static_cast<const T*>(call.inputs[8]), y, front.product);
  RoundRows(sizes.threads, y, sizes.stride(), sizes.tokens, sizes.hidden,
            static_cast<T*>(call.outputs[0]), planned.outputs[0].stride);
}

// Weights, context and slopes of one token and head, and dq.
template <class T>
void Differentiate(const Sizes& sizes, const Back<T>& back, std::size_t token, std::size_t head) {
  float* weights = back.weights + sizes.weight(token, head, 0);
  float* slopes = back.slopes + sizes.weight(token, head, 0);
  const std::size_t offset = head * sizes.width;
  const float* given = back.given + token * sizes.stride() + offset;
  Weigh(sizes, back.q, back.k, token, head, weights);
  const auto weight_of = [&](std::size_t slot, std::size_t) { return weights[slot]; };
  Gather(sizes, back.v, token, head, 1, weight_of, back.context);
  float mean = 0;
  sizes.for_each_in_window(token, 1, [&](std::size_t slot, std::size_t other) HWY_ATTR {
    slopes[slot] = Dot(given, back.v + other * sizes.stride() + offset, sizes.width);
    mean += weights[slot] * slopes[slot];
  });
  sizes.for_each_in_window(token, 1, [&](std::size_t slot, std::size_t) {
    slopes[slot] = weights[slot] * (slopes[slot] - mean) * sizes.scale;
  });
  const auto slope_of = [&](std::size_t slot, std::size_t) { return slopes[slot]; };
  Gather(sizes, back.k, token, head, 1, slope_of, back.dq);
}

// The sums of the columns of tokens x hidden, each thread some of the columns.
template <class T>
void SumColumns(const Sizes& sizes, const T* from, std::size_t stride, T* to) {
  Pool::shared().run(sizes.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const Share share = native::share_of(sizes.hidden, part, parts, 64);
    if (share.begin == share.end) return;
    ForEach(share.end - share.begin, [&](auto how, std::size_t i) HWY_ATTR {
      V sum = Zero();
      for (std::size_t row = 0; row < sizes.tokens; ++row) {
        sum = hn::Add(sum, how.Load(from + row * stride + share.begin + i));
      }
      how.Store(sum, to + share.begin + i);
    });
  });
}

template <class T>
void BackwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const Sizes sizes(planned);
  native::Pieces pieces(call.workspace);
  const Back<T> back(sizes, pieces);
  const std::size_t n = sizes.tokens;
  const std::size_t h = sizes.hidden;
  const std::size_t stride = sizes.stride();
  const auto dy = MatrixOf<T>(planned.inputs[0], call.inputs[0]);
  const auto x = MatrixOf<T>(planned.inputs[1], call.inputs[1]);
  ProjectAll(planned, call, sizes, 1, static_cast<const Front<T>&>(back));
  Multiply(
      Product<T>{dy, MatrixOf<T>(planned.inputs[5], call.inputs[5]), n, h, h, back.given, stride},
      sizes.threads, back.product);
  ForEachHead(sizes, [&](std::size_t token, std::size_t head, unsigned)
                         HWY_ATTR { Differentiate(sizes, back, token, head); });
  ForEachHead(sizes, [&](std::size_t token, std::size_t head, unsigned) HWY_ATTR {
    const auto slope_of = [&](std::size_t slot, std::size_t other) {
      return back.slopes[sizes.weight(other, head, slot)];
    };
    const auto weight_of = [&](std::size_t slot, std::size_t other) {
      return back.weights[sizes.weight(other, head, slot)];
    };
    Gather(sizes, back.q, token, head, -1, slope_of, back.dk);
    Gather(sizes, back.given, token, head, -1, weight_of, back.dv);
  });
  const T* const gradients[] = {back.dq, back.dk, back.dv};
  const auto multiply_to = [&](const Matrix<T>& a, const Matrix<T>& b, std::size_t output) {
    MultiplyTo(Product<T>{a, b, h, h, n, nullptr, 0}, static_cast<T*>(call.outputs[output]),
               planned.outputs[output].stride, sizes.threads, back.product);
  };
  for (std::size_t i = 0; i < 3; ++i) {
    const Matrix<T> gradient{gradients[i], stride, 1};
    Multiply(Product<T>{gradient, MatrixOf<T>(planned.inputs[2 + i], call.inputs[2 + i]), n, h, h,
                        back.dx, stride, i > 0},
             sizes.threads, back.product);
    multiply_to(gradient.transposed(), x, 1 + i);
  }
  multiply_to(dy.transposed(), {back.context, stride, 1}, 4);
  RoundRows(sizes.threads, back.dx, stride, n, h, static_cast<T*>(call.outputs[0]),
            planned.outputs[0].stride);
  SumColumns(sizes, back.dq, stride, static_cast<T*>(call.outputs[5]));
  SumColumns(sizes, back.dv, stride, static_cast<T*>(call.outputs[6]));
  SumColumns(sizes, dy.data, dy.row_stride, static_cast<T*>(call.outputs[7]));
}

void Forward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { ForwardOf<decltype(type)>(planned, call); });
}

void Backward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { BackwardOf<decltype(type)>(planned, call); });
}

}  // namespace ki::kernels::neighborhood::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::neighborhood {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);

std::vector<native::Kernel> native_kernels() {
  return {
      {"fused-neighborhood-attention", Pass::forward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Forward)(planned, call);
       },
       native::workspace_bytes<Sizes, Front>},
      {"fused-neighborhood-attention", Pass::backward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Backward)(planned, call);
       },
       native::workspace_bytes<Sizes, Back>},
  };
}

}  // namespace ki::kernels::neighborhood
#endif
