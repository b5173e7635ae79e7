// The processor's own instructions for bf16 (AVX-512 BF16), which Highway 1.0 lacks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ki::kernels::native {

// Set before main; false where the instructions are missing. Not to be written but by tests.
extern bool has_bf16_instructions;

// As gemm-inl.h's tiles for AVX-512: 12 rows, 32 columns, words of two bf16, sums in fp32. Only
// where has_bf16_instructions.
void dot_bf16_tile(std::size_t depth, const std::uint32_t* rows, const std::uint32_t* columns,
                   void* tile);

}  // namespace ki::kernels::native
