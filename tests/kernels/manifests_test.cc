// Operations of the suite as manifests: registry/operations holds them, and where the public
// benchmark table has the same operation, ours has its digest.
#include <cstdlib>
#include <stdexcept>

#include <gtest/gtest.h>

#include "base/files.h"
#include "import/liger/build.h"
#include "import/liger/kernels.h"
#include "json/read.h"
#include "json/write.h"
#include "kernels/manifest_text.h"
#include "kernels/registry.h"
#include "manifest/manifest.h"
#include "support/places.h"

namespace ki::kernels {
namespace {

constexpr std::size_t kFileBytesMax = 1 << 20;

manifest::Manifest decoded(const std::string& text) {
  auto document = json::parse(text);
  if (!document.has_value()) throw std::runtime_error("no JSON: " + text);
  auto manifest = manifest::decode(std::move(*document));
  if (!manifest.has_value()) throw std::runtime_error("no manifest: " + text);
  return std::move(*manifest);
}

// With KI_UPDATE_GOLDEN=1 this writes registry/operations/*.json anew.
TEST(KernelManifests, RegistryHoldsEveryOperation) {
  std::size_t files = 0;
  const auto folder = places::source_dir() / "registry/operations";
  for (const Operation& operation : operations()) {
    const std::string text = json::indented(operation_manifest(operation)) + "\n";
    decoded(text);
    const auto path = folder / (operation.slug + ".json");
    if (std::getenv("KI_UPDATE_GOLDEN") != nullptr) {
      ASSERT_TRUE(write_file(path, text).has_value());
    }
    EXPECT_EQ(read_file(path, kFileBytesMax).value_or(""), text) << path;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files += entry.path().extension() == ".json" ? 1 : 0;
  }
  EXPECT_EQ(files, operations().size());
}

TEST(KernelManifests, OperationsOfTheBenchmarkTableKeepTheirDigest) {
  int known = 0;
  for (const auto& kernel : importer::liger::kernels()) {
    const Operation* operation = find_operation(kernel.slug);
    if (operation == nullptr) continue;
    const auto theirs = make_operation(kernel, importer::liger::Mapping::distinct);
    ASSERT_TRUE(theirs.has_value());
    const auto ours = decoded(operation_manifest(*operation));
    EXPECT_EQ(ours.canonical_body(), theirs->canonical_body());
    EXPECT_EQ(ours.digest(), theirs->digest()) << operation->slug;
    ++known;
  }
  EXPECT_GE(known, 5);
}

TEST(KernelManifests, CasesAreValidWorkloads) {
  for (const Operation& operation : operations()) {
    const auto spec = decoded(operation_manifest(operation));
    for (const NamedCase& named : operation.cases) {
      Bound bound;
      std::string problem;
      const Case one{operation.slug, Pass::forward, named.dtype, named.axes, {}};
      ASSERT_TRUE(bind(one, bound, problem)) << problem;
      const auto workload =
          decoded(workload_manifest(bound, to_string(spec.digest()), Distribution::bell));
      EXPECT_EQ(workload.kind(), manifest::Kind::workload_case);
      const auto other =
          decoded(workload_manifest(bound, to_string(spec.digest()), Distribution::shifted));
      EXPECT_NE(workload.digest(), other.digest()) << "other content is another workload";
    }
  }
}

}  // namespace
}  // namespace ki::kernels
