// The subcommands that measure.

#include <fmt/format.h>

#include "cli/builder.h"
#include "cli/values.h"
#include "publish/corrections.h"
#include "runner/protocol.h"

namespace ki::cli {

namespace {

constexpr const char* kBenchEnding =
    "Ctrl-C stops after what is done and keeps it. Exit status: 0 ok, 1 failed, stopped, a case "
    "could not be measured or no candidate of it passed, 2 wrong usage, 3 slower than --against "
    "beyond doubt. Environment: KI_DB, KI_RUNNER_KEY, NO_COLOR.";

// Which cases, and which kernels.
void add_bench_what(CLI::App* command, Parsed& p) {
  command->add_option("operation", p.bench.operations,
                      "Operations; none: a tour of five minutes, of those with public records and "
                      "six that are looked up first, with --ceilings");
  command->add_option("--axes", p.bench.axes,
                      "Sizes: rows=2048,hidden=1024..4096*2; the others are those of the "
                      "operation's first case");
  command->add_option("--pass", p.bench.pass, "forward, backward or full")
      ->check(CLI::IsMember({"forward", "backward", "full"}))
      ->capture_default_str();
  command->add_option("--dtype", p.bench.dtype, "fp32, bf16, ...");
  command->add_option("--providers", p.bench.providers, "Built-in ones, by comma: native,reference")
      ->delimiter(',');
  command->add_option("--provider", p.bench.libraries,
                      "A shared object with kernels of your own (ki_kernel.h)");
}

// The other door for kernels of one's own.
void add_bench_worker(CLI::App* command, Parsed& p) {
  CLI::Option* exec =
      command
          ->add_option(
              "--exec", p.bench.exec,
              "Measure the kernels of a process that this command starts and that times "
              "them itself (docs/formats/worker.md): not confined, and never compared with "
              "what ki timed")
          ->check(not_empty("the command of a worker"))
          ->needs(command->get_option("operation"));
  for (const char* other : {"--providers", "--provider", "--protocol", "--against"}) {
    exec->excludes(command->get_option(other));
  }
}

// How it is measured, and how long.
void add_bench_how(CLI::App* command, Parsed& p) {
  std::vector<std::string> names;
  for (const auto& protocol : runner::protocols()) names.emplace_back(protocol.name);
  command
      ->add_option("--protocol", p.bench.protocol, "How it is measured: docs/method/protocols.md")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  command->add_option("--threads", p.bench.threads, "0: one for each core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command
      ->add_option("--time", p.bench.time,
                   "For everything together: 20s, 5m; each case takes its share, but at least 20 "
                   "rounds in each process, and what no time is left for is left out")
      ->check(span_of_time());
  command
      ->add_option("--launch-seconds", p.bench.launch_seconds,
                   "After these a process asks for no further round")
      ->check(CLI::Range(1, 600))
      ->capture_default_str();
  command->add_flag("--busy", p.bench.busy,
                    "Measure although others use the machine: under a protocol of its own");
  command->add_flag("--ceilings", p.bench.ceilings,
                    "Measure what the machine can do, too: read, write, copy and arithmetic; "
                    "results are then shown as shares of it. Without an operation, only that");
}

// What becomes of it.
void add_bench_kept(CLI::App* command, Parsed& p) {
  CLI::Option* against =
      command
          ->add_option("--against", p.bench.against,
                       "Hold kernels against those of a shared object, a run whose evidence is "
                       "kept, or a git revision: measured together, exit status 3 when one of now "
                       "is slower beyond doubt")
          ->check(not_empty("what to hold against"));
  command
      ->add_option("--markdown", p.bench.markdown,
                   "With --against: also write a summary for a pull request into this file")
      ->check(file_only())
      ->needs(against);
  command->add_option("--evidence", p.bench.folder, "Where evidence is kept")
      ->capture_default_str();
  command->add_option("--key", p.bench.key, "Key of this runner (default $KI_RUNNER_KEY)");
  command->add_flag("--publish", p.bench.publish, "Also publish each case into the catalog");
  command->add_option("--db", p.bench.publish_into, "Publish each case at once into this catalog")
      ->check(not_empty("the name of a catalog"));
}

void add_bench(Builder& b, Parsed& p) {
  CLI::App* command = b.command(
      b.root(), "bench", "Measure kernels on this machine, checked, in processes of their own",
      "  ki bench\n  ki bench --ceilings\n  ki bench --time 1m --db var/ki.db\n  ki bench rms-norm "
      "--ceilings --axes "
      "rows=2048,hidden=4096 --dtype bf16\n"
      "  ki bench softmax --axes rows=64,hidden=512..8192*2 --protocol paired-hot/1 --json\n"
      "  ki bench rms-norm --provider ./libmine.so\n"
      "  ki bench rms-norm --provider ./new.so --against ./old.so --markdown change.md\n"
      "  ki bench softmax --against HEAD~1\n"
      "  ki bench rms-norm --dtype fp32 --axes rows=64,hidden=256 --exec 'python3 worker.py'",
      [&p](const Context& c) { return bench(c, p.bench); }, kBenchEnding);
  add_bench_what(command, p);
  add_bench_how(command, p);
  add_bench_kept(command, p);
  add_bench_worker(command, p);
}

void add_history(Builder& b, Parsed& p) {
  CLI::App* command = b.command(
      b.root(), "history", "What this machine's sessions measured over time, and where it changed",
      "  ki history\n  ki history rms-norm --json",
      [&p](const Context& c) { return history(c, p.history); },
      "A change is one that a second session agrees with. Exit status: 0 ok, 1 failed, 2 wrong "
      "usage, 3 the last change of a series shown made it slower. Environment: NO_COLOR.");
  command->add_option("operation", p.history.operations, "Slugs; none: all");
  command->add_option("--evidence", p.history.folder, "Where evidence is kept")
      ->capture_default_str();
}

constexpr const char* kRepeatEnding =
    "Exit status: 0 it agrees, 3 it differs, 4 that cannot be said (the reason is printed), 1 "
    "failed, "
    "2 wrong usage. Environment: KI_DB (the catalog, as --db), NO_COLOR.";

void add_verify_run(Builder& b, Parsed& p) {
  CLI::App* command = b.command(
      b.root(), "verify-run",
      "Measure a run of the catalog again on this machine, and file what came of it",
      "  ki verify-run 0ba608c7fdb3\n  ki verify-run 0ba608c7fdb3 --provider ./libmine.so --json",
      [&p](const Context& c) { return verify_run(c, p.verify_run); }, kRepeatEnding);
  command->add_option("run", p.verify_run.run, "Id or digest of the run")->required();
  command->add_option("--provider", p.verify_run.provider,
                      "A shared object that holds its kernel (ki_kernel.h)");
  command
      ->add_option("--launch-seconds", p.verify_run.launch_seconds,
                   "After these a process asks for no further round")
      ->check(CLI::Range(1, 600))
      ->capture_default_str();
  command->add_option("--evidence", p.verify_run.folder, "Where evidence is kept")
      ->capture_default_str();
  command->add_option("--key", p.verify_run.key, "Key of this runner (default $KI_RUNNER_KEY)");
  command->add_option("--actor", p.verify_run.actor, "Who says so, for the audit")
      ->capture_default_str();
}

void add_runner(Builder& b, Parsed& p) {
  CLI::App* parent = Builder::group(
      b.root(), "runner", "The key that this runner signs with, and which runners are believed");
  const auto key = [&](CLI::App* sub) {
    sub->add_option("--key", p.runner.key, "The file (default $KI_RUNNER_KEY)");
  };
  key(b.command(parent, "init", "Make the key", "  ki runner init", [&p](const Context& c) {
    p.runner.create = true;
    return runner_key_command(c, p.runner);
  }));
  key(b.command(parent, "key", "Show the key's id, its public half and this machine's",
                "  ki runner key --json",
                [&p](const Context& c) { return runner_key_command(c, p.runner); }));
  b.command(parent, "list",
            "The runners that signed something or were decided about, and the approved protocols",
            "  ki runner list --json", [](const Context& c) { return runner_list(c); });
  struct Decision {
    const char* name;
    const char* help;
    const char* examples;
    int (*run)(const Context&, const RunnerOptions&);
  };
  constexpr Decision kDecisions[] = {
      {"approve", "Believe a runner: its signed runs under approved protocols become verified",
       "  ki runner approve --reason 'this machine'\n"
       "  ki runner approve "
       "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 "
       "--reason 'runs in our lab'",
       runner_approve},
      {"revoke", "Take an approval back, and with it every level that rested on it",
       "  ki runner revoke --reason 'key lost'", runner_revoke}};
  for (const Decision& one : kDecisions) {
    CLI::App* sub = b.command(parent, one.name, one.help, one.examples,
                              [&p, run = one.run](const Context& c) { return run(c, p.runner); });
    sub->add_option("runner", p.runner.runner,
                    "Id of its key, or its public key (default: the key of this runner)");
    sub->add_option("--reason", p.runner.reason,
                    fmt::format("Why, for the audit ({} to {} characters)", publish::kReasonMin,
                                publish::kReasonMax))
        ->required();
    sub->add_option("--actor", p.runner.actor, "Who decides")->capture_default_str();
    key(sub);
  }
}

}  // namespace

void add_measuring(Builder& b, Parsed& p) {
  add_bench(b, p);
  add_history(b, p);
  CLI::App* publish = b.command(
      b.root(), "publish", "Publish evidence of ki bench; signature and every number are checked",
      "  ki publish var/evidence/0123456789abcdef.evidence.zst",
      [&p](const Context& c) { return publish_files(c, p.publish); });
  publish->add_option("file", p.publish.files, "Evidence, or patterns")->required();
  publish->add_option("--actor", p.publish.actor, "Who publishes, for the audit")
      ->capture_default_str();

  add_runner(b, p);
  add_verify_run(b, p);
}

}  // namespace ki::cli
