// Which function takes the rows of which table, and what holds for every row.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "import/export/columns.h"
#include "import/export/reader.h"

namespace ki::importer {

namespace {

struct Handled {
  std::string_view table;
  std::string (ExportReader::*handler)(ExportReader::Row);
};

}  // namespace

ExportReader::Handler ExportReader::handler_of(std::string_view table) {
  using R = ExportReader;
  static constexpr Handled kHandled[] = {
      {"sources", &R::add_source},
      {"source_snapshots", &R::add_snapshot},
      {"projects", &R::add_project},
      {"operations", &R::add_operation},
      {"operation_aliases", &R::add_alias},
      {"operation_relations", &R::add_relation},
      {"workloads", &R::add_workload},
      {"implementations", &R::add_implementation},
      {"protocols", &R::add_protocol},
      {"environments", &R::add_environment},
      {"benchmark_runs", &R::add_run},
      {"measurements", &R::add_measurement},
      {"pending_runs", &R::add_pending},
      {"corrections", &R::add_correction},
      {"attestations", &R::add_attestation},
      {"signed_statements", &R::add_statement},
      {"runner_events", &R::add_runner_event},
      {"record_events", &R::add_record_event},
      {"artifacts", &R::add_artifact},
      {"artifact_links", &R::add_artifact_link},
      {"source_links", &R::add_source_link},
      {"model_revisions", &R::add_model},
      {"serving_stack_revisions", &R::add_stack},
      {"serving_configurations", &R::add_configuration},
      {"serving_workloads", &R::add_serving_workload},
      {"serving_runs", &R::add_serving_run},
      {"serving_measurements", &R::add_serving_measurement},
      {"audit", &R::add_audit},
  };
  const auto* const found = std::ranges::find(kHandled, table, &Handled::table);
  return found == std::end(kHandled) ? nullptr : found->handler;
}

namespace {

// `id` is a UUID.
RowId row_id(const TableColumns& table, std::string_view id) {
  RowId out{.words = {}, .table = &table};
  std::size_t digits = 0;
  for (const char c : id) {
    if (c == '-') continue;
    std::uint64_t& word = out.words.at(digits++ / 16 % 2);
    word = word << 4 | static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return out;
}

}  // namespace

std::string ExportReader::take(const TableColumns& table, Handler handler, Row row) {
  std::vector<std::string_view> unknown;
  if (auto problem = check_columns(table, row.value, unknown); !problem.empty()) return problem;
  for (const std::string_view column : unknown) {
    if (report_.drift_warnings.size() > kDriftListed) break;
    add_once(report_.drift_warnings,
             report_.drift_warnings.size() == kDriftListed
                 ? "and more columns that are not known"
                 : fmt::format("{}: column \"{}\" is not known and was not read", table.name,
                               excerpt(column)));
  }
  const std::string_view id = text(row.value, "id");
  const RowId key = row_id(table, id);
  if (!id.empty() && !ids_.insert(key).second) return "id: an earlier row has it";
  auto problem = (this->*handler)(row);
  if (!problem.empty() && !id.empty()) ids_.erase(key);  // the next may have it
  return problem;
}

void ExportReader::add(ReadLine read, std::string_view line, std::int64_t number) {
  const auto& document = read.document;
  ++report_.discovered["lines"];
  if (!document) {
    add_issue(report_, file_, 0, number, {}, document.error().front().message);
    return;
  }
  const json::Value* row = document->root.find("row");
  const std::string table(text(document->root, "table"));
  if (row == nullptr || !row->is_object() || table.empty() ||
      document->root.members().size() != 2) {
    add_issue(report_, file_, 0, number, {}, "the line is no {\"table\", \"row\"}");
    return;
  }
  const auto tables = known_tables();
  const auto known = std::ranges::find(tables, std::string_view(table), &TableColumns::name);
  if (known == tables.end()) {
    ++report_.discovered["unknownTables"];
    if (report_.drift_warnings.size() < kDriftListed) {
      add_once(report_.drift_warnings, fmt::format("unknown table \"{}\"", excerpt(table)));
    }
    add_issue(report_, file_, 0, number, excerpt(table), "the table is not known");
    return;
  }
  ++report_.discovered[table];
  const Handler handler = handler_of(table);
  if (handler == nullptr) {
    ++report_.skipped["derived"][table];
    return;
  }
  if (known->ours) ours_ = true;
  line_ = number;
  if (auto problem = take(*known, handler, {*row, line, read}); !problem.empty()) {
    const std::string_view id = text(*row, row->find("id") != nullptr ? "id" : "alias");
    add_issue(report_, file_, 0, number, fmt::format("{} {}", table, excerpt(id)),
              std::move(problem));
  }
}

}  // namespace ki::importer
