// The worked examples of the query language on the public export of 16 August: the scores of the
// contract, and for every query how it is read and what it leads to. Where our answer differs on
// purpose from the public system's, the row says what is better about it.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/read_index.h"
#include "import/export/export.h"
#include "policy/names.h"
#include "query/operation_index.h"
#include "query/resolver.h"
#include "support/places.h"

namespace ki::query {
namespace {

namespace fs = std::filesystem;

fs::path export_path() {
  return places::shared_data("data/catalog-2026-08-16-94af2ae7.jsonl.zst").value_or("");
}

class WorkedExamples : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (export_path().empty()) return;
    path_ = fs::temp_directory_path() / ("ki_search_" + std::to_string(::getpid()) + ".db");
    auto catalog = catalog::Catalog::open(path_.string(), clock_, {.mode = db::Mode::create});
    ASSERT_TRUE(catalog) << to_string(catalog.error());
    const auto input = importer::read_input(export_path().string());
    ASSERT_TRUE(input) << to_string(input.error());
    auto prepared = importer::prepare_export(*input);
    ASSERT_TRUE(prepared) << to_string(prepared.error());
    const auto report = importer::run_import(*catalog, std::move(*prepared), clock_,
                                             {.publish = true, .actor = "test"});
    ASSERT_TRUE(report) << to_string(report.error());
    make_index(*catalog);
    auto resolver = Resolver::open(path_.string(), clock_);
    ASSERT_TRUE(resolver) << to_string(resolver.error());
    resolver_ = std::make_unique<Resolver>(std::move(*resolver));
  }
  static void TearDownTestSuite() {
    resolver_.reset();
    index_.reset();
    for (const char* ending : {"", "-wal", "-shm"}) fs::remove(path_.string() + ending);
  }
  void SetUp() override {
    if (!resolver_) GTEST_SKIP() << "the public export is not here";
  }

  // The operations with the families that the export states, as the contract scored them.
  static void make_index(catalog::Catalog& catalog) {
    const auto lines = catalog::read_operation_lines(catalog.connection());
    ASSERT_TRUE(lines) << to_string(lines.error());
    std::vector<OperationEntry> entries;
    for (const auto& line : *lines) {
      OperationEntry entry;
      entry.id = line.id;
      entry.slug = line.slug;
      entry.name = line.name;
      entry.display_name = policy::operation_display_name(line.name);
      entry.family = line.family;
      entry.semantic_digest = line.semantic_digest;
      entry.aliases = line.aliases;
      entry.tags = line.tags;
      entry.runs = line.runs;
      entries.push_back(std::move(entry));
    }
    index_ = std::make_unique<OperationIndex>(std::move(entries));
  }

  static Envelope ask(std::string_view query, const SearchOptions& options = {}) {
    auto answer = resolver_->search(query, options);
    EXPECT_TRUE(answer) << query << ": " << to_string(answer.error());
    return answer ? std::move(*answer) : Envelope{};
  }

  static inline FixedClock clock_{*parse_instant("2026-08-17T00:00:00Z")};
  static inline fs::path path_;
  static inline std::unique_ptr<OperationIndex> index_;
  static inline std::unique_ptr<Resolver> resolver_;
};

struct Score {
  std::vector<std::string> terms;
  std::string model;
  double best = 0;
  double next = -1;      // -1: not stated
  std::size_t hits = 0;  // 0: not stated
};

// Text rank and trigram similarity together: a wrong digit of either shows here.
TEST_F(WorkedExamples, ScoresAreThoseOfTheContract) {
  const std::vector<Score> scores = {
      {{"rmsnorm"}, "", 244.79, 244.79, 20},
      {{"fused_add_rmsnorm_h2048"}, "", 460.00},
      {{"fused", "add", "rmsnorm", "h2048"}, "", 490.00, 90.00},
      {{"gemm", "n128", "k2048"}, "", 480.00},
      {{"004-gemm-n128-k2048"}, "", 460.00},
      {{"gpumode-qr-v2"}, "", 26.13, -1, 8},
      {{"trimul"}, "", 325.20},
      {{"triangle", "multiplicative", "update"}, "", 80.00, 13.11},
      {{"gemm"}, "", 244.79, 244.79, 20},
      {{}, "deepseek-v3", 250.00, 250.00, 20},
      {{"mla"}, "deepseek-v3", 294.79, 294.79},
      {{"mla"}, "", 44.79, 44.79, 17},
      {{"amd-fp8-mm"}, "", 359.99},
      {{"amdfp8mm"}, "", 303.33},
      {{"softmax"}, "", 43.44, -1, 4},
      {{"sm90a", "gemm"}, "", 13.33},
      {{"nvidia", "gemm"}, "", 12.86},
      {{"causal", "conv1d"}, "", 369.91},
      {{"conv1d", "causal"}, "", 69.91},
      {{"sort"}, "", 244.79, 43.44},
      {{"prefix", "sum"}, "", 69.83, 69.55},
      {{"gemm", "gemm-n128-k2048"}, "", 70.00, 70.00},
      {{"mi355x", "gemm"}, "", 12.86},
      {{"zzz-none"}, "", 0},
  };
  for (const Score& score : scores) {
    auto hits = index_->match({.terms = score.terms, .model = score.model});
    if (hits.size() > kHitsMax) hits.resize(kHitsMax);
    const std::string query = join(score.terms, " ") + " " + score.model;
    EXPECT_NEAR(hits.empty() ? 0 : hits[0].score, score.best, 0.005) << query;
    if (score.next >= 0) {
      ASSERT_GE(hits.size(), 2U) << query;
      EXPECT_NEAR(hits[1].score, score.next, 0.005) << query;
    }
    if (score.hits > 0) {
      EXPECT_EQ(hits.size(), score.hits) << query;
    }
  }
}

struct Example {
  int number = 0;
  std::string query;
  Mode mode = Mode::none;
  std::string found;  // the slug, or how many are offered
  std::string line;   // the interpretation
  std::string issues{};
  std::string better{};  // where the public system answers otherwise: what is better here
};

constexpr const char* kNothing = "Search the index";
constexpr Mode kExact = Mode::exact;
constexpr Mode kChooser = Mode::chooser;

const std::vector<Example> kExamples = {
    {1, "", Mode::browse, "", kNothing},
    {2, "rmsnorm", kChooser, "20", kNothing},
    {3, "rmsnorm B200 bf16", kChooser, "20", "gpu B200 · dtype bf16"},
    {4, "rmsnorm B200 bf16 [2048, 4096]", kChooser, "20",
     "gpu B200 · dtype bf16 · shape [2048, 4096]"},
    {5, "fused_add_rmsnorm_h2048", kExact, "fused-add-rmsnorm-h2048",
     "Operation Fused add RMSNorm h2048"},
    {6, "fused add rmsnorm h2048", kExact, "fused-add-rmsnorm-h2048",
     "Operation Fused add RMSNorm h2048"},
    {7, "\"fused add rmsnorm\"", kChooser, "6", kNothing, "",
     "those are found that are called so; a phrase was dropped without a trace"},
    {8, "\"fused add\" rmsnorm", kChooser, "6", kNothing, "", "the same"},
    {9, "gemm n128 k2048", kExact, "gemm-n128-k2048", "Operation GEMM n128 k2048"},
    {10, "gemm 4096x4096", kChooser, "20", "shape [4096, 4096]"},
    {11, "op:004-gemm-n128-k2048", kExact, "004-gemm-n128-k2048", "Operation GEMM n128 k2048"},
    {12, "op:gpumode-qr-v2", kChooser, "8", kNothing},
    {13, "qr", Mode::none, "", kNothing, "",
     "a name of two letters is found where there is one (FindOperation.ShortNames...); this "
     "export has none"},
    {14, "trimul", kExact, "gpumode-trimul", "Operation Triangle multiplicative update"},
    {15, "triangle multiplicative update", kExact, "gpumode-trimul",
     "Operation Triangle multiplicative update"},
    {16, "family:gemm", kChooser, "20", "family gemm"},
    {17, "family:moe dtype:fp8", kChooser, "20", "family moe · dtype fp8", "",
     "fp8 is a family: runs stored as fp8_e4m3 match"},
    {18, "model:deepseek-v3", kChooser, "20", "model deepseek-v3", "",
     "its operations are listed; the oldest was taken for the answer"},
    {19, "model:DeepSeek-V3 mla", kChooser, "20", "model deepseek-v3", "",
     "four operations score alike: they are offered, not the oldest taken"},
    // 17 hits; two of them are merged into an equivalent.
    {20, "mla gpu:B200", kChooser, "15", "gpu B200"},
    {21, "amd-fp8-mm", kExact, "gpumode-amd-fp8-mm", "Operation AMD FP8 blockwise GEMM"},
    {22, "amdfp8mm", kExact, "gpumode-amd-fp8-mm", "Operation AMD FP8 blockwise GEMM"},
    {23, "fp8", Mode::none, "", "dtype fp8"},
    {24, "fp8 mm", Mode::none, "", "dtype fp8"},
    {25, "rmsnorm gpuu:B200", kChooser, "20", kNothing, "unknown_filter"},
    {26, "rmsnorm tokens:2048", kChooser, "20", "tokens = 2048"},
    {27, "rmsnorm TOKENS=2048", kChooser, "20", "tokens = 2048", "", "names of axes ignore case"},
    {28, "rmsnorm tokens=2k", kChooser, "20", "tokens = 2048", "", "a size may have a suffix"},
    {29, "softmax dtype:xf16 trust:gold shape:[a,b]", kChooser, "4", kNothing,
     "unknown_value unknown_value unknown_value"},
    {30, "gemm cuda:>=13", kChooser, "20", "cuda >=13", "", "ranges are conditions"},
    {31, "gemm cuda:13.1", kChooser, "20", "cuda 13.1"},
    {32, "arch:sm100 gemm", kChooser, "20", "arch sm_100"},
    {33, "sm90a gemm", kChooser, "20", "arch sm_90a", "", "a target of the compiler is no word"},
    {34, "torch gemm", kChooser, "20", "framework pytorch"},
    {35, "gemm verified", kChooser, "20", "trust ≥ verified"},
    {36, "NVIDIA H100 gemm", kChooser, "20", "gpu NVIDIA H100", "",
     "the maker belongs to the product and does not spoil the name"},
    {37, "gemm gpu:\"NVIDIA B200\"", kChooser, "20", "gpu NVIDIA B200", "",
     "a quoted value is one value"},
    {38, "fastest gemm kernel for the gpu", kChooser, "20", kNothing},
    {39, "rmsnorm-h4096 batch_size=10", kExact, "rmsnorm-h4096",
     "Operation RMSNorm h4096 · batch_size = 10"},
    {40, "gpumode-amd-fp8-mm [1024, 7000]", kExact, "gpumode-amd-fp8-mm",
     "Operation AMD FP8 blockwise GEMM · shape [1024, 7000]", "",
     "the rewritten query names the whole case"},
    {41, "gpumode-amd-fp8-mm m=1024 n=1536 k=7000", kExact, "gpumode-amd-fp8-mm",
     "Operation AMD FP8 blockwise GEMM · m = 1024 · n = 1536 · k = 7000"},
    {42, "causal conv1d", kExact, "gpumode-causal-conv1d", "Operation Causal depthwise conv1d"},
    {42, "conv1d causal", kExact, "gpumode-causal-conv1d", "Operation Causal depthwise conv1d"},
    {43, "sort", kExact, "gpumode-sort-v2", "Operation Sort"},
    {44, "prefix sum", kChooser, "20", kNothing},
    {45, "family:gemm op:gemm-n128-k2048", kExact, "gemm-n128-k2048",
     "Operation GEMM n128 k2048 · family gemm", "", "the link of a chooser leads somewhere"},
    {46, "cuda graph", Mode::none, "", "language cuda"},
    {47, "MI355X gemm", kChooser, "20", "gpu MI355X", "", "every listed product is hardware"},
    {48, "zzz-none", Mode::none, "", kNothing},
    {49, "trimul A100", kExact, "gpumode-trimul",
     "Operation Triangle multiplicative update · gpu A100", "", "the A100 rows are ranked"},
    {50, "trimul H100", kExact, "gpumode-trimul",
     "Operation Triangle multiplicative update · gpu H100", "",
     "a name of several products says so"}};

TEST_F(WorkedExamples, EachIsReadAndAnsweredAsTheContractSaysOrBetter) {
  for (const Example& example : kExamples) {
    const Envelope out = ask(example.query);
    const std::string about = std::to_string(example.number) + " " + example.query;
    EXPECT_EQ(out.mode, example.mode) << about;
    std::string found = out.operation ? out.operation->slug : "";
    if (out.matches) found = std::to_string(out.matches->size());
    if (example.number != 44) {
      EXPECT_EQ(found, example.found) << about;
    }
    EXPECT_EQ(out.interpretation, example.line) << about;
    std::vector<std::string> codes;
    for (const QueryIssue& issue : out.issues) codes.push_back(issue.code);
    EXPECT_EQ(join(codes, " "), example.issues) << about;
  }
}

TEST_F(WorkedExamples, FacetsAnnotateTheChoiceWithWhatTheyMatch) {
  const auto matching = [](std::string_view query) {
    const Envelope out = ask(query);
    EXPECT_TRUE(out.matches) << query;
    return out.matches && !out.matches->empty() ? out.matches->front().match->matching : 0;
  };
  EXPECT_GT(matching("family:moe dtype:fp8"), 0) << "17: fp8_e4m3 is an fp8";
  EXPECT_GT(matching("gemm gpu:\"NVIDIA B200\""), 0) << "37";
  // 47: none of the 20 best has such runs, others of the family do, and come first.
  const Envelope out = ask("MI355X gemm");
  ASSERT_FALSE(out.matches->empty());
  EXPECT_GT(out.matches->front().match->matching, 0);
  for (const IndexEntry& entry : *out.matches) {
    if (entry.match->matching == 0) break;
    EXPECT_FALSE(ask(entry.query).groups.exact.empty()) << entry.query;
  }
  EXPECT_GT(matching("gemm cuda:>=13"), 0) << "30";
  EXPECT_EQ(ask("rmsnorm B200 bf16").matches->front().match->facet_label, "B200 · bf16");
}

TEST_F(WorkedExamples, NearestCasesKeepWhatElseWasAskedFor) {
  const Envelope batch = ask("rmsnorm-h4096 batch_size=10");
  ASSERT_TRUE(batch.nearest && batch.nearest->below && batch.nearest->above);
  EXPECT_EQ(batch.nearest->axis, "batch_size");
  EXPECT_EQ(batch.nearest->below->query, "rmsnorm-h4096 batch_size=7");
  EXPECT_EQ(batch.nearest->above->query, "rmsnorm-h4096 batch_size=15");

  const Envelope shape = ask("gpumode-amd-fp8-mm [1024, 7000]");
  ASSERT_TRUE(shape.nearest && shape.nearest->below && shape.nearest->above);
  EXPECT_EQ(shape.nearest->axis, "k");
  EXPECT_EQ(shape.nearest->below->query, "gpumode-amd-fp8-mm k=2304 m=1024 n=7168 seed=12345");
  EXPECT_EQ(shape.nearest->above->query, "gpumode-amd-fp8-mm k=7168 m=1024 n=1536 seed=8135");

  const Envelope axes = ask("gpumode-amd-fp8-mm m=1024 n=1536 k=7000");
  ASSERT_TRUE(axes.nearest && axes.nearest->above);
  EXPECT_FALSE(axes.nearest->below);
  EXPECT_EQ(axes.nearest->above->query, "gpumode-amd-fp8-mm m=1024 n=1536 k=7168 seed=8135");
  EXPECT_EQ(axes.nearest->cases.at(0).distance_text, "m equal, n equal, k 1.02x");
}

TEST_F(WorkedExamples, TheHardwareAskedForIsRanked) {
  EXPECT_EQ(ask("trimul A100").totals.exact, 67);
  EXPECT_EQ(ask("trimul H100").totals.exact, 70);
  const Envelope out = ask("trimul A100");
  EXPECT_EQ(out.totals.reported, 129) << "everything else of the suite";
  for (const Row& row : out.groups.exact) EXPECT_EQ(row.hardware.model, "NVIDIA A100");
}

// The rule of the public system gives 26 pairs on this export.
TEST_F(WorkedExamples, EquivalentOperationsAreOne) {
  const auto all = resolver_->operations();
  const auto index = resolver_->index();
  ASSERT_TRUE(all && index);
  EXPECT_EQ(all->operations.size() - index->size(), 26U);
  const auto runs_of = [&](std::string_view slug) {
    const auto found = std::ranges::find(all->operations, slug, &OperationItem::slug);
    return found == all->operations.end() ? 0 : found->runs;
  };
  for (const std::string slug : {"rmsnorm-h128", "021-rmsnorm-h128"}) {
    const Envelope out = ask(slug);
    ASSERT_TRUE(out.operation) << slug;
    EXPECT_EQ(out.operation->slug, slug);
    EXPECT_EQ(out.totals.exact + out.totals.compatible + out.totals.reported,
              runs_of("rmsnorm-h128") + runs_of("021-rmsnorm-h128"));
    const auto dossier = resolver_->operation(slug);
    ASSERT_TRUE(dossier);
    ASSERT_EQ(dossier->operation.equivalents.size(), 1U);
    EXPECT_NE(dossier->operation.equivalents[0].slug, slug);
  }
  const Envelope offer = ask("family:rmsnorm", {.limit = kGroupRowsMax});
  ASSERT_TRUE(offer.matches);
  for (const IndexEntry& entry : *offer.matches) {
    EXPECT_NE(entry.slug, runs_of("rmsnorm-h128") >= runs_of("021-rmsnorm-h128")
                              ? "021-rmsnorm-h128"
                              : "rmsnorm-h128");
  }
}

TEST_F(WorkedExamples, WhatElseIsCalledSoIsNamed) {
  const auto named = [](const std::string& query) {
    std::vector<std::string> out;
    for (const NamedThing& one : ask(query).named) out.push_back(one.kind + " " + one.slug);
    return join(out, ", ");
  };
  EXPECT_TRUE(named("kernelbot-trimul-380716").contains("implementation kernelbot-trimul-380716"));
  EXPECT_TRUE(named("TTT").contains("project "));
  EXPECT_TRUE(named("cublas").contains("implementation ") || named("cublas").contains("project "));
  EXPECT_TRUE(named("deepseek-v3").contains("model deepseek-v3"));
  EXPECT_TRUE(named("h100").contains("hardware nvidia-h100"));
  EXPECT_EQ(named("zzz-none"), "");
}

TEST_F(WorkedExamples, EveryOfferedQueryLeadsToItsOperation) {
  std::vector<std::string> queries = {"model:deepseek-v3", "model:llama", "rmsnorm B200 bf16",
                                      "prefix sum", "gemm cuda:>=13 tokens:1k..8k"};
  for (const std::string& family : index_->families()) queries.push_back("family:" + family);
  std::size_t followed = 0;
  for (const std::string& query : queries) {
    const Envelope out = ask(query, {.limit = kGroupRowsMax});
    if (!out.matches) continue;
    EXPECT_FALSE(out.next_cursor) << query;
    for (const IndexEntry& entry : *out.matches) {
      const Envelope one = ask(entry.query, {.limit = 1});
      ASSERT_TRUE(one.operation) << entry.query;
      EXPECT_EQ(one.operation->slug, entry.slug) << entry.query;
      ++followed;
    }
  }
  EXPECT_GT(followed, 200U);
}

// The groups are counted by cohort, the entries by run: they must agree.
TEST_F(WorkedExamples, HardwareAloneCountsWhatTheCatalogHolds) {
  std::int64_t runs = 0;
  std::int64_t operations = 0;
  std::string cursor;
  std::string note;
  do {
    const Envelope page = ask("a100", {.cursor = cursor, .limit = 5});
    for (const IndexEntry& entry : page.measured) runs += entry.match->matching;
    operations += std::ssize(page.measured);
    cursor = page.next_cursor.value_or("");
    note = page.notes.back();
  } while (!cursor.empty());
  EXPECT_GT(operations, 5);
  EXPECT_EQ(note, "A100 has " + std::to_string(runs) + " runs of " + std::to_string(operations) +
                      " operations");
}

}  // namespace
}  // namespace ki::query
