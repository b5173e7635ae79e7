#include "runner/worker_messages.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ki::runner {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view line) {
  const auto said = parse_worker_line(line);
  return said ? "taken" : to_string(said.error());
}

TEST(Worker, SaysWhatTheProtocolHas) {
  const auto kernels = parse_worker_line(
      R"({"say":"kernels","clock":"host_monotonic","kernels":[)"
      R"({"provider":"torch","variant":"eager","language":"python","version":"2.3"},)"
      R"({"provider":"python","language":"python"}]})");
  ASSERT_TRUE(kernels) << to_string(kernels.error());
  ASSERT_EQ(kernels->kernels.size(), 2U);
  EXPECT_EQ(kernels->kernels[0].variant, "eager");
  EXPECT_EQ(kernels->kernels[1].version, "");
  const auto block = parse_worker_line(R"({"say":"block","calls":3,"ns":1000})");
  ASSERT_TRUE(block);
  EXPECT_EQ(block->calls, 3);
  EXPECT_EQ(parse_worker_line(R"({"say":"failed","why":"no"})")->why, "no");
}

TEST(Worker, IsRefusedBeyondItsLimits) {
  EXPECT_NE(refusal("Traceback (most recent call last):"), "taken");
  EXPECT_NE(refusal(R"({"say":"hello"})"), "taken");
  EXPECT_NE(refusal(R"({"say":"done","more":1})"), "taken");
  EXPECT_THAT(refusal(R"({"say":"kernels","clock":"host_monotonic"})"), HasSubstr("1 to 16"));
  EXPECT_THAT(refusal(R"({"say":"kernels","clock":"mine","kernels":[)"
                      R"({"provider":"a","language":"c"}]})"),
              HasSubstr("clock is"));
  for (const char* kernel :
       {R"({"provider":"","language":"c"})", R"({"provider":"A","language":"c"})",
        R"({"provider":"a","language":""})", R"({"provider":"a/b","language":"c"})"}) {
    EXPECT_THAT(refusal(std::string(R"({"say":"kernels","clock":"cuda_events","kernels":[)") +
                        kernel + "]}"),
                HasSubstr("names of at most 60"))
        << kernel;
  }
  EXPECT_THAT(refusal(R"({"say":"kernels","clock":"cuda_events","kernels":[)"
                      R"({"provider":"a","language":"c"},{"provider":"a","language":"c"}]})"),
              HasSubstr("one name"));
  for (const char* block :
       {R"({"say":"block","calls":0,"ns":5})", R"({"say":"block","calls":1000001,"ns":5})",
        R"({"say":"block","calls":1,"ns":0})", R"({"say":"block","calls":1,"ns":3600000000001})",
        R"({"say":"block"})"}) {
    EXPECT_THAT(refusal(block), HasSubstr("a block has")) << block;
  }
}

TEST(Worker, NamesItsDeviceWithEventsAndOnlyThen) {
  const auto with = [](std::string_view clock, std::string_view device) {
    return fmt::format(
        R"({{"say":"kernels","clock":"{}","kernels":[{{"provider":"a","language":"c"}}]{}}})",
        clock, device);
  };
  const std::string_view known =
      R"(,"device":{"vendor":"nvidia","product":"NVIDIA H100","architecture":"sm_90",)"
      R"("memoryBytes":1})";
  const auto said = parse_worker_line(with("cuda_events", known));
  ASSERT_TRUE(said) << to_string(said.error());
  EXPECT_EQ(said->device->product, "NVIDIA H100");
  EXPECT_THAT(refusal(with("cuda_events", "")), HasSubstr("names its device"));
  EXPECT_THAT(refusal(with("host_monotonic", known)), HasSubstr("names its device"));
  for (const char* device :
       {R"({"vendor":"NVIDIA","product":"p","architecture":"sm_90","memoryBytes":1})",
        R"({"vendor":"nvidia","product":" ","architecture":"sm_90","memoryBytes":1})",
        R"({"vendor":"nvidia","product":"a\nb","architecture":"sm_90","memoryBytes":1})",
        R"({"vendor":"nvidia","product":"p","architecture":"","memoryBytes":1})",
        R"({"vendor":"nvidia","product":"p","architecture":"sm_90","memoryBytes":0})"}) {
    EXPECT_THAT(refusal(with("cuda_events", std::string(R"(,"device":)") + device)),
                HasSubstr("a device has"))
        << device;
  }
}

TEST(Worker, AsksReadAsTheyAreDocumented) {
  WorkerAsk ask;
  ask.ask = Ask::block;
  ask.kernel = 1;
  ask.variant = 0;
  ask.min_ns = 100'000;
  EXPECT_EQ(json::to_json(ask), R"({"ask":"block","format":"kernelindex.dev/worker/1","kernel":1,)"
                                R"("variant":0,"minNs":100000})");
}

}  // namespace
}  // namespace ki::runner
