#include "cli/rows.h"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/table.h"
#include "json/write.h"
#include "policy/names.h"
#include "query/describe.h"
#include "query/listings.h"
#include "query/resolver.h"

namespace ki::cli {

void print_json_text(const Context& context, std::string_view compact) {
  if (context.output == Output::jsonl) {
    context.out << compact << '\n';
    return;
  }
  context.out << json::indented(compact) << '\n';
}

std::string value_text(const std::optional<query::Primary>& primary) {
  if (!primary) return "-";
  return policy::measured_text(primary->value, primary->unit);
}

std::string spread_text(const std::optional<query::Primary>& primary) {
  if (!primary) return "";
  const auto known = query::known_interval(*primary);
  if (!known) return "unknown";
  return policy::measured_text(known->interval.low, primary->unit) + " - " +
         policy::measured_text(known->interval.high, primary->unit);
}

std::string rank_text(std::optional<std::int64_t> rank, bool shared) {
  if (!rank) return "-";
  return std::to_string(*rank) + (shared ? "=" : "");
}

namespace {

std::size_t shown(std::span<const query::Row> rows, std::int64_t limit) {
  return std::min(rows.size(), static_cast<std::size_t>(limit));
}

}  // namespace

namespace {

// "median latency": what the column of values holds. One table holds one metric.
std::string metric_heading(const query::Row& row) {
  return row.primary ? policy::metric_label(row.primary->metric, row.primary->statistic) : "value";
}

std::string differs_text(const query::Row& row) {
  constexpr std::string_view kPrefixes[] = {"axes.", "hardware.", "workload.", "environment.",
                                            "protocol."};
  std::vector<std::string> parts;
  for (const query::Mismatch& one : row.differs) {
    std::string_view field = one.field;
    for (const auto prefix : kPrefixes) {
      if (field.starts_with(prefix)) field.remove_prefix(prefix.size());
    }
    parts.push_back(std::string(field) + ' ' + one.observed);
  }
  return join(parts, ", ");
}

std::string evidence_text(const query::Row& row) { return row.evidence.value_or("-"); }
std::string license_text(const query::Row& row) {
  return row.license.concluded.value_or("unknown");
}

void print_ranked(const Context& c, std::span<const query::Row> rows) {
  Table table({{"#", Align::right},
               {.heading = "implementation", .narrowest = kNarrowest},
               {.heading = "project", .narrowest = kNarrowest, .spare = 6},
               {.heading = metric_heading(rows.front()), .align = Align::right},
               {.heading = "spread", .spare = 3},
               {.heading = "vs #1", .align = Align::right, .spare = 1},
               {.heading = "evidence", .spare = 4},
               {.heading = "licence", .narrowest = kNarrowest, .spare = 5},
               {.heading = "hardware", .narrowest = kProduct, .spare = 2},
               {.heading = "run"}});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const query::Row& row = rows[i];
    table.add({rank_text(row.rank, row.shares_rank), row.implementation.name, row.project.name,
               value_text(row.primary), spread_text(row.primary),
               policy::relative_text(row.relative, 1.0), evidence_text(row), license_text(row),
               row.hardware.model, short_run(row.run_digest)});
  }
  table.print(c.out, !c.quiet, c.width);
}

// Rows of several cohorts have no ranks among each other: what sets each apart stands instead.
void print_unranked(const Context& c, std::span<const query::Row> rows) {
  Table table({{.heading = "implementation", .narrowest = kNarrowest},
               {.heading = "project", .narrowest = kNarrowest, .spare = 5},
               {.heading = metric_heading(rows.front()), .align = Align::right},
               {.heading = "spread", .spare = 3},
               {.heading = "evidence", .spare = 4},
               {.heading = "licence", .narrowest = kNarrowest, .spare = 4},
               {.heading = "differs", .narrowest = 40},
               {.heading = "run"}});
  for (const query::Row& row : rows) {
    std::string differs = differs_text(row);
    if (!row.run_id) differs = row.hardware.model;
    table.add({row.implementation.name, row.project.name, value_text(row.primary),
               spread_text(row.primary), evidence_text(row), license_text(row), std::move(differs),
               short_run(row.run_digest)});
  }
  table.print(c.out, !c.quiet, c.width);
}

// Rows of several cohorts, each with its place in its own.
void print_own_ranks(const Context& c, std::span<const query::Row> rows) {
  Table table({{.heading = "rank", .align = Align::right},
               {.heading = "operation", .narrowest = kNarrowest, .spare = 3},
               {.heading = "workload", .narrowest = kNarrowest},
               {.heading = "pass", .spare = 1},
               {.heading = metric_heading(rows.front()), .align = Align::right},
               {.heading = "spread", .spare = 2},
               {.heading = "hardware", .narrowest = kProduct},
               {.heading = "run"}});
  for (const query::Row& row : rows) {
    std::string rank = "-";
    if (row.rank && row.cohort_size) rank = fmt::format("{} of {}", *row.rank, *row.cohort_size);
    table.add({std::move(rank), row.operation.name, row.workload_summary, row.pass.value_or("-"),
               value_text(row.primary), spread_text(row.primary), row.hardware.model,
               short_run(row.run_digest)});
  }
  table.print(c.out, !c.quiet, c.width);
}

// One table a metric, in the order of the rows.
template <class Print>
void each_metric(const Context& c, std::span<const query::Row> rows, Print print) {
  for (std::size_t from = 0; from < rows.size();) {
    std::size_t to = from + 1;
    while (to < rows.size() && metric_heading(rows[from]) == metric_heading(rows[to])) ++to;
    if (from > 0 && !c.quiet) c.out << '\n';
    print(c, rows.subspan(from, to - from));
    from = to;
  }
}

void print_more(const Context& c, std::int64_t rows) {
  if (rows > 0 && !c.quiet) c.out << "... and " << rows << " more (--limit)\n";
}

}  // namespace

std::string short_run(const std::optional<std::string>& digest) {
  constexpr std::string_view kScheme = "sha256:";
  constexpr std::size_t kDigits = 12;
  if (!digest) return "-";
  return digest->substr(std::min(kScheme.size(), digest->size()), kDigits);
}

void print_rows(const Context& context, std::span<const query::Row> rows, const RowsShown& how) {
  const auto listed = rows.first(shown(rows, how.limit));
  each_metric(context, listed, how.ranked ? print_ranked : print_unranked);
  const std::int64_t total = std::max(how.total, static_cast<std::int64_t>(rows.size()));
  print_more(context, total - static_cast<std::int64_t>(listed.size()));
}

void print_results(const Context& context, std::span<const query::Row> rows, std::int64_t limit) {
  const auto listed = rows.first(shown(rows, limit));
  each_metric(context, listed, print_own_ranks);
  print_more(context, static_cast<std::int64_t>(rows.size() - listed.size()));
}

void print_reasons(const Context& context, std::span<const query::Row> rows, std::int64_t limit) {
  for (std::size_t i = 0; i < shown(rows, limit); ++i) {
    for (const query::Reason& reason : rows[i].rank_reasons) {
      context.out << "  #" << rank_text(rows[i].rank, rows[i].shares_rank) << ' '
                  << printable(rows[i].implementation.name) << ": " << printable(reason.text)
                  << ink(context, Ink::dim, " [" + reason.code + "]") << '\n';
    }
  }
}

void print_next(const Context& context, const std::optional<std::string>& cursor) {
  if (cursor && !context.quiet) context.out << "next page: --cursor " << *cursor << '\n';
}

void print_not_applied(const Context& context, std::span<const query::NotApplied> notes) {
  if (context.output == Output::json) return;
  std::ostream& out = context.output == Output::jsonl ? context.err : context.out;
  for (const auto& note : notes) {
    out << "Not applied: " << note.parameter << " '" << printable(excerpt(note.value))
        << "': " << printable(note.text) << '\n';
  }
}

Status print_waiting(const Context& context, const query::Resolver& resolver) {
  if (context.quiet) return {};
  const auto counts = TRY(resolver.counts());
  if (counts.pending_runs > 0) {
    context.out << query::counted(counts.pending_runs, "run")
                << (counts.pending_runs == 1 ? " waits" : " wait")
                << " for an object that is not known yet: ki runs --status pending\n";
  }
  return {};
}

void print_excluded(const Context& context, const query::Excluded& excluded) {
  if (excluded.total == 0) return;
  std::vector<std::string> codes;
  for (const auto& run : excluded.runs) {
    if (std::ranges::find(codes, run.code) == codes.end()) codes.push_back(run.code);
  }
  context.out << query::counted(excluded.total, "run") << " excluded: " << join(codes, ", ")
              << '\n';
  if (context.quiet) return;
  for (const auto& run : excluded.runs) {
    context.out << "  " << printable(run.implementation) << ' ' << short_run(run.run_digest) << ": "
                << printable(run.reason) << " [" << run.code << "]\n";
  }
  const auto listed = static_cast<std::int64_t>(excluded.runs.size());
  if (excluded.total > listed) {
    context.out << "  and " << excluded.total - listed << " more\n";
  }
}

}  // namespace ki::cli
