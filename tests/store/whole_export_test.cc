// An export holds all that a catalog is made of: imported into an empty one and exported again, it
// is the same bytes; and whatever is wrong in one of its columns is said.

#include <filesystem>
#include <functional>

#include "base/text.h"
#include "catalog/dump.h"
#include "catalog/dump_tables.h"
#include "import/export/export.h"
#include "import/export/tables.h"
#include "import/liger/liger.h"
#include "import/manifests.h"
#include "import/registry.h"
#include "json/read.h"
#include "json/write.h"
#include "publish/verify.h"
#include "store/whole_catalog.h"
#include "support/places.h"

namespace ki::test {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

std::string dump(catalog::Catalog& catalog) {
  std::string out;
  const auto lines = catalog::dump(catalog.connection(), [&](std::string_view line) -> Status {
    out.append(line).append("\n");
    return {};
  });
  EXPECT_TRUE(lines) << to_string(lines.error());
  return out;
}

class WholeExport : public WholeCatalogTest {
 protected:
  importer::Report import_prepared(catalog::Catalog& catalog, Result<importer::Prepared> prepared) {
    EXPECT_TRUE(prepared) << to_string(prepared.error());
    auto report = importer::run_import(catalog, std::move(*prepared), clock_,
                                       {.publish = true, .actor = "importer"});
    EXPECT_TRUE(report) << to_string(report.error());
    return std::move(*report);
  }
  importer::Report import_lines(catalog::Catalog& catalog, const std::string& lines) {
    return import_prepared(catalog, importer::prepare_export({"export.jsonl", lines}));
  }

  static void expect_clean(catalog::Catalog& catalog) {
    const auto report = publish::verify(catalog);
    ASSERT_TRUE(report);
    for (const auto& finding : report->findings) {
      ADD_FAILURE() << finding.entity << " " << finding.id << " " << finding.field << ": "
                    << finding.stored << ", expected " << finding.expected;
    }
  }

  // The instant from which on nothing of the shared data was observed in the future.
  void after_the_data() { clock_.set(*parse_instant("2026-09-01T00:00:00Z")); }

  // Exports the catalog, imports that a day later into an empty one, and exports it again.
  void expect_same_again(catalog::Catalog& first) {
    const std::string exported = dump(first);
    clock_.set(clock_.now() + std::chrono::hours(24));
    catalog::Catalog second = catalog_at("second.db");
    const auto report = import_lines(second, exported);
    EXPECT_THAT(report.issues, IsEmpty());
    EXPECT_THAT(report.ambiguities, IsEmpty());
    EXPECT_THAT(report.drift_warnings, IsEmpty());
    EXPECT_TRUE(dump(second) == exported) << "the second export differs";
    EXPECT_EQ(counts(second), counts(first));
    expect_clean(second);
    import_lines(second, exported);
    EXPECT_TRUE(dump(second) == exported) << "importing again changes something";
  }

  static std::optional<fs::path> shared() { return places::shared_data("data"); }
};

TEST_F(WholeExport, EveryKindOfRowComesBack) {
  catalog::Catalog first = catalog_at("first.db");
  fill(first);
  const auto rows = counts(first);
  EXPECT_EQ(rows.at("pending_run"), 1);
  EXPECT_EQ(rows.at("artifact_link"), 2);
  EXPECT_EQ(text(first, "SELECT COUNT(*) FROM run WHERE published_at IS NULL"), "1");
  EXPECT_EQ(text(first, "SELECT COUNT(*) FROM run WHERE created_at <> published_at"), "1");
  expect_same_again(first);
}

TEST_F(WholeExport, TheRegistryComesBack) {
  catalog::Catalog first = catalog_at("first.db");
  import_prepared(first, importer::prepare_registry());
  expect_same_again(first);
}

TEST_F(WholeExport, ALigerImportWithPendingSeedsComesBack) {
  const auto data = shared();
  if (!data) GTEST_SKIP() << "the shared data is not here";
  after_the_data();
  catalog::Catalog first = catalog_at("first.db");
  std::vector<importer::InputFile> seeds;
  for (const auto& entry : fs::directory_iterator(*data / "seeds")) {
    auto file = importer::read_input(entry.path().string());
    ASSERT_TRUE(file);
    seeds.push_back(std::move(*file));
  }
  import_prepared(first, importer::prepare_manifests(seeds));
  EXPECT_NE(text(first, "SELECT COUNT(*) FROM pending_run"), "0");
  tick();
  const auto table = importer::read_input((*data / "liger-all_benchmark_data.csv").string());
  ASSERT_TRUE(table);
  import_prepared(first, importer::prepare_liger({&*table, 1}, {}));
  expect_same_again(first);
}

TEST_F(WholeExport, AnImportedPublicExportComesBack) {
  const auto data = shared();
  if (!data) GTEST_SKIP() << "the shared data is not here";
  after_the_data();
  const auto file =
      importer::read_input((*data / "catalog-2026-08-16-94af2ae7.jsonl.zst").string());
  ASSERT_TRUE(file);
  catalog::Catalog first = catalog_at("first.db");
  import_prepared(first, importer::prepare_export(*file));
  const std::string pairs =
      "SELECT COUNT(*) FROM operation_equivalence a JOIN operation_equivalence b "
      "ON a.equivalence_key = b.equivalence_key AND a.operation_id < b.operation_id";
  EXPECT_EQ(text(first, pairs), "26") << "as the public rule gives for this export";
  expect_same_again(first);
}

TEST_F(WholeExport, ALineThatIsCutOutIsNoticed) {
  catalog::Catalog first = catalog_at("first.db");
  fill(first);
  const std::string exported = dump(first);
  std::set<std::string_view> cut;
  for (const std::string_view line : split(exported, '\n')) {
    if (line.empty()) continue;
    // Its name alone: the first line of each table.
    const std::string_view table = line.substr(0, line.find(",\"row\""));
    const bool follows = table.contains("record_events") || table.contains("operation_relations");
    if (!cut.insert(table).second || follows) continue;
    std::string rest = exported;
    rest.erase(rest.find(line), line.size() + 1);
    catalog::Catalog second = catalog_at("without" + std::to_string(cut.size()) + ".db");
    const auto report = import_lines(second, rest);
    EXPECT_FALSE(report.issues.empty() && report.ambiguities.empty()) << table;
    expect_clean(second);
  }
}

// One row of an export, which can be changed and put together again.
struct Line {
  std::string table;
  std::vector<std::pair<std::string, std::string>> columns;  // names and JSON texts

  static Line of(std::string_view text) {
    const auto document = json::parse(text);
    if (!document) stop("no line", __FILE__, __LINE__);
    Line line{.table = std::string(document->root.find("table")->string()), .columns = {}};
    for (const json::Member& member : document->root.find("row")->members()) {
      std::string value;
      json::append_compact(value, member.value);
      line.columns.emplace_back(member.key, std::move(value));
    }
    return line;
  }
  std::string text() const {
    std::string out;
    json::Writer writer(out);
    writer.begin_object().key("table").string(table).key("row").begin_object();
    for (const auto& [name, value] : columns) writer.key(name).raw(value);
    writer.end_object().end_object();
    return out;
  }
};

// JSON texts that the column must not be.
std::vector<std::string> wrong_values(const importer::Column& column) {
  using importer::Form;
  std::vector<std::string> out{"[[]]"};
  if (column.need == importer::Need::value) out.emplace_back("null");
  switch (column.form) {
    case Form::uuid:
      out.insert(out.end(), {"7", "\"\"", "\"x\"", "\"01A00328-723D-752F-B21F-BCCBAE31E0FF\"",
                             "\"01a00328-723d-752f-b21f-bccbae31e0ff\""});  // of no row
      if (column.name == "id") out.pop_back();
      break;
    case Form::instant:
      out.insert(out.end(), {"7", "\"\"", "\"yesterday\"", "\"2026-02-30T00:00:00.000Z\"",
                             "\"2026-01-01\"", "\"2026-01-01T00:00:00.000+01:00\""});
      break;
    case Form::digest:
      out.insert(out.end(), {"7", "\"sha256:00\"", "\"sha256:" + std::string(64, 'A') + "\""});
      break;
    case Form::slug:
      out.insert(out.end(), {"7", "\"\"", "\"A b\"", "\"" + std::string(101, 'a') + "\""});
      break;
    case Form::token:
      out.insert(out.end(), {"7", "\"\"", "\"a b\"", "\"" + std::string(101, 'a') + "\""});
      if (!column.values.empty()) out.emplace_back("\"other\"");
      break;
    case Form::line:
      out.insert(out.end(), {"7", "\"\"", "\"  \"", "\"a\\u0000\"", "\"a\\nb\"", "\" a\"",
                             "\"" + std::string(column.bytes_max + 1, 'a') + "\""});
      break;
    case Form::text:
      out.insert(out.end(), {"7", "{}"});
      break;
    case Form::url:
      out.insert(out.end(), {"7", "\"\"", "\"javascript:alert(1)\"", "\"http:/\""});
      break;
    case Form::flag:
      out.insert(out.end(), {"7", "\"true\""});
      break;
    case Form::count:
      out.insert(out.end(), {"\"7\"", "-1", "1.5", "1e300"});
      break;
    case Form::number:
      out.insert(out.end(), {"\"7\"", "true"});
      break;
    case Form::lines:
      out.insert(out.end(), {"\"a\"", "[7]", "[\"\"]", "[\"a\",\"a\"]"});
      break;
    case Form::object:
      out.insert(out.end(), {"7", "\"{}\"", "[]"});
      break;
  }
  return out;
}

TEST_F(WholeExport, EveryDescribedColumnIsWrittenAndEveryWrittenOneDescribed) {
  const auto known = importer::known_tables();
  for (const catalog::DumpTable& table : catalog::dump_tables()) {
    const auto described = std::ranges::find(known, table.name, &importer::TableColumns::name);
    ASSERT_NE(described, known.end()) << table.name;
    std::set<std::string_view> written;
    for (const auto& field : table.fields) {
      written.insert(field.name);
      EXPECT_TRUE(std::ranges::find(described->columns, field.name, &importer::Column::name) !=
                  described->columns.end())
          << table.name << "." << field.name;
    }
    for (const importer::Column& column : described->columns) {
      EXPECT_TRUE(column.need == importer::Need::optional || written.contains(column.name))
          << table.name << "." << column.name;
    }
  }
}

TEST_F(WholeExport, WhateverIsWrongInAColumnIsSaid) {
  catalog::Catalog first = catalog_at("first.db");
  fill(first);
  std::vector<std::string> lines;
  const std::string exported = dump(first);
  for (const std::string_view line : split(exported, '\n')) {
    if (!line.empty()) lines.emplace_back(line);
  }
  std::set<std::string> seen;
  int tried = 0;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const Line line = Line::of(lines[at]);
    if (!seen.insert(line.table).second) continue;
    const auto known = importer::known_tables();
    const auto table = std::ranges::find(known, line.table, &importer::TableColumns::name);
    ASSERT_NE(table, known.end());
    for (const importer::Column& column : table->columns) {
      // nullopt: the column is taken away.
      std::vector<std::optional<std::string>> wrong;
      for (std::string& value : wrong_values(column)) wrong.emplace_back(std::move(value));
      if (column.need != importer::Need::optional) wrong.emplace_back(std::nullopt);
      for (const auto& value : wrong) {
        Line changed = line;
        std::erase_if(changed.columns, [&](const auto& c) { return c.first == column.name; });
        if (value) changed.columns.emplace_back(column.name, *value);
        std::string text;
        for (std::size_t i = 0; i < lines.size(); ++i) {
          text += (i == at ? changed.text() : lines[i]) + "\n";
        }
        const auto prepared = importer::prepare_export({"export.jsonl", std::move(text)});
        ASSERT_TRUE(prepared);
        const auto said = std::ranges::any_of(prepared->report.issues, [&](const auto& issue) {
          return issue.line == static_cast<std::int64_t>(at) + 1 &&
                 issue.item.starts_with(line.table) &&
                 issue.problem.contains(std::string(column.name));
        });
        EXPECT_TRUE(said) << line.table << "." << column.name << " = "
                          << value.value_or("absent").substr(0, 80);
        ++tried;
      }
    }
  }
  EXPECT_GT(tried, 600);
}

TEST_F(WholeExport, ARelationThatDoesNotFollowIsSaid) {
  catalog::Catalog first = catalog_at("first.db");
  publish::Bundle bundle = bundle_of({{"a", 1000}});
  bundle.operations.push_back({.manifest = operation("level-one"), .slug = "001-axpy"});
  bundle.operations.push_back({.manifest = operation("other"), .slug = "001-other"});
  publish_ok(first, bundle);
  const std::string exported = dump(first);
  EXPECT_EQ(std::ranges::count(split(exported, '\n'), true,
                               [](std::string_view line) {
                                 return line.starts_with(R"({"table":"operation_relations")");
                               }),
            1);
  const auto id = [&](std::string_view slug) {
    return text(first, "SELECT id FROM operation WHERE slug = $1", slug);
  };
  const auto problem = [&](std::string_view a, std::string_view b) {
    const auto prepared = importer::prepare_export(
        {"export.jsonl", exported + R"({"table":"operation_relations","row":{"operationId":")" +
                             id(a) + R"(","relatedId":")" + id(b) +
                             R"(","relation":"exactly_equivalent","rationale":"so"}})" + "\n"});
    EXPECT_TRUE(prepared);
    return prepared->report.issues.empty() ? "" : prepared->report.issues.front().problem;
  };
  EXPECT_EQ(problem("001-axpy", "001-other"),
            "relatedId: 001-axpy and 001-other are not equivalent: their specs or slugs differ");
  EXPECT_EQ(problem("axpy", "001-axpy"), "relatedId: the smaller slug comes first, once");
  EXPECT_EQ(problem("001-axpy", "axpy"), "relatedId: an earlier row is the same relation");
}

TEST_F(WholeExport, AColumnThatIsNotKnownIsNamed) {
  catalog::Catalog first = catalog_at("first.db");
  fill(first);
  std::string exported = dump(first);
  const std::string_view at = "\"row\":{";
  exported.insert(exported.find(at) + at.size(), "\"moons\":2,");
  const auto prepared = importer::prepare_export({"export.jsonl", exported});
  ASSERT_TRUE(prepared);
  EXPECT_THAT(prepared->report.issues, IsEmpty());
  ASSERT_EQ(prepared->report.drift_warnings.size(), 1U);
  EXPECT_TRUE(prepared->report.drift_warnings[0].contains("\"moons\""));
}

TEST_F(WholeExport, ARecordEventThatDoesNotFollowIsSaid) {
  catalog::Catalog first = catalog_at("first.db");
  fill(first);
  const std::string exported = dump(first);
  const auto changed = [&](const std::function<void(Line&)>& change) {
    std::string out;
    for (const std::string_view text : split(exported, '\n')) {
      if (text.empty()) continue;
      Line line = Line::of(text);
      if (line.table == "record_events") change(line);
      out += line.text() + "\n";
    }
    return out;
  };
  int n = 0;
  for (const std::string name : {"at", "previousRunId", "cause"}) {
    const std::string text = changed([&](Line& line) {
      for (auto& [column, value] : line.columns) {
        if (column != name) continue;
        value = name == "at"      ? "\"2026-01-09T00:00:00.000Z\""
                : name == "cause" ? "\"supersession\""
                : value == "null" ? "\"" + run_of(first, "a") + "\""
                                  : "null";
      }
    });
    catalog::Catalog second = catalog_at("event" + std::to_string(++n) + ".db");
    const auto report = import_lines(second, text);
    EXPECT_TRUE(std::ranges::any_of(report.ambiguities, [](const std::string& note) {
      return note.starts_with("record event ");
    })) << name;
    expect_clean(second);
  }
}

}  // namespace
}  // namespace ki::test
