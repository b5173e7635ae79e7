#include "kernels/folders.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/group_norm/native.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/native/lanes-inl.h"
#include "kernels/native/pool.h"

HWY_BEFORE_NAMESPACE();
namespace ki::kernels::group_norm::HWY_NAMESPACE {

using namespace native::HWY_NAMESPACE;  // the vectors of this instruction set
using native::Planned;
using native::Pool;
using native::Rows;
using native::Share;

struct Moments {
  float mean, inverse_deviation;
};

// Rows [first, first + count) of x are a group. In two passes: the variance of values far from 0
// would cancel in one.
template <class T>
Moments MomentsOf(const Rows& rows, const void* x, std::size_t first, std::size_t count,
                  float eps) {
  const auto elements = static_cast<double>(count * rows.width);
  double total = 0;
  for (std::size_t row = first; row < first + count; ++row) {
    const T* from = rows.at<T>(x, row);
    const V sums = Accumulate(rows.width, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
      return hn::Add(sum, how.Load(from + i));
    });
    total += static_cast<double>(SumOf(sums));
  }
  const auto mean = static_cast<float>(total / elements);
  const V center = Set(mean);
  double squares = 0;
  for (std::size_t row = first; row < first + count; ++row) {
    const T* from = rows.at<T>(x, row);
    const V sums = Accumulate(rows.width, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
      const V away = how.Or(hn::Sub(how.Load(from + i), center), 0);
      return hn::MulAdd(away, away, sum);
    });
    squares += static_cast<double>(SumOf(sums));
  }
  return {mean, 1.0F / std::sqrt(static_cast<float>(squares / elements) + eps)};
}

template <class T>
HWY_INLINE float LoadOne(const T* from) {
  return hn::GetLane(Partial{1}.Load(from));
}

// Calls work(first row, rows, moments) for each group of x, shared by the threads.
template <class T, class Work>
void ForEachGroup(const Planned& planned, const Rows& rows, const void* x, const Work& work) {
  const auto eps = static_cast<float>(planned.scalar("eps"));
  const std::size_t each = planned.axis("channels_per_group");
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const Share share = native::share_of(rows.count / each, part, parts);
    for (std::size_t group = share.begin; group < share.end; ++group) {
      work(group * each, each, MomentsOf<T>(rows, x, group * each, each, eps));
    }
  });
}

template <class T>
void ForwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const Rows& x = planned.inputs[0];
  const T* weight = static_cast<const T*>(call.inputs[1]);
  const T* bias = static_cast<const T*>(call.inputs[2]);
  const std::size_t channels = planned.axis("channels");
  ForEachGroup<T>(
      planned, x, call.inputs[0],
      [&](std::size_t first, std::size_t count, const Moments& moments) HWY_ATTR {
        const V center = Set(moments.mean);
        for (std::size_t row = first; row < first + count; ++row) {
          const T* from = x.at<T>(call.inputs[0], row);
          T* to = planned.outputs[0].at<T>(call.outputs[0], row);
          const V scale = Set(moments.inverse_deviation * LoadOne(weight + row % channels));
          const V shift = Set(LoadOne(bias + row % channels));
          ForEach(x.width, planned.is_streaming, to, [&](auto how, std::size_t i) HWY_ATTR {
            how.Store(hn::MulAdd(hn::Sub(how.Load(from + i), center), scale, shift), to + i);
          });
        }
      });
}

// What a row adds to the gradients of its channel: the sums of dy s and of dy.
struct RowSums {
  float of_weight, of_bias;
};

template <class T>
RowSums SumsOf(const T* dy, const T* x, std::size_t width, const Moments& moments) {
  const V center = Set(moments.mean);
  const V biases = Accumulate(width, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
    return hn::Add(sum, how.Load(dy + i));
  });
  const V weights = Accumulate(width, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
    return hn::MulAdd(how.Load(dy + i), hn::Sub(how.Load(x + i), center), sum);
  });
  return {SumOf(weights) * moments.inverse_deviation, SumOf(biases)};
}

template <class T>
void BackwardOf(const Planned& planned, const ki_kernel_launch& call) {
  const Rows& dy = planned.inputs[0];
  const Rows& x = planned.inputs[1];
  const T* weight = static_cast<const T*>(call.inputs[2]);
  const std::size_t channels = planned.axis("channels");
  auto* sums = static_cast<RowSums*>(call.workspace);  // of every row
  ForEachGroup<T>(
      planned, x, call.inputs[1],
      [&](std::size_t first, std::size_t count, const Moments& moments) HWY_ATTR {
        double gradients = 0;
        double products = 0;
        for (std::size_t row = first; row < first + count; ++row) {
          sums[row] =
              SumsOf(dy.at<T>(call.inputs[0], row), x.at<T>(call.inputs[1], row), x.width, moments);
          const auto of_channel = static_cast<double>(LoadOne(weight + row % channels));
          gradients += of_channel * static_cast<double>(sums[row].of_bias);
          products += of_channel * static_cast<double>(sums[row].of_weight);
        }
        const auto elements = static_cast<double>(count * x.width);
        const V mean_gradient = Set(static_cast<float>(gradients / elements));
        const V mean_product = Set(static_cast<float>(products / elements));
        const V center = Set(moments.mean);
        const V scale = Set(moments.inverse_deviation);
        for (std::size_t row = first; row < first + count; ++row) {
          const T* upstream = dy.at<T>(call.inputs[0], row);
          const T* from = x.at<T>(call.inputs[1], row);
          T* to = planned.outputs[0].at<T>(call.outputs[0], row);
          const V of_channel = Set(LoadOne(weight + row % channels));
          ForEach(x.width, planned.is_streaming, to, [&](auto how, std::size_t i) HWY_ATTR {
            const V standard = hn::Mul(hn::Sub(how.Load(from + i), center), scale);
            const V away = hn::MulSub(how.Load(upstream + i), of_channel, mean_gradient);
            how.Store(hn::Mul(hn::NegMulAdd(standard, mean_product, away), scale), to + i);
          });
        }
      });
  for (std::size_t channel = 0; channel < channels; ++channel) {
    double of_weight = 0;
    double of_bias = 0;
    for (std::size_t row = channel; row < x.count; row += channels) {
      of_weight += static_cast<double>(sums[row].of_weight);
      of_bias += static_cast<double>(sums[row].of_bias);
    }
    const Partial one{1};
    one.Store(Set(static_cast<float>(of_weight)), static_cast<T*>(call.outputs[1]) + channel);
    one.Store(Set(static_cast<float>(of_bias)), static_cast<T*>(call.outputs[2]) + channel);
  }
}

void Forward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { ForwardOf<decltype(type)>(planned, call); });
}

void Backward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) { BackwardOf<decltype(type)>(planned, call); });
}

}  // namespace ki::kernels::group_norm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::group_norm {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);

std::vector<native::Kernel> native_kernels() {
  return {
      {"group-norm", Pass::forward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Forward)(planned, call);
       }},
      {"group-norm", Pass::backward, "fp32 bf16",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Backward)(planned, call);
       },
       [](const native::Planned& planned) -> std::uint64_t {
         return 2 * sizeof(float) * planned.inputs[1].count;
       }},
  };
}

}  // namespace ki::kernels::group_norm
#endif
