// Loops of nothing but dot products of small numbers, by the processor's own instructions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ki::kernels::native {

bool has_int8_instructions();    // AVX-512 VNNI
bool has_matrix_instructions();  // AMX, which nothing of ours uses

inline constexpr std::size_t kDotVectors = 12;  // of 64 bytes: what a round reads
inline constexpr double kDotBf16OfRound = 2.0 * 32 * kDotVectors;  // operations
inline constexpr double kDotInt8OfRound = 2.0 * 64 * kDotVectors;

// `rounds` times the dot products of kDotVectors vectors at `data` with the first of them; a word
// of the sum. Only where has_bf16_instructions (bf16.h), has_int8_instructions().
std::uint32_t dot_bf16_rounds(const unsigned char* data, std::size_t rounds);
std::uint32_t dot_int8_rounds(const unsigned char* data, std::size_t rounds);

}  // namespace ki::kernels::native
