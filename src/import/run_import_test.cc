// Imports into a real catalog.

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/export/export.h"
#include "import/liger/liger.h"
#include "import/manifests.h"
#include "import/registry.h"
#include "manifest/examples.h"
#include "support/places.h"

namespace ki::importer {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

class RunImport : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() / ("ki_import_" + uuid_v7(SystemClock().now()).substr(0, 23));
    fs::create_directories(folder_);
    auto opened =
        catalog::Catalog::open((folder_ / "ki.db").string(), clock_, {.mode = db::Mode::create});
    ASSERT_TRUE(opened.has_value()) << to_string(opened.error());
    catalog_.emplace(std::move(*opened));
    shared_ = places::shared_data("").value_or("");
  }
  void TearDown() override {
    catalog_.reset();
    fs::remove_all(folder_);
  }

  Report import_it(Result<Prepared> prepared, bool publish = true) {
    EXPECT_TRUE(prepared.has_value()) << (prepared ? "" : to_string(prepared.error()));
    if (!prepared) return {};
    const auto begin = std::chrono::steady_clock::now();
    auto report =
        run_import(*catalog_, std::move(*prepared), clock_, {.publish = publish, .actor = "test"});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EXPECT_TRUE(report.has_value()) << (report ? "" : to_string(report.error()));
    if (!report) return {};
    std::cout << report->plan << " in " << took.count() << " s\n";
    return std::move(*report);
  }

  Result<Prepared> table(const LigerOptions& options = {}) const {
    const auto file = read_input((shared_ / "data/liger-all_benchmark_data.csv").string());
    if (!file) return std::unexpected(file.error());
    return prepare_liger({&*file, 1}, options);
  }

  FixedClock clock_{*parse_instant("2026-01-02T03:04:05Z")};
  fs::path folder_;
  fs::path shared_;
  std::optional<catalog::Catalog> catalog_;
};

TEST_F(RunImport, ADryRunWritesNothing) {
  const Report dry = import_it(prepare_registry(), false);
  EXPECT_GT(dry.actions.at("insert"), 0);
  EXPECT_THAT(dry.plan, HasSubstr("dry run"));
  const Report real = import_it(prepare_registry());
  EXPECT_EQ(real.actions.at("insert"), dry.actions.at("insert"));
  EXPECT_TRUE(real.published);
}

TEST_F(RunImport, WhereEverythingIsRefusedNothingIsWritten) {
  const std::vector<InputFile> manifests{{"bad.yaml", "kind: SoftwareProject\nkind: Twice\n"}};
  const std::vector<InputFile> tables{{"bad.csv", "kernel;value\nrope;1\n"}};
  const auto before = *catalog_->connection().count_tables();
  const auto expect_refused = [&](Result<Prepared> prepared) {
    const Report report = import_it(std::move(prepared));
    EXPECT_EQ(report.accepted(), Accepted::nothing);
    EXPECT_FALSE(report.published);
    EXPECT_THAT(report.plan, HasSubstr("nothing is written"));
    EXPECT_EQ(*catalog_->connection().count_tables(), before);
  };
  expect_refused(prepare_manifests(manifests));
  expect_refused(prepare_liger(tables, {}));
}

// The examples refer to each other; each is left out in its turn.
TEST_F(RunImport, WhatCannotBePublishedIsRefusedAloneWithItsPlace) {
  using manifest::Kind;
  struct Case {
    Kind missing;
    std::vector<std::string> refused;
  };
  const Kind kAll[] = {Kind::software_project,   Kind::operation_spec,
                       Kind::workload_case,      Kind::implementation_revision,
                       Kind::benchmark_protocol, Kind::execution_environment,
                       Kind::benchmark_run};
  const Case cases[] = {{Kind::benchmark_protocol, {"BenchmarkRun"}},
                        {Kind::execution_environment, {"BenchmarkRun"}},
                        {Kind::operation_spec, {"WorkloadCase", "ImplementationRevision"}}};
  for (const Case& one : cases) {
    std::string text;
    for (const Kind kind : kAll) {
      if (kind != one.missing) text.append("---\n").append(manifest::example_of(kind));
    }
    const std::vector<InputFile> files{{"all.yaml", text}};
    const Report report = import_it(prepare_manifests(files), false);
    EXPECT_EQ(report.accepted(), Accepted::part);
    ASSERT_EQ(report.issues.size(), one.refused.size()) << manifest::name_of(one.missing);
    for (std::size_t i = 0; i < one.refused.size(); ++i) {
      EXPECT_THAT(report.issues[i].locator, HasSubstr("all.yaml"));
      EXPECT_THAT(report.issues[i].item, HasSubstr(one.refused[i]));
      EXPECT_THAT(report.issues[i].problem, HasSubstr("neither in the bundle nor in the catalog"));
    }
  }
}

TEST_F(RunImport, WhenOnlyOneObjectIsThereAndRefusedNothingIsWritten) {
  const auto before = *catalog_->connection().count_tables();
  const std::vector<InputFile> files{
      {"run.yaml", std::string(manifest::example_of(manifest::Kind::benchmark_run))}};
  const Report report = import_it(prepare_manifests(files));
  EXPECT_EQ(report.accepted(), Accepted::nothing);
  EXPECT_FALSE(report.published);
  EXPECT_EQ(*catalog_->connection().count_tables(), before);
}

TEST_F(RunImport, TheSecondTimeNothingIsNew) {
  import_it(prepare_registry());
  const Report again = import_it(prepare_registry());
  EXPECT_EQ(again.actions.at("insert"), 0);
  EXPECT_GT(again.actions.at("exists"), 0);
}

TEST_F(RunImport, TheTableFindsTheRegistrysRunsInPlace) {
  if (shared_.empty()) GTEST_SKIP() << "the shared data is not here";
  import_it(prepare_registry());
  const Report report = import_it(table());
  int runs_found = 0;
  for (const Proposed& proposed : report.proposed) {
    runs_found += proposed.entity == "run" && proposed.action == "exists" ? 1 : 0;
  }
  EXPECT_EQ(runs_found, 12);
  EXPECT_EQ(report.actions.at("superseded"), 0);
  EXPECT_EQ(import_it(table()).actions.at("insert"), 0);
}

std::string project(std::string_view url) {
  return R"(apiVersion: kernelindex.dev/v1alpha1
kind: SoftwareProject
metadata: {name: pebble}
spec: {name: Pebble, repository: )" +
         std::string(url) + "}\n";
}

TEST_F(RunImport, AnotherManifestOfAKnownProjectIsSaid) {
  const auto from = [](std::string_view url) {
    const std::vector<InputFile> files{{"pebble.yaml", project(url)}};
    return prepare_manifests(files);
  };
  EXPECT_THAT(import_it(from("https://example.com/a")).ambiguities, ::testing::IsEmpty());
  EXPECT_THAT(import_it(from("https://example.com/a")).ambiguities, ::testing::IsEmpty());
  const Report other = import_it(from("https://example.com/b"));
  EXPECT_EQ(other.actions.at("exists"), 1);
  EXPECT_THAT(other.ambiguities,
              ::testing::ElementsAre(HasSubstr("project pebble is known by its manifest")));
}

TEST_F(RunImport, ARunOfTheFutureIsSaid) {
  std::string text;
  for (const manifest::Kind kind :
       {manifest::Kind::benchmark_protocol, manifest::Kind::execution_environment,
        manifest::Kind::benchmark_run}) {
    text.append("---\n").append(manifest::example_of(kind));
  }
  const std::vector<InputFile> files{{"run.yaml", text}};
  const auto future = HasSubstr("observed later than now");
  clock_.set(*parse_instant("2026-01-30T12:00:00Z"));  // a day before it, as clocks may differ
  EXPECT_THAT(import_it(prepare_manifests(files)).ambiguities,
              ::testing::Not(::testing::Contains(future)));
  clock_.set(*parse_instant("2026-01-30T11:59:59Z"));
  EXPECT_THAT(import_it(prepare_manifests(files)).ambiguities, ::testing::Contains(future));
}

TEST_F(RunImport, TheTableCompletesTheSeeds) {
  if (shared_.empty()) GTEST_SKIP() << "the shared data is not here";
  std::vector<InputFile> seeds;
  LigerOptions options;
  options.mapping = liger::Mapping::kernelindex_1;
  for (const auto& entry : fs::directory_iterator(shared_ / "data/seeds")) {
    seeds.push_back(*read_input(entry.path().string()));
    if (options.protocols.empty()) {
      options.protocols.push_back(*read_protocol(entry.path().string()));
    }
  }
  const Report pending = import_it(prepare_manifests(seeds));
  EXPECT_EQ(pending.actions.at("pending"), 5);
  const Report other = import_it(table(), false);
  EXPECT_EQ(other.actions.at("completed"), 0);
  EXPECT_THAT(other.ambiguities, ::testing::Contains(HasSubstr("5 pending runs state the same")));
  const Report completing = import_it(table(options));
  EXPECT_EQ(completing.actions.at("completed"), 5);
  EXPECT_EQ(completing.actions.at("pending"), 0) << completing.plan;
  EXPECT_THAT(completing.ambiguities, ::testing::Not(::testing::Contains(HasSubstr("pending"))));
  EXPECT_EQ(import_it(table(options)).actions.at("insert"), 0);
}

TEST_F(RunImport, BothMappingsLiveInOneCatalog) {
  if (shared_.empty()) GTEST_SKIP() << "the shared data is not here";
  LigerOptions options;
  options.mapping = liger::Mapping::kernelindex_1;
  import_it(table(options));
  const Report report = import_it(table());
  EXPECT_EQ(report.actions.at("superseded"), 0);
  EXPECT_GT(report.actions.at("insert"), 1649 + 799);
}

TEST_F(RunImport, AnExportIsRebuiltWithItsRecordEvents) {
  if (shared_.empty()) GTEST_SKIP() << "the shared data is not here";
  const auto file = read_input((shared_ / "data/catalog-2026-08-16-94af2ae7.jsonl.zst").string());
  ASSERT_TRUE(file.has_value());
  const Report report = import_it(prepare_export(*file));
  EXPECT_EQ(report.actions.at("recordEvents"), 2948);
  EXPECT_EQ(import_it(prepare_export(*file)).actions.at("insert"), 0);
}

}  // namespace
}  // namespace ki::importer
