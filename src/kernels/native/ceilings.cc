#include "kernels/native/ceilings.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>

#include "kernels/native/dot.h"
#include "kernels/native/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/native/ceilings.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/native/lanes-inl.h"
#include "kernels/native/pool.h"

HWY_BEFORE_NAMESPACE();
namespace ki::kernels::native::HWY_NAMESPACE {

constexpr std::size_t kAtOnce = 8;  // vectors between two looks at the loop's end
using Word = std::uint64_t;
using Words = hn::ScalableTag<Word>;

// Sets are multiples of what one look covers.
HWY_INLINE std::size_t Stride() { return kAtOnce * hn::Lanes(Words()); }

// Where it points may be elsewhere now, for all the compiler knows: what was read there before, and
// products of it, are of no use, and what was written there counts. Sums stay in registers.
template <class T>
HWY_INLINE void Forget(T*& at) {
  __asm__ volatile("" : "+r"(at));
}

std::uint64_t Read(const unsigned char* data, std::size_t bytes, std::size_t times) {
  const Words d;
  const auto* from = reinterpret_cast<const Word*>(data);
  const std::size_t step = hn::Lanes(d);
  hn::Vec<Words> seen[kAtOnce];
  for (auto& one : seen) one = hn::Zero(d);
  for (std::size_t time = 0; time < times; ++time) {
    Forget(from);
    for (std::size_t i = 0; i + Stride() <= bytes / sizeof(Word); i += Stride()) {
      HWY_UNROLL(8)
      for (std::size_t k = 0; k < kAtOnce; ++k) {
        seen[k] = hn::Xor(seen[k], hn::Load(d, from + i + k * step));
      }
    }
  }
  for (std::size_t k = 1; k < kAtOnce; ++k) seen[0] = hn::Xor(seen[0], seen[k]);
  return hn::GetLane(seen[0]);
}

// What no cache holds is written around them.
std::uint64_t Write(unsigned char* data, std::size_t bytes, std::size_t times, bool is_streaming) {
  const Words d;
  auto* to = reinterpret_cast<Word*>(data);
  const std::size_t step = hn::Lanes(d);
  for (std::size_t time = 0; time < times; ++time) {
    Forget(to);
    const auto value = hn::Set(d, time + 1);
    for (std::size_t i = 0; i + Stride() <= bytes / sizeof(Word); i += Stride()) {
      HWY_UNROLL(8)
      for (std::size_t k = 0; k < kAtOnce; ++k) {
        if (is_streaming) {
          hn::Stream(value, d, to + i + k * step);
        } else {
          hn::Store(value, d, to + i + k * step);
        }
      }
    }
  }
  return times;
}

// From the first half of the set to the second, which begins a little later than a whole number of
// pages: else loads would seem to depend on the stores at the same place of a page.
constexpr std::size_t kApartBytes = 1024;

std::uint64_t Copy(unsigned char* data, std::size_t bytes, std::size_t times, bool is_streaming) {
  const Words d;
  const auto* from = reinterpret_cast<const Word*>(data);
  auto* to = reinterpret_cast<Word*>(data + bytes / 2 + kApartBytes);
  const std::size_t step = hn::Lanes(d);
  for (std::size_t time = 0; time < times; ++time) {
    Forget(from);
    Forget(to);
    for (std::size_t i = 0; i + Stride() <= bytes / 2 / sizeof(Word); i += Stride()) {
      HWY_UNROLL(8)
      for (std::size_t k = 0; k < kAtOnce; ++k) {
        const auto value = hn::Load(d, from + i + k * step);
        if (is_streaming) {
          hn::Stream(value, d, to + i + k * step);
        } else {
          hn::Store(value, d, to + i + k * step);
        }
      }
    }
  }
  return times;
}

// Twelve sums hide the latency of a multiply-add on every processor there is.
constexpr std::size_t kSums = 12;

std::uint64_t MultiplyAdd(const unsigned char* data, std::size_t rounds) {
  const F32 d;
  const auto* from = reinterpret_cast<const float*>(data);
  const std::size_t step = hn::Lanes(d);
  const V factor = hn::Set(d, 1e-3F);
  V sums[kSums];
  for (auto& sum : sums) sum = hn::Zero(d);
  for (std::size_t round = 0; round < rounds; ++round) {
    Forget(from);
    HWY_UNROLL(12)
    for (std::size_t k = 0; k < kSums; ++k) {
      sums[k] = hn::MulAdd(factor, hn::Load(d, from + k * step), sums[k]);
    }
  }
  for (std::size_t k = 1; k < kSums; ++k) sums[0] = hn::Add(sums[0], sums[k]);
  return static_cast<std::uint64_t>(hn::GetLane(sums[0]));
}

std::size_t OperationsOfRound() { return 2 * kSums * hn::Lanes(F32()); }

}  // namespace ki::kernels::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ki::kernels::native {
namespace {

HWY_EXPORT(Read);
HWY_EXPORT(Write);
HWY_EXPORT(Copy);
HWY_EXPORT(MultiplyAdd);
HWY_EXPORT(OperationsOfRound);

constexpr std::int64_t kBytesOfCall = std::int64_t{32} << 20;  // of a thread, at least
constexpr std::size_t kRoundsOfCall = 250'000;                 // of multiply-adds
constexpr std::size_t kPage = 4096;
// Numbers whose sums stay numbers: the first page of a thread's memory is of these words, each a
// float near 1 and two bf16 of 1, and nothing else is written there.
constexpr std::uint32_t kOperand = 0x3f803f80;

bool is_cached(const Ceiling& ceiling) {
  return std::ranges::find(kCachedSets, ceiling.set_bytes) != std::end(kCachedSets);
}

std::size_t times_of(const Ceiling& ceiling) {
  return static_cast<std::size_t>(std::max<std::int64_t>(1, kBytesOfCall / ceiling.set_bytes));
}

double operations_of_round(std::string_view name) {
  if (name == "dot_bf16") return kDotBf16OfRound;
  if (name == "dot_int8") return kDotInt8OfRound;
  return static_cast<double>(HWY_DYNAMIC_DISPATCH(OperationsOfRound)());
}

// What one thread does: `page` holds operands, `set` is memory to walk through.
std::uint64_t run_part(const Ceiling& ceiling, const unsigned char* page, unsigned char* set) {
  if (ceiling.name == "fma_fp32") return HWY_DYNAMIC_DISPATCH(MultiplyAdd)(page, kRoundsOfCall);
  if (ceiling.name == "dot_bf16") return dot_bf16_rounds(page, kRoundsOfCall);
  if (ceiling.name == "dot_int8") return dot_int8_rounds(page, kRoundsOfCall);
  const auto bytes = static_cast<std::size_t>(ceiling.set_bytes);
  const std::size_t times = times_of(ceiling);
  if (ceiling.name == "read") return HWY_DYNAMIC_DISPATCH(Read)(set, bytes, times);
  const bool is_streaming = !is_cached(ceiling);
  if (ceiling.name == "write") return HWY_DYNAMIC_DISPATCH(Write)(set, bytes, times, is_streaming);
  return HWY_DYNAMIC_DISPATCH(Copy)(set, bytes, times, is_streaming);
}

}  // namespace

std::vector<Ceiling> ceilings(std::int64_t uncached_bytes) {
  std::vector<Ceiling> all;
  for (const char* name : {"read", "write", "copy"}) {
    all.push_back({name, uncached_bytes / 4096 * 4096});
    for (const std::int64_t set : kCachedSets) all.push_back({name, set});
  }
  all.push_back({"fma_fp32", 0});
  if (has_matrix_instructions()) return all;
  if (has_bf16_instructions) all.push_back({"dot_bf16", 0});
  if (has_int8_instructions()) all.push_back({"dot_int8", 0});
  return all;
}

double work_of(const Ceiling& ceiling, unsigned threads) {
  const double one =
      ceiling.set_bytes > 0
          ? static_cast<double>(ceiling.set_bytes) * static_cast<double>(times_of(ceiling))
          : static_cast<double>(kRoundsOfCall) * operations_of_round(ceiling.name);
  return one * threads;
}

std::size_t CeilingLoops::thread_bytes(const std::vector<Ceiling>& ceilings) {
  std::int64_t largest = 0;
  for (const Ceiling& ceiling : ceilings) largest = std::max(largest, ceiling.set_bytes);
  return kPage + static_cast<std::size_t>(largest) + kPage;
}

std::size_t CeilingLoops::memory_bytes(const std::vector<Ceiling>& ceilings, unsigned threads) {
  return threads * thread_bytes(ceilings) + kPage;
}

CeilingLoops::CeilingLoops(std::vector<Ceiling> ceilings, unsigned threads, unsigned char* memory)
    : ceilings_(std::move(ceilings)),
      threads_(threads),
      thread_bytes_(thread_bytes(ceilings_)),
      memory_(memory + (kPage - reinterpret_cast<std::uintptr_t>(memory) % kPage) % kPage) {
  Pool::shared().reserve(threads);
  for (unsigned part = 0; part < threads; ++part) {
    unsigned char* page = memory_ + part * thread_bytes_;
    for (std::size_t at = 0; at < kPage; at += sizeof kOperand) {
      std::memcpy(page + at, &kOperand, sizeof kOperand);
    }
  }
}

std::uint64_t CeilingLoops::run(std::size_t index) const {
  const Ceiling& ceiling = ceilings_[index];
  std::atomic<std::uint64_t> results = 0;
  Pool::shared().run(threads_, [&](unsigned part, unsigned) {
    unsigned char* page = memory_ + part * thread_bytes_;
    results.fetch_xor(run_part(ceiling, page, page + kPage), std::memory_order_relaxed);
  });
  return results.load();
}

}  // namespace ki::kernels::native
#endif
