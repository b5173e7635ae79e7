#include "query/mismatch.h"

#include <algorithm>
#include <cmath>

#include "base/result.h"
#include "base/text.h"
#include "query/tokens.h"

namespace ki::query {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view item) {
  return std::ranges::find(list, item) != list.end();
}

// One way to differ: the field, the axis when it is one, and how material it is: how much such a
// difference can say about a figure. Only the order of the weights matters.
struct Way {
  std::string_view field;
  double weight = 0;
  std::string_view axis{};
  bool operator==(const Way& other) const { return field == other.field && axis == other.axis; }
};

constexpr Way kMetric{"metric", 8};
constexpr Way kScope{"workload.scope", 6};
constexpr Way kPass{"protocol.pass", 5};
constexpr Way kGpu{"hardware.gpu", 4};
constexpr Way kVendor{"hardware.vendor", 4};
constexpr Way kMemory{"hardware.memory", 2};
constexpr Way kArchitecture{"hardware.architecture", 4};
constexpr Way kDtype{"workload.dtype", 3};
constexpr Way kDevices{"hardware.count", 3};
constexpr Way kShape{"workload.shape", 2};
constexpr Way kLayout{"workload.layout", 2};
constexpr Way kProtocol{"protocol", 1.5};
constexpr Way kCuda{"environment.cudaToolkit", 1};
constexpr Way kEnvironment{"environment", 1};
constexpr Way kWorkload{"workload", 1};
constexpr Way kFramework{"framework", 0.5};
constexpr Way kLanguage{"language", 0.5};
constexpr Way kComparison{"comparison", 0.5};
constexpr double kAxisDoublings = 5;  // that count in full
constexpr double kAxisWeightMax = 6;

using Size = std::optional<std::int64_t>;

// Twice or half the size is as material as one doubling. Past kAxisDoublings a nearer size still
// comes first, and none reaches kAxisWeightMax, which is that of a size unknown on a side: it
// cannot be near.
Way axis_way(std::string_view name, Size from, Size to) {
  if (!from || !to) return {"axes.", kAxisWeightMax, name};
  if (*from <= 0 || *to <= 0) return {"axes.", 1, name};
  const double doublings =
      std::abs(std::log2(static_cast<double>(*to) / static_cast<double>(*from)));
  const double beyond = std::max(doublings - kAxisDoublings, 0.0);
  return {"axes.", std::min(doublings, kAxisDoublings) + beyond / 64, name};
}

std::string field_of(const Way& way) { return std::string(way.field) + std::string(way.axis); }

std::string size_text(Size size) { return size ? std::to_string(*size) : "unknown"; }

std::string pass_text(const std::optional<policy::Pass>& pass) {
  return std::string(pass ? policy::name_of(*pass) : "unknown");
}

std::string metric_text(const CohortInfo& cohort) {
  return std::string(cohort.metric.empty() ? "none" : cohort.metric);
}

// A sink is called with a Way and two functions that give the texts of both sides: those who only
// count never pay for them.
struct Writer {
  std::vector<Mismatch>& out;
  std::string_view against = "request";
  void operator()(const Way& way, auto requested, auto observed) {
    out.push_back({.field = field_of(way),
                   .requested = requested(),
                   .observed = observed(),
                   .against = std::string(against)});
  }
};

struct Counter {
  Distance distance;
  void operator()(const Way& way, auto, auto) {
    ++distance.count;
    distance.weight += way.weight;
  }
};

template <class Sink>
void miss_environment(const Facets& facets, const CohortInfo& cohort, Sink& sink) {
  if (facets.hardware &&
      !satisfies(*facets.hardware, cohort.setting->gpu, cohort.setting->hardware_model)) {
    sink(
        kGpu, [&] { return facets.hardware->requested; },
        [&] { return std::string(cohort.setting->hardware_model); });
  }
  if (facets.vendor && *facets.vendor != cohort.setting->vendor) {
    sink(
        kVendor, [&] { return *facets.vendor; },
        [&] {
          return std::string(cohort.setting->vendor.empty() ? "unknown" : cohort.setting->vendor);
        });
  }
  if (facets.memory_gb && !facets.memory_gb->holds(cohort.setting->memory_gb)) {
    sink(
        kMemory, [&] { return facets.memory_gb->text() + " GB"; },
        [&] {
          return size_text(cohort.setting->memory_gb) + (cohort.setting->memory_gb ? " GB" : "");
        });
  }
  if (facets.device_count && !facets.device_count->holds(cohort.setting->device_count)) {
    sink(
        kDevices, [&] { return facets.device_count->text(); },
        [&] { return size_text(cohort.setting->device_count); });
  }
  if (facets.architecture && !satisfies(*facets.architecture, cohort.setting->architecture)) {
    sink(
        kArchitecture, [&] { return facets.architecture->requested; },
        [&] { return std::string(cohort.setting->hardware_architecture); });
  }
  if (facets.cuda && !facets.cuda->major.holds(cohort.setting->cuda_major)) {
    sink(
        kCuda, [&] { return facets.cuda->major.text(); },
        [&] { return size_text(cohort.setting->cuda_major); });
  }
}

// Whether what was recorded is what was asked for. Versions match by their leading parts, single
// words as they are, names by a part.
bool meets(const TextFacet& facet, std::string_view observed) {
  const std::string lower = ascii_lower(observed);
  if (facet.major) return facet.major->holds(leading_integer(lower));
  switch (facet.text) {
    case Text::driver:
      return lower == facet.requested || lower.starts_with(facet.requested + ".");
    case Text::statistic:
      return lower == facet.requested;
    case Text::compiler:
    case Text::protocol:
    case Text::project:
    case Text::package:
    case Text::author:
      return lower.contains(facet.requested);
  }
  KI_UNREACHABLE();
}

// What a facet is compared with; nullopt for one of the other kind.
std::optional<std::string> text_of(const CohortInfo& cohort, Text text) {
  switch (text) {
    case Text::driver:
      return std::string(cohort.setting->driver);
    case Text::compiler:
      return std::string(cohort.setting->compiler);
    case Text::protocol:
      return std::string(cohort.setting->protocol_text);
    case Text::statistic:
      return std::string(cohort.statistic);
    case Text::project:
    case Text::package:
    case Text::author:
      return std::nullopt;
  }
  KI_UNREACHABLE();
}

std::optional<std::string> text_of(const ImplementationInfo& implementation, Text text) {
  switch (text) {
    case Text::project:
      return implementation.project.name + " / " + implementation.project.slug;
    case Text::package:
      return implementation.packages.empty() ? implementation.line.install_command.value_or("")
                                             : join(implementation.packages, ", ");
    case Text::author:
      return join(implementation.authors, ", ");
    case Text::driver:
    case Text::compiler:
    case Text::protocol:
    case Text::statistic:
      return std::nullopt;
  }
  KI_UNREACHABLE();
}

template <class Sink>
void miss_texts(const Facets& facets, const auto& recorded, Sink& sink) {
  for (const TextFacet& facet : facets.texts) {
    const auto observed = text_of(recorded, facet.text);
    if (!observed || meets(facet, *observed)) continue;
    sink(
        Way{name_of(facet.text), 0.75},
        [&] { return facet.major ? facet.major->text() : facet.requested; },
        [&] { return observed->empty() ? std::string("unknown") : *observed; });
  }
}

template <class Sink>
void miss_protocol(const Facets& facets, const CohortInfo& cohort, Sink& sink) {
  if (facets.pass && facets.pass->pass != cohort.setting->pass) {
    sink(
        kPass, [&] { return pass_text(facets.pass->pass); },
        [&] { return pass_text(cohort.setting->pass); });
  }
  if (facets.metric && *facets.metric != cohort.metric) {
    sink(kMetric, [&] { return *facets.metric; }, [&] { return metric_text(cohort); });
  }
  miss_texts(facets, cohort, sink);
}

template <class Sink>
void miss_storage(const Facets& facets, const WorkloadInfo& workload, Sink& sink) {
  for (const DtypeFacet& dtype : facets.dtypes) {
    if (satisfies(dtype, workload.match_dtypes)) continue;
    sink(kDtype, [&] { return dtype.requested; }, [&] { return join(workload.match_dtypes, "/"); });
  }
  if (facets.layout && !contains(workload.layouts, *facets.layout)) {
    sink(
        kLayout, [&] { return *facets.layout; },
        [&] {
          return workload.layouts.empty() ? std::string("unknown") : join(workload.layouts, "/");
        });
  }
}

template <class Sink>
void miss_implementation(const Facets& facets, const ImplementationInfo& implementation,
                         Sink& sink) {
  const auto& line = implementation.line;
  if (facets.framework && facets.framework != line.framework) {
    sink(
        kFramework, [&] { return *facets.framework; },
        [&] { return line.framework.value_or("unknown"); });
  }
  if (facets.language && *facets.language != line.language) {
    sink(kLanguage, [&] { return *facets.language; }, [&] { return line.language; });
  }
  miss_texts(facets, implementation, sink);
}

bool has_shape(const WorkloadInfo& workload, const std::vector<std::int64_t>& shape) {
  return std::ranges::find(workload.tensors, shape, &TensorInfo::shape) != workload.tensors.end();
}

template <class Sink>
void miss_axis(const AxisFacet& axis, const WorkloadInfo& workload, Sink& sink) {
  const auto requested = [&] { return axis.size.text(); };
  if (workload.suite) {
    const bool covered = contains(workload.suite_axes, axis.name);
    if (axis.soft && !covered) return;
    sink(axis_way(axis.name, {}, {}), requested,
         [&] { return std::string(covered ? "covered inside suite aggregate" : "not in suite"); });
    return;
  }
  const auto value = workload.axis(axis.name);
  if (axis.size.holds(value) || (axis.soft && !value)) return;
  const Size nearest = value ? Size(axis.size.nearest(*value)) : std::nullopt;
  sink(axis_way(axis.name, nearest, value), requested, [&] { return size_text(value); });
}

template <class Sink>
void miss_case(const Facets& facets, const WorkloadInfo& workload, Sink& sink) {
  if (facets.shape && workload.suite) {
    sink(
        kScope, [&] { return "exact case " + shape_text(*facets.shape); },
        [] { return std::string("suite aggregate"); });
  } else if (facets.shape && !has_shape(workload, *facets.shape)) {
    sink(kShape, [&] { return shape_text(*facets.shape); }, [&] { return workload.shape_summary; });
  }
  for (const AxisFacet& axis : facets.axes) miss_axis(axis, workload, sink);
}

// In the order that the contract of the API lists them in.
template <class Sink>
void each_miss(const Facets& facets, const OperationSnapshot& snapshot, const CohortInfo& cohort,
               const ImplementationInfo* implementation, Sink& sink) {
  const WorkloadInfo& workload = snapshot.workloads[cohort.workload];
  miss_environment(facets, cohort, sink);
  miss_protocol(facets, cohort, sink);
  miss_storage(facets, workload, sink);
  if (implementation != nullptr) miss_implementation(facets, *implementation, sink);
  miss_case(facets, workload, sink);
}

template <class Sink>
void each_difference(const WorkloadInfo& selected, const WorkloadInfo& other, Sink& sink) {
  if (selected.suite || other.suite) {
    const auto scope = [](const WorkloadInfo& workload) {
      return std::string(workload.suite ? "suite aggregate" : "exact case");
    };
    if (selected.suite == other.suite) return;
    sink(kScope, [&] { return scope(selected); }, [&] { return scope(other); });
    return;
  }
  for (const auto& [name, value] : selected.axes) {
    const auto observed = other.axis(name);
    if (observed == value) continue;
    const std::int64_t size = value;
    sink(
        axis_way(name, size, observed), [&] { return std::to_string(size); },
        [&] { return size_text(observed); });
  }
  for (const auto& [name, value] : other.axes) {
    if (selected.axis(name)) continue;
    const std::int64_t size = value;
    sink(
        axis_way(name, {}, {}), [] { return std::string("unknown"); },
        [&] { return std::to_string(size); });
  }
}

// The start of a digest: enough to see that two are not the same.
std::string short_key(std::string_view digest) {
  constexpr std::size_t kShown = std::string_view("sha256:").size() + 8;
  return std::string(digest.substr(0, kShown));
}

struct Keyed {
  std::string_view key;
  std::string_view text;
};

// Two texts that stand for two keys; the keys themselves where the texts do not differ.
template <class Sink>
void keyed(const Way& way, const Keyed& ranked, const Keyed& other, Sink& sink) {
  if (ranked.key == other.key) return;
  const bool told = ranked.text != other.text;
  const auto text = [told](const Keyed& side) {
    if (!told) return short_key(side.key);
    return std::string(side.text.empty() ? "unknown" : side.text);
  };
  sink(way, [&] { return text(ranked); }, [&] { return text(other); });
}

template <class Sink>
void each_case_difference(const WorkloadInfo& from, const WorkloadInfo& to, Sink& sink) {
  bool any = from.dtypes != to.dtypes;
  const auto note = [&](const Way& way, auto requested, auto observed) {
    any = true;
    sink(way, requested, observed);
  };
  each_difference(from, to, note);
  if (from.dtypes != to.dtypes) {
    sink(
        kDtype, [&] { return join(from.match_dtypes, "/"); },
        [&] { return join(to.match_dtypes, "/"); });
  }
  if (any) return;
  sink(kWorkload, [&] { return short_key(from.digest); }, [&] { return short_key(to.digest); });
}

// What sets a cohort apart from the ranked one; nothing only when they are the same.
template <class Sink>
void each_difference(const OperationSnapshot& snapshot, const CohortInfo& ranked,
                     const CohortInfo& other, Sink& to) {
  bool any = false;
  const auto sink = [&](const Way& way, auto requested, auto observed) {
    any = true;
    to(way, requested, observed);
  };
  if (ranked.workload != other.workload) {
    each_case_difference(snapshot.workloads[ranked.workload], snapshot.workloads[other.workload],
                         sink);
  }
  const bool same_hardware = ranked.setting->hardware_model == other.setting->hardware_model;
  if (!same_hardware) {
    sink(
        kGpu, [&] { return std::string(ranked.setting->hardware_model); },
        [&] { return std::string(other.setting->hardware_model); });
  }
  if (ranked.setting->pass != other.setting->pass) {
    sink(
        kPass, [&] { return pass_text(ranked.setting->pass); },
        [&] { return pass_text(other.setting->pass); });
  }
  if (ranked.metric != other.metric) {
    sink(kMetric, [&] { return metric_text(ranked); }, [&] { return metric_text(other); });
  }
  if (ranked.setting->pass == other.setting->pass && ranked.metric == other.metric) {
    keyed(kProtocol, {ranked.setting->protocol_key, ranked.setting->protocol_text},
          {other.setting->protocol_key, other.setting->protocol_text}, sink);
  }
  // Another product is another environment: it counts once.
  if (same_hardware) {
    keyed(kEnvironment, {ranked.setting->environment_key, ranked.setting->environment_text},
          {other.setting->environment_key, other.setting->environment_text}, sink);
  }
  const std::string_view key = ranked.comparison_key;
  if (any || key == other.comparison_key) return;
  sink(
      kComparison, [&] { return short_key(key); }, [&] { return short_key(other.comparison_key); });
}

}  // namespace

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::vector<std::string> parts;
  for (const auto size : shape) parts.push_back(std::to_string(size));
  return "[" + join(parts, ", ") + "]";
}

bool satisfies(const HardwareFacet& facet, const policy::Gpu* gpu, std::string_view model) {
  if (!facet.gpu) return ascii_lower(model).contains(facet.part);
  if (gpu == nullptr) return equals_ignoring_case(model, facet.requested);
  return gpu == facet.gpu->unspecified ||
         std::ranges::find(facet.gpu->variants, gpu) != facet.gpu->variants.end();
}

bool satisfies(const ArchitectureFacet& facet, std::string_view architecture) {
  return contains(facet.reading.hardware, architecture);
}

bool satisfies(const DtypeFacet& facet, const std::vector<std::string>& dtypes) {
  return std::ranges::any_of(
      dtypes, [&](const auto& one) { return policy::dtype_matches(facet.reading, one); });
}

bool satisfies(const Facets& facets, const Setup& setup) {
  if (facets.hardware && !satisfies(*facets.hardware, setup.gpu, setup.hardware_model)) {
    return false;
  }
  if (facets.architecture && !satisfies(*facets.architecture, setup.architecture)) return false;
  if (facets.cuda && !facets.cuda->major.holds(setup.cuda_major)) return false;
  const policy::Gpu* gpu = setup.gpu;
  if (facets.vendor && (gpu == nullptr ? !ascii_lower(setup.hardware_model).contains(*facets.vendor)
                                       : gpu->vendor != *facets.vendor)) {
    return false;
  }
  if (facets.memory_gb && (gpu == nullptr || !facets.memory_gb->holds(gpu->memory_gb))) {
    return false;
  }
  return std::ranges::all_of(
      facets.dtypes, [&](const DtypeFacet& dtype) { return satisfies(dtype, setup.dtypes); });
}

std::vector<Mismatch> mismatches(const Facets& facets, const OperationSnapshot& snapshot,
                                 const RunInfo& run) {
  std::vector<Mismatch> out;
  Writer writer{out};
  each_miss(facets, snapshot, snapshot.cohorts[run.cohort],
            &snapshot.implementations[run.implementation], writer);
  return out;
}

Distance misses(const Facets& facets, const OperationSnapshot& snapshot, const CohortInfo& cohort) {
  Counter counter;
  each_miss(facets, snapshot, cohort, nullptr, counter);
  return counter.distance;
}

bool cohort_satisfies(const Facets& facets, const OperationSnapshot& snapshot,
                      const CohortInfo& cohort) {
  Counter counter;
  miss_environment(facets, cohort, counter);
  if (counter.distance.count > 0) return false;
  return misses(facets, snapshot, cohort).count == 0;
}

bool implementation_satisfies(const Facets& facets, const ImplementationInfo& implementation) {
  Counter counter;
  miss_implementation(facets, implementation, counter);
  return counter.distance.count == 0;
}

bool is_case(const Facets& facets, const WorkloadInfo& workload) {
  if (workload.suite) return false;
  Counter counter;
  miss_case(facets, workload, counter);
  return counter.distance.count == 0 &&
         std::ranges::all_of(facets.dtypes, [&](const DtypeFacet& dtype) {
           return satisfies(dtype, workload.match_dtypes);
         });
}

std::vector<Mismatch> differences(const WorkloadInfo& selected, const WorkloadInfo& other) {
  std::vector<Mismatch> out;
  Writer writer{out, "workload"};
  each_difference(selected, other, writer);
  return out;
}

Baseline::Baseline(const Facets& facets, const OperationSnapshot& snapshot,
                   const CohortInfo& ranked)
    : facets_(facets), snapshot_(snapshot), ranked_(ranked) {
  const auto note = [&](const Way& way, auto, auto) { missed_.push_back(field_of(way)); };
  each_miss(facets, snapshot, ranked, nullptr, note);
}

// Whether the request says what the field should be and the ranked group is something else, so that
// the ranked group is no measure. A shape decides the axes, a toolkit the environment.
bool Baseline::decided(std::string_view field) const {
  return std::ranges::any_of(missed_, [&](std::string_view missed) {
    if (missed == field) return true;
    if (field == kGpu.field) return missed.starts_with("hardware.");
    if (field == kEnvironment.field) return missed.starts_with("environment.");
    const bool of_case = field.starts_with("axes.") || field == kWorkload.field;
    return of_case && (missed == kShape.field || missed == kScope.field);
  });
}

template <class Sink>
void Baseline::each(const CohortInfo& other, const ImplementationInfo* implementation,
                    Sink sink) const {
  std::vector<Way> said;
  const auto missed = [&](const Way& way, auto requested, auto observed) {
    said.push_back(way);
    sink(way, requested, observed, "request");
  };
  each_miss(facets_, snapshot_, other, implementation, missed);
  bool left_out = false;
  const auto differs = [&](const Way& way, auto requested, auto observed) {
    if (std::ranges::find(said, way) != said.end()) return;
    if (!missed_.empty() && decided(field_of(way))) {
      left_out = true;
      return;
    }
    said.push_back(way);
    sink(way, requested, observed, "cohort");
  };
  each_difference(snapshot_, ranked_, other, differs);
  if (!said.empty() || !left_out) return;
  // It has all that was asked for, and yet another group was named.
  const auto apart = [&](const Way& way, auto requested, auto observed) {
    sink(way, requested, observed, "cohort");
  };
  each_difference(snapshot_, ranked_, other, apart);
}

std::vector<Mismatch> Baseline::differs(const RunInfo& run) const {
  std::vector<Mismatch> out;
  each(snapshot_.cohorts[run.cohort], &snapshot_.implementations[run.implementation],
       [&](const Way& way, auto requested, auto observed, std::string_view against) {
         Writer{out, against}(way, requested, observed);
       });
  return out;
}

Distance Baseline::distance(const CohortInfo& other) const {
  Counter counter;
  each(other, nullptr, [&](const Way& way, auto requested, auto observed, std::string_view) {
    counter(way, requested, observed);
  });
  return counter.distance;
}

}  // namespace ki::query
