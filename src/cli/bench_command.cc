// ki bench: measure kernels on this machine, and keep what was measured.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <ostream>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/bench_cases.h"
#include "cli/commands.h"
#include "cli/evidence_keys.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "cli/table.h"
#include "evidence/publish_evidence.h"
#include "kernels/provider.h"
#include "kernels/registry.h"
#include "policy/names.h"
#include "runner/cases.h"
#include "runner/evaluate.h"
#include "runner/session.h"

namespace ki::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

std::atomic<bool> g_interrupted{false};

// While it lives, Ctrl-C asks to stop after what is being measured; the second one ends the
// program.
class Interrupts {
 public:
  Interrupts() {
    g_interrupted = false;
    struct sigaction action{};
    action.sa_handler = [](int) { g_interrupted = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &before_);
  }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts() { sigaction(SIGINT, &before_, nullptr); }

 private:
  struct sigaction before_{};
};

// One line on the terminal, drawn over itself.
class Line {
 public:
  explicit Line(const Context& context)
      : on_(context.err_terminal && !context.quiet), c_(context) {}
  ~Line() { clear(); }
  void show(const std::string& text) {
    const auto now = steady_clock::now();
    if (!on_ || now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    drawn_ = true;
    c_.err << "\r\x1b[K" << printable(text) << std::flush;
  }
  void clear() {
    if (std::exchange(drawn_, false)) c_.err << "\r\x1b[K" << std::flush;
  }

 private:
  bool on_;
  bool drawn_ = false;
  const Context& c_;
  steady_clock::time_point last_;
};

std::string ns_text(double ns) { return policy::measured_text(ns, "ns"); }

// What is known of one case, for --json and for the table.
struct BenchRow {
  std::string provider;
  std::string status;
  std::string text;
  std::optional<double> median_ns;
  std::optional<double> low_ns;  // 95 % interval of the median
  std::optional<double> high_ns;
  std::optional<double> p20_ns;
  std::optional<double> p80_ns;
  std::int64_t samples = 0;
  std::optional<double> behind;  // time over the leader's, minus 1
  std::optional<double> behind_low;
  std::optional<double> behind_high;
  std::optional<double> gb_per_s;  // bytes that must move over the median
  std::string verdict;             // leads, best, tie, slower, not_enough_evidence, ""
  bool two_modes = false;
  template <class V>
  static void describe(V& v) {
    v.field("provider", &BenchRow::provider, "");
    v.field("status", &BenchRow::status, "");
    v.field("text", &BenchRow::text, "why it did not pass");
    v.field("medianNs", &BenchRow::median_ns, "");
    v.field("lowNs", &BenchRow::low_ns, "");
    v.field("highNs", &BenchRow::high_ns, "");
    v.field("p20Ns", &BenchRow::p20_ns, "");
    v.field("p80Ns", &BenchRow::p80_ns, "");
    v.field("samples", &BenchRow::samples, "");
    v.field("behind", &BenchRow::behind, "");
    v.field("behindLow", &BenchRow::behind_low, "");
    v.field("behindHigh", &BenchRow::behind_high, "");
    v.field("gbPerS", &BenchRow::gb_per_s, "");
    v.field("verdict", &BenchRow::verdict, "");
    v.field("twoModes", &BenchRow::two_modes, "");
  }
};

struct BenchCase {
  std::string operation;
  std::string title;  // "rms-norm forward fp32 rows=4096 hidden=4096"
  std::string protocol;
  std::int64_t launches = 0;
  std::int64_t rounds = 0;
  std::int64_t void_rounds = 0;
  std::int64_t disturbed = 0;
  std::string void_reason;
  std::string evidence;  // file
  std::vector<BenchRow> rows;
  template <class V>
  static void describe(V& v) {
    v.field("operation", &BenchCase::operation, "");
    v.field("case", &BenchCase::title, "");
    v.field("protocol", &BenchCase::protocol, "");
    v.field("launches", &BenchCase::launches, "");
    v.field("rounds", &BenchCase::rounds, "");
    v.field("voidRounds", &BenchCase::void_rounds, "");
    v.field("disturbedRounds", &BenchCase::disturbed, "");
    v.field("voidReason", &BenchCase::void_reason, "");
    v.field("evidence", &BenchCase::evidence, "");
    v.field("rows", &BenchCase::rows, "");
  }
};

struct BenchReport {
  std::vector<BenchCase> cases;
  template <class V>
  static void describe(V& v) {
    v.field("cases", &BenchReport::cases, "");
  }
};

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

BenchCase case_of(const runner::Evidence& evidence, std::string title) {
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
  out.void_reason = s.lineup.empty() ? "no candidate passed" : e.void_reason;
  for (std::size_t i = 0; i < s.candidates.size(); ++i) {
    const runner::Measured& m = s.candidates[i];
    BenchRow row;
    row.provider = runner::name_of(m.provider, m.variant);
    row.status = m.status;
    row.text = m.text;
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
      if (m.cost_bytes > 0) row.gb_per_s = m.cost_bytes / timing.summary.median;
      if (out.void_reason.empty()) judge(row, t, e);
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

std::string behind_text(const BenchRow& row) {
  if (!row.behind) return "";
  if (!row.behind_low) return "1.000x";
  return fmt::format("{:.3f}x [{:.3f}, {:.3f}]", 1 + *row.behind, 1 + *row.behind_low,
                     1 + *row.behind_high);
}

void print_case(const Context& c, const BenchCase& one) {
  c.out << printable(one.title) << '\n';
  Table table({{.heading = "provider"},
               {.heading = "median", .align = Align::right},
               {.heading = "95 % interval", .align = Align::right, .spare = 1},
               {.heading = "over the best", .align = Align::right},
               {.heading = "GB/s", .align = Align::right, .spare = 2},
               {.heading = "verdict", .narrowest = kNarrowest}});
  for (const BenchRow& row : one.rows) {
    std::string verdict = row.status == "passed" ? row.verdict : row.status;
    if (!row.text.empty()) verdict += ": " + row.text;
    if (row.two_modes) verdict += " (two modes)";
    table.add({row.provider, row.median_ns ? ns_text(*row.median_ns) : "-",
               row.low_ns ? ns_text(*row.low_ns) + " - " + ns_text(*row.high_ns) : "",
               behind_text(row), row.gb_per_s ? fmt::format("{:.1f}", *row.gb_per_s) : "",
               std::move(verdict)});
  }
  table.print(c.out, !c.quiet, c.width);
  if (!one.void_reason.empty()) {
    c.out << "void: " << printable(one.void_reason) << "; nothing is concluded\n";
  }
  if (!c.quiet) {
    c.out << fmt::format("{}, {} launches, {} rounds", one.protocol, one.launches, one.rounds);
    if (one.void_rounds > 0) c.out << ", " << one.void_rounds << " rounds void";
    if (one.disturbed > 0) c.out << ", " << one.disturbed << " disturbed";
    c.out << "\nevidence: " << printable(one.evidence) << "\n\n";
  }
}

// The machine must be quiet, or the user says that it is not.
Status require_quiet(const runner::Facts& facts, const BenchOptions& options) {
  if (options.busy) return {};
  const auto before = runner::read_cpu_times();
  const double load = runner::read_load();
  std::string reason = runner::busy_reason(facts, before, before, load);
  if (reason.empty()) {
    constexpr timespec kWatched{.tv_sec = 0, .tv_nsec = 500'000'000};
    nanosleep(&kWatched, nullptr);
    reason = runner::busy_reason(facts, before, runner::read_cpu_times(), load);
  }
  if (reason.empty()) return {};
  return fail(Code::conflict,
              "this machine is busy: " + reason +
                  "; wait, or measure with --busy, whose runs are never compared with those of a "
                  "quiet machine");
}

// Where our own providers behind shared objects lie: beside the program.
std::vector<runner::KernelName> companions() {
  std::vector<runner::KernelName> found;
  std::error_code unknown;
  const fs::path beside = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  for (const auto& companion : kernels::companions()) {
    const fs::path file = beside / companion.file;
    if (fs::exists(file, unknown)) found.push_back({"*", "", file.string(), ""});
  }
  return found;
}

std::vector<runner::KernelName> candidates_of(const BenchOptions& options,
                                              const kernels::Bound& bound) {
  std::vector<runner::KernelName> names;
  for (const ki_kernel* kernel : kernels::built_in_kernels()) {
    if (!kernels::serves(*kernel, bound)) continue;
    names.push_back({kernel->provider, kernel->variant, "", kernel->language});
  }
  // The float64 reference is slow and no rival: only when asked for.
  const bool chosen = !options.providers.empty();
  std::erase_if(names, [&](const runner::KernelName& name) {
    const bool asked =
        std::ranges::find(options.providers, name.provider) != options.providers.end();
    return chosen ? !asked : name.provider == "reference";
  });
  for (const runner::KernelName& library : companions()) names.push_back(library);
  for (const std::string& file : options.libraries) {
    names.push_back({"*", "", fs::absolute(file).string(), ""});
  }
  return names;
}

class Bench {
 public:
  Bench(const Context& context, const BenchOptions& options)
      : c_(context), options_(options), facts_(runner::read_facts()) {}

  Result<BenchReport> run() {
    const auto cases = TRY(bench_cases(options_));
    TRY(require_quiet(facts_, options_));
    const auto key = TRY(runner_key(c_, options_.key, /*create=*/true));
    const Interrupts interrupts;
    BenchReport report;
    for (const BenchAsk& ask : cases) {
      if (g_interrupted) break;
      auto done = measure(ask, key, report.cases.size(), cases.size());
      if (!done && g_interrupted) break;
      if (!done) return std::unexpected(done.error());
      if (c_.output == Output::table) print_case(c_, *done);
      report.cases.push_back(std::move(*done));
    }
    if (g_interrupted && !c_.quiet) {
      c_.err << "stopped; the evidence of " << report.cases.size() << " cases is kept\n";
    }
    return report;
  }

 private:
  Result<BenchCase> measure(const BenchAsk& ask, const runner::SigningKey& key, std::size_t number,
                            std::size_t total) {
    runner::Request request = request_of(ask);
    const kernels::Bound bound = TRY(runner::bind_job({.operation = ask.operation,
                                                       .pass = ask.pass,
                                                       .dtype = ask.dtype,
                                                       .axes = ask.axes,
                                                       .scalars = {},
                                                       .protocol = {},
                                                       .candidates = {},
                                                       .seed = {}}));
    request.candidates = candidates_of(options_, bound);
    Line line(c_);
    const auto started = steady_clock::now();
    const auto progress = [&](const runner::Progress& now) {
      const double done = (static_cast<double>(number) + now.done) / static_cast<double>(total);
      const auto spent = std::chrono::duration<double>(steady_clock::now() - started).count();
      const std::string left = now.done > 0.1 ? fmt::format(", {:.0f} s left of this case",
                                                            spent / now.done * (1 - now.done))
                                              : "";
      line.show(fmt::format("{:3.0f} % {}: {}{}", 100 * done, ask.title(), now.what, left));
    };
    const auto evidence = TRY(runner::measure_session(request, facts_, clock(), progress,
                                                      [] { return g_interrupted.load(); }));
    line.clear();
    BenchCase one = case_of(evidence, ask.title());
    const std::string encoded = runner::encode(evidence, key);
    one.evidence = TRY(keep_evidence(options_.folder, encoded));
    if (options_.publish) {
      auto catalog = TRY(catalog::Catalog::open(c_.db, clock(), {.mode = db::Mode::create}));
      TRY(evidence::publish_evidence(catalog, encoded, one.evidence, clock()));
    }
    return one;
  }

  runner::Request request_of(const BenchAsk& ask) const {
    runner::Request request;
    request.operation = ask.operation;
    request.pass = ask.pass;
    request.dtype = ask.dtype;
    request.axes = ask.axes;
    request.threads = options_.threads > 0 ? options_.threads : facts_.cores;
    const runner::Protocol& protocol = *runner::find_protocol(options_.protocol);
    request.protocol = options_.busy ? &runner::busy_variant(protocol) : &protocol;
    request.version = KI_VERSION;
    request.launch_time = std::chrono::seconds(options_.launch_seconds);
    return request;
  }

  const Context& c_;
  const BenchOptions& options_;
  runner::Facts facts_;
};

}  // namespace

int bench(const Context& c, const BenchOptions& options) {
  Bench bench(c, options);
  const auto done = bench.run();
  if (!done) {
    return report_options(c, done.error(),
                          {{"axes", "--axes"},
                           {"dtype", "--dtype"},
                           {"pass", "--pass"},
                           {"providers", "--providers"},
                           {"threads", "--threads"}});
  }
  if (c.output == Output::json) print_json(c, *done);
  if (c.output == Output::jsonl) print_json_lines(c, done->cases);
  return g_interrupted ? kFailed : kOk;
}

}  // namespace ki::cli
