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
