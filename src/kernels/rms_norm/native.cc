#include "kernels/folders.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rms_norm/native.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/native/lanes-inl.h"
#include "kernels/native/pool.h"

HWY_BEFORE_NAMESPACE();
namespace ki::kernels::rms_norm::HWY_NAMESPACE {

using namespace native::HWY_NAMESPACE;  // the vectors of this instruction set
using native::Planned;
using native::Pool;
using native::Share;

template <class T>
float InverseRms(const T* x, std::size_t width, float eps) {
  const V squares = Accumulate(width, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
    Fetch(x + i);
    const V value = how.Load(x + i);
    return hn::MulAdd(value, value, sum);
  });
  return 1.0F / std::sqrt(SumOf(squares) / static_cast<float>(width) + eps);
}

template <class T>
void ForwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const auto& x = planned.inputs[0];
  const auto& y = planned.outputs[0];
  const T* weight = static_cast<const T*>(call.inputs[1]);
  const auto eps = static_cast<float>(planned.scalar("eps"));
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const Share share = native::share_of(x.count, part, parts);
    for (std::size_t row = share.begin; row < share.end; ++row) {
      const T* from = x.at<T>(call.inputs[0], row);
      T* to = y.at<T>(call.outputs[0], row);
      const V scale = Set(InverseRms(from, x.width, eps));
      ForEach(x.width, planned.is_streaming, to, [&](auto how, std::size_t i) HWY_ATTR {
        const V value = hn::Mul(hn::Mul(how.Load(from + i), scale), how.Load(weight + i));
        how.Store(value, to + i);
      });
    }
  });
}

// dx of one row, and its part of dweight added to `sums`.
template <class T>
void BackwardRow(const Planned& planned, const T* dy, const T* x, const T* weight, T* dx,
                 float* sums, float eps) {
  const std::size_t width = planned.inputs[1].width;
  V squares = Zero();
  const V products = Accumulate(width, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
    Fetch(x + i);
    Fetch(dy + i);
    const V value = how.Load(x + i);
    squares = hn::MulAdd(value, value, squares);
    return hn::MulAdd(hn::Mul(how.Load(dy + i), how.Load(weight + i)), value, sum);
  });
  const auto count = static_cast<float>(width);
  const float r = 1.0F / std::sqrt(SumOf(squares) / count + eps);
  const V scale = Set(r);
  const V pull = Set(-r * r * r * SumOf(products) / count);
  ForEach(width, planned.is_streaming, dx, [&](auto how, std::size_t i) HWY_ATTR {
    const V scaled = hn::Mul(how.Load(dy + i), scale);
    const V value = how.Load(x + i);
    how.Store(hn::MulAdd(value, pull, hn::Mul(scaled, how.Load(weight + i))), dx + i);
    how.Near().Store(hn::MulAdd(scaled, value, how.Load(sums + i)), sums + i);
  });
}

template <class T>
void BackwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const auto& x = planned.inputs[1];
  const T* weight = static_cast<const T*>(call.inputs[2]);
  const auto eps = static_cast<float>(planned.scalar("eps"));
  auto* sums = static_cast<float*>(call.workspace);  // of dweight, one row a part
  const std::size_t stride = native::sums_stride(x.width);
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    float* mine = sums + part * stride;
    std::memset(mine, 0, x.width * sizeof(float));
    const Share share = native::share_of(x.count, part, parts);
    for (std::size_t row = share.begin; row < share.end; ++row) {
      BackwardRow(planned, planned.inputs[0].at<T>(call.inputs[0], row),
                  x.at<T>(call.inputs[1], row), weight,
                  planned.outputs[0].at<T>(call.outputs[0], row), mine, eps);
    }
  });
  SumParts(sums, stride, planned.threads, x.width, static_cast<T*>(call.outputs[1]));
}

void Forward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { ForwardOf<decltype(type)>(planned, call); });
}

void Backward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { BackwardOf<decltype(type)>(planned, call); });
}

}  // namespace ki::kernels::rms_norm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::rms_norm {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);

std::vector<native::Kernel> native_kernels() {
  return {
      {"rms-norm", Pass::forward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Forward)(planned, call);
       }},
      {"rms-norm", Pass::backward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Backward)(planned, call);
       },
       native::sums_workspace},
  };
}

}  // namespace ki::kernels::rms_norm
#endif
