// What a matrix product of gemm-inl.h takes, the same for every instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ki::kernels::native {

// Words of k, rows and columns of the packed blocks: a block of rows fits the second cache, a tile
// of columns the first.
inline constexpr std::size_t kGemmDepthBlock = 384;
inline constexpr std::size_t kGemmRowsBlock = 144;
inline constexpr std::size_t kGemmTileRowsMax = 12;
inline constexpr std::size_t kGemmTileColumnsMax = 64;
inline constexpr std::size_t kGemmRowsWords = (kGemmRowsBlock + kGemmTileRowsMax) * kGemmDepthBlock;

inline std::size_t gemm_columns_words(std::size_t n) {
  return (n + kGemmTileColumnsMax) * kGemmDepthBlock;
}
inline std::uint64_t gemm_workspace_bytes(std::size_t n, unsigned threads) {
  return (gemm_columns_words(n) + threads * kGemmRowsWords) * sizeof(std::uint32_t);
}

// Where the product is rounded to bf16: the product in fp32 as well.
inline std::uint64_t gemm_rounded_workspace_bytes(std::size_t m, std::size_t n, unsigned threads) {
  return m * ((n + 15) / 16 * 16) * sizeof(float) + gemm_workspace_bytes(n, threads);
}

template <class T>
struct Matrix {
  const T* data;
  std::size_t row_stride, column_stride;
  const T* at(std::size_t row, std::size_t column) const {
    return data + row * row_stride + column * column_stride;
  }
  Matrix transposed() const { return {data, column_stride, row_stride}; }
};

template <class T>
struct Product {
  Matrix<T> a, b;  // m x k, k x n
  std::size_t m, n, k;
  void* c;  // m x n; float, or int32 where T is int8
  std::size_t c_stride;
  bool is_added = false;
};

}  // namespace ki::kernels::native
