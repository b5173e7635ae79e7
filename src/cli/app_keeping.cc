// The subcommands that keep a catalog: import, export, corrections, notes, serving, keys.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "auth/keys.h"
#include "cli/builder.h"
#include "cli/values.h"
#include "http/address_limits.h"
#include "publish/attestations.h"
#include "publish/corrections.h"

namespace ki::cli {

void add_import(Builder& b, Parsed& p) {
  CLI::App* parent = Builder::group(
      b.root(), "import",
      "Bring benchmark data into the catalog; a dry run unless --publish is given", kPartlyEnding);
  struct Source {
    const char* name;
    const char* help;
    const char* examples;
  };
  constexpr Source kSources[] = {
      {"registry", "The records that come with this program", "  ki import registry --publish"},
      {"manifests", "Manifests, bundles and run documents, YAML or JSON",
       "  ki import manifests run.yaml --publish\n  ki import manifests 'records/*.json'"},
      {"export", "A whole catalog export, .jsonl or .jsonl.zst",
       "  ki import export catalog.jsonl.zst --publish"},
      {"liger", "The Liger-Kernel benchmark CSV",
       "  ki import liger all_benchmark_data.csv\n"
       "  ki import liger all_benchmark_data.csv --publish --report report.json\n"
       "  ki import liger data.csv --mapping kernelindex-1 --protocol protocol.yaml --publish"},
  };
  for (const Source& source : kSources) {
    CLI::App* sub = b.command(
        parent, source.name, source.help, source.examples,
        [&p, name = std::string(source.name)](const Context& c) {
          p.import.source = name;
          return import(c, p.import);
        },
        kPartlyEnding);
    const bool bundled = std::string_view(source.name) == "registry";
    if (!bundled) {
      auto* files = sub->add_option("file", p.import.files, "Files; - reads standard input");
      files->required()->check(file_or_stream());
      if (std::string_view(source.name) == "export") files->expected(1);  // an export is a whole
    }
    auto* publish = sub->add_flag("--publish", p.import.publish, "Write what the report shows");
    sub->add_flag("--dry-run", p.import.dry_run, "Only report (the default)")->excludes(publish);
    sub->add_option("--report", p.import.report, "Also write the report to this new file, as JSON")
        ->check(file_only());
    sub->add_option("--actor", p.import.actor, "Who publishes, for the audit")
        ->capture_default_str();
    if (std::string_view(source.name) == "liger") {
      sub->add_option("--mapping", p.import.mapping,
                      "distinct: no two computations share a digest; kernelindex-1: public digests")
          ->check(CLI::IsMember({"distinct", "kernelindex-1"}))
          ->capture_default_str();
      sub->add_option("--protocol", p.import.protocols,
                      "A protocol manifest to bind instead of ours; one for each pass")
          ->check(file_or_stream());
    }
  }
}

void add_catalog(Builder& b, Parsed& p) {
  b.command(b.root(), "verify",
            "Recompute every digest, key, event and reference; exit 1 if one differs",
            "  ki verify --json", [](const Context& c) { return verify(c); });
  b.command(b.root(), "migrate", "Create the catalog or bring its tables up to date", "",
            [](const Context& c) { return migrate(c); });
  b.command(b.root(), "backup", "Copy the catalog while it is in use, and check the copy",
            "  ki backup ki-2026-01-31.db", [&p](const Context& c) { return backup(c, p.file); })
      ->add_option("file", p.file, "The new file; it must not exist")
      ->required()
      ->check(file_only());
  b.command(b.root(), "export", "Write the whole catalog as JSON lines",
            "  ki export catalog.jsonl.zst\n  ki export - | head\n"
            "  ki export /srv/exports   # a dated file there; the three newest stay",
            [&p](const Context& c) { return export_catalog(c, p.file); })
      ->add_option("file", p.file,
                   "A file ending in .jsonl or .jsonl.zst, - for standard output, or a folder for "
                   "ki serve --exports")
      ->required()
      ->check(file_or_stream());
  b.command(b.root(), "snapshot",
            "Write the answers of the catalog for programs that ask at run time (kernelindex.h)",
            "  ki snapshot answers.kisnap", [&p](const Context& c) { return snapshot(c, p.file); })
      ->add_option("file", p.file, "The file; an older snapshot of that name is replaced")
      ->required()
      ->check(file_only());
  CLI::App* parent = Builder::group(b.root(), "correct",
                                    "Retract, restore or supersede a run; nothing is ever deleted");
  struct Kind {
    const char* name;
    const char* help;
  };
  constexpr Kind kKinds[] = {{"retract", "Take a run out of every ranking"},
                             {"restore", "Undo a retraction or a supersession"},
                             {"supersede",
                              "Say that a run replaces an older one of the same workload, "
                              "implementation and product"}};
  for (const Kind& kind : kKinds) {
    CLI::App* sub = b.command(parent, kind.name, kind.help, "",
                              [&p, name = std::string(kind.name)](const Context& c) {
                                p.correct.action = name;
                                return correct(c, p.correct);
                              });
    sub->add_option("run", p.correct.run, "Id or digest of the run")->required();
    if (std::string_view(kind.name) == "supersede") {
      sub->add_option("older", p.correct.older_run, "Id or digest of the run it replaces")
          ->required();
    }
    sub->add_option("--reason", p.correct.reason,
                    fmt::format("Why, for the audit ({} to {} characters)", publish::kReasonMin,
                                publish::kReasonMax))
        ->required();
    sub->add_option("--actor", p.correct.actor, "Who says so")->capture_default_str();
  }
}

void add_review(Builder& b, Parsed& p) {
  CLI::App* parent = Builder::group(
      b.root(), "review", "Runs that are held because they are faster than their machine can be");
  b.command(parent, "list", "Those that are held, with the arithmetic", "  ki review list --json",
            [](const Context& c) { return review_list(c); });
  struct Verdict {
    const char* name;
    const char* help;
  };
  constexpr Verdict kVerdicts[] = {
      {"release", "Let a held run stand: it is ranked from now on"},
      {"reject", "Retract a held run; ki correct restore undoes that"}};
  for (const Verdict& verdict : kVerdicts) {
    CLI::App* sub = b.command(parent, verdict.name, verdict.help, "",
                              [&p, name = std::string(verdict.name)](const Context& c) {
                                p.correct.action = name;
                                return correct(c, p.correct);
                              });
    sub->add_option("run", p.correct.run, "Id or digest of the run")->required();
    sub->add_option("--reason", p.correct.reason,
                    fmt::format("Why, for the audit ({} to {} characters)", publish::kReasonMin,
                                publish::kReasonMax))
        ->required();
    sub->add_option("--actor", p.correct.actor, "Who says so")->capture_default_str();
  }
}

void add_attest(Builder& b, Parsed& p) {
  CLI::App* command = b.command(
      b.root(), "attest", "File what you found when you looked at a run; changes no evidence",
      "  ki attest 0ba608c7fdb3 --type reproduced --note 'within 1 % on our A100' --observed-ns "
      "15210000",
      [&p](const Context& c) { return attest(c, p.attest); });
  command->add_option("run", p.attest.run, "Id or digest of the run")->required();
  command
      ->add_option("--type", p.attest.type,
                   fmt::format("What it says: {}", fmt::join(publish::kAttestationTypes, ", ")))
      ->required();
  command->add_option("--note", p.attest.note, "What was found (1 to 2000 bytes)")->required();
  command->add_option("--evidence-url", p.attest.evidence_url, "An https address of the evidence");
  command->add_option("--observed-ns", p.attest.observed_ns, "A latency of your own")
      ->check(number_above_zero());
  command->add_option("--environment", p.attest.environment, "Where it was seen (200 bytes)");
  command->add_option("--actor", p.attest.actor, "Who says so")->capture_default_str();
}

void add_serve(Builder& b, Parsed& p) {
  CLI::App* command =
      b.command(b.root(), "serve", "Serve the pages and the JSON API until interrupted",
                "  ki serve\n  ki serve --host 0.0.0.0 --port 80\n"
                "  ki serve --behind-proxy --rate 20 --access-log /var/log/ki.jsonl\n"
                "  curl http://127.0.0.1:8080/metrics\n"
                "  ki serve --routes --json",
                [&p](const Context& c) { return serve(c, p.serve); });
  command
      ->add_option("--exports", p.serve.exports,
                   "A folder that ki export writes to: offers the newest of it at "
                   "/exports/catalog.jsonl.zst")
      ->check(not_empty("the name of a folder"));
  command->add_flag("--routes", p.serve.routes,
                    "Only list the routes of the API, and end; the served /openapi.json has every "
                    "field");
  command->add_option("--host", p.serve.host, "Address to listen on")->capture_default_str();
  command->add_option("--port", p.serve.port, "Port; 0 takes a free one")
      ->check(whole_number(0, 65535))
      ->capture_default_str();
  command->add_option("--threads", p.serve.threads, "Worker threads; 0 is one for each core")
      ->check(whole_number(0, 256))
      ->capture_default_str();
  command
      ->add_option("--connections", p.serve.connections,
                   "Connections open at once; more are told 503 and closed")
      ->check(whole_number(1, 100'000))
      ->capture_default_str();
  command
      ->add_option("--rate", p.serve.rate,
                   "Requests a second that one address may make (more: 429); 0 sets no limit")
      ->check(zero_or_number(http::kPerSecondMin, 1e6))
      ->capture_default_str();
  command
      ->add_option("--burst", p.serve.burst,
                   "Requests it may make at once after a pause; 0 is two seconds of --rate")
      ->check(zero_or_number(1, 1e6))
      ->capture_default_str();
  command
      ->add_option("--costly", p.serve.costly,
                   "Comparisons, tool calls and the like in progress at once; more are told 503")
      ->check(whole_number(1, 10'000))
      ->capture_default_str();
  command
      ->add_option("--cache-mib", p.serve.cache_mib,
                   "What may be kept in memory of operations that were asked for, in MiB")
      ->check(whole_number(1, 1 << 20))
      ->capture_default_str();
  command->add_flag("--behind-proxy", p.serve.behind_proxy,
                    "The client is the last address of X-Forwarded-For; only behind a proxy of "
                    "your own, which sets it");
  command
      ->add_option("--access-log", p.serve.access_log,
                   "A file that gets a line of JSON for each request; - is standard output")
      ->check(file_or_stream());
}

void add_auth(Builder& b, Parsed& p) {
  CLI::App* auth = Builder::group(b.root(), "auth", "Keys for clients of the API");
  CLI::App* key = Builder::group(auth, "key", "Make, list and revoke API keys");
  CLI::App* create = b.command(key, "create", "Make a key and print it, this once",
                               "  ki auth key create ci --expires 2027-01-31\n"
                               "  ki auth key create dashboard --quota 100000 > key.txt",
                               [&p](const Context& c) { return key_create(c, p.key); });
  create->add_option("name", p.key.name, "Whose it is, for the list and the audit")->required();
  create
      ->add_option("--scope", p.key.scopes,
                   "What it may do: catalog:read, submissions:write (attestations), "
                   "catalog:correct (corrections); may be repeated")
      ->default_str("catalog:read");
  create->add_option("--expires", p.key.expires, "When it ends, such as 2027-01-31; never if unset")
      ->check(not_empty("an instant such as 2027-01-31"));
  create->add_option("--quota", p.key.quota, "Requests a day (UTC)")
      ->check(whole_number(1, auth::kQuotaPerDayMax))
      ->capture_default_str();
  b.command(key, "list", "Every key, with its state and what it used today; never the key itself",
            "", [](const Context& c) { return key_list(c); });
  b.command(key, "revoke", "End a key at once", "  ki auth key revoke ki_4fT7Qx",
            [&p](const Context& c) { return key_revoke(c, p.key.name); })
      ->add_option("key", p.key.name, "Its id, or its prefix as ki auth key list shows it")
      ->required();
}

}  // namespace ki::cli
