// The facets of a query: what each value may be and what it is taken for.
#include <algorithm>
#include <array>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "policy/metrics.h"
#include "query/parser.h"
#include "query/tokens.h"

namespace ki::query {
namespace {

QueryIssue value_issue(const std::string& token, std::string message,
                       std::vector<std::string> known = {}) {
  return {.token = token,
          .code = "unknown_value",
          .message = std::move(message),
          .hint = std::nullopt,
          .known = std::move(known)};
}

std::string quoted(std::string_view value) { return "'" + excerpt(value) + "'"; }

std::string bracketed(const std::vector<std::int64_t>& shape) {
  std::vector<std::string> parts;
  for (const auto size : shape) parts.push_back(std::to_string(size));
  return "[" + join(parts, ", ") + "]";
}

// A range of versions by their leading numbers: ">=12.4" asks for 12 and later.
std::optional<Range> major_range(std::string_view value) {
  std::string majors;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool minor = value[i] == '.' && i + 1 < value.size() && value[i + 1] != '.' && i > 0 &&
                       value[i - 1] != '.';
    if (!minor) {
      majors += value[i];
      continue;
    }
    while (i + 1 < value.size() && (value[i + 1] >= '0' && value[i + 1] <= '9')) ++i;
  }
  if (auto range = read_range(majors)) return range;
  const auto one = leading_integer(value);
  return one ? std::optional(Range{.least = *one, .most = *one}) : std::nullopt;
}

}  // namespace

void Parser::operation(const std::string& token, std::string_view value) {
  const std::string name = ascii_lower(trim(value));
  if (parse_digest(name)) {
    request_.digest = name;
    add_reading(token, "digest", "an object by its digest", "digest " + name.substr(0, 15));
    return;
  }
  const std::size_t reading = add_reading(token, "operation", name, "operation " + name);
  request_.operation_key = name;
  for (auto& word : tokens_of(name)) {
    request_.words.push_back({.text = std::move(word), .reading = reading});
  }
}

void Parser::family(const std::string& token, std::string_view value) {
  request_.family = ascii_lower(value);
  add_facet("family", token, "family", request_.family, "family " + request_.family);
}

void Parser::model(const std::string& token, std::string_view value) {
  request_.model = kebab(value);
  add_facet("model", token, "model", request_.model, "model " + request_.model);
}

void Parser::hardware(const std::string& token, std::string_view value) {
  HardwareFacet facet{.requested = std::string(value), .gpu = policy::read_gpu(value), .part = {}};
  if (!facet.gpu && policy::read_architecture(value)) return architecture(token, value);
  if (!facet.gpu) facet.part = ascii_lower(value);
  set_hardware(token, std::move(facet));
}

namespace {

// A name of hardware without the number of devices in it: "8x H100", "H100x8".
std::string without_count(const std::string& name) {
  std::vector<std::string> words;
  for (const std::string_view word : split(name, ' ')) {
    if (!word.empty() && !policy::read_device_count(word)) words.emplace_back(word);
  }
  std::string out = join(words, " ");
  if (out != name || out.empty()) return out;
  const auto is_x = [](char c) { return c == 'x' || c == 'X'; };
  const auto after = std::ranges::find_if(out, is_x) - out.begin() + 1;
  if (std::cmp_less(after, out.size()) &&
      policy::read_device_count(std::string_view(out).substr(0, static_cast<std::size_t>(after)))) {
    return out.substr(static_cast<std::size_t>(after));
  }
  const auto before = out.find_last_of("xX");
  if (before != std::string::npos &&
      policy::read_device_count(std::string_view(out).substr(before))) {
    out.erase(before);
  }
  return out;
}

std::string devices_text(const std::string& count) {
  return count + (count == "1" ? " device" : " devices");
}

}  // namespace

void Parser::set_hardware(const std::string& token, HardwareFacet facet) {
  std::string count;
  if (facet.gpu && facet.gpu->count) {
    count = " · " + devices_text(std::to_string(*facet.gpu->count));
    facet.requested = without_count(facet.requested);
  }
  std::vector<std::string> products;
  std::string meaning = facet.requested;
  if (facet.gpu) {
    for (const policy::Gpu* gpu : facet.gpu->variants) products.emplace_back(gpu->product);
    if (const auto& devices = facet.gpu->count) {
      request_.facets.device_count = Range{.least = *devices, .most = *devices};
    }
    if (products.empty() && facet.gpu->unspecified != nullptr) {
      meaning = std::string(facet.gpu->unspecified->product);
    }
  }
  if (products.size() == 1) meaning = std::exchange(products, {})[0];
  add_facet("gpu", token, "gpu", std::move(meaning), "gpu " + facet.requested + count,
            std::move(products));
  request_.facets.hardware = std::move(facet);
}

void Parser::architecture(const std::string& token, std::string_view value) {
  auto found = policy::read_architecture(value);
  if (!found) return add_issue(value_issue(token, "unrecognized architecture " + quoted(value)));
  std::string meaning = found->name;
  if (found->tokens.size() == 1 && found->tokens.front() != found->name) {
    meaning += " (" + found->tokens.front() + ")";
  }
  if (!found->note.empty()) meaning += " (" + std::string(found->note) + ")";
  add_facet("architecture", token, "architecture", std::move(meaning), "arch " + found->name,
            found->tokens.size() > 1 ? found->tokens : std::vector<std::string>{});
  const std::string name = found->name;
  request_.facets.architecture = ArchitectureFacet{.requested = name, .reading = std::move(*found)};
}

void Parser::dtype(const std::string& token, std::string_view value) {
  auto found = policy::read_dtype(value);
  if (!found) return add_issue(value_issue(token, "unknown dtype " + quoted(value)));
  const std::string name = found->name;
  if (found->kind == policy::DtypeKind::quantization) {
    request_.facets.quantization = name;
    add_facet("quantization", token, "quantization", name, "quantization " + name);
    return;
  }
  std::string meaning = name;
  if (found->kind == policy::DtypeKind::compute) meaning += " arithmetic on fp32 storage";
  if (found->family) meaning += ", any of its formats";
  add_facet("dtype " + name, token, "dtype", std::move(meaning), "dtype " + name,
            found->family ? std::vector<std::string>(found->tokens.begin(), found->tokens.end())
                          : std::vector<std::string>{});
  auto& dtypes = request_.facets.dtypes;
  if (std::ranges::find(dtypes, name, &DtypeFacet::requested) == dtypes.end()) {
    dtypes.push_back({.requested = name, .reading = std::move(*found)});
  }
}

void Parser::shape(const std::string& token, std::string_view value) {
  std::string text = ascii_lower(value);
  if (text.starts_with('[')) text.erase(0, 1);
  if (text.ends_with(']')) text.pop_back();
  const char separator = text.find('x') != std::string::npos ? 'x' : ',';
  std::vector<std::int64_t> sizes;
  for (const auto part : split(text, separator)) {
    const auto size = leading_integer(part);
    if (!size) return add_issue(value_issue(token, "unparseable shape " + quoted(value)));
    sizes.push_back(*size);
  }
  add_facet("shape", token, "shape", bracketed(sizes), "shape " + bracketed(sizes));
  request_.facets.shape = std::move(sizes);
  request_.facets.shape_token = token;
}

void Parser::layout(const std::string& token, std::string_view value) {
  std::string name = ascii_lower(value);
  std::ranges::replace(name, '-', '_');
  static const std::vector<std::string> kKnown = {"row_major", "col_major", "contiguous",
                                                  "strided"};
  if (std::ranges::find(kKnown, name) == kKnown.end()) {
    return add_issue(value_issue(token, "unknown layout " + quoted(value), kKnown));
  }
  add_facet("layout", token, "layout", name, "layout " + name);
  request_.facets.layout = std::move(name);
}

void Parser::framework(const std::string& token, std::string_view value) {
  std::string name = ascii_lower(value);
  if (name == "torch") name = "pytorch";
  add_facet("framework", token, "framework", name, "framework " + name);
  request_.facets.framework = std::move(name);
}

void Parser::language(const std::string& token, std::string_view value) {
  std::string name = ascii_lower(value);
  add_facet("language", token, "language", name, "language " + name);
  request_.facets.language = std::move(name);
}

void Parser::cuda(const std::string& token, std::string_view value) {
  const auto major = major_range(value);
  if (!major) return add_issue(value_issue(token, "unparseable CUDA version " + quoted(value)));
  if (!is_range(token, major, value)) return;
  add_facet("cuda", token, "cuda", "CUDA toolkit " + major->text(), "cuda " + std::string(value));
  request_.facets.cuda = CudaFacet{.major = *major, .typed = std::string(value)};
}

void Parser::pass(const std::string& token, std::string_view value) {
  const auto found = policy::read_pass(value);
  if (!found) {
    return add_issue(
        value_issue(token, "unknown pass " + quoted(value), {"forward", "backward", "full"}));
  }
  const std::string name(policy::name_of(*found));
  add_facet("pass", token, "pass", name + " pass", "pass " + name);
  request_.facets.pass = PassFacet{.pass = *found, .soft = false};
}

void Parser::metric(const std::string& token, std::string_view value) {
  std::string name = ascii_lower(value);
  if (name == "memory") name = "peak_memory";
  std::vector<std::string> known;
  for (const policy::Metric& metric : policy::all_metrics()) {
    if (std::ranges::find(known, metric.name) == known.end()) known.emplace_back(metric.name);
  }
  if (std::ranges::find(known, name) == known.end()) {
    return add_issue(value_issue(token, "unknown metric " + quoted(value), std::move(known)));
  }
  add_facet("metric", token, "metric", name, "metric " + name);
  request_.facets.metric = std::move(name);
}

void Parser::cohort(const std::string& token, std::string_view value) {
  constexpr std::string_view kScheme = "sha256:";
  constexpr std::size_t kDigitsMin = 8;
  constexpr std::size_t kDigitsMax = 64;
  std::string digits = ascii_lower(value);
  if (digits.starts_with(kScheme)) digits.erase(0, kScheme.size());
  const bool hex = digits.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!hex || digits.size() < kDigitsMin || digits.size() > kDigitsMax) {
    return add_issue(value_issue(
        token, "a cohort is named by the first 8 or more digits of its key, got " + quoted(value)));
  }
  request_.facets.cohort = std::string(kScheme) + digits;
  add_facet("cohort", token, "cohort", "the comparison group whose key starts with " + digits,
            "cohort " + digits.substr(0, 12));
}

void Parser::trust(const std::string& token, std::string_view value) {
  static const std::vector<std::string> kKnown = {"verified", "replicated", "reproducible",
                                                  "reported"};
  const auto level = policy::parse_evidence_level(ascii_lower(value));
  if (!level) {
    return add_issue(value_issue(
        token, "unknown trust level " + quoted(value) + ": one of " + join(kKnown, ", "), kKnown));
  }
  const std::string name(policy::name_of(*level));
  add_facet("trust", token, "trust", name + " or better", "trust ≥ " + name);
  request_.facets.trust = level;
}

void Parser::license(const std::string& token, std::string_view value) {
  auto filter = policy::read_licence_filter(value);
  if (!filter) return add_issue(value_issue(token, "no licence: " + filter.error().message));
  add_facet("license", token, "license", filter->requested, "license " + filter->requested);
  request_.facets.license = std::move(*filter);
}

bool Parser::flag(const std::string& token, std::string_view key, std::string_view value,
                  bool& into) {
  static constexpr std::array<std::string_view, 3> kTrue = {"true", "yes", "1"};
  static constexpr std::array<std::string_view, 3> kFalse = {"false", "no", "0"};
  const std::string lower = ascii_lower(value);
  into = std::ranges::find(kTrue, lower) != kTrue.end();
  if (into || std::ranges::find(kFalse, lower) != kFalse.end()) return true;
  add_issue(value_issue(token,
                        "'" + std::string(key) + "' expects true or false, got " + quoted(value),
                        {"true", "false"}));
  return false;
}

void Parser::source(const std::string& token, std::string_view value) {
  bool wanted = false;
  if (!flag(token, "source", value, wanted)) return;
  add_facet("source", token, "source", wanted ? "source required" : "source optional",
            wanted ? "source required" : "source optional");
  request_.facets.source = wanted;
}

void Parser::installable(const std::string& token, std::string_view value) {
  bool wanted = false;
  if (!flag(token, "installable", value, wanted)) return;
  add_facet("installable", token, "installable", wanted ? "installable" : "any install state",
            wanted ? "installable" : "any install state");
  request_.facets.installable = wanted;
}

void Parser::vendor(const std::string& token, std::string_view value) {
  std::string name = ascii_lower(value);
  add_facet("vendor", token, "vendor", "made by " + name, "vendor " + name);
  request_.facets.vendor = std::move(name);
}

void Parser::memory(const std::string& token, std::string_view value) {
  std::string sizes = ascii_lower(value);
  for (const std::string_view unit : {"gib", "gb", "g"}) {
    while (sizes.contains(unit)) sizes.erase(sizes.find(unit), unit.size());
  }
  const auto range = read_range(sizes);
  if (!range) {
    return add_issue(value_issue(
        token, "memory is a size in GB, such as memory:80GB or memory:>=80, got " + quoted(value)));
  }
  if (!is_range(token, range, value)) return;
  const std::string text = range->text() + " GB";
  add_facet("memory", token, "memory", text + " of memory a device", "memory " + text);
  request_.facets.memory_gb = range;
}

void Parser::count(const std::string& token, std::string_view value) {
  const auto devices = policy::read_device_count(value);
  const auto range = devices ? Range{.least = *devices, .most = *devices} : read_range(value);
  if (!range) {
    return add_issue(value_issue(token, "a number of devices is needed, got " + quoted(value)));
  }
  if (!is_range(token, range, value)) return;
  const std::string text = devices_text(range->text());
  add_facet("devices", token, "devices", text, text);
  request_.facets.device_count = range;
}

void Parser::text(const std::string& token, Text kind, std::string_view key,
                  std::string_view value) {
  TextFacet facet{.text = kind, .requested = ascii_lower(trim(value))};
  add_facet(std::string(key), token, std::string(key), facet.requested,
            std::string(key) + " " + facet.requested);
  auto& texts = request_.facets.texts;
  std::erase_if(texts, [&](const TextFacet& one) { return one.text == kind; });
  texts.push_back(std::move(facet));
}

void Parser::driver(const std::string& token, std::string_view value) {
  const auto major = major_range(value);
  const bool ranged = value.find_first_of("<>") != std::string_view::npos || value.contains("..");
  if (ranged && !is_range(token, major, value)) return;
  text(token, Text::driver, "driver", value);
  if (ranged) request_.facets.texts.back().major = major;
}

void Parser::compiler(const std::string& token, std::string_view value) {
  text(token, Text::compiler, "compiler", value);
}

void Parser::protocol(const std::string& token, std::string_view value) {
  text(token, Text::protocol, "protocol", value);
}

void Parser::statistic(const std::string& token, std::string_view value) {
  const std::string lower = ascii_lower(value);
  const std::string_view name = lower == "p50"   ? "median"
                                : lower == "avg" ? "mean"
                                                 : std::string_view(lower);
  text(token, Text::statistic, "statistic", name);
}

void Parser::project(const std::string& token, std::string_view value) {
  text(token, Text::project, "project", value);
}

void Parser::package(const std::string& token, std::string_view value) {
  text(token, Text::package, "package", value);
}

void Parser::author(const std::string& token, std::string_view value) {
  text(token, Text::author, "author", value);
}

// The versions that are asked for; a text that names none becomes an issue.
std::optional<policy::Versions> Parser::versions(const std::string& token, std::string_view key,
                                                 std::string_view value) {
  auto out = policy::read_versions(value);
  if (!out) {
    add_issue(value_issue(
        token, "no version: " + quoted(value) + "; write 12.8, >=12.4, <13 or 12.4..12.9"));
    return out;
  }
  std::string shown(key);
  std::ranges::replace(shown, '_', ' ');
  add_facet(std::string(key), token, std::string(key), shown + " " + out->requested,
            shown + " " + out->requested);
  return out;
}

void Parser::framework_version(const std::string& token, std::string_view value) {
  if (auto found = versions(token, "framework_version", value)) {
    request_.facets.framework_version = std::move(found);
  }
}

void Parser::toolkit_version(const std::string& token, std::string_view value) {
  if (auto found = versions(token, "toolkit_version", value)) {
    request_.facets.toolkit_version = std::move(found);
  }
}

bool Parser::is_range(const std::string& token, const std::optional<Range>& range,
                      std::string_view value) {
  if (range && range->least <= range->most) return true;
  add_issue({.token = token,
             .code = "range",
             .message = quoted(value) +
                        (range ? " is an empty range" : " is no range; write 1k..8k, >=1k or <8k"),
             .hint = std::nullopt,
             .known = {}});
  return false;
}

void Parser::axis(const std::string& token, const std::string& name, const Range& size) {
  const bool sign = size.text().find_first_of("<>.") != std::string::npos;
  const std::string text = name + (sign ? " " : " = ") + size.text();
  add_facet("axis " + name, token, "axis", text, text);
  auto& axes = request_.facets.axes;
  const auto found = std::ranges::find(axes, name, &AxisFacet::name);
  if (found == axes.end()) {
    axes.push_back({.name = name, .size = size, .soft = false, .token = token});
  } else {
    *found = {.name = name, .size = size, .soft = false, .token = token};
  }
}

}  // namespace ki::query
