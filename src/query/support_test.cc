#include "query/support.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "query/parse.h"

namespace ki::query {
namespace {

std::string missed(std::string_view query, const Support& support) {
  std::vector<std::string> out;
  for (const Mismatch& one : coverage_of(parse_query(query).facets, support).excluded) {
    out.push_back(one.field + " " + one.observed);
  }
  return join(out, ", ");
}

TEST(Support, PredicatesOverAxesAreEvaluated) {
  const Support support{.dtypes = {},
                        .layouts = {},
                        .architectures = {},
                        .products = {},
                        .axes = {"d <= 256", "k % 64 == 0", "k >= 2 * d"}};
  EXPECT_EQ(missed("op:x d=256 k=512", support), "");
  EXPECT_EQ(missed("op:x d=257", support), "support.axes d <= 256");
  EXPECT_EQ(missed("op:x k=100", support), "support.axes k % 64 == 0");
  EXPECT_EQ(missed("op:x d=128 k=64", support), "support.axes k >= 2 * d");
  EXPECT_EQ(missed("op:x", support), "") << "nothing is asked";
  EXPECT_EQ(missed("op:x m=1", support), "") << "another axis decides nothing";
}

TEST(Support, WhatIsNoComparisonDecidesNothing) {
  const Support support{
      .dtypes = {}, .layouts = {}, .architectures = {}, .products = {}, .axes = {"any d", "d <="}};
  EXPECT_EQ(missed("op:x d=1", support), "");
}

TEST(Support, ListsExcludeOnlyWhenTheySaySomething) {
  const Support support{.dtypes = {"fp8_e4m3"},
                        .layouts = {"row_major"},
                        .architectures = {"sm_100"},
                        .products = {},
                        .axes = {}};
  EXPECT_EQ(missed("op:x fp8 layout:row-major sm_100", support), "");
  EXPECT_EQ(missed("op:x bf16 layout:strided hopper", support),
            "support.architectures sm_100, support.dtypes fp8_e4m3, support.layouts row_major");
  EXPECT_EQ(missed("op:x bf16 layout:strided hopper", Support{}), "");
}

TEST(Support, WhatIsNotSaidIsUnknown) {
  const auto unstated = [](std::string_view query, const Support& support) {
    return join(coverage_of(parse_query(query).facets, support).unstated, ", ");
  };
  EXPECT_EQ(unstated("op:x bf16 layout:strided hopper", Support{}),
            "support.architectures, support.dtypes, support.layouts");
  EXPECT_EQ(unstated("op:x", Support{}), "");
  const Support support{.dtypes = {"bf16"},
                        .layouts = {},
                        .architectures = {"sm_90"},
                        .products = {},
                        .axes = {"d <= 256"}};
  EXPECT_EQ(unstated("op:x bf16 h100 d=64", support), "");
  EXPECT_EQ(unstated("op:x d:64..512", support), "support.axes") << "part of it is covered";
  EXPECT_EQ(unstated("op:x k:64..512", support), "") << "another axis";
}

TEST(Support, TheWordUnknownExcludesNothing) {
  const auto unstated = [](std::string_view query, const Support& support) {
    return join(coverage_of(parse_query(query).facets, support).unstated, ", ");
  };
  const Support support{.dtypes = {"unknown"},
                        .layouts = {"unknown"},
                        .architectures = {"unknown"},
                        .products = {},
                        .axes = {}};
  for (const std::string_view query :
       {"op:x b200 bf16 layout:strided", "op:x sm_100 bf16 layout:strided"}) {
    EXPECT_EQ(missed(query, support), "") << query;
    EXPECT_EQ(unstated(query, support), "support.architectures, support.dtypes, support.layouts");
  }
  const Support some{.dtypes = {"bf16", "unknown"},
                     .layouts = {},
                     .architectures = {"sm_90", "unknown"},
                     .products = {},
                     .axes = {}};
  EXPECT_EQ(unstated("op:x h100 bf16", some), "");
  EXPECT_EQ(unstated("op:x b200 fp16", some), "support.architectures, support.dtypes");
  EXPECT_EQ(missed("op:x b200 fp16", some), "") << "the list is not complete";
}

TEST(Support, AProductItWasTestedOnIsCovered) {
  const auto unstated = [](std::string_view query, const Support& support) {
    return join(coverage_of(parse_query(query).facets, support).unstated, ", ");
  };
  for (const std::vector<std::string>& architectures :
       {std::vector<std::string>{"unknown"}, std::vector<std::string>{},
        std::vector<std::string>{"sm_90"}}) {
    const Support support{.dtypes = {},
                          .layouts = {},
                          .architectures = architectures,
                          .products = {"NVIDIA B200"},
                          .axes = {}};
    for (const std::string_view query :
         {"op:x b200", "op:x NVIDIA B200", "op:x gpu:B200", "op:x sm_100", "op:x b200 sm_100"}) {
      EXPECT_EQ(missed(query, support), "") << query;
      EXPECT_EQ(unstated(query, support), "") << query;
    }
  }
  const Support tested{.dtypes = {},
                       .layouts = {},
                       .architectures = {"unknown"},
                       .products = {"NVIDIA B200", "Some Board 7"},
                       .axes = {}};
  EXPECT_EQ(missed("op:x h100", tested), "") << "tested there excludes nothing elsewhere";
  EXPECT_EQ(unstated("op:x h100", tested), "support.architectures");
  EXPECT_EQ(unstated("op:x gpu:\"Other 9\"", tested), "support.architectures");
  EXPECT_EQ(unstated("op:x gpu:\"Some Board 7\"", tested), "");
}

TEST(Support, AProductAsksForItsArchitecture) {
  const Support support{.dtypes = {},
                        .layouts = {},
                        .architectures = {"sm_100", "gfx942"},
                        .products = {},
                        .axes = {}};
  EXPECT_EQ(missed("op:x b200", support), "");
  EXPECT_EQ(missed("op:x mi300x", support), "");
  EXPECT_EQ(missed("op:x h100", support), "support.architectures sm_100/gfx942");
}

}  // namespace
}  // namespace ki::query
