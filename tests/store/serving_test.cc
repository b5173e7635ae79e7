// Results of serving: published, verified, exported and imported again.

#include <algorithm>

#include "base/text.h"
#include "catalog/dump.h"
#include "import/export/export.h"
#include "import/importer.h"
#include "import/manifests.h"
#include "import/registry.h"
#include "publish/verify.h"
#include "store/store_test.h"

namespace ki::test {
namespace {

using publish::Bundle;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kNative =
    R"(,"sourceNative":{"source":"lab","benchmark":"b","scenario":"server","division":"closed",)"
    R"("category":"available","externalId":"v1/1"})";
constexpr std::string_view kTwo =
    R"([{"metric":"ttft_ms","unit":"ms","statistic":"p99","value":420,"sampleCount":9},)"
    R"({"metric":"output_token_throughput_tps","unit":"tokens_s","statistic":"mean","value":90}])";

class ServingStore : public StoreTest {
 protected:
  catalog::Catalog catalog_at(const std::string& name) {
    auto opened =
        catalog::Catalog::open((folder_ / name).string(), clock_, {.mode = db::Mode::create});
    EXPECT_TRUE(opened) << to_string(opened.error());
    return std::move(opened).value();
  }

  static Bundle served(const std::vector<Served>& runs) {
    Bundle bundle;
    bundle.source = {.slug = "lab", .kind = "benchmark", .name = "A laboratory"};
    for (const Served& run : runs) add_served(bundle, run);
    return bundle;
  }

  // The entries of one of the kinds, or of all others.
  static Bundle only(Bundle bundle, manifest::Kind kind, bool others) {
    std::erase_if(bundle.serving, [&](const publish::ServingEntry& entry) {
      return (entry.manifest.kind() == kind) == others;
    });
    return bundle;
  }

  static std::vector<std::string> findings(catalog::Catalog& catalog) {
    const auto report = publish::verify(catalog);
    EXPECT_TRUE(report) << to_string(report.error());
    std::vector<std::string> out;
    for (const auto& finding : report->findings) {
      out.push_back(finding.entity + " " + finding.field);
    }
    return out;
  }

  static std::string dump(catalog::Catalog& catalog) {
    std::string out;
    EXPECT_TRUE(catalog::dump(catalog.connection(), [&](std::string_view line) -> Status {
      out.append(line).append("\n");
      return {};
    }));
    return out;
  }

  importer::Report import_lines(catalog::Catalog& catalog, std::string lines) {
    auto prepared = importer::prepare_export({"export.jsonl", std::move(lines)});
    EXPECT_TRUE(prepared) << to_string(prepared.error());
    return run(catalog, std::move(*prepared));
  }
  importer::Report run(catalog::Catalog& catalog, importer::Prepared prepared) {
    auto report = importer::run_import(catalog, std::move(prepared), clock_, {.publish = true});
    EXPECT_TRUE(report) << to_string(report.error());
    return std::move(*report);
  }
};

TEST_F(ServingStore, AChainGoesInInAnyOrderWithItsKeys) {
  catalog::Catalog catalog = open();
  const auto report = publish_ok(
      catalog,
      served({{.measurements = std::string(kTwo), .source_native = std::string(kNative)}}));
  EXPECT_EQ(report.inserted, 5);
  EXPECT_EQ(text(catalog, "SELECT protocol_key || ' ' || topology_key FROM serving_run"),
            "lg/5/unspecified/streaming/open_loop unknown/NVIDIA B200/8x1/unspecified");
  EXPECT_EQ(text(catalog, "SELECT metric_set_key FROM serving_run"),
            "output_token_throughput_tps·mean,ttft_ms·p99");
  EXPECT_EQ(text(catalog,
                 "SELECT scenario || ' ' || external_id || ' ' || total_accelerators "
                 "FROM serving_run"),
            "server v1/1 8");
  EXPECT_EQ(text(catalog,
                 "SELECT s.name || ' ' || c.summary || ' ' || c.dtype FROM "
                 "serving_configuration c JOIN serving_stack_revision s "
                 "ON s.id = c.stack_id"),
            "1.0 stack-configuration fp8");
  EXPECT_EQ(text(catalog, "SELECT COUNT(*) || ' ' || MAX(sample_count) FROM serving_measurement"),
            "2 9");
  EXPECT_THAT(findings(catalog), IsEmpty());
}

TEST_F(ServingStore, TheSameBundleAgainChangesNothing) {
  catalog::Catalog catalog = open();
  publish_ok(catalog, served({{}, {.options = R"({"level":"2"})"}}));
  const auto before = counts(catalog);
  EXPECT_EQ(before.at("serving_run"), 2);
  EXPECT_EQ(before.at("serving_stack_revision"), 1) << "two configurations of one stack";
  const auto again = publish_ok(catalog, served({{}, {.options = R"({"level":"2"})"}}));
  EXPECT_FALSE(again.changed);
  EXPECT_EQ(counts(catalog), before);
}

// Objects that are in the catalog already need not be in the bundle (gap 57 of the public system).
TEST_F(ServingStore, ARunFindsItsObjectsInTheCatalog) {
  catalog::Catalog catalog = open();
  publish_ok(catalog, only(served({{}}), manifest::Kind::serving_run, true));
  EXPECT_EQ(counts(catalog).contains("serving_run"), false);
  publish_ok(catalog, only(served({{}}), manifest::Kind::serving_run, false));
  EXPECT_EQ(counts(catalog).at("serving_run"), 1);
  EXPECT_THAT(findings(catalog), IsEmpty());
}

TEST_F(ServingStore, WhatNamesAnUnknownObjectIsRefusedAndSaysWhich) {
  for (const auto kind :
       {manifest::Kind::model_revision, manifest::Kind::serving_stack_revision,
        manifest::Kind::serving_configuration, manifest::Kind::serving_workload}) {
    catalog::Catalog catalog = catalog_at(std::string(manifest::name_of(kind)) + ".db");
    const Bundle whole = served({{}});
    const auto named = std::ranges::find_if(
        whole.serving, [&](const auto& entry) { return entry.manifest.kind() == kind; });
    const auto refused = publish::publish(catalog, only(served({{}}), kind, true), clock_);
    ASSERT_FALSE(refused) << manifest::name_of(kind);
    EXPECT_THAT(refused.error().message, HasSubstr(to_string(named->manifest.digest())));
    EXPECT_THAT(counts(catalog), testing::Not(testing::Contains(testing::Key("model_revision"))));
  }
}

TEST_F(ServingStore, ItsTablesAreAppendOnly) {
  catalog::Catalog catalog = open();
  publish_ok(catalog, served({{}}));
  for (const char* table : {"model_revision", "serving_stack_revision", "serving_configuration",
                            "serving_workload", "serving_run", "serving_measurement"}) {
    const auto done =
        catalog.connection().run(db::Sql{"delete", std::string("DELETE FROM ") + table});
    ASSERT_FALSE(done) << table;
    EXPECT_THAT(done.error().message, HasSubstr("append-only")) << table;
  }
}

TEST_F(ServingStore, VerifyRecomputesKeysAndColumns) {
  const std::pair<const char*, const char*> kChanges[] = {
      {"UPDATE serving_run SET cohort_key = 'sha256:0'", "serving_run cohort_key"},
      {"UPDATE serving_run SET protocol_key = 'x'", "serving_run protocol_key"},
      {"UPDATE serving_run SET total_accelerators = 9", "serving_run total_accelerators"},
      {"UPDATE serving_configuration SET dtype = 'fp4'", "serving_configuration dtype"},
      {"UPDATE serving_workload SET streaming = 0", "serving_workload streaming"},
      {"UPDATE model_revision SET tokenizer = 't'", "model_revision tokenizer"},
      {"UPDATE serving_stack_revision SET version = '2'", "serving_stack_revision version"},
      {"UPDATE serving_measurement SET value = 1", "serving_measurement value"},
      {"DELETE FROM serving_measurement", "serving_measurement row"}};
  catalog::Catalog catalog = open();
  publish_ok(catalog, served({{}}));
  for (const auto& [sql, found] : kChanges) {
    auto transaction = catalog.connection().begin();
    ASSERT_TRUE(transaction);
    const db::WithoutTriggers as_another(catalog.connection());
    ASSERT_TRUE(catalog.connection().run(db::Sql{"tamper", sql})) << sql;
    EXPECT_THAT(findings(catalog), testing::Contains(found)) << sql;
  }
}

TEST_F(ServingStore, AnExportMakesTheSameCatalogAgain) {
  catalog::Catalog first = catalog_at("first.db");
  Bundle bundle =
      served({{.measurements = std::string(kTwo), .source_native = std::string(kNative)},
              {.version = "2.0", .nodes = 2}});
  bundle.serving[2].name = "A load of another name";
  bundle.serving[4].slug = "another-slug";
  bundle.serving[5].run = publish::ServingRunPreset{.retracted_at = "2026-03-01T00:00:00.000Z"};
  publish_ok(first, bundle);
  const std::string exported = dump(first);
  EXPECT_THAT(exported, HasSubstr(R"("table":"serving_measurements")"));
  catalog::Catalog second = catalog_at("second.db");
  const auto report = import_lines(second, exported);
  EXPECT_THAT(report.issues, IsEmpty());
  EXPECT_THAT(report.drift_warnings, IsEmpty());
  EXPECT_THAT(report.ambiguities, IsEmpty());
  EXPECT_EQ(dump(second), exported);
  EXPECT_THAT(findings(second), IsEmpty());
}

// Of the two cohorts of the registry, as another program computed them from the published rules.
TEST_F(ServingStore, TheRegistrysRunsHaveTheKeysOfThePublishedRules) {
  catalog::Catalog catalog = open();
  auto prepared = importer::prepare_registry();
  ASSERT_TRUE(prepared);
  EXPECT_THAT(run(catalog, std::move(*prepared)).issues, IsEmpty());
  const std::pair<std::string_view, std::string_view> kKeys[] = {
      {"offline", "sha256:750f28f47b0773192238616a6355699c0bcd2ff544812cb54d94fe9132419014"},
      {"server", "sha256:e69a5ad73d80e0618a910c109612384639a14f8812e4f78890a363ff8d25457e"}};
  for (const auto& [scenario, key] : kKeys) {
    EXPECT_EQ(
        text(catalog, "SELECT COUNT(*) FROM serving_run WHERE scenario = $1 AND cohort_key = $2",
             scenario, key),
        "4");
  }
  EXPECT_EQ(text(catalog,
                 "SELECT s.slug FROM source s JOIN serving_run r ON r.source_id = s.id "
                 "GROUP BY s.slug"),
            "mlperf-inference");
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// What the rows of an export that cannot be right are refused for; the others go in.
TEST_F(ServingStore, RowsOfAnExportThatAreNotRightAreQuarantined) {
  catalog::Catalog first = catalog_at("first.db");
  publish_ok(first, served({{.source_native = std::string(kNative)}}));
  const std::string exported = dump(first);
  const std::string lines = exported.substr(0, exported.find(R"({"table":"audit")"));
  const auto problems = [&](const std::string& changed) {
    static int files = 0;
    catalog::Catalog catalog = catalog_at("other" + std::to_string(files++) + ".db");
    std::vector<std::string> out;
    for (const auto& issue : import_lines(catalog, changed).issues) out.push_back(issue.problem);
    EXPECT_THAT(findings(catalog), IsEmpty());
    return out;
  };
  EXPECT_THAT(problems(lines), IsEmpty());
  EXPECT_THAT(problems(replaced(lines, R"("cohortKey":"sha256:)", R"("cohortKey":"sha256:0)")),
              SizeIs(2))
      << "the run and its measurement";
  EXPECT_THAT(problems(replaced(lines, R"("totalAccelerators":8)", R"("totalAccelerators":9)")),
              testing::Contains(HasSubstr("totalAccelerators is stored as 9")));
  EXPECT_THAT(problems(replaced(lines, R"("table":"model_revisions")", R"("table":"models")")),
              testing::Contains(HasSubstr("modelDigest is not here")));
  EXPECT_THAT(
      problems(replaced(lines, R"("statistic":"mean","unit")", R"("statistic":"p1","unit")")),
      ElementsAre(HasSubstr("has no such measurement")));
  EXPECT_THAT(problems(replaced(lines, R"("loadGeneration":"open_loop","sourceId")",
                                R"("loadGeneration":"offline","sourceId")")),
              testing::Contains(HasSubstr("loadGeneration is stored as")));
}

TEST_F(ServingStore, ColumnsThatRestateTheManifestMayBeLeftOut) {
  catalog::Catalog first = catalog_at("first.db");
  publish_ok(first, served({{}}));
  std::string lines = dump(first);
  lines = lines.substr(0, lines.find(R"({"table":"audit")"));
  // Members that no manifest has.
  for (const std::string_view column :
       {R"("tensorParallel":null,)", R"("totalAccelerators":8,)", R"("contextLength":null,)",
        R"("topologyKey":"unknown/NVIDIA B200/8x1/unspecified",)",
        R"("summary":"stack-configuration",)"}) {
    lines = replaced(std::move(lines), column, "");
  }
  catalog::Catalog second = catalog_at("second.db");
  EXPECT_THAT(import_lines(second, lines).issues, IsEmpty());
  EXPECT_EQ(counts(second).at("serving_run"), 1);
  EXPECT_THAT(findings(second), IsEmpty());
}

TEST_F(ServingStore, ManifestsOfARunWithoutItsModelAreQuarantined) {
  catalog::Catalog catalog = open();
  std::string text;
  for (const auto& entry : served({{}}).serving) {
    if (entry.manifest.kind() != manifest::Kind::model_revision) {
      text += "---\n" + entry.manifest.to_json() + "\n";
    }
  }
  const importer::InputFile file{"run.yaml", text};
  auto prepared = importer::prepare_manifests({&file, 1});
  ASSERT_TRUE(prepared);
  const auto report = run(catalog, std::move(*prepared));
  ASSERT_THAT(report.issues, SizeIs(1));
  EXPECT_EQ(report.issues[0].item, "ServingRun run");
  EXPECT_THAT(report.issues[0].problem, HasSubstr("/spec/modelDigest: sha256:"));
  EXPECT_EQ(counts(catalog).at("serving_workload"), 1) << "the rest goes in";
  EXPECT_EQ(counts(catalog).contains("serving_run"), false);
}

// An object is what its kind says: a run that names its stack as its model names no model.
TEST_F(ServingStore, ARunThatNamesAnObjectOfAnotherKindIsQuarantined) {
  const Bundle right = served({{}});
  const auto digest = [&](manifest::Kind kind) {
    return to_string(std::ranges::find_if(right.serving, [&](const auto& entry) {
                       return entry.manifest.kind() == kind;
                     })->manifest.digest());
  };
  const std::string model = digest(manifest::Kind::model_revision);
  const std::string stack = digest(manifest::Kind::serving_stack_revision);
  std::string text;
  for (const auto& entry : right.serving) {
    std::string manifest = entry.manifest.to_json();
    if (entry.manifest.kind() == manifest::Kind::serving_run) {
      manifest = replaced(std::move(manifest), model, stack);
    }
    text += "---\n" + manifest + "\n";
  }
  catalog::Catalog catalog = open();
  const importer::InputFile file{"run.yaml", text};
  auto prepared = importer::prepare_manifests({&file, 1});
  ASSERT_TRUE(prepared);
  const auto report = run(catalog, std::move(*prepared));
  ASSERT_THAT(report.issues, SizeIs(1));
  EXPECT_THAT(report.issues[0].problem, HasSubstr("/spec/modelDigest"));
  EXPECT_EQ(counts(catalog).at("model_revision"), 1);
  EXPECT_EQ(counts(catalog).contains("serving_run"), false);
}

TEST_F(ServingStore, ARowThatNamesAnObjectOfAnotherKindIsQuarantined) {
  catalog::Catalog first = catalog_at("first.db");
  const Bundle right = served({{}});
  publish_ok(first, right);
  std::string lines = dump(first);
  lines = lines.substr(0, lines.find(R"({"table":"audit")"));
  const auto run_at = lines.find(R"({"table":"serving_runs")");
  const auto model = text(first, "SELECT digest FROM model_revision");
  const auto stack = text(first, "SELECT digest FROM serving_stack_revision");
  std::string row =
      replaced(lines.substr(run_at), R"("modelDigest":")" + model, R"("modelDigest":")" + stack);
  // The digest of the run as it is now, so that only the kind is wrong.
  const auto at = row.find(R"("manifest":)") + 11;
  const auto end = row.find(R"(,"createdAt")", at);
  const auto changed = manifest::decode_json(row.substr(at, end - at));
  ASSERT_TRUE(changed);
  row = replaced(std::move(row), text(first, "SELECT digest FROM serving_run"),
                 to_string(changed->digest()));
  catalog::Catalog second = catalog_at("second.db");
  const auto report = import_lines(second, lines.substr(0, run_at) + row);
  ASSERT_THAT(report.issues, SizeIs(2)) << "the run and its measurement";
  EXPECT_THAT(report.issues[0].problem, HasSubstr("modelDigest is not here"));
  EXPECT_EQ(counts(second).at("model_revision"), 1);
}

}  // namespace
}  // namespace ki::test
