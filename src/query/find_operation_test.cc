// Finding operations: the scores of the worked examples, and where we answer better on purpose.
#include "query/find_operation.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "query/parse.h"

namespace ki::query {
namespace {

OperationEntry entry(std::string slug, std::string name, std::string family,
                     std::vector<std::string> aliases = {}, std::vector<std::string> tags = {}) {
  static int made = 0;
  OperationEntry out;
  out.id = "id-" + std::to_string(1000 + made++);
  out.semantic_digest = "sha256:" + std::string(60, '0') + std::to_string(1000 + made);
  out.slug = std::move(slug);
  out.name = name;
  out.display_name = std::move(name);
  out.family = std::move(family);
  out.aliases = std::move(aliases);
  out.tags = std::move(tags);
  return out;
}

const OperationIndex& index() {
  static const OperationIndex kIndex({
      entry("rmsnorm-h1536", "rmsnorm_h1536", "rmsnorm", {}, {"rmsnorm"}),
      entry("rmsnorm-h4096", "rmsnorm_h4096", "rmsnorm", {}, {"rmsnorm"}),
      entry("fused-add-rmsnorm-h2048", "fused_add_rmsnorm_h2048", "rmsnorm", {}, {"rmsnorm"}),
      entry("gemm-n128-k2048", "gemm_n128_k2048", "gemm", {}, {"gemm"}),
      entry("gemm-n256-k2048", "gemm_n256_k2048", "gemm", {}, {"gemm"}),
      entry("gpumode-trimul", "Triangle multiplicative update", "trimul", {"trimul"}, {"trimul"}),
      entry("gpumode-amd-fp8-mm", "AMD FP8 blockwise GEMM", "gemm", {"amd-fp8-mm"},
            {"gemm", "model:deepseek-v3"}),
      entry("gpumode-qr", "QR decomposition", "linalg", {"qr"}, {"linalg"}),
      entry("mla-decode", "mla_decode", "mla", {}, {"mla", "model:deepseek-v3"}),
      entry("attention-forward", "attention_forward", "attention", {}, {"attention"}),
      entry("causal-conv1d", "Causal conv1d", "conv", {"causal-conv1d"}, {"conv"}),
  });
  return kIndex;
}

std::string slug_of(std::string_view query) {
  Request request = parse_query(query);
  const Found found = find_operation(request, index());
  return found.operation ? index().entries()[*found.operation].slug : "";
}

double score_of(std::string_view query, std::string_view slug) {
  Request request = parse_query(query);
  std::vector<std::string> words;
  for (const auto& word : request.words) words.push_back(word.text);
  const auto hits = index().match({.terms = usable_terms(words, index()), .model = request.model});
  for (const Hit& hit : hits) {
    if (index().entries()[hit.operation].slug == slug) return hit.score;
  }
  return 0;
}

TEST(FindOperation, ScoresAreThoseOfTheContract) {
  EXPECT_NEAR(score_of("rmsnorm", "rmsnorm-h1536"), 244.79, 0.005);
  EXPECT_NEAR(score_of("fused_add_rmsnorm_h2048", "fused-add-rmsnorm-h2048"), 460.00, 0.005);
  EXPECT_NEAR(score_of("fused add rmsnorm h2048", "fused-add-rmsnorm-h2048"), 490.00, 0.005);
  EXPECT_NEAR(score_of("gemm n128 k2048", "gemm-n128-k2048"), 480.00, 0.005);
  EXPECT_NEAR(score_of("trimul", "gpumode-trimul"), 325.20, 0.005);
  EXPECT_NEAR(score_of("triangle multiplicative update", "gpumode-trimul"), 80.00, 0.005);
  EXPECT_NEAR(score_of("amd-fp8-mm", "gpumode-amd-fp8-mm"), 359.99, 0.005);
  EXPECT_NEAR(score_of("amdfp8mm", "gpumode-amd-fp8-mm"), 303.33, 0.005);
  EXPECT_NEAR(score_of("model:deepseek-v3", "mla-decode"), 250.00, 0.005);
}

TEST(FindOperation, WordsOfNoOperationDoNotHideAName) {
  EXPECT_EQ(slug_of("trimul vs liger"), "gpumode-trimul");
  EXPECT_EQ(slug_of("which is the lowest trimul deployable"), "gpumode-trimul");
  EXPECT_EQ(slug_of("zyxx mla-decode"), "mla-decode");
  // A word of other operations is part of the question.
  EXPECT_EQ(slug_of("triangle qr"), "");
  Request request = parse_query("trimul vs liger");
  const Found found = find_operation(request, index());
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_NE(found.notes[0].find("liger"), std::string::npos);
}

TEST(FindOperation, LettersAloneDecideNothing) {
  const auto hits = index().match({.terms = {"trimulx", "trimuly"}, .model = {}});
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_FALSE(hits[0].shares_word);
  EXPECT_FALSE(dominates(hits));
}

TEST(FindOperation, AWholeNameIsTheAnswer) {
  EXPECT_EQ(slug_of("fused_add_rmsnorm_h2048"), "fused-add-rmsnorm-h2048");
  EXPECT_EQ(slug_of("\"fused add rmsnorm h2048\""), "fused-add-rmsnorm-h2048");
  EXPECT_EQ(slug_of("gemm n128 k2048 B200 bf16"), "gemm-n128-k2048");
  EXPECT_EQ(slug_of("trimul"), "gpumode-trimul");
  EXPECT_EQ(slug_of("amdfp8mm"), "gpumode-amd-fp8-mm");
  EXPECT_EQ(slug_of("op:rmsnorm-h4096"), "rmsnorm-h4096");
  EXPECT_EQ(slug_of("causal conv1d"), "causal-conv1d");
}

TEST(FindOperation, ShortNamesAreFoundWhenTheyAreNames) {
  EXPECT_EQ(slug_of("qr"), "gpumode-qr");
  EXPECT_EQ(slug_of("mm"), "");
}

TEST(FindOperation, AnOfferedLinkLeadsToItsOperation) {
  EXPECT_EQ(slug_of("family:gemm"), "");
  EXPECT_EQ(slug_of("family:gemm op:gemm-n128-k2048"), "gemm-n128-k2048");
}

TEST(FindOperation, AModelAloneAsksInsteadOfPickingTheOldest) {
  EXPECT_EQ(slug_of("model:deepseek-v3"), "");
  EXPECT_EQ(slug_of("model:deepseek-v3 mla"), "mla-decode") << "the only hit that leads by 40";
}

TEST(FindOperation, EqualScoresAreOrderedByRunsAndThenBySlug) {
  std::vector<OperationEntry> entries;
  for (const char* slug : {"norm-d", "norm-b", "norm-c", "norm-a"}) {
    entries.push_back(entry(slug, slug, "norm"));
  }
  entries[0].runs = 5;
  const auto order = [](const std::vector<OperationEntry>& all) {
    const OperationIndex made(all);
    std::vector<std::string> slugs;
    for (const Hit& hit : made.match({.terms = {"norm"}, .model = {}})) {
      slugs.push_back(made.entries()[hit.operation].slug);
    }
    return slugs;
  };
  const std::vector<std::string> expected = {"norm-d", "norm-a", "norm-b", "norm-c"};
  EXPECT_EQ(order(entries), expected);
  std::ranges::reverse(entries);
  EXPECT_EQ(order(entries), expected) << "whichever came in first";
}

TEST(FindOperation, AMisspeltOtherNameIsRead) {
  for (const std::string typed : {"flashatention", "flashattenton", "matmull"}) {
    Request request = parse_query(typed + " b200");
    const Found found = find_operation(request, index());
    const std::string meaning = typed == "matmull" ? "gemm" : "attention";
    ASSERT_EQ(found.notes.size(), 1U) << typed;
    EXPECT_EQ(found.notes[0], "showing " + meaning + " for " + typed);
    EXPECT_FALSE(found.hits.empty()) << typed;
  }
}

TEST(FindOperation, AMisspeltWordIsCorrectedInSight) {
  Request request = parse_query("rmsnrom b200");
  const Found found = find_operation(request, index());
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_EQ(found.notes[0], "showing rmsnorm for rmsnrom");
  EXPECT_FALSE(found.hits.empty());
  EXPECT_EQ(request.readings[0].meaning, "rmsnorm");
  EXPECT_EQ(request.readings[0].alternatives, std::vector<std::string>{"rmsnrom"});
}

TEST(FindOperation, OtherNamesOfAnOperationAreRead) {
  Request request = parse_query("5090 flash attn causal");
  const Found found = find_operation(request, index());
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_EQ(found.notes[0], "showing attention for flash attn");
  EXPECT_FALSE(found.hits.empty());
  Request matmul = parse_query("tf32 matmul a100");
  EXPECT_EQ(find_operation(matmul, index()).notes.at(0), "showing gemm for matmul");
}

TEST(FindOperation, AWordOfANameIsNoFacet) {
  Request request = parse_query("causal conv1d");
  find_operation(request, index());
  EXPECT_TRUE(request.facets.axes.empty());
  EXPECT_EQ(request.readings[0].kind, "operation");
}

TEST(FindOperation, NothingIsFoundByFacetsOrNonsense) {
  EXPECT_EQ(slug_of("fp8"), "");
  EXPECT_EQ(slug_of("zzz-none"), "");
  Request request = parse_query("zzz-none");
  EXPECT_TRUE(find_operation(request, index()).hits.empty());
}

TEST(FindOperation, TheQuickWayAndTheScoresAgree) {
  for (const auto& operation : index().entries()) {
    const OperationQuery query{.terms = usable_terms({operation.slug}, index()), .model = {}};
    const auto quick = index().named_exactly(query);
    const auto hits = index().match(query);
    ASSERT_FALSE(hits.empty()) << operation.slug;
    ASSERT_TRUE(quick.has_value()) << operation.slug;
    EXPECT_EQ(hits[0].operation, *quick) << operation.slug;
    EXPECT_TRUE(dominates(hits)) << operation.slug;
  }
}

TEST(FindOperation, AnUnknownModelSaysWhichThereAre) {
  Request request = parse_query("model:deepseek-v4 rmsnorm");
  find_operation(request, index());
  ASSERT_EQ(request.issues.size(), 1U);
  EXPECT_EQ(request.issues[0].code, "unknown_model");
  EXPECT_EQ(request.issues[0].hint, "deepseek-v3");
  EXPECT_FALSE(request.issues[0].known.empty());
  Request start = parse_query("model:deepseek");
  find_operation(start, index());
  EXPECT_TRUE(start.issues.empty()) << "the start of a name is enough";
}

TEST(FindOperation, WordsBesideANamedOperationAreSaidToBeUnused) {
  Request request = parse_query("trimul op:gpumode-qr h100");
  const Found found = find_operation(request, index());
  ASSERT_TRUE(found.operation);
  EXPECT_EQ(index().entries()[*found.operation].slug, "gpumode-qr");
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_EQ(found.notes[0], "not used, for the operation is named without it: trimul");
  EXPECT_EQ(request.readings[0].kind, "ignored");
  Request part = parse_query("qr op:gpumode-qr");
  EXPECT_TRUE(find_operation(part, index()).notes.empty());
}

std::vector<std::string> hits_of(std::string_view query) {
  Request request = parse_query(query);
  std::vector<std::string> slugs;
  for (const Hit& hit : find_operation(request, index()).hits) {
    slugs.push_back(index().entries()[hit.operation].slug);
  }
  std::ranges::sort(slugs);
  return slugs;
}

TEST(FindOperation, QuotedWordsStandInTheirOrderSideBySide) {
  EXPECT_EQ(slug_of("\"blockwise gemm\""), "gpumode-amd-fp8-mm");
  EXPECT_EQ(slug_of("\"gemm blockwise\""), "") << "nothing is called so";
  EXPECT_EQ(slug_of("gemm blockwise"), "gpumode-amd-fp8-mm") << "as words they are two";
  EXPECT_EQ(hits_of("\"gemm blockwise\""), std::vector<std::string>{});
  EXPECT_EQ(hits_of("\"fused rmsnorm\""), std::vector<std::string>{}) << "add stands between";
  EXPECT_EQ(slug_of("\"fused add\" rmsnorm"), "fused-add-rmsnorm-h2048");
  EXPECT_EQ(hits_of("rmsnorm \"h1536\""), hits_of("rmsnorm \"rmsnorm h1536\""));
  EXPECT_EQ(slug_of("\"rmsnrom\""), "") << "what is quoted is not respelled";
  EXPECT_EQ(slug_of("\"trimul\" vs liger"), "gpumode-trimul");
  EXPECT_EQ(slug_of("trimul \"vs liger\""), "");
  EXPECT_EQ(slug_of("\"Causal Conv1d\""), "causal-conv1d");
  Request request = parse_query("\"gemm blockwise\" h100");
  const Found found = find_operation(request, index());
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_TRUE(found.notes[0].contains("called \"gemm blockwise\", in this order"));
}

TEST(FindOperation, WordsOfNoOperationAreSaidToBeUnusedAmongCandidates) {
  const auto plain = hits_of("gemm");
  ASSERT_GT(plain.size(), 1U);
  for (const std::string word : {"blah", "MI300", "RTX"}) {
    Request request = parse_query(word + " gemm");
    const Found found = find_operation(request, index());
    ASSERT_EQ(found.notes.size(), 1U) << word;
    EXPECT_EQ(found.notes[0],
              "not used, for no operation has such a word: " + request.words[0].text);
    EXPECT_EQ(request.readings[0].kind, "ignored");
    EXPECT_EQ(hits_of(word + " gemm"), plain) << "as if it were not there";
  }
  Request alike = parse_query("rmsnorm2 gemm");
  for (const auto& note : find_operation(alike, index()).notes) {
    EXPECT_FALSE(note.starts_with("not used")) << "near enough to count";
  }
  Request alone = parse_query("blahblah");
  EXPECT_TRUE(find_operation(alone, index()).notes.empty()) << "nothing else to go by";
}

TEST(FindOperation, ALanguageThatIsStatedIsAConditionUnlessANameHasIt) {
  const OperationIndex with(
      {entry("rope", "rope", "rope"), entry("python-call", "python_call", "x"),
       entry("mojo", "Rust queue", "y")},
      {"mojo", "rust", "zig"});
  Request request = parse_query("rope zig");
  const Found found = find_operation(request, with);
  ASSERT_TRUE(found.operation);
  EXPECT_TRUE(found.notes.empty());
  EXPECT_EQ(request.facets.language, "zig");
  EXPECT_EQ(request.readings[1].kind, "language");
  EXPECT_EQ(request.readings[1].display, "language zig");
  for (const std::string query : {"rope rust", "rope \"zig\"", "rope python"}) {
    Request other = parse_query(query);
    find_operation(other, with);
    EXPECT_FALSE(other.facets.language) << query;
  }
  Request later = parse_query("rope zig triton");
  find_operation(later, with);
  EXPECT_EQ(later.facets.language, "triton") << "the later counts";
  EXPECT_EQ(later.readings[1].kind, "replaced");
  Request earlier = parse_query("rope triton zig");
  find_operation(earlier, with);
  EXPECT_EQ(earlier.facets.language, "zig");
}

TEST(FindOperation, TheWordCpuIsHardwareUnlessANameHasIt) {
  Request request = parse_query("trimul cpu");
  ASSERT_TRUE(find_operation(request, index()).operation);
  ASSERT_TRUE(request.facets.architecture);
  EXPECT_EQ(request.readings[1].kind, "architecture");
  EXPECT_NE(std::ranges::find(request.facets.architecture->reading.hardware, "x86_64"),
            request.facets.architecture->reading.hardware.end());
  const OperationIndex with({entry("cpu-copy", "cpu_copy", "copy"), entry("rope", "rope", "rope")});
  Request named = parse_query("cpu copy");
  ASSERT_TRUE(find_operation(named, with).operation);
  EXPECT_FALSE(named.facets.architecture);
}

TEST(FindOperation, AnUnknownFamilySaysWhichThereAre) {
  Request request = parse_query("family:gemmm");
  find_operation(request, index());
  ASSERT_EQ(request.issues.size(), 1U);
  EXPECT_EQ(request.issues[0].hint, "gemm");
}

}  // namespace
}  // namespace ki::query
