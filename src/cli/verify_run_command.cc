// ki verify-run: a run of the catalog measured again, and what came of it filed beside it.

#include <filesystem>
#include <ostream>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/commands_trust.h"
#include "cli/evidence_keys.h"
#include "cli/machine.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "cli/table.h"
#include "evidence/publish_evidence.h"
#include "evidence/repeat.h"
#include "policy/names.h"
#include "query/run_name.h"

namespace ki::cli {
namespace {

struct RepeatReason {
  std::string code;
  std::string text;
  template <class V>
  static void describe(V& v) {
    v.field("code", &RepeatReason::code, "");
    v.field("text", &RepeatReason::text, "");
  }
};

struct RepeatReport {
  std::string run_id;
  std::string run_digest;
  std::string verdict;
  std::optional<RepeatReason> reason;
  std::optional<double> claimed_ns, measured_ns, ratio, ratio_low, ratio_high;
  std::optional<std::string> measured_run, evidence, attestation_id;
  template <class V>
  static void describe(V& v) {
    v.field("runId", &RepeatReport::run_id, "");
    v.field("runDigest", &RepeatReport::run_digest, "");
    v.field("verdict", &RepeatReport::verdict, "agrees, differs or cannot");
    v.field("reason", &RepeatReport::reason, "why it cannot be said");
    v.field("claimedNs", &RepeatReport::claimed_ns, "");
    v.field("measuredNs", &RepeatReport::measured_ns, "");
    v.field("ratio", &RepeatReport::ratio, "measured over claimed, where they may be compared");
    v.field("ratioLow", &RepeatReport::ratio_low, "of its 95 % interval");
    v.field("ratioHigh", &RepeatReport::ratio_high, "");
    v.field("measuredRun", &RepeatReport::measured_run, "digest of the run that was made");
    v.field("evidence", &RepeatReport::evidence, "file");
    v.field("attestationId", &RepeatReport::attestation_id, "");
  }
};

int exit_of(const std::string& verdict) {
  if (verdict == "agrees") return kOk;
  return verdict == "differs" ? kDiffers : kCannotTell;
}

void print_report(const Context& c, const RepeatReport& one) {
  c.out << one.verdict;
  if (one.ratio) {
    c.out << fmt::format(": {:.3f} times the claimed latency", *one.ratio);
    if (one.ratio_low) c.out << fmt::format(" [{:.3f}, {:.3f}]", *one.ratio_low, *one.ratio_high);
  }
  if (one.reason) c.out << ": " << printable(one.reason->text) << " [" << one.reason->code << ']';
  c.out << '\n';
  const auto line = [&](const char* name, const std::optional<std::string>& value) {
    if (value) c.out << "  " << name << "  " << printable(*value) << '\n';
  };
  const auto latency = [&](const char* name, const std::optional<double>& ns) {
    if (ns) c.out << "  " << name << "  " << policy::measured_text(*ns, "ns") << '\n';
  };
  latency("claimed ", one.claimed_ns);
  latency("measured", one.measured_ns);
  line("as run  ", one.measured_run);
  line("evidence", one.evidence);
  line("note    ", one.attestation_id);
}

int finish(const Context& c, const RepeatReport& report) {
  c.output == Output::table ? print_report(c, report) : print_json(c, report);
  return exit_of(report.verdict);
}

Status require_quiet(const runner::Facts& facts, const runner::Protocol& protocol) {
  if (protocol.keeps_disturbed()) return {};
  const std::string reason = busy_now(facts);
  if (reason.empty()) return {};
  return fail(Code::conflict,
              "this machine is busy: " + reason + "; the run was measured on a quiet one, so wait");
}

Result<std::string> whole_digest(catalog::Catalog& catalog, const std::string& name) {
  const auto id = TRY(query::run_name(catalog.connection(), name));
  if (id) return *id;
  return fail(Code::not_found, "no run is called " + excerpt(name), "run");
}

// Measures and files; `report` knows the run already.
Status repeat(const Context& c, const VerifyRunOptions& options, catalog::Catalog& catalog,
              const evidence::StoredRun& run, evidence::RepeatPlan plan, RepeatReport& report) {
  const runner::Facts facts = runner::read_facts();
  TRY(require_quiet(facts, *plan.request.protocol));
  const auto key = TRY(runner_key(c, options.key));
  plan.request.version = KI_VERSION;
  plan.request.launch_time = std::chrono::seconds(options.launch_seconds);
  const auto progress = [&](const runner::Progress& now) {
    if (c.err_terminal && !c.quiet) {
      c.err << fmt::format("\r\x1b[K{:3.0f} % {}", 100 * now.done, printable(now.what))
            << std::flush;
    }
  };
  const auto measured = TRY(runner::measure_session(plan.request, facts, clock(), progress));
  if (c.err_terminal && !c.quiet) c.err << "\r\x1b[K" << std::flush;
  const std::string encoded = runner::encode(measured, key);
  const std::string file = TRY(keep_evidence(options.folder, encoded));
  report.evidence = file;
  const auto verdict = TRY(evidence::judge_repeat(run, plan, measured));
  report.verdict = verdict.word();
  if (verdict.obstacle) {
    report.reason = RepeatReason{verdict.obstacle->code, verdict.obstacle->text};
  }
  report.measured_ns = verdict.measured_ns;
  if (!verdict.measured_run.empty()) report.measured_run = verdict.measured_run;
  if (verdict.compared) {
    report.ratio = verdict.compared->ratio;
    if (verdict.compared->bounds) {
      report.ratio_low = verdict.compared->bounds->low;
      report.ratio_high = verdict.compared->bounds->high;
    }
  }
  report.attestation_id = TRY(evidence::file_repeat(
      catalog, run, verdict, {.encoded = encoded, .file = file, .actor = options.actor}, clock()));
  keep(c, "the repetition of " + run.id + " is filed as " + *report.attestation_id);
  return {};
}

}  // namespace

int verify_run(const Context& c, const VerifyRunOptions& options) {
  auto catalog = catalog::Catalog::open(c.db, clock(), {.mode = db::Mode::read_write});
  if (!catalog) return report(c, catalog.error());
  const auto name = whole_digest(*catalog, options.run);
  if (!name) return cli::report(c, name.error(), {"run"});
  const auto run = evidence::load_run(*catalog, *name);
  if (!run) return cli::report(c, run.error());
  std::vector<std::string> libraries = companion_files();
  if (!options.provider.empty()) {
    libraries = {std::filesystem::absolute(options.provider).string()};
  }
  auto plan = evidence::plan_repeat(*run, libraries);
  if (!plan) return cli::report(c, plan.error());
  RepeatReport out;
  out.run_id = run->id;
  out.run_digest = run->digest;
  if (run->figure) out.claimed_ns = run->figure->value;
  if (!*plan) {
    out.verdict = "cannot";
    out.reason = RepeatReason{plan->error().code, plan->error().text};
    return finish(c, out);
  }
  const Status done = repeat(c, options, *catalog, *run, std::move(**plan), out);
  if (!done) {
    return report_options(c, done.error(), {{"actor", "--actor"}, {"providers", "--provider"}});
  }
  return finish(c, out);
}

}  // namespace ki::cli
