/* rms-norm forward that computes its output KI_REPEATS times: the same kernel, slower. */
#include <math.h>
#include <stdlib.h>

#include "kernels/ki_kernel.h"

typedef struct state {
  int64_t rows, hidden;
  double eps;
} state;

static ki_kernel_status prepare(const ki_kernel_case* one, ki_kernel_plan* plan, char* message,
                                size_t message_size) {
  state* s = calloc(1, sizeof *s);
  (void)message;
  (void)message_size;
  s->rows = one->inputs[0].shape[0];
  s->hidden = one->inputs[0].shape[1];
  s->eps = one->scalars_count > 0 ? one->scalars[0].value : 1e-6;
  plan->state = s;
  plan->workspace_bytes = 0;
  return KI_KERNEL_OK;
}

static void release(void* opaque) { free(opaque); }

static ki_kernel_status launch(void* opaque, const ki_kernel_launch* call) {
  const state* s = opaque;
  const float* x = call->inputs[0];
  const float* weight = call->inputs[1];
  volatile float* y = call->outputs[0];
  for (int repeat = 0; repeat < KI_REPEATS; ++repeat) {
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
  return KI_KERNEL_OK;
}

static const ki_kernel kernel = {.struct_size = sizeof(ki_kernel),
                                 .provider = "mine",
                                 .variant = "",
                                 .operation = "rms-norm",
                                 .pass = "forward",
                                 .dtypes = "fp32",
                                 .device = "cpu",
                                 .language = "c",
                                 .prepare = prepare,
                                 .launch = launch,
                                 .release = release};
static const ki_kernel* const all[] = {&kernel};
static const ki_kernel_library library = {.struct_size = sizeof(ki_kernel_library),
                                          .abi_version = KI_KERNEL_ABI_VERSION,
                                          .name = "mine",
                                          .version = "1",
                                          .kernels_count = 1,
                                          .kernels = all};

const ki_kernel_library* ki_kernel_library_v1(uint32_t host_abi_version) {
  (void)host_abi_version;
  return &library;
}
