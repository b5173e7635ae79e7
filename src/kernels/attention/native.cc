// Attention over blocks of keys with a running softmax: of each query the largest score so far, the
// sum of the exponentials and the weighted sum of values, scaled down when a larger score comes
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018).
#include "kernels/folders.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention/native.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/attention/scratch.h"
#include "kernels/native/gemm-inl.h"
#include "kernels/native/math-inl.h"
HWY_BEFORE_NAMESPACE();
namespace ki::kernels::attention::HWY_NAMESPACE {

using namespace native::HWY_NAMESPACE;  // the vectors of this instruction set
using native::Planned;
using native::Pool;
using native::Rows;
using native::Share;

static_assert(kKeys % kTileColumns == 0);

constexpr std::size_t kQueries = kTiles * kTileRows;

// A call's tensors and memory.
template <class T>
struct Job {
  Sizes sizes;
  const Rows &q, &k, &v, &y;
  const ki_kernel_launch& call;
  const Scratch<T>& memory;
};

// One block of keys of one head: keys as columns, values as rows.
template <class Kind, class T>
void PackBlock(const Job<T>& job, std::size_t index) {
  const Sizes& sizes = job.sizes;
  const std::size_t begin = index % sizes.key_blocks() * kKeys;
  const std::size_t count = std::min(kKeys, sizes.keys - begin);
  const std::size_t row = index / sizes.key_blocks() * sizes.keys + begin;
  Pack<Kind, kTileColumns>(job.k.template at<T>(job.call.inputs[1], row), job.k.stride, 1, count,
                           sizes.width, job.memory.k + index * sizes.k_words());
  Pack<Kind, kTileColumns>(job.v.template at<T>(job.call.inputs[2], row), 1, job.v.stride,
                           sizes.width, count, job.memory.v + index * sizes.v_words());
}

// A tile of queries: their places in the block and in their head.
struct Tile {
  std::size_t first, count;  // within the block
  std::size_t at;            // position of the first
};

// A block of keys as a tile of queries sees it.
struct Block {
  std::size_t index;  // among the packed blocks
  std::size_t row;    // of its first value among all
  std::size_t begin, count;
};

// How many keys of the block the query at `position` may see.
HWY_INLINE std::size_t Seen(const Sizes& sizes, const Block& block, std::size_t position) {
  if (!sizes.is_causal) return block.count;
  return position < block.begin ? 0 : std::min(block.count, position + 1 - block.begin);
}

// Scores of the tile and the first `count` keys, times sqrt(head_dim).
template <class Kind, class T>
void Score(const Job<T>& job, const Part<T>& part, const Tile& tile, const Block& block,
           std::size_t count) {
  HWY_ALIGN float sums[kTileRows * kTileColumns];
  const std::size_t words = (job.sizes.width + Kind::kEach - 1) / Kind::kEach;
  const TileKernel kernel = Kind::Kernel();
  const std::uint32_t* rows = part.q + tile.first * words;
  const std::uint32_t* panel = job.memory.k + block.index * job.sizes.k_words();
  for (std::size_t j = 0; j < count; j += kTileColumns, panel += words * kTileColumns) {
    kernel(words, rows, panel, sums);
    PutTile(sums, tile.count, kTileColumns, true, part.scores + j, kKeys);
  }
}

// Exponentials of one query's scores in a block; what was summed before is scaled to the new top.
template <class T>
void Weigh(const Sizes& sizes, const Part<T>& part, std::size_t query, float* scores, T* weights,
           std::size_t count) {
  const float factor = sizes.scale * kLog2E;
  const float before = part.tops[query];
  const float top = hn::GetLane(hn::Max(Set(before), Set(LargestOf(scores, count))));
  const V shift = Set(-top * factor);
  const V sums = Accumulate(count, Zero(), [&](auto how, std::size_t i, V sum) HWY_ATTR {
    const V power = how.Or(Exp2(hn::MulAdd(how.Load(scores + i), Set(factor), shift)), 0);
    how.Store(power, scores + i);
    how.Store(power, weights + i);
    return hn::Add(sum, power);
  });
  part.tops[query] = top;
  if (before != top) {
    const V less = Exp2(hn::MulAdd(Set(before), Set(factor), shift));
    float* row = part.sums + query * sizes.stride();
    ForEach(sizes.width, [&](auto how, std::size_t i)
                             HWY_ATTR { how.Store(hn::Mul(how.Load(row + i), less), row + i); });
    part.totals[query] *= hn::GetLane(less);
  }
  part.totals[query] += SumOf(sums);
}

// Adds weight times value for the keys that all of the tile's queries see, as a product; the few
// after them one by one, so that no query meets a value that it does not see, be it NaN.
template <class Kind, class T>
void Gather(const Job<T>& job, const Part<T>& part, const Tile& tile, const Block& block) {
  const Sizes& sizes = job.sizes;
  const std::size_t common = Seen(sizes, block, tile.at);
  const bool is_whole = common == block.count;
  const std::size_t depth = is_whole ? common : common / Kind::kEach * Kind::kEach;
  if (depth > 0) {
    HWY_ALIGN float sums[kTileRows * kTileColumns];
    const std::size_t words = (depth + Kind::kEach - 1) / Kind::kEach;
    const std::size_t panel_words = (block.count + Kind::kEach - 1) / Kind::kEach * kTileColumns;
    const std::uint32_t* panel = job.memory.v + block.index * sizes.v_words();
    Pack<Kind, kTileRows>(part.weights, kKeys, 1, tile.count, depth, part.packed);
    for (std::size_t j = 0; j < sizes.width; j += kTileColumns, panel += panel_words) {
      Kind::Kernel()(words, part.packed, panel, sums);
      PutTile(sums, tile.count, std::min(kTileColumns, sizes.width - j), false,
              part.sums + tile.first * sizes.stride() + j, sizes.stride());
    }
  }
  for (std::size_t n = 0; n < tile.count; ++n) {
    float* sums = part.sums + (tile.first + n) * sizes.stride();
    for (std::size_t j = depth; j < Seen(sizes, block, tile.at + n); ++j) {
      const T* value = job.v.template at<T>(job.call.inputs[2], block.row + j);
      const V weight = Set(part.scores[n * kKeys + j]);
      ForEach(sizes.width, [&](auto how, std::size_t i) HWY_ATTR {
        how.Store(hn::MulAdd(weight, how.Load(value + i), how.Load(sums + i)), sums + i);
      });
    }
  }
}

template <class Kind, class T>
void Attend(const Job<T>& job, const Part<T>& part, const Tile& tile, const Block& block) {
  const std::size_t count = Seen(job.sizes, block, tile.at + tile.count - 1);
  if (count == 0) return;
  Score<Kind>(job, part, tile, block, count);
  for (std::size_t n = 0; n < tile.count; ++n) {
    const std::size_t seen = Seen(job.sizes, block, tile.at + n);
    if (seen == 0) continue;
    Weigh(job.sizes, part, tile.first + n, part.scores + n * kKeys, part.weights + n * kKeys, seen);
  }
  Gather<Kind>(job, part, tile, block);
}

// Queries [begin, begin + count) of one of all heads.
template <class Kind, class T>
void AttendBlock(const Job<T>& job, const Part<T>& part, std::size_t head, std::size_t begin,
                 std::size_t count) {
  const Sizes& sizes = job.sizes;
  const std::size_t row = head * sizes.queries + begin;
  const std::size_t kv_head = sizes.kv_head(head);
  Pack<Kind, kTileRows>(job.q.template at<T>(job.call.inputs[0], row), job.q.stride, 1, count,
                        sizes.width, part.q);
  std::fill_n(part.sums, count * sizes.stride(), 0.0F);
  std::fill_n(part.totals, count, 0.0F);
  std::fill_n(part.tops, count, -std::numeric_limits<float>::infinity());
  const std::size_t end = sizes.is_causal ? begin + count : sizes.keys;
  for (std::size_t key = 0; key < end; key += kKeys) {
    const Block block{kv_head * sizes.key_blocks() + key / kKeys, kv_head * sizes.keys + key, key,
                      std::min(kKeys, sizes.keys - key)};
    for (std::size_t i = 0; i < count; i += kTileRows) {
      Attend<Kind>(job, part, Tile{i, std::min(kTileRows, count - i), begin + i}, block);
    }
  }
  for (std::size_t n = 0; n < count; ++n) {
    const V scale = Set(1.0F / part.totals[n]);
    const float* from = part.sums + n * sizes.stride();
    T* to = job.y.template at<T>(job.call.outputs[0], row + n);
    ForEach(sizes.width, [&](auto how, std::size_t i)
                             HWY_ATTR { how.Store(hn::Mul(how.Load(from + i), scale), to + i); });
  }
}

template <class Kind, class T>
void AttendAs(const Planned& planned, const ki_kernel_launch& call) {
  native::Pieces pieces(call.workspace);
  const Sizes sizes(planned);
  const Scratch<T> memory(sizes, pieces);
  const Job<T> job{
      sizes, planned.inputs[0], planned.inputs[1], planned.inputs[2], planned.outputs[0], call,
      memory};
  Pool::shared().run(sizes.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const std::size_t blocks = sizes.batch * sizes.kv_heads * sizes.key_blocks();
    const Share share = native::share_of(blocks, part, parts);
    for (std::size_t i = share.begin; i < share.end; ++i) PackBlock<Kind>(job, i);
  });
  const std::size_t blocks = (sizes.queries + kQueries - 1) / kQueries;
  Pool::shared().run(sizes.threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const Part<T> own = memory.part(sizes, part);
    // In turn, since later queries see more keys.
    for (std::size_t i = part; i < sizes.batch * sizes.heads * blocks; i += parts) {
      const std::size_t begin = i % blocks * kQueries;
      AttendBlock<Kind>(job, own, i / blocks, begin, std::min(kQueries, sizes.queries - begin));
    }
  });
}

void Forward(const Planned& planned, const ki_kernel_launch& call) {
  WithType(planned, [&](auto type) {
    using T = decltype(type);
    WithKind<T>([&](auto kind) { AttendAs<decltype(kind), T>(planned, call); });
  });
}

}  // namespace ki::kernels::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::attention {

HWY_EXPORT(Forward);

std::vector<native::Kernel> native_kernels() {
  const auto launch = [](const native::Planned& planned, const ki_kernel_launch& call) {
    HWY_DYNAMIC_DISPATCH(Forward)(planned, call);
  };
  std::vector<native::Kernel> kernels;
  for (const char* operation :
       {"scaled-dot-product-attention", "causal-scaled-dot-product-attention"}) {
    kernels.push_back(
        {operation, Pass::forward, "fp32 bf16", launch, native::workspace_bytes<Sizes, Scratch>});
  }
  return kernels;
}

}  // namespace ki::kernels::attention
#endif
