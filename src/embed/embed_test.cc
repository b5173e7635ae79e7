#include <cstring>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "embed/reader.h"
#include "embed/writer.h"

namespace ki::embed {
namespace {

using ::testing::HasSubstr;

AnswerData answer(const std::string& key, std::vector<CandidateData> candidates) {
  return {.comparison_key = key,
          .hardware = "GPU A",
          .metric = "latency",
          .unit = "ns",
          .statistic = "median",
          .verdict = "winner",
          .candidates = std::move(candidates)};
}

CandidateData candidate(const std::string& slug, double value, std::int32_t rank) {
  CandidateData out;
  out.implementation = slug;
  out.value = value;
  out.rank = rank;
  out.evidence = 1;
  return out;
}

// Two operations, three cases; aligned as a mapped file is.
class Bytes {
 public:
  explicit Bytes(const std::string& text) : words_((text.size() + 7) / 8), size_(text.size()) {
    if (!text.empty()) std::memcpy(words_.data(), text.data(), text.size());
  }
  std::string_view view() const { return {reinterpret_cast<const char*>(words_.data()), size_}; }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_;
};

std::string sample() {
  Writer writer("catalog-1", "ranking-v2");
  const AnswerData first = answer("sha256:1", {candidate("fast", 10, 1), candidate("slow", 20, 2)});
  const CaseData one{.operation = "rope",
                     .dtype = "bf16",
                     .hardware = "GPU A",
                     .pass = "forward",
                     .axes = {{"seq", 2048}, {"heads", 8}}};
  EXPECT_TRUE(writer.add(one, first));
  EXPECT_FALSE(writer.add(one, first)) << "a case is there once";
  EXPECT_TRUE(writer.add({.operation = "rope",
                          .dtype = "",
                          .hardware = "",
                          .pass = "",
                          .axes = {{"seq", 2048}, {"heads", 8}}},
                         first));
  EXPECT_TRUE(writer.add({.operation = "softmax",
                          .dtype = "",
                          .hardware = "GPU B",
                          .pass = "",
                          .axes = {{"rows", -1}}},
                         answer("sha256:2", {candidate("only", 5, 1)})));
  writer.name_operation("rotary", "rope");
  writer.name_operation("both", "rope");
  writer.name_operation("both", "softmax");
  writer.name_hardware("Product A", "GPU A");
  auto bytes = writer.finish();
  EXPECT_TRUE(bytes.has_value());
  return bytes.value_or("");
}

TEST(Snapshot, FindsACaseWhateverTheOrderOfItsAxes) {
  const Bytes bytes(sample());
  const auto reader = Reader::over(bytes.view());
  ASSERT_TRUE(reader.has_value()) << to_string(reader.error());
  const AxisValue seq{"seq", 2048};
  const AxisValue heads{"heads", 8};
  const Case* const one = reader->find("rope", "bf16", "GPU A", "forward", std::array{seq, heads});
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(reader->find("rope", "bf16", "GPU A", "forward", std::array{heads, seq}), one);
  const Answer& answer = reader->all_answers()[one->answer];
  EXPECT_EQ(reader->view(answer.comparison_key), "sha256:1");
  ASSERT_EQ(reader->candidates_of(answer).size(), 2U);
  EXPECT_EQ(reader->view(reader->candidates_of(answer)[0].implementation), "fast");
  EXPECT_EQ(reader->all_answers().size(), 2U) << "one cohort, one answer";
}

TEST(Snapshot, KnowsOtherNamesButNotThoseOfTwoThings) {
  const Bytes bytes(sample());
  const auto reader = Reader::over(bytes.view());
  ASSERT_TRUE(reader.has_value());
  const std::array axes = {AxisValue{"seq", 2048}, AxisValue{"heads", 8}};
  EXPECT_NE(reader->find("rotary", "bf16", "Product A", "forward", axes), nullptr);
  EXPECT_EQ(reader->find("both", "bf16", "GPU A", "forward", axes), nullptr);
}

TEST(Snapshot, FindsNothingThatDiffersInOnePart) {
  const Bytes bytes(sample());
  const auto reader = Reader::over(bytes.view());
  ASSERT_TRUE(reader.has_value());
  const std::array axes = {AxisValue{"seq", 2048}, AxisValue{"heads", 8}};
  const std::array other_value = {AxisValue{"seq", 2049}, AxisValue{"heads", 8}};
  const std::array other_name = {AxisValue{"seq", 2048}, AxisValue{"head", 8}};
  const std::array repeated = {AxisValue{"seq", 2048}, AxisValue{"seq", 2048}};
  EXPECT_EQ(reader->find("rope ", "bf16", "GPU A", "forward", axes), nullptr);
  EXPECT_EQ(reader->find("softmax", "bf16", "GPU A", "forward", axes), nullptr);
  EXPECT_EQ(reader->find("rope", "fp16", "GPU A", "forward", axes), nullptr);
  EXPECT_EQ(reader->find("rope", "bf16", "GPU B", "forward", axes), nullptr);
  EXPECT_EQ(reader->find("rope", "bf16", "GPU A", "backward", axes), nullptr);
  EXPECT_EQ(reader->find("rope", "bf16", "GPU A", "", axes), nullptr);
  EXPECT_EQ(reader->find("rope", "bf16", "GPU A", "forward", std::span(axes).first(1)), nullptr);
  EXPECT_EQ(reader->find("rope", "bf16", "GPU A", "forward", other_value), nullptr);
  EXPECT_EQ(reader->find("rope", "bf16", "GPU A", "forward", other_name), nullptr);
  EXPECT_EQ(reader->find("rope", "bf16", "GPU A", "forward", repeated), nullptr);
  EXPECT_NE(reader->find("rope", "", "", "", axes), nullptr);
}

TEST(Snapshot, OfManyCasesFindsEach) {
  Writer writer("c", "p");
  constexpr int kMany = 5000;
  for (int i = 0; i < kMany; ++i) {
    writer.add({.operation = "op-" + std::to_string(i % 7),
                .dtype = {},
                .hardware = {},
                .pass = {},
                .axes = {{"n", i}}},
               answer("sha256:" + std::to_string(i), {candidate("x", i, 1)}));
  }
  const auto text = writer.finish();
  ASSERT_TRUE(text.has_value());
  const Bytes bytes(*text);
  const auto reader = Reader::over(bytes.view());
  ASSERT_TRUE(reader.has_value());
  for (int i = 0; i < kMany; ++i) {
    const AxisValue n{"n", i};
    const Case* const one = reader->find("op-" + std::to_string(i % 7), "", "", "", {&n, 1});
    ASSERT_NE(one, nullptr) << i;
    EXPECT_EQ(reader->candidates_of(reader->all_answers()[one->answer])[0].value, i);
  }
}

TEST(Snapshot, WithoutACaseAnswersNothing) {
  const auto text = Writer("c", "p").finish();
  ASSERT_TRUE(text.has_value());
  const Bytes bytes(*text);
  const auto reader = Reader::over(bytes.view());
  ASSERT_TRUE(reader.has_value()) << to_string(reader.error());
  EXPECT_EQ(reader->find("rope", "", "", "", {}), nullptr);
  EXPECT_EQ(reader->view(reader->header().catalog), "c");
}

TEST(Snapshot, ThatIsCutOrChangedIsRefused) {
  const std::string whole = sample();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(whole.substr(0, size));
    EXPECT_FALSE(Reader::over(cut.view()).has_value()) << size;
  }
  const Bytes longer(whole + std::string(8, '\0'));
  EXPECT_FALSE(Reader::over(longer.view()).has_value());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    const Bytes bytes(changed);
    EXPECT_FALSE(Reader::over(bytes.view()).has_value()) << at;
  }
}

TEST(Snapshot, OfAnotherVersionSaysSo) {
  std::string text = sample();
  text[offsetof(Header, version)] = 9;
  const Bytes bytes(text);
  const auto reader = Reader::over(bytes.view());
  ASSERT_FALSE(reader.has_value());
  EXPECT_THAT(reader.error().message, HasSubstr("version 9"));
}

// Whoever changes the contents can also mend the checksum: then each offset is what is checked.
TEST(Snapshot, ForgedWithARightChecksumNeverLeadsOutOfIt) {
  const std::string whole = sample();
  std::mt19937 random(1);
  int accepted = 0;
  for (int turn = 0; turn < 20'000; ++turn) {
    std::string forged = whole;
    for (int change = 0; change < 3; ++change) {
      const std::size_t at = kDigestedFrom + random() % (forged.size() - kDigestedFrom);
      forged[at] = static_cast<char>(random());
    }
    const Digest digest = sha256(std::string_view(forged).substr(kDigestedFrom));
    std::memcpy(forged.data() + offsetof(Header, digest), digest.bytes.data(), 32);
    const Bytes bytes(forged);
    const auto reader = Reader::over(bytes.view());
    if (!reader) continue;
    ++accepted;
    std::size_t seen = 0;
    for (const Case& one : reader->all_cases()) {
      std::vector<AxisValue> axes;
      for (const Axis& axis : reader->axes_of(one)) {
        axes.push_back({reader->view(axis.name), axis.value});
      }
      reader->find(reader->view(one.operation), reader->view(one.dtype), reader->view(one.hardware),
                   reader->view(one.pass), axes);
      for (const Candidate& each : reader->candidates_of(reader->all_answers()[one.answer])) {
        seen += reader->view(each.run).size() + reader->view(each.name).size();
      }
    }
    EXPECT_LT(seen, forged.size() * 100);
  }
  EXPECT_GT(accepted, 0);
}

}  // namespace
}  // namespace ki::embed
