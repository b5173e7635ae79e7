#include "api/answer_cache.h"

#include <atomic>
#include <barrier>
#include <latch>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace ki::api {
namespace {

AnswerCache::Held answer(std::size_t bytes) {
  return std::make_shared<const http::Response>(
      http::json_response(200, std::string(bytes, 'x'), http::Cache::brief));
}

const Instant kNow = *parse_instant("2026-02-01T00:00:00Z");

TEST(AnswerCache, KeepsWhatWasAskedUnderOneVersion) {
  AnswerCache cache;
  EXPECT_EQ(cache.find("v1", "a", kNow), nullptr);
  cache.keep("v1", "a", answer(10), kNow);
  ASSERT_NE(cache.find("v1", "a", kNow), nullptr);
  EXPECT_EQ(cache.find("v1", "a", kNow)->body.size(), 10U);
  EXPECT_EQ(cache.find("v1", "b", kNow), nullptr);
  EXPECT_EQ(cache.find("v2", "a", kNow), nullptr) << "the catalog has changed";
  cache.keep("v2", "b", answer(10), kNow);
  EXPECT_EQ(cache.find("v1", "a", kNow), nullptr);
  EXPECT_NE(cache.find("v2", "b", kNow), nullptr);
}

TEST(AnswerCache, ForgetsWhatIsTooOld) {
  AnswerCache cache;
  cache.keep("v1", "a", answer(10), kNow);
  EXPECT_NE(cache.find("v1", "a", kNow + kCachedFor), nullptr);
  EXPECT_EQ(cache.find("v1", "a", kNow + kCachedFor + std::chrono::seconds(1)), nullptr);
  EXPECT_EQ(cache.bytes(), 0U);
}

TEST(AnswerCache, NeverHoldsMoreThanItsBudgetAndDropsTheOldestUse) {
  AnswerCache cache(10'000);
  for (int i = 0; i < 100; ++i) {
    cache.keep("v1", "request " + std::to_string(i), answer(1000), kNow);
    EXPECT_LE(cache.bytes(), 10'000U);
    EXPECT_NE(cache.find("v1", "request 0", kNow), nullptr) << "used each time";
  }
  EXPECT_EQ(cache.find("v1", "request 1", kNow), nullptr);
  EXPECT_NE(cache.find("v1", "request 99", kNow), nullptr);
  cache.keep("v1", "request 99", answer(2000), kNow);
  EXPECT_EQ(cache.find("v1", "request 99", kNow)->body.size(), 2000U) << "replaced, not added";
}

TEST(AnswerCache, OneHugeAnswerIsNotKept) {
  AnswerCache cache;
  cache.keep("v1", "a", answer(kCachedBodyBytesMax + 1), kNow);
  EXPECT_EQ(cache.find("v1", "a", kNow), nullptr);
  cache.keep("v1", "a", answer(kCachedBodyBytesMax), kNow);
  EXPECT_NE(cache.find("v1", "a", kNow), nullptr);
}

http::Outcome made(std::size_t bytes) { return *answer(bytes); }
http::Outcome failed() { return std::unexpected(http::make_problem(500, "BROKEN", "it broke")); }

TEST(AnswerCache, WhatManyAskAtOnceIsMadeOnce) {
  constexpr int kThreads = 8;
  AnswerCache cache;
  std::barrier start(kThreads);
  std::atomic<int> times = 0;
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        start.arrive_and_wait();
        const auto got = cache.find_or_make("v1", "a", kNow, [&] {
          ++times;
          std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the others come meanwhile
          return made(10);
        });
        if (got && got->body.size() == 10) ++right;
      });
    }
  }
  EXPECT_EQ(times, 1);
  EXPECT_EQ(right, kThreads);
  EXPECT_EQ(cache.misses(), 1);
  EXPECT_EQ(cache.hits(), kThreads - 1);
}

TEST(AnswerCache, WhoWaitedForAFailureMakesItsOwn) {
  AnswerCache cache;
  std::latch is_making(1);
  std::jthread maker([&] {
    const auto got = cache.find_or_make("v1", "a", kNow, [&] {
      is_making.count_down();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return failed();
    });
    EXPECT_FALSE(got);
  });
  is_making.wait();
  const auto got = cache.find_or_make("v1", "a", kNow, [] { return made(10); });
  EXPECT_TRUE(got);
}

TEST(AnswerCache, NobodyWaitsForeverForAnother) {
  AnswerCache cache(kCacheBytesMax, std::chrono::milliseconds(1));
  std::latch is_making(1);
  std::latch is_answered(1);
  std::jthread maker([&] {
    (void)cache.find_or_make("v1", "a", kNow, [&] {
      is_making.count_down();
      is_answered.wait();
      return made(20);
    });
  });
  is_making.wait();
  const auto got = cache.find_or_make("v1", "a", kNow, [] { return made(10); });
  is_answered.count_down();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->body.size(), 10U);
}

TEST(AnswerCache, WhatWasBegunBeforeItWasClearedIsNeitherKeptNorWaitedFor) {
  AnswerCache cache;
  const auto before = cache.find_or_make("v1", "a", kNow, [&] {
    cache.clear();
    const auto after = cache.find_or_make("v1", "a", kNow, [] { return made(20); });
    EXPECT_EQ(after->body.size(), 20U);
    return made(10);
  });
  EXPECT_EQ(before->body.size(), 10U);
  EXPECT_EQ(cache.find("v1", "a", kNow)->body.size(), 20U);
}

TEST(AnswerCache, WhatMustNotBeStoredIsMadeAnew) {
  AnswerCache cache;
  for (int i = 0; i < 2; ++i) {
    int times = 0;
    (void)cache.find_or_make("v1", "a", kNow, [&] {
      ++times;
      return http::Outcome(http::json_response(200, "{}", http::Cache::no_store));
    });
    EXPECT_EQ(times, 1);
  }
}

}  // namespace
}  // namespace ki::api
