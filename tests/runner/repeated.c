/* rms-norm forward that computes its output KI_REPEATS times: the same kernel, slower. */
#include <stdlib.h>

#include "rms_norm.h"

static ki_kernel_status prepare(const ki_kernel_case* one, ki_kernel_plan* plan, char* message,
                                size_t message_size) {
  sizes* s = calloc(1, sizeof *s);
  (void)message;
  (void)message_size;
  *s = sizes_of(one);
  plan->state = s;
  plan->workspace_bytes = 0;
  return KI_KERNEL_OK;
}

static void release(void* opaque) { free(opaque); }

static ki_kernel_status launch(void* opaque, const ki_kernel_launch* call) {
  for (int repeat = 0; repeat < KI_REPEATS; ++repeat) rms_norm(opaque, call);
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
