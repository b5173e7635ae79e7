// What an import found, refused and would change: for people as text, for programs as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/wire.h"

namespace ki::importer {

// One object the bundle holds. `action`: insert, exists or pending; before the comparison with a
// catalog: unknown.
struct Proposed {
  std::string entity;
  std::string name;
  std::string digest;
  std::string action;
  template <class V>
  static void describe(V& v) {
    v.field("entity", &Proposed::entity, "project, operation, workload, implementation, run, ...");
    v.field("name", &Proposed::name, "");
    v.field("digest", &Proposed::digest, "");
    v.field("action", &Proposed::action, "insert, exists or pending");
  }
};

// Something that was not imported, with its place and the reason.
struct ReportIssue {
  std::string locator;  // "FILE: row 3, line 4, column 5"
  std::string item;     // what stands there: kernel/provider, manifest name, id
  std::string problem;
  std::optional<std::int64_t> row;   // number of the data record, the header not counted
  std::optional<std::int64_t> line;  // of the file
  std::optional<std::int64_t> column;
  template <class V>
  static void describe(V& v) {
    v.field("locator", &ReportIssue::locator, "file and place in it");
    v.field("item", &ReportIssue::item, "what stands there");
    v.field("problem", &ReportIssue::problem, "why it was not imported");
    v.field("row", &ReportIssue::row, "data record, the header not counted");
    v.field("line", &ReportIssue::line, "line of the file");
    v.field("column", &ReportIssue::column, "in that line, where it is known");
  }
};

// A row of a table that was left out by rule, for the reason of `skipped` under which it counts.
struct SkippedRow {
  std::string reason;
  std::string name;  // what it counts as: the metric, kernel, provider or product
  std::string file;
  std::int64_t row = 0;   // number of the data record, the header not counted
  std::int64_t line = 0;  // of the file
  template <class V>
  static void describe(V& v) {
    v.field("reason", &SkippedRow::reason, "one of skipped");
    v.field("name", &SkippedRow::name, "what it counts as");
    v.field("file", &SkippedRow::file, "");
    v.field("row", &SkippedRow::row, "data record, the header not counted");
    v.field("line", &SkippedRow::line, "line of the file");
  }
};

// One input file as it was read.
struct ReportInput {
  std::string locator;
  std::string digest;
  std::int64_t size_bytes = 0;
  template <class V>
  static void describe(V& v) {
    v.field("locator", &ReportInput::locator, "file name");
    v.field("contentDigest", &ReportInput::digest, "sha256 of the bytes");
    v.field("sizeBytes", &ReportInput::size_bytes, "");
  }
};

using Counts = std::map<std::string, std::int64_t>;

// A report lists this many issues, and as many skipped rows, so that a file of nothing but bad rows
// cannot fill the memory.
inline constexpr std::size_t kIssuesListed = 10'000;

// How much of its input an import took.
enum class Accepted { everything, part, nothing };

struct Report {
  std::string source;
  std::string parser_version;
  std::vector<ReportInput> inputs;
  Counts discovered;                      // rows, speedRows, memoryRows, documents, ...
  std::map<std::string, Counts> skipped;  // reason -> name -> how many
  std::map<std::string, std::string> skipped_because;  // reason -> what it means, in words
  std::vector<SkippedRow> skipped_rows;  // those that are rows: the first kIssuesListed of them
  std::map<std::string, std::vector<std::string>> operations_by_family;
  std::vector<Proposed> proposed;
  std::vector<std::string> ambiguities;  // for a human to judge; does not stop anything
  std::vector<ReportIssue> issues;       // not imported: the first kIssuesListed of them
  std::int64_t issues_in_all = 0;
  std::vector<std::string> drift_warnings;
  std::vector<std::string> license_warnings;
  Counts actions;  // insert, exists, pending, completed, superseded, corrections, ...
  bool published = false;
  std::string plan;  // one line

  Accepted accepted() const {
    if (issues.empty()) return Accepted::everything;
    return proposed.empty() ? Accepted::nothing : Accepted::part;
  }
  template <class V>
  static void describe(V& v) {
    v.field("source", &Report::source, "source slug");
    v.field("parserVersion", &Report::parser_version, "");
    v.field("inputs", &Report::inputs, "the files read");
    v.field("discovered", &Report::discovered, "what the files hold");
    v.field("skipped", &Report::skipped, "what was left out by rule: reason, name, count");
    v.field("skippedBecause", &Report::skipped_because, "each of these reasons in words");
    v.field("skippedRows", &Report::skipped_rows, "which rows those are: the first 10,000");
    v.field("operationsByFamily", &Report::operations_by_family, "slugs of the operations met");
    v.field("proposed", &Report::proposed, "every object of the bundle");
    v.field("ambiguities", &Report::ambiguities, "questions for a human");
    v.field("issues", &Report::issues, "what was refused, and why: the first 10,000");
    v.field("issuesInAll", &Report::issues_in_all, "how many were refused in all");
    v.field("driftWarnings", &Report::drift_warnings, "what the source has that we do not know");
    v.field("licenseWarnings", &Report::license_warnings, "");
    v.field("actions", &Report::actions, "how many objects are new, exist, stay pending");
    v.field("published", &Report::published, "whether the catalog was changed");
    v.field("plan", &Report::plan, "one line");
  }
};

// Files `problem` with its place: "NAME: row R, line L, column C" with the parts that are known
// (0 = not). Of many issues the first ones are listed, the others counted.
void add_issue(Report& report, std::string_view file, std::int64_t row, std::int64_t line,
               std::string item, std::string problem, std::int64_t column = 0);

// Counts and lists a row that is left out by rule.
void skip_row(Report& report, SkippedRow row);

// What the reasons of `skipped` mean.
std::map<std::string, std::string> skip_reasons(const Report& report);

// Appends a warning unless it is there already.
void add_once(std::vector<std::string>& warnings, std::string warning);

// The report as lines for a terminal: counts first, then at most `list_max` entries of each list
// and how many more there are.
std::string to_text(const Report& report, std::size_t list_max = 20);

}  // namespace ki::importer
