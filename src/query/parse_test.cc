// The parse column of the worked examples in docs/method/search.md, the readings of case 39, and
// what no query may do.
#include "query/parse.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "base/text.h"
#include "json/read.h"
#include "query/find_operation.h"
#include "query/tokens.h"
#include "support/places.h"

namespace ki::query {
namespace {

std::string chips(const Request& request) {
  std::vector<std::string> out;
  for (const Reading& reading : request.readings) {
    if (!reading.display.empty()) out.push_back(reading.display);
  }
  return join(out, " · ");
}

std::string words(const Request& request) {
  std::vector<std::string> out;
  for (const NameWord& word : request.words) out.push_back(word.text);
  return join(out, " ");
}

std::string codes(const Request& request) {
  std::vector<std::string> out;
  for (const QueryIssue& issue : request.issues) out.push_back(issue.code);
  return join(out, " ");
}

struct Example {
  std::string query;
  std::string chips;
  std::string words;
  std::string issues;
};

TEST(Tokens, AreTheLongestPieceFromTheLeft) {
  using Tokens = std::vector<std::string>;
  EXPECT_EQ(tokens_of(" a  b\t"), (Tokens{"a", "b"}));
  EXPECT_EQ(tokens_of("\"fused add\" x"), (Tokens{"\"fused add\"", "x"}));
  EXPECT_EQ(tokens_of("rms [2048, 4096] x"), (Tokens{"rms", "[2048, 4096]", "x"}));
  EXPECT_EQ(tokens_of("shape:[1, 2][3, 4]"), (Tokens{"shape:[1, 2]", "[3, 4]"}));
  EXPECT_EQ(tokens_of("gpu:\"NVIDIA B200\" x"), (Tokens{"gpu:\"NVIDIA B200\"", "x"}));
  EXPECT_EQ(tokens_of("a \"b c"), (Tokens{"a", "\"b", "c"}));
  EXPECT_EQ(tokens_of("a [b c"), (Tokens{"a", "[b", "c"}));
  EXPECT_EQ(tokens_of("a\xC2\xA0"
                      "b"),
            (Tokens{"a", "b"}));
  EXPECT_EQ(tokens_of(""), Tokens{});
}

TEST(Parse, ReadsTheWorkedExamples) {
  const std::vector<Example> examples = {
      {"", "", "", ""},
      {"rmsnorm", "", "rmsnorm", ""},
      {"rmsnorm B200 bf16", "gpu B200 · dtype bf16", "rmsnorm", ""},
      {"rmsnorm B200 bf16 [2048, 4096]", "gpu B200 · dtype bf16 · shape [2048, 4096]", "rmsnorm",
       ""},
      {"fused add rmsnorm h2048", "", "fused add rmsnorm h2048", ""},
      {"\"fused add\" rmsnorm", "", "fused add rmsnorm", ""},
      {"gemm 4096x4096", "shape [4096, 4096]", "gemm", ""},
      {"op:004-gemm-n128-k2048", "operation 004-gemm-n128-k2048", "004-gemm-n128-k2048", ""},
      {"family:gemm", "family gemm", "", ""},
      {"family:moe dtype:fp8", "family moe · dtype fp8", "", ""},
      {"model:DeepSeek-V3 mla", "model deepseek-v3", "mla", ""},
      {"fp8", "dtype fp8", "", ""},
      {"rmsnorm gpuu:B200", "", "rmsnorm", "unknown_filter"},
      {"rmsnorm tokens:2048", "tokens = 2048", "rmsnorm", ""},
      {"rmsnorm TOKENS=2048", "tokens = 2048", "rmsnorm", ""},
      {"rmsnorm tokens=2k", "tokens = 2048", "rmsnorm", ""},
      {"softmax dtype:xf16 trust:gold shape:[a,b]", "", "softmax",
       "unknown_value unknown_value unknown_value"},
      {"gemm cuda:>=13", "cuda >=13", "gemm", ""},
      {"gemm cuda:13.1", "cuda 13.1", "gemm", ""},
      {"arch:sm100 gemm", "arch sm_100", "gemm", ""},
      {"torch gemm", "framework pytorch", "gemm", ""},
      {"gemm verified", "trust ≥ verified", "gemm", ""},
      {"NVIDIA H100 gemm", "gpu NVIDIA H100", "gemm", ""},
      {"gemm gpu:\"NVIDIA B200\"", "gpu NVIDIA B200", "gemm", ""},
      {"rmsnorm-h4096 batch_size=10", "batch_size = 10", "rmsnorm-h4096", ""},
      {"cuda graph", "language cuda", "graph", ""},
      {"MI355X gemm", "gpu MI355X", "gemm", ""},
      {"shape=4096x4096", "shape [4096, 4096]", "", ""},
      {"[128abc,4]", "shape [128, 4]", "", ""},
      {"[]", "", "", "unknown_value"},
      {"64x", "", "64x", ""},
      {"license:MIT source:yes", "license mit · source required", "", ""},
      {"installable:0", "any install state", "", ""},
      {"layout:row-major lang:triton", "layout row_major · language triton", "", ""},
      {"tokens:1k..8k gemm", "tokens 1024..8192", "gemm", ""},
      {"tokens>=64 gemm", "tokens >= 64", "gemm", ""},
      {"dtype:>=bf16 trust:>reported gemm", "", "gemm", "range range"},
      {"\"", "", "", ""},
      {"bf16 bfloat16 int8", "dtype bf16 · dtype int8", "", ""}};
  for (const Example& example : examples) {
    const Request request = parse_query(example.query);
    EXPECT_EQ(chips(request), example.chips) << example.query;
    EXPECT_EQ(words(request), example.words) << example.query;
    EXPECT_EQ(codes(request), example.issues) << example.query;
  }
}

TEST(Parse, AnUnknownFilterNamesTheNearestAndAllKnownOnes) {
  const auto hint = [](std::string_view query) {
    const Request request = parse_query(query);
    EXPECT_EQ(request.issues.size(), 1U) << query;
    EXPECT_EQ(request.issues.at(0).known.size(), known_filters().size());
    return request.issues.at(0).hint.value_or("");
  };
  EXPECT_EQ(hint("gpuu:B200"), "gpu");
  EXPECT_EQ(hint("dt:x"), "dtype");
  EXPECT_EQ(hint("opcode:x"), "op");
  EXPECT_EQ(hint("url:x"), "");
  EXPECT_EQ(hint("colour:red"), "");
}

TEST(Parse, AWordThatIsNoSizeOfAnAxisIsSaidWithWhatItTakes) {
  for (const std::string_view query : {"rope seq:abc", "rope SEQ=2.5", "rope hidden:-1"}) {
    const Request request = parse_query(query);
    ASSERT_EQ(request.issues.size(), 1U) << query;
    EXPECT_EQ(request.issues[0].code, "unknown_value") << query;
    EXPECT_TRUE(request.issues[0].message.contains("takes a whole number or a range"))
        << request.issues[0].message;
  }
  EXPECT_TRUE(parse_query("rope seq:abc").issues[0].message.contains("seq:1k..8k"));
}

TEST(Parse, ALaterFacetReplacesAnEarlierOneAndDtypesAddUp) {
  const Request request = parse_query("gpu:H100 gpu:B200 bf16 fp32 tokens=1 tokens=2");
  EXPECT_EQ(request.facets.hardware->requested, "B200");
  EXPECT_EQ(request.facets.dtypes.size(), 2U);
  ASSERT_EQ(request.facets.axes.size(), 1U);
  EXPECT_EQ(request.facets.axes[0].size.text(), "2");
}

TEST(Parse, SizesAndRangesOfAxes) {
  const auto size = [](std::string_view query) -> std::string {
    const Request request = parse_query(query);
    if (!request.issues.empty()) return request.issues[0].code;
    if (request.facets.axes.size() != 1) return "no axis";
    return request.facets.axes[0].name + " " + request.facets.axes[0].size.text();
  };
  EXPECT_EQ(size("tokens=2048"), "tokens 2048");
  EXPECT_EQ(size("tokens=2K"), "tokens 2048");
  EXPECT_EQ(size("numel:1M"), "numel 1048576");
  EXPECT_EQ(size("tokens:1k..8k"), "tokens 1024..8192");
  EXPECT_EQ(size("tokens:1k.."), "tokens >= 1024");
  EXPECT_EQ(size("tokens:..8k"), "tokens <= 8192");
  EXPECT_EQ(size("tokens:>=1k"), "tokens >= 1024");
  EXPECT_EQ(size("tokens>=1k"), "tokens >= 1024");
  EXPECT_EQ(size("tokens>64"), "tokens >= 65");
  EXPECT_EQ(size("tokens<64"), "tokens <= 63");
  EXPECT_EQ(size("tokens<=64"), "tokens <= 64");
  EXPECT_EQ(size("tokens:64..64"), "tokens 64");
  EXPECT_EQ(size("hidden_div2=64"), "hidden_div2 64") << "a digit in the name of an axis";
  EXPECT_EQ(size("Hidden=64"), "hidden 64");
  EXPECT_EQ(size("tokens=9007199254740992"), "tokens 9007199254740992");
  // Nothing of these is a size.
  EXPECT_EQ(size("tokens:8k..1k"), "range") << "empty";
  EXPECT_EQ(size("tokens:1k..x"), "range");
  EXPECT_EQ(size("tokens>="), "range");
  EXPECT_EQ(size("tokens<0"), "range");
  EXPECT_EQ(size("tokens=9007199254740993"), "unknown_value") << "not exact any more";
  EXPECT_EQ(size("tokens=1e3"), "unknown_value");
  EXPECT_EQ(size("h100x=fast"), "no axis") << "a word, as it always was";
}

TEST(Parse, FacetsOfHardwareEnvironmentAndOrigin) {
  const std::vector<Example> examples = {
      {"gemm nvidia", "vendor nvidia", "gemm", ""},
      {"AMD gemm", "vendor amd", "gemm", ""},
      {"nvidia gemm h100", "vendor nvidia · gpu H100", "gemm", ""},
      {"gemm vendor:Intel", "vendor intel", "gemm", ""},
      {"gemm memory:80GB", "memory 80 GB", "gemm", ""},
      {"gemm memory>=141g", "memory >= 141 GB", "gemm", ""},
      {"gemm memory:40GB..80GB", "memory 40..80 GB", "gemm", ""},
      {"gemm memory:lots", "", "gemm", "unknown_value"},
      {"gemm count:8", "8 devices", "gemm", ""},
      {"gemm count:1", "1 device", "gemm", ""},
      {"gemm count:x4", "4 devices", "gemm", ""},
      {"gemm count>=2", ">= 2 devices", "gemm", ""},
      {"gemm count:some", "", "gemm", "unknown_value"},
      {"gemm cuda:12..13", "cuda 12..13", "gemm", ""},
      {"gemm cuda>=12.4", "cuda >=12.4", "gemm", ""},
      {"gemm cuda:13..12", "", "gemm", "range"},
      {"gemm driver:550.54", "driver 550.54", "gemm", ""},
      {"gemm driver>=550", "driver >=550", "gemm", ""},
      {"gemm driver:>=new", "", "gemm", "range"},
      {"gemm project:Liger package:liger-kernel", "project liger · package liger-kernel", "gemm",
       ""},
      {"gemm author:\"Ada Lovelace\"", "author ada lovelace", "gemm", ""},
      {"gemm compiler:nvcc protocol:kernelbot", "compiler nvcc · protocol kernelbot", "gemm", ""},
      {"gemm statistic:p50", "statistic median", "gemm", ""}};
  for (const Example& example : examples) {
    const Request request = parse_query(example.query);
    EXPECT_EQ(chips(request), example.chips) << example.query;
    EXPECT_EQ(words(request), example.words) << example.query;
    EXPECT_EQ(codes(request), example.issues) << example.query;
  }
  EXPECT_EQ(parse_query("cuda>=12.4").facets.cuda->major.text(), ">= 12");
  EXPECT_EQ(parse_query("cuda:13.1").facets.cuda->major.text(), "13");
}

TEST(Parse, AReplacedFacetIsNotShownAndIsSaid) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"family:a", "family:b"},
      {"model:a", "model:b"},
      {"h100", "gpu:B200"},
      {"hopper", "arch:sm_100"},
      {"w4a16", "w8a8"},
      {"shape:[1]", "2x3"},
      {"layout:strided", "layout:contiguous"},
      {"torch", "framework:jax"},
      {"triton", "lang:cuda"},
      {"cuda:12", "cuda:13"},
      {"trust:reported", "verified"},
      {"license:MIT", "license:unknown"},
      {"source:yes", "source:no"},
      {"installable:1", "installable:0"},
      {"pass:forward", "pass:backward"},
      {"metric:latency", "metric:memory"},
      {"cohort:0123456789ab", "cohort:ba9876543210"},
      {"x4", "x8"},
      {"tokens=1", "tokens>2"},
      {"nvidia", "vendor:amd"},
      {"memory:80GB", "memory:>=40"},
      {"count:2", "x4"},
      {"project:a", "project:b"},
      {"package:a", "package:b"},
      {"author:a", "author:b"},
      {"driver:550", "driver:>=560"},
      {"compiler:nvcc", "compiler:clang"},
      {"protocol:a", "protocol:b"},
      {"statistic:mean", "statistic:p50"}};
  for (const auto& [earlier, later] : pairs) {
    const Request request = parse_query("rope " + earlier + " " + later);
    ASSERT_EQ(request.readings.size(), 3U) << earlier;
    EXPECT_EQ(request.readings[1].kind, "replaced") << earlier;
    EXPECT_EQ(request.readings[1].query_without, "rope " + later);
    EXPECT_EQ(chips(request), request.readings[2].display) << earlier;
    EXPECT_EQ(request.notes, std::vector{earlier + " is replaced by " + later});
    EXPECT_EQ(narrowed_query(request, "rope").find(earlier), std::string::npos) << earlier;
  }
  const Request twice = parse_query("bf16 bfloat16 tokens=1 tokens:1");
  EXPECT_EQ(chips(twice), "dtype bf16 · tokens = 1");
  EXPECT_TRUE(twice.notes.empty()) << "nothing is lost";
}

TEST(Parse, PunctuationOfASentenceIsNoPartOfAWord) {
  const std::vector<Example> examples = {
      {"rmsnorm H100?", "gpu H100", "rmsnorm", ""},
      {"rmsnorm, h100, bf16.", "gpu H100 · dtype bf16", "rmsnorm", ""},
      {"rmsnorm (RTX 4090)!", "gpu RTX 4090", "rmsnorm", ""},
      {"flash attn; hopper:", "arch hopper", "flash attn", ""},
      {"gpu:H100, tokens=8; softmax?", "gpu H100 · tokens = 8", "softmax", ""},
      {"4096x4096, gemm", "shape [4096, 4096]", "gemm", ""},
      {"[1, 2], gemm ? ...", "shape [1, 2]", "gemm", ""},
      {"\"l4?\"", "", "l4?", ""}};
  for (const Example& example : examples) {
    const Request request = parse_query(example.query);
    EXPECT_EQ(chips(request), example.chips) << example.query;
    EXPECT_EQ(words(request), example.words) << example.query;
    EXPECT_EQ(codes(request), example.issues) << example.query;
  }
  EXPECT_EQ(parse_query("rmsnorm H100?").readings.at(1).query_without, "rmsnorm");
}

TEST(Parse, ANumberOfDevicesIsNoPartOfTheName) {
  for (const std::string query : {"trimul H100 x8", "trimul 8x h100", "trimul H100x8",
                                  "trimul 8xH100", "trimul \"H100 x8\"", "trimul gpu:H100x8"}) {
    const Request request = parse_query(query);
    EXPECT_EQ(chips(request), "gpu H100 · 8 devices") << query;
    ASSERT_TRUE(request.facets.hardware) << query;
    EXPECT_EQ(ascii_upper(request.facets.hardware->requested), "H100") << query;
    EXPECT_EQ(request.facets.device_count->least, 8) << query;
    EXPECT_EQ(request.readings.at(1).query_without, "trimul") << query;
  }
  EXPECT_EQ(chips(parse_query("trimul H100 x1")), "gpu H100 · 1 device");
  EXPECT_EQ(chips(parse_query("trimul H100")), "gpu H100");
}

TEST(Parse, RemovingAReadingLeavesTheRestOfTheQuery) {
  const Request request = parse_query("rmsnorm  NVIDIA H100 bf16 bf16");
  EXPECT_EQ(request.readings.at(1).query_without, "rmsnorm bf16 bf16");
  EXPECT_EQ(request.readings.at(2).query_without, "rmsnorm NVIDIA H100");
}

TEST(Parse, NarrowingKeepsTheFacets) {
  EXPECT_EQ(narrowed_query(parse_query("rmsnorm family:x B200 bf16"), "rmsnorm-h4096"),
            "B200 bf16 op:rmsnorm-h4096");
  EXPECT_EQ(narrowed_query(parse_query("gemm"), "gemm-1"), "op:gemm-1");
}

TEST(Parse, AWordThatCanMeanSeveralThingsSaysWhich) {
  const auto shown = [](std::string_view query) {
    return readings_shown(parse_query(query).readings);
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(shown("gemm a100-80g torch.bfloat16"),
            Lines{"a100-80g: one of NVIDIA A100-SXM4-80GB, NVIDIA A100 80GB PCIe"});
  EXPECT_EQ(shown("softmax h100"),
            Lines{"h100: one of NVIDIA H100 80GB HBM3, NVIDIA H100 PCIe, NVIDIA H100 NVL"});
  const Lines hopper = shown("attention hopper fp8");
  ASSERT_EQ(hopper.size(), 2U);
  EXPECT_EQ(hopper[0], "hopper: hopper (sm_90)");
  EXPECT_TRUE(hopper[1].starts_with("fp8: fp8, any of its formats; one of fp8, fp8_e4m3,"));
  const Lines blackwell = shown("blackwell moe nvfp4");
  ASSERT_EQ(blackwell.size(), 1U);
  EXPECT_TRUE(blackwell[0].starts_with("blackwell: blackwell (sm_100 and sm_103 are"));
  EXPECT_TRUE(blackwell[0].ends_with("; one of sm_100, sm_103, sm_120, sm_121"));
  EXPECT_EQ(shown("tf32 softmax"), Lines{"tf32: tf32 arithmetic on fp32 storage"});
  EXPECT_EQ(shown("rope gpu:\"NVIDIA B200\" bf16 sm_100 triton tokens=4 [4, 4]"), Lines{})
      << "as it says";
}

TEST(Parse, TheInterpretedLine) {
  EXPECT_EQ(interpretation_of(parse_query(""), ""), "Search the index");
  EXPECT_EQ(interpretation_of(parse_query("op:rms B200"), "RMSNorm"),
            "Operation RMSNorm · gpu B200");
}

TEST(Parse, StructureIsNeverReadAsText) {
  KernelRequest request;
  request.operation =
      RequestOperation{.name = "Fused add RMSNorm",
                       .axes = std::map<std::string, double>{{"tokens", 8}, {"k", 1.5}}};
  request.environment = RequestEnvironment{.hardware_product = "NVIDIA H100", .dtype = "bf16"};
  request.policy = RequestPolicy{.source_required = false, .license = "MIT"};
  const Request read = read_request(request);
  EXPECT_EQ(read.operation_key, "fused add rmsnorm");
  ASSERT_EQ(read.facets.axes.size(), 1U);
  EXPECT_EQ(read.facets.axes[0].name, "tokens");
  EXPECT_EQ(read.facets.hardware->requested, "NVIDIA H100");
  EXPECT_EQ(codes(read), "unknown_value") << "1.5 is no size";
  EXPECT_FALSE(read.facets.source.has_value());
  EXPECT_EQ(read.text,
            "op:\"Fused add RMSNorm\" tokens:8 gpu:\"NVIDIA H100\" dtype:bf16 license:MIT");
  // The text that stands for the request means the same when it is asked as a query.
  const Request again = parse_query(read.text);
  EXPECT_EQ(again.operation_key, read.operation_key);
  EXPECT_EQ(chips(again), chips(read));
}

TEST(Parse, AnyBytesGiveOneReadingAToken) {
  constexpr std::string_view kBytes = "ab1:=[]\",x <>.-_gpuH\xC3\xA9";
  std::uint32_t state = 11;
  for (int round = 0; round < 2000; ++round) {
    std::string query;
    for (int i = 0; i < 40; ++i) {
      state = state * 1664525 + 1013904223;
      query += kBytes[(state >> 16) % kBytes.size()];
    }
    const Request request = parse_query(query);
    EXPECT_LE(request.readings.size(), 2 * request.tokens.size() + query.size()) << query;
    for (const Reading& reading : request.readings) {
      EXPECT_LE(reading.query_without.size(), query.size()) << query;
    }
  }
}

// ---- case 39 of the shared cases: readings of GPU nicknames and dtype synonyms

std::vector<std::string> products(const Request& request) {
  std::vector<std::string> out;
  if (!request.facets.hardware || !request.facets.hardware->gpu) return out;
  for (const auto* gpu : request.facets.hardware->gpu->variants) out.emplace_back(gpu->product);
  return out;
}

// The distinguishing words of an expected product: "A100 PCIe 80GB" -> a100, pcie, 80gb.
bool names_product(std::string_view expected, std::string_view product) {
  const std::string lower = ascii_lower(product);
  const std::string wanted = kebab(expected);
  for (const auto part : split(wanted, '-')) {
    if (part == "sxm" && lower.find("hbm3") != std::string::npos) continue;
    if (lower.find(part) == std::string::npos) return false;
  }
  return true;
}

TEST(Parse, AxesMayBeSaidInWords) {
  const Request request = parse_query("rmsnorm hidden size 4k tokens 128 seq 2048");
  ASSERT_EQ(request.facets.axes.size(), 3U);
  EXPECT_EQ(request.facets.axes[0].name, "hidden");
  EXPECT_EQ(request.facets.axes[0].size.least, 4096);
  EXPECT_EQ(request.facets.axes[1].name, "tokens");
  EXPECT_EQ(request.facets.axes[2].size.most, 2048);
  EXPECT_FALSE(request.facets.axes[0].soft);
  EXPECT_EQ(request.words.size(), 1U);
  EXPECT_TRUE(parse_query("hidden state 4096").facets.axes.empty());
  EXPECT_TRUE(parse_query("batch norm").facets.axes.empty());
}

TEST(Parse, ReadsCase39) {
  const auto file = places::shared_data("cases/39-search-gpu-and-dtype/expected.json");
  if (!file) GTEST_SKIP() << "the shared cases are not here";
  std::ifstream in(*file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto document = json::parse(text);
  ASSERT_TRUE(document.has_value());
  int checked = 0;
  for (const json::Value& one : document->root.find("expected")->find("queries")->items()) {
    const std::string query(one.find("q")->string());
    const Request request = parse_query(query);
    if (const auto* error = one.find("error")) {
      ASSERT_EQ(request.issues.size(), 1U) << query;
      EXPECT_EQ(request.issues[0].message, "unknown filter 'colour'") << error->string();
      EXPECT_FALSE(request.issues[0].known.empty());
      ++checked;
      continue;
    }
    EXPECT_TRUE(request.issues.empty()) << query;
    if (const auto* gpus = one.find("gpu")) {
      const auto found = products(request);
      for (const json::Value& gpu : gpus->items()) {
        std::string expected(gpu.string());
        std::erase_if(expected, [](char c) { return c == '*' || c == '(' || c == ')'; });
        EXPECT_TRUE(std::ranges::any_of(
            found, [&](const auto& product) { return names_product(expected, product); }))
            << query << ": " << expected;
        ++checked;
      }
      if (gpus->items().size() == 1 && gpus->items()[0].string().find('*') == std::string::npos) {
        EXPECT_EQ(found.size(), 1U) << query;
      }
    }
    if (const auto* arch = one.find("arch")) {
      ASSERT_TRUE(request.facets.architecture) << query;
      for (const json::Value& name : arch->items()) {
        const auto& tokens = request.facets.architecture->reading.tokens;
        EXPECT_NE(std::ranges::find(tokens, name.string()), tokens.end()) << query;
        ++checked;
      }
    }
    if (const auto* dtypes = one.find("dtype")) {
      ASSERT_EQ(request.facets.dtypes.size(), 1U) << query;
      for (const json::Value& dtype : dtypes->items()) {
        EXPECT_TRUE(policy::dtype_matches(request.facets.dtypes[0].reading, dtype.string()))
            << query << ": " << dtype.string();
        ++checked;
      }
    }
    if (const auto* schemes = one.find("quantization")) {
      EXPECT_EQ(request.facets.quantization, schemes->items()[0].string()) << query;
      ++checked;
    }
    if (one.find("compute") != nullptr) {
      ASSERT_EQ(request.facets.dtypes.size(), 1U) << query;
      EXPECT_EQ(request.facets.dtypes[0].reading.kind, policy::DtypeKind::compute);
      ++checked;
    }
    if (const auto* axes = one.find("axes")) {
      ASSERT_EQ(request.facets.axes.size(), 1U) << query;
      EXPECT_EQ(request.facets.axes[0].name, axes->members()[0].key);
      ++checked;
    }
  }
  EXPECT_GT(checked, 25);
}

}  // namespace
}  // namespace ki::query
