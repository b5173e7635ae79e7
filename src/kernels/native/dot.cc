#include "kernels/native/dot.h"

#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace ki::kernels::native {

#if defined(__x86_64__)

bool has_matrix_instructions() {
  constexpr unsigned kAmxBf16 = 1U << 22U;
  constexpr unsigned kAmxInt8 = 1U << 25U;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & (kAmxBf16 | kAmxInt8)) != 0;
}

bool has_int8_instructions() { return __builtin_cpu_supports("avx512vnni") != 0; }

// The pointer may have changed in each round, for all the compiler knows: else the products, which
// do not, could be computed once.
__attribute__((target("avx512f,avx512bf16"))) std::uint32_t dot_bf16_rounds(
    const unsigned char* data, std::size_t rounds) {
  const auto first = reinterpret_cast<__m512bh>(_mm512_loadu_si512(data));
  __m512 sums[kDotVectors];
  for (auto& sum : sums) sum = _mm512_setzero_ps();
  for (std::size_t round = 0; round < rounds; ++round) {
    __asm__ volatile("" : "+r"(data));
#pragma GCC unroll 12
    for (std::size_t i = 0; i < kDotVectors; ++i) {
      const auto value = reinterpret_cast<__m512bh>(_mm512_loadu_si512(data + 64 * i));
      sums[i] = _mm512_dpbf16_ps(sums[i], value, first);
    }
  }
  for (std::size_t i = 1; i < kDotVectors; ++i) sums[0] = _mm512_add_ps(sums[0], sums[i]);
  return static_cast<std::uint32_t>(_mm512_cvtsi512_si32(_mm512_castps_si512(sums[0])));
}

__attribute__((target("avx512f,avx512vnni"))) std::uint32_t dot_int8_rounds(
    const unsigned char* data, std::size_t rounds) {
  const __m512i first = _mm512_loadu_si512(data);
  __m512i sums[kDotVectors];
  for (auto& sum : sums) sum = _mm512_setzero_si512();
  for (std::size_t round = 0; round < rounds; ++round) {
    __asm__ volatile("" : "+r"(data));
#pragma GCC unroll 12
    for (std::size_t i = 0; i < kDotVectors; ++i) {
      sums[i] = _mm512_dpbusd_epi32(sums[i], _mm512_loadu_si512(data + 64 * i), first);
    }
  }
  for (std::size_t i = 1; i < kDotVectors; ++i) sums[0] = _mm512_add_epi32(sums[0], sums[i]);
  return static_cast<std::uint32_t>(_mm512_cvtsi512_si32(sums[0]));
}

#else

bool has_int8_instructions() { return false; }
bool has_matrix_instructions() { return false; }
std::uint32_t dot_bf16_rounds(const unsigned char*, std::size_t) { std::abort(); }
std::uint32_t dot_int8_rounds(const unsigned char*, std::size_t) { std::abort(); }

#endif

}  // namespace ki::kernels::native
