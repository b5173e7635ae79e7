#include "cli/bench_against.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <ostream>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/evidence_keys.h"
#include "cli/revision_build.h"
#include "cli/table.h"
#include "policy/names.h"
#include "runner/cases.h"
#include "runner/evaluate.h"

namespace ki::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBinaryBytesMax = std::size_t{1} << 30;
constexpr std::size_t kDigitsMin = 6;

// The evidence in the folder that has a run whose digest begins so, and which of its candidates.
struct Stored {
  runner::Session session;
  std::size_t candidate = 0;
};

Result<std::optional<Stored>> stored_in(const fs::path& file, const std::string& digits) {
  const std::string bytes = TRY(read_file(file, runner::kEvidenceFileBytesMax));
  const auto read = TRY(runner::decode(bytes));
  const runner::Session& session = read.evidence.session;
  std::size_t run = 0;  // of the candidates that have one
  for (std::size_t i = 0; i < session.candidates.size(); ++i) {
    if (!runner::was_run(session.candidates[i])) continue;
    if (run == read.statement.predicate.runs.size()) break;
    if (read.statement.predicate.runs[run++].starts_with("sha256:" + digits)) {
      return std::optional<Stored>({session, i});
    }
  }
  return std::optional<Stored>();
}

bool is_digits(const std::string& text) {
  return text.size() >= kDigitsMin && std::ranges::all_of(text, [](char c) {
           return std::string_view("0123456789abcdef").contains(c);
         });
}

Result<std::optional<Stored>> find_stored(const std::string& folder, const std::string& ref) {
  const std::string digits = ref.starts_with("sha256:") ? ref.substr(7) : ref;
  if (!is_digits(digits)) return std::optional<Stored>();
  std::error_code none;
  for (const fs::path& file : evidence_in(folder, none)) {
    auto found = stored_in(file, digits);
    if (found && *found) return std::move(*found);
  }
  return std::optional<Stored>();
}

Result<Baseline> baseline_of(const Stored& stored, const MeasureOptions& options,
                             const std::string& ref) {
  const runner::Session& s = stored.session;
  const runner::Measured& m = s.candidates[stored.candidate];
  Baseline baseline;
  baseline.name = "run " + ref;
  baseline.binary = m.binary;
  baseline.protocol = s.protocol;
  baseline.provider = m.provider;
  baseline.variant = m.variant;
  baseline.threads = s.threads;
  BenchAsk ask;
  ask.operation = s.operation;
  ask.pass = s.pass;
  ask.dtype = s.dtype;
  ask.axes = s.axes;
  baseline.ask = std::move(ask);
  if (m.library.empty()) {
    const std::string own = TRY(digest_of("/proc/self/exe"));
    if (own == m.binary) return baseline;
    return fail(Code::not_found,
                "this run is of another build of ki than this one; give --against the git "
                "revision that it was built of",
                ref);
  }
  baseline.library = kept_binary(options.folder, m.binary);
  if (fs::exists(baseline.library)) return baseline;
  return fail(Code::not_found,
              "the shared object that this run is of (" + m.library + ", " + m.binary +
                  ") is not kept here; give --against the file itself",
              ref);
}

std::string change_text(const BenchChange& one) {
  if (!one.change) return "";
  return fmt::format("{:+.1f} % [{:+.1f}, {:+.1f}]", 100 * *one.change, 100 * *one.low,
                     100 * *one.high);
}

std::string ns_text(const std::optional<double>& ns) {
  return ns ? policy::latency_text(*ns) : "-";
}

std::string verdict_text(const BenchChange& one) {
  std::string words = one.verdict;
  std::ranges::replace(words, '_', ' ');
  return one.why.empty() ? words : words + ": " + one.why;
}

// Text in a cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '|' || c == '\\' || c == '`' || c == '<' || c == '*' || c == '_') out += '\\';
    out += c;
  }
  return out;
}

// What is known of one pair when its samples are left aside.
BenchChange begin_change(const runner::Session& session, const runner::Pair& pair,
                         const runner::Evaluation& evaluation, const std::string& title) {
  const runner::Measured& base = session.candidates[pair.base];
  const runner::Measured& now = session.candidates[pair.now];
  BenchChange one;
  one.title = title;
  one.kernel = runner::name_of(now.provider, now.variant);
  for (const runner::Timing& timing : evaluation.timings) {
    if (timing.candidate == pair.base) one.base_ns = timing.summary.median;
    if (timing.candidate == pair.now) one.now_ns = timing.summary.median;
  }
  if (now.status != "passed") {
    one.verdict = now.status;
    one.why = now.text;
  } else if (base.status != "passed") {
    one.verdict = "no_baseline";
    one.why = "the baseline ended with " + base.status + ": " + base.text;
  } else {
    one.verdict = "void";
    one.why = evaluation.void_reason;
  }
  return one;
}

std::vector<runner::Pair> pairs_of(const runner::Session& session, const Baseline& baseline) {
  std::vector<std::size_t> base;
  std::vector<std::size_t> now;
  for (std::size_t i = 0; i < session.candidates.size(); ++i) {
    const runner::Measured& m = session.candidates[i];
    const bool is_base =
        m.binary == baseline.binary && m.library == fs::path(baseline.library).filename().string();
    if (!is_base) {
      now.push_back(i);
    } else {
      base.push_back(i);
    }
  }
  std::vector<runner::Pair> pairs;
  const auto key = [&](std::size_t i) {
    return runner::name_of(session.candidates[i].provider, session.candidates[i].variant);
  };
  for (const std::size_t one : base) {
    const auto same = std::ranges::find(now, key(one), key);
    if (same != now.end()) pairs.push_back({one, *same});
  }
  if (pairs.empty() && base.size() == 1 && now.size() == 1) pairs.push_back({base[0], now[0]});
  return pairs;
}

}  // namespace

Result<std::string> digest_of(const std::string& file) {
  const std::string bytes = TRY(read_file(file, kBinaryBytesMax));
  return to_string(sha256(bytes));
}

std::string kept_binary(const std::string& folder, const std::string& digest) {
  constexpr std::size_t kDigits = 16;
  const std::size_t at = digest.find(':') + 1;
  return (fs::path(folder) / "binaries" / (digest.substr(at, kDigits) + ".so")).string();
}

Status keep_binary(const std::string& folder, const std::string& file) {
  const std::string bytes = TRY(read_file(file, kBinaryBytesMax));
  const std::string path = kept_binary(folder, to_string(sha256(bytes)));
  std::error_code failed;
  if (fs::exists(path, failed)) return {};
  fs::create_directories(fs::path(path).parent_path(), failed);
  if (failed) return fail(Code::unavailable, failed.message(), folder);
  return write_file(path, bytes);
}

Result<Baseline> find_baseline(const Context& context, const MeasureOptions& options,
                               const std::string& ref) {
  if (fs::is_regular_file(ref)) {
    Baseline baseline;
    baseline.name = ref;
    baseline.library = fs::absolute(ref).string();
    baseline.binary = TRY(digest_of(ref));
    return baseline;
  }
  const auto stored = TRY(find_stored(options.folder, ref));
  if (stored) return baseline_of(*stored, options, ref);
  const auto commit = commit_of(ref);
  if (!commit) {
    return fail(Code::not_found,
                "--against takes a shared object, a run whose evidence is in " + options.folder +
                    ", or a revision of this git repository; this is none of them",
                ref);
  }
  Baseline baseline;
  baseline.name = "revision " + commit->substr(0, 12);
  baseline.library = TRY(build_revision(context, *commit, options.folder));
  baseline.binary = TRY(digest_of(baseline.library));
  return baseline;
}

std::vector<BenchChange> changes_of(const runner::Evidence& evidence, const Baseline& baseline,
                                    const std::string& title) {
  const runner::Session& session = evidence.session;
  const runner::Evaluation evaluation = runner::evaluate(session, evidence.launches);
  const std::vector<runner::Pair> pairs = pairs_of(session, baseline);
  std::vector<BenchChange> changes;
  for (const runner::Pair& pair : pairs) {
    changes.push_back(begin_change(session, pair, evaluation, title));
  }
  for (const runner::Change& change :
       runner::changes_of(session, evidence.launches, evaluation, pairs)) {
    const auto at = std::ranges::find_if(pairs, [&](const runner::Pair& pair) {
      return pair.base == change.pair.base && pair.now == change.pair.now;
    });
    BenchChange& one = changes[static_cast<std::size_t>(at - pairs.begin())];
    one.change = std::expm1(change.effect.pooled.value);
    one.low = std::expm1(change.effect.pooled.interval.low);
    one.high = std::expm1(change.effect.pooled.interval.high);
    one.verdict = change.same_binary ? "same_binary" : stats::name_of(change.outcome);
    one.why.clear();
  }
  return changes;
}

void print_changes(const Context& c, const std::vector<BenchChange>& changes,
                   const std::string& against) {
  Table table({{.heading = "case", .narrowest = kNarrowest},
               {.heading = "kernel"},
               {.heading = "before", .align = Align::right},
               {.heading = "now", .align = Align::right},
               {.heading = "change", .align = Align::right},
               {.heading = "verdict", .narrowest = kNarrowest}});
  for (const BenchChange& one : changes) {
    table.add({one.title, one.kernel, ns_text(one.base_ns), ns_text(one.now_ns), change_text(one),
               verdict_text(one)});
  }
  if (!c.quiet) c.out << "Against " << printable(against) << ":\n";
  table.print(c.out, !c.quiet, c.width);
}

std::string markdown_of(const std::vector<BenchChange>& changes, const std::string& against) {
  const auto slower = std::ranges::count(changes, "slower", &BenchChange::verdict);
  const auto faster = std::ranges::count(changes, "faster", &BenchChange::verdict);
  std::string out = fmt::format(
      "**{} slower, {} faster, {} without a claim**, measured together with {}.\n\n"
      "| case | kernel | before | now | change, 95 % interval | verdict |\n"
      "|---|---|--:|--:|--:|---|\n",
      slower, faster, std::ssize(changes) - slower - faster, cell(against));
  for (const BenchChange& one : changes) {
    out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", cell(one.title), cell(one.kernel),
                       ns_text(one.base_ns), ns_text(one.now_ns), change_text(one),
                       cell(verdict_text(one)));
  }
  return out +
         "\nA claim needs every process to agree and more than the machine's own noise "
         "(`docs/method/statistics.md`).\n";
}

bool has_slowdown(const std::vector<BenchChange>& changes) {
  return std::ranges::find(changes, "slower", &BenchChange::verdict) != changes.end();
}

bool has_failure(const std::vector<BenchChange>& changes) {
  constexpr std::string_view kNoFailure[] = {
      "slower", "faster", "tie", "not_enough_evidence", "same_binary", "void", "no_baseline"};
  return std::ranges::any_of(changes, [&](const BenchChange& one) {
    return std::ranges::find(kNoFailure, one.verdict) == std::end(kNoFailure);
  });
}

}  // namespace ki::cli
