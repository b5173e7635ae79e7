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
