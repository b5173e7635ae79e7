// What a processor can do at most: loops that only read, write, copy, or multiply and add. The time
// in which they would do what a kernel has to do is the kernel's floor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ki::kernels::native {

// "read", "write", "copy": in bytes, those read and those written both counted. "fma_fp32",
// "dot_bf16", "dot_int8": in operations, a multiply-add as two.
struct Ceiling {
  std::string name;
  std::int64_t set_bytes = 0;  // memory that each thread walks through, again and again; 0: none
};

// Working sets of each thread at which bandwidth is measured besides one that no cache holds.
inline constexpr std::int64_t kCachedSets[] = {std::int64_t{16} << 10, std::int64_t{256} << 10,
                                               std::int64_t{4} << 20};

// Those of this processor. `uncached_bytes`: of a thread, more than its caches hold. dot_bf16 and
// dot_int8 are there where their instructions are and nothing is faster: not beside matrix units
// (AMX), which these loops do not use.
std::vector<Ceiling> ceilings(std::int64_t uncached_bytes);

// Bytes or operations of one call of it, all threads together.
double work_of(const Ceiling& ceiling, unsigned threads);

// Memory for them, and the loops. One call takes some 100 us or more.
class CeilingLoops {
 public:
  // `memory` is of `memory_bytes(ceilings, threads)`, touched, and outlives the loops.
  CeilingLoops(std::vector<Ceiling> ceilings, unsigned threads, unsigned char* memory);
  static std::size_t memory_bytes(const std::vector<Ceiling>& ceilings, unsigned threads);
  // Runs loop `index` once; what it computed, so that nobody can leave it out.
  std::uint64_t run(std::size_t index) const;

 private:
  static std::size_t thread_bytes(const std::vector<Ceiling>& ceilings);

  std::vector<Ceiling> ceilings_;
  unsigned threads_;
  std::size_t thread_bytes_;
  unsigned char* memory_;
};

}  // namespace ki::kernels::native
