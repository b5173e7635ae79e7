// A catalog that is exported and imported again comes back with its corrections.

#include <algorithm>

#include "base/text.h"
#include "catalog/dump.h"
#include "import/export/export.h"
#include "import/export/tables.h"
#include "import/importer.h"
#include "publish/corrections.h"
#include "publish/verify.h"
#include "store/store_test.h"

namespace ki::test {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class RoundTrip : public StoreTest {
 protected:
  catalog::Catalog catalog_at(const std::string& name) {
    auto opened =
        catalog::Catalog::open((folder_ / name).string(), clock_, {.mode = db::Mode::create});
    EXPECT_TRUE(opened) << to_string(opened.error());
    return std::move(opened).value();
  }

  static std::string dump(catalog::Catalog& catalog) {
    std::string out;
    const auto lines = catalog::dump(catalog.connection(), [&](std::string_view line) -> Status {
      out.append(line).append("\n");
      return {};
    });
    EXPECT_TRUE(lines);
    return out;
  }

  importer::Report import_lines(catalog::Catalog& catalog, std::string lines) {
    auto prepared = importer::prepare_export({"export.jsonl", std::move(lines)});
    EXPECT_TRUE(prepared) << to_string(prepared.error());
    auto report = importer::run_import(catalog, std::move(*prepared), clock_,
                                       {.publish = true, .actor = "importer"});
    EXPECT_TRUE(report) << to_string(report.error());
    return std::move(*report);
  }

  static void expect_clean(catalog::Catalog& catalog) {
    const auto report = publish::verify(catalog);
    ASSERT_TRUE(report);
    for (const auto& finding : report->findings) {
      ADD_FAILURE() << finding.entity << " " << finding.id << " " << finding.field << ": "
                    << finding.stored << ", expected " << finding.expected;
    }
  }

  void tick() { clock_.set(clock_.now() + std::chrono::seconds(1)); }

  // Runs that are retracted, retracted and restored, superseded, and superseded no more.
  catalog::Catalog corrected() {
    catalog::Catalog catalog = catalog_at("first.db");
    publish_ok(catalog, bundle_of({{"a", 1000, "2026-01-01T00:00:00Z", "row/1"},
                                   {"b", 900, "2026-01-02T00:00:00Z"},
                                   {"c", 950, "2026-01-03T00:00:00Z"},
                                   {"b", 800, "2026-01-04T00:00:00Z"},
                                   {"c", 700, "2026-01-05T00:00:00Z"},
                                   {"f", 600, "2026-01-06T00:00:00Z"}}));
    tick();
    publish_ok(catalog, bundle_of({{"a", 990, "2026-01-07T00:00:00Z", "row/1"}}));
    const auto run = [&](std::int64_t latency_ns) {
      return text(catalog, "SELECT id FROM run WHERE primary_value = $1", latency_ns);
    };
    const publish::Justification curator{.actor = "Jürgen", .reason = "the timer was wrong"};
    const publish::Justification other{.actor = "other", .reason = "it was \"right\"\nafter all"};
    const auto done = [&](const auto& result) {
      EXPECT_TRUE(result) << to_string(result.error());
      tick();
    };
    tick();
    done(publish::retract(catalog, run(600), curator, clock_));
    done(publish::retract(catalog, run(700), curator, clock_));
    done(publish::restore(catalog, run(700), other, clock_));
    done(
        publish::supersede(catalog, {.run_id = run(800), .older_run_id = run(900)}, other, clock_));
    done(
        publish::supersede(catalog, {.run_id = run(700), .older_run_id = run(950)}, other, clock_));
    done(publish::retract(catalog, run(950), curator, clock_));
    done(publish::restore(catalog, run(950), curator, clock_));
    done(publish::restore(catalog, run(950), curator, clock_));
    return catalog;
  }
};

TEST_F(RoundTrip, ACatalogWithCorrectionsComesBackEqual) {
  catalog::Catalog first = corrected();
  const std::string exported = dump(first);
  catalog::Catalog second = catalog_at("second.db");
  const auto report = import_lines(second, exported);
  EXPECT_THAT(report.issues, IsEmpty());
  EXPECT_THAT(report.ambiguities, IsEmpty());
  EXPECT_EQ(report.actions.at("corrections"), 9);
  EXPECT_EQ(dump(second), exported);
  EXPECT_EQ(holder(second), holder(first));
  EXPECT_EQ(events(second), events(first));
  for (const auto* table : {"correction", "standing", "holder", "cohort"}) {
    EXPECT_EQ(counts(second)[table], counts(first)[table]) << table;
  }
  expect_clean(first);
  expect_clean(second);

  const auto again = import_lines(second, exported);
  EXPECT_THAT(again.ambiguities, IsEmpty());
  EXPECT_EQ(again.actions.at("corrections"), 0);
  EXPECT_EQ(dump(second), exported);
}

TEST_F(RoundTrip, WhatWasCorrectedSinceIsTakenOverToo) {
  catalog::Catalog first = corrected();
  catalog::Catalog second = catalog_at("second.db");
  import_lines(second, dump(first));
  tick();
  ASSERT_TRUE(publish::restore(first, run_of(first, "f"),
                               {.actor = "x", .reason = "the clock was fine"}, clock_));
  const std::string exported = dump(first);
  EXPECT_EQ(import_lines(second, exported).actions.at("corrections"), 1);
  EXPECT_EQ(dump(second), exported);
  expect_clean(second);
}

// Leaves out the tables that the public format does not have.
std::string as_public(const std::string& lines) {
  std::string out;
  for (const std::string_view line : split(lines, '\n')) {
    const bool ours =
        std::ranges::any_of(importer::known_tables(), [&](const importer::TableColumns& table) {
          return table.ours && line.contains("\"table\":\"" + std::string(table.name) + "\"");
        });
    if (!line.empty() && !ours) out.append(line).append("\n");
  }
  return out;
}

TEST_F(RoundTrip, ColumnsOfThePublicFormatBecomeTheCorrectionsTheyState) {
  catalog::Catalog first = corrected();
  const std::string exported = as_public(dump(first));
  catalog::Catalog second = catalog_at("second.db");
  const auto report = import_lines(second, exported);
  EXPECT_THAT(report.issues, IsEmpty());
  // When one run was put in the place of another is not stated there, so that event is another.
  EXPECT_THAT(report.ambiguities, Each(StartsWith("record event ")));
  EXPECT_EQ(report.actions.at("corrections"), 3);  // the retraction and two supersessions in force
  const std::string f = run_of(second, "f");
  EXPECT_EQ(
      text(second,
           "SELECT group_concat(action || ' ' || actor || ' ' || reason || ' ' || at)"
           " FROM correction WHERE run_id = $1",
           f),
      "retract import the timer was wrong " +
          text(first, "SELECT at FROM correction WHERE run_id = $1 AND action = 'retract'", f));
  EXPECT_EQ(holder(second), holder(first));
  for (const auto* table : {"run", "standing"}) {
    EXPECT_EQ(counts(second)[table], counts(first)[table]) << table;
  }
  expect_clean(second);
  // What a curator decided since stays.
  tick();
  ASSERT_TRUE(publish::restore(second, f, {.actor = "x", .reason = "it is fine"}, clock_));
  EXPECT_EQ(import_lines(second, exported).actions.at("corrections"), 0);
  EXPECT_EQ(holder(second), "f");
}

TEST_F(RoundTrip, ACorrectionOfTheFutureOrWithATakenIdIsNotTakenOver) {
  catalog::Catalog first = corrected();
  const std::string exported = dump(first);
  catalog::Catalog second = catalog_at("second.db");
  const std::string run = run_of(first, "f");
  const auto line = [&](std::string_view id, std::string_view at) {
    return R"({"table":"corrections","row":{"id":")" + std::string(id) +
           R"(","action":"restore","runId":")" + run +
           R"(","actor":"x","reason":"because","at":")" + std::string(at) + "\"}}\n";
  };
  constexpr std::string_view kId = R"("corrections","row":{"id":")";
  const std::string taken = exported.substr(exported.find(kId) + kId.size(), 36);
  const auto report = import_lines(
      second, exported + line("01a00328-723d-752f-b21f-bccbae31e009", "9999-12-31T23:59:59.999Z") +
                  line(taken, "2026-01-01T00:00:00.000Z"));
  EXPECT_EQ(dump(second), exported);
  EXPECT_TRUE(std::ranges::any_of(report.ambiguities, [](const std::string& text) {
    return text.contains("dated in the future");
  }));
  expect_clean(second);
}

TEST_F(RoundTrip, ACorrectionThatDoesNotApplyIsReportedAndTheRestGoesIn) {
  catalog::Catalog first = corrected();
  const std::string exported = dump(first);
  catalog::Catalog second = catalog_at("second.db");
  const std::string run = run_of(first, "f");
  const auto line = [&](std::string_view id_end, std::string_view action, std::string_view more) {
    return R"({"table":"corrections","row":{"id":"01a00328-723d-752f-b21f-bccbae31e)" +
           std::string(id_end) + R"(","action":")" + std::string(action) + R"(","runId":")" + run +
           R"(","actor":"x","reason":"because","at":"2026-02-01T12:00:00.000Z")" +
           std::string(more) + "}}\n";
  };
  const auto report = import_lines(
      second, exported + line("001", "retract", "") + line("002", "delete", "") +
                  line("003", "supersede", R"(,"supersededRunId":"nobody")") +
                  line("004", "supersede", R"(,"supersededRunId":")" + run + "\"") +
                  line("xyz", "restore", "") + line("005", "restore", R"(,"actor":"")"));
  EXPECT_THAT(report.ambiguities,
              ElementsAre(HasSubstr("it is retracted already"), HasSubstr("itself")));
  EXPECT_THAT(report.issues, SizeIs(4));
  EXPECT_EQ(dump(second), exported);
  expect_clean(second);
}

}  // namespace
}  // namespace ki::test
