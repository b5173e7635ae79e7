// verify(): clean on what publish() wrote, and one finding for each thing that was tampered with.

#include "publish/verify.h"

#include "store/store_test.h"

namespace ki::test {
namespace {

class Verify : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    catalog_.emplace(open());
    publish::Bundle bundle = bundle_of({{"a", 1000, "2026-01-01T00:00:00Z", "row/1"},
                                        {"b", 900, "2026-01-02T00:00:00Z", "row/2"}});
    bundle.runs[0].artifacts.push_back({.role = "logs",
                                        .kind = "log",
                                        .media_type = "text/plain",
                                        .digest = sha256("hello"),
                                        .size_bytes = 5,
                                        .content = "hello"});
    publish_ok(*catalog_, bundle);
    publish::Bundle seed = bundle_of({{"c"}});
    seed.implementations.clear();
    publish_ok(*catalog_, seed);  // one pending run
  }
  void TearDown() override {
    catalog_.reset();
    StoreTest::TearDown();
  }

  // Does what the triggers refuse.
  void tamper(std::string_view table, std::string_view sql) {
    const auto script = [&](const std::string& statement) {
      const auto done = catalog_->connection().run(db::Sql{"tamper", statement});
      EXPECT_TRUE(done) << to_string(done.error());
    };
    script("DROP TRIGGER IF EXISTS " + std::string(table) + "_refuse_update");
    script("DROP TRIGGER IF EXISTS " + std::string(table) + "_refuse_delete");
    script(std::string(sql));
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
      {"project", 1},       {"operation", 1},      {"workload", 1},
      {"workload_axis", 1}, {"implementation", 2}, {"protocol", 1},
      {"environment", 1},   {"artifact", 1},       {"run", 2},
      {"measurement", 2},   {"pending_run", 1},    {"cohort", 1},
      {"standing", 2},      {"record_event", 2},   {"holder", 1}};
  EXPECT_EQ(report->checked, expected);
}

TEST_F(Verify, SeesAChangedManifest) {
  tamper("run",
         "UPDATE run SET manifest = replace(manifest, '1000', '10') WHERE primary_value"
         " = 1000");
  EXPECT_EQ(findings(), "measurement.value run.digest run.primary_value run.run_digest");
}

TEST_F(Verify, SeesADamagedManifest) {
  tamper("workload", "UPDATE workload SET manifest = '{'");
  EXPECT_EQ(findings(), "workload.manifest");
}

TEST_F(Verify, SeesAChangedValueAndItsConsequences) {
  tamper("run", "UPDATE run SET primary_value = 1 WHERE primary_value = 1000");
  EXPECT_EQ(findings(),
            "cohort.best_value holder.events holder.run_id holder.since record_event.row"
            " run.primary_value standing.primary_value");
}

TEST_F(Verify, SeesEachDerivedTable) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"DELETE FROM standing", "standing.row"},
      {"UPDATE cohort SET eligible_runs = 9", "cohort.eligible_runs"},
      {"DELETE FROM holder", "holder.row"},
      {"UPDATE record_event SET previous_run_id = NULL", "record_event.previous_run_id"},
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
      {"operation", "UPDATE operation SET family = 'x'", "operation.family search_term.row"},
      {"implementation", "UPDATE implementation SET license_expression = 'X'",
       "implementation.license_expression run.license_expression"},
      {"project", "UPDATE project SET normalized_name = 'x'", "project.normalized_name"},
      {"protocol", "UPDATE protocol SET harness = 'x'", "protocol.harness"},
      {"environment", "UPDATE environment SET hardware_model = 'x'", "environment.hardware_model"},
      {"measurement", "UPDATE measurement SET value = 1 WHERE value = 900", "measurement.value"},
      {"measurement", "DELETE FROM measurement WHERE value = 900", "measurement.row"},
      {"workload_axis", "UPDATE workload_axis SET value = 7", "workload_axis.row"},
      {"artifact", "UPDATE artifact SET content = 'other'", "artifact.content_digest"},
      {"pending_run", "UPDATE pending_run SET workload_digest = 'x'",
       "pending_run.workload_digest"},
      {"source_link",
       "INSERT INTO source_link (source_id, entity_kind, external_id, entity_id, created_at)"
       " SELECT id, 'run', 'x', 'nowhere', 't' FROM source",
       "source_link.entity_id"},
  };
  for (const auto& [table, sql, expected] : cases) {
    auto transaction = catalog_->connection().begin();
    tamper(table, sql);
    EXPECT_EQ(findings(), expected) << sql;
  }
}

}  // namespace
}  // namespace ki::test
