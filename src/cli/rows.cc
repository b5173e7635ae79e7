#include "cli/rows.h"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "cli/table.h"
#include "json/write.h"
#include "policy/names.h"

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
  const auto& interval = primary->uncertainty ? primary->uncertainty : primary->spread;
  if (!interval || interval->low >= interval->high) return "unknown";
  return policy::measured_text(interval->low, primary->unit) + " - " +
         policy::measured_text(interval->high, primary->unit);
}

std::string rank_text(std::optional<std::int64_t> rank, bool shared) {
  if (!rank) return "-";
  return std::to_string(*rank) + (shared ? "=" : "");
}

namespace {

bool shares_rank(std::span<const query::Row> rows, std::size_t i) {
  return rows[i].tied_with_previous || (i + 1 < rows.size() && rows[i + 1].tied_with_previous &&
                                        rows[i + 1].rank == rows[i].rank);
}

std::size_t shown(std::span<const query::Row> rows, std::int64_t limit) {
  return std::min(rows.size(), static_cast<std::size_t>(limit));
}

}  // namespace

void print_rows(const Context& context, std::span<const query::Row> rows, std::int64_t limit) {
  Table table({{"#", Align::right},
               {"implementation"},
               {"project"},
               {"value", Align::right},
               {"spread"},
               {"vs #1", Align::right},
               {"evidence"},
               {"licence"},
               {"hardware"},
               {"run"}});
  for (std::size_t i = 0; i < shown(rows, limit); ++i) {
    const query::Row& row = rows[i];
    table.add({rank_text(row.rank, shares_rank(rows, i)), row.implementation.name, row.project.name,
               value_text(row.primary), spread_text(row.primary),
               row.relative ? fmt::format("{:.2f}x", *row.relative) : "-",
               row.evidence.value_or("-"), row.license.concluded.value_or("unknown"),
               row.hardware.model, row.run_id.value_or("-")});
  }
  table.print(context.out, !context.quiet);
  if (rows.size() > shown(rows, limit) && !context.quiet) {
    context.out << "... and " << rows.size() - shown(rows, limit) << " more (--limit)\n";
  }
}

void print_reasons(const Context& context, std::span<const query::Row> rows, std::int64_t limit) {
  for (std::size_t i = 0; i < shown(rows, limit); ++i) {
    for (const query::Reason& reason : rows[i].rank_reasons) {
      context.out << "  #" << rank_text(rows[i].rank, shares_rank(rows, i)) << ' '
                  << printable(rows[i].implementation.name) << ": " << printable(reason.text)
                  << ink(context, Ink::dim, " [" + reason.code + "]") << '\n';
    }
  }
}

}  // namespace ki::cli
