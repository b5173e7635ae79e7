#include "cli/bench_report.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include <fmt/format.h>

#include "cli/table.h"
#include "policy/names.h"
#include "runner/cases.h"
#include "runner/evaluate.h"

namespace ki::cli {
namespace {

void judge(BenchRow& row, std::size_t timing, const runner::Evaluation& e) {
  if (!e.leading) return;
  if (timing == e.leading->leader) {
    row.behind = 0;
    row.verdict = e.leading->claimed() ? "leads" : "best";
    return;
  }
  for (const auto& versus : e.leading->others) {
    if (versus.candidate != timing) continue;
    row.behind = std::expm1(versus.effect.pooled.value);
    row.behind_low = std::expm1(versus.effect.pooled.interval.low);
    row.behind_high = std::expm1(versus.effect.pooled.interval.high);
    row.verdict = stats::name_of(versus.outcome);
  }
}

}  // namespace

BenchCase case_of(const runner::Evidence& evidence, std::string title,
                  const std::vector<runner::Rate>& rates) {
  const runner::Session& s = evidence.session;
  const runner::Evaluation e = runner::evaluate(s, evidence.launches);
  BenchCase out;
  out.operation = s.operation;
  out.title = std::move(title);
  out.protocol = s.protocol;
  out.launches = static_cast<std::int64_t>(e.launches);
  out.rounds = static_cast<std::int64_t>(e.rounds);
  out.void_rounds = static_cast<std::int64_t>(e.void_rounds);
  out.disturbed = static_cast<std::int64_t>(e.disturbed);
  if (!e.twin_medians.empty()) {
    out.threshold = e.threshold;
    out.noise_floor = e.floor;
    out.noise_is_known = s.floor.has_value();
  }
  out.void_reason = s.lineup.empty() ? "no candidate passed" : e.void_reason;
  for (std::size_t i = 0; i < s.candidates.size(); ++i) {
    const runner::Measured& m = s.candidates[i];
    if (!out.floor) out.floor = runner::floor_of(s, m, rates);
    BenchRow row;
    row.provider = runner::name_of(m.provider, m.variant);
    row.status = m.status;
    row.text = m.text;
    row.peak_bytes = m.peak_bytes;
    for (std::size_t t = 0; t < e.timings.size(); ++t) {
      const runner::Timing& timing = e.timings[t];
      if (timing.candidate != i) continue;
      row.median_ns = timing.summary.median;
      row.low_ns = timing.median.interval.low;
      row.high_ns = timing.median.interval.high;
      row.p20_ns = timing.summary.p20;
      row.p80_ns = timing.summary.p80;
      row.samples = static_cast<std::int64_t>(timing.summary.count);
      row.two_modes = timing.modes.has_value();
      if (out.floor) row.floor_share = out.floor->ns / timing.summary.median;
      if (m.cost_bytes > 0) row.gb_per_s = m.cost_bytes / timing.summary.median;
      if (out.void_reason.empty()) judge(row, t, e);
      if (out.void_reason.empty() && e.timings.size() == 1) row.verdict = "alone";
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

std::string why_none_passed(const BenchCase& one) {
  std::string why;
  for (const BenchRow& row : one.rows) {
    if (row.status == "passed") return {};
    why += (why.empty() ? "" : "; ") + row.provider + ": " + row.status;
    if (!row.text.empty()) why += ": " + row.text;
  }
  return why;
}

namespace {

std::string behind_text(const BenchRow& row) {
  if (!row.behind) return "";
  if (!row.behind_low) return "1.000x";
  return fmt::format("{:.3f}x [{:.3f}, {:.3f}]", 1 + *row.behind, 1 + *row.behind_low,
                     1 + *row.behind_high);
}

std::string interval_text(const BenchRow& row) {
  return row.low_ns ? policy::latency_text(*row.low_ns) + " - " + policy::latency_text(*row.high_ns)
                    : "";
}

std::string share_text(const BenchRow& row) {
  return row.floor_share ? fmt::format("{:.0f} %", 100 * *row.floor_share) : "";
}

std::string verdict_text(const BenchCase& one, const BenchRow& row) {
  std::string verdict = row.status == "passed" ? row.verdict : row.status;
  if (row.status == "passed" && !one.void_reason.empty()) verdict = "void";
  if (!row.text.empty()) verdict += ": " + row.text;
  if (row.two_modes) verdict += " (two modes)";
  return verdict;
}

// Worth a column: what every kernel has (stacks, tables) is a fraction of that.
constexpr std::int64_t kPeakShown = 1 << 20;

bool has_peaks(const BenchCase& one) {
  return std::ranges::any_of(
      one.rows, [](const BenchRow& row) { return row.peak_bytes.value_or(0) >= kPeakShown; });
}

std::string peak_text(const BenchRow& row) {
  if (!row.peak_bytes) return "";
  return fmt::format("{:.1f} MiB", static_cast<double>(*row.peak_bytes) / (1 << 20));
}

std::string size_text(std::int64_t bytes) {
  if (bytes == 0) return "-";
  if (bytes < 1 << 20) return fmt::format("{} KiB", bytes >> 10);
  return fmt::format("{} MiB", bytes >> 20);
}

// Of a rate in bytes or operations a second.
std::string rate_text(const runner::Rate& rate, double value) {
  return fmt::format("{:.1f} {}", value / 1e9, rate.set_bytes > 0 ? "GB/s" : "GFLOP/s");
}

// "a claim takes 1.3 %: noise floor 1.3 % of past sessions"
std::string threshold_text(const BenchCase& one) {
  return fmt::format("a claim takes {:.2f} %; noise floor {:.2f} % {}", 100 * *one.threshold,
                     100 * *one.noise_floor,
                     one.noise_is_known ? "by past sessions of this runner"
                                        : "by this session alone: too few before it");
}

// "floor 1.18 ms: 67108864 bytes at 56.9 GB/s (copy)"
std::string floor_text(const runner::Floor& floor) {
  std::string text = "floor " + policy::latency_text(floor.ns) + ": ";
  const bool is_memory = floor.memory_ns >= floor.arithmetic_ns;
  const runner::Rate& rate = is_memory ? *floor.bandwidth : *floor.arithmetic;
  return text + fmt::format("{:.0f} {} at {} ({})", is_memory ? floor.bytes : floor.operations,
                            is_memory ? "bytes" : "operations", rate_text(rate, rate.median),
                            rate.name);
}

}  // namespace

void print_ceilings(const Context& c, const std::vector<runner::Rate>& rates) {
  Table table({{.heading = "ceiling"},
               {.heading = "threads", .align = Align::right},
               {.heading = "set of each", .align = Align::right},
               {.heading = "median", .align = Align::right},
               {.heading = "95 % interval", .align = Align::right, .spare = 1},
               {.heading = "best", .align = Align::right, .spare = 2}});
  for (const runner::Rate& rate : rates) {
    table.add({rate.name, std::to_string(rate.threads), size_text(rate.set_bytes),
               rate_text(rate, rate.median),
               rate_text(rate, rate.low) + " - " + rate_text(rate, rate.high),
               rate_text(rate, rate.best)});
  }
  table.print(c.out, !c.quiet, c.width);
  if (!c.quiet) c.out << '\n';
}

void print_left_out(const Context& c, const BenchReport& report) {
  for (const BenchLeftOut& one : report.left_out) {
    c.out << "not measured: " << printable(one.title) << ": " << printable(one.why) << '\n';
  }
}

void print_summary(const Context& c, const BenchReport& report) {
  Table table({{.heading = "operation", .narrowest = kNarrowest},
               {.heading = "provider"},
               {.heading = "median", .align = Align::right},
               {.heading = "95 % interval", .align = Align::right, .spare = 2},
               {.heading = "over the best", .align = Align::right},
               {.heading = "of the floor", .align = Align::right, .spare = 1},
               {.heading = "verdict", .narrowest = kNarrowest}});
  for (const BenchCase& one : report.cases) {
    for (const BenchRow& row : one.rows) {
      table.add({one.title + (one.scaled.empty() ? "" : " (" + one.scaled + ")"), row.provider,
                 row.median_ns ? policy::latency_text(*row.median_ns) : "-", interval_text(row),
                 behind_text(row), share_text(row), verdict_text(one, row)});
    }
  }
  if (!table.empty()) table.print(c.out, !c.quiet, c.width);
  print_left_out(c, report);
}

void print_case(const Context& c, const BenchCase& one) {
  c.out << printable(one.title) << '\n';
  if (!one.scaled.empty()) c.out << "smaller than the record's: " << printable(one.scaled) << '\n';
  const bool has_memory = has_peaks(one);
  std::vector<Column> columns = {{.heading = "provider"},
                                 {.heading = "median", .align = Align::right},
                                 {.heading = "95 % interval", .align = Align::right, .spare = 1},
                                 {.heading = "over the best", .align = Align::right},
                                 {.heading = "GB/s", .align = Align::right, .spare = 2},
                                 {.heading = "of the floor", .align = Align::right},
                                 {.heading = "verdict", .narrowest = kNarrowest}};
  if (has_memory) {
    columns.insert(columns.end() - 1, {.heading = "memory", .align = Align::right});
  }
  Table table(std::move(columns));
  for (const BenchRow& row : one.rows) {
    std::vector<std::string> cells = {row.provider,
                                      row.median_ns ? policy::latency_text(*row.median_ns) : "-",
                                      interval_text(row),
                                      behind_text(row),
                                      row.gb_per_s ? fmt::format("{:.1f}", *row.gb_per_s) : "",
                                      share_text(row),
                                      verdict_text(one, row)};
    if (has_memory) cells.insert(cells.end() - 1, peak_text(row));
    table.add(std::move(cells));
  }
  table.print(c.out, !c.quiet, c.width);
  if (!one.void_reason.empty()) {
    c.out << "void: " << printable(one.void_reason) << "; nothing is concluded\n";
  }
  if (!c.quiet) {
    c.out << fmt::format("{}, {} launches, {} rounds", one.protocol, one.launches, one.rounds);
    if (one.void_rounds > 0) c.out << ", " << one.void_rounds << " rounds void";
    if (one.disturbed > 0) c.out << ", " << one.disturbed << " disturbed";
    if (has_memory) c.out << "\nmemory: at most, beside inputs and outputs";
    if (one.threshold) c.out << '\n' << threshold_text(one);
    c.out << '\n' << (one.floor ? floor_text(*one.floor) : "no floor: no ceilings were measured");
    c.out << "\nevidence: " << printable(one.evidence) << "\n\n";
  }
}

}  // namespace ki::cli
