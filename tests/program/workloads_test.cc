// `ki winners` and `ki resolve --trace`: many workloads of one operation.

#include "program/program.h"

namespace ki {
namespace {

TEST_F(Program, WinnersSaysWhoLeadsWhereAndWhatIsNoAxis) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  const auto table = ki("winners rope --x seq");
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("Liger"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("1 winner"), std::string::npos) << table.out;
  const auto json = ki("--json winners rope --x seq --y hardware");
  EXPECT_EQ(field(json.out, {"x", "name"}), "seq");
  EXPECT_EQ(field(json.out, {"y", "name"}), "hardware");
  EXPECT_EQ(field(json.out, {"cells", "0", "leader", "name"}), "Liger");
  const auto lines = ki("--jsonl winners rope --x seq");
  EXPECT_EQ(field(lines.out.substr(0, lines.out.find('\n')), {"verdict"}), "winner");
  const auto slip = ki("winners rope --x sequence");
  EXPECT_EQ(slip.code, 2);
  EXPECT_NE(slip.err.find("there are: "), std::string::npos) << slip.err;
  EXPECT_EQ(ki("winners rpoe").code, 1);
  EXPECT_EQ(ki("winners").code, 2);
}

TEST_F(Program, ATraceIsAnsweredLineByLineAndAddedUp) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  write("shapes.csv", "seq,weight,hardware\n16384,2,\n16384,1,A100\n");
  const auto table = ki("resolve --trace shapes.csv --operation rope");
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("100.0 % of the weight"), std::string::npos) << table.out;
  const auto json = ki("--json resolve --trace shapes.csv --operation rope --hardware a100");
  EXPECT_EQ(field(json.out, {"shapesTotal"}), "2");
  EXPECT_EQ(field(json.out, {"comparable"}), "true");
  EXPECT_EQ(field(json.out, {"implementations", "0", "implementation", "name"}), "Liger");
  const auto input =
      ki("--json resolve --trace - --operation rope", "{\"seq\":16384}\n{\"seq\":16384}\n");
  EXPECT_EQ(field(input.out, {"shapes", "0", "lines"}), "2") << input.err;
}

TEST_F(Program, LinesOfATraceThatCannotBeUsedAreNamedAndTheRestIsAnswered) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  write("shapes.csv", "seq\n16384\nmany\n16384\n");
  const auto partly = ki("resolve --trace shapes.csv --operation rope");
  EXPECT_EQ(partly.code, 3);
  EXPECT_NE(partly.err.find("line 3: seq is no number: 'many'"), std::string::npos) << partly.err;
  EXPECT_NE(partly.out.find("1 shape, 2 lines"), std::string::npos) << partly.out;
  write("other.csv", "sequence\n1\n2\n");
  const auto none = ki("--json resolve --trace other.csv --operation rope");
  EXPECT_EQ(none.code, 1);
  EXPECT_EQ(field(none.out, {"refusedTotal"}), "2");
  write("empty.csv", "");
  EXPECT_EQ(ki("resolve --trace empty.csv --operation rope").code, 1);
  EXPECT_EQ(ki("resolve --trace absent.csv --operation rope").code, 1);
  for (const char* usage :
       {"resolve --trace shapes.csv", "resolve rope --trace shapes.csv --operation rope",
        "resolve rope --operation rope", "resolve --trace shapes.csv --operation rope --limit 0"}) {
    EXPECT_EQ(ki(usage).code, 2) << usage;
  }
}

}  // namespace
}  // namespace ki
