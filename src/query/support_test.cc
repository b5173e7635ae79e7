#include "query/support.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "query/parse.h"

namespace ki::query {
namespace {

// Of an operation with the axes d, k and m, the constant c = 64 and h = d // 2.
SupportCoverage covered(std::string_view query, const Support& support) {
  const DeclaredAxis axes[] = {{.name = "d", .value = {}, .expression = ""},
                               {.name = "k", .value = {}, .expression = ""},
                               {.name = "m", .value = {}, .expression = ""},
                               {.name = "c", .value = 64, .expression = ""},
                               {.name = "h", .value = {}, .expression = "d // 2"}};
  return coverage_of(parse_query(query).facets, support, axes);
}

std::string missed(std::string_view query, const Support& support) {
  std::vector<std::string> out;
  for (const Mismatch& one : covered(query, support).excluded) {
    out.push_back(one.field + " " + one.observed);
  }
  return join(out, ", ");
}

std::string unstated(std::string_view query, const Support& support) {
  return join(covered(query, support).unstated, ", ");
}

Support with_axes(std::vector<std::string> predicates) {
  return {.dtypes = {},
          .layouts = {},
          .architectures = {},
          .products = {},
          .axes = std::move(predicates)};
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

TEST(Support, ConstantsAndDerivedAxesAreBound) {
  EXPECT_EQ(missed("op:x d=256", with_axes({"h <= 64"})), "support.axes h <= 64");
  EXPECT_EQ(missed("op:x d=128", with_axes({"h <= 64"})), "");
  EXPECT_EQ(missed("op:x", with_axes({"c % 128 == 0"})), "support.axes c % 128 == 0");
  EXPECT_EQ(missed("op:x c=128", with_axes({"c % 128 == 0"})), "") << "what is asked for counts";
  const auto excluded = covered("op:x d=256 m=3", with_axes({"D in 1..2 * c"})).excluded;
  ASSERT_EQ(excluded.size(), 1U);
  EXPECT_EQ(excluded[0].requested, "d = 256, c = 64") << "those that it names";
}

TEST(Support, WhatIsNotReadIsUnknownAndQuoted) {
  for (const std::string predicate :
       {"contiguous rows only", "any d", "d <=", "d <= 2,048", "d <= 2.5", "", "d in [16, 256]"}) {
    EXPECT_EQ(missed("op:x d=100", with_axes({predicate})), "") << predicate;
    EXPECT_EQ(unstated("op:x d=100", with_axes({predicate})),
              "support.axes (\"" + predicate + "\" is not understood)");
    EXPECT_EQ(covered("op:x", with_axes({predicate})).match(), "unknown") << "whatever is asked";
  }
  EXPECT_EQ(unstated("op:x d=1", with_axes({"foo <= 3"})),
            "support.axes (\"foo <= 3\" names foo, which is no axis of the operation)");
  EXPECT_EQ(unstated("op:x d=1 foo=2", with_axes({"foo <= 3"})), "") << "the request binds it";
  EXPECT_EQ(covered("op:x d=100", with_axes({"d <= 64", "contiguous"})).match(), "incompatible");
}

TEST(Support, AShapeDoesNotDecideAnAxis) {
  EXPECT_EQ(unstated("op:x [64, 128]", with_axes({"d <= 256"})),
            "support.axes (\"d <= 256\" is not decided by a shape)");
  EXPECT_EQ(unstated("op:x [64, 128] d=64", with_axes({"d <= 256"})), "");
  EXPECT_EQ(unstated("op:x [64, 128]", with_axes({})), "");
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
  EXPECT_EQ(unstated("op:x bf16 layout:strided hopper", Support{}),
            "support.architectures, support.dtypes, support.layouts");
  EXPECT_EQ(unstated("op:x", Support{}), "");
  const Support support{.dtypes = {"bf16"},
                        .layouts = {},
                        .architectures = {"sm_90"},
                        .products = {},
                        .axes = {"d <= 256"}};
  EXPECT_EQ(unstated("op:x bf16 h100 d=64", support), "");
  EXPECT_EQ(unstated("op:x d:64..512", support),
            "support.axes (\"d <= 256\" is not decided by a range)");
  EXPECT_EQ(unstated("op:x k:64..512", support), "") << "another axis";
}

TEST(Support, TheWordUnknownExcludesNothing) {
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
