// How much memory an OperationSnapshot takes.
#include "query/heap_bytes.h"
#include "query/rows.h"
#include "query/snapshot.h"

namespace ki::query {
namespace {

constexpr std::size_t kNodeBytes = 6 * sizeof(void*);  // of an entry of a map, besides its key

std::size_t bytes_of(const WorkloadInfo& one) {
  std::size_t bytes = heap_bytes(one.id) * 2 + sizeof(std::string) + kNodeBytes +  // workload_at
                      heap_bytes(one.digest) + heap_bytes(one.label) + heap_bytes(one.summary) +
                      heap_bytes(one.shape_summary) + heap_bytes(one.tolerance_summary) +
                      heap_bytes(one.dtypes) + heap_bytes(one.match_dtypes) +
                      heap_bytes(one.layouts) + heap_bytes(one.suite_axes);
  bytes += one.axes.capacity() * sizeof(one.axes[0]);
  for (const auto& [name, value] : one.axes) bytes += heap_bytes(name);
  bytes += one.tensors.capacity() * sizeof(TensorInfo);
  for (const TensorInfo& tensor : one.tensors) {
    bytes += heap_bytes(tensor.name) + heap_bytes(tensor.dtype) + heap_bytes(tensor.shape);
  }
  return bytes;
}

std::size_t bytes_of(const ImplementationInfo& one) {
  const catalog::ImplementationLine& line = one.line;
  return heap_bytes(line.id) + heap_bytes(line.slug) + heap_bytes(line.digest) +
         heap_bytes(line.source_revision) + heap_bytes(line.language) + heap_bytes(line.framework) +
         heap_bytes(line.target_architectures) + heap_bytes(line.license_declared) +
         heap_bytes(line.license_expression) + heap_bytes(line.title) + heap_bytes(line.role) +
         heap_bytes(line.install_kind) + heap_bytes(line.install_command) +
         heap_bytes(line.project_name) + heap_bytes(line.project_slug) + heap_bytes(one.ref) +
         heap_bytes(one.project) + heap_bytes(one.authors) + heap_bytes(one.packages);
}

}  // namespace

std::size_t bytes_of(const OperationSnapshot& snapshot) {
  std::size_t bytes = sizeof(OperationSnapshot) + heap_bytes(snapshot.manifest) +
                      snapshot.texts.bytes() + snapshot.settings.size() * sizeof(Setting) +
                      snapshot.cohorts.capacity() * sizeof(CohortInfo) +
                      heap_bytes(snapshot.cohorts_by_key) + heap_bytes(snapshot.sources) +
                      snapshot.workloads.capacity() * sizeof(WorkloadInfo) +
                      snapshot.implementations.capacity() * sizeof(ImplementationInfo) +
                      snapshot.unmeasured.capacity() * sizeof(Unmeasured) +
                      snapshot.excluded.capacity() * sizeof(catalog::ExcludedLine) +
                      snapshot.source_lines.capacity() * sizeof(catalog::SourceLine);
  for (const MemberOperation& one : snapshot.operations) {
    bytes += sizeof(MemberOperation) + heap_bytes(one.ref) + heap_bytes(one.stored_name);
  }
  bytes += snapshot.axes.capacity() * sizeof(DeclaredAxis);
  for (const DeclaredAxis& one : snapshot.axes) {
    bytes += heap_bytes(one.name) + heap_bytes(one.expression);
  }
  for (const WorkloadInfo& one : snapshot.workloads) bytes += bytes_of(one);
  for (const ImplementationInfo& one : snapshot.implementations) bytes += bytes_of(one);
  for (const Unmeasured& one : snapshot.unmeasured) bytes += 2 * heap_bytes(one.row);
  for (const auto& one : snapshot.excluded) {
    bytes += heap_bytes(one.id) + heap_bytes(one.digest) + heap_bytes(one.comparison_key) +
             heap_bytes(one.implementation_slug) + heap_bytes(one.reason);
  }
  return bytes;
}

}  // namespace ki::query
