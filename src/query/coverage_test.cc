// Overviews: products, sources, models, projects, and parameters that name nothing.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/rows_serving.h"
#include "catalog/rows_serving_run.h"
#include "query/resolver.h"
#include "query/testing_rows.h"

namespace ki::query {
namespace {

using testing::digest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TestCatalog;
using testing::uuid;

// Two operations of model m-1: "gate" on an H100 (two runs) and an L4 (one), "norm" on the H100
// only. A third one is of m-1-large and was not measured.
class CoverageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    catalog.operation("0001", "gate", "gemm");
    catalog.workload("0101", 1);
    catalog.implementation("0201", "quick", false);
    catalog.implementation("0202", "usable", true);
    catalog.run({.id = "0301", .implementation = "0201", .workload = "0101", .value = 100});
    catalog.run({.id = "0302", .implementation = "0202", .workload = "0101", .value = 200});
    catalog.run({.id = "0303",
                 .implementation = "0202",
                 .workload = "0101",
                 .hardware = "NVIDIA L4",
                 .architecture = "unknown",
                 .value = 900});
    catalog.run({.id = "0304",
                 .implementation = "0202",
                 .workload = "0101",
                 .value = 50,
                 .status = "timeout"});
    tag("0001", "model:m-1");
    catalog.operation("0002", "norm", "normalization");
    catalog.workload("0102", 2);
    catalog.implementation("0203", "plain", true);
    catalog.run({.id = "0305", .implementation = "0203", .workload = "0102", .value = 70});
    tag("0002", "model:m-1");
    catalog.operation("0003", "idle", "rope");
    tag("0003", "model:m-1-large");
    catalog.put(catalog::ModelRevisionRow{.id = uuid("50d1"),
                                          .digest = digest("d1"),
                                          .slug = "m-1",
                                          .name = "M one",
                                          .tokenizer = {},
                                          .parameter_count = 7,
                                          .context_length = {},
                                          .license = {},
                                          .source_id = {},
                                          .manifest = "{}",
                                          .created_at = TestCatalog::kTime});
    put_load();
    served("d2", "valid", TestCatalog::kTime);
    served("d3", "invalid", TestCatalog::kTime);
    served("d4", "valid", {});
    catalog.touch("8001");
  }
  void tag(const std::string& operation, const std::string& text) {
    catalog.put(
        catalog::OperationTagRow{.operation_id = uuid(operation), .tag = text, .ordinal = 0});
  }
  void put_load() {
    catalog.put(catalog::ServingStackRow{.id = uuid("50d5"),
                                         .digest = digest("d5"),
                                         .slug = "stack",
                                         .project = "stack",
                                         .name = "stack",
                                         .version = {},
                                         .source_id = {},
                                         .manifest = "{}",
                                         .created_at = TestCatalog::kTime});
    catalog.put(catalog::ServingConfigurationRow{.id = uuid("50d6"),
                                                 .digest = digest("d6"),
                                                 .stack_id = uuid("50d5"),
                                                 .dtype = {},
                                                 .quantization = {},
                                                 .tensor_parallel = {},
                                                 .summary = "stack",
                                                 .source_id = {},
                                                 .manifest = "{}",
                                                 .created_at = TestCatalog::kTime});
    catalog.put(catalog::ServingWorkloadRow{.id = uuid("50d7"),
                                            .digest = digest("d7"),
                                            .slug = "load",
                                            .name = "load",
                                            .streaming = true,
                                            .load_generation = "open_loop",
                                            .source_id = {},
                                            .manifest = "{}",
                                            .created_at = TestCatalog::kTime});
  }
  void served(const std::string& id, const std::string& status,
              const std::optional<std::string>& published_at) {
    catalog::ServingRunRow row;
    row.id = uuid("50" + id);
    row.digest = digest(id);
    row.model_id = uuid("50d1");
    row.configuration_id = uuid("50d6");
    row.workload_id = uuid("50d7");
    row.status = status;
    row.observed_at = TestCatalog::kTime;
    row.published_at = published_at;
    row.cohort_key = digest("d8");
    row.accelerator_model = "AMD Instinct MI355X";
    row.manifest = "{}";
    row.created_at = TestCatalog::kTime;
    catalog.put(row);
  }
  TestCatalog catalog;
};

TEST_F(CoverageTest, HardwareCountsWhatRanksAndWhatServes) {
  const auto list = catalog.resolver().hardware_list();
  ASSERT_TRUE(list) << to_string(list.error());
  ASSERT_EQ(list->hardware.size(), 3U);
  const HardwareItem& h100 = list->hardware[0];
  EXPECT_EQ(h100.slug, "nvidia-h100");
  EXPECT_EQ(h100.kernel_runs, 3);
  EXPECT_EQ(h100.operations, 2);
  EXPECT_EQ(h100.families, 2);
  EXPECT_EQ(h100.vendor, "nvidia");
  EXPECT_EQ(h100.last_observed_at, TestCatalog::kTime);
  EXPECT_EQ(list->hardware[1].model, "NVIDIA L4");
  EXPECT_EQ(list->hardware[1].architecture, "sm_89") << "of the product, where no run states it";
  const HardwareItem& serving = list->hardware[2];
  EXPECT_EQ(serving.model, "AMD Instinct MI355X");
  EXPECT_EQ(serving.kernel_runs, 0);
  EXPECT_EQ(serving.serving_runs, 1) << "only valid runs that are published count";
  EXPECT_EQ(serving.vendor, "amd");
  EXPECT_FALSE(serving.last_observed_at);
}

TEST_F(CoverageTest, ServingRunsOfAnUnknownNameAreNoneAndItSaysSo) {
  const Resolver resolver = catalog.resolver();
  const auto said = [&](const ServingRunsFilter& filter) {
    const auto page = resolver.serving_runs(filter);
    EXPECT_TRUE(page && page->runs.empty());
    std::vector<std::string> out;
    for (const auto& note : page->not_applied) out.push_back(note.parameter + ": " + note.text);
    return out;
  };
  EXPECT_THAT(said({.model = "m1"}),
              ElementsAre("model: no served model has this name, so nothing is listed; near it: "
                          "m-1"));
  EXPECT_THAT(said({.workload = "absent", .hardware = "H100"}),
              ElementsAre("workload: no load has this name, so nothing is listed; there is load",
                          "hardware: nothing was served on a product with this in its name, so "
                          "nothing is listed; there is AMD Instinct MI355X"));
  const auto page =
      resolver.serving_runs({.model = "m-1", .workload = "load", .hardware = "mi355"});
  ASSERT_TRUE(page) << to_string(page.error());
  EXPECT_EQ(page->runs.size(), 1U);
  EXPECT_THAT(page->not_applied, IsEmpty());
}

TEST_F(CoverageTest, ModelsAreTagsAndServedModels) {
  const auto models = catalog.resolver().models();
  ASSERT_TRUE(models) << to_string(models.error());
  ASSERT_EQ(models->kernel.size(), 2U);
  EXPECT_EQ(models->kernel[0].model, "m-1");
  EXPECT_EQ(models->kernel[0].operations, 2);
  EXPECT_EQ(models->kernel[1].runs, 0);
  ASSERT_EQ(models->serving.size(), 1U);
  EXPECT_EQ(models->serving[0].name, "M one");
  EXPECT_EQ(models->serving[0].parameter_count, 7);
  EXPECT_EQ(models->serving[0].runs, 1);
}

TEST_F(CoverageTest, AModelShowsTheBestOfEachOperationAndTheGaps) {
  const auto model = catalog.resolver().model("m-1");
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_TRUE(model->resolved);
  EXPECT_EQ(model->selected_gpu, "NVIDIA H100");
  EXPECT_THAT(model->model.related_tags, ElementsAre("m-1-large"));
  EXPECT_THAT(model->gaps, IsEmpty());
  EXPECT_EQ(model->serving->runs, 1);
  ASSERT_EQ(model->groups.size(), 2U);
  const ModelEntry& gate = model->groups[0].entries.at(0);
  EXPECT_EQ(gate.fastest.run_id, uuid("0301"));
  EXPECT_EQ(gate.deployable->run_id, uuid("0302"));
  EXPECT_EQ(gate.alternatives, 1);
  EXPECT_EQ(gate.workload_id, uuid("0101"));
  EXPECT_EQ(model->groups[1].family, "rmsnorm") << "the family under its present name";
}

TEST_F(CoverageTest, AProductOfAModelIsTakenInAnyCaseAndAnUnknownOneIsSaid) {
  const Resolver resolver = catalog.resolver();
  for (const char* name : {"NVIDIA L4", "nvidia l4", "l4"}) {
    const auto model = resolver.model("m-1", name);
    ASSERT_TRUE(model) << to_string(model.error());
    EXPECT_EQ(model->selected_gpu, "NVIDIA L4") << name;
    EXPECT_THAT(model->not_applied, IsEmpty());
    ASSERT_EQ(model->gaps.size(), 1U);
    EXPECT_EQ(model->gaps[0].operation.slug, "norm");
    EXPECT_THAT(model->gaps[0].measured_on, ElementsAre("NVIDIA H100"));
  }
  const auto model = resolver.model("m-1", "B200");
  EXPECT_EQ(model->selected_gpu, "NVIDIA H100");
  ASSERT_EQ(model->not_applied.size(), 1U);
  EXPECT_EQ(model->not_applied[0].parameter, "gpu");
  EXPECT_EQ(model->not_applied[0].value, "B200");
  EXPECT_THAT(model->not_applied[0].text, HasSubstr("shown is NVIDIA H100"));
}

TEST_F(CoverageTest, AModelThatOnlyOthersExtendIsNotResolved) {
  const auto model = catalog.resolver().model("m");
  ASSERT_TRUE(model);
  EXPECT_FALSE(model->resolved);
  EXPECT_THAT(model->model.related_tags, ElementsAre("m-1", "m-1-large"));
  const auto none = catalog.resolver().model("m-2");
  EXPECT_EQ(none.error().where, "MODEL_NOT_FOUND");
  EXPECT_THAT(none.error().message, HasSubstr("near it: m-1"));
}

TEST_F(CoverageTest, SourcesCountWhatRanksAndWhatIsPublished) {
  catalog.put(catalog::SourceRow{.id = uuid("9003"),
                                 .slug = "daily",
                                 .kind = "benchmark",
                                 .name = "Daily",
                                 .policy = R"({"freshnessDays":3})",
                                 .created_at = TestCatalog::kTime});
  catalog.put(catalog::SourceSnapshotRow{.id = uuid("9004"),
                                         .source_id = uuid("9003"),
                                         .locator = "x",
                                         .content_digest = digest("9004"),
                                         .media_type = "text/csv",
                                         .size_bytes = 1,
                                         .parser_name = "p",
                                         .parser_version = "1",
                                         .fetched_at = "2026-01-20T00:00:00.000Z"});
  const auto list = catalog.resolver().sources();
  ASSERT_TRUE(list) << to_string(list.error());
  ASSERT_EQ(list->sources.size(), 2U);
  const SourceItem& board = list->sources[0];
  EXPECT_EQ(board.slug, "board");
  EXPECT_EQ(board.runs, 4);
  EXPECT_EQ(board.indexed, 5);
  EXPECT_EQ(board.breadth, 2);
  EXPECT_EQ(board.hardware, 2);
  EXPECT_EQ(board.license, "MIT");
  EXPECT_FALSE(board.last_fetched) << "no file of it is known";
  EXPECT_FALSE(board.stale) << "it states no freshness";
  EXPECT_EQ(list->sources[1].last_fetched, "2026-01-20T00:00:00.000Z");
  EXPECT_EQ(list->sources[1].stale, true) << "twelve days old, fresh for three";
}

TEST_F(CoverageTest, CoverageCountsFamiliesOnProducts) {
  const auto report = catalog.resolver().coverage();
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_THAT(report->hero.gpus, ElementsAre("NVIDIA H100", "NVIDIA B200"));
  const auto gemm = std::ranges::find(report->hero.rows, "gemm", &HeroRow::family);
  ASSERT_NE(gemm, report->hero.rows.end());
  EXPECT_THAT(gemm->runs, ElementsAre(2, 0));
  EXPECT_EQ(gemm->total, 3) << "on any product";
}

TEST_F(CoverageTest, AProjectListsWhatItHoldsPageByPage) {
  const Resolver resolver = catalog.resolver();
  const auto all = resolver.project("project");
  ASSERT_TRUE(all) << to_string(all.error());
  EXPECT_EQ(all->project.kind, "library");
  EXPECT_EQ(all->claim.state, "unclaimed");
  EXPECT_THAT(all->project.licenses, ElementsAre("MIT"));
  EXPECT_EQ(all->stats.implementations, 3);
  EXPECT_EQ(all->stats.runs, 4);
  EXPECT_THAT(all->stats.hardware, ElementsAre("NVIDIA H100", "NVIDIA L4"));
  ASSERT_EQ(all->implementations.size(), 3U);
  EXPECT_EQ(all->implementations[0].slug, "plain") << "the best value first";
  EXPECT_EQ(all->implementations[2].slug, "usable");
  EXPECT_EQ(all->implementations[2].best_primary->value, 200);
  EXPECT_EQ(all->records_total, 3);
  ASSERT_EQ(all->records.size(), 3U);
  std::vector<std::string> paged;
  std::string cursor;
  do {
    const auto page = resolver.project("project", {.cursor = cursor, .limit = 1});
    ASSERT_TRUE(page) << to_string(page.error());
    ASSERT_EQ(page->records.size(), 1U);
    paged.push_back(page->records[0].cohort_key);
    cursor = page->next_cursor.value_or("");
  } while (!cursor.empty());
  EXPECT_THAT(paged, ElementsAre(all->records[0].cohort_key, all->records[1].cohort_key,
                                 all->records[2].cohort_key));
  const auto none = resolver.project("projec");
  EXPECT_EQ(none.error().where, "PROJECT_NOT_FOUND");
  EXPECT_THAT(none.error().message, HasSubstr("near it: project"));
}

TEST_F(CoverageTest, AWorkloadOrCohortThatIsNotThereIsSaid) {
  const Resolver resolver = catalog.resolver();
  const auto sound = resolver.operation("gate", {.workload = uuid("0101"), .cohort = {}});
  EXPECT_THAT(sound->not_applied, IsEmpty());
  const auto wrong = resolver.operation("gate", {.workload = "w", .cohort = "c"});
  ASSERT_TRUE(wrong) << to_string(wrong.error());
  ASSERT_EQ(wrong->not_applied.size(), 2U);
  EXPECT_EQ(wrong->not_applied[0].parameter, "workload");
  EXPECT_EQ(wrong->not_applied[1].parameter, "cohort");
  EXPECT_EQ(wrong->not_applied[1].value, "c");
  EXPECT_FALSE(wrong->records.empty()) << "the answer without them";
}

}  // namespace
}  // namespace ki::query
