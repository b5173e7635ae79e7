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

void print_comparison(const Context& c, const query::Comparison& comparison) {
  c.out << printable(comparison.explanation) << '\n';
  if (comparison.verdict) c.out << "Verdict: " << printable(comparison.verdict->text) << '\n';
  for (const auto& id : comparison.missing_ids) c.out << "not found: " << printable(id) << '\n';
  Table runs({{"#", Align::right},
              {"implementation"},
              {"value", Align::right},
              {"spread"},
              {"ratio", Align::right},
              {"evidence"},
              {"hardware"},
              {"run"}});
  for (const auto& run : comparison.runs) {
    runs.add({rank_text(run.rank, run.tied_with_previous), run.implementation.name,
              value_text(run.primary), spread_text(run.primary),
              run.ratio ? fmt::format("{:.3f}", *run.ratio) : "-", run.evidence, run.hardware,
              run.run_id});
  }
  runs.print(c.out, !c.quiet);
  Table fields({{"differs"}, {"fact"}, {"values"}});
  for (const auto& field : comparison.fields) {
    if (!field.differs) continue;
    std::vector<std::string> values;
    for (const auto& value : field.values) values.push_back(value.value_or("unknown"));
    fields.add({field.material ? "material" : "-", field.field, join(values, " | ")});
  }
  if (!fields.empty()) {
    c.out << '\n';
    fields.print(c.out, !c.quiet);
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
    Table table({{"operation"},
                 {"workload"},
                 {"record", Align::right},
                 {"implementation"},
                 {"hardware"},
                 {"since"}});
    for (const auto& record : records->records) {
      table.add({record.operation.slug, record.workload_summary, value_text(record.current.primary),
                 record.current.implementation.name, record.hardware, record.since.substr(0, 10)});
    }
    table.print(c.out, !c.quiet);
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
    Table table({{"id"},
                 {"operation"},
                 {"implementation"},
                 {"value", Align::right},
                 {"status"},
                 {"hardware"},
                 {"observed"}});
    for (const auto& run : page->runs) {
      table.add({run.id, run.operation, run.implementation, value_text(run.primary), run.status,
                 run.hardware, run.observed_at});
    }
    table.print(c.out, !c.quiet);
    print_next(c, page->next_cursor);
  }
  return kOk;
}

}  // namespace ki::cli
