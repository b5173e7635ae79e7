#include "import/liger/rows.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "import/csv.h"
#include "import/looks_like.h"

namespace ki::importer::liger {

namespace {

struct Column {
  std::string_view name;
  std::string Row::* member;  // nullptr: required, but not used
};

constexpr Column kColumns[] = {
    {"kernel_name", &Row::kernel},
    {"kernel_provider", &Row::provider},
    {"kernel_operation_mode", &Row::mode},
    {"metric_name", &Row::metric},
    {"metric_unit", &Row::unit},
    {"x_name", &Row::x_name},
    {"x_label", nullptr},
    {"x_value", &Row::x_value},
    {"y_value_50", &Row::y50},
    {"y_value_20", &Row::y20},
    {"y_value_80", &Row::y80},
    {"extra_benchmark_config_str", &Row::config},
    {"gpu_name", &Row::gpu},
    {"timestamp", &Row::timestamp},
    {"liger_version", &Row::liger_version},
};

std::string name_of(char separator) {
  return separator == '\t' ? "a tab" : fmt::format("\"{}\"", separator);
}

Status check_header(const InputFile& file, const CsvRecord& header) {
  if (!header.problem.empty()) return fail(Code::invalid, header.problem, file.name);
  if (const auto separator = wrong_separator(header.fields)) {
    return fail(Code::invalid,
                fmt::format("the columns are separated by {}, not by a comma; write it as "
                            "comma-separated values",
                            name_of(*separator)),
                file.name);
  }
  std::vector<std::string> missing;
  for (const Column& column : kColumns) {
    const auto count = std::ranges::count(header.fields, column.name,
                                          [](const std::string& field) { return trim(field); });
    if (count == 0) missing.emplace_back(column.name);
    if (count > 1) {
      return fail(Code::invalid, fmt::format("column {} is there {} times", column.name, count),
                  file.name);
    }
  }
  if (missing.empty()) return {};
  return fail(Code::invalid,
              fmt::format("required column{} {} {} missing", missing.size() == 1 ? "" : "s",
                          join(missing, ", "), missing.size() == 1 ? "is" : "are"),
              file.name);
}

Row make_row(const std::vector<std::string>& names, const CsvRecord& record) {
  Row row;
  row.number = record.number;
  row.line = record.line;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto value = std::string(trim(record.fields[i]));
    const auto* const known = std::ranges::find(kColumns, names[i], &Column::name);
    if (known == std::end(kColumns)) {
      row.extra.emplace_back(names[i], value);
    } else if (known->member != nullptr) {
      row.*(known->member) = value;
    }
  }
  return row;
}

std::string count_problem(std::size_t fields, std::size_t columns) {
  return fmt::format("{} field{} where the header has {}; a comma inside a field needs quotes",
                     fields, fields == 1 ? "" : "s", columns);
}

}  // namespace

Result<std::vector<Row>> read_rows(const InputFile& file, Report& report,
                                   const Progress& progress) {
  const Content content = content_of(file.bytes);
  if (content != Content::liger_table && !looks_like(content).empty()) {
    return fail(Code::invalid, std::string(looks_like(content)), file.name);
  }
  CsvReader reader(file.bytes);
  const auto header = reader.next();
  if (!header) return fail(Code::invalid, "the file is empty; a header line is needed", file.name);
  TRY(check_header(file, *header));
  std::vector<std::string> names;
  for (const auto& field : header->fields) {
    names.emplace_back(trim(field));
    if (std::ranges::find(kColumns, names.back(), &Column::name) == std::end(kColumns)) {
      add_once(report.drift_warnings,
               fmt::format("unknown column \"{}\"; its values are kept as labels of the runs",
                           excerpt(names.back())));
    }
  }
  std::vector<Row> rows;
  while (auto record = reader.next()) {
    if (progress && record->number % 256 == 0) progress(reader.offset(), file.bytes.size());
    ++report.discovered["rows"];
    if (record->problem.empty() && record->fields.size() != names.size()) {
      record->problem = count_problem(record->fields.size(), names.size());
    }
    if (record->problem.empty()) {
      rows.push_back(make_row(names, *record));
    } else {
      add_issue(report, file.name, record->number, record->line, {}, record->problem);
    }
  }
  if (progress) progress(file.bytes.size(), file.bytes.size());
  return rows;
}

}  // namespace ki::importer::liger
