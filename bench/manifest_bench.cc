// How fast identity is: all manifests of a real export, or generated ones where there is none,
// parsed, validated, normalised, canonicalised and digested on one core.
#include <algorithm>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <zstd.h>

#include "manifest/manifest.h"
#include "manifest/testing.h"
#include "support/places.h"

namespace ki::manifest {
namespace {

std::string decompressed(const std::string& bytes) {
  std::string out(ZSTD_getFrameContentSize(bytes.data(), bytes.size()), '\0');
  out.resize(ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size()));
  return out;
}

std::string compact(const json::Value& value) {
  std::string out;
  json::append_compact(out, value);
  return out;
}

std::vector<std::string> exported_texts(std::string_view lines) {
  std::vector<std::string> texts;
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    const auto row = json::parse(lines.substr(0, end), json::kBundleLimits);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const json::Value* const manifest = row ? row->root.find("row")->find("manifest") : nullptr;
    if (manifest == nullptr) continue;
    if (manifest->find("kind") != nullptr) {
      texts.push_back(compact(*manifest));
    } else {
      for (const json::Member& part : manifest->members()) texts.push_back(compact(part.value));
    }
  }
  return texts;
}

std::vector<std::string> generated_texts() {
  std::vector<std::string> texts;
  for (int i = 0; i < 1000; ++i) {
    texts.push_back(testing::document(
        "WorkloadCase",
        fmt::format(R"({{"operationSpecDigest":"sha256:{:0>64}","axes":{{"rows":{},"width":4096}},)"
                    R"("tensors":{{"x":{{"shape":[{},4096],"dtype":"bf16"}}}},)"
                    R"("correctness":{{"comparator":"allclose","maxAbsoluteError":1e-3}}}})",
                    i, i + 1, i + 1)));
  }
  return texts;
}

const std::vector<std::string>& texts() {
  static const std::vector<std::string> kTexts = [] {
    const auto path = places::shared_data("data/catalog-2026-08-16-94af2ae7.jsonl.zst");
    return path ? exported_texts(decompressed(testing::read(*path))) : generated_texts();
  }();
  return kTexts;
}

void report(benchmark::State& state) {
  std::size_t bytes = 0;
  for (const auto& text : texts()) bytes += text.size();
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
  state.SetItemsProcessed(static_cast<std::int64_t>(texts().size()) * state.iterations());
}

void identity_of_every_manifest(benchmark::State& state) {
  const auto& all = texts();  // loaded before the clock starts
  for (auto _ : state) {
    for (const auto& text : all) {
      auto manifest = decode_json(text);
      if (!manifest) return state.SkipWithError(to_string(manifest.error()).c_str());
      benchmark::DoNotOptimize(manifest->digest());
    }
  }
  report(state);
}
BENCHMARK(identity_of_every_manifest)->Unit(benchmark::kMillisecond);

void parsing_alone(benchmark::State& state) {
  const auto& all = texts();  // loaded before the clock starts
  for (auto _ : state) {
    for (const auto& text : all) benchmark::DoNotOptimize(json::parse(text));
  }
  report(state);
}
BENCHMARK(parsing_alone)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ki::manifest

BENCHMARK_MAIN();
