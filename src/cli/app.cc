#include "cli/app.h"

#include <cstdlib>
#include <functional>
#include <iostream>
#include <optional>
#include <ostream>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "cli/builder.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/manifest_command.h"
#include "cli/table.h"
#include "cli/values.h"
#include "query/filters.h"

namespace ki::cli {
namespace {

constexpr std::string_view kVersion = KI_VERSION;

constexpr const char* kFooter =
    "Exit status: 0 ok, 1 failed, 2 wrong usage, 3 imported but part of the input was refused.\n"
    "Tables fit the terminal: long cells are broken over lines, then columns left out; what is to\n"
    "be typed next is neither. Piped they have every column and one line a row.\n"
    "Environment: KI_DB (the catalog, as --db), NO_COLOR (no colour).\n"
    "More about a command: ki COMMAND --help";

constexpr const char* kCursorHelp =
    "The next page, as the last one names it; refused once the catalog has changed";

constexpr const char* kInstant = "an instant such as 2026-01-31";

void add_globals(CLI::App& app, Parsed& p) {
  app.add_option("--db", p.db, "The catalog: a SQLite file (default ./var/ki.db)")
      ->envname("KI_DB");
  app.add_flag("--json", p.json, "One JSON document instead of a table");
  app.add_flag("--jsonl", p.jsonl, "One line of JSON for each row; wins over --json");
  app.add_flag("--quiet,-q", p.quiet, "No headings and hints, only rows");
}

void add_page(CLI::App* command, PageOptions& page) {
  command->add_option("--limit", page.limit, "Rows of a page")
      ->check(whole_number(1, 200))
      ->capture_default_str();
  command->add_option("--cursor", page.cursor, kCursorHelp);
}

// A trace is of one operation; what its lines do not say themselves is said here.
void add_trace(CLI::App* command, Parsed& p) {
  CLI::Option* trace =
      command
          ->add_option("--trace", p.trace.file,
                       "Shapes to answer one by one and to add up: CSV with the axes in its header "
                       "or JSON lines, at most 10,000 and 4 MiB, with optional weight, hardware, "
                       "dtype and pass; - reads standard input")
          ->check(file_or_stream())
          ->excludes("query", "--manifest", "--cohort", "--cursor");
  const auto option = [&](const char* name, std::string& into, const char* help) {
    command->add_option(name, into, help)->needs(trace);
  };
  option("--operation", p.trace.operation, "With --trace: slug, id or digest");
  option("--hardware", p.trace.hardware, "With --trace: of lines that name none");
  option("--dtype", p.trace.dtype, "With --trace: of lines that name none");
  option("--pass", p.trace.pass, "With --trace: of lines that name none");
  option("--metric", p.trace.metric, "With --trace: latency, peak_memory, ...");
}

void add_winners(Builder& b, Parsed& p) {
  CLI::App* command = b.command(
      b.root(), "winners", "Who leads an operation where, and where that changes",
      "  ki winners rope --x seq --hardware a100\n  ki winners rope --x seq --y hardware\n"
      "  ki winners rope --x seq --y hidden --axes q_heads=32 --json",
      [&p](const Context& c) { return winners(c, p.winners); });
  query::WinnersOptions& map = p.winners.map;
  command->add_option("operation", p.winners.operation, "Slug, id or digest")->required();
  command->add_option("--x", map.x, "Axis to lay out; the one that varies most if unset");
  command->add_option("--y", map.y, "Second axis, or hardware");
  command->add_option("--axes", map.axes, "What other axes are held at: batch=4,seq=1k..8k");
  command->add_option("--hardware", map.hardware, "Product, nickname or architecture");
  command->add_option("--dtype", map.dtype, "Dtype or family of dtypes");
  command->add_option("--pass", map.pass, "forward, backward or full");
  command->add_option("--metric", map.metric, "latency, peak_memory, ...");
}

void add_answers(Builder& b, Parsed& p) {
  const auto words = [&](CLI::App* command) {
    command->add_option("query", p.search.words,
                        "Operation, shape, axes, dtype, GPU, filters: rope seq:16384 bf16 a100");
    command->add_option("--cohort", p.search.cohort, "Comparison key of the cohort to rank");
    command->add_option("--limit", p.search.limit, "Rows of each group, or operations, of a page")
        ->check(whole_number(1, 200))
        ->capture_default_str();
    command->add_option("--cursor", p.search.cursor, kCursorHelp);
  };
  words(b.command(b.root(), "search", "Find operations and their fastest implementations",
                  "  ki search rope\n  ki search \"geglu bf16 4090\"\n"
                  "  ki search family:geglu",
                  [&p](const Context& c) { return search(c, p.search); }));
  CLI::App* resolve_command = b.command(
      b.root(), "resolve", "Which implementation is fastest for this exact workload, and why",
      "  ki resolve fused neighborhood attention batch:4 seq:2048 heads:12 rtx3090\n"
      "  ki resolve --manifest request.yaml --json\n"
      "  ki resolve serving --manifest serving.yaml\n"
      "  ki resolve --trace shapes.csv --operation rope --hardware a100",
      [&p](const Context& c) {
        if (p.trace.file.empty()) return resolve(c, p.search);
        p.trace.limit = p.search.limit;
        return resolve_trace(c, p.trace);
      });
  words(resolve_command);
  resolve_command
      ->add_option("--manifest", p.search.manifest,
                   "A structured request or a list of up to 100, JSON or YAML, as {operation: "
                   "{name: rope, axes: {seq: 16384}}, environment: {hardwareProduct: A100}}; "
                   "docs/method/search.md has every member; - reads standard input. After the "
                   "word serving: one request as docs/method/serving.md has it")
      ->check(file_or_stream());
  add_trace(resolve_command, p);
}

void add_evidence(Builder& b, Parsed& p) {
  CLI::App* show_command = b.command(
      b.root(), "show",
      "Everything known about a run, an operation, an implementation, a project or a record",
      "  ki show run 0ba608c7fdb3\n  ki show operation rope --json",
      [&p](const Context& c) { return show(c, p.show); });
  show_command
      ->add_option("entity", p.show.entity,
                   "run, operation, implementation, project, record or serving-run")
      ->required()
      ->check(CLI::IsMember(
          {"run", "operation", "implementation", "project", "record", "serving-run"}));
  show_command
      ->add_option("id", p.show.id,
                   "Id, digest or slug; of a run, its first digits; of a record, the "
                   "comparison key")
      ->required();
  show_command->add_option("--workload", p.show.workload, "Operation: the workload to show");
  show_command->add_option("--cohort", p.show.cohort, "Operation: the cohort to rank");

  CLI::App* compare_command = b.command(
      b.root(), "compare", "Set 2 to 8 runs side by side; a winner only inside one cohort",
      "  ki compare 0ba608c7fdb3 c63aaae307f7 --json",
      [&p](const Context& c) { return compare(c, p.compare); });
  compare_command
      ->add_option("run", p.compare, "Ids or digests of 2 to 8 runs, or their first digits")
      ->required()
      ->option_text("RUN...")
      ->expected(2, 8);
}

void add_trust(CLI::App* command, std::string& trust) {
  command->add_option("--trust", trust, "Only what is verified or better, or replicated")
      ->check(CLI::IsMember(
          std::vector<std::string>(query::kListedTrust.begin(), query::kListedTrust.end())));
}

void add_listings(Builder& b, Parsed& p) {
  CLI::App* records_command =
      b.command(b.root(), "records", "The current record of each cohort, the last published first",
                "  ki records --limit 10\n  ki records --hardware a100 --sort gain",
                [&p](const Context& c) { return records(c, p.records); });
  add_page(records_command, p.records.page);
  records_command->add_option("--words", p.records.words,
                              "Words in names of the operation, the implementation or the machine");
  records_command->add_option("--hardware", p.records.hardware,
                              "Product in any case, nickname or architecture: a100, hopper");
  records_command->add_flag("--with-source", p.records.with_source,
                            "Only records of runs whose source is at hand");
  add_trust(records_command, p.records.trust);
  records_command->add_flag("--without-baselines", p.records.without_baselines,
                            "No records of a reference implementation that nobody has beaten");
  records_command
      ->add_option("--sort", p.records.order,
                   "Last published, newest, largest gain on the record before, or by operation")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(query::kRecordOrders),
                                                     std::end(query::kRecordOrders))))
      ->capture_default_str();
  records_command
      ->add_option("--history", p.records.history,
                   "With --json: steps of each record's history, the newest; all of one shows ki "
                   "show record")
      ->check(whole_number(0, 200))
      ->capture_default_str();
  CLI::App* runs_command =
      b.command(b.root(), "runs", "List runs, newest observation first",
                "  ki runs --operation rope --limit 5 --jsonl\n  ki runs --status runtime_error",
                [&p](const Context& c) { return runs(c, p.runs); });
  add_page(runs_command, p.runs.page);
  runs_command->add_option("--operation", p.runs.operation, "Slug, id or digest");
  runs_command->add_option("--hardware", p.runs.hardware,
                           "Product in any case, nickname or architecture: a100, hopper");
  runs_command->add_option("--source", p.runs.source, "Slug of the source");
  runs_command->add_option("--status", p.runs.status,
                           "passed, timeout, runtime_error, ...; pending: those that wait");
  add_trust(runs_command, p.runs.trust);
  runs_command->add_option("--since", p.runs.since, "Observed at or after this instant")
      ->check(not_empty(kInstant));
}

void add_overviews(Builder& b, Parsed& p) {
  CLI::App* hardware_command = b.command(
      b.root(), "hardware", "Products that were measured on, or one with the records on it",
      "  ki hardware --json\n  ki hardware nvidia-a100 --limit 10", [&p](const Context& c) {
        return p.product.slug.empty() ? hardware(c) : product(c, p.product);
      });
  hardware_command->add_option("product", p.product.slug, "Slug or name of one product");
  add_page(hardware_command, p.product.page);
  CLI::App* models_command =
      b.command(b.root(), "models", "Models, or the best of each operation of one model",
                "  ki models\n  ki models mlperf-llama2-70b",
                [&p](const Context& c) { return models(c, p.model); });
  models_command->add_option("model", p.model.slug, "The name behind model: in a query");
  models_command->add_option("--gpu", p.model.gpu,
                             "The product to show instead of the one with most runs");
  CLI::App* project_command =
      b.command(b.root(), "projects", "Projects, or one with the records it holds, as show project",
                "  ki projects\n  ki projects liger-kernel --limit 10", [&p](const Context& c) {
                  return p.project.slug.empty() ? projects(c) : project(c, p.project);
                });
  project_command->add_option("slug", p.project.slug, "Slug of one project");
  add_page(project_command, p.project.page);
  b.command(b.root(), "sources", "Sources, what came from each and how fresh it is",
            "  ki sources --json", [](const Context& c) { return sources(c); });
  CLI::App* changes_command =
      b.command(b.root(), "changes", "Records taken, imports and corrections, newest first",
                "  ki changes --since 2026-01-31T00:00:00Z",
                [&p](const Context& c) { return changes(c, p.changes); });
  changes_command
      ->add_option("--since", p.changes.since, "After this instant instead of in the last 30 days")
      ->check(not_empty(kInstant));
  changes_command->add_option("--cursor", p.changes.cursor, "Where the last page ended");
}

void add_serving(Builder& b, Parsed& p) {
  CLI::App* parent = Builder::group(b.root(), "serving", "Results of served models");
  CLI::App* list = b.command(parent, "runs", "List runs, newest observation first",
                             "  ki serving runs --model mlperf-llama2-70b --limit 10",
                             [&p](const Context& c) { return serving_runs(c, p.serving); });
  add_page(list, p.serving.page);
  list->add_option("--model", p.serving.model, "Slug of a model");
  list->add_option("--workload", p.serving.workload, "Slug of a workload");
  list->add_option("--hardware", p.serving.hardware, "A part of the product name, in any case");
  b.command(parent, "configs", "Every configuration that a model was served with, by stack",
            "  ki serving configs --json",
            [](const Context& c) { return serving_configurations(c); });
  b.command(parent, "overview", "Each model under each load: how much was measured, and the best",
            "  ki serving overview", [](const Context& c) { return serving_overview(c); });
}

void add_agents(Builder& b) {
  b.command(b.root(), "mcp",
            "Serve the tools for agents (Model Context Protocol) over standard input and output",
            "  {\"mcpServers\": {\"kernelindex\": {\"command\": \"ki\", \"args\": [\"mcp\"]}}}\n"
            "  POST /mcp of ki serve has them, too",
            [](const Context& c) { return mcp(c, std::cin); });
}

void add_manifest(Builder& b, Parsed& p) {
  CLI::App* parent = Builder::group(b.root(), "manifest", "Check, identify and start manifests");
  const auto files = [&](CLI::App* command) {
    command->add_option("file", p.manifest.files, "Files or patterns; - reads standard input")
        ->required()
        ->check(file_or_stream());
  };
  files(b.command(parent, "validate", "Report every problem of every document",
                  "  ki manifest validate run.yaml\n  cat bundle.yaml | ki manifest validate -",
                  [&p](const Context& c) { return manifest_validate(c, p.manifest.files); }));
  CLI::App* digest = b.command(parent, "digest", "Print the content digest of each document",
                               "  ki manifest digest run.yaml --explain",
                               [&p](const Context& c) { return manifest_digest(c, p.manifest); });
  files(digest);
  digest->add_flag("--explain", p.manifest.explain,
                   "Print the canonical bytes and what each normalisation changed");
  const auto kind = [&](CLI::App* command) {
    command->add_option("kind", p.kind, "For example BenchmarkRun")->required();
  };
  CLI::App* init = b.command(
      parent, "init", "Print minimal valid manifests that fit each other, commented",
      "  ki manifest init WorkloadCase > workload.yaml\n"
      "  ki manifest init project operation workload implementation protocol environment run",
      [&p](const Context& c) { return manifest_init(c, p.init); });
  init->add_option("kind", p.init.kinds,
                   "For example BenchmarkRun; or project, operation, workload, suite, "
                   "implementation, protocol, environment, run");
  init->add_flag("--all", p.init.all, "Every kind");
  kind(b.command(parent, "schema", "Print the JSON Schema of a kind",
                 "  ki manifest schema BenchmarkRun",
                 [&p](const Context& c) { return manifest_schema(c, p.kind); }));
}

// The command table as completion reads it.
void collect(const CLI::App& app, const std::string& path, std::vector<CommandSpec>& specs) {
  CommandSpec spec{.path = path, .help = app.get_description(), .words = {}, .options = {}};
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) spec.options.push_back("--" + name);
  }
  const auto subcommands = app.get_subcommands({});
  for (const CLI::App* sub : subcommands) spec.words.push_back(sub->get_name());
  specs.push_back(std::move(spec));
  for (const CLI::App* sub : subcommands) {
    collect(*sub, path.empty() ? sub->get_name() : path + ' ' + sub->get_name(), specs);
  }
}

void add_rest(Builder& b, Parsed& p) {
  b.command(b.root(), "completion", "Print a completion script for bash, zsh or fish",
            "  source <(ki completion bash)",
            [&p, &b](const Context& c) {
              std::vector<CommandSpec> specs;
              collect(*b.root(), "", specs);
              const auto script = completion_script(p.shell, specs);
              if (!script) return report(c, script.error());
              c.out << *script;
              return kOk;
            })
      ->add_option("shell", p.shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  b.command(b.root(), "version", "Print the version", "", [](const Context& c) {
    if (c.output == Output::table) {
      c.out << "ki " << kVersion << '\n';
    } else {
      c.out << "{\"version\":\"" << kVersion << "\"}\n";
    }
    return kOk;
  });
}

// "there is no command "serch"; did you mean search?", for the first word no command took.
std::string unknown_word(const CLI::App& app, const std::string& word) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  std::vector<std::string_view> names;
  for (const CLI::App* sub : at->get_subcommands({})) names.push_back(sub->get_name());
  const bool option = word.starts_with("-");
  const std::string_view meant = option ? std::string_view() : nearest(word, names);
  return fmt::format("ki: there is no {} \"{}\"{}; {} --help lists them\n",
                     option ? "option" : "command", excerpt(word),
                     meant.empty() ? "" : fmt::format(", did you mean {}?", meant),
                     at == &app ? "ki" : "ki " + at->get_name());
}

// CLI11 takes "[a, b]" for a list of its own. Behind a guard it is the one word that was typed, and
// each option takes the guard away.
constexpr char kGuard = '\x1f';

std::string guarded(const std::string& word) {
  const bool bracketed = word.starts_with('[') && word.ends_with(']');
  return bracketed ? kGuard + word : word;
}

void unguard_options(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() == 0) continue;  // a flag
    option->transform(
        [](const std::string& word) { return word.starts_with(kGuard) ? word.substr(1) : word; });
  }
  for (CLI::App* sub : app.get_subcommands({})) unguard_options(*sub);
}

// Parses the arguments; the exit code when the program is to end here.
std::optional<int> parse(CLI::App& app, int argc, const char* const* argv, std::ostream& out,
                         std::ostream& err) {
  for (int i = 1; i < argc; ++i) {
    if (is_utf8(argv[i])) continue;
    err << fmt::format("ki: argument {} is not valid UTF-8\n", i);
    return kUsage;
  }
  std::vector<std::string> words;
  for (int i = argc - 1; i >= 1; --i) words.push_back(guarded(argv[i]));
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    const auto rest = app.remaining(true);
    std::string text;  // it repeats what was typed
    if (!asked && !rest.empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
      text = unknown_word(app, rest.front());
    } else {
      std::ostringstream said;
      app.exit(error, out, said);
      text = said.str();
    }
    std::erase(text, kGuard);
    err << printable_lines(text);
    return asked ? kOk : kUsage;
  }
  return std::nullopt;
}

// The exit code of a command that ended with `code`: a full disk or a closed pipe is a failure, not
// a short answer. `kept` is what was done for good all the same.
int ended(int code, const std::string& kept, std::ostream& out, std::ostream& err) {
  out.flush();
  if (out.good()) return code;
  err << "ki: standard output: cannot write";
  if (!kept.empty()) {
    err << ", but it is done: " << printable(kept);
  } else if (code != kOk) {
    err << ", and the command failed";
  }
  err << '\n';
  return kFailed;
}

// Output that is no terminal may be read by a program or kept: nothing of it is broken or left out.
std::size_t line_width(const Terminals& terminals) {
  constexpr std::size_t kUnknown = 100;  // of a terminal that does not say
  if (!terminals.out) return 0;
  return terminals.columns > 0 ? terminals.columns : kUnknown;
}

}  // namespace

int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
        Terminals terminals) {
  CLI::App app{
      "KernelIndex: which kernel implementation is fastest for an exact workload, and why "
      "to believe it.",
      "ki"};
  app.footer(kFooter);
  app.set_version_flag("--version", "ki " + std::string(kVersion));
  app.require_subcommand(1);
  Parsed p;
  Action chosen;
  Builder builder(app, chosen);
  add_globals(app, p);
  add_answers(builder, p);
  add_evidence(builder, p);
  add_winners(builder, p);
  add_listings(builder, p);
  add_overviews(builder, p);
  add_serving(builder, p);
  add_import(builder, p);
  add_manifest(builder, p);
  add_catalog(builder, p);
  add_attest(builder, p);
  add_review(builder, p);
  add_serve(builder, p);
  add_auth(builder, p);
  add_measuring(builder, p);
  add_agents(builder);
  add_rest(builder, p);
  unguard_options(app);
  if (const auto code = parse(app, argc, argv, out, err)) return ended(*code, "", out, err);
  if (app.get_option("--db")->count() > 0 && (p.db.empty() || p.db == "-")) {
    err << "ki: --db: the catalog needs a path\n";
    return kUsage;
  }
  std::string kept;
  Context context{.out = out, .err = err, .kept = &kept};
  if (!p.db.empty()) context.db = p.db;
  if (p.json) context.output = Output::json;
  if (p.jsonl) context.output = Output::jsonl;
  context.quiet = p.quiet;
  const char* no_color = std::getenv("NO_COLOR");
  context.color = terminals.out && (no_color == nullptr || *no_color == '\0');
  context.err_terminal = terminals.err;
  context.width = line_width(terminals);
  const int code = chosen(context);
  return ended(code, kept, out, err);
}

}  // namespace ki::cli
