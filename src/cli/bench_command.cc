// ki bench: measure kernels on this machine, and keep what was measured.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <ostream>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/bench_against.h"
#include "cli/bench_cases.h"
#include "cli/bench_options.h"
#include "cli/bench_report.h"
#include "cli/evidence_keys.h"
#include "cli/machine.h"
#include "cli/open.h"
#include "cli/past_floor.h"
#include "cli/rows.h"
#include "cli/table.h"
#include "cli/values.h"
#include "evidence/publish_evidence.h"
#include "kernels/provider.h"
#include "kernels/registry.h"
#include "policy/names.h"
#include "runner/cases.h"
#include "runner/evaluate.h"
#include "runner/session.h"
#include "runner/worker_session.h"

namespace ki::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr int kSlower = 3;  // than what it is held against, beyond doubt

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

// The machine must be quiet, or the user says that it is not.
Status require_quiet(const runner::Facts& facts, const MeasureOptions& options) {
  if (options.busy) return {};
  const std::string reason = busy_now(facts);
  if (reason.empty()) return {};
  return fail(Code::conflict,
              "this machine is busy: " + reason +
                  "; wait, or measure with --busy, whose runs are never compared with those of a "
                  "quiet machine");
}

std::vector<runner::KernelName> candidates_of(const MeasureOptions& options,
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
  for (const std::string& file : companion_files(options.providers)) {
    names.push_back({"*", "", file, ""});
  }
  for (const std::string& file : options.libraries) {
    names.push_back({"*", "", fs::absolute(file).string(), ""});
  }
  return names;
}

class Bench {
 public:
  Bench(const Context& context, const MeasureOptions& options)
      : c_(context), options_(options), facts_(runner::read_facts()) {
    const bool is_plain = options.operations.empty() && options.against.empty();
    only_ceilings_ = is_plain && options.ceilings;
    with_ceilings_ = is_plain || options.ceilings;
    std::int64_t seconds = seconds_of(options.time);
    if (seconds == 0 && options.operations.empty() && !only_ceilings_) seconds = kTourSeconds;
    if (seconds > 0) deadline_ = steady_clock::now() + std::chrono::seconds(seconds);
  }

  Result<BenchReport> run() {
    if (!options_.against.empty()) baseline_ = TRY(find_baseline(c_, options_, options_.against));
    std::vector<BenchAsk> cases;
    if (baseline_ && baseline_->ask && options_.operations.empty()) {
      cases.push_back(*baseline_->ask);
    } else if (!only_ceilings_) {
      cases = TRY(bench_cases(options_));
    }
    TRY(require_quiet(facts_, options_));
    const Interrupts interrupts;
    BenchReport report;
    if (with_ceilings_) {
      const Status done = measure_ceilings(report);
      if (!done && !g_interrupted) return std::unexpected(done.error());
    }
    if (only_ceilings_ || g_interrupted) return report;
    const auto key = TRY(runner_key(c_, options_.key));
    TRY(measure_all(cases, key, report));
    if (g_interrupted && !c_.quiet) {
      c_.err << "stopped; the evidence of " << report.cases.size() << " cases is kept\n";
    }
    if (baseline_) {
      if (c_.output == Output::table) {
        print_changes(c_, report.changes, baseline_->name);
        print_left_out(c_, report);
      }
      if (!options_.markdown.empty()) {
        TRY(write_file(options_.markdown, markdown_of(report.changes, baseline_->name)));
      }
      return report;
    }
    const bool many = cases.size() > 1 || !report.left_out.empty();
    if (c_.output == Output::table && many) print_summary(c_, report);
    return report;
  }
  bool failed() const { return failed_; }

 private:
  static constexpr std::int64_t kTourSeconds = 300;

  int threads() const {
    if (options_.threads > 0) return options_.threads;
    if (baseline_ && baseline_->threads > 0) return static_cast<int>(baseline_->threads);
    return facts_.cores;
  }

  // A case that cannot be measured stops nothing where there are others.
  Status measure_all(const std::vector<BenchAsk>& cases, const runner::SigningKey& key,
                     BenchReport& report) {
    const bool nothing_differs = baseline_ && is_same_binary();
    for (std::size_t i = 0; i < cases.size() && !g_interrupted; ++i) {
      const std::size_t left = cases.size() - i;
      if (deadline_ && i > 0 && steady_clock::now() >= *deadline_) {
        report.left_out.push_back({cases[i].title(), "the time was over"});
        continue;
      }
      if (nothing_differs) {
        BenchChange same;
        same.title = cases[i].title();
        same.verdict = "same_binary";
        report.changes.push_back(std::move(same));
        continue;
      }
      auto done = measure(cases[i], key, left, report);
      if (!done && g_interrupted) break;
      if (!done && cases.size() == 1) return std::unexpected(done.error());
      if (!done) {
        report.left_out.push_back({cases[i].title(), to_string(done.error())});
        failed_ = true;
        continue;
      }
      if (c_.output == Output::table) print_case(c_, *done);
      if (const std::string why = why_none_passed(*done); !why.empty()) {
        c_.err << "ki: " << printable(done->title) << ": no candidate passed: " << printable(why)
               << '\n';
        failed_ = true;
      }
      report.cases.push_back(std::move(*done));
    }
    return {};
  }

  // Of as many threads as the cases use; alone, of 1, 2, 4 ... and all, unless asked for some.
  Status measure_ceilings(BenchReport& report) {
    std::vector<int> counts;
    if (only_ceilings_ && options_.threads == 0) {
      for (int count = 1; count < facts_.cores; count *= 2) counts.push_back(count);
    }
    counts.push_back(threads());
    Line line(c_);
    for (const int count : counts) {
      runner::CeilingsRequest request;
      request.threads = count;
      request.launch_time = std::chrono::seconds(options_.launch_seconds);
      const auto progress = [&](const runner::Progress& now) {
        line.show(fmt::format("{:3.0f} % {}", 100 * now.done, now.what));
      };
      ceilings_ = TRY(runner::measure_ceilings(request, facts_, clock(), progress,
                                               [] { return g_interrupted.load(); }));
      rates_ = runner::rates_of(*ceilings_);
      report.ceilings.insert(report.ceilings.end(), rates_.begin(), rates_.end());
    }
    line.clear();
    if (c_.output == Output::table) print_ceilings(c_, report.ceilings);
    return {};
  }

  // What this case may take of the time there is; 0: there is no bound.
  std::chrono::seconds share_of_time(std::size_t left) const {
    if (!deadline_) return std::chrono::seconds(0);
    const auto share = (*deadline_ - steady_clock::now()) / static_cast<std::int64_t>(left);
    return std::max(std::chrono::duration_cast<std::chrono::seconds>(share),
                    std::chrono::seconds(1));
  }

  // Whether what is to be measured is the very file that it is held against: nothing can differ.
  bool is_same_binary() const {
    if (options_.libraries.empty()) return baseline_->library.empty();
    return std::ranges::all_of(options_.libraries, [&](const std::string& file) {
      const auto digest = digest_of(file);
      return digest && *digest == baseline_->binary;
    });
  }

  // The baseline first. A library of one's own is held against another one alone, unless providers
  // are asked for, too.
  std::vector<runner::KernelName> candidates(const kernels::Bound& bound) const {
    std::vector<runner::KernelName> now = candidates_of(options_, bound);
    if (!baseline_) return now;
    if (!options_.libraries.empty() && options_.providers.empty()) {
      std::erase_if(now, [](const runner::KernelName& name) { return name.library.empty(); });
    }
    const bool all = baseline_->provider.empty();
    now.insert(now.begin(),
               {all ? "*" : baseline_->provider, baseline_->variant, baseline_->library, ""});
    return now;
  }

  Result<BenchCase> measure(const BenchAsk& ask, const runner::SigningKey& key, std::size_t left,
                            BenchReport& report) {
    runner::Request request = request_of(ask);
    request.session_time = share_of_time(left);
    request.floor = floor_of(request, key);
    const kernels::Bound bound = TRY(runner::bind_job({.operation = ask.operation,
                                                       .pass = ask.pass,
                                                       .dtype = ask.dtype,
                                                       .axes = ask.axes,
                                                       .scalars = {},
                                                       .protocol = {},
                                                       .candidates = {},
                                                       .seed = {}}));
    request.candidates = candidates(bound);
    Line line(c_);
    const auto started = steady_clock::now();
    const auto progress = [&](const runner::Progress& now) {
      line.show(ask.title() + ": " + now.what + time_left(now, started, left));
    };
    auto evidence = TRY(measure_with(request, progress));
    line.clear();
    evidence.ceilings = ceilings_;
    BenchCase one = case_of(evidence, ask.title(), rates_);
    one.scaled = ask.scaled;
    if (baseline_) {
      auto changes = changes_of(evidence, *baseline_, ask.title());
      if (changes.empty()) {
        return fail(Code::not_found, "no kernel of the baseline has the name of one of now", "");
      }
      std::ranges::move(changes, std::back_inserter(report.changes));
    }
    if (report.cases.empty()) {  // once: they are the same for all
      for (const std::string& file : options_.libraries) {
        TRY(keep_binary(options_.folder, file));
      }
    }
    const std::string encoded = runner::encode(evidence, key);
    one.evidence = TRY(keep_evidence(options_.folder, encoded));
    if (options_.publish || !options_.publish_into.empty()) {
      const std::string& into = options_.publish_into.empty() ? c_.db : options_.publish_into;
      auto catalog = TRY(catalog::Catalog::open(into, clock(), {.mode = db::Mode::create}));
      TRY(evidence::publish_evidence(catalog, encoded, one.evidence, clock()));
    }
    return one;
  }

  // By the sessions before this call; a worker's protocol is known only when it is asked.
  std::optional<double> floor_of(const runner::Request& request, const runner::SigningKey& key) {
    if (!options_.exec.empty() || request.protocol->order != runner::Order::paired) return {};
    if (!floor_) {
      floor_ = past_floor(options_.folder, {.runner = to_string(key.id()),
                                            .machine = to_string(facts_.machine),
                                            .protocol = std::string(request.protocol->name),
                                            .threads = request.threads});
    }
    return *floor_;
  }

  Result<runner::Evidence> measure_with(const runner::Request& request,
                                        const runner::OnProgress& progress) const {
    const auto stopped = [] { return g_interrupted.load(); };
    if (options_.exec.empty()) {
      return runner::measure_session(request, facts_, clock(), progress, stopped);
    }
    std::error_code none;
    const fs::path folder = fs::temp_directory_path(none);
    return runner::measure_worker(
        {.request = request, .command = options_.exec, .folder = folder.string()}, facts_, clock(),
        progress, stopped);
  }

  // ", 40 s left" of everything: by the time that was given, else as this case goes.
  std::string time_left(const runner::Progress& now, steady_clock::time_point started,
                        std::size_t cases) const {
    using Seconds = std::chrono::duration<double>;
    double seconds = 0;
    if (deadline_) {
      seconds = std::max(0.0, Seconds(*deadline_ - steady_clock::now()).count());
    } else {
      if (now.done <= 0.1) return "";
      const double whole = Seconds(steady_clock::now() - started).count() / now.done;
      seconds = whole * (1 - now.done) + whole * static_cast<double>(cases - 1);
    }
    return seconds < 90 ? fmt::format(", {:.0f} s left", seconds)
                        : fmt::format(", {:.0f} min left", seconds / 60);
  }

  runner::Request request_of(const BenchAsk& ask) const {
    runner::Request request;
    request.operation = ask.operation;
    request.pass = ask.pass;
    request.dtype = ask.dtype;
    request.axes = ask.axes;
    request.threads = threads();
    const bool stored = baseline_ && !baseline_->protocol.empty();
    const runner::Protocol& protocol =
        *runner::find_protocol(stored ? baseline_->protocol : options_.protocol);
    request.protocol = options_.busy ? &runner::busy_variant(protocol) : &protocol;
    request.version = KI_VERSION;
    request.launch_time = std::chrono::seconds(options_.launch_seconds);
    return request;
  }

  const Context& c_;
  const MeasureOptions& options_;
  runner::Facts facts_;
  bool only_ceilings_ = false;
  bool with_ceilings_ = false;
  bool failed_ = false;  // a case of several could not be measured, or no candidate of one passed
  std::optional<steady_clock::time_point> deadline_;
  std::optional<Baseline> baseline_;          // of --against
  std::optional<runner::Ceilings> ceilings_;  // measured in this call
  std::vector<runner::Rate> rates_;
  // Of noise, of past sessions: all cases of one call have one protocol and number of threads.
  // Outer: looked up already.
  std::optional<std::optional<double>> floor_;
};

}  // namespace

int bench(const Context& c, const MeasureOptions& options) {
  const runner::Protocol* protocol = runner::find_protocol(options.protocol);
  if (!options.against.empty() && protocol->order != runner::Order::paired) {
    return report_options(
        c,
        {.code = Code::invalid,
         .message = "--against needs a paired protocol: what is measured one after "
                    "the other proves no difference",
         .where = "protocol"},
        {{"protocol", "--protocol"}});
  }
  Bench bench(c, options);
  const auto done = bench.run();
  if (!done) {
    return report_options(c, done.error(),
                          {{"axes", "--axes"},
                           {"dtype", "--dtype"},
                           {"exec", "--exec"},
                           {"pass", "--pass"},
                           {"providers", "--providers"},
                           {"threads", "--threads"}});
  }
  if (c.output == Output::json) print_json(c, *done);
  if (c.output == Output::jsonl && !options.against.empty()) print_json_lines(c, done->changes);
  if (c.output == Output::jsonl && options.against.empty()) print_json_lines(c, done->cases);
  if (g_interrupted || bench.failed() || has_failure(done->changes)) return kFailed;
  return has_slowdown(done->changes) ? kSlower : kOk;
}

}  // namespace ki::cli
