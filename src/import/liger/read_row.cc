#include "import/liger/read_row.h"

#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "import/draft.h"
#include "json/read.h"
#include "json/write.h"

namespace ki::importer::liger {

namespace {

using Refused = std::unexpected<Refusal>;

Refused issue(std::string problem) {
  return Refused({.bucket = {}, .name = {}, .problem = std::move(problem)});
}

Refused counted(std::string bucket, std::string name, std::string problem = {}) {
  return Refused(
      {.bucket = std::move(bucket), .name = std::move(name), .problem = std::move(problem)});
}

struct Unit {
  std::string_view label;
  bool is_latency;
  double factor;          // to ns or bytes; 0 = the label does not settle it
  std::string_view unit;  // of the stored value
};

// The source's MB are 2^20 bytes. Whether its GB would be 2^30 is nowhere said.
constexpr Unit kUnits[] = {
    {"ns", true, 1, "ns"},           {"us", true, 1e3, "ns"},
    {"ms", true, 1e6, "ns"},         {"s", true, 1e9, "ns"},
    {"MB", false, 1048576, "bytes"}, {"MiB", false, 1048576, "bytes"},
    {"KiB", false, 1024, "bytes"},   {"GiB", false, 1073741824, "bytes"},
    {"B", false, 1, "bytes"},        {"bytes", false, 1, "bytes"},
    {"KB", false, 0, "kb"},          {"GB", false, 0, "gb"},
};

std::expected<const Unit*, std::string> unit_of(const Row& row) {
  const bool speed = row.metric == "speed";
  if (!speed && row.metric != "memory") {
    return std::unexpected(
        fmt::format("metric_name \"{}\" is neither speed nor memory", excerpt(row.metric)));
  }
  for (const Unit& unit : kUnits) {
    if (unit.label == row.unit && unit.is_latency == speed) return &unit;
  }
  return std::unexpected(fmt::format(
      "metric_unit \"{}\" does not fit metric {}; {} are understood", excerpt(row.unit), row.metric,
      speed ? "ns, us, ms, s" : "MB, MiB, KiB, GiB, bytes, and KB and GB unconverted"));
}

// The number of a y column; nullopt for what is no finite number.
std::optional<double> read_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

// Whole nanoseconds or bytes, half away from zero; a label that is not converted keeps its value.
double stored(double value, const Unit& unit) {
  return unit.factor == 0 ? value : std::round(value * unit.factor);
}

struct Quantile {
  std::string_view suffix;
  std::string_view statistic;
  std::optional<double> value;
};

std::expected<Figures, std::string> read_figures(const Row& row, const Unit& unit,
                                                 Mapping mapping) {
  const auto median = read_number(row.y50);
  if (!median || *median <= 0) {
    return std::unexpected(fmt::format("y_value_50 \"{}\" is no number above 0", excerpt(row.y50)));
  }
  Quantile p20{"20", "p20", read_number(row.y20)};
  Quantile p80{"80", "p80", read_number(row.y80)};
  if (mapping == Mapping::kernelindex_1) {
    // The public digests hold an empty field as 0, and both quantiles or neither.
    if (row.y20.empty()) p20.value = 0;
    if (row.y80.empty()) p80.value = 0;
  }
  const bool neither =
      mapping == Mapping::kernelindex_1 && (!p20.value.has_value() || !p80.value.has_value());
  Figures figures{.is_latency = unit.is_latency,
                  .unit = std::string(unit.unit),
                  .is_converted = unit.factor != 0,
                  .values = {},
                  .native = {}};
  const std::string prefix = tokenize(unit.label) + "_";
  for (const Quantile& quantile : {Quantile{"50", "median", median}, p20, p80}) {
    if (!quantile.value) continue;
    if (mapping == Mapping::distinct && *quantile.value < 0) {
      return std::unexpected(fmt::format("y_value_{} is below 0", quantile.suffix));
    }
    if (quantile.suffix != "50" && neither) continue;
    figures.native.emplace_back(prefix + std::string(quantile.suffix), *quantile.value);
    figures.values.push_back({quantile.statistic, stored(*quantile.value, unit)});
  }
  if (figures.values.front().value == 0) {
    return std::unexpected(
        fmt::format("y_value_50 {} {} rounds to 0 {}", row.y50, row.unit, figures.unit));
  }
  return figures;
}

std::string external_id_of(const Reading& reading, std::string_view key) {
  const Row& row = *reading.row;
  auto id = fmt::format("{}/{}/{}/{}/{}/{}", row.kernel, row.mode, row.provider, kebab(row.gpu),
                        key, kebab(row.timestamp));
  return reading.figures.is_latency ? id : id + "/memory";
}

std::string dtype_token(const json::Value& config) {
  if (auto known = dtype_of(config); !known.empty()) return known;
  const json::Value* stated = config.find("dtype");
  if (stated == nullptr || !stated->is_string()) return "unspecified";
  std::string_view text = stated->string();
  if (text.starts_with("torch.")) text.remove_prefix(std::string_view("torch.").size());
  return tokenize(text);
}

// Whole numbers become axes, everything else but the type stays as it is written.
std::expected<Uncurated, std::string> read_uncurated(const Row& row, std::int64_t swept,
                                                     const json::Value& config) {
  const Kernel* by_name = find_kernel(row.kernel);
  Uncurated uncurated{.kernel = row.kernel,
                      .family = by_name != nullptr ? std::string(by_name->family) : "uncurated",
                      .axes = {{tokenize(row.x_name), swept}},
                      .dtype = dtype_token(config),
                      .other = {}};
  std::vector<json::Member> other;
  for (const json::Member& member : config.members()) {
    const json::Value& value = member.value;
    const bool whole = value.is_number() && value.number() == std::floor(value.number()) &&
                       std::abs(value.number()) <= 9007199254740991.0;
    if (value.is_null() || (member.key == "dtype" && value.is_string())) continue;
    if (!whole) {
      other.push_back(member);
    } else if (!uncurated.axes
                    .emplace(tokenize(member.key), static_cast<std::int64_t>(value.number()))
                    .second) {
      return std::unexpected(
          fmt::format("the axis {} is given more than once", tokenize(member.key)));
    }
  }
  if (!other.empty()) {
    json::Arena arena;
    uncurated.other = json::canonical(arena.object(other));
  }
  return uncurated;
}

}  // namespace

const json::Value* RowReader::config_of(const std::string& text) {
  const auto [known, is_new] = configs_.try_emplace(text);
  if (is_new) {
    auto parsed = json::parse(known->first, {.bytes_max = std::size_t{64} << 10});
    if (parsed) known->second = std::move(*parsed);
  }
  return known->second.root.is_object() ? &known->second.root : nullptr;
}

std::expected<Reading, Refusal> RowReader::read(const Row& row, std::string_view file) {
  auto reading = mapping_ == Mapping::distinct ? read_distinct(row) : read_public(row);
  if (reading) reading->file = file;
  return reading;
}

std::expected<Reading, Refusal> RowReader::read_distinct(const Row& row) {
  const auto unit = unit_of(row);
  if (!unit) return issue(unit.error());
  const auto pass = parse_pass(row.mode);
  if (!pass) {
    return issue(fmt::format("kernel_operation_mode \"{}\" is not forward, backward or full",
                             excerpt(row.mode)));
  }
  if (row.kernel.empty() || row.provider.empty() || row.gpu.empty() || row.x_name.empty()) {
    return issue("kernel_name, kernel_provider, x_name and gpu_name may not be empty");
  }
  const json::Value* config = config_of(row.config);
  if (config == nullptr) return issue("extra_benchmark_config_str is no JSON object");
  const auto swept = read_swept(row.x_value);
  if (!swept) return issue(swept.error());
  const auto observed = parse_instant(row.timestamp);
  if (!observed) {
    return issue(fmt::format("timestamp \"{}\" is no date and time", excerpt(row.timestamp)));
  }
  auto figures = read_figures(row, **unit, mapping_);
  if (!figures) return issue(figures.error());

  Reading reading{
      .row = &row,
      .file = {},
      .pass = *pass,
      .kernel = find_kernel(row.kernel),
      .binding = {},
      .uncurated = {},
      .why_uncurated = "the kernel is not known",
      .maker = {.name = row.provider, .known = find_provider(row.provider), .shards = 0},
      .gpu = gpu_of(row.gpu),
      .figures = std::move(*figures),
      .observed = *observed,
      .external_id = {}};
  if (reading.kernel != nullptr) {
    auto bound = bind_row(*reading.kernel, row.x_name, *swept, *config, Strictness::strict);
    if (bound) {
      reading.binding = std::move(*bound);
    } else {
      reading.why_uncurated = bound.error();
      reading.kernel = nullptr;
    }
  }
  const json::Value* shards = config->find("num_shards");
  if (reading.kernel != nullptr && shards != nullptr && shards->is_number() &&
      (reading.maker.known == nullptr || reading.maker.known->tiled)) {
    reading.maker.shards = static_cast<std::int64_t>(shards->number());
  }
  if (reading.kernel == nullptr) {
    auto uncurated = read_uncurated(row, *swept, *config);
    if (!uncurated) return issue(uncurated.error());
    reading.uncurated = std::move(*uncurated);
  }
  reading.external_id =
      external_id_of(reading, reading.kernel != nullptr
                                  ? case_key(reading.binding.axes, reading.binding.dtype)
                                  : case_key(reading.uncurated.axes, reading.uncurated.dtype));
  return reading;
}

std::expected<Reading, Refusal> RowReader::read_public(const Row& row) {
  if (row.metric != "speed") return counted("memoryRows", row.metric);
  const Kernel* kernel = find_kernel(row.kernel);
  if (kernel == nullptr) return counted("uncuratedKernels", row.kernel);
  const auto pass = parse_pass(row.mode);
  if (!pass) return counted("unknownConfig", row.kernel, "unknown mode");
  const Provider* provider = find_provider(row.provider);
  if (provider == nullptr) return counted("unknownProvider", row.provider);
  const json::Value* config = config_of(row.config);
  if (config == nullptr) return counted("unknownConfig", row.kernel, "no JSON object");
  const auto swept = read_swept(row.x_value);
  if (!swept) return counted("unknownConfig", row.kernel, swept.error());
  auto bound = bind_row(*kernel, row.x_name, *swept, *config, Strictness::lenient);
  if (!bound) return counted("unknownConfig", row.kernel, bound.error());
  // The public importer assumes milliseconds; a row that says otherwise is converted or refused.
  const auto unit = unit_of(row);
  if (!unit) return issue(unit.error());
  const auto observed = parse_instant(row.timestamp);
  if (!observed) {
    return issue(fmt::format("timestamp \"{}\" is no date and time", excerpt(row.timestamp)));
  }
  auto figures = read_figures(row, **unit, mapping_);
  if (!figures) return issue(figures.error());
  Reading reading{.row = &row,
                  .file = {},
                  .pass = *pass,
                  .kernel = kernel,
                  .binding = std::move(*bound),
                  .uncurated = {},
                  .why_uncurated = {},
                  .maker = {.name = row.provider, .known = provider, .shards = 0},
                  .gpu = gpu_of(row.gpu),
                  .figures = std::move(*figures),
                  .observed = *observed,
                  .external_id = {}};
  reading.external_id =
      external_id_of(reading, case_key(reading.binding.axes, reading.binding.dtype));
  return reading;
}

}  // namespace ki::importer::liger
