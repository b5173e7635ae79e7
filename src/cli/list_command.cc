// ki compare, ki records, ki runs.

#include <ostream>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "cli/table.h"

namespace ki::cli {
namespace {

void print_next(const Context& c, const std::optional<std::string>& cursor) {
  if (cursor && !c.quiet) c.out << "next page: --cursor " << *cursor << '\n';
}

// "latency, backward": what a record is a record of.
std::string metric_text(const query::Row& row) {
  const std::string metric = row.primary ? row.primary->metric : "-";
  return row.pass ? metric + ", " + *row.pass : metric;
}

// "15.1 ms", "58.9 µs, shared", "3.12 ms, not claimed": a record may be no win.
std::string record_text(const query::Holder& record) {
  std::string out = value_text(record.current.primary);
  if (record.verdict.code == "tie") out += ", shared";
  if (record.verdict.code == "not_enough_evidence") out += ", not claimed";
  return out;
}

void print_comparison(const Context& c, const query::Comparison& comparison) {
  c.out << printable(comparison.explanation) << '\n';
  if (comparison.verdict) c.out << "Verdict: " << printable(comparison.verdict->text) << '\n';
  for (const auto& id : comparison.missing_ids) c.out << "not found: " << printable(id) << '\n';
  Table runs({{"#", Align::right},
              {.heading = "implementation", .shortest = kShortest},
              {"value", Align::right},
              {.heading = "spread", .spare = 2},
              {"ratio", Align::right},
              {.heading = "evidence", .spare = 3},
              {.heading = "hardware", .shortest = kShortest, .spare = 1},
              {"run"}});
  for (const auto& run : comparison.runs) {
    runs.add({rank_text(run.rank, run.shares_rank), run.implementation.name,
              value_text(run.primary), spread_text(run.primary),
              run.ratio ? fmt::format("{:.3f}", *run.ratio) : "-", run.evidence, run.hardware,
              short_run(run.run_digest)});
  }
  runs.print(c.out, !c.quiet, c.width);
  Table fields({{"differs"}, {"fact"}, {.heading = "values", .shortest = kShortest}});
  for (const auto& field : comparison.fields) {
    if (!field.differs) continue;
    std::vector<std::string> values;
    for (const auto& value : field.values) values.push_back(value.value_or("unknown"));
    fields.add({field.material ? "material" : "-", field.field, join(values, " | ")});
  }
  if (!fields.empty()) {
    c.out << '\n';
    fields.print(c.out, !c.quiet, c.width);
  }
}

}  // namespace

int compare(const Context& c, const std::vector<std::string>& runs) {
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  const auto comparison = resolver->compare(runs);
  if (!comparison) return report(c, comparison.error());
  switch (c.output) {
    case Output::json:
      print_json(c, *comparison);
      break;
    case Output::jsonl:
      print_json_lines(c, comparison->runs);
      break;
    case Output::table:
      print_comparison(c, *comparison);
      break;
  }
  return comparison->runs.size() < 2 ? kFailed : kOk;
}

int records(const Context& c, const PageOptions& page) {
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  const auto records = resolver->records({.cursor = page.cursor, .limit = page.limit});
  if (!records) return report(c, records.error());
  if (c.output == Output::json) {
    print_json(c, *records);
  } else if (c.output == Output::jsonl) {
    print_json_lines(c, records->records);
  } else {
    constexpr std::size_t kWorkload = 24;
    Table table({{.heading = "operation"},
                 {.heading = "workload", .shortest = kWorkload, .spare = 1},
                 {.heading = "metric"},
                 {"record", Align::right},
                 {.heading = "implementation", .shortest = kShortest},
                 {.heading = "hardware", .shortest = kWorkload, .spare = 2},
                 {.heading = "since", .spare = 3},
                 {"run"}});
    for (const auto& record : records->records) {
      table.add({record.operation.slug, record.workload_summary, metric_text(record.current),
                 record_text(record), record.current.implementation.name, record.hardware,
                 record.since.substr(0, 10), short_run(record.current.run_digest)});
    }
    table.print(c.out, !c.quiet, c.width);
    if (!c.quiet) c.out << records->records.size() << " of " << records->total << " records\n";
    print_next(c, records->next_cursor);
  }
  return kOk;
}

int runs(const Context& c, const RunsOptions& options) {
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  const auto page = resolver->runs({.operation = options.operation,
                                    .hardware = options.hardware,
                                    .source = options.source,
                                    .status = options.status,
                                    .since = options.since,
                                    .cursor = options.page.cursor,
                                    .limit = options.page.limit});
  if (!page) return report(c, page.error());
  if (c.output == Output::json) {
    print_json(c, *page);
  } else if (c.output == Output::jsonl) {
    print_json_lines(c, page->runs);
  } else {
    Table table({{"run"},
                 {.heading = "operation"},
                 {.heading = "implementation", .spare = 1},
                 {.heading = "metric"},
                 {"value", Align::right},
                 {.heading = "status", .spare = 3},
                 {.heading = "hardware", .shortest = kShortest, .spare = 2},
                 {.heading = "observed", .spare = 4}});
    for (const auto& run : page->runs) {
      table.add({short_run(run.digest), run.operation, run.implementation,
                 run.primary ? run.primary->metric : "-", value_text(run.primary), run.status,
                 run.hardware, run.observed_at.substr(0, 10)});
    }
    table.print(c.out, !c.quiet, c.width);
    print_next(c, page->next_cursor);
  }
  return kOk;
}

}  // namespace ki::cli
