#include "query/stem.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace ki::query {
namespace {

TEST(Stem, GivesTheSnowballStems) {
  const std::vector<std::pair<std::string, std::string>> words = {{"triangle", "triangl"},
                                                                  {"multiplicative", "multipl"},
                                                                  {"update", "updat"},
                                                                  {"normalization", "normal"},
                                                                  {"sampling", "sampl"},
                                                                  {"attention", "attent"},
                                                                  {"caresses", "caress"},
                                                                  {"ties", "tie"},
                                                                  {"gas", "gas"},
                                                                  {"gaps", "gap"},
                                                                  {"kiwis", "kiwi"},
                                                                  {"luxuriated", "luxuri"},
                                                                  {"hopping", "hop"},
                                                                  {"hoping", "hope"},
                                                                  {"by", "by"},
                                                                  {"cry", "cri"},
                                                                  {"say", "say"},
                                                                  {"generate", "generat"},
                                                                  {"communism", "communism"},
                                                                  {"quantization", "quantiz"},
                                                                  {"routing", "rout"},
                                                                  {"relational", "relat"},
                                                                  {"conditional", "condit"},
                                                                  {"rmsnorm", "rmsnorm"},
                                                                  {"skies", "sky"},
                                                                  {"inning", "inning"},
                                                                  {"embedding", "embed"},
                                                                  {"projection", "project"},
                                                                  {"backward", "backward"},
                                                                  {"softmax", "softmax"},
                                                                  {"decode", "decod"},
                                                                  {"histogram", "histogram"},
                                                                  {"fused", "fuse"},
                                                                  {"paged", "page"},
                                                                  {"controlling", "control"},
                                                                  {"rolling", "roll"},
                                                                  {"consign", "consign"},
                                                                  {"knightly", "knight"},
                                                                  {"happy", "happi"}};
  for (const auto& [word, stem] : words) EXPECT_EQ(stem_english(word), stem) << word;
}

TEST(Stem, LeavesWordsWithDigitsAlone) {
  EXPECT_EQ(stem_english("conv1d"), "conv1d");
  EXPECT_EQ(stem_english("h2048s"), "h2048s");
  EXPECT_EQ(stem_english(""), "");
}

TEST(Stem, KnowsTheStopWords) {
  EXPECT_TRUE(is_english_stop_word("and"));
  EXPECT_TRUE(is_english_stop_word("other"));
  EXPECT_FALSE(is_english_stop_word("add"));
  EXPECT_FALSE(is_english_stop_word(""));
  EXPECT_FALSE(is_english_stop_word("and if"));
}

}  // namespace
}  // namespace ki::query
