// How result rows, verdicts and reasons are printed; shared by search, show and compare.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/io.h"
#include "query/models.h"

namespace ki::query {
class Resolver;
}

namespace ki::cli {

// Prints a JSON text: pretty for --json, one line for --jsonl.
void print_json_text(const Context& context, std::string_view compact);

// Prints each element on a line of its own (--jsonl).
template <class T>
void print_json_lines(const Context& context, const std::vector<T>& values) {
  for (const T& value : values) print_json_text(context, json::to_json(value));
}

// Prints one wire value as JSON.
template <class T>
void print_json(const Context& context, const T& value) {
  print_json_text(context, json::to_json(value));
}

// "15.1 ms", with "14.95-15.31" behind it where the spread is known and "spread unknown" where not.
std::string value_text(const std::optional<query::Primary>& primary);
std::string spread_text(const std::optional<query::Primary>& primary);

// "1", "1=" for a shared rank, "-" when unranked.
std::string rank_text(std::optional<std::int64_t> rank, bool shared);

// Enough of a run's digest to name it: its first 12 digits; "-" for none.
std::string short_run(const std::optional<std::string>& digest);

struct RowsShown {
  bool ranked = false;      // with ranks and ratios: rows of one cohort only
  std::int64_t limit = 20;  // rows printed
  std::int64_t total = 0;   // rows there are, where `rows` holds only some
};
// Rows as tables, one for each metric, then how many more rows there are.
void print_rows(const Context& context, std::span<const query::Row> rows, const RowsShown& how);

// Rows of one implementation, each in a cohort of its own: "2 of 5" is a rank in that cohort.
void print_results(const Context& context, std::span<const query::Row> rows, std::int64_t limit);

// Records as a table: what each is a record of, who holds it, and whether it is shared.
void print_records(const Context& context, std::span<const query::Holder> records);

// One line for each row that has something to say: "#2 Triton  LABEL  sentence".
void print_reasons(const Context& context, std::span<const query::Row> rows, std::int64_t limit);

// How to ask for the next page, where there is one.
void print_next(const Context& context, const std::optional<std::string>& cursor);

// A line for each parameter that named nothing: below a table, on standard error where the output
// is JSON lines, which have no place for it, and nowhere else, as a JSON document has them itself.
void print_not_applied(const Context& context, std::span<const query::NotApplied> notes);

// Where a table of runs is empty: what of the evidence waits for an object that is not known yet,
// so that a catalog of nothing else does not look empty. Nothing when none waits.
Status print_waiting(const Context& context, const query::Resolver& resolver);

// "1 run excluded: RETRACTED", then each with its reason; nothing when none is.
void print_excluded(const Context& context, const query::Excluded& excluded);

}  // namespace ki::cli
