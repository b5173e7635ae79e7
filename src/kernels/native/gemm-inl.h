// Matrix products in packed tiles, for the kernels that are made of them. Included once per
// instruction set, inside foreach_target.
//
// C (m x n, fp32 or int32) = A (m x k) B (k x n), each operand with any two strides. Both are
// packed into words of 32 bits: a fp32 number; two bf16 of neighbouring k where the processor
// multiplies those; or two int16 of neighbouring k. So one loop serves all: a tile of kTileRows x
// kTileColumns of C stays in registers while k runs over a block that keeps the packed tiles in the
// caches (Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008).
#if defined(KI_KERNELS_GEMM_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KI_KERNELS_GEMM_INL
#undef KI_KERNELS_GEMM_INL
#else
#define KI_KERNELS_GEMM_INL
#endif

#include <algorithm>
#include <cstring>

#include <hwy/highway.h>

#include "kernels/native/bf16.h"
#include "kernels/native/gemm.h"
#include "kernels/native/lanes-inl.h"
#include "kernels/native/pool.h"

HWY_BEFORE_NAMESPACE();
namespace ki::kernels::native::HWY_NAMESPACE {

// Twelve rows of two vectors leave room for the operands in 32 registers, six in 16.
#if HWY_TARGET <= HWY_AVX3
constexpr std::size_t kTileRows = 12;
#else
constexpr std::size_t kTileRows = 6;
#endif
constexpr std::size_t kTileColumns = 2 * HWY_LANES(float);
static_assert(kTileRows <= kGemmTileRowsMax && kTileColumns <= kGemmTileColumnsMax);

// The sum of products over `depth` words of a packed tile of rows and one of columns, into `tile`
// (kTileRows x kTileColumns, dense).
using TileKernel = void (*)(std::size_t depth, const std::uint32_t* rows,
                            const std::uint32_t* columns, void* tile);

HWY_INLINE void TileOfFloats(std::size_t depth, const std::uint32_t* rows,
                             const std::uint32_t* columns, void* tile) {
  const F32 d;
  V sums[kTileRows][2];
  for (auto& row : sums) row[0] = row[1] = Zero();
  const auto* a = reinterpret_cast<const float*>(rows);
  const auto* b = reinterpret_cast<const float*>(columns);
  for (std::size_t i = 0; i < depth; ++i) {
    const V left = hn::LoadU(d, b);
    const V right = hn::LoadU(d, b + kTileColumns / 2);
    HWY_UNROLL(12)
    for (std::size_t row = 0; row < kTileRows; ++row) {
      const V value = hn::Set(d, a[row]);
      sums[row][0] = hn::MulAdd(value, left, sums[row][0]);
      sums[row][1] = hn::MulAdd(value, right, sums[row][1]);
    }
    a += kTileRows;
    b += kTileColumns;
  }
  auto* to = static_cast<float*>(tile);
  for (std::size_t row = 0; row < kTileRows; ++row) {
    hn::StoreU(sums[row][0], d, to + row * kTileColumns);
    hn::StoreU(sums[row][1], d, to + row * kTileColumns + kTileColumns / 2);
  }
}

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE void TileOfPairs(std::size_t depth, const std::uint32_t* rows,
                            const std::uint32_t* columns, void* tile) {
  const auto low = [](std::uint32_t word) {
    return static_cast<std::int16_t>(static_cast<std::uint16_t>(word));
  };
  auto* to = static_cast<std::int32_t*>(tile);
  std::fill(to, to + kTileRows * kTileColumns, 0);
  for (std::size_t i = 0; i < depth; ++i, rows += kTileRows, columns += kTileColumns) {
    for (std::size_t at = 0; at < kTileRows * kTileColumns; ++at) {
      const std::uint32_t a = rows[at / kTileColumns];
      const std::uint32_t b = columns[at % kTileColumns];
      to[at] += low(a) * low(b) + low(a >> 16) * low(b >> 16);
    }
  }
}
#else
HWY_INLINE void TileOfPairs(std::size_t depth, const std::uint32_t* rows,
                            const std::uint32_t* columns, void* tile) {
  const I32 d;
  const hn::Repartition<std::int16_t, I32> d16;
  hn::Vec<I32> sums[kTileRows][2];
  for (auto& row : sums) row[0] = row[1] = hn::Zero(d);
  const auto* a = reinterpret_cast<const std::int32_t*>(rows);
  const auto* b = reinterpret_cast<const std::int32_t*>(columns);
  for (std::size_t i = 0; i < depth; ++i) {
    const auto left = hn::BitCast(d16, hn::LoadU(d, b));
    const auto right = hn::BitCast(d16, hn::LoadU(d, b + kTileColumns / 2));
    HWY_UNROLL(12)
    for (std::size_t row = 0; row < kTileRows; ++row) {
      const auto value = hn::BitCast(d16, hn::Set(d, a[row]));
      auto unused = hn::Zero(d);
      sums[row][0] = hn::ReorderWidenMulAccumulate(d, value, left, sums[row][0], unused);
      sums[row][1] = hn::ReorderWidenMulAccumulate(d, value, right, sums[row][1], unused);
    }
    a += kTileRows;
    b += kTileColumns;
  }
  auto* to = static_cast<std::int32_t*>(tile);
  for (std::size_t row = 0; row < kTileRows; ++row) {
    hn::StoreU(sums[row][0], d, to + row * kTileColumns);
    hn::StoreU(sums[row][1], d, to + row * kTileColumns + kTileColumns / 2);
  }
}
#endif

// How numbers of a storage type become words.
template <class T>
struct Words;

template <>
struct Words<float> {
  using Sum = float;
  static constexpr std::size_t kEach = 1;
  static std::uint32_t Make(const float* from, std::size_t, std::size_t) {
    std::uint32_t word = 0;
    std::memcpy(&word, from, sizeof word);
    return word;
  }
  static TileKernel Kernel() { return TileOfFloats; }
};

// bf16 as fp32, where the processor multiplies no bf16.
struct WidenedBf16 {
  using Sum = float;
  static constexpr std::size_t kEach = 1;
  static std::uint32_t Make(const Bf16* from, std::size_t, std::size_t) {
    return static_cast<std::uint32_t>(*from) << 16;
  }
  static TileKernel Kernel() { return TileOfFloats; }
};

struct PairedBf16 {
  using Sum = float;
  static constexpr std::size_t kEach = 2;
  // `left` numbers remain, the next `stride` further.
  static std::uint32_t Make(const Bf16* from, std::size_t stride, std::size_t left) {
    const std::uint32_t next = left > 1 ? from[stride] : 0;
    return *from | next << 16;
  }
  static TileKernel Kernel() { return dot_bf16_tile; }
};

template <>
struct Words<std::int8_t> {
  using Sum = std::int32_t;
  static constexpr std::size_t kEach = 2;
  static std::uint32_t Make(const std::int8_t* from, std::size_t stride, std::size_t left) {
    const auto wide = [](std::int8_t value) {
      return static_cast<std::uint32_t>(static_cast<std::uint16_t>(std::int16_t{value}));
    };
    return wide(*from) | (left > 1 ? wide(from[stride]) << 16 : 0);
  }
  static TileKernel Kernel() { return TileOfPairs; }
};

// Packs `count` lines (rows of A or columns of B), `depth` numbers each, in groups of kGroup lines:
// for each word of depth the group's words beside each other. Lines that are missing are zero.
template <class Kind, std::size_t kGroup, class T>
void Pack(const T* from, std::size_t line_stride, std::size_t depth_stride, std::size_t count,
          std::size_t depth, std::uint32_t* to) {
  const std::size_t words = (depth + Kind::kEach - 1) / Kind::kEach;
  for (std::size_t first = 0; first < count; first += kGroup, to += words * kGroup) {
    const std::size_t lines = std::min(kGroup, count - first);
    const T* group = from + first * line_stride;
    if (lines < kGroup) std::memset(to, 0, words * kGroup * sizeof(std::uint32_t));
    if (depth_stride == 1) {  // along the line, a few words at a time, so that reads are whole
      constexpr std::size_t kRun = 16;
      for (std::size_t begin = 0; begin < words; begin += kRun) {
        const std::size_t end = std::min(words, begin + kRun);
        for (std::size_t line = 0; line < lines; ++line) {
          const T* source = group + line * line_stride;
          for (std::size_t word = begin; word < end; ++word) {
            const std::size_t at = word * Kind::kEach;
            to[word * kGroup + line] = Kind::Make(source + at, 1, depth - at);
          }
        }
      }
      continue;
    }
    for (std::size_t word = 0; word < words; ++word) {
      const std::size_t at = word * Kind::kEach;
      const T* source = group + at * depth_stride;
      for (std::size_t line = 0; line < lines; ++line) {
        to[word * kGroup + line] =
            Kind::Make(source + line * line_stride, depth_stride, depth - at);
      }
    }
  }
}

// Adds a tile to C, or sets C where it is the first of k.
template <class Sum>
HWY_INLINE void PutTile(const Sum* tile, std::size_t rows, std::size_t columns, bool is_first,
                        Sum* c, std::size_t c_stride) {
  for (std::size_t row = 0; row < rows; ++row) {
    const Sum* from = tile + row * kTileColumns;
    Sum* to = c + row * c_stride;
    if (is_first) {
      std::memcpy(to, from, columns * sizeof(Sum));
    } else {
      for (std::size_t i = 0; i < columns; ++i) to[i] += from[i];
    }
  }
}

// One block of k for rows [begin, end) of C; B's block is packed already, A's is packed here.
template <class Kind, class T>
void MultiplyRows(const Product<T>& product, std::size_t begin, std::size_t end, std::size_t k,
                  std::size_t depth, const std::uint32_t* columns, std::uint32_t* rows,
                  bool is_first) {
  using Sum = typename Kind::Sum;
  const std::size_t words = (depth + Kind::kEach - 1) / Kind::kEach;
  HWY_ALIGN Sum tile[kTileRows * kTileColumns];
  const TileKernel kernel = Kind::Kernel();
  for (std::size_t block = begin; block < end; block += kGemmRowsBlock) {
    const std::size_t height = std::min(kGemmRowsBlock, end - block);
    Pack<Kind, kTileRows>(product.a.at(block, k), product.a.row_stride, product.a.column_stride,
                          height, depth, rows);
    for (std::size_t j = 0; j < product.n; j += kTileColumns) {
      const std::uint32_t* panel = columns + j / kTileColumns * words * kTileColumns;
      const std::size_t width = std::min(kTileColumns, product.n - j);
      for (std::size_t i = 0; i < height; i += kTileRows) {
        kernel(words, rows + i / kTileRows * words * kTileRows, panel, tile);
        PutTile(tile, std::min(kTileRows, height - i), width, is_first,
                static_cast<Sum*>(product.c) + (block + i) * product.c_stride + j,
                product.c_stride);
      }
    }
  }
}

template <class Kind, class T>
void MultiplyAs(const Product<T>& product, unsigned threads, void* workspace) {
  auto* columns = static_cast<std::uint32_t*>(workspace);
  std::uint32_t* rows = columns + gemm_columns_words(product.n);
  constexpr std::size_t kDepth = kGemmDepthBlock * Kind::kEach;
  for (std::size_t k = 0; k < product.k; k += kDepth) {
    const std::size_t depth = std::min(kDepth, product.k - k);
    const std::size_t words = (depth + Kind::kEach - 1) / Kind::kEach;
    Pool::shared().run(threads, [&](unsigned part, unsigned parts) HWY_ATTR {
      const Share share = share_of(product.n, part, parts, kTileColumns);
      if (share.begin == share.end) return;
      Pack<Kind, kTileColumns>(product.b.at(k, share.begin), product.b.column_stride,
                               product.b.row_stride, share.end - share.begin, depth,
                               columns + share.begin * words);
    });
    Pool::shared().run(threads, [&](unsigned part, unsigned parts) HWY_ATTR {
      const Share share = share_of(product.m, part, parts, kTileRows);
      MultiplyRows<Kind>(product, share.begin, share.end, k, depth, columns,
                         rows + part * kGemmRowsWords, k == 0 && !product.is_added);
    });
  }
}

// C = A B, or C += A B. The workspace has gemm_workspace_bytes.
template <class T>
void Multiply(const Product<T>& product, unsigned threads, void* workspace) {
  if constexpr (std::is_same_v<T, Bf16>) {
    if (HWY_TARGET <= HWY_AVX3 && has_bf16_instructions) {
      return MultiplyAs<PairedBf16>(product, threads, workspace);
    }
    return MultiplyAs<WidenedBf16>(product, threads, workspace);
  } else {
    MultiplyAs<Words<T>>(product, threads, workspace);
  }
}

// The same with the product rounded to T in `out`. The workspace has gemm_rounded_workspace_bytes.
template <class T>
void MultiplyTo(Product<T> product, T* out, std::size_t out_stride, unsigned threads,
                void* workspace) {
  if constexpr (std::is_same_v<T, float>) {
    product.c = out;
    product.c_stride = out_stride;
    Multiply(product, threads, workspace);
  } else {
    auto* sums = static_cast<float*>(workspace);
    product.c = sums;
    product.c_stride = sums_stride(product.n);
    Multiply(product, threads, sums + product.m * product.c_stride);
    Pool::shared().run(threads, [&](unsigned part, unsigned parts) HWY_ATTR {
      const Share share = share_of(product.m, part, parts);
      for (std::size_t row = share.begin; row < share.end; ++row) {
        const float* from = sums + row * product.c_stride;
        T* to = out + row * out_stride;
        ForEach(product.n,
                [&](auto how, std::size_t i) HWY_ATTR { how.Store(how.Load(from + i), to + i); });
      }
    });
  }
}

}  // namespace ki::kernels::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
