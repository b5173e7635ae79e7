// The float64 product of matrices, for references that are made of them.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/operation.h"

namespace ki::kernels {

// A matrix in dense values, by any two strides.
struct DenseMatrix {
  const std::vector<double>& values;
  std::size_t row_stride, column_stride;
  std::size_t begin = 0;
  double at(std::size_t row, std::size_t column) const {
    return values[begin + row * row_stride + column * column_stride];
  }
};

// c += a b with a of m x k, b of k x n and c dense. Returns the size of its terms as
// Expected::sizes has it: the largest root of the sum of the squares of an element's terms.
double multiply(const DenseMatrix& a, const DenseMatrix& b, std::size_t m, std::size_t n,
                std::size_t k, std::vector<double>& c);

// How much an exponential may enlarge a relative error of its argument's terms: kernels may round a
// score or logit to the storage type, an error u times the size of its terms, and exp turns that
// into the relative error of what it gives. A factor on Expected::sizes.
inline double exponent_gain(double size_of_terms) { return 1 + size_of_terms; }

// Of chains of products and activations in bf16: frameworks round what each step gives, up to four
// on the way to a gradient, and independent roundings add as their root. Else the usual one.
Tolerance chain_tolerance(Dtype dtype, Dtype output);

}  // namespace ki::kernels
