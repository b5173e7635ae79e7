// Traces: CSV and JSON lines say the same, what cannot be read is set aside, limits hold.
#include "import/trace.h"

#include <gtest/gtest.h>

namespace ki::importer {
namespace {

TraceFile good(std::string_view text) {
  auto file = read_trace(text);
  EXPECT_TRUE(file) << to_string(file.error());
  return file ? std::move(*file) : TraceFile{};
}

std::string refused(std::string_view text) {
  const auto file = read_trace(text);
  return file ? "" : file.error().message;
}

TEST(Trace, CsvAndJsonLinesSayTheSame) {
  const TraceFile csv = good(
      "tokens, hidden,weight,hardware,dtype,pass\r\n"
      "128,4096,2.5,NVIDIA H100,bf16,forward\r\n\r\n"
      "1,4096,,,,\r\n");
  const TraceFile lines = good(
      "{\"tokens\":128,\"hidden\":4096,\"weight\":2.5,\"hardware\":\"NVIDIA H100\","
      "\"dtype\":\"bf16\",\"pass\":\"forward\"}\n\n\n{\"tokens\":1,\"hidden\":4096}\n");
  for (const TraceFile& file : {csv, lines}) {
    ASSERT_EQ(file.rows.size(), 2U);
    EXPECT_TRUE(file.refused.empty());
    EXPECT_EQ(file.rows[0].axes,
              (std::map<std::string, std::int64_t>{{"tokens", 128}, {"hidden", 4096}}));
    EXPECT_EQ(file.rows[0].weight, 2.5);
    EXPECT_EQ(file.rows[0].hardware, "NVIDIA H100");
    EXPECT_EQ(file.rows[0].dtype, "bf16");
    EXPECT_EQ(file.rows[0].pass, "forward");
    EXPECT_EQ(file.rows[1].line, 4);
    EXPECT_EQ(file.rows[1].weight, std::nullopt);
    EXPECT_EQ(file.rows[1].hardware, "");
  }
  EXPECT_EQ(csv.rows[0].line, 2);
  EXPECT_EQ(lines.rows[0].line, 1);
}

TEST(Trace, ALineThatCannotBeReadIsSetAsideWithItsNumberAndReason) {
  const TraceFile csv = good("n,weight\n1,1\nx,1\n2\n1.5,1\n-1,1\n1,0\n1,nan\n,3\n4,1\n");
  ASSERT_EQ(csv.rows.size(), 2U);
  EXPECT_EQ(csv.rows[1].line, 10);
  const std::vector<std::pair<std::int64_t, std::string>> expected = {
      {3, "n is no number: 'x'"},
      {4, "it has 1 fields, the header 2"},
      {5, "n is a whole number from 0"},
      {6, "n is a whole number from 0"},
      {7, "weight is a number over 0"},
      {8, "weight is a number over 0"},
      {9, "no axis is given"}};
  ASSERT_EQ(csv.refused.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(csv.refused[i].line, expected[i].first);
    EXPECT_EQ(csv.refused[i].reason, expected[i].second);
  }
  const TraceFile lines = good("{\"n\":1}\n{\"n\":1\n[]\n{\"n\":\"2\"}\n{\"pass\":1}\n{\"n\":3}\n");
  EXPECT_EQ(lines.rows.size(), 2U);
  ASSERT_EQ(lines.refused.size(), 4U);
  EXPECT_EQ(lines.refused[0].line, 2);
  EXPECT_EQ(lines.refused[1].reason, "a line is one JSON object");
  EXPECT_EQ(lines.refused[2].reason, "n is a number");
  EXPECT_EQ(lines.refused[3].reason, "pass is a text");
}

TEST(Trace, WhatMakesTheWholeUnusableIsSaid) {
  EXPECT_NE(refused(""), "");
  EXPECT_NE(refused("n,weight\n"), "");
  EXPECT_TRUE(refused("n,n\n1,2\n").contains("twice"));
  EXPECT_TRUE(refused("n;m;weight\n1;2;3\n").contains("write commas"));
  EXPECT_TRUE(refused("weight,pass\n1,forward\n").contains("names an axis"));
  EXPECT_TRUE(refused("n,\n1,2\n").contains("no name"));
}

TEST(Trace, ItsLimitsHold) {
  std::string lines = "n\n";
  for (std::size_t i = 0; i < kTraceRowsMax; ++i) lines += "1\n";
  EXPECT_EQ(good(lines).rows.size(), kTraceRowsMax);
  EXPECT_TRUE(refused(lines + "x\n").contains("at most 10000 lines"));
  std::string bytes = "n\n1\n";
  bytes.resize(kTraceBytesMax, '\n');
  EXPECT_EQ(good(bytes).rows.size(), 1U);
  EXPECT_TRUE(refused(bytes + '\n').contains("4 MiB"));
  std::string columns = "n0";
  for (std::size_t i = 1; i <= kTraceColumnsMax; ++i) columns += ",n" + std::to_string(i);
  EXPECT_TRUE(refused(columns + "\n1\n").contains("fields"));
}

}  // namespace
}  // namespace ki::importer
