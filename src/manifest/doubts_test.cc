#include "manifest/doubts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/read.h"

namespace ki::manifest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> texts(const std::vector<Doubt>& doubts) {
  std::vector<std::string> out;
  for (const Doubt& doubt : doubts) out.push_back(to_string(doubt));
  return out;
}

std::vector<std::string> run(std::string_view latency) {
  const auto spec = json::parse(fmt::format(R"({{"timing":{{"latencyNs":{}}}}})", latency));
  EXPECT_TRUE(spec);
  return texts(doubts_of_run(spec->root));
}

TEST(Doubts, AnIntervalIsDoubtedWhereItIsReversedOrMissesTheMedian) {
  EXPECT_THAT(run(R"({"median":8,"confidence95":[7,9]})"), IsEmpty());
  EXPECT_THAT(run(R"({"median":8,"confidence95":[8,8]})"), IsEmpty());
  EXPECT_THAT(run(R"({"mean":80,"confidence95":[7,9]})"), IsEmpty());
  EXPECT_THAT(run(R"({"median":8})"), IsEmpty());
  EXPECT_THAT(run(R"({"median":8,"confidence95":[9,7]})"),
              ElementsAre(HasSubstr("/spec/timing/latencyNs/confidence95: the bounds 9 to 7 ns")));
  EXPECT_THAT(run(R"({"median":10,"confidence95":[7,9]})"),
              ElementsAre(HasSubstr("the median, 10 ns, lies outside 7 to 9 ns")));
  EXPECT_THAT(run(R"({"median":6,"confidence95":[7,9]})"), ElementsAre(HasSubstr("outside")));
}

std::vector<std::string> workload(std::string_view axes, std::string_view shape) {
  const auto operation =
      json::parse(R"({"axes":{"rows":{"role":"variable"},"width":{"role":"constant","value":1024},)"
                  R"("half":{"role":"derived","expression":"width // 2"}},)"
                  R"("inputs":[{"name":"x","tensor":{"shape":["rows","width"]}}],)"
                  R"("outputs":[{"name":"y","tensor":{"shape":["rows","half",4]}}]})");
  const auto spec = json::parse(fmt::format(R"({{"axes":{},"tensors":{}}})", axes, shape));
  EXPECT_TRUE(operation && spec);
  return texts(doubts_of_case(spec->root, operation->root));
}

TEST(Doubts, ACaseIsDoubtedWhereItsOperationOrItsOwnAxesContradictIt) {
  EXPECT_THAT(workload(R"({"rows":8,"width":1024})", R"({"x":{"shape":[8,1024]}})"), IsEmpty());
  EXPECT_THAT(workload(R"({"rows":8})", R"({"x":{"shape":[8,1024]}})"), IsEmpty());
  EXPECT_THAT(workload(R"({"rows":8})", R"({"y":{"shape":[8,77,4]}})"), IsEmpty());  // not stated
  EXPECT_THAT(workload(R"({"rows":8})", R"({"z":{"shape":[1]}})"), IsEmpty());  // no such tensor
  EXPECT_THAT(workload(R"({"rows":8,"width":512})", "{}"),
              ElementsAre(HasSubstr("/spec/axes/width: is 512 where the operation fixes 1024")));
  EXPECT_THAT(
      workload(R"({"rows":8})", R"({"x":{"shape":[9,1024]}})"),
      ElementsAre(HasSubstr("/spec/tensors/x/shape: dimension 0 is 9 where the axes give 8")));
  EXPECT_THAT(workload(R"({"rows":8})", R"({"x":{"shape":[8]}})"),
              ElementsAre(HasSubstr("has 1 dimensions where the operation declares 2")));
  EXPECT_THAT(workload(R"({"rows":8})", R"({"y":{"shape":[8,77,5]}})"),
              ElementsAre(HasSubstr("dimension 2 is 5 where the axes give 4")));
}

// The format takes it, so it is accepted, with a word where it stands.
TEST(Doubts, ASizeBelowZeroIsDoubtedWhereItStands) {
  const auto sizes = [](std::string_view spec) {
    const auto document = json::parse(spec);
    EXPECT_TRUE(document);
    return texts(doubts_of_sizes(document->root));
  };
  EXPECT_THAT(sizes(R"({"axes":{"rows":0,"hidden":64}})"), IsEmpty());
  EXPECT_THAT(sizes(R"({"axes":{"rows":-1,"hidden":64}})"),
              ElementsAre(HasSubstr("/spec/axes/rows: is -1, and no size is below 0")));
  EXPECT_THAT(sizes(R"({"cases":[{"axes":{"n":1}},{"axes":{"n":-4}}]})"),
              ElementsAre(HasSubstr("/spec/cases/1/axes/n: is -4")));
}

}  // namespace
}  // namespace ki::manifest
