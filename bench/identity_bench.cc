// How fast a document becomes its digest, beside the rate of SHA-256 alone on the same bytes. The
// documents are the manifests of a catalog export (its path as the last argument, or the one in
// $KI_SHARED/data, or ../shared/data), else as many made up here.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>
#include <zstd.h>

#include "base/digest.h"
#include "base/files.h"
#include "json/read.h"
#include "json/write.h"
#include "support/places.h"

namespace {

namespace fs = std::filesystem;
using ki::json::Document;
using ki::json::Value;

struct Corpus {
  std::string origin;
  std::vector<std::string> manifests;
  std::size_t bytes = 0;
};

Corpus g_corpus;  // filled once, before any benchmark runs

fs::path find_export() {
  const fs::path folder = ki::places::shared_data("data").value_or("");
  std::error_code none;
  for (const auto& file : fs::directory_iterator(folder, none)) {
    if (file.path().string().ends_with(".jsonl.zst")) return file.path();
  }
  return {};
}

ki::Result<std::string> decompress(const fs::path& path) {
  constexpr std::size_t kBytesMax = std::size_t{1} << 30;
  const std::string packed = TRY(ki::read_file(path, kBytesMax));
  ZSTD_DStream* stream = ZSTD_createDStream();
  std::string out;
  std::vector<char> chunk(ZSTD_DStreamOutSize());
  ZSTD_inBuffer input{packed.data(), packed.size(), 0};
  while (input.pos < input.size && out.size() < kBytesMax) {
    ZSTD_outBuffer output{chunk.data(), chunk.size(), 0};
    if (ZSTD_isError(ZSTD_decompressStream(stream, &output, &input)) != 0) {
      ZSTD_freeDStream(stream);
      return ki::fail(ki::Code::invalid, "not a zstd file", path.string());
    }
    out.append(chunk.data(), output.pos);
  }
  ZSTD_freeDStream(stream);
  return out;
}

void add(Corpus& corpus, std::string manifest) {
  corpus.bytes += manifest.size();
  corpus.manifests.push_back(std::move(manifest));
}

ki::Result<Corpus> read_export(const fs::path& path) {
  const std::string text = TRY(decompress(path));
  Corpus corpus{.origin = path.filename().string(), .manifests = {}};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const auto line = ki::json::parse(std::string_view(text).substr(at, end - at));
    at = end + 1;
    if (!line) continue;
    const Value* row = line->root.find("row");
    const Value* manifest = row == nullptr ? nullptr : row->find("manifest");
    if (manifest == nullptr || !manifest->is_object()) continue;
    std::string compact;
    ki::json::append_compact(compact, *manifest);
    add(corpus, std::move(compact));
  }
  if (corpus.manifests.empty()) {
    return ki::fail(ki::Code::invalid, "no manifests in the export", path.string());
  }
  return corpus;
}

// About the size and shape of a published run.
Corpus made_up() {
  Corpus corpus{.origin = "made up", .manifests = {}};
  for (int i = 0; i < 10'000; ++i) {
    std::string out;
    ki::json::Writer writer(out);
    writer.begin_object().key("kind").string("BenchmarkRun");
    writer.key("apiVersion").string("kernelindex.dev/v1alpha1");
    writer.key("metadata").begin_object().key("name").string("run-" + std::to_string(i));
    writer.end_object().key("spec").begin_object();
    for (const char* reference : {"workloadDigest", "protocolDigest", "environmentDigest"}) {
      writer.key(reference).string("sha256:" + std::string(64, "0123456789abcdef"[i % 16]));
    }
    writer.key("status").string("passed").key("measurements").begin_array();
    for (int m = 0; m < 12; ++m) {
      writer.begin_object().key("metric").string("latency").key("unit").string("ns");
      writer.key("value").number(1000.0 + i * 0.37 + m).key("statistic").string("p50");
      writer.end_object();
    }
    writer.end_array().end_object().end_object();
    add(corpus, std::move(out));
  }
  return corpus;
}

void set_rate(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(g_corpus.bytes));
}

void sha256_alone(benchmark::State& state) {
  for (auto step : state) {
    static_cast<void>(step);
    for (const auto& text : g_corpus.manifests) benchmark::DoNotOptimize(ki::sha256(text));
  }
  set_rate(state);
}
BENCHMARK(sha256_alone)->Unit(benchmark::kMillisecond);

void sha256_of_16_mib(benchmark::State& state) {
  const std::string block(std::size_t{16} << 20, 'x');
  for (auto step : state) {
    static_cast<void>(step);
    benchmark::DoNotOptimize(ki::sha256(block));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(block.size()));
}
BENCHMARK(sha256_of_16_mib)->Unit(benchmark::kMillisecond);

void parse(benchmark::State& state) {
  for (auto step : state) {
    static_cast<void>(step);
    for (const auto& text : g_corpus.manifests) {
      benchmark::DoNotOptimize(ki::json::parse(text));
    }
  }
  set_rate(state);
}
BENCHMARK(parse)->Unit(benchmark::kMillisecond);

void canonicalise(benchmark::State& state) {
  std::vector<Document> documents;
  for (const auto& text : g_corpus.manifests) {
    auto document = ki::json::parse(text);
    if (document) documents.push_back(std::move(*document));
  }
  std::string form;
  for (auto step : state) {
    static_cast<void>(step);
    for (const Document& document : documents) {
      form.clear();
      ki::json::append_canonical(form, document.root);
      benchmark::DoNotOptimize(form.data());
    }
  }
  set_rate(state);
}
BENCHMARK(canonicalise)->Unit(benchmark::kMillisecond);

void digest_all() {
  std::string form;
  for (const auto& text : g_corpus.manifests) {
    const auto document = ki::json::parse(text);
    if (!document) continue;
    form.clear();
    ki::json::append_canonical(form, document->root);
    benchmark::DoNotOptimize(ki::sha256(form));
  }
}

void parse_canonicalise_digest(benchmark::State& state) {
  for (auto step : state) {
    static_cast<void>(step);
    digest_all();
  }
  set_rate(state);
}
BENCHMARK(parse_canonicalise_digest)->Unit(benchmark::kMillisecond);

// Bytes a second, the best of a few turns.
template <class Work>
double rate(const Work& work) {
  using Clock = std::chrono::steady_clock;
  double best = 0;
  for (int turn = 0; turn < 3; ++turn) {
    const auto begin = Clock::now();
    work();
    const std::chrono::duration<double> took = Clock::now() - begin;
    best = std::max(best, static_cast<double>(g_corpus.bytes) / took.count());
  }
  return best;
}

void print_share() {
  constexpr double kMega = 1e6;
  const double hash = rate([] {
    for (const auto& text : g_corpus.manifests) benchmark::DoNotOptimize(ki::sha256(text));
  });
  const double whole = rate(digest_all);
  std::printf("parse + canonicalise + digest: %.0f MB/s, %.2f of SHA-256 alone (%.0f MB/s)\n",
              whole / kMega, whole / hash, hash / kMega);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const fs::path path = argc > 1 ? fs::path(argv[argc - 1]) : find_export();
  auto corpus = path.empty() ? ki::Result<Corpus>(made_up()) : read_export(path);
  if (!corpus) {
    std::fprintf(stderr, "%s\n", to_string(corpus.error()).c_str());
    return 1;
  }
  g_corpus = std::move(*corpus);
  std::printf("%zu manifests, %zu bytes (%s)\n", g_corpus.manifests.size(), g_corpus.bytes,
              g_corpus.origin.c_str());
  benchmark::RunSpecifiedBenchmarks();
  print_share();
}
