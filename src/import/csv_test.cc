#include "import/csv.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ki::importer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<CsvRecord> read(std::string_view text, const CsvLimits& limits = {}) {
  CsvReader reader(text, limits);
  std::vector<CsvRecord> records;
  while (auto record = reader.next()) records.push_back(std::move(*record));
  EXPECT_EQ(reader.offset(), text.size());
  return records;
}

TEST(Csv, ReadsLfCrLfAndCrAlike) {
  for (const std::string_view end : {"\n", "\r\n", "\r"}) {
    const auto records = read("a,b" + std::string(end) + "1,2" + std::string(end));
    ASSERT_EQ(records.size(), 2U);
    EXPECT_THAT(records[0].fields, ElementsAre("a", "b"));
    EXPECT_THAT(records[1].fields, ElementsAre("1", "2"));
    EXPECT_EQ(records[1].line, 2);
    EXPECT_EQ(records[1].number, 1);
  }
}

TEST(Csv, TheLastLineNeedsNoLineBreak) {
  EXPECT_THAT(read("a,b\n1,")[1].fields, ElementsAre("1", ""));
}

TEST(Csv, UndoublesQuotesAndKeepsLineBreaksInside) {
  const auto records = read("\"say \"\"x\"\"\",\"two\r\nlines\"\nnext,1\n");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_THAT(records[0].fields, ElementsAre("say \"x\"", "two\r\nlines"));
  EXPECT_EQ(records[0].line, 1);
  EXPECT_EQ(records[0].line_last, 2);
  EXPECT_EQ(records[1].line, 3);
}

TEST(Csv, AByteOrderMarkIsNoPartOfTheFirstField) {
  EXPECT_EQ(read("\xEF\xBB\xBFname,x\n")[0].fields[0], "name");
}

TEST(Csv, EmptyLinesAreSkippedButCountedAsLines) {
  const auto records = read("a,b\n\n\r\n1,2\n");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].number, 1);
  EXPECT_EQ(records[1].line, 4);
}

TEST(Csv, ABrokenRecordIsNamedAndTheNextOneIsRead) {
  const auto records = read("a,b\n1,2\"3\n\"x\"y,1\ngood,2\n");
  ASSERT_EQ(records.size(), 4U);
  EXPECT_THAT(records[1].problem, HasSubstr("quote stands inside"));
  EXPECT_THAT(records[2].problem, HasSubstr("follows a closing quote"));
  EXPECT_EQ(records[3].problem, "");
  EXPECT_EQ(records[3].line, 4);
}

TEST(Csv, AnUnclosedQuoteSaysWhereItWasOpened) {
  const auto records = read("a,b\n1,\"2\n3,4\n");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_THAT(records[1].problem, HasSubstr("opened on line 2 is never closed"));
  EXPECT_EQ(records[1].line_last, 4);
}

TEST(Csv, FieldRecordAndCountLimitsHoldAtAndPastTheLimit) {
  const CsvLimits limits{.field_bytes_max = 4, .record_bytes_max = 9, .fields_max = 3};
  EXPECT_EQ(read("1234,1\n", limits)[0].problem, "");
  EXPECT_THAT(read("12345,1\n", limits)[0].problem, HasSubstr("longer than 4 bytes"));
  EXPECT_THAT(read("\"12345\",1\n", limits)[0].problem, HasSubstr("longer than 4 bytes"));
  EXPECT_EQ(read("1234,1234\n", limits)[0].problem, "");
  EXPECT_THAT(read("1234,1234,\n", limits)[0].problem, HasSubstr("longer than 9 bytes"));
  EXPECT_EQ(read("1,2,3\n", limits)[0].problem, "");
  EXPECT_THAT(read("1,2,3,4\n", limits)[0].problem, HasSubstr("more than 3 fields"));
}

TEST(Csv, ARecordThatIsNotUtf8IsRefusedAndTheOthersAreRead) {
  const auto records = read("a,b\n1,\xC0\xAF\n2,3\n");
  ASSERT_EQ(records.size(), 3U);
  EXPECT_THAT(records[1].problem, HasSubstr("not UTF-8"));
  EXPECT_EQ(records[1].line, 2);
  EXPECT_EQ(records[2].problem, "");
}

TEST(Csv, AWrongSeparatorIsRecognised) {
  EXPECT_EQ(wrong_separator({"a;b;c"}), ';');
  EXPECT_EQ(wrong_separator({"a\tb\tc"}), '\t');
  EXPECT_EQ(wrong_separator({"a", "b;c;d"}), std::nullopt);
  EXPECT_EQ(wrong_separator({"a"}), std::nullopt);
}

std::string in_quotes(const std::string& field) {
  std::string out = "\"";
  for (const char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

TEST(CsvProperty, WhatIsQuotedIsReadBackUnchanged) {
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  constexpr std::string_view kAlphabet = "a,\"\r\n;x ";
  for (int round = 0; round < 500; ++round) {
    std::vector<std::vector<std::string>> rows(1 + random() % 4);
    std::string text;
    for (auto& row : rows) {
      row.resize(1 + random() % 4);
      for (auto& field : row) {
        for (std::size_t n = random() % 6; n > 0; --n) {
          field += kAlphabet[random() % kAlphabet.size()];
        }
        text += (&field == &row.front() ? "" : ",") + in_quotes(field);
      }
      text += round % 2 == 0 ? "\n" : "\r\n";
    }
    const auto records = read(text);
    ASSERT_EQ(records.size(), rows.size()) << "seed " << seed;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ASSERT_EQ(records[i].problem, "") << "seed " << seed;
      ASSERT_EQ(records[i].fields, rows[i]) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace ki::importer
