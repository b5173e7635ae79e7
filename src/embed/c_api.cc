// kernelindex.h over Reader. Nothing here throws or allocates but ki_snapshot_open.
#include <array>
#include <cstring>
#include <new>
#include <string>

#include "embed/kernelindex.h"
#include "embed/reader.h"

using ki::embed::Answer;
using ki::embed::AxisValue;
using ki::embed::Candidate;
using ki::embed::Case;
using ki::embed::Mapping;
using ki::embed::Reader;

struct ki_snapshot {
  Mapping mapping;
  Reader reader;
};

namespace {

constexpr std::size_t kAxesMax = 64;  // of a case: no workload has more

std::string_view view(const char* text) { return text == nullptr ? "" : text; }

bool is_pass(std::string_view pass) {
  return pass.empty() || pass == "forward" || pass == "backward" || pass == "full";
}

bool has(const Candidate& one, ki::embed::Flag flag) { return (one.flags & flag) != 0; }

bool fulfils(const Reader& reader, const Candidate& one, const ki_policy* policy) {
  if (policy == nullptr) return true;
  return static_cast<std::int64_t>(one.evidence) >= policy->minimum_evidence &&
         (policy->source_required == 0 || has(one, ki::embed::source_available)) &&
         (policy->installable_required == 0 || *reader.text(one.install) != '\0') &&
         (policy->deployable_required == 0 || has(one, ki::embed::deployable));
}

void tell(std::string_view what, char* message, std::size_t size) {
  if (message == nullptr || size == 0) return;
  const std::size_t length = std::min(what.size(), size - 1);
  std::memcpy(message, what.data(), length);
  message[length] = '\0';
}

}  // namespace

extern "C" {

uint32_t ki_abi_version(void) { return KI_ABI_VERSION; }

ki_status ki_snapshot_open(const char* path, ki_snapshot** snapshot, char* message,
                           size_t message_size) {
  if (path == nullptr || snapshot == nullptr) {
    tell("path and snapshot are needed", message, message_size);
    return KI_INVALID;
  }
  *snapshot = nullptr;
  try {
    auto mapping = Mapping::open(path);
    auto reader = mapping ? Reader::over(mapping->bytes())
                          : ki::Result<Reader>(std::unexpected(mapping.error()));
    if (!reader) {
      tell(to_string(reader.error()), message, message_size);
      return reader.error().code == ki::Code::unavailable ? KI_UNREADABLE : KI_DAMAGED;
    }
    *snapshot = new ki_snapshot{std::move(*mapping), *reader};
    return KI_OK;
  } catch (const std::bad_alloc&) {
    tell("out of memory", message, message_size);
    return KI_UNREADABLE;
  }
}

void ki_snapshot_close(ki_snapshot* snapshot) { delete snapshot; }

const char* ki_snapshot_catalog(const ki_snapshot* snapshot) {
  return snapshot->reader.text(snapshot->reader.header().catalog);
}

const char* ki_snapshot_policy(const ki_snapshot* snapshot) {
  return snapshot->reader.text(snapshot->reader.header().policy);
}

ki_status ki_resolve(const ki_snapshot* snapshot, const ki_case* wanted, const ki_policy* policy,
                     ki_answer* answer) {
  if (snapshot == nullptr || wanted == nullptr || answer == nullptr ||
      wanted->operation == nullptr || (wanted->axes == nullptr && wanted->axes_count != 0) ||
      !is_pass(view(wanted->pass))) {
    return KI_INVALID;
  }
  if (wanted->axes_count > kAxesMax) return KI_NOT_FOUND;
  std::array<AxisValue, kAxesMax> axes;
  for (std::size_t i = 0; i < wanted->axes_count; ++i) {
    if (wanted->axes[i].name == nullptr) return KI_INVALID;
    axes[i] = {.name = wanted->axes[i].name, .value = wanted->axes[i].value};
  }
  const Reader& reader = snapshot->reader;
  const Case* const found =
      reader.find(wanted->operation, view(wanted->dtype), view(wanted->hardware),
                  view(wanted->pass), std::span(axes).first(wanted->axes_count));
  if (found == nullptr) return KI_NOT_FOUND;
  const Answer& stored = reader.all_answers()[found->answer];
  const auto candidates = reader.candidates_of(stored);
  std::size_t best = 0;
  while (best < candidates.size() && !fulfils(reader, candidates[best], policy)) ++best;
  *answer = {.comparison_key = reader.text(stored.comparison_key),
             .hardware = reader.text(stored.hardware),
             .metric = reader.text(stored.metric),
             .unit = reader.text(stored.unit),
             .statistic = reader.text(stored.statistic),
             .verdict = reader.text(stored.verdict),
             .candidates_count = candidates.size(),
             .best = best,
             .handle = found->answer};
  return KI_OK;
}

ki_status ki_candidate_at(const ki_snapshot* snapshot, const ki_answer* answer, size_t index,
                          ki_candidate* candidate) {
  if (snapshot == nullptr || answer == nullptr || candidate == nullptr) return KI_INVALID;
  const Reader& reader = snapshot->reader;
  if (answer->handle >= reader.all_answers().size()) return KI_INVALID;
  const auto candidates = reader.candidates_of(reader.all_answers()[answer->handle]);
  if (index >= candidates.size()) return KI_INVALID;
  const Candidate& one = candidates[index];
  *candidate = {.implementation = reader.text(one.implementation),
                .name = reader.text(one.name),
                .project = reader.text(one.project),
                .run = reader.text(one.run),
                .language = reader.text(one.language),
                .framework = reader.text(one.framework),
                .install = reader.text(one.install),
                .license = reader.text(one.license),
                .value = one.value,
                .low = one.low,
                .high = one.high,
                .rank = one.rank,
                .shares_rank = has(one, ki::embed::shares_rank),
                .evidence = static_cast<std::int32_t>(one.evidence),
                .source_available = has(one, ki::embed::source_available),
                .deployable = has(one, ki::embed::deployable)};
  return KI_OK;
}

size_t ki_case_count(const ki_snapshot* snapshot) { return snapshot->reader.all_cases().size(); }

ki_status ki_case_at(const ki_snapshot* snapshot, size_t index, ki_axis* axes, size_t axes_max,
                     ki_case* out) {
  if (snapshot == nullptr || out == nullptr || (axes == nullptr && axes_max != 0)) {
    return KI_INVALID;
  }
  const Reader& reader = snapshot->reader;
  if (index >= reader.all_cases().size()) return KI_INVALID;
  const Case& one = reader.all_cases()[index];
  const auto stored = reader.axes_of(one);
  for (std::size_t i = 0; i < std::min(stored.size(), axes_max); ++i) {
    axes[i] = {.name = reader.text(stored[i].name), .value = stored[i].value};
  }
  *out = {.operation = reader.text(one.operation),
          .dtype = reader.text(one.dtype),
          .hardware = reader.text(one.hardware),
          .pass = reader.text(one.pass),
          .axes = axes,
          .axes_count = stored.size()};
  return KI_OK;
}

}  // extern "C"
