#include "kernels/native/bf16.h"

#include <cstdlib>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ki::kernels::native {

#if defined(__x86_64__)

bool has_bf16_instructions = __builtin_cpu_supports("avx512bf16") != 0;

__attribute__((target("avx512f,avx512bf16"))) void dot_bf16_tile(std::size_t depth,
                                                                 const std::uint32_t* rows,
                                                                 const std::uint32_t* columns,
                                                                 void* tile) {
  constexpr std::size_t kRows = 12;
  constexpr std::size_t kLanes = 16;
  __m512 sums[kRows][2];
  for (auto& row : sums) row[0] = row[1] = _mm512_setzero_ps();
  for (std::size_t i = 0; i < depth; ++i) {
    const auto left = reinterpret_cast<__m512bh>(_mm512_loadu_si512(columns));
    const auto right = reinterpret_cast<__m512bh>(_mm512_loadu_si512(columns + kLanes));
#pragma GCC unroll 12
    for (std::size_t row = 0; row < kRows; ++row) {
      const auto value = reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(rows[row])));
      sums[row][0] = _mm512_dpbf16_ps(sums[row][0], value, left);
      sums[row][1] = _mm512_dpbf16_ps(sums[row][1], value, right);
    }
    rows += kRows;
    columns += 2 * kLanes;
  }
  auto* to = static_cast<float*>(tile);
  for (std::size_t row = 0; row < kRows; ++row) {
    _mm512_storeu_ps(to + row * 2 * kLanes, sums[row][0]);
    _mm512_storeu_ps(to + row * 2 * kLanes + kLanes, sums[row][1]);
  }
}

#else

bool has_bf16_instructions = false;
void dot_bf16_tile(std::size_t, const std::uint32_t*, const std::uint32_t*, void*) { std::abort(); }

#endif

}  // namespace ki::kernels::native
