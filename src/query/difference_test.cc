#include "query/difference.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "base/text.h"

namespace ki::query {
namespace {

// "-a +b  c": each line behind its mark.
std::string shown(const std::vector<DiffLine>& lines) {
  std::string out;
  for (const DiffLine& line : lines) {
    out += line.kind == "add" ? '+' : line.kind == "del" ? '-' : ' ';
    out += line.text + '\n';
  }
  return out;
}

TEST(Difference, IsEmptyForTheSameText) {
  EXPECT_TRUE(difference("a\nb\n", "a\nb").empty()) << "the last line end says nothing";
  EXPECT_TRUE(difference("a\r\nb\r\n", "a\nb\n").empty());
  EXPECT_TRUE(difference("", "").empty());
}

TEST(Difference, ShowsThreeLinesAroundAChangeAndSaysWhatIsLeftOut) {
  EXPECT_EQ(shown(difference("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n")),
            " ... 1 line ...\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n ... 1 line ...\n");
  EXPECT_EQ(shown(difference("a\n", "a\nb\n")), " a\n+b\n");
  EXPECT_EQ(shown(difference("a\nb\n", "b\n")), "-a\n b\n");
  EXPECT_EQ(shown(difference("", "a")), "-\n+a\n");
}

TEST(Difference, StopsAtItsLimitAndSaysSo) {
  std::string after;
  for (int i = 0; i < 5'000; ++i) after += "line " + std::to_string(i) + "\n";
  const auto lines = difference("nothing of it\n", after);
  ASSERT_EQ(lines.size(), kDiffLinesMax);
  EXPECT_EQ(lines.back().kind, "ctx");
  EXPECT_EQ(lines.back().text, "... 3802 lines ...");
}

// The changes applied to `before`, which they must fit.
std::string applied(const std::vector<DiffLine>& lines, const std::string& before) {
  const auto old_lines = split(before, '\n');
  std::string after;
  std::size_t at = 0;
  const auto keep = [&] { after += std::string(old_lines.at(at++)) + "\n"; };
  for (const DiffLine& line : lines) {
    if (line.text.starts_with("... ")) {
      for (int left = std::stoi(line.text.substr(4)); left > 0; --left) keep();
    } else if (line.kind == "add") {
      after += line.text + "\n";
    } else {
      EXPECT_EQ(line.text, old_lines.at(at));
      line.kind == "del" ? static_cast<void>(++at) : keep();
    }
  }
  EXPECT_EQ(at, old_lines.size() - 1) << "every old line is accounted for";
  return after;
}

TEST(Difference, LeadsFromOneTextToTheOther) {
  std::mt19937 random(7);
  SCOPED_TRACE("seed 7");
  for (int round = 0; round < 3'000; ++round) {
    std::string before;
    std::string after;
    for (int i = 0; i < 24; ++i) {
      const std::string line = std::string(1, static_cast<char>('a' + random() % 3)) + "\n";
      if (random() % 8 != 0) before += line;
      if (random() % 8 != 0) after += random() % 8 == 0 ? "d\n" : line;
    }
    if (before.empty() || after.empty() || before == after) continue;
    EXPECT_EQ(applied(difference(before, after), before), after) << "from\n" << before;
  }
}

}  // namespace
}  // namespace ki::query
