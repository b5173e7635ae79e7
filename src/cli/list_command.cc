// ki compare, ki records, ki show record, ki runs.

#include <ostream>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "cli/table.h"
#include "policy/names.h"
#include "query/listings.h"

namespace ki::cli {
namespace {

// "15.1 ms", "58.9 µs, shared", "3.12 ms, not claimed": a record may be no win.
std::string record_text(const query::Holder& record) {
  const std::string_view claim = query::claim_note(record.verdict);
  return value_text(record.current.primary) + (claim.empty() ? "" : ", ") + std::string(claim);
}

void print_comparison(const Context& c, const query::Comparison& comparison) {
  c.out << (comparison.comparable ? "Verdict: " : "Not comparable: ")
        << printable(comparison.explanation) << '\n';
  if (comparison.first_material_mismatch) {
    c.out << "First material difference: " << printable(*comparison.first_material_mismatch)
          << '\n';
  }
  for (const auto& id : comparison.missing_ids) c.out << "not found: " << printable(id) << '\n';
  Table runs({{"#", Align::right},
              {.heading = "implementation", .narrowest = kNarrowest},
              {"value", Align::right},
              {.heading = "spread", .spare = 2},
              {"vs first", Align::right},
              {.heading = "evidence", .spare = 3},
              {.heading = "hardware", .narrowest = kProduct, .spare = 1},
              {"run"}});
  for (const auto& run : comparison.runs) {
    runs.add({rank_text(run.rank, run.shares_rank), run.implementation.name,
              value_text(run.primary), spread_text(run.primary),
              policy::relative_text(run.ratio, 1.0), run.evidence, run.hardware,
              short_run(run.run_digest)});
  }
  runs.print(c.out, !c.quiet, c.width);
  Table fields({{"differs"}, {"fact"}, {.heading = "values", .narrowest = kNarrowest}});
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

void print_records(const Context& c, std::span<const query::Holder> records) {
  constexpr std::size_t kWords = 8;  // of a workload, a pass and a value
  // What tells one record from the others stays on a terminal of 80 columns: workload and pass.
  Table table({{.heading = "operation"},
               {.heading = "workload", .narrowest = kWords},
               {.heading = "metric", .narrowest = kNarrowest, .spare = 2},
               {.heading = "record", .align = Align::right, .narrowest = kWords},
               {.heading = "implementation", .narrowest = kNarrowest},
               {.heading = "hardware", .narrowest = kProduct, .spare = 1},
               {.heading = "since", .spare = 3},
               {"run"}});
  for (const auto& record : records) {
    const auto& pass = record.current.pass;
    const auto& value = record.current.primary;
    table.add({record.operation.slug,
               record.workload_summary + (pass ? ", " + *pass : std::string()),
               value ? policy::metric_label(value->metric, value->statistic) : "no value",
               record_text(record), record.current.implementation.name, record.hardware,
               record.since.substr(0, 10), short_run(record.current.run_digest)});
  }
  table.print(c.out, !c.quiet, c.width);
}

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

static_assert(kHistory == query::kHistorySteps);

int records(const Context& c, const RecordsOptions& options) {
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  const auto order = query::record_order(options.order).value();
  const auto records = resolver->records({.words = options.words,
                                          .hardware = options.hardware,
                                          .with_source = options.with_source,
                                          .trust = options.trust,
                                          .without_baselines = options.without_baselines,
                                          .order = order,
                                          .cursor = options.page.cursor,
                                          .limit = options.page.limit,
                                          .history = options.history});
  if (!records) return report(c, records.error());
  if (c.output == Output::json) {
    print_json(c, *records);
  } else if (c.output == Output::jsonl) {
    print_json_lines(c, records->records);
  } else {
    print_records(c, records->records);
    if (!c.quiet) {
      c.out << records->records.size() << " of " << records->total << " records. "
            << query::order_text(order) << '\n';
    }
    print_next(c, records->next_cursor);
  }
  print_not_applied(c, records->not_applied);
  return kOk;
}

int show_record(const Context& c, const std::string& comparison_key) {
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  const auto record = resolver->record(comparison_key);
  if (!record) return report(c, record.error());
  if (c.output == Output::json) {
    print_json(c, *record);
    return kOk;
  }
  if (c.output == Output::jsonl) {
    print_json_lines(c, record->history);
    return kOk;
  }
  print_records(c, std::span(&*record, 1));
  if (!c.quiet) c.out << '\n' << ink(c, Ink::bold, "How it came about") << '\n';
  Table steps({{"at"},
               {.heading = "implementation", .narrowest = kNarrowest},
               {"value", Align::right},
               {"better", Align::right},
               {.heading = "cause", .spare = 1},
               {"run"}});
  for (const auto& step : record->history) {
    const auto& better = step.improvement_pct;
    steps.add({step.at.substr(0, 10), step.implementation.name, value_text(step.value),
               better ? query::percent_text(*better) + " %" : "-", step.cause, step.run_id});
  }
  steps.print(c.out, !c.quiet, c.width);
  return kOk;
}

int runs(const Context& c, const RunsOptions& options) {
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  const auto page = resolver->runs({.operation = options.operation,
                                    .hardware = options.hardware,
                                    .source = options.source,
                                    .status = options.status,
                                    .trust = options.trust,
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
                 {.heading = "implementation"},
                 {.heading = "metric", .spare = 1},
                 {"value", Align::right},
                 {.heading = "status", .spare = 3},
                 {.heading = "hardware", .narrowest = kProduct, .spare = 2},
                 {.heading = "observed", .spare = 4}});
    for (const auto& run : page->runs) {
      const auto known = [](const std::string& slug) { return slug.empty() ? "-" : slug; };
      table.add({short_run(run.digest), known(run.operation), known(run.implementation),
                 run.primary ? run.primary->metric : "-", value_text(run.primary), run.status,
                 run.hardware, run.observed_at.substr(0, 10)});
    }
    table.print(c.out, !c.quiet, c.width);
    print_next(c, page->next_cursor);
    if (page->runs.empty() && options.status.empty()) {
      if (const auto done = print_waiting(c, *resolver); !done) return report(c, done.error());
    }
  }
  print_not_applied(c, page->not_applied);
  return kOk;
}

}  // namespace ki::cli
