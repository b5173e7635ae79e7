// verify(): clean on what publish() wrote, and one finding for each thing that was tampered with.

#include "publish/verify.h"

#include "publish/corrections.h"
#include "store/store_test.h"

namespace ki::test {
namespace {

class Verify : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    catalog_.emplace(open());
    publish::Bundle bundle = bundle_of({{"a", 1000, "2026-01-01T00:00:00Z", "row/1"},
                                        {"b", 900, "2026-01-02T00:00:00Z", "row/2"},
                                        {"d", 2000, "2026-01-04T00:00:00Z"}});
    bundle.runs[0].artifacts.push_back({.role = "logs",
                                        .kind = "log",
                                        .media_type = "text/plain",
                                        .digest = sha256("hello"),
                                        .size_bytes = 5,
                                        .content = "hello"});
    publish_ok(*catalog_, bundle);
    publish::Bundle seed = bundle_of({{"c", 1000, "2026-01-03T00:00:00Z", "row/3"}});
    seed.implementations.clear();
    seed.snapshots.push_back({.locator = "file",
                              .content_digest = sha256("file"),
                              .media_type = "text/plain",
                              .size_bytes = 4,
                              .parser_name = "p",
                              .parser_version = "p/1"});
    publish_ok(*catalog_, seed);  // one pending run
    const publish::Justification why{.actor = "curator", .reason = "a wrong clock"};
    ASSERT_TRUE(publish::retract(*catalog_, run_of(*catalog_, "d"), why, clock_));
  }
  void TearDown() override {
    catalog_.reset();
    StoreTest::TearDown();
  }

  void script(std::string_view statement) {
    const auto done = catalog_->connection().run(db::Sql{"tamper", statement});
    EXPECT_TRUE(done) << to_string(done.error());
  }

  // Does what the triggers refuse, and leaves no trace in the schema.
  void tamper(std::string_view table, std::string_view sql) {
    std::vector<db::SchemaObject> triggers = catalog_->connection().schema().value();
    std::erase_if(triggers, [&](const db::SchemaObject& object) {
      return object.type != "trigger" || !object.name.starts_with(std::string(table) + "_refuse_");
    });
    for (const auto& trigger : triggers) script("DROP TRIGGER " + trigger.name);
    script(sql);
    for (const auto& trigger : triggers) script(trigger.sql);
  }

  // "entity.field" of each finding, sorted and joined.
  std::string findings() {
    const auto report = publish::verify(*catalog_);
    EXPECT_TRUE(report) << to_string(report.error());
    std::set<std::string> out;
    for (const auto& finding : report->findings) out.insert(finding.entity + "." + finding.field);
    std::string joined;
    for (const auto& text : out) joined += (joined.empty() ? "" : " ") + text;
    return joined;
  }

  std::optional<catalog::Catalog> catalog_;
};

TEST_F(Verify, FindsNothingInWhatWasPublished) {
  const auto report = publish::verify(*catalog_);
  ASSERT_TRUE(report);
  EXPECT_EQ(findings(), "");
  const std::map<std::string, std::int64_t> expected{
      {"schema", std::ssize(catalog::fresh_schema().value())},
      {"project", 1},
      {"operation", 1},
      {"workload", 1},
      {"workload_axis", 1},
      {"implementation", 3},
      {"protocol", 1},
      {"environment", 1},
      {"artifact", 1},
      {"source_snapshot", 1},
      {"source_link", 2},
      {"correction", 1},
      {"audit", 3},
      {"run", 3},
      {"measurement", 3},
      {"pending_run", 1},
      {"cohort", 1},
      {"standing", 2},
      {"record_event", 2},
      {"holder", 1}};
  EXPECT_EQ(report->checked, expected);
}

TEST_F(Verify, SeesAChangedManifest) {
  tamper("run",
         "UPDATE run SET manifest = replace(manifest, '1000', '10') WHERE primary_value"
         " = 1000");
  EXPECT_EQ(findings(), "measurement.value run.digest run.primary_value run.run_digest run.tally");
}

TEST_F(Verify, SeesADamagedManifest) {
  tamper("workload", "UPDATE workload SET manifest = '{'");
  EXPECT_EQ(findings(), "workload.manifest workload.tally");
}

TEST_F(Verify, SeesAChangedValueAndItsConsequences) {
  tamper("run", "UPDATE run SET primary_value = 1 WHERE primary_value = 1000");
  EXPECT_EQ(findings(),
            "cohort.best_value holder.events holder.run_id holder.since record_event.row"
            " run.primary_value run.tally standing.primary_value");
}

TEST_F(Verify, SeesEachDerivedTable) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"DELETE FROM standing", "standing.row"},
      {"UPDATE cohort SET eligible_runs = 9", "cohort.eligible_runs"},
      {"UPDATE cohort SET sourced_runs = 9", "cohort.sourced_runs"},
      {"UPDATE cohort SET reproducible_runs = 9", "cohort.reproducible_runs"},
      {"UPDATE cohort SET native_runs = 9", "cohort.native_runs"},
      {"UPDATE cohort SET primary_metric = 'x'", "cohort.primary_metric"},
      {"UPDATE cohort SET cuda_major = 99", "cohort.cuda_major"},
      {"UPDATE cohort SET sources = '{}'", "cohort.sources"},
      {"DELETE FROM holder", "holder.row"},
      {"INSERT INTO run_trust SELECT run_id, comparison_key, 'k', 's', 2, NULL FROM standing",
       "run_trust.row"},
      {"UPDATE record_event SET previous_run_id = NULL", "record_event.previous_run_id"},
      {"DELETE FROM operation_equivalence", "operation_equivalence.row"},
      {"UPDATE operation_equivalence SET equivalence_key = 'x'",
       "operation_equivalence.equivalence_key"},
      {"DELETE FROM search_term WHERE term = 'axpy' AND field = 'slug'", "search_term.row"},
      {"INSERT INTO search_term SELECT 'extra', id, 'name' FROM operation", "search_term.row"},
  };
  for (const auto& [sql, expected] : cases) {
    auto transaction = catalog_->connection().begin();
    ASSERT_TRUE(catalog_->connection().run(db::Sql{"tamper", sql}));
    EXPECT_EQ(findings(), expected) << sql;
  }
}

TEST_F(Verify, SeesEachKindOfEvidence) {
  const std::tuple<std::string_view, std::string_view, std::string_view> cases[] = {
      {"operation", "UPDATE operation SET family = 'x'",
       "operation.family operation.tally search_term.row"},
      {"implementation", "UPDATE implementation SET license_expression = 'X'",
       "implementation.license_expression implementation.tally run.license_expression"},
      {"project", "UPDATE project SET normalized_name = 'x'",
       "project.normalized_name project.tally"},
      {"protocol", "UPDATE protocol SET harness = 'x'", "protocol.harness protocol.tally"},
      {"environment", "UPDATE environment SET hardware_model = 'x'",
       "environment.hardware_model environment.tally"},
      {"measurement", "UPDATE measurement SET value = 1 WHERE value = 900",
       "measurement.tally measurement.value"},
      {"measurement", "DELETE FROM measurement WHERE value = 900",
       "measurement.row measurement.tally"},
      {"workload_axis", "UPDATE workload_axis SET value = 7", "workload_axis.row"},
      {"artifact", "UPDATE artifact SET content = 'other'",
       "artifact.content_digest artifact.tally"},
      {"pending_run", "UPDATE pending_run SET workload_digest = 'x'",
       "pending_run.tally pending_run.workload_digest"},
      {"pending_run", "UPDATE pending_run SET external_id = 'x'",
       "pending_run.external_id pending_run.tally"},
      {"source_link", "UPDATE source_link SET external_id = 'x' WHERE external_id = 'row/2'",
       "source_link.external_id source_link.tally"},
      {"artifact", "UPDATE artifact SET content = NULL, content_digest = 'sha256:oops'",
       "artifact.content_digest artifact.tally"},
      {"source_snapshot", "UPDATE source_snapshot SET content_digest = upper(content_digest)",
       "source_snapshot.content_digest source_snapshot.tally"},
      {"correction", "UPDATE correction SET actor = 'x'", "correction.actor correction.tally"},
      {"correction", "UPDATE correction SET reason = 'x'", "correction.detail correction.tally"},
      {"audit", "UPDATE audit SET actor = 'x' WHERE action = 'retract'",
       "audit.digest correction.actor"},
      {"audit", "DELETE FROM audit WHERE action = 'retract'", "correction.row correction.tally"},
      {"audit", "UPDATE audit SET id = 'x' WHERE action = 'retract'",
       "audit.digest audit.row correction.row"},
      {"source_link",
       "INSERT INTO source_link (source_id, entity_kind, external_id, entity_id, created_at)"
       " SELECT id, 'run', 'x', 'nowhere', 't' FROM source",
       "source_link.entity_id source_link.tally"},
  };
  for (const auto& [table, sql, expected] : cases) {
    auto transaction = catalog_->connection().begin();
    tamper(table, sql);
    EXPECT_EQ(findings(), expected) << sql;
  }
}

TEST_F(Verify, SeesEachChangeOfTheSchema) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"DROP TRIGGER run_refuse_replace", "run_refuse_replace trigger none"},
      {"DROP INDEX run_by_time", "run_by_time index none"},
      {"CREATE TRIGGER more AFTER INSERT ON run BEGIN SELECT 1; END", "more trigger CREATE"},
      {"CREATE TABLE more (a TEXT)", "more table CREATE"},
      {"CREATE VIEW more AS SELECT 1", "more view CREATE"},
      {"DROP TABLE search_term", "search_term table none"},
      {"ALTER TABLE run ADD COLUMN more TEXT", "run table CREATE"},
      {"ALTER TABLE measurement RENAME COLUMN value TO worth", "measurement table CREATE"},
  };
  for (const auto& [sql, expected] : cases) {
    auto transaction = catalog_->connection().begin();
    script(sql);
    const auto report = publish::verify(*catalog_);
    ASSERT_TRUE(report) << sql << ": " << to_string(report.error());
    ASSERT_GE(report->findings.size(), 1U) << sql;
    const auto found = std::ranges::find_if(report->findings, [&](const auto& finding) {
      return finding.entity == "schema" &&
             (finding.id + " " + finding.field + " " + finding.stored).starts_with(expected);
    });
    EXPECT_NE(found, report->findings.end()) << sql;
  }
}

TEST_F(Verify, SeesAChangedTrigger) {
  script("DROP TRIGGER run_refuse_delete");
  script("CREATE TRIGGER run_refuse_delete BEFORE DELETE ON run WHEN 0 BEGIN SELECT 1; END");
  EXPECT_EQ(findings(), "schema.trigger");
}

}  // namespace
}  // namespace ki::test
