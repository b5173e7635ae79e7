// What a user and a script see of `ki`: nothing here links the parts it tests.

#include "program/program.h"

#include <algorithm>
#include <array>
#include <csignal>

namespace ki {
namespace {

TEST_F(Program, AWrongWordIsNamedWithTheOneThatWasMeant) {
  const auto typo = ki("serch rope");
  EXPECT_EQ(typo.code, 2);
  EXPECT_NE(typo.err.find("no command \"serch\", did you mean search?"), std::string::npos)
      << typo.err;
  EXPECT_NE(ki("import foo x").err.find("no command \"foo\""), std::string::npos);
  EXPECT_NE(ki("--nope").err.find("--nope"), std::string::npos);
  EXPECT_EQ(ki("--db '' import registry --publish").code, 2);
  EXPECT_FALSE(fs::exists(home_ / "var"));
  const auto bytes = ki("import registry --publish --actor \"$(printf '\\377')\"");
  EXPECT_EQ(bytes.code, 2);
  EXPECT_NE(bytes.err.find("not valid UTF-8"), std::string::npos) << bytes.err;
  EXPECT_FALSE(fs::exists(db()));
}

TEST_F(Program, AReportOrAnExportNeverReplacesAFile) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const std::string before = slurp(db());
  EXPECT_EQ(ki("import registry --report '" + db().string() + "'").code, 1);
  EXPECT_EQ(slurp(db()), before);
  write("mine.json", "mine");
  EXPECT_EQ(ki("import registry --report mine.json").code, 1);
  EXPECT_EQ(slurp(home_ / "mine.json"), "mine");
  EXPECT_EQ(ki("export mine.txt").code, 2) << "another ending";
  write("mine.jsonl", "mine");
  EXPECT_EQ(ki("export mine.jsonl").code, 1);
  EXPECT_EQ(slurp(home_ / "mine.jsonl"), "mine");
  fs::remove(db());
  EXPECT_EQ(ki("import registry --publish --report none/report.json").code, 1);
  EXPECT_FALSE(fs::exists(db())) << "a report that cannot be kept stops the import";
}

TEST_F(Program, ALongReportIsPrintedWhole) {
  std::string lines = "{\"table\": \"unknown\", \"row\": {}}\n";  // else it is no export at all
  for (int i = 1; i < 20'000; ++i) lines += "{}\n";
  write("bad.jsonl", lines);
  const auto done = ki("--json import export bad.jsonl");
  EXPECT_EQ(done.code, 1) << done.err;
  EXPECT_NE(done.out.find("\"issuesInAll\": 20000"), std::string::npos);
}

TEST_F(Program, AShapeInBracketsIsOneWord) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const std::string query = field(ki("--json search rope '[4096, 7168]'").out, {"query"});
  EXPECT_EQ(query, "rope [4096, 7168]");
  EXPECT_NE(ki("'[foo]'").err.find("no command \"[foo]\""), std::string::npos);
  EXPECT_NE(ki("version '[x]'").err.find("expected: [x]"), std::string::npos);
}

TEST_F(Program, AFileWhoseNameIsAPatternIsThatFile) {
  write("a[1].yaml", ki("manifest init SoftwareProject").out);
  EXPECT_EQ(ki("import manifests 'a[1].yaml' --publish").code, 0);
  EXPECT_EQ(ki("manifest validate 'a[1].yaml'").code, 0);
}

// What a writer of files is told when a file reaches its limit: an error, as with a full disk.
TEST_F(Program, AFileThatReachesItsLimitIsAnErrorAndLeavesNothing) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const std::string limited = "cd '" + home_.string() +
                              "' && ulimit -f 100 && '" KI_BINARY "' --db '" + db().string() +
                              "' export all.jsonl > /dev/null 2>stderr";
  const int status = std::system(limited.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
  EXPECT_NE(slurp(home_ / "stderr").find("all.jsonl"), std::string::npos);
  for (const auto& entry : fs::directory_iterator(home_)) {
    EXPECT_FALSE(entry.path().filename().string().starts_with("all.jsonl")) << entry.path();
  }
}

TEST_F(Program, ImportTellsByItsExitCodeWhatItTook) {
  write("bad.yaml", "apiVersion: kernelindex.dev/v1alpha1\nkind: SoftwareProject\nkind: Again\n");
  const auto none = ki("import manifests bad.yaml --publish --report report.json");
  EXPECT_EQ(none.code, 1) << none.err;
  EXPECT_NE(none.out.find("nothing is written"), std::string::npos) << none.out;
  EXPECT_NE(slurp(home_ / "report.json").find("\"issues\":[{"), std::string::npos);
  const auto project = ki("manifest init SoftwareProject");
  ASSERT_EQ(project.code, 0);
  write("good.yaml", project.out);
  EXPECT_EQ(ki("import manifests good.yaml bad.yaml --publish").code, 3);
  const auto quiet = ki("--quiet import manifests good.yaml bad.yaml --publish");
  EXPECT_EQ(quiet.code, 3);
  EXPECT_NE(quiet.err.find("bad.yaml"), std::string::npos) << "quiet keeps what was refused";
  EXPECT_EQ(ki("import manifests good.yaml --publish").code, 0);
}

TEST_F(Program, ExitCodesTellUsageFromFailure) {
  EXPECT_EQ(ki("").code, 2);
  EXPECT_EQ(ki("frobnicate").code, 2);
  EXPECT_EQ(ki("runs --limit 0").code, 2);
  EXPECT_EQ(ki("runs --limit 201").code, 2);
  EXPECT_EQ(ki("show planet x").code, 2);
  EXPECT_EQ(ki("--help").code, 0);
  EXPECT_EQ(ki("version").code, 0);
  EXPECT_EQ(ki("--version").out, ki("version").out);
  EXPECT_EQ(ki("--version").code, 0);
  const auto missing = ki("search rope");
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.err.find("import registry"), std::string::npos) << missing.err;
  EXPECT_FALSE(fs::exists(db())) << "a reading command must not create a catalog";
}

TEST_F(Program, HelpOfEveryCommandNamesItsOptions) {
  for (const std::string command :
       {"search", "resolve", "show", "compare", "records", "runs", "import liger", "export",
        "verify", "serve", "mcp", "snapshot", "backup", "migrate", "manifest digest",
        "correct retract", "winners"}) {
    const auto help = ki(command + " --help");
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_NE(help.out.find("--help"), std::string::npos) << command;
  }
}

TEST_F(Program, CompletionScriptsAreValidShell) {
  write("bash", ki("completion bash").out);
  EXPECT_EQ(std::system(("bash -n '" + (home_ / "bash").string() + "'").c_str()), 0);
  EXPECT_NE(slurp(home_ / "bash").find("import liger"), std::string::npos);
  EXPECT_NE(ki("completion fish").out.find("complete -c ki"), std::string::npos);
}

// Wrong in itself, whatever the catalog holds: 2. What the world does not let happen: 1.
TEST_F(Program, WrongUsageOfAnyCommandIsTold) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const std::string run = field(ki("--json runs --limit 1").out, {"runs", "0", "id"});
  for (const std::string usage : {"completion tcsh",
                                  "completion",
                                  "version now",
                                  "search --limit 201",
                                  "search --cursor x",
                                  "resolve",
                                  "resolve rope --manifest request.json",
                                  "resolve rope --cursor x",
                                  "records --cursor x",
                                  "runs --cursor x",
                                  "runs --status none",
                                  "runs --since yesterday",
                                  "runs --status pending --source lab",
                                  "changes --since yesterday",
                                  "changes --cursor x",
                                  "hardware a b",
                                  "models a b",
                                  "projects a b",
                                  "projects liger-kernel --limit 0",
                                  "show run",
                                  "show planet x",
                                  "compare x",
                                  "compare x y",
                                  "import",
                                  "import liger",
                                  "import liger x --mapping none",
                                  "import export a.jsonl b.jsonl",
                                  "import registry --publish --dry-run",
                                  "export",
                                  "export mine.txt",
                                  "snapshot",
                                  "backup",
                                  "correct",
                                  "correct retract x",
                                  "serve --port 65536",
                                  "serve --connections 0",
                                  "serve --rate -1",
                                  "auth key create a --quota 0",
                                  "auth key create a --scope catalog:all",
                                  "auth key create a --expires soon",
                                  "serve --threads 257",
                                  "serve --host example.org",
                                  "manifest",
                                  "manifest init Nothing",
                                  "manifest schema Nothing",
                                  "--nope",
                                  "--db '' runs"}) {
    const auto done = ki(usage);
    EXPECT_EQ(done.code, 2) << usage << ": " << done.err;
    EXPECT_NE(done.err, "") << usage;
    EXPECT_EQ(done.out, "") << usage;
  }
  EXPECT_EQ(ki("search " + std::string(501, 'x')).code, 2);
  EXPECT_EQ(ki("compare " + run + " " + run).code, 2);
  EXPECT_EQ(ki("correct retract " + run + " --reason no").code, 2);
  EXPECT_EQ(ki("correct retract " + run + " --reason wrong --actor ' '").code, 2);
  EXPECT_EQ(ki("import registry --publish --actor ' '").code, 2);
  for (const std::string failure :
       {"show run 0123456789ab", "show operation nothing", "models nothing", "projects nothing",
        "hardware nothing", "show project nothing", "import liger none.csv",
        "import manifests none.yaml", "manifest validate none.yaml", "resolve --manifest none.yaml",
        "backup none/copy.db"}) {
    EXPECT_EQ(ki(failure).code, 1) << failure;
  }
}

TEST_F(Program, OutputThatCannotBeWrittenIsAFailureOfEveryCommand) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  ASSERT_EQ(ki("import registry --publish").code, 0);
  for (const std::string command :
       {"--help", "version", "version --json", "runs --help", "completion bash", "completion fish",
        "manifest schema BenchmarkRun", "manifest init BenchmarkRun", "search rope",
        "search rope --json", "runs", "records", "show operation rope", "export -", "verify",
        "import registry"}) {
    const auto done = ki(command, "", "/dev/full");
    EXPECT_EQ(done.code, 1) << command;
    EXPECT_NE(done.err.find("standard output: cannot write"), std::string::npos)
        << command << ": " << done.err;
  }
}

TEST_F(Program, ACursorIsOfOneListAndOneStateOfTheCatalog) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const std::string runs = field(ki("--json runs --limit 1").out, {"nextCursor"});
  const std::string search = field(ki("--json search rope --limit 1").out, {"nextCursor"});
  EXPECT_EQ(ki("runs --limit 1 --cursor " + runs).code, 0);
  EXPECT_EQ(ki("runs --limit 1 --cursor ''").code, 0);
  EXPECT_EQ(ki("search rope --limit 1 --cursor " + search).code, 0);
  const auto foreign = ki("records --cursor " + runs);
  EXPECT_EQ(foreign.code, 2);
  EXPECT_NE(foreign.err.find("no cursor of this list"), std::string::npos) << foreign.err;
  EXPECT_EQ(ki("runs --cursor " + runs + "A").code, 2);
  EXPECT_EQ(ki("search rope --limit 2 --cursor " + search).code, 0) << "a limit is no filter";
  EXPECT_EQ(ki("search geglu --limit 1 --cursor " + search).code, 2);
  ASSERT_EQ(ki("import registry --publish").code, 0);
  EXPECT_EQ(ki("runs --limit 1 --cursor " + runs).code, 0) << "nothing was new";
  const std::string run = field(ki("--json runs --limit 1").out, {"runs", "0", "id"});
  ASSERT_EQ(ki("correct retract " + run + " --reason 'wrong input'").code, 0);
  const auto stale = ki("runs --limit 1 --cursor " + runs);
  EXPECT_EQ(stale.code, 2);
  EXPECT_NE(stale.err.find("the catalog has changed"), std::string::npos) << stale.err;
}

TEST_F(Program, ADryRunWritesNothing) {
  const auto dry = ki("import registry");
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_EQ(ki("--json runs").out.find("sha256:"), std::string::npos);
}

TEST_F(Program, AnAgentIsAnsweredLineByLine) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const auto asked = ki("mcp", R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})"
                               "\n"
                               R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
                               "\r\n\nnot json\n"
                               R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":)"
                               R"({"name":"search_catalog","arguments":{"q":"rope"}}})");
  EXPECT_EQ(asked.code, 0) << asked.err;
  EXPECT_EQ(std::ranges::count(asked.out, '\n'), 3);
  EXPECT_NE(asked.out.find("-32700"), std::string::npos);
  EXPECT_NE(asked.out.find("\"structuredContent\":{\"query\":\"rope\""), std::string::npos);
}

TEST_F(Program, TheRegistryRanksByItself) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const auto answer =
      ki("--json resolve fused neighborhood attention batch:4 seq:2048 heads:12 backward 3090");
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(field(answer.out, {"mode"}), "exact");
  EXPECT_EQ(field(answer.out, {"groups", "exact", "0", "rank"}), "1");
  EXPECT_EQ(field(answer.out, {"groups", "exact", "0", "primary", "value"}), "15102833");
  EXPECT_EQ(field(answer.out, {"groups", "exact", "1", "rank"}), "2");
  EXPECT_EQ(field(answer.out, {"groups", "exact", "1", "primary", "value"}), "24104448");
  EXPECT_EQ(field(answer.out, {"verdict", "code"}), "winner");

  const std::string run = field(answer.out, {"groups", "exact", "1", "runId"});
  const auto dossier = ki("--json show run " + run);
  EXPECT_EQ(field(dossier.out, {"cohort", "rank"}), "2");
  EXPECT_EQ(field(dossier.out, {"labels", "0", "key"}), "liger_version");
  EXPECT_NE(ki("show run " + run).out.find("liger_version  "), std::string::npos);
  EXPECT_EQ(field(dossier.out, {"cohort", "headRunId"}),
            field(answer.out, {"groups", "exact", "0", "runId"}));
  const auto compared =
      ki("--json compare " + run + " " + field(dossier.out, {"cohort", "headRunId"}));
  EXPECT_EQ(field(compared.out, {"comparable"}), "true");
  EXPECT_EQ(ki("verify").code, 0);
}

TEST_F(Program, ATableFitsItsWidthAndNamesItsRuns) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const std::string answer = on_terminal(72, "--quiet resolve rope seq:16384 a100 2> /dev/null");
  const std::string row = answer.substr(0, answer.find('\n'));
  EXPECT_LE(row.size(), 72U) << row;
  const std::string run = row.substr(row.rfind(' ') + 1);
  EXPECT_EQ(run.size(), 12U) << row;
  const auto dossier = ki("--json show run " + run);
  ASSERT_EQ(dossier.code, 0) << dossier.err;
  EXPECT_EQ(field(dossier.out, {"run", "digest"}).substr(7, 12), run);
  EXPECT_EQ(ki("show run " + run.substr(0, 3)).code, 1);
}

// The words of a table's cells, whatever lines they are broken over.
std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

TEST_F(Program, WhatIsTypedNextIsWholeOnAnyTerminalAndPipedOutputHasEverything) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  for (const int columns : {20, 60, 100}) {
    const std::string runs = on_terminal(columns, "runs");
    EXPECT_NE(runs.find("fused-neighborhood-attention-liger"), std::string::npos) << columns;
    const std::string records = on_terminal(columns, "records");
    EXPECT_NE(records.find("sparse-multi-token-attention"), std::string::npos) << columns;
    EXPECT_EQ((runs + records).find("…"), std::string::npos) << columns;
  }
  ::setenv("COLUMNS", "40", 1);
  const auto piped = ki("records");
  ::unsetenv("COLUMNS");
  EXPECT_NE(piped.out.find("NVIDIA GeForce RTX 3090  2025-05-27  0ba608c7fdb3\n"),
            std::string::npos)
      << piped.out;
  EXPECT_NE(without_blanks(on_terminal(150, "records")).find("NVIDIAGeForceRTX3090"),
            std::string::npos);
}

// A name that is a filter of a list empties it; one that is the question itself is not found.
TEST_F(Program, RunsAreFilteredByNamesInAnyCaseAndAnUnknownOneNamesTheNearest) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const auto exact = ki("runs --hardware 'NVIDIA GeForce RTX 3090'");
  EXPECT_NE(exact.out.find("0ba608c7fdb3"), std::string::npos);
  EXPECT_EQ(ki("runs --hardware 'nvidia geforce rtx 3090'").out, exact.out);
  const auto is_empty_naming = [&](const std::string& command, const std::string& near) {
    const auto table = ki(command);
    EXPECT_EQ(table.code, 0) << command << ": " << table.err;
    EXPECT_NE(table.out.find("Not applied: "), std::string::npos) << command << ": " << table.out;
    EXPECT_NE(table.out.find(near), std::string::npos) << command << ": " << table.out;
    const auto json = ki("--json " + command);
    EXPECT_EQ(json.code, 0) << command;
    EXPECT_NE(field(json.out, {"notApplied", "0", "text"}).find(near), std::string::npos);
    const auto lines = ki("--jsonl " + command);
    EXPECT_EQ(lines.code, 0) << command;
    EXPECT_EQ(lines.out, "") << command;
    EXPECT_NE(lines.err.find(near), std::string::npos) << command << ": " << lines.err;
  };
  EXPECT_EQ(ki("runs --hardware 3090").out, exact.out) << "as a query reads it";
  is_empty_naming("runs --hardware 'nvidia geforce rtx 3099'", "NVIDIA GeForce RTX 3090");
  is_empty_naming("runs --hardware h200", "there is NVIDIA A100, ");
  is_empty_naming("runs --operation geglu-mpl", "near it: geglu-mlp");
  is_empty_naming("runs --source liger", "near it: liger-kernel-bench");
  is_empty_naming("serving runs --model mlperf-llama2", "near it: mlperf-llama2");
  const auto none = ki("show implementation geglu-mlp-ligre");
  EXPECT_EQ(none.code, 1);
  EXPECT_NE(none.err.find("near it: geglu-mlp-liger"), std::string::npos) << none.err;
}

TEST_F(Program, ResolvesAFileWithOneRequestOrAList) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  write("one.yaml", "operation: {name: rope}\npolicy: {toolkitVersion: '99'}\n");
  const auto one = ki("resolve --manifest one.yaml");
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_NE(one.out.find("Left out by what is required"), std::string::npos) << one.out;
  EXPECT_NE(one.out.find("toolkitVersion 99 (is"), std::string::npos) << one.out;
  write("list.json", R"([{"operation":{"name":"rope"}},{"query":"rms norm"}])");
  const auto list = ki("resolve --manifest list.json --json");
  EXPECT_EQ(list.code, 0) << list.err;
  const auto document = json::parse(list.out);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root.find("results")->items().size(), 2U);
  EXPECT_NE(ki("resolve --manifest list.json").out.find("Request 2 of 2"), std::string::npos);
  write("bad.json", R"([{"operation":{"name":"rope"}},{"polcy":{}}])");
  const auto bad = ki("resolve --manifest bad.json");
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE(bad.err.find("/1: unknown member \"polcy\""), std::string::npos) << bad.err;
  for (const char* nothing : {"[]", "---\n"}) {
    write("empty.yaml", nothing);
    EXPECT_EQ(ki("resolve --manifest empty.yaml").code, 1) << nothing;
  }
}

TEST_F(Program, RecordsSayTheirOrder) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const auto records = ki("records");
  EXPECT_NE(records.out.find("Last published first"), std::string::npos) << records.out;
  EXPECT_LT(records.out.find("2025-11-11"), records.out.find("2025-05-27"));
  EXPECT_LT(records.out.find("2025-05-27"), records.out.find("2024-09-03"));
}

TEST_F(Program, OverviewsAreTablesDocumentsAndLines) {
  ASSERT_EQ(ki("migrate").code, 0);
  EXPECT_EQ(ki("models").out, "No operation names a model\n");
  EXPECT_EQ(ki("models --quiet").out, "");
  ASSERT_EQ(ki("import registry --publish").code, 0);
  EXPECT_NE(ki("hardware").out.find("NVIDIA GeForce RTX 3090          nvidia"), std::string::npos);
  EXPECT_EQ(field(ki("hardware --json").out, {"0", "slug"}), "nvidia-a100");
  const std::string lines = ki("hardware --jsonl").out;
  EXPECT_EQ(field(lines.substr(0, lines.find('\n')), {"vendor"}), "nvidia");
  EXPECT_EQ(std::ranges::count(lines, '\n'), 4);
  EXPECT_NE(ki("sources").out.find("published"), std::string::npos);
  EXPECT_EQ(field(ki("sources --json").out, {"sources", "0", "kind"}), "kernel");
  EXPECT_EQ(field(ki("models --jsonl").out, {"slug"}), "mlperf-llama2-70b");
  const Finished changes = ki("changes");
  EXPECT_NE(changes.out.find("import"), std::string::npos) << changes.err;
  EXPECT_EQ(field(ki("changes --json").out, {"days", "0", "entries", "0", "kind"}), "import");
  EXPECT_EQ(ki("changes --since 2100-01-01T00:00:00Z").out,
            "Nothing changed after 2100-01-01T00:00:00.000Z\n");
  const std::string run = field(ki("runs --json --limit 1").out, {"runs", "0", "implementation"});
  const std::string project =
      field(ki("show implementation " + run + " --json").out, {"project", "slug"});
  const Finished shown = ki("projects " + project);
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_NE(shown.out.find("records held"), std::string::npos);
  EXPECT_EQ(ki("show project " + project).out, shown.out);
  EXPECT_EQ(field(ki("projects --json " + project).out, {"project", "slug"}), project);
  EXPECT_NE(ki("projects").out.find(project), std::string::npos);
  EXPECT_FALSE(field(ki("projects --json").out, {"projects", "0", "slug"}).empty());
  EXPECT_NE(ki("hardware nvidia-a100").out.find("records on it"), std::string::npos);
  EXPECT_EQ(field(ki("hardware --json 'NVIDIA A100'").out, {"product", "slug"}), "nvidia-a100");
}

TEST_F(Program, ManifestsOfSeveralKindsFitEachOtherAndGiveAnAnswer) {
  const auto init =
      ki("manifest init project operation workload implementation protocol "
         "environment run");
  ASSERT_EQ(init.code, 0) << init.err;
  write("record.yaml", init.out);
  EXPECT_EQ(ki("manifest validate record.yaml").code, 0);
  const auto done = ki("import manifests record.yaml --publish");
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.out.find("0 pending"), std::string::npos) << done.out;
  const auto answer = ki("--json resolve row-scale rows:4096 forward");
  EXPECT_EQ(field(answer.out, {"cohort", "pass"}), "forward");
  EXPECT_EQ(field(answer.out, {"groups", "exact", "0", "primary", "value"}), "12500");
  EXPECT_EQ(field(answer.out, {"groups", "exact", "0", "primary", "uncertainty", "low"}), "12400");
}

TEST_F(Program, TheCsvsPassesAndMetricsAreChosenByName) {
  if (shared().empty()) GTEST_SKIP() << "no data beside the checkout (KI_SHARED)";
  const std::string csv = shared() / "data/liger-all_benchmark_data.csv";
  ASSERT_EQ(ki("import liger '" + csv + "' --publish").code, 0);
  const std::string query =
      "--json resolve fused neighborhood attention batch:4 seq:2048 heads:12 3090 ";
  const auto backward = ki(query + "backward");
  EXPECT_EQ(field(backward.out, {"cohort", "pass"}), "backward");
  EXPECT_EQ(field(backward.out, {"groups", "exact", "0", "primary", "value"}), "15102833");
  EXPECT_EQ(field(ki(query + "fwd").out, {"cohort", "pass"}), "forward");
  EXPECT_EQ(field(ki(query + "pass:full").out, {"cohort", "pass"}), "full");
  const auto memory = ki(query + "metric:memory");
  EXPECT_EQ(field(memory.out, {"cohort", "metric"}), "peak_memory");
  EXPECT_EQ(field(ki(query).out, {"cohort", "metric"}), "latency");
}

TEST_F(Program, PublishingAgainChangesNothing) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const std::string before = ki("export -").out;
  ASSERT_FALSE(before.empty());
  ASSERT_EQ(ki("import registry --publish").code, 0);
  EXPECT_EQ(ki("export -").out, before);
}

TEST_F(Program, AnExportRebuildsTheCatalog) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  ASSERT_EQ(ki("export first.jsonl.zst").code, 0);
  const std::string before = ki("export -").out;
  EXPECT_EQ(ki("export first.jsonl.zst").code, 1) << "an existing file is not overwritten";
  fs::remove(db());
  ASSERT_EQ(ki("import export first.jsonl.zst --publish").code, 0);
  EXPECT_EQ(ki("export -").out, before);
  EXPECT_EQ(ki("verify").code, 0);
}

TEST_F(Program, ABackupIsACatalog) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  ASSERT_EQ(ki("backup copy.db").code, 0);
  const std::string before = ki("export -").out;
  fs::rename(home_ / "copy.db", db());
  EXPECT_EQ(ki("export -").out, before);
  EXPECT_EQ(ki("backup copy.db").code, 0);
  EXPECT_EQ(ki("backup copy.db").code, 1) << "an existing file is not overwritten";
}

TEST_F(Program, CorrectionsMoveTheRecordAndCanBeUndone) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const std::string query = "--json resolve rope seq:16384 a100";
  const auto before = ki(query);
  const std::string leader = field(before.out, {"groups", "exact", "0", "runId"});
  ASSERT_EQ(ki("correct retract " + leader + " --reason 'wrong input' --actor tests").code, 0);
  const auto after = ki(query);
  EXPECT_EQ(field(after.out, {"groups", "exact", "0", "runId"}),
            field(before.out, {"groups", "exact", "1", "runId"}));
  EXPECT_EQ(ki("correct retract " + leader + " --reason again").code, 1);
  ASSERT_EQ(ki("correct restore " + leader + " --reason 'it was right'").code, 0);
  EXPECT_EQ(field(ki(query).out, {"groups", "exact", "0", "runId"}), leader);
  EXPECT_EQ(ki("correct supersede " + leader + " " + leader + " --reason self").code, 1);
  const auto other = ki("correct supersede " + leader + " " +
                        field(before.out, {"groups", "exact", "1", "runId"}) + " --reason other");
  EXPECT_EQ(other.code, 1);
  EXPECT_NE(other.err.find("differs in implementation ("), std::string::npos) << other.err;
  EXPECT_EQ(ki("verify").code, 0);
}

TEST_F(Program, ManifestsAreJudgedEachOnItsOwn) {
  for (const std::string kind : {"OperationSpec", "BenchmarkRun", "ServingRun"}) {
    const auto init = ki("manifest init " + kind);
    ASSERT_EQ(init.code, 0) << init.err;
    write("init.yaml", init.out);
    EXPECT_EQ(ki("manifest validate init.yaml").code, 0) << kind;
    const std::string digest = ki("manifest digest init.yaml").out.substr(0, 71);
    EXPECT_EQ(digest.substr(0, 7), "sha256:");
    EXPECT_EQ(ki("manifest digest -", init.out).out.substr(0, 71), digest);
    EXPECT_EQ(ki("manifest schema " + kind).code, 0);
  }
  write("bad.yaml",
        "apiVersion: kernelindex.dev/v1alpha1\nkind: SoftwareProject\n"
        "metadata: {name: x}\nspec: {name: 3.10, nmae: y}\n");
  const auto bad = ki("manifest validate bad.yaml init.yaml");
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE(bad.err.find("bad.yaml:4:"), std::string::npos) << bad.err;
  EXPECT_EQ(ki("manifest digest bad.yaml").out, "");
}

TEST_F(Program, TheWholeExportIsKeptAndVerified) {
  if (shared().empty()) GTEST_SKIP() << "no data beside the checkout (KI_SHARED)";
  const auto file = shared() / "data/catalog-2026-08-16-94af2ae7.jsonl.zst";
  const auto first = ki("import export '" + file.string() + "' --publish --report report.json");
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(field(slurp(home_ / "report.json"), {"issues"}), "?");
  EXPECT_EQ(ki("verify").code, 0);
  const auto lines = [](const std::string& text) { return std::ranges::count(text, '\n'); };
  const std::string before = ki("export -").out;
  // The lines of the public export, and what it leaves out: how runs are known upstream, protocols
  // and environments by themselves, the source and the file that it came in as, the log, and which
  // operations are equivalent.
  EXPECT_EQ(lines(before), 39'099 + 5'920 + 6 + 15 + 2 + 1 + 26);
  ASSERT_EQ(ki("import export '" + file.string() + "' --publish").code, 0);
  EXPECT_EQ(ki("export -").out, before);
}

TEST_F(Program, SeedsWaitForTheirObjectsAndTheCsvCompletesThem) {
  if (shared().empty()) GTEST_SKIP() << "no data beside the checkout (KI_SHARED)";
  const std::string seeds = shared() / "data/seeds/";
  ASSERT_EQ(ki("import manifests '" + seeds + "'*.txt --publish").code, 0);
  EXPECT_EQ(field(ki("--json runs").out, {"runs"}), "?");
  for (const char* list : {"runs", "changes"}) {
    EXPECT_TRUE(ki(list).out.contains("5 runs wait for an object that is not known yet")) << list;
  }
  ASSERT_EQ(
      ki("import liger '" + (shared() / "data/liger-all_benchmark_data.csv").string() +
         "' --mapping kernelindex-1 --protocol '" + seeds + "000_7ef4f5a40301c551.txt' --publish")
          .code,
      0);
  const std::string external =
      "sha256:26ef57272cd81d16b03d0c177463577915cbb57cc6541d7d6e09854a46dc2abb";
  const auto answer = ki("--json search liger-fused-neighborhood-attention --cohort " + external);
  EXPECT_EQ(field(answer.out, {"cohort", "comparisonKey"}), external) << answer.err;
  EXPECT_EQ(field(answer.out, {"groups", "exact", "1", "primary", "value"}), "24104448");
  EXPECT_EQ(ki("verify").code, 0);
}

TEST_F(Program, ADryRunOnlyReadsTheCatalog) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const std::string before = slurp(db());
  fs::permissions(db(), fs::perms::owner_read);
  const auto stamp = fs::last_write_time(db());
  const Finished run = ki("import registry --json");
  EXPECT_EQ(run.code, 0) << run.err;
  const auto report = json::parse(run.out);
  ASSERT_TRUE(report) << run.out;
  EXPECT_EQ(report->root.find("actions")->find("insert")->number(), 0);
  EXPECT_EQ(slurp(db()), before);
  EXPECT_EQ(fs::last_write_time(db()), stamp);
  // One that is not there, or empty, is compared with an empty one, and stays as it is.
  fs::remove(db());
  EXPECT_EQ(ki("import registry").code, 0);
  EXPECT_FALSE(fs::exists(db()));
  write("ki.db", "");
  EXPECT_EQ(ki("import registry").code, 0);
  EXPECT_EQ(fs::file_size(db()), 0U);
}

TEST_F(Program, WhatIsNoCatalogIsNamedWithTheRemedy) {
  write("ki.db", "x");
  for (const char* command :
       {"migrate", "import registry", "import registry --publish", "verify", "backup copy.db"}) {
    const Finished run = ki(command);
    EXPECT_NE(run.code, 0) << command;
    EXPECT_NE(run.err.find(db().string()), std::string::npos) << command << ": " << run.err;
    EXPECT_NE(run.err.find("choose another file with --db"), std::string::npos) << run.err;
    EXPECT_EQ(slurp(db()), "x") << command;
  }
}

// Stopped at whatever moment, a command leaves its whole file or none, and nothing beside it.
TEST_F(Program, AStoppedExportOrBackupLeavesNothingHalfWritten) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const auto entries = [&] {
    std::size_t n = 0;
    for (const auto& entry : fs::directory_iterator(home_ / "out")) {
      n += entry.path().filename() == "file.jsonl" ? 0 : 1;
    }
    return n;
  };
  ASSERT_EQ(ki("export whole.jsonl").code, 0);
  const std::string whole = slurp(home_ / "whole.jsonl");
  for (const char* command : {"export", "backup"}) {
    for (const int signal : {SIGTERM, SIGINT, SIGKILL}) {
      for (int step = 0; step < 12; ++step) {
        fs::remove_all(home_ / "out");
        fs::create_directory(home_ / "out");
        const std::string target = (home_ / "out" / "file.jsonl").string();
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
          std::freopen("/dev/null", "w", stdout);
          std::freopen("/dev/null", "w", stderr);
          ::execl(KI_BINARY, "ki", "--db", db().c_str(), command, target.c_str(), nullptr);
          ::_exit(127);
        }
        ::usleep(static_cast<useconds_t>(step) * 4000);
        ::kill(child, signal);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        if (signal != SIGKILL) {
          EXPECT_EQ(entries(), 0U) << command << " " << signal << " after " << step;
        }
        if (!fs::exists(target)) continue;
        if (std::string_view(command) == "export") {
          EXPECT_EQ(slurp(target), whole);
        } else {
          const std::string check = "'" KI_BINARY "' --db '" + target + "' verify >/dev/null";
          EXPECT_EQ(std::system(check.c_str()), 0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace ki
