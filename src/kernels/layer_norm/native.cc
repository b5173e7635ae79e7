#include "kernels/folders.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/layer_norm/native.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/native/lanes-inl.h"
#include "kernels/native/pool.h"

HWY_BEFORE_NAMESPACE();
namespace ki::kernels::layer_norm::HWY_NAMESPACE {

using namespace native::HWY_NAMESPACE;  // the vectors of this instruction set
using native::Planned;
using native::Pool;
using native::Share;

struct Moments {
  float mean, inverse_deviation;
};

template <class T>
float MeanOf(const T* x, std::size_t width) {
  const V sums = Accumulate(width, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
    return hn::Add(sum, how.Load(x + i));
  });
  return SumOf(sums) / static_cast<float>(width);
}

// In two passes: the variance of values far from 0 would cancel in one.
template <class T>
Moments MomentsOf(const T* x, std::size_t width, float eps) {
  const float mean = MeanOf(x, width);
  const V center = Set(mean);
  const V squares = Accumulate(width, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
    const V away = how.Or(hn::Sub(how.Load(x + i), center), 0);
    return hn::MulAdd(away, away, sum);
  });
  return {mean, 1.0F / std::sqrt(SumOf(squares) / static_cast<float>(width) + eps)};
}

template <class T>
void ForwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const auto& x = planned.inputs[0];
  const T* weight = static_cast<const T*>(call.inputs[1]);
  const T* bias = static_cast<const T*>(call.inputs[2]);
  const auto eps = static_cast<float>(planned.scalar("eps"));
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const Share share = native::share_of(x.count, part, parts);
    for (std::size_t row = share.begin; row < share.end; ++row) {
      const T* from = x.at<T>(call.inputs[0], row);
      T* to = planned.outputs[0].at<T>(call.outputs[0], row);
      const Moments moments = MomentsOf(from, x.width, eps);
      const V center = Set(moments.mean);
      const V scale = Set(moments.inverse_deviation);
      const std::size_t next = NextRow<T>(x.stride);
      ForEach(x.width, planned.is_streaming, to, [&](auto how, std::size_t i) HWY_ATTR {
        Fetch(from + i, next);
        const V standard = hn::Mul(hn::Sub(how.Load(from + i), center), scale);
        how.Store(hn::MulAdd(standard, how.Load(weight + i), how.Load(bias + i)), to + i);
      });
    }
  });
}

// A row as fp32 in `to`, for what is read again with every other row: a bf16 takes two instructions
// more each time. Rows of fp32 are left where they are.
const float* Widened(const float* row, std::size_t, float*) { return row; }
const float* Widened(const Bf16* row, std::size_t width, float* to) {
  ForEach(width, [&](auto how, std::size_t i) HWY_ATTR { how.Store(how.Load(row + i), to + i); });
  return to;
}

// dx of one row, and its parts of dweight and dbias added to the sums.
template <class T>
void BackwardRow(const Planned& planned, const T* dy, const T* x, const float* weight, T* dx,
                 float* weight_sums, float* bias_sums, float eps) {
  const std::size_t width = planned.inputs[1].width;
  const auto count = static_cast<float>(width);
  const V center = Set(MeanOf(x, width));
  V gradients = Zero();
  V squares = Zero();
  const V products = Accumulate(width, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
    const V gradient = hn::Mul(how.Load(dy + i), how.Load(weight + i));
    const V away = how.Or(hn::Sub(how.Load(x + i), center), 0);
    gradients = hn::Add(gradients, gradient);
    squares = hn::MulAdd(away, away, squares);
    return hn::MulAdd(gradient, away, sum);
  });
  const float inverse_deviation = 1.0F / std::sqrt(SumOf(squares) / count + eps);
  const V scale = Set(inverse_deviation);
  const V mean_gradient = Set(SumOf(gradients) / count);
  const V mean_product = Set(SumOf(products) * inverse_deviation / count);
  const std::size_t next_x = NextRow<T>(planned.inputs[1].stride);
  const std::size_t next_dy = NextRow<T>(planned.inputs[0].stride);
  ForEach(width, planned.is_streaming, dx, [&](auto how, std::size_t i) HWY_ATTR {
    Fetch(x + i, next_x);
    Fetch(dy + i, next_dy);
    const V upstream = how.Load(dy + i);
    const V standard = hn::Mul(hn::Sub(how.Load(x + i), center), scale);
    const V away = hn::MulSub(upstream, how.Load(weight + i), mean_gradient);
    how.Store(hn::Mul(hn::NegMulAdd(standard, mean_product, away), scale), dx + i);
    const auto near = how.Near();
    near.Store(hn::MulAdd(upstream, standard, how.Load(weight_sums + i)), weight_sums + i);
    near.Store(hn::Add(upstream, how.Load(bias_sums + i)), bias_sums + i);
  });
}

template <class T>
void BackwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const auto& x = planned.inputs[1];
  const T* weight = static_cast<const T*>(call.inputs[2]);
  const auto eps = static_cast<float>(planned.scalar("eps"));
  const std::size_t stride = native::sums_stride(x.width);
  // One row a part, then those of bias, then those of the weight in fp32.
  auto* weight_sums = static_cast<float*>(call.workspace);
  float* bias_sums = weight_sums + planned.threads * stride;
  float* wide = bias_sums + planned.threads * stride;
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const float* wide_weight = Widened(weight, x.width, wide + part * stride);
    float* of_weight = weight_sums + part * stride;
    float* of_bias = bias_sums + part * stride;
    std::memset(of_weight, 0, x.width * sizeof(float));
    std::memset(of_bias, 0, x.width * sizeof(float));
    const Share share = native::share_of(x.count, part, parts);
    for (std::size_t row = share.begin; row < share.end; ++row) {
      BackwardRow(planned, planned.inputs[0].at<T>(call.inputs[0], row),
                  x.at<T>(call.inputs[1], row), wide_weight,
                  planned.outputs[0].at<T>(call.outputs[0], row), of_weight, of_bias, eps);
    }
  });
  SumParts(weight_sums, stride, planned.threads, x.width, static_cast<T*>(call.outputs[1]));
  SumParts(bias_sums, stride, planned.threads, x.width, static_cast<T*>(call.outputs[2]));
}

void Forward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { ForwardOf<decltype(type)>(planned, call); });
}

void Backward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { BackwardOf<decltype(type)>(planned, call); });
}

}  // namespace ki::kernels::layer_norm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::layer_norm {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);

std::vector<native::Kernel> native_kernels() {
  return {
      {"layer-norm", Pass::forward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Forward)(planned, call);
       }},
      {"layer-norm", Pass::backward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Backward)(planned, call);
       },
       [](const native::Planned& planned) { return 3 * native::sums_workspace(planned); }},
  };
}

}  // namespace ki::kernels::layer_norm
#endif
