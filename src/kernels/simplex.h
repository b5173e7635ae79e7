// Sparsemax in float64, for references that are made of it.
#pragma once

#include <cstddef>
#include <vector>

namespace ki::kernels {

// The point of the probability simplex nearest to z, by sorting (Martins and Astudillo, "From
// Softmax to Sparsemax", 2016, algorithm 1). A NaN makes all of it NaN.
std::vector<double> sparsemax_of(const double* z, std::size_t count);

// Of the gradient g at sparsemax's values p, in rows of `width`: g less its mean where p is above
// zero, else zero.
void sparsemax_back(const std::vector<double>& p, std::size_t width, std::vector<double>& g);

}  // namespace ki::kernels
