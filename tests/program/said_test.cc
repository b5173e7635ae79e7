// That `ki` says what is so, and nothing more: origins, exclusions, recipes, names, clean text.

#include <algorithm>

#include "program/program.h"

namespace ki {
namespace {

TEST_F(Program, WhatACorrectionTakesOutIsCountedWithItsReason) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const std::string query = "resolve rope seq:16384 a100";
  const std::string leader = field(ki("--json " + query).out, {"groups", "exact", "0", "runId"});
  EXPECT_EQ(field(ki("--json " + query).out, {"excluded", "total"}), "0");
  EXPECT_EQ(ki(query).out.find("excluded"), std::string::npos);
  ASSERT_EQ(ki("correct retract " + leader + " --reason 'wrong input' --actor tests").code, 0);
  const auto text = ki(query).out;
  EXPECT_NE(text.find("1 run excluded: RETRACTED\n"), std::string::npos) << text;
  EXPECT_NE(text.find(": wrong input [RETRACTED]"), std::string::npos) << text;
  const auto json = ki("--json " + query).out;
  EXPECT_EQ(field(json, {"excluded", "total"}), "1");
  EXPECT_EQ(field(json, {"excluded", "runs", "0", "runId"}), leader);
  EXPECT_EQ(field(json, {"excluded", "runs", "0", "code"}), "RETRACTED");
  EXPECT_EQ(field(json, {"excluded", "runs", "0", "reason"}), "wrong input");
  const auto operation = ki("--json show operation rope").out;
  EXPECT_NE(field(operation, {"excluded", "total"}), "no excluded");
  ASSERT_EQ(ki("correct restore " + leader + " --reason 'it was right'").code, 0);
  EXPECT_EQ(field(ki("--json " + query).out, {"excluded", "total"}), "0");
  const auto shown = ki("show run " + leader).out;
  EXPECT_NE(shown.find("retracted by tests: wrong input"), std::string::npos) << shown;
  EXPECT_NE(shown.find(": it was right"), std::string::npos) << shown;
}

TEST_F(Program, WhatIsCalledSoBesidesOperationsIsFound) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const auto found = ki("search liger");
  EXPECT_EQ(found.code, 0) << found.err;
  for (const char* line :
       {"project Liger-Kernel   ki show project liger-kernel\n",
        "ki show implementation rope-liger\n", "   ki runs --source liger-kernel-bench\n"}) {
    EXPECT_NE(found.out.find(line), std::string::npos) << found.out;
  }
  const std::string lines = ki("--jsonl search liger").out;
  EXPECT_EQ(field(lines.substr(0, lines.find('\n')), {"slug"}), "liger-kernel");
  EXPECT_EQ(ki("search a100").code, 0) << "lists what was measured on it";
  const auto nothing = ki("search zzz-none");
  EXPECT_EQ(nothing.code, 1);
  EXPECT_EQ(nothing.out.find("Called so"), std::string::npos) << nothing.out;
}

TEST_F(Program, ASnapshotSaysOfHowManyOperationsItHolds) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const auto made = ki("snapshot answers.kisnap");
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.out.find(" cases of "), std::string::npos) << made.out;
  EXPECT_NE(made.out.find(" operations\n"), std::string::npos) << made.out;
  EXPECT_EQ(made.out.find("not in it"), std::string::npos) << "none is left out";
}

TEST_F(Program, ARunIsTracedToItsLineWithItsValuesAsStated) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const std::string run =
      field(ki("--json resolve rope seq:16384 a100").out, {"groups", "exact", "0", "runId"});
  const auto shown = ki("show run " + run).out;
  EXPECT_NE(shown.find("(p20 to p80)"), std::string::npos) << shown;
  EXPECT_NE(shown.find("rope.json"), std::string::npos) << shown;
  EXPECT_NE(shown.find("(410240 ns)"), std::string::npos) << shown;
  EXPECT_NE(shown.find("0.4102399945259094"), std::string::npos) << shown;
}

TEST_F(Program, ARecipeWithoutACommandIsNotCalledACommand) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const auto shown = ki("show implementation rope-liger").out;
  EXPECT_NE(shown.find("an install recipe (pip package liger-kernel) and a licence are stated"),
            std::string::npos)
      << shown;
  const auto json = ki("--json show implementation rope-liger").out;
  EXPECT_EQ(field(json, {"usage", "install"}), "null");
  EXPECT_EQ(field(json, {"usage", "recipe", "kind"}), "pip");
  EXPECT_EQ(field(json, {"usage", "recipe", "package"}), "liger-kernel");
}

TEST_F(Program, HardwareIsFoundUnderEveryNameThatAnswersPrint) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const auto runs = [&](const std::string& name) {
    const auto listed = ki("--jsonl runs --limit 200 --hardware '" + name + "'");
    EXPECT_EQ(listed.code, 0) << name << listed.err;
    return std::ranges::count(listed.out, '\n');
  };
  const auto all = runs("NVIDIA A100");
  EXPECT_GT(all, 0);
  EXPECT_EQ(runs("NVIDIA A100-SXM4-80GB"), all);
  EXPECT_EQ(runs("nvidia a100 sxm4-80gb"), all);
  EXPECT_EQ(runs("NVIDIA A100-PCIE-40GB"), 0) << "another product of that name";
}

TEST_F(Program, ControlCharactersOfTheInputNeverReachTheTerminal) {
  const std::string bad =
      "\x1b[2J\xc2\x9b"
      "0m\xe2\x80\xae";
  const auto clean = [](const std::string& text) {
    return text.find('\x1b') == std::string::npos && text.find("\xc2\x9b") == std::string::npos &&
           text.find("\xe2\x80\xae") == std::string::npos;
  };
  write("bad.yaml",
        "apiVersion: kernelindex.dev/v1alpha1\nkind: SoftwareProject\n"
        "metadata: {name: x}\nspec: {name: y, \"a\\e[2J\\u202e\": 1}\n");
  const std::string name = "'odd" + bad + ".yaml'";
  fs::copy_file(home_ / "bad.yaml", home_ / ("odd" + bad + ".yaml"));
  write("bad.csv", "a" + bad + ",b\n1,2\n");
  for (const std::string& arguments :
       {"manifest validate bad.yaml " + name, "manifest digest " + name,
        "import manifests bad.yaml " + name, std::string("import liger bad.csv"),
        "show run '" + bad + "'", "serch '" + bad + "'", "--db '" + bad + "' verify",
        "import export 'none" + bad + "'", "manifest init '" + bad + "'"}) {
    const auto said = ki(arguments);
    EXPECT_NE(said.code, 0) << arguments;
    EXPECT_TRUE(clean(said.out)) << arguments;
    EXPECT_TRUE(clean(said.err)) << arguments;
    EXPECT_NE(said.out + said.err, "") << arguments;
  }
}

TEST_F(Program, ARefusedDryRunOffersNothingToPublish) {
  write("bad.yaml", "kind: nothing\n");
  const auto refused = ki("import manifests bad.yaml");
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.out.find("everything was refused"), std::string::npos) << refused.out;
  EXPECT_EQ(refused.out.find("--publish"), std::string::npos) << refused.out;
}

TEST_F(Program, WhatContradictsItselfIsWarnedOfAndKept) {
  std::string text =
      ki("manifest init project operation workload implementation protocol environment run").out;
  const auto change = [&](std::string_view from, std::string_view to) {
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  };
  write("sound.yaml", text);
  EXPECT_EQ(ki("manifest validate sound.yaml").err, "");
  change("median: 12.5 us", "median: 13.5 us");
  write("run.yaml", text);
  const auto validated = ki("manifest validate run.yaml");
  EXPECT_EQ(validated.code, 0);
  EXPECT_NE(validated.err.find("the median, 13500 ns, lies outside 12400 to 12600 ns"),
            std::string::npos)
      << validated.err;
  EXPECT_NE(field(ki("--json manifest validate run.yaml").out, {"0", "warnings", "0", "pointer"})
                .find("/spec/timing/latencyNs/confidence95"),
            std::string::npos);
  const auto imported = ki("import manifests run.yaml --publish");
  EXPECT_EQ(imported.code, 0);
  EXPECT_NE(imported.out.find("lies outside 12400 to 12600 ns"), std::string::npos) << imported.out;
  const std::string run = field(ki("--json runs").out, {"runs", "0", "id"});
  const auto shown = ki("show run " + run).out;
  EXPECT_NE(shown.find("spread unknown\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find("Warning: run /spec/timing/latencyNs/confidence95: "), std::string::npos)
      << shown;
  change("axes: {rows: 4096, width: 1024}", "axes: {rows: 4096, width: 512}");
  write("case.yaml", text);
  const auto sizes = ki("manifest validate case.yaml");
  EXPECT_EQ(sizes.code, 0) << sizes.err;
}

TEST_F(Program, EqualProtocolDocumentsAreOne) {
  const std::string protocol = ki("manifest init BenchmarkProtocol").out;
  write("one.yaml", protocol);
  write("two.yaml", protocol);
  std::string other = protocol;
  const auto at = other.find("primaryStatistic: median");
  ASSERT_NE(at, std::string::npos) << protocol;
  other.replace(at, 24, "primaryStatistic: mean");
  write("other.yaml", other);
  write("rows.csv", "a,b\n1,2\n");
  const auto import = [&](const std::string& second) {
    return ki("import liger rows.csv --protocol backward=one.yaml --protocol backward=" + second);
  };
  const auto same = import("two.yaml");
  EXPECT_EQ((same.out + same.err).find("more than one protocol"), std::string::npos) << same.err;
  EXPECT_NE(import("other.yaml").err.find("more than one protocol"), std::string::npos);
}

TEST_F(Program, ARequestDocumentNamesTheKnownMembers) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  write("request.yaml",
        "operation: {name: rope, axes: {seq: 16384}}\n"
        "environment: {hardwareProduct: A100, dtype: bf16}\n"
        "query: \"pass:backward\"\n");
  EXPECT_EQ(ki("resolve --manifest request.yaml").code, 0);
  write("wrong.yaml", "operation: {name: rope}\nhardware: a100\n");
  const auto wrong = ki("resolve --manifest wrong.yaml");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.err.find("(known: query, operation, environment, policy)"), std::string::npos)
      << wrong.err;
}

}  // namespace
}  // namespace ki
