// Products of bf16 in the processor's own instruction (AVX-512 BF16), which Highway 1.0 lacks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ki::kernels::native {

bool has_dot_bf16();

// As gemm-inl.h's tiles for AVX-512: 12 rows, 32 columns, words of two bf16, sums in fp32. Only
// where has_dot_bf16().
void dot_bf16_tile(std::size_t depth, const std::uint32_t* rows, const std::uint32_t* columns,
                   void* tile);

}  // namespace ki::kernels::native
