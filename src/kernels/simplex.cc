#include "kernels/simplex.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace ki::kernels {

std::vector<double> sparsemax_of(const double* z, std::size_t count) {
  std::vector<double> sorted(z, z + count);
  if (std::any_of(sorted.begin(), sorted.end(), [](double value) { return std::isnan(value); })) {
    return std::vector<double>(count, std::numeric_limits<double>::quiet_NaN());
  }
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0;
  double threshold = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += sorted[i];
    const double size = static_cast<double>(i + 1);
    if (1 + size * sorted[i] > sum) threshold = (sum - 1) / size;
  }
  std::vector<double> result(z, z + count);
  for (double& value : result) value = std::max(value - threshold, 0.0);
  return result;
}

void sparsemax_back(const std::vector<double>& p, std::size_t width, std::vector<double>& g) {
  for (std::size_t begin = 0; begin < p.size(); begin += width) {
    double sum = 0;
    double count = 0;
    for (std::size_t i = begin; i < begin + width; ++i) {
      sum += p[i] != 0 ? g[i] : 0;
      count += p[i] != 0 ? 1 : 0;
    }
    for (std::size_t i = begin; i < begin + width; ++i) g[i] = p[i] != 0 ? g[i] - sum / count : 0;
  }
}

}  // namespace ki::kernels
