#include "import/liger/build.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "import/draft.h"

namespace ki::importer::liger {

using manifest::Kind;
using manifest::Manifest;

namespace {

constexpr std::string_view kRepository = "https://github.com/linkedin/Liger-Kernel";
constexpr std::string_view kTableUrl =
    "https://github.com/linkedin/Liger-Kernel/blob/main/benchmark/data/all_benchmark_data.csv";
constexpr std::size_t kTitleMax = 200;  // UTF-16 code units; our titles are mostly ASCII

std::string github_url(const Project& project) {
  return fmt::format("https://github.com/{}", project.repository);
}

std::string title(std::string_view text) { return excerpt(text, kTitleMax - 3); }

// The tensors of the operation as a mapping sees them.
const std::vector<Argument>& inputs_of(const Kernel& kernel, Mapping mapping) {
  const bool stated = mapping == Mapping::distinct && !kernel.inputs_stated.empty();
  return stated ? kernel.inputs_stated : kernel.inputs;
}

// Derived axes serve the public signature; where ours differs they have no use.
std::vector<Derived> derived_of(const Kernel& kernel, Mapping mapping) {
  const bool stated = mapping == Mapping::distinct && !kernel.inputs_stated.empty();
  return stated ? std::vector<Derived>{} : kernel.derived;
}

void write_axis(json::Writer& out, std::string_view name, std::string_view expression = "") {
  out.key(name).begin_object();
  out.key("role").string(expression.empty() ? "variable" : "derived");
  out.key("type").string("integer");
  if (!expression.empty()) out.key("expression").string(expression);
  out.end_object();
}

void write_tensor(json::Writer& out, const Argument& argument, std::string_view float_type) {
  out.begin_object().key("name").string(argument.name).key("tensor").begin_object();
  out.key("shape").begin_array();
  for (const auto& dim : argument.dims) {
    const bool fixed = dim.find_first_not_of("0123456789") == std::string::npos;
    fixed ? out.integer(std::stoll(dim)) : out.string(dim);
  }
  out.end_array();
  out.key("dtype").string(argument.dtype == "*" ? float_type : argument.dtype);
  out.end_object().end_object();
}

void write_scalar_argument(json::Writer& out, std::string_view name, std::string_view dtype) {
  out.begin_object().key("name").string(name).key("scalar").begin_object();
  out.key("dtype").string(dtype).end_object().end_object();
}

// The axes that arguments and, in mapping distinct, the rules name, in order of first appearance.
std::vector<std::string> variables_of(const Kernel& kernel, Mapping mapping) {
  const auto derived = derived_of(kernel, mapping);
  std::vector<std::string> axes;
  const auto add = [&](const std::string& axis) {
    const bool number = axis.find_first_not_of("0123456789") == std::string::npos;
    if (number || std::ranges::find(derived, axis, &Derived::axis) != derived.end()) return;
    if (std::ranges::find(axes, axis) == axes.end()) axes.push_back(axis);
  };
  for (const auto* arguments : {&inputs_of(kernel, mapping), &kernel.outputs}) {
    for (const Argument& argument : *arguments) std::ranges::for_each(argument.dims, add);
  }
  if (mapping == Mapping::distinct) {
    for (const auto& [axis, source] : kernel.rules.front().axes) add(axis);
    for (const auto& [axis, source] : kernel.axes_stated) add(axis);
  }
  return axes;
}

void write_scalar_arguments(json::Writer& out, const Kernel& kernel) {
  for (const Clause& clause : kernel.rules.front().clauses) {
    if (clause.need == Need::positive || clause.need == Need::number ||
        clause.need == Need::scalar) {
      write_scalar_argument(out, clause.name, "fp32");
    }
  }
  for (const auto& name : kernel.scalars_stated) write_scalar_argument(out, name, "int64");
}

void write_semantics(json::Writer& out, std::string_view expression) {
  out.key("semantics").begin_object();
  if (!expression.empty()) out.key("expression").string(expression);
  out.key("mutation").string("none").key("determinism").string("unspecified").end_object();
}

void write_axes(json::Writer& out, const Axes& axes) {
  out.key("axes").begin_object();
  for (const auto& [name, value] : axes) out.key(name).integer(value);
  out.end_object();
}

void write_scalars(json::Writer& out, const std::vector<Scalar>& scalars) {
  for (const Scalar& scalar : scalars) {
    out.key(scalar.name).begin_object().key("dtype").string(scalar.dtype);
    out.key("value").number(scalar.value).end_object();
  }
}

void write_not_asserted(json::Writer& out) {
  out.key("correctness").begin_object().key("comparator").string("not_asserted").end_object();
}

void write_bound_tensors(json::Writer& out, const std::vector<Argument>& inputs, const Axes& axes,
                         std::string_view float_type) {
  out.key("tensors").begin_object();
  for (const Argument& input : inputs) {
    out.key(input.name).begin_object().key("shape").begin_array();
    for (const auto& dim : input.dims) {
      const auto axis = axes.find(dim);
      out.integer(axis != axes.end() ? axis->second : std::stoll(dim));
    }
    out.end_array();
    out.key("dtype").string(input.dtype == "*" ? float_type : input.dtype).end_object();
  }
  out.end_object();
}

// Notes are part of the protocol's identity: how a pass was timed decides what compares with it.
std::string_view timed_part(Pass pass) {
  switch (pass) {
    case Pass::forward:
      return "The forward pass is timed";
    case Pass::backward:
      return "The backward pass alone is timed, from a random gradient of the output";
    case Pass::full:
      return "The forward pass and the backward pass after it are timed together";
  }
  KI_UNREACHABLE();
}

void write_harness(json::Writer& out) {
  out.key("harness").begin_object().key("name").string("Liger-Kernel benchmark scripts");
  out.key("repository").string(kRepository).end_object();
}

void write_protocol(json::Writer& out, std::string_view timer, std::string_view family,
                    std::string_view notes) {
  write_harness(out);
  out.key("measurement").begin_object().key("timer").string(timer);
  out.key("primaryStatistic").string("median").end_object();
  out.key("comparability").begin_object().key("family").string(family);
  out.key("notes").string(notes).end_object();
}

void write_public_implementation(json::Writer& out, const Provider& provider,
                                 const Digest& operation) {
  out.key("projectRevision").begin_object().end_object();
  out.key("operation").begin_object().key("specDigest").string(to_string(operation)).end_object();
  out.key("callable").begin_object().key("language").string(provider.language).end_object();
}

// The source tells its callables apart by provider, so the provider is the symbol.
void write_distinct_implementation(json::Writer& out, const Maker& maker, const Digest& operation) {
  out.key("projectRevision").begin_object();
  if (maker.known != nullptr) {
    out.key("repository").string(github_url(*maker.known->project));
  }
  out.end_object();
  out.key("operation").begin_object().key("specDigest").string(to_string(operation)).end_object();
  out.key("callable").begin_object();
  out.key("language").string(maker.known != nullptr ? maker.known->language : "unknown");
  out.key("symbol").string(
      maker.shards == 0 ? maker.name : fmt::format("{} num_shards={}", maker.name, maker.shards));
  if (maker.known != nullptr) out.key("interface").string("pytorch");
  out.end_object();
}

}  // namespace

std::optional<Pass> parse_pass(std::string_view word) {
  for (const Pass pass : {Pass::forward, Pass::backward, Pass::full}) {
    if (name_of(pass) == word) return pass;
  }
  return std::nullopt;
}

std::string slug_of(const Uncurated& uncurated) {
  std::string exact = fmt::format("{}\n{}\n{}", uncurated.kernel, uncurated.dtype, uncurated.other);
  for (const auto& [axis, value] : uncurated.axes) exact += "\n" + axis;
  return marked_slug(fmt::format("{}-uncurated-{}", uncurated.kernel, uncurated.dtype), exact);
}

Result<Manifest> make_operation(const Kernel& kernel, Mapping mapping) {
  const bool distinct = mapping == Mapping::distinct;
  const auto slug = std::string(distinct ? kernel.slug : kernel.public_slug);
  Draft draft(
      Kind::operation_spec,
      {.name = slug, .title = std::string(kernel.title), .source_url = std::string(kRepository)});
  json::Writer& out = draft.spec();
  out.key("family").string(kernel.family).key("axes").begin_object();
  for (const auto& axis : variables_of(kernel, mapping)) write_axis(out, axis);
  for (const auto& [axis, expression] : derived_of(kernel, mapping)) {
    write_axis(out, axis, expression);
  }
  out.end_object().key("inputs").begin_array();
  for (const auto& input : inputs_of(kernel, mapping)) write_tensor(out, input, "float");
  if (distinct) write_scalar_arguments(out, kernel);
  out.end_array().key("outputs").begin_array();
  for (const auto& output : kernel.outputs) write_tensor(out, output, "float");
  out.end_array();
  write_semantics(out, distinct ? kernel.expression : "");
  return draft.finish();
}

Result<Manifest> make_operation(const Uncurated& uncurated) {
  Draft draft(Kind::operation_spec, {.name = slug_of(uncurated),
                                     .title = title(uncurated.kernel + " (signature not stated)"),
                                     .source_url = std::string(kRepository)});
  json::Writer& out = draft.spec();
  out.key("family").string(uncurated.family).key("axes").begin_object();
  for (const auto& [axis, value] : uncurated.axes) write_axis(out, axis);
  const Argument unspecified{.name = "unspecified", .dtype = "*", .dims = {"unspecified"}};
  out.end_object().key("inputs").begin_array();
  write_tensor(out, unspecified, uncurated.dtype);
  out.end_array().key("outputs").begin_array();
  write_tensor(out, unspecified, uncurated.dtype);
  out.end_array();
  std::string expression =
      fmt::format("The source names this computation \"{}\" and does not state its signature.",
                  uncurated.kernel);
  if (!uncurated.other.empty()) expression += " Its configuration also holds " + uncurated.other;
  write_semantics(out, expression);
  return draft.finish();
}

Result<Manifest> make_case(const Kernel& kernel, const Binding& binding, const Digest& operation,
                           Mapping mapping) {
  const bool distinct = mapping == Mapping::distinct;
  Axes axes = binding.axes;
  if (distinct) axes.insert(binding.axes_stated.begin(), binding.axes_stated.end());
  std::vector<Scalar> scalars = binding.scalars;
  if (distinct) {
    scalars.insert(scalars.end(), binding.scalars_stated.begin(), binding.scalars_stated.end());
  }
  auto name = fmt::format("{}-{}", distinct ? kernel.slug : kernel.public_slug,
                          case_key(axes, binding.dtype));
  if (distinct) {
    for (const Scalar& scalar : scalars) {
      name += "-" + scalar.name;
      json::append_number(name, scalar.value);
    }
  }
  Draft draft(Kind::workload_case, {.name = name});
  json::Writer& out = draft.spec();
  out.key("operationSpecDigest").string(to_string(operation));
  write_axes(out, axes);
  for (const auto& [axis, expression] : derived_of(kernel, mapping)) {
    axes[axis] = derive(expression, axes);
  }
  write_bound_tensors(out, inputs_of(kernel, mapping), axes, binding.dtype);
  if (!scalars.empty()) {
    out.key("scalars").begin_object();
    write_scalars(out, scalars);
    out.end_object();
  }
  write_not_asserted(out);
  return draft.finish();
}

Result<Manifest> make_case(const Uncurated& uncurated, const Digest& operation) {
  Draft draft(Kind::workload_case,
              {.name = slug_of(uncurated) + "-" + case_key(uncurated.axes, uncurated.dtype)});
  json::Writer& out = draft.spec();
  out.key("operationSpecDigest").string(to_string(operation));
  write_axes(out, uncurated.axes);
  out.key("tensors").begin_object().end_object();
  write_not_asserted(out);
  return draft.finish();
}

std::string project_slug_of(const Maker& maker) {
  return maker.known != nullptr ? std::string(maker.known->project->slug)
                                : marked_slug("liger-bench-provider-" + maker.name, maker.name);
}

Result<Manifest> make_project(const Maker& maker) {
  Draft draft(Kind::software_project, {.name = project_slug_of(maker)});
  json::Writer& out = draft.spec();
  if (maker.known == nullptr) {
    out.key("name").string(maker.name);
    return draft.finish();
  }
  const Project& project = *maker.known->project;
  out.key("name").string(project.name).key("kind").string("library");
  out.key("repository").string(github_url(project));
  out.key("host").begin_object().key("kind").string("github");
  out.key("id").string(project.repository).end_object();
  return draft.finish();
}

Result<Manifest> make_implementation(const Maker& maker, const Digest& operation,
                                     const ImplementationNames& names, Mapping mapping) {
  std::map<std::string, std::string> labels;
  if (maker.known != nullptr && maker.known->baseline) labels["role"] = "baseline";
  Draft draft(Kind::implementation_revision, {.name = names.slug,
                                              .title = title(names.title),
                                              .labels = std::move(labels),
                                              .source_url = std::string(kRepository)});
  json::Writer& out = draft.spec();
  if (mapping == Mapping::kernelindex_1) {
    KI_CHECK(maker.known != nullptr);
    write_public_implementation(out, *maker.known, operation);
  } else {
    write_distinct_implementation(out, maker, operation);
  }
  out.key("support").begin_object().key("hardwareArchitectures").begin_array().end_array();
  out.key("dtypes").begin_array().end_array().end_object();
  if (maker.known != nullptr && !maker.known->pip_package.empty()) {
    out.key("buildVariants").begin_array().begin_object().key("name").string("pip");
    out.key("install").begin_object().key("kind").string("pip");
    out.key("package").string(maker.known->pip_package).end_object().end_object().end_array();
  }
  out.key("licensing").begin_object();
  if (maker.known != nullptr) {
    out.key("declared").string(maker.known->license);
    if (maker.known->license_concluded) out.key("concluded").string(maker.known->license);
  }
  out.end_object();
  return draft.finish();
}

Result<Manifest> make_environment(const Gpu& gpu) {
  const std::string product =
      gpu.form_factor.empty() ? gpu.product : gpu.product + " " + gpu.form_factor;
  Draft draft(Kind::execution_environment,
              {.name = "liger-bench-" + product, .title = title(product)});
  json::Writer& out = draft.spec();
  out.key("hardware").begin_object().key("vendor").string(gpu.vendor);
  out.key("product").string(gpu.product).key("architecture").string(gpu.architecture);
  if (!gpu.form_factor.empty()) out.key("formFactor").string(gpu.form_factor);
  out.end_object().key("software").begin_object().end_object();
  return draft.finish();
}

Result<Manifest> make_latency_protocol(Pass pass) {
  Draft draft(
      Kind::benchmark_protocol,
      {.name = fmt::format("liger-bench-latency-{}", name_of(pass)),
       .title = fmt::format("Liger-Kernel benchmark scripts, latency, {} pass", name_of(pass))});
  write_protocol(draft.spec(), "cuda_events", "liger_kernel_bench",
                 fmt::format("{} by Triton's do_bench, which gives the quantiles 0.5, 0.2 and 0.8 "
                             "of calls repeated for a short time: a slow call may be timed once. "
                             "Neither the number of calls nor the versions of driver, CUDA and "
                             "PyTorch are published. Times of observation carry no zone and are "
                             "read as UTC.",
                             timed_part(pass)));
  return draft.finish();
}

Result<Manifest> make_memory_protocol(Pass pass) {
  Draft draft(Kind::benchmark_protocol,
              {.name = fmt::format("liger-bench-memory-{}", name_of(pass)),
               .title = fmt::format("Liger-Kernel benchmark scripts, peak memory, {} pass",
                                    name_of(pass))});
  write_protocol(draft.spec(), "none", "liger_kernel_bench_memory",
                 fmt::format("Peak device memory of the {} pass, as the quantiles 0.5, 0.2 and 0.8 "
                             "of repeated calls. The source's label MB stands for 2^20 bytes; "
                             "figures so labelled are restated in bytes, others keep their label. "
                             "Versions of driver, CUDA and PyTorch are not published. Times of "
                             "observation carry no zone and are read as UTC.",
                             name_of(pass)));
  return draft.finish();
}

const Digest& public_protocol_digest(Pass pass) {
  static const auto read = [](std::string_view text) {
    const auto digest = parse_digest(text);
    KI_CHECK(digest.has_value());
    return *digest;
  };
  static const Digest kForward =
      read("sha256:a79eaf4df66c97c6adc1fb2d09df78682155d1ea86652ae0b70199875bde7747");
  static const Digest kBackward =
      read("sha256:080e6e66e4ec75a131aa0c9121c74b8e8eed64e7b6d621d567c6a28f79548be8");
  static const Digest kFull =
      read("sha256:5b02ee9a2140fbc6fcc1c89800f6c177ba22718c8897cb532bf0ba91867c1e58");
  switch (pass) {
    case Pass::forward:
      return kForward;
    case Pass::backward:
      return kBackward;
    case Pass::full:
      return kFull;
  }
  KI_UNREACHABLE();
}

Result<Manifest> make_run(const RunFacts& facts) {
  Draft draft(Kind::benchmark_run, {.name = "liger-" + facts.external_id,
                                    .title = title(facts.title),
                                    .labels = facts.labels,
                                    .source_url = std::string(kTableUrl)});
  json::Writer& out = draft.spec();
  out.key("implementationDigest").string(to_string(facts.implementation));
  out.key("workloadDigest").string(to_string(facts.workload));
  out.key("protocolDigest").string(to_string(facts.protocol));
  out.key("environmentDigest").string(to_string(facts.environment));
  out.key("status").string("passed");
  if (facts.is_latency) {
    out.key("timing").begin_object().key("primaryStatistic").string("median");
    out.key("latencyNs").begin_object().key("median").number(facts.values.front().value);
    out.end_object().end_object();
  }
  const std::size_t first = facts.is_latency ? 1 : 0;
  if (facts.values.size() > first) {
    out.key("measurements").begin_array();
    for (std::size_t i = first; i < facts.values.size(); ++i) {
      out.begin_object().key("metric").string(facts.is_latency ? "latency" : "peak_memory");
      out.key("unit").string(facts.unit).key("statistic").string(facts.values[i].statistic);
      out.key("value").number(facts.values[i].value).end_object();
    }
    out.end_array();
  }
  out.key("sourceNative").begin_object().key("source").string("liger-kernel-bench");
  out.key("benchmark").string(facts.benchmark).key("externalId").string(facts.external_id);
  out.key("metrics").begin_object();
  for (const auto& [name, value] : facts.native) out.key(name).number(value);
  out.end_object().end_object();
  out.key("observedAt").string(facts.observed_at);
  return draft.finish();
}

}  // namespace ki::importer::liger
