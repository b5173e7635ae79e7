#include "kernels/folders.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sparse_mta/native.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/native/math-inl.h"
#include "kernels/native/pool.h"
#include "kernels/native/simplex-inl.h"
#include "kernels/sparse_mta/scratch.h"
HWY_BEFORE_NAMESPACE();
namespace ki::kernels::sparse_mta::HWY_NAMESPACE {

using namespace native::HWY_NAMESPACE;  // the vectors of this instruction set
using native::Planned;
using native::Pool;

// Rows of one chunk are done in order, so that each row of sparsemax is found once a chunk.
constexpr std::size_t kChunk = 32;

// Calls work(batch, first row, last row + 1) for the chunks of a part. Later rows are longer, so
// chunks are dealt out there and back.
template <class Work>
void ForEachChunk(const Sizes& sizes, unsigned part, unsigned parts, const Work& work) {
  const std::size_t chunks = (sizes.seq + kChunk - 1) / kChunk;
  for (std::size_t i = 0; i < sizes.batch * chunks; ++i) {
    const std::size_t place = i % parts;
    if ((i / parts % 2 == 0 ? place : parts - 1 - place) != part) continue;
    const std::size_t first = i % chunks * kChunk;
    work(i / chunks, first, HWY_MIN(first + kChunk, sizes.seq));
  }
}

// Sparsemax of z[0, count): the places above zero and their values; returns how many.
std::uint32_t Sparsemax(const float* z, std::size_t count, std::uint32_t* columns, float* values) {
  const bool is_nan = HasNaN(z, count);
  const float t = is_nan ? std::numeric_limits<float>::quiet_NaN() : ThresholdOf(z, count);
  std::uint32_t found = 0;
  const V bound = Set(t);
  ForEach(count, [&](auto how, std::size_t i) HWY_ATTR {
    const V away = how.Or(hn::Sub(how.Load(z + i), bound), 0);
    if (!is_nan && hn::AllFalse(F32(), hn::Gt(away, Zero()))) return;
    const std::size_t end = HWY_MIN(count, i + lanes());
    for (std::size_t j = i; j < end; ++j) {
      const float value = z[j] - t;
      if (!is_nan && !(value > 0)) continue;
      columns[found] = static_cast<std::uint32_t>(j);
      values[found++] = value;
    }
  });
  return found;
}

// Softmax of z[0, count) into p.
void Softmax(const float* z, std::size_t count, float* p) {
  const V shift = Set(-LargestOf(z, count) * kLog2E);
  const V sums = Accumulate(count, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
    const V power = how.Or(Exp2(hn::MulAdd(how.Load(z + i), Set(kLog2E), shift)), 0);
    how.Store(power, p + i);
    return hn::Add(sum, power);
  });
  const V scale = Set(1.0F / SumOf(sums));
  ForEach(count, [&](auto how, std::size_t i)
                     HWY_ATTR { how.Store(hn::Mul(how.Load(p + i), scale), p + i); });
}

// The weights of one row of every head, between zeros.
void FindDenseRow(const Planned& planned, const Sizes& sizes, const void* scores, std::size_t batch,
                  std::size_t row, const DenseScratch& scratch) {
  for (std::size_t head = 0; head < sizes.in; ++head) {
    float* to = scratch.row(row, head);
    float* end = to + DenseScratch::row_floats(sizes);
    std::fill(to, to + sizes.pad(), 0.0F);
    Softmax(planned.inputs[0].at<float>(scores, (batch * sizes.in + head) * sizes.seq + row),
            row + 1, to + sizes.pad());
    std::fill(to + sizes.pad() + row + 1, end, 0.0F);
  }
}

// y of one row of one head: four vectors of sums at a time over all weights around them.
void ComposeDenseRow(const Planned& planned, const Sizes& sizes, const ki_kernel_launch& call,
                     std::size_t head, std::size_t row, const DenseScratch& scratch) {
  float* line = scratch.line();
  const V bias = Set(static_cast<const float*>(call.inputs[2])[head]);
  const std::size_t pad = sizes.pad();
  const std::size_t step = lanes();
  const std::size_t first = row < pad ? pad - row : 0;
  const std::size_t last = HWY_MIN(sizes.k, sizes.seq + pad - row);
  for (std::size_t j = 0; j <= row; j += 4 * step) {
    V sums[4] = {bias, bias, bias, bias};
    for (std::size_t in = 0; in < sizes.in; ++in) {
      for (std::size_t u = first; u < last; ++u) {
        const float* weight =
            planned.inputs[1].at<float>(call.inputs[1], (head * sizes.in + in) * sizes.k + u);
        const float* from = scratch.row(row + u - pad, in) + j;
        for (std::size_t v = 0; v < sizes.k; ++v) {
          const V factor = Set(weight[v]);
          for (std::size_t n = 0; n < 4; ++n) {
            sums[n] = hn::MulAdd(factor, Full().Load(from + v + n * step), sums[n]);
          }
        }
      }
    }
    for (std::size_t n = 0; n < 4; ++n) Full().Store(sums[n], line + j + n * step);
  }
  std::fill(line + row + 1, line + sizes.seq, 0.0F);
}

void DenseForward(const Planned& planned, const ki_kernel_launch& call) {
  const Sizes sizes(planned);
  const std::size_t pad = sizes.pad();
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const DenseScratch scratch(
        sizes, static_cast<float*>(call.workspace) + part * DenseScratch::floats(sizes));
    ForEachChunk(sizes, part, parts, [&](std::size_t batch, std::size_t first, std::size_t end) {
      std::size_t next = first < pad ? 0 : first - pad;  // the first row not found yet
      for (std::size_t row = first; row < end; ++row) {
        for (; next <= row + pad && next < sizes.seq; ++next) {
          FindDenseRow(planned, sizes, call.inputs[0], batch, next, scratch);
        }
        for (std::size_t head = 0; head < sizes.out; ++head) {
          ComposeDenseRow(planned, sizes, call, head, row, scratch);
          float* y = planned.outputs[0].at<float>(call.outputs[0],
                                                  (batch * sizes.out + head) * sizes.seq + row);
          const float* line = scratch.line();
          ForEach(sizes.seq, planned.is_streaming, y,
                  [&](auto how, std::size_t i) HWY_ATTR { how.Store(how.Load(line + i), y + i); });
        }
      }
    });
  });
}

// Finds the supports of one row of every head.
void FindRow(const Planned& planned, const Sizes& sizes, const void* scores, std::size_t tensor,
             std::size_t batch, std::size_t row, const Scratch& scratch) {
  for (std::size_t head = 0; head < sizes.in; ++head) {
    const float* z =
        planned.inputs[tensor].at<float>(scores, (batch * sizes.in + head) * sizes.seq + row);
    scratch.count(row, head) =
        Sparsemax(z, row + 1, scratch.columns(row, head), scratch.values(row, head));
  }
}

// y of one row of one head: bias, plus each support's value times the weights around it.
void ComposeRow(const Planned& planned, const Sizes& sizes, const ki_kernel_launch& call,
                std::size_t head, std::size_t row, const Scratch& scratch) {
  float* line = scratch.line();
  const float bias = static_cast<const float*>(call.inputs[2])[head];
  std::fill(line, line + row + 1, bias);
  std::fill(line + row + 1, line + sizes.seq, 0.0F);
  const std::size_t pad = sizes.pad();
  for (std::size_t u = 0; u < sizes.k; ++u) {
    if (row + u < pad || row + u - pad >= sizes.seq) continue;
    for (std::size_t in = 0; in < sizes.in; ++in) {
      const Support support = scratch.support(row + u - pad, in);
      const float* weight =
          planned.inputs[1].at<float>(call.inputs[1], (head * sizes.in + in) * sizes.k + u);
      for (std::size_t n = 0; n < support.count; ++n) {
        const std::size_t column = support.columns[n] + pad;  // of v = 0
        for (std::size_t v = 0; v < sizes.k; ++v) {
          if (column < v || column - v > row) continue;  // before the first or in the future
          line[column - v] += weight[v] * support.values[n];
        }
      }
    }
  }
}

void Forward(const Planned& planned, const ki_kernel_launch& call) {
  const Sizes sizes(planned);
  const std::size_t pad = sizes.pad();
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const Scratch scratch(sizes,
                          static_cast<float*>(call.workspace) + part * Scratch::floats(sizes));
    ForEachChunk(sizes, part, parts, [&](std::size_t batch, std::size_t first, std::size_t end) {
      std::size_t next = first < pad ? 0 : first - pad;  // the first row not found yet
      for (std::size_t row = first; row < end; ++row) {
        for (; next <= row + pad && next < sizes.seq; ++next) {
          FindRow(planned, sizes, call.inputs[0], 0, batch, next, scratch);
        }
        for (std::size_t head = 0; head < sizes.out; ++head) {
          ComposeRow(planned, sizes, call, head, row, scratch);
          float* y = planned.outputs[0].at<float>(call.outputs[0],
                                                  (batch * sizes.out + head) * sizes.seq + row);
          const float* line = scratch.line();
          ForEach(sizes.seq, planned.is_streaming, y,
                  [&](auto how, std::size_t i) HWY_ATTR { how.Store(how.Load(line + i), y + i); });
        }
      }
    });
  });
}

// The gradient of one place above zero, and its part of the weights' gradients. Rows of dy around
// `row` that reach it are read at the places that are not in their future.
float SpreadBack(const Planned& planned, const Sizes& sizes, const ki_kernel_launch& call,
                 std::size_t batch, std::size_t head, std::size_t row, std::size_t column,
                 float value, const Scratch& scratch) {
  const std::size_t pad = sizes.pad();
  float gradient = 0;
  for (std::size_t out = 0; out < sizes.out; ++out) {
    for (std::size_t u = 0; u < sizes.k; ++u) {
      if (row + pad < u || row + pad - u >= sizes.seq) continue;
      const std::size_t at = row + pad - u;
      const float* dy =
          planned.inputs[0].at<float>(call.inputs[0], (batch * sizes.out + out) * sizes.seq + at);
      const std::size_t line = (out * sizes.in + head) * sizes.k + u;
      const float* weight = planned.inputs[2].at<float>(call.inputs[2], line);
      float* sums = scratch.weight_sums() + line * sizes.k;
      for (std::size_t v = 0; v < sizes.k; ++v) {
        if (column + pad < v || column + pad - v > at) continue;
        const float upstream = dy[column + pad - v];
        gradient += weight[v] * upstream;
        sums[v] += value * upstream;
      }
    }
  }
  return gradient;
}

// dscores of one row of one head: zero but above sparsemax's zeros, where the mean is taken off.
void BackwardRow(const Planned& planned, const Sizes& sizes, const ki_kernel_launch& call,
                 std::size_t batch, std::size_t head, std::size_t row, const Scratch& scratch) {
  const std::size_t at = (batch * sizes.in + head) * sizes.seq + row;
  std::uint32_t* columns = scratch.columns(0, 0);
  float* values = scratch.values(0, 0);
  const std::uint32_t count =
      Sparsemax(planned.inputs[1].at<float>(call.inputs[1], at), row + 1, columns, values);
  double sum = 0;
  for (std::uint32_t n = 0; n < count; ++n) {
    values[n] = SpreadBack(planned, sizes, call, batch, head, row, columns[n], values[n], scratch);
    sum += static_cast<double>(values[n]);
  }
  const auto mean = static_cast<float>(sum / count);
  float* to = planned.outputs[0].at<float>(call.outputs[0], at);
  float* line = scratch.line();
  std::fill(line, line + sizes.seq, 0.0F);
  for (std::uint32_t n = 0; n < count; ++n) line[columns[n]] = values[n] - mean;
  ForEach(sizes.seq, planned.is_streaming, to,
          [&](auto how, std::size_t i) HWY_ATTR { how.Store(how.Load(line + i), to + i); });
}

// The same of softmax: p (g - sum(g p)), the gradients g of a row at once, shift by shift of dy.
void DenseBackwardRow(const Planned& planned, const Sizes& sizes, const ki_kernel_launch& call,
                      std::size_t batch, std::size_t head, std::size_t row,
                      const Scratch& scratch) {
  const std::size_t map_row = (batch * sizes.in + head) * sizes.seq + row;
  const std::size_t pad = sizes.pad();
  float* p = scratch.values(0, 0);
  Softmax(planned.inputs[1].at<float>(call.inputs[1], map_row), row + 1, p);
  float* g = scratch.line();
  std::fill(g, g + row + 1, 0.0F);
  for (std::size_t out = 0; out < sizes.out; ++out) {
    for (std::size_t u = 0; u < sizes.k; ++u) {
      if (row + pad < u || row + pad - u >= sizes.seq) continue;
      const std::size_t at = row + pad - u;
      const float* dy =
          planned.inputs[0].at<float>(call.inputs[0], (batch * sizes.out + out) * sizes.seq + at);
      const std::size_t line = (out * sizes.in + head) * sizes.k + u;
      const float* weight = planned.inputs[2].at<float>(call.inputs[2], line);
      for (std::size_t v = 0; v < sizes.k; ++v) {
        // Columns whose place in dy is neither before the first nor in the future.
        const std::size_t first = v > pad ? v - pad : 0;
        const std::size_t end = at + v < pad ? 0 : HWY_MIN(row, at + v - pad) + 1;
        if (first >= end) continue;
        const float* from = dy + (first + pad - v);
        const V factor = Set(weight[v]);
        const V sums =
            Accumulate(end - first, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
              const V upstream = how.Load(from + i);
              float* to = g + first + i;
              how.Store(hn::MulAdd(factor, upstream, how.Load(to)), to);
              return hn::MulAdd(upstream, how.Load(p + first + i), sum);
            });
        scratch.weight_sums()[line * sizes.k + v] += SumOf(sums);
      }
    }
  }
  const V mean =
      Set(SumOf(Accumulate(row + 1, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
        return hn::MulAdd(how.Load(g + i), how.Load(p + i), sum);
      })));
  float* to = planned.outputs[0].at<float>(call.outputs[0], map_row);
  ForEach(row + 1, [&](auto how, std::size_t i) HWY_ATTR {
    how.Store(hn::Mul(how.Load(p + i), hn::Sub(how.Load(g + i), mean)), to + i);
  });
  std::fill(to + row + 1, to + sizes.seq, 0.0F);
}

template <class OfRow>
void BackwardBy(const Planned& planned, const ki_kernel_launch& call, const OfRow& of_row) {
  const Sizes sizes(planned);
  auto* memory = static_cast<float*>(call.workspace);
  const std::size_t stride = Scratch::floats(sizes);
  Pool::shared().run(planned.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const Scratch scratch(sizes, memory + part * stride);
    std::fill(scratch.weight_sums(), scratch.bias_sums() + sizes.out, 0.0F);
    ForEachChunk(sizes, part, parts, [&](std::size_t batch, std::size_t first, std::size_t end) {
      for (std::size_t row = first; row < end; ++row) {
        for (std::size_t out = 0; out < sizes.out; ++out) {
          const float* dy = planned.inputs[0].at<float>(
              call.inputs[0], (batch * sizes.out + out) * sizes.seq + row);
          scratch.bias_sums()[out] +=
              SumOf(Accumulate(row + 1, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
                return hn::Add(sum, how.Load(dy + i));
              }));
        }
        for (std::size_t head = 0; head < sizes.in; ++head) {
          of_row(planned, sizes, call, batch, head, row, scratch);
        }
      }
    });
  });
  const Scratch first(sizes, memory);
  float* const weight_sums = first.weight_sums();
  for (std::size_t line = 0; line < sizes.out * sizes.in * sizes.k; ++line) {
    SumParts(weight_sums + line * sizes.k, stride, planned.threads, sizes.k,
             planned.outputs[1].at<float>(call.outputs[1], line));
  }
  SumParts(first.bias_sums(), stride, planned.threads, sizes.out,
           static_cast<float*>(call.outputs[2]));
}

void Backward(const Planned& planned, const ki_kernel_launch& call) {
  BackwardBy(planned, call, BackwardRow);
}

void DenseBackward(const Planned& planned, const ki_kernel_launch& call) {
  BackwardBy(planned, call, DenseBackwardRow);
}

}  // namespace ki::kernels::sparse_mta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::sparse_mta {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);
HWY_EXPORT(DenseForward);
HWY_EXPORT(DenseBackward);

namespace {

std::uint64_t workspace(const native::Planned& planned) {
  return Scratch::floats(Sizes(planned)) * planned.threads * sizeof(float);
}

std::uint64_t dense_workspace(const native::Planned& planned) {
  return DenseScratch::floats(Sizes(planned)) * planned.threads * sizeof(float);
}

}  // namespace

std::vector<native::Kernel> native_kernels() {
  return {
      {"sparse-multi-token-attention", Pass::forward, "fp32",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Forward)(planned, call);
       },
       workspace},
      {"sparse-multi-token-attention", Pass::backward, "fp32",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(Backward)(planned, call);
       },
       workspace},
      {"multi-token-attention", Pass::forward, "fp32",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(DenseForward)(planned, call);
       },
       dense_workspace},
      {"multi-token-attention", Pass::backward, "fp32",
       [](const native::Planned& planned, const ki_kernel_launch& call) {
         HWY_DYNAMIC_DISPATCH(DenseBackward)(planned, call);
       },
       workspace},
  };
}

}  // namespace ki::kernels::sparse_mta
#endif
