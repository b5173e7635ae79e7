#include "kernels/folders.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/divergence/native.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format off: it is for the instruction set that foreach_target chose
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#include "kernels/native/lanes-inl.h"
#include "kernels/native/math-inl.h"
#include "kernels/native/pool.h"
HWY_BEFORE_NAMESPACE();
namespace ki::kernels::divergence::HWY_NAMESPACE {

using namespace native::HWY_NAMESPACE;  // the vectors of this instruction set
using native::Planned;
using native::Pool;
using native::Share;

// loss = the mean over rows of the sum of term(x, y) over two tensors.
template <class T, class Term>
void MeanOf(const Planned& planned, const ki_kernel_launch& call, const Term& term) {
  const auto& in = planned.inputs;
  auto* sums = static_cast<double*>(call.workspace);  // one a part
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    double sum = 0;
    const Share share = native::share_of(in[0].count, part, parts);
    for (std::size_t row = share.begin; row < share.end; ++row) {
      const T* x = in[0].at<T>(call.inputs[0], row);
      const T* y = in[1].at<T>(call.inputs[1], row);
      const V of_row =
          Accumulate(in[0].width, Zero(), [&](auto how, std::size_t i, V so_far) HWY_ATTR {
            return hn::Add(so_far, how.Or(term(how.Load(x + i), how.Load(y + i)), 0));
          });
      sum += static_cast<double>(SumOf(of_row));
    }
    sums[part] = sum;
  });
  double total = 0;
  for (unsigned part = 0; part < planned.threads; ++part) total += sums[part];
  *static_cast<float*>(call.outputs[0]) =
      static_cast<float>(total / static_cast<double>(in[0].count));
}

void KlForward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) {
    MeanOf<decltype(type)>(planned, call, [](V log_prob, V target) HWY_ATTR {
      const V term = hn::Mul(target, hn::Sub(hn::Log(F32(), target), log_prob));
      return hn::IfThenZeroElse(hn::Eq(target, Zero()), term);
    });
  });
}

// log((q + p) / 2) of their logarithms, also where both are too small for a number.
HWY_INLINE V LogOfMean(V log_q, V log_p) {
  const V away = hn::Neg(hn::Abs(hn::Sub(log_q, log_p)));
  const V mean = hn::MulAdd(Exp(away), Set(0.5F), Set(0.5F));
  return hn::Add(hn::Max(log_q, log_p), hn::Log(F32(), mean));
}

void JsdForward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) {
    MeanOf<decltype(type)>(planned, call, [](V log_q, V log_p) HWY_ATTR {
      const V log_m = LogOfMean(log_q, log_p);
      const V of_q = hn::Mul(Exp(log_q), hn::Sub(log_q, log_m));
      return hn::Mul(hn::MulAdd(Exp(log_p), hn::Sub(log_p, log_m), of_q), Set(0.5F));
    });
  });
}

void TvdForward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) {
    MeanOf<decltype(type)>(planned, call, [](V p, V q) HWY_ATTR {
      return hn::Mul(hn::Abs(hn::Sub(p, q)), Set(0.5F));
    });
  });
}

template <class T>
void KlBackwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const auto& target = planned.inputs[1];
  const float given = *static_cast<const float*>(call.inputs[0]);
  const float share_of_token = -given / static_cast<float>(target.count);
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const V scale = Set(share_of_token);
    const Share share = native::share_of(target.count, part, parts);
    for (std::size_t row = share.begin; row < share.end; ++row) {
      const T* from = target.at<T>(call.inputs[1], row);
      T* to = planned.outputs[0].at<T>(call.outputs[0], row);
      ForEach(target.width, planned.is_streaming, to, [&](auto how, std::size_t i) HWY_ATTR {
        how.Store(hn::Mul(how.Load(from + i), scale), to + i);
      });
    }
  });
}

// The gradient at the first of two tensors: term(x, y, half of what reaches a token).
template <class T, class Term>
void GradientOf(const Planned& planned, const ki_kernel_launch& call, const Term& term) {
  const auto& in = planned.inputs;
  const float given = *static_cast<const float*>(call.inputs[0]);
  const float share_of_token = given / static_cast<float>(in[1].count) / 2;
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const V scale = Set(share_of_token);
    const Share share = native::share_of(in[1].count, part, parts);
    for (std::size_t row = share.begin; row < share.end; ++row) {
      const T* x = in[1].at<T>(call.inputs[1], row);
      const T* y = in[2].at<T>(call.inputs[2], row);
      T* to = planned.outputs[0].at<T>(call.outputs[0], row);
      ForEach(in[1].width, planned.is_streaming, to, [&](auto how, std::size_t i) HWY_ATTR {
        how.Store(term(how.Load(x + i), how.Load(y + i), scale), to + i);
      });
    }
  });
}

void KlBackward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { KlBackwardOf<decltype(type)>(planned, call); });
}

void JsdBackward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) {
    GradientOf<decltype(type)>(planned, call, [](V log_q, V log_p, V scale) HWY_ATTR {
      return hn::Mul(hn::Mul(Exp(log_q), scale), hn::Sub(log_q, LogOfMean(log_q, log_p)));
    });
  });
}

void TvdBackward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) {
    GradientOf<decltype(type)>(planned, call, [](V p, V q, V scale) HWY_ATTR {
      const V apart = hn::Sub(p, q);
      const V slope = hn::IfThenElse(hn::Gt(apart, Zero()), scale, hn::Neg(scale));
      return hn::IfThenZeroElse(hn::Eq(apart, Zero()), slope);
    });
  });
}

}  // namespace ki::kernels::divergence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::divergence {

HWY_EXPORT(KlForward);
HWY_EXPORT(KlBackward);
HWY_EXPORT(JsdForward);
HWY_EXPORT(JsdBackward);
HWY_EXPORT(TvdForward);
HWY_EXPORT(TvdBackward);

namespace {

std::uint64_t workspace(const native::Planned& planned) { return planned.threads * sizeof(double); }

}  // namespace

std::vector<native::Kernel> native_kernels() {
  return {
      {"kl-div", Pass::forward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(KlForward)(planned, call);
       },
       workspace},
      {"kl-div", Pass::backward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(KlBackward)(planned, call);
       }},
      {"jsd", Pass::forward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(JsdForward)(planned, call);
       },
       workspace},
      {"jsd", Pass::backward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(JsdBackward)(planned, call);
       }},
      {"tvd", Pass::forward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(TvdForward)(planned, call);
       },
       workspace},
      {"tvd", Pass::backward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(TvdBackward)(planned, call);
       }},
  };
}

}  // namespace ki::kernels::divergence
#endif
