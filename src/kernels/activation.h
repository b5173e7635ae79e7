// Activations and their derivatives in float64, for references.
#pragma once

#include <cmath>

namespace ki::kernels {

struct Slope {
  double value, derivative;
};

// z / (1 + exp(-z))
inline Slope silu(double z) {
  const double s = 1 / (1 + std::exp(-z));
  return {z * s, s * (1 + z * (1 - s))};
}

// z/2 (1 + tanh(sqrt(2/pi) (z + 0.044715 z^3)))
inline Slope gelu_tanh(double z) {
  const double slope = std::sqrt(2 / std::acos(-1.0));
  const double t = std::tanh(slope * (z + 0.044715 * z * z * z));
  const double inner = slope * (1 + 3 * 0.044715 * z * z);
  return {z / 2 * (1 + t), (1 + t) / 2 + z / 2 * (1 - t * t) * inner};
}

}  // namespace ki::kernels
