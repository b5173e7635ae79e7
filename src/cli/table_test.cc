#include "cli/table.h"

#include <sstream>

#include <gtest/gtest.h>

#include "cli/completion.h"

namespace ki::cli {
namespace {

TEST(Table, PadsByCharactersAndEndsEachLineAtItsLastOne) {
  Table table({{"name"}, {"value", Align::right}, {"note"}});
  table.add({"caf\xC3\xA9", "7", ""});
  table.add({"b", "10.5", "x"});
  std::ostringstream out;
  table.print(out, true);
  EXPECT_EQ(out.str(),
            "name  value  note\n"
            "caf\xC3\xA9      7\n"
            "b      10.5  x\n");
}

std::string printed(std::size_t width) {
  Table table({{.heading = "name", .shortest = kShortest},
               {.heading = "less", .spare = 1},
               {.heading = "least", .spare = 2},
               {"value", Align::right}});
  table.add({"a name of many words", "abcdef", "ghijkl", "12.5 ms"});
  std::ostringstream out;
  table.print(out, true, width);
  return out.str();
}

TEST(Table, FitsItsWidthByShorteningAndThenByLeavingOut) {
  const std::string whole = printed(0);
  EXPECT_NE(whole.find("a name of many words  abcdef  ghijkl  12.5 ms\n"), std::string::npos);
  EXPECT_EQ(printed(45), whole) << "it fits";
  EXPECT_NE(printed(40).find("a name of many…  abcdef  ghijkl  12.5 ms\n"), std::string::npos)
      << printed(40);
  EXPECT_EQ(printed(34).find("least"), std::string::npos) << "the least important goes first";
  EXPECT_NE(printed(34).find("less"), std::string::npos);
  EXPECT_EQ(printed(19), "name          value\na name of…  12.5 ms\n");
  EXPECT_EQ(printed(5), printed(19)) << "what may neither shorten nor go stays";
  for (std::size_t width = 19; width < 50; ++width) {
    std::istringstream lines(printed(width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width);
  }
}

TEST(Table, ShortensBetweenCharacters) {
  EXPECT_EQ(shortened("caf\xC3\xA9s", 5), "caf\xC3\xA9s");
  EXPECT_EQ(shortened("caf\xC3\xA9s", 4), "caf…");
  EXPECT_EQ(shortened("ab cd", 4), "ab…") << "no blank before the mark";
}

TEST(Table, CellsCannotMoveTheCursorOrReorderText) {
  EXPECT_EQ(printable("a\x1b[2Jb\nc\xE2\x80\xAE"), "a [2Jb c ");
}

std::vector<CommandSpec> two_commands() {
  return {{.path = "", .help = "", .words = {"search"}, .options = {"--db"}},
          {.path = "search", .help = "it's here", .words = {}, .options = {"--limit"}}};
}

TEST(Completion, OffersWhatTheTableHas) {
  for (const std::string_view shell : {"bash", "zsh", "fish"}) {
    const auto script = completion_script(shell, two_commands());
    ASSERT_TRUE(script) << shell;
    EXPECT_NE(script->find("search"), std::string::npos) << shell;
    EXPECT_NE(script->find("limit"), std::string::npos) << shell;
  }
  EXPECT_NE(completion_script("fish", two_commands())->find("it'\\''s here"), std::string::npos);
}

TEST(Completion, RefusesAShellItDoesNotKnow) {
  EXPECT_EQ(completion_script("tcsh", two_commands()).error().code, Code::invalid);
}

}  // namespace
}  // namespace ki::cli
