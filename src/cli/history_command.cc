// ki history: what one runner measured of a kernel over time, and where that changed.

#include <algorithm>
#include <filesystem>
#include <ostream>

#include <fmt/format.h>

#include "base/files.h"
#include "cli/bench_options.h"
#include "cli/evidence_keys.h"
#include "cli/rows.h"
#include "cli/table.h"
#include "policy/names.h"
#include "runner/history.h"

namespace ki::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSessionsMax = 10'000;
constexpr int kBecameSlower = 3;

struct HistoryReport {
  std::vector<runner::History> series;
  template <class V>
  static void describe(V& v) {
    v.field("series", &HistoryReport::series, "one of each kernel, cohort and runner");
  }
};

// Evidence that cannot be read is said and left out.
Result<std::vector<runner::SignedEvidence>> read_folder(const Context& c,
                                                        const std::string& folder) {
  std::error_code failed;
  const std::vector<fs::path> files = evidence_in(folder, failed);
  if (failed) {
    return fail(Code::not_found, "no evidence is kept here; ki bench keeps it", folder);
  }
  if (files.size() > kSessionsMax) {
    return fail(Code::too_large, "more than 10,000 sessions: move the oldest away", folder);
  }
  std::vector<runner::SignedEvidence> all;
  for (const fs::path& file : files) {
    const auto bytes = read_file(file, runner::kEvidenceFileBytesMax);
    auto read = bytes ? runner::decode(*bytes) : std::unexpected(bytes.error());
    if (read) {
      read->evidence.launches.clear();  // the runs say what is asked for
      all.push_back(std::move(*read));
    } else {
      c.err << "left out: " << printable(file.string()) << ": " << printable(read.error().message)
            << '\n';
    }
  }
  return all;
}

void print_history(const Context& c, const runner::History& history) {
  c.out << printable(history.title) << ", " << printable(history.kernel) << " (" << history.protocol
        << ", " << history.threads << " threads)\n";
  Table table({{.heading = "began"},
               {.heading = "run"},
               {.heading = "median", .align = Align::right},
               {.heading = "change", .align = Align::right},
               {.heading = "binary", .spare = 1}});
  for (const runner::HistoryPoint& point : history.points) {
    constexpr std::size_t kDigits = 12;
    const std::size_t at = point.binary.find(':') + 1;
    table.add({point.at, short_run(point.run), policy::latency_text(point.median_ns),
               point.change ? fmt::format("{:+.1f} %", 100 * *point.change) : "",
               point.binary.substr(at, kDigits)});
  }
  table.print(c.out, !c.quiet, c.width);
  if (!c.quiet) c.out << '\n';
}

}  // namespace

int history(const Context& c, const HistoryOptions& options) {
  const auto sessions = read_folder(c, options.folder);
  if (!sessions) return report(c, sessions.error());
  auto all = runner::histories(*sessions);
  if (!all) return report(c, all.error());
  HistoryReport shown;
  for (runner::History& one : *all) {
    const bool asked =
        options.operations.empty() ||
        std::ranges::find(options.operations, one.operation) != options.operations.end();
    if (asked) shown.series.push_back(std::move(one));
  }
  if (c.output == Output::json) print_json(c, shown);
  if (c.output == Output::jsonl) print_json_lines(c, shown.series);
  if (c.output == Output::table) {
    for (const runner::History& one : shown.series) print_history(c, one);
    if (shown.series.empty() && !c.quiet) c.out << "Nothing of this is kept.\n";
  }
  return std::ranges::any_of(shown.series, runner::became_slower) ? kBecameSlower : kOk;
}

}  // namespace ki::cli
