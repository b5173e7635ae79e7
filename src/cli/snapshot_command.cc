// ki snapshot: the answers of the catalog in one file for programs that ask at run time.

#include <algorithm>
#include <array>
#include <fstream>
#include <ostream>

#include "base/files.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/open.h"
#include "cli/table.h"
#include "embed/reader.h"
#include "embed/writer.h"
#include "policy/ranking.h"
#include "query/listings.h"

namespace ki::cli {
namespace {

std::uint32_t evidence_of(const query::Row& row) {
  constexpr std::array<std::string_view, 4> kLevels = {"reported", "reproducible", "verified",
                                                       "replicated"};
  const auto at = std::ranges::find(kLevels, row.evidence.value_or(""));
  return at == kLevels.end() ? 0 : static_cast<std::uint32_t>(at - kLevels.begin() + 1);
}

embed::CandidateData candidate_of(const query::Row& row) {
  embed::CandidateData out;
  out.implementation = row.implementation.slug;
  out.name = row.implementation.name;
  out.project = row.project.slug;
  out.run = row.run_digest.value_or("");
  out.language = row.language.value_or("");
  out.framework = row.framework.value_or("");
  out.install = row.install ? row.install->command : "";
  out.license = row.license.concluded.value_or("");
  out.value = row.primary->value;
  const auto& interval = row.primary->uncertainty ? row.primary->uncertainty : row.primary->spread;
  if (interval) {
    out.low = interval->low;
    out.high = interval->high;
  }
  out.rank = static_cast<std::int32_t>(row.rank.value_or(0));
  out.evidence = evidence_of(row);
  out.shares_rank = row.shares_rank;
  out.source_available = row.source_available;
  out.deployable = row.deployability_reasons.empty();
  return out;
}

embed::AnswerData answer_of(const query::RankedCohort& ranked) {
  embed::AnswerData out{.comparison_key = ranked.cohort.comparison_key,
                        .hardware = ranked.hardware,
                        .metric = ranked.cohort.metric.value_or(""),
                        .unit = ranked.cohort.unit.value_or(""),
                        .statistic = {},
                        .verdict = ranked.verdict.code,
                        .candidates = {}};
  for (const query::Row& row : ranked.rows) {
    if (!row.primary) continue;
    if (out.statistic.empty()) out.statistic = row.primary->statistic;
    out.candidates.push_back(candidate_of(row));
  }
  return out;
}

// What a file holds, and what it cannot.
struct Contents {
  std::size_t cases = 0;
  std::int64_t operations = 0;
  std::vector<std::string> without;  // operations with runs and no case, by slug
};

// Whether a case was added.
Result<bool> add_operation(embed::Writer& writer, const query::Resolver& resolver,
                           const std::string& slug) {
  const std::size_t before = writer.cases_count();
  const auto answers = TRY(resolver.cases(slug));
  for (const auto& ranked : answers.cohorts) {
    if (!ranked.product.empty()) writer.name_hardware(ranked.product, ranked.hardware);
    for (const std::string& name : ranked.also_called) writer.name_hardware(name, ranked.hardware);
  }
  std::vector<embed::AnswerData> packed;
  for (const auto& ranked : answers.cohorts) packed.push_back(answer_of(ranked));
  for (const auto& one : answers.cases) {
    if (packed[one.cohort].candidates.empty()) continue;
    writer.add({.operation = slug,
                .dtype = one.dtype,
                .hardware = one.hardware,
                .pass = one.pass,
                .axes = one.axes},
               packed[one.cohort]);
  }
  return writer.cases_count() > before;
}

Result<std::string> snapshot_of(const query::Resolver& resolver, Contents& contents) {
  const std::string version = TRY(resolver.version());
  embed::Writer writer(version, std::string(policy::kRankingV2));
  const auto list = TRY(resolver.operations());
  for (const auto& operation : list.operations) {
    const bool added = TRY(add_operation(writer, resolver, operation.slug));
    if (added) {
      ++contents.operations;
    } else if (operation.runs > 0) {
      contents.without.push_back(operation.slug);
    }
  }
  const auto index = TRY(resolver.index());
  for (const auto& entry : index) {
    for (const std::string& alias : entry.aliases) writer.name_operation(alias, entry.slug);
  }
  const std::string version_now = TRY(resolver.version());
  if (version_now != version) {
    return fail(Code::conflict, "the catalog changed while it was read; run the command again");
  }
  contents.cases = writer.cases_count();
  return writer.finish();
}

// A snapshot may take the place of an older one, and of nothing else.
Status check_target(const std::string& file) {
  if (is_absent(file)) return {};
  std::array<char, embed::kMagic.size()> start{};
  std::ifstream(file, std::ios::binary).read(start.data(), start.size());
  if (start == embed::kMagic) return {};
  return fail(Code::conflict, "exists and is no snapshot; choose another name", file);
}

Result<Contents> write_snapshot(const Context& c, const std::string& file) {
  TRY(check_target(file));
  const auto resolver = TRY(open_resolver(c));
  Contents contents;
  const std::string bytes = TRY(snapshot_of(resolver, contents));
  TRY(write_file(file, bytes));
  // What was written is opened as its readers will.
  const auto mapping = TRY(embed::Mapping::open(file));
  TRY(embed::Reader::over(mapping.bytes()));
  return contents;
}

// Operations that were measured and are not in the file: their values are of no known metric, or
// the runs have none.
void print_without(const Context& c, const std::vector<std::string>& slugs) {
  if (slugs.empty()) return;
  constexpr std::size_t kListed = 5;
  const auto listed = static_cast<std::ptrdiff_t>(std::min(slugs.size(), kListed));
  c.out << query::counted(std::ssize(slugs), "measured operation")
        << (slugs.size() == 1 ? " is" : " are") << " not in it, for no run of them has a value: "
        << printable(join(std::vector<std::string>(slugs.begin(), slugs.begin() + listed), ", "))
        << (slugs.size() > kListed ? ", ..." : "") << '\n';
}

}  // namespace

int snapshot(const Context& c, const std::string& file) {
  const auto contents = write_snapshot(c, file);
  if (!contents) return report(c, contents.error());
  keep(c, file + " is whole");
  if (c.quiet) return kOk;
  c.out << printable(file) << ": "
        << query::counted(static_cast<std::int64_t>(contents->cases), "case") << " of "
        << query::counted(contents->operations, "operation") << '\n';
  print_without(c, contents->without);
  return kOk;
}

}  // namespace ki::cli
