#include "kernels/product.h"

#include <algorithm>
#include <cmath>

namespace ki::kernels {

namespace {

// Rows of a product done at once, so that each row of b that is read serves all of them.
constexpr std::size_t kRows = 4;

}  // namespace

double multiply(const DenseMatrix& a, const DenseMatrix& b, std::size_t m, std::size_t n,
                std::size_t k, std::vector<double>& c) {
  std::vector<double> packed;  // b with neighbouring columns side by side, where they are not
  const double* first = b.values.data() + b.begin;
  std::size_t stride = b.row_stride;
  if (b.column_stride != 1) {
    packed.resize(k * n);
    for (std::size_t p = 0; p < k; ++p) {
      for (std::size_t j = 0; j < n; ++j) packed[p * n + j] = b.at(p, j);
    }
    first = packed.data();
    stride = n;
  }
  std::vector<double> squares(kRows * n);
  double squares_max = 0;
  for (std::size_t begin = 0; begin < m; begin += kRows) {
    const std::size_t end = std::min(m, begin + kRows);
    std::fill(squares.begin(), squares.end(), 0.0);
    for (std::size_t p = 0; p < k; ++p) {
      const double* const right = first + p * stride;
      for (std::size_t i = begin; i < end; ++i) {
        const double left = a.at(i, p);
        double* const sum = &c[i * n];
        double* const square = &squares[(i - begin) * n];
        for (std::size_t j = 0; j < n; ++j) {
          const double term = left * right[j];
          sum[j] += term;
          square[j] += term * term;
        }
      }
    }
    for (const double square : squares) squares_max = std::fmax(squares_max, square);
  }
  return std::sqrt(squares_max);
}

Tolerance chain_tolerance(Dtype, Dtype output) {
  if (output == KI_KERNEL_BF16) return {0x1p-6, 0x1p-6};
  return tolerance_of(output);
}

}  // namespace ki::kernels
