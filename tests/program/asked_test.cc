// What somebody who is new asks first, and what is said.

#include "program/program.h"

namespace ki {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_F(Program, ARequestOnOneLineIsReadHoweverItIsWritten) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const std::string json = R"({"operation": {"name": "rope", "axes": {"seq": 16384}}})";
  const auto expected = ki("--json resolve --manifest -", json);
  ASSERT_EQ(expected.code, 0) << expected.err;
  for (const std::string text : {"{operation: {name: rope, axes: {seq: 16384}}}",
                                 "operation: {name: rope, axes: {seq: 16384}}\n",
                                 "[{operation: {name: rope, axes: {seq: 16384}}}]"}) {
    const auto done = ki("resolve --manifest -", text);
    EXPECT_EQ(done.code, 0) << text << done.err;
    EXPECT_TRUE(has(done.out, "Liger")) << text << done.out;
    write("request.txt", text);
    EXPECT_EQ(ki("resolve --manifest request.txt").out, done.out);
  }
  const auto wrong = ki("resolve --manifest -", R"({"operation": {name: rope}})");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_TRUE(has(wrong.err, "quotes")) << wrong.err;
  EXPECT_EQ(ki("resolve --manifest -", "{operation: {name: rope").code, 1);
  write("request.json", "{operation: {name: rope}}");
  EXPECT_EQ(ki("resolve --manifest request.json").code, 1) << "the name says JSON";
}

TEST_F(Program, ANarrowTerminalKeepsWhatTellsRowsApart) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  for (const int columns : {80, 100}) {
    const std::string records = on_terminal(columns, "records");
    EXPECT_TRUE(has(records, "workload")) << records;
    EXPECT_TRUE(has(records, "backward")) << records;
    const std::string winners = on_terminal(columns, "winners geglu-mlp");
    EXPECT_TRUE(has(winners, "  series")) << winners;
  }
}

TEST_F(Program, QuietPrintsOneTableOfRows) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const auto lines = ki("--jsonl resolve rope a100").out;
  const auto quiet = ki("-q resolve rope a100");
  EXPECT_EQ(quiet.code, 0);
  EXPECT_EQ(std::ranges::count(quiet.out, '\n'), std::ranges::count(lines, '\n')) << quiet.out;
  EXPECT_FALSE(has(quiet.out, "leads")) << quiet.out;
  EXPECT_FALSE(has(quiet.out, "\n\n")) << quiet.out;
}

TEST_F(Program, AnEmptyCatalogSaysHowToFillIt) {
  ASSERT_EQ(ki("migrate").code, 0);
  for (const char* command : {"search rope", "runs", "records", "sources", "show operation rope",
                              "winners rope", "--json runs", "serving overview"}) {
    const auto done = ki(command);
    EXPECT_TRUE(has(done.err, "ki import registry --publish")) << command << done.err;
  }
  ASSERT_EQ(ki("import registry --publish").code, 0);
  EXPECT_EQ(ki("runs").err, "");
}

TEST_F(Program, WhatARunWaitsForIsSaid) {
  write("run.yaml", ki("manifest init run protocol environment").out);
  ASSERT_EQ(ki("import registry --publish").code, 0);
  for (const char* how : {"", " --publish"}) {
    const auto imported = ki(std::string("import manifests run.yaml") + how);
    EXPECT_EQ(imported.code, 0) << imported.err;
    EXPECT_TRUE(has(imported.out, "waits for workload sha256:")) << imported.out;
  }
  const std::string again = ki("--json import manifests run.yaml").out;
  EXPECT_TRUE(has(field(again, {"ambiguities", "0"}), " waits for workload sha256:")) << again;
}

TEST_F(Program, ARecordIsShownByItsFirstDigits) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const std::string key =
      field(ki("--json records --limit 1 --history 0").out, {"records", "0", "cohortKey"});
  const std::string digits = key.substr(key.find(':') + 1);
  const auto whole = ki("show record " + key);
  ASSERT_EQ(whole.code, 0);
  EXPECT_EQ(ki("show record " + digits).out, whole.out);
  EXPECT_EQ(ki("show record " + digits.substr(0, 12)).out, whole.out);
}

TEST_F(Program, EveryCommandSaysTheSameOfARunThatIsNone) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  for (const char* command :
       {"show run e6", "compare e6 0ba608c7fdb3", "attest e6 --type reproduced --note x",
        "correct retract e6 --reason because", "show serving-run 9b"}) {
    const auto done = ki(command);
    EXPECT_NE(done.code, 0) << command;
    EXPECT_TRUE(has(done.err, "at least 6 first digits")) << command << ": " << done.err;
  }
}

TEST_F(Program, WhatIsNotThereNamesNothingPoor) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const auto close = ki("show operation roep");
  EXPECT_TRUE(has(close.err, "near it: rope\n")) << close.err;
  const auto far = ki("show operation zzz-neighborhood");
  EXPECT_FALSE(has(far.err, "near it")) << far.err;
}

TEST_F(Program, AServedRunSaysEachThingOnce) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const std::string id = field(ki("--json serving runs --limit 1").out, {"runs", "0", "id"});
  const auto shown = ki("show serving-run " + id);
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_TRUE(has(shown.out, " tokens/s")) << shown.out;
  EXPECT_TRUE(has(shown.out, ", 1 node,")) << shown.out;
  for (const char* wrong : {"tokens_s", "1 nodes"}) EXPECT_FALSE(has(shown.out, wrong)) << wrong;
  const std::size_t at = shown.out.find("\nstack ");
  const std::string stack = shown.out.substr(at + 1, shown.out.find('\n', at + 1) - at - 1);
  const std::string name = stack.substr(stack.find_last_of(' ') + 1);
  EXPECT_EQ(stack.find(name), stack.rfind(name)) << stack;
}

}  // namespace
}  // namespace ki
