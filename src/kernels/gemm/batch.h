// How the products of a batch share threads and scratch memory, the same for every instruction set.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/native/gemm.h"
#include "kernels/native/native.h"

namespace ki::kernels::gemm {

// How many products run at once: one a thread where every thread has some, else one by all threads.
inline unsigned parts_of(const native::Planned& planned) {
  return planned.axis("batch") >= planned.threads ? planned.threads : 1;
}

// Of all parts: each has the memory of the largest product of its pass.
inline std::uint64_t batch_workspace(const native::Planned& planned) {
  const unsigned parts = parts_of(planned);
  const unsigned threads_each = parts == 1 ? planned.threads : 1;
  std::uint64_t most = 0;
  for (const auto& out : planned.outputs) {
    const std::size_t rows = out.count / planned.axis("batch");
    most = std::max(most, native::gemm_rounded_workspace_bytes(rows, out.width, threads_each));
  }
  return parts * ((most + 63) / 64 * 64);
}

}  // namespace ki::kernels::gemm
