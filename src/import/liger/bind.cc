#include "import/liger/bind.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/result.h"
#include "base/text.h"
#include "json/read.h"
#include "json/write.h"
#include "manifest/axis_expression.h"

namespace ki::importer::liger {

namespace {

constexpr std::int64_t kWholeMax = (std::int64_t{1} << 53) - 1;

std::optional<std::int64_t> positive_whole(const json::Value* value) {
  if (value == nullptr || !value->is_number()) return std::nullopt;
  const double number = value->number();
  if (number != std::floor(number) || number < 1 || number > static_cast<double>(kWholeMax)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(number);
}

std::expected<std::int64_t, std::string> read_axis(std::string_view source, std::int64_t swept,
                                                   const json::Value& config) {
  if (source == "@") return swept;
  std::int64_t product = 1;
  for (const auto key : split(source, '*')) {
    const auto factor = positive_whole(config.find(key));
    if (!factor) {
      return std::unexpected(
          fmt::format("the configuration has no whole number above 0 named {}", key));
    }
    if (*factor > kWholeMax / product) return std::unexpected(fmt::format("{} overflows", source));
    product *= *factor;
  }
  return product;
}

std::expected<Axes, std::string> read_axes(
    const std::vector<std::pair<std::string, std::string>>& sources, std::int64_t swept,
    const json::Value& config) {
  Axes axes;
  for (const auto& [axis, source] : sources) {
    const auto value = read_axis(source, swept, config);
    if (!value) return std::unexpected(value.error());
    axes[axis] = *value;
  }
  return axes;
}

double to_double(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Whether the member's value is `expected`, a JSON text, type included.
bool equals(const json::Value* value, std::string_view expected) {
  return value != nullptr && json::canonical(*value) == expected;
}

// "" when the clause is met (it may have added to `binding`), else why it is not.
std::string apply(const Clause& clause, const json::Value& config, Strictness strictness,
                  Binding& binding) {
  const json::Value* member = config.find(clause.name);
  switch (clause.need) {
    case Need::config_dtype:
      binding.dtype = dtype_of(config);
      return binding.dtype.empty() ? "the configuration states no dtype of torch.bfloat16, "
                                     "torch.float16, torch.float32"
                                   : "";
    case Need::fixed_dtype:
      binding.dtype = clause.value;
      return strictness == Strictness::strict && config.find("dtype") != nullptr &&
                     dtype_of(config) != clause.value
                 ? "the configuration states another dtype than " + clause.value
                 : "";
    case Need::positive:
    case Need::number:
      if (member == nullptr || !member->is_number() ||
          (clause.need == Need::positive && member->number() <= 0)) {
        return fmt::format("the configuration has no number{} named {}",
                           clause.need == Need::positive ? " above 0" : "", clause.name);
      }
      binding.scalars.push_back({clause.name, "fp32", member->number()});
      return "";
    case Need::scalar:
      binding.scalars.push_back({clause.name, "fp32", to_double(clause.value)});
      return "";
    case Need::equals:
      return equals(member, clause.value)
                 ? ""
                 : fmt::format("the configuration's {} is not {}", clause.name, clause.value);
    case Need::divides:
      return binding.axes.at(clause.value) % binding.axes.at(clause.name) == 0
                 ? ""
                 : fmt::format("{} is no multiple of {}", clause.value, clause.name);
    case Need::even:
      return binding.axes.at(clause.name) % 2 == 0 ? "" : clause.name + " is odd";
  }
  KI_UNREACHABLE();
}

bool mentions(const Kernel& kernel, const Rule& rule, std::string_view key) {
  const auto feeds = [&](const auto& axis) {
    const auto factors = split(axis.second, '*');
    return std::ranges::find(factors, key) != factors.end();
  };
  const auto needs = [&](const Clause& clause) {
    const bool from_config =
        clause.need == Need::positive || clause.need == Need::number || clause.need == Need::equals;
    return from_config && clause.name == key;
  };
  return key == "dtype" || std::ranges::any_of(rule.axes, feeds) ||
         std::ranges::any_of(kernel.axes_stated, feeds) ||
         std::ranges::any_of(rule.clauses, needs) ||
         std::ranges::find(kernel.scalars_stated, key) != kernel.scalars_stated.end() ||
         std::ranges::find(kernel.ignored, key) != kernel.ignored.end();
}

// What the public signature leaves out. "" when all is well, else the reason.
std::string bind_stated(const Kernel& kernel, const Rule& rule, std::string_view x_name,
                        std::int64_t swept, const json::Value& config, Binding& binding) {
  for (const json::Member& member : config.members()) {
    const bool placeholder = member.key == x_name && member.value.is_null();
    if (!placeholder && !mentions(kernel, rule, member.key)) {
      return fmt::format("the configuration's member {} is not known for this kernel",
                         excerpt(member.key));
    }
  }
  auto stated = read_axes(kernel.axes_stated, swept, config);
  if (!stated) return stated.error();
  binding.axes_stated = std::move(*stated);
  for (const auto& name : kernel.scalars_stated) {
    const json::Value* member = config.find(name);
    if (member == nullptr) continue;
    if (!member->is_number() || member->number() != std::floor(member->number())) {
      return fmt::format("the configuration's {} is no whole number", name);
    }
    binding.scalars_stated.push_back({name, "int64", member->number()});
  }
  return "";
}

}  // namespace

std::expected<std::int64_t, std::string> read_swept(std::string_view x_value) {
  double value = 0;
  const auto [end, error] = std::from_chars(x_value.data(), x_value.data() + x_value.size(), value);
  if (error != std::errc{} || end != x_value.data() + x_value.size() ||
      value != std::floor(value) || value < 1 || value > static_cast<double>(kWholeMax)) {
    return std::unexpected(
        fmt::format("x_value \"{}\" is no whole number above 0", excerpt(x_value)));
  }
  return static_cast<std::int64_t>(value);
}

std::string dtype_of(const json::Value& config) {
  const json::Value* dtype = config.find("dtype");
  if (dtype == nullptr || !dtype->is_string()) return "";
  if (dtype->string() == "torch.bfloat16") return "bf16";
  if (dtype->string() == "torch.float16") return "fp16";
  if (dtype->string() == "torch.float32") return "fp32";
  return "";
}

std::expected<Binding, std::string> bind_row(const Kernel& kernel, std::string_view x_name,
                                             std::int64_t swept, const json::Value& config,
                                             Strictness strictness) {
  const auto rule = std::ranges::find_if(kernel.rules, [&](const Rule& candidate) {
    return candidate.x_names.empty() ||
           std::ranges::find(candidate.x_names, x_name) != candidate.x_names.end();
  });
  if (rule == kernel.rules.end()) {
    return std::unexpected(
        fmt::format("this kernel is not known to be swept over {}", excerpt(x_name)));
  }
  auto axes = read_axes(rule->axes, swept, config);
  if (!axes) return std::unexpected(axes.error());
  Binding binding;
  binding.axes = std::move(*axes);
  for (const Clause& clause : rule->clauses) {
    if (auto problem = apply(clause, config, strictness, binding); !problem.empty()) {
      return std::unexpected(std::move(problem));
    }
  }
  if (strictness == Strictness::strict) {
    auto problem = bind_stated(kernel, *rule, x_name, swept, config, binding);
    if (!problem.empty()) return std::unexpected(std::move(problem));
  }
  return binding;
}

std::string case_key(const Axes& axes, std::string_view dtype) {
  std::vector<const Axes::value_type*> sorted;
  for (const auto& axis : axes) sorted.push_back(&axis);
  // Only [a-z0-9_]: everything but '_' is in the wanted order already.
  const auto rank = [](char c) { return c == '_' ? '\0' : c; };
  std::ranges::sort(sorted, [&](const auto* a, const auto* b) {
    return std::ranges::lexicographical_compare(a->first, b->first, {}, rank, rank);
  });
  std::string key;
  for (const auto* axis : sorted) key += fmt::format("{}{}-", axis->first, axis->second);
  return key + std::string(dtype);
}

std::int64_t derive(std::string_view expression, const Axes& axes) {
  std::vector<manifest::AxisBinding> bindings;
  for (const auto& [name, value] : axes) bindings.push_back({name, static_cast<double>(value)});
  const auto value = manifest::evaluate(expression, bindings);
  KI_CHECK(value.has_value() && *value >= 0 && *value < 0x1p62);  // our expressions, whole numbers
  return static_cast<std::int64_t>(*value);
}

}  // namespace ki::importer::liger
