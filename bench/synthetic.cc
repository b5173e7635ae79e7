#include "synthetic.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/issue.h"

namespace ki::bench {
namespace {

struct Product {
  std::string_view name;
  std::string_view vendor;
  std::string_view architecture;
};
constexpr std::array kProducts = {Product{"NVIDIA H100 80GB HBM3", "nvidia", "sm_90"},
                                  Product{"NVIDIA A100-SXM4-80GB", "nvidia", "sm_80"},
                                  Product{"NVIDIA B200", "nvidia", "sm_100"},
                                  Product{"NVIDIA GeForce RTX 4090", "nvidia", "sm_89"},
                                  Product{"NVIDIA L40S", "nvidia", "sm_89"},
                                  Product{"AMD Instinct MI300X", "amd", "gfx942"},
                                  Product{"NVIDIA H200", "nvidia", "sm_90"},
                                  Product{"NVIDIA A10", "nvidia", "sm_86"}};
constexpr std::array kToolkits = {"12.4", "12.8"};

manifest::Manifest make(std::string_view kind, std::string_view name, const std::string& spec) {
  auto decoded = manifest::decode_json(
      fmt::format(R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"{}"}},"spec":{}}})",
                  manifest::kApiVersion, kind, name, spec));
  if (!decoded) stop(to_string(decoded.error()).c_str(), __FILE__, __LINE__);
  return std::move(*decoded);
}

std::string slug_of(std::size_t operation) { return fmt::format("made-up-{:04}", operation); }

manifest::Manifest operation_of(std::size_t operation) {
  return make(
      "OperationSpec", slug_of(operation),
      fmt::format(R"({{"family":"family-{}","axes":{{"tokens":{{"role":"variable",)"
                  R"("type":"integer","minimum":1}},"hidden":{{"role":"variable",)"
                  R"("type":"integer","minimum":1}}}},"inputs":[{{"name":"x","tensor":)"
                  R"({{"shape":["tokens","hidden"],"dtype":"bf16"}}}}],"outputs":[{{"name":)"
                  R"("y","tensor":{{"shape":["tokens","hidden"],"dtype":"bf16"}}}}],)"
                  R"("semantics":{{"mutation":"none","determinism":"unspecified",)"
                  R"("expression":"made up, number {}"}}}})",
                  operation % 40, operation));
}

manifest::Manifest workload_of(const Digest& operation, std::size_t tokens, std::size_t hidden) {
  return make("WorkloadCase", "case",
              fmt::format(R"({{"operationSpecDigest":"{}","axes":{{"tokens":{},"hidden":{}}},)"
                          R"("tensors":{{"x":{{"shape":[{},{}],"dtype":"bf16"}}}},)"
                          R"("correctness":{{"comparator":"allclose"}}}})",
                          to_string(operation), tokens, hidden, tokens, hidden));
}

manifest::Manifest implementation_of(const Digest& operation, std::size_t number) {
  return make("ImplementationRevision", fmt::format("variant-{}", number),
              fmt::format(R"({{"projectRevision":{{"repository":"https://example.org/made-up"}},)"
                          R"("operation":{{"specDigest":"{}"}},"callable":{{"language":"cuda",)"
                          R"("symbol":"variant_{}"}},"support":{{"hardwareArchitectures":[],)"
                          R"("productsTested":[],"dtypes":["bf16"]}},"licensing":)"
                          R"({{"declared":"MIT"}}}})",
                          to_string(operation), number));
}

manifest::Manifest environment_of(const Product& product, std::string_view toolkit) {
  return make("ExecutionEnvironment", "machine",
              fmt::format(R"({{"hardware":{{"vendor":"{}","product":"{}","architecture":"{}"}},)"
                          R"("software":{{"cudaToolkit":"{}"}}}})",
                          product.vendor, product.name, product.architecture, toolkit));
}

manifest::Manifest protocol() {
  return make("BenchmarkProtocol", "made-up",
              R"({"harness":{"name":"made-up"},"measurement":{"timer":"cuda_events",)"
              R"("primaryStatistic":"median"},"comparability":{"family":"made_up"}})");
}

std::vector<double> shares(std::size_t operations) {
  std::vector<double> out;
  for (std::size_t i = 0; i < operations; ++i) out.push_back(1.0 / static_cast<double>(i + 1));
  return out;
}

// Squared, so that small numbers come up most.
std::size_t skewed(std::mt19937& random, std::size_t below) {
  const double x = std::uniform_real_distribution<>(0, 1)(random);
  return std::min(static_cast<std::size_t>(x * x * static_cast<double>(below)), below - 1);
}

}  // namespace

Synthetic::Synthetic(std::size_t operations, std::uint32_t seed) : random_(seed) {
  const auto weights = shares(operations);
  operation_ = {weights.begin(), weights.end()};
}

publish::RunEntry Synthetic::run(std::size_t operation, publish::Bundle& into) {
  const Digest of = operation_of(operation).digest();
  const std::size_t tokens = std::size_t{1} << (4 + skewed(random_, 12));
  const std::size_t hidden = 256 * (1 + skewed(random_, 32));
  const std::size_t variant = skewed(random_, 400);
  const std::size_t product = skewed(random_, kProducts.size());
  const std::size_t toolkit = skewed(random_, kToolkits.size());
  auto workload = workload_of(of, tokens, hidden);
  auto implementation = implementation_of(of, variant);
  auto environment = environment_of(kProducts.at(product), kToolkits.at(toolkit));
  auto timing = protocol();
  const double factor = std::lognormal_distribution<>(0, 0.3)(random_);
  const auto latency =
      static_cast<std::int64_t>(1000 + static_cast<double>(tokens * hidden) / 300 * factor *
                                           (1 + static_cast<double>(product) / 4));
  constexpr std::int64_t kFirst = 1'735'689'600'000;  // 2025-01-01, in ms
  constexpr std::int64_t kSpan = 540LL * 86'400'000;
  const auto at = kFirst + std::uniform_int_distribution<std::int64_t>(0, kSpan)(random_);
  auto made =
      make("BenchmarkRun", "run",
           fmt::format(
               R"({{"implementationDigest":"{}","workloadDigest":"{}","protocolDigest":"{}",)"
               R"("environmentDigest":"{}","status":"passed","timing":{{"primaryStatistic":)"
               R"("median","samples":20,"latencyNs":{{"median":{},"confidence95":[{},{}]}}}},)"
               R"("sourceNative":{{"source":"made-up","benchmark":"made-up","externalId":"{}"}},)"
               R"("observedAt":"{}"}})",
               to_string(implementation.digest()), to_string(workload.digest()),
               to_string(timing.digest()), to_string(environment.digest()), latency,
               latency - latency / 100, latency + latency / 100, made_,
               to_iso(Instant(std::chrono::milliseconds(at)))));
  publish::RunEntry entry{.run = std::move(made),
                          .protocol = std::move(timing),
                          .environment = std::move(environment),
                          .external_id = std::to_string(made_++)};
  into.workloads.push_back({.manifest = std::move(workload)});
  into.implementations.push_back({.manifest = std::move(implementation),
                                  .slug = fmt::format("{}-variant-{}", slug_of(operation), variant),
                                  .project_slug = "made-up"});
  return entry;
}

publish::Bundle Synthetic::next(std::size_t runs) {
  publish::Bundle bundle;
  bundle.source = {.slug = "made-up", .kind = "illustrative", .name = "Made-up records"};
  bundle.projects.push_back(
      {.manifest = make("SoftwareProject", "made-up", R"({"name":"Made up"})"), .slug = "made-up"});
  std::set<std::size_t> operations;
  for (std::size_t i = 0; i < runs; ++i) {
    const std::size_t operation = operation_(random_);
    operations.insert(operation);
    bundle.runs.push_back(run(operation, bundle));
  }
  for (const std::size_t operation : operations) {
    bundle.operations.push_back({.manifest = operation_of(operation), .slug = slug_of(operation)});
  }
  return bundle;
}

}  // namespace ki::bench
