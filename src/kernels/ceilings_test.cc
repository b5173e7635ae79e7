// The loops that show what a machine can do do what they are counted for.
#include "kernels/native/ceilings.h"

#include <cstring>

#include <gtest/gtest.h>

#include "kernels/native/bf16.h"
#include "kernels/native/dot.h"

namespace ki::kernels::native {
namespace {

constexpr unsigned kThreads = 2;
constexpr std::int64_t kSet = std::int64_t{8} << 20;  // none of kCachedSets
constexpr std::size_t kPage = 4096;

class Ceilings : public testing::Test {
 protected:
  std::size_t index_of(std::string_view name, std::int64_t set) const {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].name == name && all_[i].set_bytes == set) return i;
    }
    ADD_FAILURE() << "no loop " << name;
    return 0;
  }
  unsigned char* set_of(unsigned thread) {
    auto* first = memory_.data();
    first += (kPage - reinterpret_cast<std::uintptr_t>(first) % kPage) % kPage;
    return first + thread * (static_cast<std::size_t>(kSet) + 2 * kPage) + kPage;
  }
  std::vector<Ceiling> all_ = ceilings(kSet);
  std::vector<unsigned char> memory_ =
      std::vector<unsigned char>(CeilingLoops::memory_bytes(all_, kThreads) + kPage);
  CeilingLoops loops_{all_, kThreads, memory_.data()};
};

TEST_F(Ceilings, WriteFillsTheWholeSetOfEachThread) {
  for (const std::int64_t set : {kSet, kCachedSets[0]}) {
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      std::memset(set_of(thread), 0xEE, static_cast<std::size_t>(set));
    }
    loops_.run(index_of("write", set));
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      std::size_t old = 0;
      for (std::int64_t i = 0; i < set; ++i) old += set_of(thread)[i] == 0xEE ? 1 : 0;
      EXPECT_EQ(old, 0U) << "set " << set << ", thread " << thread;
    }
  }
}

TEST_F(Ceilings, CopyReadsOneHalfAndWritesTheOther) {
  for (const std::int64_t set : {kSet, kCachedSets[1]}) {
    const auto half = static_cast<std::size_t>(set / 2);
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      for (std::size_t i = 0; i < half; ++i) {
        set_of(thread)[i] = static_cast<unsigned char>(i * 7 + thread + i / 251);
      }
    }
    loops_.run(index_of("copy", set));
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      EXPECT_EQ(std::memcmp(set_of(thread), set_of(thread) + half + 1024, half), 0) << set;
    }
  }
}

TEST_F(Ceilings, ReadSeesEveryWord) {
  // A set of one passage; lane 0 of a vector is what the loop returns.
  const Ceiling once{"read", std::int64_t{32} << 20};
  std::vector<unsigned char> memory(CeilingLoops::memory_bytes({once}, 1));
  const CeilingLoops one({once}, 1, memory.data());
  auto* first = memory.data();
  first += (kPage - reinterpret_cast<std::uintptr_t>(first) % kPage) % kPage + kPage;
  const std::uint64_t word = 0x0123456789abcdef;
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{8} << 20, (std::size_t{32} << 20) - 64}) {
    std::memset(first, 0, std::size_t{32} << 20);
    std::memcpy(first + at, &word, sizeof word);
    EXPECT_EQ(one.run(0), word) << at;
  }
}

TEST_F(Ceilings, ArithmeticComputes) {
  const Ceiling fma{"fma_fp32", 0};
  std::vector<unsigned char> memory(CeilingLoops::memory_bytes({fma}, 1));
  // 250,000 times 1e-3, of twelve sums, in fp32.
  EXPECT_NEAR(static_cast<double>(CeilingLoops({fma}, 1, memory.data()).run(0)), 3000, 60);
  std::vector<std::uint16_t> ones(32 * kDotVectors, 0x3f80);
  if (has_bf16_instructions) {
    const auto* data = reinterpret_cast<const unsigned char*>(ones.data());
    const std::uint32_t bits = dot_bf16_rounds(data, 10);
    float sum = 0;
    std::memcpy(&sum, &bits, sizeof sum);
    EXPECT_EQ(sum, 2 * kDotVectors * 10);
  }
  const std::vector<unsigned char> twos(64 * kDotVectors, 2);
  if (has_int8_instructions()) {
    EXPECT_EQ(dot_int8_rounds(twos.data(), 10), 4U * 4 * kDotVectors * 10);
  }
}

TEST_F(Ceilings, WorkCountsAllThreadsAndPassages) {
  EXPECT_EQ(work_of({"read", kSet}, 2), 2 * 4 * static_cast<double>(kSet));
  EXPECT_EQ(work_of({"copy", std::int64_t{64} << 20}, 1), 64.0 * (1 << 20));
  EXPECT_GT(work_of({"fma_fp32", 0}, 1), 1e6);
}

}  // namespace
}  // namespace ki::kernels::native
