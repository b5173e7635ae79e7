// The pages over the overviews, with real data: each answers, is small, and leads on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/contract/site.h"

namespace ki::contract {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kPageBytesMax = 100 * 1024;

std::string page_of(const std::string& target) {
  const auto answer = Site::get().ask(target);
  EXPECT_EQ(answer.status, 200) << target << "\n" << answer.body.substr(0, 600);
  EXPECT_LT(answer.body.size(), kPageBytesMax) << target;
  return answer.body;
}

TEST(OverviewPages, EachProductAndModelIsListed) {
  const std::string hardware = page_of("/hardware");
  for (const auto& model : texts_of(Site::get(), "/api/v1/hardware", "hardware", "model")) {
    EXPECT_THAT(hardware, HasSubstr(model));
  }
  const std::string models = page_of("/models");
  for (const auto& model : texts_of(Site::get(), "/api/v1/models", "kernel", "model")) {
    EXPECT_THAT(models, HasSubstr("href=\"/models/" + model + "\""));
    page_of("/models/" + encoded(model));
  }
}

TEST(OverviewPages, AProductThatAModelLacksIsSaid) {
  const auto models = texts_of(Site::get(), "/api/v1/models", "kernel", "model");
  if (models.empty()) GTEST_SKIP() << "no operation here names a model";
  EXPECT_THAT(page_of("/models/" + encoded(models[0]) + "?gpu=%3Cb%3E"),
              HasSubstr("gpu “&lt;b&gt;”"));
  EXPECT_EQ(Site::get().ask("/models/no-such-model").status, 404);
}

TEST(OverviewPages, AnImplementationLeadsToItsProject) {
  const auto implementations =
      texts_of(Site::get(), "/api/v1/runs?limit=200", "runs", "implementation");
  ASSERT_FALSE(implementations.empty());
  const std::string page = page_of("/implementations/" + encoded(implementations[0]));
  constexpr std::string_view kStart = "href=\"/projects/";
  const auto at = page.find(kStart);
  ASSERT_NE(at, std::string::npos);
  const auto begin = at + std::string_view("href=\"").size();
  const std::string project = page.substr(begin, page.find('"', begin) - begin);
  EXPECT_THAT(page_of(project), HasSubstr("Records held"));
  EXPECT_EQ(Site::get().ask(project + "?cursor=x").status, 400);
  EXPECT_EQ(Site::get().ask("/projects/no-such-project").status, 404);
}

}  // namespace
}  // namespace ki::contract
