#include "policy/facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "json/write.h"

namespace ki::policy {
namespace {

using json::Value;

constexpr std::string_view kDot = " · ";

// The member of a valid manifest that is there by its schema.
const Value& required(const Value& object, std::string_view key) {
  const Value* value = object.find(key);
  KI_CHECK(value != nullptr);
  return *value;
}

std::string text_of(const Value& object, std::string_view key) {
  return std::string(required(object, key).string());
}

// The pass that one of `words` names; nullopt when none or more than one does.
std::optional<Pass> only_pass(const std::vector<std::string_view>& words) {
  std::optional<Pass> out;
  for (const auto word : words) {
    const auto pass = read_pass(word);
    if (!pass) continue;
    if (out && out != pass) return std::nullopt;
    out = pass;
  }
  return out;
}

// The value at the end of a path of optional members, or nullptr.
const Value* find_path(const Value& from, std::initializer_list<std::string_view> path) {
  const Value* at = &from;
  for (const auto key : path) {
    at = at->find(key);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::optional<std::string> find_text(const Value& from,
                                     std::initializer_list<std::string_view> path) {
  const Value* value = find_path(from, path);
  if (value == nullptr) return std::nullopt;
  return std::string(value->string());
}

std::optional<std::int64_t> find_integer(const Value& from, std::string_view key) {
  const Value* value = from.find(key);
  if (value == nullptr) return std::nullopt;
  return static_cast<std::int64_t>(value->number());
}

Digest digest_at(const Value& object, std::string_view key) {
  const auto digest = parse_digest(required(object, key).string());
  KI_CHECK(digest.has_value());  // The manifest schema demands the form.
  return *digest;
}

std::string number_text(double value) {
  std::string out;
  json::append_number(out, value);
  return out;
}

void add_unique(std::vector<std::string>& list, std::string_view text) {
  if (std::ranges::find(list, text) == list.end()) list.emplace_back(text);
}

void sort_utf16(std::vector<std::string>& list) {
  std::ranges::sort(list, [](const auto& a, const auto& b) { return json::utf16_less(a, b); });
}

bool is_suite(const Value& workload) { return workload.find("cases") != nullptr; }

std::string suite_text(const Value& workload) {
  return "suite of " + std::to_string(required(workload, "cases").items().size()) + " cases";
}

std::string shape_text(const Value& tensor) {
  std::string out = "[";
  for (const Value& size : required(tensor, "shape").items()) {
    if (out.size() > 1) out += ", ";
    json::append_number(out, size.number());
  }
  return out + "]";
}

std::string shape_summary(const Value& workload, const Value& operation) {
  if (is_suite(workload)) return suite_text(workload);
  const Value& tensors = required(workload, "tensors");
  if (tensors.members().empty()) return "[]";
  for (const std::string_view side : {"inputs", "outputs"}) {
    for (const Value& argument : required(operation, side).items()) {
      const Value* tensor = tensors.find(required(argument, "name").string());
      if (tensor != nullptr) return shape_text(*tensor);
    }
  }
  return "?";
}

std::string_view layout_key(const Value& tensor) {
  const Value* strides = tensor.find("strides");
  if (strides == nullptr) return "contiguous";
  const auto shape = required(tensor, "shape").items();
  if (strides->items().size() < shape.size()) return "strided";
  double packed = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (strides->items()[i].number() != packed) return "strided";
    packed *= shape[i].number();
  }
  return "row_major";
}

std::vector<std::string> dtypes_of(const Value& workload) {
  std::vector<std::string> out;
  for (const json::Member& tensor : required(workload, "tensors").members()) {
    add_unique(out, required(tensor.value, "dtype").string());
  }
  sort_utf16(out);
  return out;
}

Measurement measurement_of(const Value& row) {
  return {.metric = text_of(row, "metric"),
          .statistic = text_of(row, "statistic"),
          .unit = text_of(row, "unit"),
          .value = required(row, "value").number(),
          .sample_count = find_integer(row, "sampleCount")};
}

Measurement latency(std::string_view statistic, double nanoseconds, const Value& timing) {
  return {.metric = "latency",
          .statistic = std::string(statistic),
          .unit = "ns",
          .value = nanoseconds,
          .sample_count = find_integer(timing, "samples")};
}

std::optional<Interval> declared_interval(const Value& run) {
  const Value* pair = find_path(run, {"timing", "latencyNs", "confidence95"});
  if (pair == nullptr) return std::nullopt;
  return Interval{.low = pair->items()[0].number(), .high = pair->items()[1].number()};
}

// What publication refuses, whatever the schema allows.
Status check_values(const RunFacts& facts) {
  if (!facts.primary && facts.status == "passed") {
    return fail(Code::invalid,
                "a run that passed needs a primary value: timing.latencyNs or a measurement",
                "/spec");
  }
  if (facts.primary && facts.primary->value < 0) {
    return fail(Code::invalid, "the primary value is negative", "/spec/measurements/0/value");
  }
  if (facts.primary && facts.status == "passed" && facts.primary->metric == "latency" &&
      facts.primary->value == 0) {
    return fail(
        Code::invalid,
        "a latency of 0 is none: nothing takes no time; give it as finely as it was measured",
        "/spec");
  }
  for (const Measurement& row : facts.measurements) {
    if (row.metric == "latency" && row.value < 0) {
      return fail(Code::invalid, "the latency \"" + row.statistic + "\" is negative",
                  "/spec/measurements");
    }
  }
  return {};
}

// A run that says two things of one statistic: neither is to be believed, and one would be lost.
Status check_repeats(const Value& run, const std::vector<Measurement>& rows) {
  const Value* stated = run.find("measurements");
  if (stated == nullptr) return {};
  for (std::size_t i = 0; i < stated->items().size(); ++i) {
    const Measurement other = measurement_of(stated->items()[i]);
    const auto kept = std::ranges::find_if(rows, [&](const Measurement& row) {
      return row.metric == other.metric && row.statistic == other.statistic;
    });
    if (kept == rows.end() || (kept->value == other.value && kept->unit == other.unit)) continue;
    return fail(
        Code::invalid,
        fmt::format("the run says two things of its {} {}: {:.6g} {} and {:.6g} {}; state one",
                    other.statistic, other.metric, kept->value, kept->unit, other.value,
                    other.unit),
        fmt::format("/spec/measurements/{}", i));
  }
  return {};
}

std::optional<std::int64_t> software_major(const Value& environment, std::string_view member) {
  const Value* text = find_path(environment, {"software", member});
  return text == nullptr ? std::nullopt : major_version(text->string());
}

}  // namespace

std::optional<Interval> stated_spread(const Measurement& primary,
                                      const std::vector<Measurement>& rows) {
  const auto find = [&](std::string_view statistic) {
    return std::ranges::find_if(rows, [&](const Measurement& row) {
      return row.metric == primary.metric && row.unit == primary.unit && row.statistic == statistic;
    });
  };
  const auto low = find("p20");
  const auto high = find("p80");
  if (low == rows.end() || high == rows.end()) return std::nullopt;
  return Interval{.low = low->value, .high = high->value};
}

// ---- operations

OperationFacts derive_operation_facts(const Value& operation) {
  OperationFacts out{.family = text_of(operation, "family"), .dtypes = {}};
  for (const std::string_view side : {"inputs", "outputs"}) {
    for (const Value& argument : required(operation, side).items()) {
      const Value* tensor = argument.find("tensor");
      if (tensor != nullptr) add_unique(out.dtypes, required(*tensor, "dtype").string());
    }
  }
  return out;
}

// ---- workloads

namespace {

// The slug without digits and a dash in front, unless nothing is left.
std::string_view without_number(std::string_view slug) {
  const std::size_t digits = slug.find_first_not_of("0123456789");
  const bool numbered = digits != 0 && digits != std::string_view::npos && slug[digits] == '-' &&
                        digits + 1 < slug.size();
  return numbered ? slug.substr(digits + 1) : slug;
}

}  // namespace

Digest equivalence_key(std::string_view slug, const Value& operation) {
  std::vector<json::Member> kept;
  for (const json::Member& member : operation.members()) {
    if (member.key != "family" && member.key != "reference") kept.push_back(member);
  }
  json::Arena arena;
  std::string body;  // Members in the order of RFC 8785: this is the canonical form.
  json::Writer out(body);
  out.begin_object().key("slug").string(without_number(slug));
  out.key("spec").raw(json::canonical(arena.object(kept))).end_object();
  return sha256(body);
}

WorkloadFacts derive_workload_facts(const Value& workload, const Value& operation) {
  WorkloadFacts out;
  out.operation = digest_at(workload, "operationSpecDigest");
  out.correctness_key = correctness_key(workload);
  out.suite = is_suite(workload);
  out.shape_summary = shape_summary(workload, operation);
  if (out.suite) return out;
  out.dtypes = dtypes_of(workload);
  for (const json::Member& tensor : required(workload, "tensors").members()) {
    add_unique(out.layout_keys, layout_key(tensor.value));
  }
  sort_utf16(out.layout_keys);
  for (const json::Member& axis : required(workload, "axes").members()) {
    out.axes.emplace_back(axis.key, static_cast<std::int64_t>(axis.value.number()));
  }
  return out;
}

std::string workload_label(const Value& workload) {
  if (is_suite(workload)) {
    std::vector<std::string> words;
    for (const std::string_view member : {"statistic", "metric"}) {
      std::string word = text_of(required(workload, "aggregation"), member);
      if (word != "unspecified") words.push_back(std::move(word));
    }
    const std::string aggregation = join(words, " ");
    return suite_text(workload) + (aggregation.empty() ? "" : std::string(kDot) + aggregation);
  }
  std::vector<std::string> parts;
  for (const json::Member& axis : required(workload, "axes").members()) {
    parts.push_back(std::string(axis.key) + " = " + number_text(axis.value.number()));
  }
  std::string dtypes = dtype_label(dtypes_of(workload));
  if (!dtypes.empty()) parts.push_back(std::move(dtypes));
  return join(parts, kDot);
}

std::string dtype_label(const std::vector<std::string>& dtypes) {
  constexpr std::size_t kShownMax = 3;
  const auto is_index = [](const std::string& name) {
    return name.starts_with("int") || name.starts_with("uint") || name.starts_with("index") ||
           name == "bool";
  };
  std::vector<std::string> names;
  for (const std::string& dtype : dtypes) {
    add_unique(names, dtype == "float4_e2m1fn_x2" ? "fp4" : std::string_view(dtype));
  }
  if (!std::ranges::all_of(names, is_index)) std::erase_if(names, is_index);
  if (names.size() <= kShownMax) return join(names, "/");
  const std::size_t more = names.size() - kShownMax;
  names.resize(kShownMax);
  return join(names, "/") + " +" + std::to_string(more);
}

std::string row_summary(const std::vector<std::string>& dtypes, std::string_view shape_summary) {
  const std::string label = dtype_label(dtypes);
  return (label.empty() ? "" : label + std::string(kDot)) + std::string(shape_summary);
}

std::string tolerance_summary(const Value& workload) {
  const Value& correctness = required(workload, "correctness");
  std::vector<std::string> parts;
  if (const Value* bound = correctness.find("maxAbsoluteError")) {
    parts.push_back("abs ≤ " + number_text(bound->number()));
  }
  if (const Value* bound = correctness.find("maxRelativeError")) {
    parts.push_back("rel ≤ " + number_text(bound->number()));
  }
  if (const Value* ratio = correctness.find("requiredMatchedRatio")) {
    // To a millionth of a percent, so that 0.07 does not read 7.000000000000001.
    parts.push_back("matched ≥ " + number_text(std::round(ratio->number() * 1e8) / 1e6) + "%");
  }
  return parts.empty() ? text_of(correctness, "comparator") : join(parts, ", ");
}

// ---- implementations and projects

Licence stated_licence(const Value& implementation) {
  const auto concluded = find_text(implementation, {"licensing", "concluded"});
  const auto declared = find_text(implementation, {"licensing", "declared"});
  return parse_licence(concluded ? *concluded : declared.value_or(""));
}

ImplementationFacts derive_implementation_facts(const Value& implementation) {
  ImplementationFacts out;
  out.source_revision = find_text(implementation, {"projectRevision", "commit"});
  if (!out.source_revision) {
    out.source_revision = find_text(implementation, {"projectRevision", "version"});
  }
  out.language = text_of(required(implementation, "callable"), "language");
  out.framework = find_text(implementation, {"callable", "interface"});
  const Value& support = required(implementation, "support");
  for (const Value& name : required(support, "hardwareArchitectures").items()) {
    out.target_architectures.emplace_back(name.string());
  }
  out.license_declared = find_text(implementation, {"licensing", "declared"});
  out.license_expression = stated_licence(implementation).normalized;
  out.source_available = find_path(implementation, {"projectRevision", "repository"}) != nullptr ||
                         implementation.find("source") != nullptr;
  const Value* variants = implementation.find("buildVariants");
  if (variants == nullptr || variants->items().empty()) return out;
  out.installable = true;
  out.install_kind = find_text(variants->items()[0], {"install", "kind"});
  out.install_command = find_text(variants->items()[0], {"install", "command"});
  return out;
}

void ProjectFacts::rename(std::string_view to) {
  name = to;
  normalized_name = ascii_lower(to);
}

ProjectFacts derive_project_facts(const Value& project) {
  ProjectFacts out;
  out.rename(text_of(project, "name"));
  out.kind = find_text(project, {"kind"}).value_or("library");
  out.canonical_url = find_text(project, {"repository"});
  if (!out.canonical_url) out.canonical_url = find_text(project, {"homepage"});
  return out;
}

// ---- runs

std::optional<Measurement> primary_metric(const Value& run) {
  if (const Value* timing = run.find("timing")) {
    const Value& statistics = required(*timing, "latencyNs");
    const std::string statistic = text_of(*timing, "primaryStatistic");
    const bool by_mean = statistic == "mean";
    const Value* value = statistics.find(by_mean ? "mean" : "median");
    if (value == nullptr) value = statistics.find(by_mean ? "median" : "mean");
    KI_CHECK(value != nullptr);  // The manifest schema demands one of the two.
    return latency(statistic, value->number(), *timing);
  }
  const Value* measurements = run.find("measurements");
  if (measurements == nullptr || measurements->items().empty()) return std::nullopt;
  return measurement_of(measurements->items()[0]);
}

std::string metric_key(const std::optional<Measurement>& primary) {
  if (!primary) return "none";
  return primary->metric + ":" + primary->statistic + ":" + primary->unit;
}

std::vector<Measurement> measurement_rows(const Value& run) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kLatencies = {
      {{"median", "median"},
       {"mean", "mean"},
       {"p05", "p05"},
       {"p95", "p95"},
       {"minimum", "min"},
       {"maximum", "max"},
       {"mad", "mad"}}};
  std::vector<Measurement> rows;
  if (const Value* timing = run.find("timing")) {
    const Value& statistics = required(*timing, "latencyNs");
    for (const auto& [member, statistic] : kLatencies) {
      const Value* value = statistics.find(member);
      if (value != nullptr) rows.push_back(latency(statistic, value->number(), *timing));
    }
  }
  const Value* stated = run.find("measurements");
  if (stated == nullptr) return rows;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Measurement& row : rows) seen.emplace(row.metric, row.statistic);
  for (const Value& value : stated->items()) {
    Measurement row = measurement_of(value);
    if (seen.emplace(row.metric, row.statistic).second) rows.push_back(std::move(row));
  }
  return rows;
}

Digest comparison_key(const ComparisonParts& parts) {
  std::string body;  // Members in the order of RFC 8785: this is the canonical form.
  json::Writer out(body);
  out.begin_object();
  out.key("correctness").string(to_string(parts.correctness));
  out.key("environment").string(to_string(parts.environment));
  out.key("metric").string(parts.metric);
  out.key("operation").string(to_string(parts.operation));
  out.key("protocol").string(to_string(parts.protocol));
  out.key("v").integer(1);
  out.key("workload").string(to_string(parts.workload));
  out.end_object();
  return sha256(body);
}

Digest correctness_key(const Value& workload) {
  std::string body = "{\"correctness\":";
  json::append_canonical(body, required(workload, "correctness"));
  return sha256(body + "}");
}

std::optional<std::string> environment_summary(const Value& protocol, const Value& environment) {
  std::vector<std::string> parts;
  const Value& software = required(environment, "software");
  const auto toolkit = find_text(software, {"cudaToolkit"});
  if (toolkit && !toolkit->empty()) parts.push_back("CUDA " + *toolkit);
  if (const Value* framework = software.find("framework")) {
    parts.push_back(text_of(*framework, "name") + " " + text_of(*framework, "version"));
  }
  std::string harness = text_of(required(protocol, "harness"), "name");
  if (!harness.empty()) parts.push_back(std::move(harness));
  if (parts.empty()) return std::nullopt;
  return join(parts, kDot);
}

std::optional<std::int64_t> major_version(std::string_view version) {
  const std::string_view text = trim(version);
  const bool plus = text.starts_with('+');  // std::from_chars takes '-' but not '+'.
  const char* begin = text.data() + (plus ? 1 : 0);
  const char* end = text.data() + text.size();
  if (plus && (begin == end || *begin == '-')) return std::nullopt;
  std::int64_t value = 0;
  const auto [_, error] = std::from_chars(begin, end, value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

std::optional<Pass> timed_pass(const json::Value& protocol_manifest) {
  const std::string name = find_text(protocol_manifest, {"metadata", "name"}).value_or("");
  if (const auto pass = read_pass(std::string_view(name).substr(name.rfind('-') + 1))) return pass;
  const std::string title = find_text(protocol_manifest, {"metadata", "title"}).value_or("");
  const auto words = split(title, ' ');
  std::vector<std::string_view> before_pass;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (equals_ignoring_case(words[i], "pass")) before_pass.push_back(words[i - 1]);
  }
  return only_pass(before_pass);
}

double effect_min_of(const json::Value& protocol_manifest) {
  constexpr double kPaired = 0.01;
  const auto harness = find_text(protocol_manifest, {"spec", "harness", "name"});
  const auto family = find_text(protocol_manifest, {"spec", "comparability", "family"});
  if (harness != "ki bench" || !family) return 0;
  return family->starts_with("paired_") || family->starts_with("worker_") ? kPaired : 0;
}

Result<RunFacts> derive_run_facts(const Value& run, const Value& protocol, const Value& environment,
                                  const WorkloadFacts& workload,
                                  const ImplementationFacts& implementation) {
  RunFacts out;
  out.implementation = digest_at(run, "implementationDigest");
  out.workload = digest_at(run, "workloadDigest");
  out.protocol_key = digest_at(run, "protocolDigest");
  out.environment_key = digest_at(run, "environmentDigest");
  out.correctness_key = workload.correctness_key;
  out.status = text_of(run, "status");
  const auto observed = parse_instant(required(run, "observedAt").string());
  if (!observed) {
    return fail(Code::invalid, "the observation time is no instant in UTC", "/spec/observedAt");
  }
  out.observed_at = to_iso(*observed);
  out.primary = primary_metric(run);
  out.measurements = measurement_rows(run);
  TRY(check_values(out));
  TRY(check_repeats(run, out.measurements));
  out.uncertainty = declared_interval(run);
  if (out.primary) out.spread = stated_spread(*out.primary, out.measurements);
  out.comparison_key = comparison_key({.operation = workload.operation,
                                       .workload = out.workload,
                                       .protocol = out.protocol_key,
                                       .environment = out.environment_key,
                                       .correctness = out.correctness_key,
                                       .metric = metric_key(out.primary)});
  const Value& hardware = required(environment, "hardware");
  out.hardware_vendor = text_of(hardware, "vendor");
  out.hardware_model = text_of(hardware, "product");
  out.hardware_architecture = text_of(hardware, "architecture");
  out.driver_major = software_major(environment, "driver");
  out.cuda_major = software_major(environment, "cudaToolkit");
  out.environment_summary = environment_summary(protocol, environment);
  out.source_available = implementation.source_available;
  out.installable = implementation.installable;
  out.license_expression = implementation.license_expression;
  out.has_raw_evidence = find_path(run, {"timing", "rawSamples"}) != nullptr ||
                         find_path(run, {"evidence", "rawSamples"}) != nullptr ||
                         find_path(run, {"evidence", "logs"}) != nullptr;
  out.source_native = run.find("sourceNative") != nullptr;
  const Value* score = find_path(run, {"sourceNative", "metrics", "sol_score"});
  if (score != nullptr) out.sol_score = score->number();
  return out;
}

}  // namespace ki::policy
