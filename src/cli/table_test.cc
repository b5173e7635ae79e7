#include "cli/table.h"

#include <algorithm>
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
  Table table({{.heading = "name", .narrowest = kNarrowest},
               {.heading = "less", .spare = 1},
               {.heading = "least", .spare = 2},
               {"slug"},
               {"value", Align::right}});
  table.add({"a name of many words", "abcdef", "ghijkl", "a-slug-to-type", "12.5 ms"});
  std::ostringstream out;
  table.print(out, true, width);
  return out.str();
}

TEST(Table, FitsItsWidthByBreakingAndThenByLeavingOut) {
  const std::string whole = printed(0);
  EXPECT_NE(whole.find("a name of many words  abcdef  ghijkl  a-slug-to-type  12.5 ms\n"),
            std::string::npos);
  EXPECT_EQ(printed(61), whole) << "it fits";
  EXPECT_EQ(printed(57),
            "name              less    least   slug              value\n"
            "a name of many    abcdef  ghijkl  a-slug-to-type  12.5 ms\n"
            "words\n");
  EXPECT_EQ(printed(50).find("least"), std::string::npos) << "the least important goes first";
  EXPECT_NE(printed(50).find("less"), std::string::npos);
  EXPECT_EQ(printed(35),
            "name        slug              value\n"
            "a name of   a-slug-to-type  12.5 ms\n"
            "many words\n");
  EXPECT_EQ(printed(5), printed(35)) << "what may neither be broken nor go stays";
  for (std::size_t width = 35; width < 65; ++width) {
    std::istringstream lines(printed(width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width);
  }
}

TEST(Table, KeepsEveryCharacterAtAnyWidth) {
  const auto characters = [](std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    std::ranges::sort(text);
    return text;
  };
  for (std::size_t width = 51; width < 65; ++width) {
    EXPECT_EQ(characters(printed(width)), characters(printed(0))) << width;
  }
}

TEST(Broken, BreaksAtBlanksAndLongWordsBetweenCharacters) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(broken("ab cd", 5), Lines({"ab cd"}));
  EXPECT_EQ(broken("ab cd", 4), Lines({"ab", "cd"}));
  EXPECT_EQ(broken("  ab", 4), Lines({"  ab"})) << "what fits stays as it is";
  EXPECT_EQ(broken("a caf\xC3\xA9s", 3), Lines({"a", "caf", "\xC3\xA9s"}));
  EXPECT_EQ(broken("e\xCC\x81"
                   "e\xCC\x81",
                   1),
            Lines({"e\xCC\x81", "e\xCC\x81"}))
      << "a mark stays with its letter";
  EXPECT_EQ(broken("", 3), Lines({""}));
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

TEST(Printable, NeverMovesTheCursorNorTurnsTheText) {
  const std::string controls =
      "a\x1b[2Jb\x7f"
      "c\xc2\x9b"
      "d\xe2\x80\xae"
      "e\xd8\x9c"
      "f\tg";
  EXPECT_EQ(printable(controls), "a [2Jb c d e f g");
  EXPECT_EQ(printable("a\nb"), "a b");
  EXPECT_EQ(printable("caf\xe9 \x9b"), "caf? ?");  // no UTF-8: bytes that a terminal may act on
  EXPECT_EQ(printable("µs ≥ 1"), "µs ≥ 1");
}

TEST(Printable, KeepsLinesWhereItIsTold) {
  EXPECT_EQ(printable_lines("one\x1b\n\ntwo\r\n"), "one \n\ntwo \n");
  EXPECT_EQ(printable_lines(""), "");
}

}  // namespace
}  // namespace ki::cli
