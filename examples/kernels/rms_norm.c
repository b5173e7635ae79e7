/*
 * A kernel of your own, in C: RMSNorm of fp32 rows, forward.
 *
 *   cc -std=c99 -O3 -shared -fPIC -I src/kernels examples/kernels/rms_norm.c -lm -o libmine.so
 *
 * It states what it needs (hidden a multiple of 4), refuses rows that are not dense, and keeps what
 * it learnt of the case in a plan. Nothing is allocated while it is timed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ki_kernel.h"

typedef struct plan {
  int64_t rows, hidden;
  float eps;
} plan;

static ki_kernel_status refuse(char* message, size_t message_size, const char* why) {
  if (message_size > 0) snprintf(message, message_size, "%s", why);
  return KI_KERNEL_UNSUPPORTED;
}

static ki_kernel_status prepare(const ki_kernel_case* one, ki_kernel_plan* out, char* message,
                                size_t message_size) {
  const ki_kernel_tensor* x = &one->inputs[0];
  plan* made;
  if (x->strides[0] != x->shape[1] || one->outputs[0].strides[0] != x->shape[1]) {
    return refuse(message, message_size, "rows must be dense");
  }
  made = malloc(sizeof *made);
  if (made == NULL) return KI_KERNEL_FAILED;
  made->rows = x->shape[0];
  made->hidden = x->shape[1];
  made->eps = 1e-6F;
  for (uint32_t i = 0; i < one->scalars_count; ++i) {
    if (strcmp(one->scalars[i].name, "eps") == 0) made->eps = (float)one->scalars[i].value;
  }
  out->state = made;
  return KI_KERNEL_OK;
}

static ki_kernel_status launch(void* state, const ki_kernel_launch* call) {
  const plan* of = state;
  const float* x = call->inputs[0];
  const float* weight = call->inputs[1];
  float* y = call->outputs[0];
  for (int64_t row = 0; row < of->rows; ++row, x += of->hidden, y += of->hidden) {
    float sums[4] = {0, 0, 0, 0}; /* independent, so that the compiler may use a vector */
    float scale;
    for (int64_t i = 0; i < of->hidden; i += 4) {
      for (int k = 0; k < 4; ++k) sums[k] += x[i + k] * x[i + k];
    }
    scale = 1.0F /
            sqrtf((sums[0] + sums[1] + sums[2] + sums[3]) / (float)of->hidden + of->eps);
    for (int64_t i = 0; i < of->hidden; ++i) y[i] = x[i] * scale * weight[i];
  }
  return KI_KERNEL_OK;
}

static const ki_kernel_constraint constraints[] = {{"hidden", 0, 0, 4}};

static const ki_kernel forward = {
    sizeof(ki_kernel), 1,     "example-c", "", "rms-norm", "forward", "fp32", "cpu", "c",
    constraints,       NULL, prepare,     launch, free};

static const ki_kernel* const kernels[] = {&forward};

static const ki_kernel_library library = {
    sizeof(ki_kernel_library), KI_KERNEL_ABI_VERSION, "example in C", "1", 1, kernels};

const ki_kernel_library* ki_kernel_library_v1(uint32_t host_abi_version) {
  return host_abi_version == KI_KERNEL_ABI_VERSION ? &library : NULL;
}
