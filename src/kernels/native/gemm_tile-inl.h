// Tiles of matrix products: how numbers become words of 32 bits, how words are packed, and the
// loops that multiply packed tiles in registers. Included once per instruction set, inside
// foreach_target.
#if defined(KI_KERNELS_GEMM_TILE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KI_KERNELS_GEMM_TILE_INL
#undef KI_KERNELS_GEMM_TILE_INL
#else
#define KI_KERNELS_GEMM_TILE_INL
#endif

#include <algorithm>
#include <cstring>

#include <hwy/highway.h>

#include "kernels/native/bf16.h"
#include "kernels/native/gemm.h"
#include "kernels/native/lanes-inl.h"

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

}  // namespace ki::kernels::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
