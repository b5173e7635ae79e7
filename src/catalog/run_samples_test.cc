#include "catalog/run_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ki::catalog {
namespace {

using testing::HasSubstr;

constexpr std::string_view kText =
    R"({"metric":"latency","unit":"ns","resolution":20,"launches":[{"values":[1.5,2]},)"
    R"({"values":[3]}],"callBytes":null,"callFlops":8})";

TEST(RunSamples, ReadAsTheyWereWritten) {
  const auto samples = samples_of_content(kText);
  ASSERT_TRUE(samples) << to_string(samples.error());
  ASSERT_EQ(samples->launches.size(), 2U);
  EXPECT_THAT(samples->launches[0].values, testing::ElementsAre(1.5, 2));
  EXPECT_EQ(samples->call_bytes, std::nullopt);
  EXPECT_EQ(samples->call_flops, 8);
  EXPECT_EQ(to_content(*samples), kText);
}

TEST(RunSamples, WhatIsNoneIsRefusedWithItsPlace) {
  const auto refusal = [](std::string_view text) {
    const auto samples = samples_of_content(text);
    return samples ? std::string() : to_string(samples.error());
  };
  const auto with = [](std::string_view values) {
    return std::string(R"({"metric":"m","unit":"ns","resolution":0,"launches":[{"values":[)") +
           std::string(values) + R"(]}],"callBytes":null,"callFlops":null})";
  };
  EXPECT_EQ(refusal(with("1")), "");
  EXPECT_THAT(refusal(with("0")), HasSubstr("above 0"));
  EXPECT_THAT(refusal(with("-1")), HasSubstr("above 0"));
  EXPECT_THAT(refusal(with("")), HasSubstr("0 samples"));
  EXPECT_THAT(refusal(with("\"1\"")), HasSubstr("number"));
  EXPECT_THAT(refusal("{}"), HasSubstr("metric"));
  EXPECT_NE(refusal(kText.substr(0, 40)), "");
  std::string many = "1";
  for (std::size_t i = 0; i < kRunSamplesMax; ++i) many += ",1";
  EXPECT_THAT(refusal(with(many)), HasSubstr("100001 samples"));
}

}  // namespace
}  // namespace ki::catalog
