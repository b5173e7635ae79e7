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
#include "kernels/native/gemm_tile-inl.h"
#include "kernels/native/lanes-inl.h"
#include "kernels/native/pool.h"

HWY_BEFORE_NAMESPACE();
namespace ki::kernels::native::HWY_NAMESPACE {

// A tensor's rows from `first` on as a matrix.
template <class T>
HWY_INLINE Matrix<T> MatrixOf(const Rows& rows, const void* data, std::size_t first = 0) {
  return {static_cast<const T*>(data) + first * rows.stride, rows.stride, 1};
}

// In place of a number of threads: by the calling thread alone, which may be one of the pool's.
struct Alone {};

template <class Work>
HWY_INLINE void RunOn(unsigned threads, const Work& work) {
  Pool::shared().run(threads, work);
}
template <class Work>
HWY_INLINE void RunOn(Alone, const Work& work) {
  work(0U, 1U);
}

// Calls work(row) for the rows in [0, count), shared by the threads.
template <class Threads, class Work>
void ForEachRow(Threads threads, std::size_t count, const Work& work) {
  RunOn(threads, [&](unsigned part, unsigned parts) HWY_ATTR {
    const Share share = share_of(count, part, parts);
    for (std::size_t row = share.begin; row < share.end; ++row) work(row);
  });
}

// Rows of fp32 sums rounded to T.
template <class T, class Threads>
void RoundRows(Threads threads, const float* from, std::size_t from_stride, std::size_t count,
               std::size_t width, T* to, std::size_t to_stride) {
  ForEachRow(threads, count, [&](std::size_t row) HWY_ATTR {
    ForEach(width, [&](auto how, std::size_t i) HWY_ATTR {
      how.Store(how.Load(from + row * from_stride + i), to + row * to_stride + i);
    });
  });
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

template <class Kind, class T, class Threads>
void MultiplyAs(const Product<T>& product, Threads threads, void* workspace) {
  auto* columns = static_cast<std::uint32_t*>(workspace);
  std::uint32_t* rows = columns + gemm_columns_words(product.n);
  constexpr std::size_t kDepth = kGemmDepthBlock * Kind::kEach;
  for (std::size_t k = 0; k < product.k; k += kDepth) {
    const std::size_t depth = std::min(kDepth, product.k - k);
    const std::size_t words = (depth + Kind::kEach - 1) / Kind::kEach;
    RunOn(threads, [&](unsigned part, unsigned parts) HWY_ATTR {
      const Share share = share_of(product.n, part, parts, kTileColumns);
      if (share.begin == share.end) return;
      Pack<Kind, kTileColumns>(product.b.at(k, share.begin), product.b.column_stride,
                               product.b.row_stride, share.end - share.begin, depth,
                               columns + share.begin * words);
    });
    RunOn(threads, [&](unsigned part, unsigned parts) HWY_ATTR {
      const Share share = share_of(product.m, part, parts, kTileRows);
      MultiplyRows<Kind>(product, share.begin, share.end, k, depth, columns,
                         rows + part * kGemmRowsWords, k == 0 && !product.is_added);
    });
  }
}

// Calls run(kind) with how this processor multiplies T.
template <class T, class Run>
void WithKind(const Run& run) {
  if constexpr (std::is_same_v<T, Bf16>) {
    if (HWY_TARGET <= HWY_AVX3 && has_bf16_instructions) return run(PairedBf16());
    run(WidenedBf16());
  } else {
    run(Words<T>());
  }
}

// C = A B, or C += A B. The workspace has gemm_workspace_bytes.
template <class T, class Threads>
void Multiply(const Product<T>& product, Threads threads, void* workspace) {
  WithKind<T>([&](auto kind) { MultiplyAs<decltype(kind)>(product, threads, workspace); });
}

// The same with the product rounded to T in `out`. The workspace has gemm_rounded_workspace_bytes.
template <class T, class Threads>
void MultiplyTo(Product<T> product, T* out, std::size_t out_stride, Threads threads,
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
    RoundRows(threads, sums, product.c_stride, product.m, product.n, out, out_stride);
  }
}

}  // namespace ki::kernels::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
