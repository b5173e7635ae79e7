/* What the kernels of these tests compute, and where they keep the sizes. */
#include <math.h>

#include "kernels/ki_kernel.h"

typedef struct sizes {
  int64_t rows, hidden;
  double eps;
} sizes;

static sizes sizes_of(const ki_kernel_case* one) {
  const sizes s = {.rows = one->inputs[0].shape[0],
                   .hidden = one->inputs[0].shape[1],
                   .eps = one->scalars_count > 0 ? one->scalars[0].value : 1e-6};
  return s;
}

/* Every store is made, also one that the next call repeats. */
static void rms_norm(const sizes* s, const ki_kernel_launch* call) {
  const float* x = call->inputs[0];
  const float* weight = call->inputs[1];
  volatile float* y = call->outputs[0];
  for (int64_t row = 0; row < s->rows; ++row) {
    double squares = 0;
    for (int64_t i = 0; i < s->hidden; ++i) {
      const double v = x[row * s->hidden + i];
      squares += v * v;
    }
    const double r = 1 / sqrt(squares / (double)s->hidden + s->eps);
    for (int64_t i = 0; i < s->hidden; ++i) {
      y[row * s->hidden + i] = (float)(x[row * s->hidden + i] * r * weight[i]);
    }
  }
}
