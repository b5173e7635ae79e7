/* Kernels that do what a runner must survive, and one that is good, all of rms-norm forward. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rms_norm.h"

typedef struct state {
  sizes sizes;
  int calls;
  float* first; /* the first output ever made */
} state;

static ki_kernel_status prepare(const ki_kernel_case* one, ki_kernel_plan* plan, char* message,
                                size_t message_size) {
  state* s = calloc(1, sizeof *s);
  (void)message;
  (void)message_size;
  s->sizes = sizes_of(one);
  s->first = calloc((size_t)(s->sizes.rows * s->sizes.hidden), sizeof(float));
  plan->state = s;
  plan->workspace_bytes = 0;
  return KI_KERNEL_OK;
}

static void release(void* opaque) {
  state* s = opaque;
  free(s->first);
  free(s);
}

static float* output_of(const ki_kernel_launch* call) { return call->outputs[0]; }

static ki_kernel_status good(void* opaque, const ki_kernel_launch* call) {
  state* s = opaque;
  rms_norm(&s->sizes, call);
  return KI_KERNEL_OK;
}

static ki_kernel_status crash(void* s, const ki_kernel_launch* call) {
  (void)s;
  (void)call;
  *(volatile int*)8 = 1;
  return KI_KERNEL_OK;
}

static ki_kernel_status hang(void* s, const ki_kernel_launch* call) {
  (void)s;
  (void)call;
  for (volatile int i = 0;; ++i) {
  }
}

static ki_kernel_status leave(void* s, const ki_kernel_launch* call) {
  good(s, call);
  _exit(0);
}

static ki_kernel_status fails(void* s, const ki_kernel_launch* call) {
  good(s, call);
  return KI_KERNEL_FAILED;
}

static ki_kernel_status network(void* s, const ki_kernel_launch* call) {
  syscall(SYS_socket, 2, 1, 0);
  return good(s, call);
}

static ki_kernel_status forks(void* s, const ki_kernel_launch* call) {
  if (fork() == 0) _exit(0);
  return good(s, call);
}

/* Tries to leave a file; it is right only if it could not. */
static ki_kernel_status writes_file(void* s, const ki_kernel_launch* call) {
  const int fd = open("/tmp/ki-hostile", O_WRONLY | O_CREAT, 0600);
  good(s, call);
  if (fd >= 0) output_of(call)[0] += 100;
  return KI_KERNEL_OK;
}

static ki_kernel_status beside(void* opaque, const ki_kernel_launch* call) {
  state* s = opaque;
  good(s, call);
  output_of(call)[s->sizes.rows * s->sizes.hidden] = 1;
  return KI_KERNEL_OK;
}

static ki_kernel_status into_input(void* s, const ki_kernel_launch* call) {
  good(s, call);
  ((float*)(uintptr_t)call->inputs[0])[0] += 1;
  return KI_KERNEL_OK;
}

static ki_kernel_status zeros(void* opaque, const ki_kernel_launch* call) {
  state* s = opaque;
  memset(output_of(call), 0, (size_t)(s->sizes.rows * s->sizes.hidden) * sizeof(float));
  return KI_KERNEL_OK;
}

static ki_kernel_status nothing(void* s, const ki_kernel_launch* call) {
  (void)s;
  (void)call;
  return KI_KERNEL_OK;
}

/* The output it made first, for whatever comes. */
static ki_kernel_status stale(void* opaque, const ki_kernel_launch* call) {
  state* s = opaque;
  const size_t bytes = (size_t)(s->sizes.rows * s->sizes.hidden) * sizeof(float);
  if (s->calls++ == 0) {
    good(s, call);
    memcpy(s->first, output_of(call), bytes);
  }
  memcpy(output_of(call), s->first, bytes);
  return KI_KERNEL_OK;
}

/* Right as long as it is being checked at first, then nothing. */
static ki_kernel_status later(void* opaque, const ki_kernel_launch* call) {
  state* s = opaque;
  return s->calls++ < 40 ? good(s, call) : KI_KERNEL_OK;
}

/* Speaks on its process's line to the parent. */
static ki_kernel_status talks(void* s, const ki_kernel_launch* call) {
  static const char lie[] = "{\"event\":\"round\",\"round\":0,\"samples\":[0,0,1]}\n";
  const ssize_t said = write(4, lie, sizeof lie - 1);
  (void)said;
  return good(s, call);
}

/* A round of samples that nobody asked for, well formed. */
static ki_kernel_status forges(void* s, const ki_kernel_launch* call) {
  static const char lie[] = "{\"event\":\"round\",\"round\":0,\"samples\":[0,0,1,1,0]}\n";
  const ssize_t said = write(4, lie, sizeof lie - 1);
  (void)said;
  return good(s, call);
}

/* Never done with saying the same. */
static ki_kernel_status babbles(void* s, const ki_kernel_launch* call) {
  static const char line[] = "{\"event\":\"listed\",\"kernels\":[]}\n";
  (void)s;
  (void)call;
  while (write(4, line, sizeof line - 1) > 0) {
  }
  return KI_KERNEL_FAILED;
}

/* Right; at its first calls with 16 MiB that it touches and gives back. */
static ki_kernel_status hungry(void* opaque, const ki_kernel_launch* call) {
  state* s = opaque;
  const size_t bytes = (size_t)16 << 20;
  if (s->calls++ >= 3) return good(s, call);
  volatile char* memory = malloc(bytes);
  if (memory == NULL) return KI_KERNEL_FAILED;
  for (size_t i = 0; i < bytes; i += 4096) memory[i] = 1;
  free((void*)memory);
  return good(s, call);
}

#define KERNEL(function)             \
  {.struct_size = sizeof(ki_kernel), \
   .provider = "hostile",            \
   .variant = #function,             \
   .operation = "rms-norm",          \
   .pass = "forward",                \
   .dtypes = "fp32",                 \
   .device = "cpu",                  \
   .language = "c",                  \
   .prepare = prepare,               \
   .launch = function,               \
   .release = release}

static const ki_kernel kernels[] = {
    KERNEL(good),    KERNEL(crash),   KERNEL(hang),        KERNEL(leave),  KERNEL(fails),
    KERNEL(network), KERNEL(forks),   KERNEL(writes_file), KERNEL(beside), KERNEL(into_input),
    KERNEL(zeros),   KERNEL(nothing), KERNEL(stale),       KERNEL(later),  KERNEL(talks),
    KERNEL(forges),  KERNEL(babbles), KERNEL(hungry),
};
#define COUNT (sizeof kernels / sizeof kernels[0])

static const ki_kernel* all[COUNT];
static ki_kernel_library library = {.struct_size = sizeof(ki_kernel_library),
                                    .abi_version = KI_KERNEL_ABI_VERSION,
                                    .name = "hostile",
                                    .version = "1",
                                    .kernels_count = COUNT,
                                    .kernels = all};

const ki_kernel_library* ki_kernel_library_v1(uint32_t host_abi_version) {
  (void)host_abi_version;
  for (size_t i = 0; i < COUNT; ++i) all[i] = &kernels[i];
  return &library;
}
