#include "web/pictures.h"

#include <gtest/gtest.h>

#include "web/badge.h"
#include "web/testing.h"

namespace ki::web {
namespace {

constexpr std::string_view kPng("\x89PNG\r\n\x1a\n", 8);

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char c : bytes.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

// Width and height as the header of a PNG states them; 0 x 0 for what is none.
std::pair<std::uint32_t, std::uint32_t> size_of(std::string_view png) {
  if (!png.starts_with(kPng) || png.size() < 24) return {};
  return {big_endian(png.substr(16)), big_endian(png.substr(20))};
}

TEST(Card, IsAPngOfItsSizeWhateverTheTextHolds) {
  for (const std::string& text :
       {std::string("<script>"), std::string("\xff\xfe\0\x1b[31m", 8), std::string(10'000, 'W'),
        std::string("a\xE2\x80\xAE"
                    "b\xE2\x80\x8B"
                    "c"),
        std::string("é 漢 \U0001F600 \xD7\x90"), std::string(3'000, ' '), std::string()}) {
    for (const Card& card :
         {run_card(full<query::RunDossier>(text)),
          operation_card(full<query::OperationDossier>(text)),
          implementation_card(full<query::ImplementationDossier>(text)),
          project_card(full<query::ProjectDossier>(text)), Card{text, text, text, text, text}}) {
      const auto png = draw_card(card);
      ASSERT_TRUE(png) << to_string(png.error());
      EXPECT_EQ(size_of(*png), std::pair(1200U, 630U));
      EXPECT_LT(png->size(), 200U * 1024);
    }
  }
}

TEST(Card, ShowsWhatItIsGiven) {
  const Card one{"Run", "Liger", "rope", "15.1 ms", "median latency"};
  Card other = one;
  other.figure = "15.2 ms";
  EXPECT_EQ(draw_card(one).value(), draw_card(one).value());
  EXPECT_NE(draw_card(one).value(), draw_card(other).value());
}

TEST(Badge, IsWellFormedWhateverTheTextHolds) {
  for (const std::string& text : {std::string("<script>\"'&"), std::string("\xff\x1b"),
                                  std::string(10'000, 'w'), std::string()}) {
    const std::string svg = badge(text, text);
    EXPECT_EQ(fault_of(svg), "") << svg;
    EXPECT_EQ(svg.find("<script"), std::string::npos);
    EXPECT_TRUE(is_utf8(svg));
    EXPECT_LT(svg.size(), 4096U);
  }
}

TEST(Badge, ClaimsOnlyWhatTheVerdictClaims) {
  query::OperationDossier dossier;
  EXPECT_EQ(cohort_badge_text(dossier), "not measured");
  query::Row row;
  row.implementation.name = "Liger";
  row.primary = query::Primary{.metric = "latency",
                               .unit = "ns",
                               .statistic = "median",
                               .value = 15'100'000,
                               .sample_count = {},
                               .uncertainty = {},
                               .spread = {}};
  dossier.records = {row};
  dossier.verdict = query::Verdict{.code = "winner", .text = {}, .run_ids = {}};
  EXPECT_EQ(cohort_badge_text(dossier), "Liger 15.1 ms");
  dossier.verdict->code = "tie";
  EXPECT_EQ(cohort_badge_text(dossier), "tie 15.1 ms");
  dossier.verdict->code = "not_enough_evidence";
  EXPECT_EQ(cohort_badge_text(dossier), "15.1 ms, not claimed");
  EXPECT_EQ(operation_card(dossier).note, "not claimed, median latency");
}

}  // namespace
}  // namespace ki::web
