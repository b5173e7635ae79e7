#include "support/bundles.h"

#include <fmt/format.h>

#include "base/issue.h"
#include "base/text.h"

namespace ki::test {

manifest::Manifest make(std::string_view kind, std::string_view name, std::string_view spec) {
  auto decoded =
      manifest::decode_json(fmt::format(R"({{"apiVersion":"kernelindex.dev/v1alpha1","kind":"{}",)"
                                        R"("metadata":{{"name":"{}"}},"spec":{}}})",
                                        kind, name, spec),
                            name);
  if (!decoded) stop(to_string(decoded.error()).c_str(), __FILE__, __LINE__);
  return std::move(*decoded);
}

manifest::Manifest operation(std::string_view family) {
  return make("OperationSpec", "axpy",
              fmt::format(R"({{"family":"{}",
    "axes":{{"n":{{"role":"variable","type":"integer","minimum":1}}}},
    "inputs":[{{"name":"x","tensor":{{"shape":["n"],"dtype":"fp32"}}}}],
    "outputs":[{{"name":"y","tensor":{{"shape":["n"],"dtype":"fp32"}}}}],
    "semantics":{{"mutation":"none","determinism":"unspecified"}}}})",
                          family));
}

manifest::Manifest workload(const Digest& operation, int n) {
  return make("WorkloadCase", "case",
              fmt::format(R"({{"operationSpecDigest":"{}",
    "axes":{{"n":{}}},"tensors":{{"x":{{"shape":[{}],"dtype":"fp32"}}}},
    "correctness":{{"comparator":"close"}}}})",
                          to_string(operation), n, n));
}

manifest::Manifest implementation(const Digest& operation, std::string_view symbol) {
  return make("ImplementationRevision", symbol,
              fmt::format(R"({{"projectRevision":{{"repository":"https://example.org/r"}},
    "operation":{{"specDigest":"{}"}},"callable":{{"language":"cuda","symbol":"{}"}},
    "support":{{"hardwareArchitectures":["sm_100"],"productsTested":[],"dtypes":["fp32"]}},
    "licensing":{{"declared":"MIT"}}}})",
                          to_string(operation), symbol));
}

manifest::Manifest protocol(std::string_view harness) {
  return make("BenchmarkProtocol", harness,
              fmt::format(R"({{"harness":{{"name":"{}"}},
    "measurement":{{"timer":"cuda_events","primaryStatistic":"median"}},
    "comparability":{{"family":"h"}}}})",
                          harness));
}

manifest::Manifest environment(std::string_view product) {
  return make("ExecutionEnvironment", "machine",
              fmt::format(R"({{"hardware":{{"vendor":"nvidia","product":"{}",
    "architecture":"sm_100"}},"software":{{"cudaToolkit":"12.8"}}}})",
                          product));
}

publish::RunEntry run(const RunSpec& spec) {
  manifest::Manifest with_protocol = protocol(spec.harness);
  manifest::Manifest in_environment = environment(spec.product);
  std::string native;
  if (!spec.external_id.empty()) {
    native =
        fmt::format(R"("sourceNative":{{"source":"lab","benchmark":"lab","externalId":"{}"}},)",
                    spec.external_id);
  }
  std::string interval;
  if (spec.half_width > 0) {
    const double half = static_cast<double>(spec.latency_ns) * spec.half_width;
    interval = fmt::format(R"(,"confidence95":[{:.0f},{:.0f}])",
                           static_cast<double>(spec.latency_ns) - half,
                           static_cast<double>(spec.latency_ns) + half);
  }
  manifest::Manifest made =
      make("BenchmarkRun", "run",
           fmt::format(R"({{"implementationDigest":"{}","workloadDigest":"{}",
    "protocolDigest":"{}","environmentDigest":"{}","status":"{}",
    "timing":{{"primaryStatistic":"median","samples":3,"latencyNs":{{"median":{}{}}}}},{}
    "observedAt":"{}"}})",
                       to_string(spec.implementation), to_string(spec.workload),
                       to_string(with_protocol.digest()), to_string(in_environment.digest()),
                       spec.status, spec.latency_ns, interval, native, spec.observed_at));
  return {.run = std::move(made),
          .protocol = std::move(with_protocol),
          .environment = std::move(in_environment),
          .external_id = spec.external_id};
}

publish::Bundle bundle_of(const std::vector<Provider>& providers) {
  publish::Bundle bundle;
  bundle.source = {.slug = "lab", .kind = "benchmark", .name = "A laboratory"};
  bundle.projects.push_back(
      {.manifest = make("SoftwareProject", "kernels", R"({"name":"Kernels"})"), .slug = "kernels"});
  manifest::Manifest spec = operation();
  const Digest of = spec.digest();
  bundle.operations.push_back(
      {.manifest = std::move(spec), .slug = "axpy", .aliases = {"SAXPY"}, .tags = {"blas"}});
  manifest::Manifest work = workload(of);
  const Digest on = work.digest();
  bundle.workloads.push_back({.manifest = std::move(work)});
  for (const Provider& provider : providers) {
    manifest::Manifest by = implementation(of, provider.name);
    bundle.runs.push_back(run({.implementation = by.digest(),
                               .workload = on,
                               .latency_ns = provider.latency_ns,
                               .observed_at = provider.observed_at,
                               .external_id = provider.external_id,
                               .half_width = provider.half_width}));
    bundle.implementations.push_back(
        {.manifest = std::move(by), .slug = provider.name, .project_slug = "kernels"});
  }
  return bundle;
}

void add_served(publish::Bundle& bundle, const Served& served) {
  manifest::Manifest model =
      make("ModelRevision", kebab(served.model), fmt::format(R"({{"model":"{}"}})", served.model));
  manifest::Manifest stack = make("ServingStackRevision", kebab(served.stack),
                                  fmt::format(R"({{"project":{{"name":"{}"}},
    "revision":{{"version":"{}"}}}})",
                                              served.stack, served.version));
  manifest::Manifest configuration =
      make("ServingConfiguration", kebab(served.stack) + "-configuration",
           fmt::format(R"({{"stackDigest":"{}","dtype":"fp8","options":{}}})",
                       to_string(stack.digest()), served.options));
  manifest::Manifest load =
      make("ServingWorkload", served.load_name, fmt::format("{{{}}}", served.load));
  manifest::Manifest run =
      make("ServingRun", served.name,
           fmt::format(R"({{"modelDigest":"{}","configurationDigest":"{}","workloadDigest":"{}",
    "topology":{{"acceleratorModel":"{}","acceleratorsPerNode":{},"nodeCount":{}}},
    "harness":{{"name":"lg","version":"5"}},"qualityPolicy":"{}","status":"{}","measurements":{},
    "observedAt":"{}"{}}})",
                       to_string(model.digest()), to_string(configuration.digest()),
                       to_string(load.digest()), served.accelerator, served.per_node, served.nodes,
                       served.quality, served.status, served.measurements, served.observed_at,
                       served.source_native));
  // The run first: the order of a bundle means nothing.
  bundle.serving.push_back({.manifest = std::move(run)});
  bundle.serving.push_back({.manifest = std::move(configuration)});
  bundle.serving.push_back({.manifest = std::move(load)});
  bundle.serving.push_back({.manifest = std::move(stack)});
  bundle.serving.push_back({.manifest = std::move(model)});
}

}  // namespace ki::test
