// What values options take, and what is said when a change is made but its output cannot be
// written.

#include <utility>

#include "program/program.h"

namespace ki {
namespace {

// Whoever sees the failure must not take it for a change that was not made.
TEST_F(Program, AChangeThatIsMadeIsSaidEvenIfItsOutputCannotBeWritten) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const auto untold = [&](const std::string& command) {
    const auto done = ki(command, "", "/dev/full");
    EXPECT_EQ(done.code, 1) << command;
    return done.err;
  };
  const auto expect_done = [&](const std::string& command, std::string_view said) {
    const std::string err = untold(command);
    EXPECT_NE(err.find("cannot write, but it is done: "), std::string::npos) << command << err;
    EXPECT_NE(err.find(said), std::string::npos) << command << ": " << err;
  };
  expect_done("migrate", "ki.db has version");
  expect_done("import registry --publish", "published: ");
  const std::string run = field(ki("--json runs --limit 1").out, {"runs", "0", "id"});
  expect_done("attest " + run + " --type reproduced --note 'as stated'", "the note is filed as ");
  expect_done("correct retract " + run + " --reason 'wrong input'", "retract of " + run);
  expect_done("--json correct restore " + run + " --reason 'was right'", "restore of " + run);
  expect_done("backup copy.db", "copy.db is whole");
  expect_done("export all.jsonl", "all.jsonl is whole");
  expect_done("snapshot all.kisnap", "all.kisnap is whole");
  const std::string made = untold("auth key create ci");
  const std::string prefix = field(ki("--json auth key list").out, {"keys", "0", "prefix"});
  EXPECT_NE(made.find("ki auth key revoke " + prefix), std::string::npos) << made;
  expect_done("auth key revoke " + prefix, "is revoked");
  EXPECT_EQ(untold("import registry").find("it is done"), std::string::npos) << "a dry run";
  EXPECT_EQ(untold("runs").find("it is done"), std::string::npos);
  EXPECT_EQ(ki("verify").code, 0);
}

TEST_F(Program, APipeWithoutAReaderHidesNoChange) {
  const std::string command = "cd '" + home_.string() + "' && { sleep 0.2; '" KI_BINARY "' --db '" +
                              db().string() + "' import registry --publish 2>stderr; } | true";
  EXPECT_EQ(std::system(command.c_str()), 0);
  const std::string err = slurp(home_ / "stderr");
  EXPECT_NE(err.find("it is done: published"), std::string::npos) << err;
}

// Numbers and files of every option: what is accepted is said, and nothing is guessed.
TEST_F(Program, AValueThatNoOptionTakesIsRefusedWithWhatItTakes) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  struct Number {
    std::string command;
    std::string option;
    std::string takes;
  };
  const std::string run = field(ki("--json runs --limit 1").out, {"runs", "0", "id"});
  const Number numbers[] = {
      {"serve", "--port", "a whole number from 0 to 65535"},
      {"serve", "--threads", "a whole number from 0 to 256"},
      {"serve", "--connections", "a whole number from 1 to 100000"},
      {"serve", "--costly", "a whole number from 1 to 10000"},
      {"serve", "--rate", "0 or a number from 0.001 to 1000000"},
      {"serve --rate 1", "--burst", "0 or a number from 1 to 1000000"},
      {"search rope", "--limit", "a whole number from 1 to 200"},
      {"resolve rope", "--limit", "a whole number from 1 to 200"},
      {"runs", "--limit", "a whole number from 1 to 200"},
      {"serving runs", "--limit", "a whole number from 1 to 200"},
      {"auth key create x", "--quota", "a whole number from 1 to 1000000000"},
      {"attest " + run + " --type reproduced --note x", "--observed-ns", "a number above 0"},
  };
  for (const Number& number : numbers) {
    for (const char* value : {"''", "nan", "inf", "-inf", "-1", "1e999", "0x10", "12x", "' 1'"}) {
      const auto done = ki(number.command + " " + number.option + " " + value);
      EXPECT_EQ(done.code, 2) << number.command << number.option << value << done.err;
      EXPECT_NE(done.err.find(number.option + ": takes " + number.takes), std::string::npos)
          << done.err;
    }
  }
  EXPECT_EQ(ki("runs --limit 010").code, 2) << "ten or eight";
  EXPECT_EQ(ki("serve --rate 0.0001").code, 2);
  for (const std::string file :
       {"serve --access-log ''", "serve --exports ''", "import registry --report ''",
        "import registry --report -", "import liger ''", "import liger x --protocol ''",
        "resolve --manifest ''", "resolve --trace ''", "manifest validate ''", "export ''",
        "snapshot ''", "snapshot -", "backup ''", "backup -", "auth key create x --expires ''",
        "runs --since ''", "changes --since ''"}) {
    const auto done = ki(file);
    EXPECT_EQ(done.code, 2) << file << done.err;
    EXPECT_NE(done.err.find(": takes "), std::string::npos) << file << ": " << done.err;
  }
  EXPECT_FALSE(fs::exists(home_ / "-"));
  EXPECT_EQ(ki("snapshot ./-").code, 0) << "a file of that name";
}

// What cannot mean anything together, or names what cannot be there.
TEST_F(Program, OptionsThatMeanNothingAreRefusedBeforeAnythingIsDone) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  write("shapes.csv", "seq\n16384\n");
  const std::string trace = "resolve --trace shapes.csv --operation rope ";
  const std::pair<std::string, std::string> cases[] = {
      {"serve --burst 5", "ki: --burst: "},
      {"serve --exports nowhere", "ki: --exports: there is no folder nowhere"},
      {"serve --exports shapes.csv", "ki: --exports: there is no folder"},
      {"import manifests - -", "ki: file: standard input (-)"},
      {"manifest validate - -", "ki: file: standard input (-)"},
      {"manifest digest - shapes.csv -", "ki: file: standard input (-)"},
      {trace + "--metric zz", "ki: --metric: unknown metric 'zz'"},
      {trace + "--dtype zz", "ki: --dtype: unknown dtype 'zz'"},
      {trace + "--pass zz", "ki: --pass: "},
      {trace + "--hardware \"$(head -c 101 /dev/zero | tr '\\0' x)\"", "ki: --hardware: "},
  };
  for (const auto& [command, said] : cases) {
    const auto done = ki(command);
    EXPECT_EQ(done.code, 2) << command << done.err;
    EXPECT_TRUE(done.err.starts_with(said)) << command << ": " << done.err;
    EXPECT_EQ(done.out, "") << command;
  }
  const std::string to_stream =
      "cd '" + home_.string() + "' && '" KI_BINARY "' --db - migrate 2>stderr";
  const int status = std::system(to_stream.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_EQ(slurp(home_ / "stderr"), "ki: --db: the catalog needs a path\n");
  EXPECT_FALSE(fs::exists(home_ / "-"));
}

TEST_F(Program, TheRoutesOfTheApiAreListedWithoutACatalog) {
  const auto listed = ki("serve --routes");
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_NE(listed.out.find("/api/v1/operations/{idOrSlug}"), std::string::npos) << listed.out;
  const auto json = ki("--json serve --routes");
  EXPECT_EQ(field(json.out, {"routes", "0", "path"}), "/api/v1/search");
  EXPECT_EQ(field(json.out, {"routes", "0", "parameters", "0"}), "q");
  const auto lines = ki("--jsonl serve --routes").out;
  EXPECT_EQ(std::ranges::count(lines, '\n'), std::ranges::count(listed.out, '\n') - 1)
      << "a heading more";
}

TEST_F(Program, ARecordIsShownWithAllOfItsHistory) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const std::string records = ki("--json records --limit 1 --history 0").out;
  const std::string total = field(records, {"records", "0", "historyTotal"});
  EXPECT_NE(total, "0");
  EXPECT_NE(records.find("\"history\": []"), std::string::npos) << records;
  const std::string key = field(records, {"records", "0", "cohortKey"});
  EXPECT_EQ(field(ki("--json show record " + key).out, {"history", "0", "cause"}), "new_run");
  EXPECT_EQ(std::to_string(std::ranges::count(ki("--jsonl show record " + key).out, '\n')), total);
  EXPECT_NE(ki("show record " + key).out.find("How it came about"), std::string::npos);
  EXPECT_EQ(ki("show record sha256:0").code, 1);
}

TEST_F(Program, AReasonIsMeasuredInCharacters) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const std::string run = field(ki("--json runs --limit 1").out, {"runs", "0", "id"});
  std::string reason;
  for (int i = 0; i < 2000; ++i) reason += "\u00E9";
  const auto long_one = ki("correct retract " + run + " --reason '" + reason + "x'");
  EXPECT_EQ(long_one.code, 2);
  EXPECT_NE(long_one.err.find("3 to 2000 characters"), std::string::npos) << long_one.err;
  EXPECT_EQ(ki("correct retract " + run + " --reason '" + reason + "'").code, 0);
  EXPECT_NE(ki("correct retract --help").out.find("(3 to 2000 characters)"), std::string::npos);
  ASSERT_EQ(ki("export all.jsonl").code, 0);
  EXPECT_EQ(ki("import export all.jsonl").code, 0) << "and is imported again";
}

TEST_F(Program, AWrongNoteOrCorrectionNamesTheOption) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const std::string run = field(ki("--json runs --limit 1").out, {"runs", "0", "id"});
  const std::string attest = "attest " + run + " --type reproduced --note x ";
  const std::pair<std::string, std::string> cases[] = {
      {"attest " + run + " --type praised --note x", "ki: --type: "},
      {"attest " + run + " --type reproduced --note ' '", "ki: --note: "},
      {attest + "--evidence-url http://a.example/", "ki: --evidence-url: "},
      {attest + "--environment " + std::string(201, 'x'), "ki: --environment: "},
      {attest + "--actor ' '", "ki: --actor: "},
      {"correct retract " + run + " --reason x", "ki: --reason: "},
      {"correct retract " + run + " --reason because --actor ' '", "ki: --actor: "},
      {"auth key create x --scope all", "ki: --scope: "},
      {"auth key create x --expires 2001-01-01", "ki: --expires: "},
      {"import registry --publish --actor ' '", "ki: --actor: "},
  };
  for (const auto& [command, said] : cases) {
    const auto done = ki(command);
    EXPECT_EQ(done.code, 2) << command << done.err;
    EXPECT_TRUE(done.err.starts_with(said)) << command << ": " << done.err;
  }
}

}  // namespace
}  // namespace ki
