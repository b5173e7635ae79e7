#include "import/report.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace ki::importer {

namespace {

template <class T, class Line>
void append_list(std::string& out, std::string_view heading, const std::vector<T>& items,
                 std::size_t list_max, std::size_t in_all, Line line) {
  if (items.empty()) return;
  out += fmt::format("{} ({}):\n", heading, in_all);
  for (std::size_t i = 0; i < items.size() && i < list_max; ++i) {
    out += fmt::format("  {}\n", line(items[i]));
  }
  const std::size_t listed = std::min(items.size(), list_max);
  if (in_all > listed) out += fmt::format("  ... and {} more\n", in_all - listed);
}

// "speed rows of equal quantiles" of "speedRowsOfEqualQuantiles", "benchmark runs" of
// "benchmark_runs": the names that JSON has, as words. Kinds of manifests stay as they are called.
std::string in_words(std::string_view name) {
  if (name.empty() || (name.front() >= 'A' && name.front() <= 'Z')) return std::string(name);
  std::string out;
  for (const char c : name) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    if (is_upper) out += ' ';
    out += is_upper ? static_cast<char>(c - 'A' + 'a') : (c == '_' ? ' ' : c);
  }
  return out;
}

// Names of the importer as words where `own`, else as the source has them.
std::string to_line(const Counts& counts, bool own) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts) {
    parts.push_back(fmt::format("{} {}", count, own ? in_words(name) : name));
  }
  return join(parts, ", ");
}

}  // namespace

void add_issue(Report& report, std::string_view file, std::int64_t row, std::int64_t line,
               std::string item, std::string problem, std::int64_t column) {
  if (++report.issues_in_all > static_cast<std::int64_t>(kIssuesListed)) return;
  std::vector<std::string> place;
  if (row > 0) place.push_back(fmt::format("row {}", row));
  if (line > 0) place.push_back(fmt::format("line {}", line));
  if (column > 0) place.push_back(fmt::format("column {}", column));
  ReportIssue issue{.locator = std::string(file),
                    .item = std::move(item),
                    .problem = std::move(problem),
                    .row = {},
                    .line = {},
                    .column = {}};
  if (!place.empty()) issue.locator += ": " + join(place, ", ");
  if (row > 0) issue.row = row;
  if (line > 0) issue.line = line;
  if (column > 0) issue.column = column;
  report.issues.push_back(std::move(issue));
}

void skip_row(Report& report, SkippedRow row) {
  ++report.skipped[row.reason][row.name];
  if (report.skipped_rows.size() < kIssuesListed) report.skipped_rows.push_back(std::move(row));
}

void add_once(std::vector<std::string>& warnings, std::string warning) {
  if (std::ranges::find(warnings, warning) == warnings.end()) {
    warnings.push_back(std::move(warning));
  }
}

std::map<std::string, std::string> skip_reasons(const Report& report) {
  static constexpr std::pair<std::string_view, std::string_view> kReasons[] = {
      {"memoryRows", "the public digests are of latency rows alone; --mapping distinct takes them"},
      {"uncuratedKernels", "the public mapping does not know the kernel"},
      {"unknownConfig", "the public mapping cannot read the mode, x value or config of the row"},
      {"unknownProvider", "the public mapping does not know the provider"},
      {"unknownGpu", "the public mapping does not know the product"},
      {"duplicateRows", "another row states the same observation"},
      {"duplicates", "the same document stands in the input more than once"},
      {"derived", "what follows from other tables is computed, not read"},
  };
  std::map<std::string, std::string> out;
  for (const auto& [reason, text] : kReasons) {
    if (report.skipped.contains(std::string(reason))) out.emplace(reason, text);
  }
  return out;
}

std::string to_text(const Report& report, std::size_t list_max) {
  std::string out = fmt::format("{} ({})\n", report.source, report.parser_version);
  for (const auto& input : report.inputs) {
    out += fmt::format("read {}: {} bytes, {}\n", input.locator, input.size_bytes, input.digest);
  }
  if (!report.discovered.empty()) {
    out += fmt::format("found: {}\n", to_line(report.discovered, true));
  }
  for (const auto& [reason, counts] : report.skipped) {
    const auto because = report.skipped_because.find(reason);
    out += fmt::format("skipped, {}{}: {}\n", in_words(reason),
                       because == report.skipped_because.end() ? "" : " (" + because->second + ")",
                       to_line(counts, reason == "derived"));
  }
  append_list(out, "skipped rows", report.skipped_rows, list_max, report.skipped_rows.size(),
              [](const SkippedRow& row) {
                return fmt::format("{}: row {}, line {}: {}, {}", row.file, row.row, row.line,
                                   in_words(row.reason), row.name);
              });
  const auto text = [](const std::string& item) { return item; };
  append_list(out, "not imported", report.issues, list_max,
              static_cast<std::size_t>(report.issues_in_all), [](const ReportIssue& issue) {
                return fmt::format("{}{}{}: {}", issue.locator, issue.item.empty() ? "" : ": ",
                                   issue.item, issue.problem);
              });
  const auto append_texts = [&](std::string_view heading, const std::vector<std::string>& texts) {
    append_list(out, heading, texts, list_max, texts.size(), text);
  };
  append_texts("for you to judge", report.ambiguities);
  append_texts("new in the source", report.drift_warnings);
  append_texts("licences", report.license_warnings);
  return out + report.plan + "\n";
}

}  // namespace ki::importer
