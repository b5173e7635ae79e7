/*
 * KernelIndex kernels: how anyone brings a kernel to be measured (C99, no other header needed).
 *
 * A shared library exports ki_kernel_library_v1(), which names its kernels: one per operation, pass
 * and algorithm. The host (`ki bench --provider ./libmine.so`, in a process of its own) checks that
 * the machine can run it (`available`), has it plan one exact case (`prepare`), calls it any number
 * of times (`launch`, what is timed) and ends the plan (`release`). The kernels built into the
 * program are described by these same structs. Examples: examples/kernels.
 *
 * Errors: a function returns a status and, where it takes a message, writes why in at most
 * message_size bytes with the NUL. No exception and no longjmp may leave a function.
 * Threads: the host calls the functions of one plan from one thread at a time. A kernel starts at
 * most `threads` threads of work, the caller's included, and they are idle when launch returns.
 * Memory: whatever the host passes lives until the call returns; texts of a library live as long as
 * it is loaded. A tensor begins at a multiple of its element's size and no more is promised of its
 * alignment. A launch must not allocate: what it needs beyond its outputs is the workspace.
 * Versions: a struct that begins with struct_size grows at its end only. A reader looks at no
 * member beyond the struct_size it was given, and takes what is missing as zero.
 */
#ifndef KI_KERNEL_H
#define KI_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KI_KERNEL_ABI_VERSION 1
#define KI_KERNEL_RANK_MAX 8

#if defined(__GNUC__)
#define KI_KERNEL_EXPORT __attribute__((visibility("default")))
#else
#define KI_KERNEL_EXPORT
#endif

/* Names as C libraries spell them. NOLINTBEGIN(readability-identifier-naming) */

typedef enum ki_kernel_status {
  KI_KERNEL_OK = 0,
  KI_KERNEL_UNSUPPORTED = 1, /* not this case: a shape, dtype, layout or thread count */
  KI_KERNEL_UNAVAILABLE = 2, /* not on this machine: an instruction set, a library, a device */
  KI_KERNEL_FAILED = 3       /* it should have worked */
} ki_kernel_status;

typedef enum ki_kernel_dtype {
  KI_KERNEL_FP32 = 1,
  KI_KERNEL_FP64 = 2,
  KI_KERNEL_BF16 = 3,
  KI_KERNEL_FP16 = 4,
  KI_KERNEL_INT8 = 5,
  KI_KERNEL_INT32 = 6,
  KI_KERNEL_INT64 = 7
} ki_kernel_dtype;

typedef struct ki_kernel_axis {
  const char* name; /* "rows" */
  int64_t value;
} ki_kernel_axis;

typedef struct ki_kernel_scalar {
  const char* name; /* "eps" */
  double value;
} ki_kernel_scalar;

/* Shape and strides in elements, outermost first; members beyond rank are 0. The last axis of a
 * tensor the host makes has stride 1; outer axes may be padded, never overlap. */
typedef struct ki_kernel_tensor {
  const char* name; /* as the operation's specification names it; "dx" is the gradient of "x" */
  ki_kernel_dtype dtype;
  uint32_t rank;
  int64_t shape[KI_KERNEL_RANK_MAX];
  int64_t strides[KI_KERNEL_RANK_MAX];
} ki_kernel_tensor;

/* One exact case: what prepare is asked to plan. Tensors stand in the operation's order. */
typedef struct ki_kernel_case {
  uint32_t struct_size;
  uint32_t threads; /* at most this many, at least 1 */
  const char* operation;
  const char* pass;      /* "forward", "backward", "full" */
  ki_kernel_dtype dtype; /* of the tensors whose type the operation leaves open */
  uint32_t axes_count;
  uint32_t scalars_count;
  uint32_t inputs_count;
  uint32_t outputs_count;
  const ki_kernel_axis* axes;
  const ki_kernel_scalar* scalars;
  const ki_kernel_tensor* inputs;
  const ki_kernel_tensor* outputs;
} ki_kernel_case;

/* What prepare answers. */
typedef struct ki_kernel_plan {
  uint32_t struct_size;
  void* state;              /* given to launch and release; may be NULL */
  uint64_t workspace_bytes; /* scratch memory, 64-byte aligned, that launch is given */
} ki_kernel_plan;

/* Addresses of one call, in the order of the case. Inputs are not to be written. Other addresses of
 * the same layout may come at each call. */
typedef struct ki_kernel_launch {
  uint32_t struct_size;
  const void* const* inputs;
  void* const* outputs;
  void* workspace;
  void* stream; /* device kernels: enqueue here, do not wait. NULL on a CPU: finish before return */
} ki_kernel_launch;

/* What an axis must satisfy; 0 = no such bound. The host does not even ask for other cases. */
typedef struct ki_kernel_constraint {
  const char* axis;
  int64_t minimum;
  int64_t maximum;
  int64_t multiple_of;
} ki_kernel_constraint;

/* One kernel: an implementation of one pass of one operation. */
typedef struct ki_kernel {
  uint32_t struct_size;
  uint32_t constraints_count;
  const char* provider;  /* who: "native", "acme". [a-z0-9-], 1 to 64 characters */
  const char* variant;   /* which algorithm or setting of theirs, or "" */
  const char* operation; /* slug ("rms-norm") or digest ("sha256:...") of its specification */
  const char* pass;      /* "forward", "backward", "full" */
  const char* dtypes;    /* separated by blanks: "fp32 bf16" */
  const char* device;    /* where its tensors lie: "cpu", "cuda" */
  const char* language;  /* "c", "cpp", "cuda", "rust" */
  const ki_kernel_constraint* constraints;
  /* Whether this machine can run it at all; NULL = every machine that loads the library. */
  ki_kernel_status (*available)(char* message, size_t message_size);
  ki_kernel_status (*prepare)(const ki_kernel_case* one, ki_kernel_plan* plan, char* message,
                              size_t message_size);
  ki_kernel_status (*launch)(void* state, const ki_kernel_launch* call);
  void (*release)(void* state); /* may be NULL when there is nothing to release */
} ki_kernel;

typedef struct ki_kernel_library {
  uint32_t struct_size;
  uint32_t abi_version; /* KI_KERNEL_ABI_VERSION it was built with */
  const char* name;
  const char* version; /* a release or revision; "" when unknown */
  uint32_t kernels_count;
  const ki_kernel* const* kernels;
} ki_kernel_library;

/* The one symbol a library exports. NULL = it cannot serve a host of that version. */
KI_KERNEL_EXPORT const ki_kernel_library* ki_kernel_library_v1(uint32_t host_abi_version);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif
