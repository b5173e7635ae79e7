#include "query/textrank.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <gtest/gtest.h>

#include "query/similarity.h"

namespace ki::query {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  for (const Lexeme& lexeme : lexemes_of(text)) {
    out.push_back(std::to_string(lexeme.position) + ":" + lexeme.text);
  }
  return out;
}

using Document = std::map<std::string, std::vector<Occurrence>>;

double rank(const Document& document, std::string_view phrase) {
  std::vector<std::span<const Occurrence>> found;
  for (const auto& lexeme : query_lexemes(phrase)) {
    const auto at = document.find(lexeme);
    found.push_back(at == document.end() ? std::span<const Occurrence>() : at->second);
  }
  return rank_of(found);
}

Document document(std::string_view name, std::string_view family, std::string_view slug) {
  const Part parts[] = {{name, 1.0F}, {family, 0.4F}, {slug, 0.4F}};
  Document out;
  for (auto& lexeme : lexemes_of(parts)) out[lexeme.text].push_back(lexeme.occurrence);
  return out;
}

TEST(TextRank, CutsWordsAsTheDatabaseDoes) {
  EXPECT_EQ(words_of("rmsnorm_h1536"), (std::vector<std::string>{"1:rmsnorm", "2:h1536"}));
  EXPECT_EQ(words_of("004-gemm-n128"),
            (std::vector<std::string>{"1:004", "2:gemm-n128", "3:gemm", "4:n128"}));
  EXPECT_EQ(words_of("rope-128"), (std::vector<std::string>{"1:rope", "2:-128"}));
  EXPECT_EQ(words_of("SiLU and Mul"), (std::vector<std::string>{"1:silu", "3:mul"}));
}

TEST(TextRank, RanksOneWordByItsWeights) {
  const auto doc = document("rmsnorm_h1536", "rmsnorm", "rmsnorm-h1536");
  EXPECT_NEAR(rank(doc, "rmsnorm"), 0.6957, 0.00005);
  EXPECT_EQ(rank(doc, "softmax"), 0);
  EXPECT_EQ(rank(doc, ""), 0);
}

TEST(TextRank, PairsOfWordsRankByTheirDistance) {
  const auto doc = document("gemm_n128_k2048", "gemm", "gemm-n128-k2048");
  EXPECT_GT(rank(doc, "gemm n128 k2048"), 0.99);
  EXPECT_LE(rank(doc, "gemm n128 k2048"), 1);
  EXPECT_EQ(rank(doc, "gemm softmax"), 1e-20);
}

TEST(Similarity, OfOneWordInTwo) {
  EXPECT_DOUBLE_EQ(word_similarity(trigram_set_of("word"), trigrams_of("two words")), 0.8);
  EXPECT_DOUBLE_EQ(word_similarity(trigram_set_of("gemm"), trigrams_of("fp8 GEMM n128")), 1);
  EXPECT_DOUBLE_EQ(word_similarity(trigram_set_of("gemm"), trigrams_of("")), 0);
  EXPECT_DOUBLE_EQ(word_similarity({}, trigrams_of("gemm")), 0);
}

// The definition itself, by trying every stretch.
double slow_similarity(const std::vector<Trigram>& term, const std::vector<Trigram>& text) {
  double best = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (std::size_t j = i + 1; j <= text.size(); ++j) {
      std::vector<Trigram> stretch(text.begin() + static_cast<std::ptrdiff_t>(i),
                                   text.begin() + static_cast<std::ptrdiff_t>(j));
      std::sort(stretch.begin(), stretch.end());
      stretch.erase(std::unique(stretch.begin(), stretch.end()), stretch.end());
      std::vector<Trigram> common;
      std::set_intersection(term.begin(), term.end(), stretch.begin(), stretch.end(),
                            std::back_inserter(common));
      const double both = static_cast<double>(term.size() + stretch.size() - common.size());
      best = std::max(best, static_cast<double>(common.size()) / both);
    }
  }
  return best;
}

TEST(Similarity, EqualsItsDefinitionOnRandomTexts) {
  std::uint32_t state = 7;
  const auto letter = [&] {
    state = state * 1664525 + 1013904223;
    return "abc -_1é"[(state >> 16) % 8];
  };
  for (int round = 0; round < 300; ++round) {
    std::string term;
    std::string text;
    for (int i = 0; i < 6; ++i) term += letter();
    for (int i = 0; i < 24; ++i) text += letter();
    const auto set = trigram_set_of(term);
    const auto sequence = trigrams_of(text);
    EXPECT_DOUBLE_EQ(word_similarity(set, sequence), slow_similarity(set, sequence))
        << '"' << term << "\" in \"" << text << '"';
  }
}

}  // namespace
}  // namespace ki::query
