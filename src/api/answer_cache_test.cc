#include "api/answer_cache.h"

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

}  // namespace
}  // namespace ki::api
