// Fragments that several pages share. Each renders part of a read model and decides nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "query/models.h"
#include "web/html.h"
#include "web/layout.h"
#include "web/links.h"
#include "web/svg.h"

namespace ki::web {

// A link with text.
Html link(const Url& url, std::string_view text);
// A link to an address from outside, or the text alone when it is not one to follow.
Html outside_link(std::string_view address, std::string_view text);

// An identifier of more than 24 characters is shortened in the middle, the whole of it in `title`.
Html identifier(std::string_view text);
// "sha256:521a0b1ea67f..." in the same way.
std::string shortened(std::string_view text);

std::string runs_text(std::int64_t runs);  // "1 run", "12 runs"

Html date(std::string_view iso);  // <time>; a dash when ""

// "24.10 ms" with the exact value in `title`.
Html value(const query::Primary& primary);
// "24.08 ms to 24.16 ms (p20 to p80)", or "spread unknown".
std::string spread_text(const query::Primary& primary);
// Declared interval, else p20 to p80, else none.
std::optional<query::Interval> interval_of(const query::Primary& primary);

std::string evidence_text(std::string_view level);        // "Reported"
std::string license_text(const query::License& license);  // "license unknown" when it is

// The class of a table of `rows` rows: where they are many, the script puts a field above it that
// filters them, and the style sheet keeps room for it.
std::string_view filter_class(std::size_t rows);

// A dl of facts. Entries with an empty value are left out.
struct Fact {
  std::string_view label;
  Html value;
};
Html facts(std::span<const Fact> all);
Html facts(std::span<const query::KeyValue> all);
Html text_value(std::string_view text);  // "" stays empty

// A list of reasons: text with its code in `title`.
Html reasons(std::span<const query::Reason> all);

// What may be said about a cohort's leader.
Html verdict(const std::optional<query::Verdict>& verdict);

// The answers side by side: the fastest known row, with what it lacks, the fastest that was
// verified and the fastest that can be used; then the fastest of each language, when there are
// several.
struct AnswerBlock {
  const query::Row* fastest = nullptr;
  const query::Row* deployable = nullptr;
  std::span<const query::Reason> fastest_blocked_by = {};
  const query::Row* verified = nullptr;
  std::span<const query::Row> by_language = {};
  std::string_view claim{};  // query::claim_note()
};
Html answer_block(const AnswerBlock& answer);

// Result rows as a table a metric: rank, implementation and what is known about it, value with its
// interval on a common scale, multiple of the leader, and why. `caption` names the table.
struct RowsOptions {
  std::string_view caption;
  bool ranked = true;           // false: rows of several groups, what sets them apart, no ranks
  bool show_operation = false;  // each row with its place in its own group, no common scale
};
Html rows_table(std::span<const query::Row> rows, const RowsOptions& options);

// The marks of the rows that have a value, all in the unit of the first one.
std::vector<svg::Mark> marks_of(std::span<const query::Row> rows);

// Records, one a row: operation, workload, product and what it is a record of; who holds it; the
// value and whether it is shared or not claimed. `detailed` adds environment, spread, history and
// the date of publication. `caption` names the table.
struct RecordsOptions {
  std::string_view caption;
  bool detailed = false;
};
Html records_table(std::span<const query::Holder> records, const RecordsOptions& options);

// Records that one product or project holds: a table with links to its first and its next page.
struct HeldRecords {
  std::string_view heading;
  std::string_view none;  // what is said when there are none
  std::span<const query::Holder> records;
  std::int64_t total = 0;
  Url first;
  std::optional<Url> next;
};
Html records_section(const HeldRecords& held);

Html sources_list(std::span<const query::Source> sources);
// Upstreams with their licences, what came from each and how fresh it is.
Html sources_table(std::span<const query::SourceItem> sources);

// One stored manifest over several lines; as it is when it cannot be read.
std::string pretty_manifest(const json::Raw& raw);

// Other cohorts of the same workload as links; `href` makes the address of one from its key.
Html cohort_chips(std::span<const query::CohortOption> options, std::string_view current,
                  const std::function<Url(const std::string&)>& href);

// Operations as a table: name, family, runs, what matches the request.
Html operations_table(std::span<const query::IndexEntry> entries, std::string_view caption,
                      std::string_view query_prefix);

// A README badge, and the line of Markdown that shows it and leads to its page.
struct Badge {
  Url image;
  Url page;
};
Html badge_snippet(const Context& context, const Badge& badge);

// The runs that corrections keep out of a table, each with its reason; empty when none is.
Html excluded_note(const query::Excluded& excluded);

}  // namespace ki::web
