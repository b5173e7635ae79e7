// The subcommands that measure.

#include "cli/builder.h"
#include "runner/protocol.h"

namespace ki::cli {

namespace {

void add_bench(Builder& b, Parsed& p) {
  CLI::App* command = b.command(
      b.root(), "bench", "Measure kernels on this machine, checked, in processes of their own",
      "  ki bench\n  ki bench rms-norm --axes rows=2048,hidden=4096 --dtype bf16\n"
      "  ki bench softmax --axes cols=512..8192*2 --protocol paired-hot/1 --json\n"
      "  ki bench rms-norm --provider ./libmine.so",
      [&p](const Context& c) { return bench(c, p.bench); });
  command->add_option("operation", p.bench.operations,
                      "Operations; none: a tour of those looked up first, minutes each");
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
      ->add_option("--launch-seconds", p.bench.launch_seconds,
                   "After these a process asks for no further round")
      ->check(CLI::Range(1, 600))
      ->capture_default_str();
  command->add_flag("--busy", p.bench.busy,
                    "Measure although others use the machine: under a protocol of its own");
  command->add_option("--evidence", p.bench.folder, "Where evidence is kept")
      ->capture_default_str();
  command->add_option("--key", p.bench.key, "Key of this runner (default $KI_RUNNER_KEY)");
  command->add_flag("--publish", p.bench.publish, "Also publish each case into the catalog");
}

}  // namespace

void add_measuring(Builder& b, Parsed& p) {
  add_bench(b, p);
  CLI::App* publish = b.command(
      b.root(), "publish", "Publish evidence of ki bench; signature and every number are checked",
      "  ki publish var/evidence/0123456789abcdef.evidence.zst",
      [&p](const Context& c) { return publish_files(c, p.publish); });
  publish->add_option("file", p.publish.files, "Evidence, or patterns")->required();
  publish->add_option("--actor", p.publish.actor, "Who publishes, for the audit")
      ->capture_default_str();

  CLI::App* parent = b.root()->add_subcommand("runner", "The key that this runner signs with");
  parent->require_subcommand(1)->fallthrough();
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
}

}  // namespace ki::cli
