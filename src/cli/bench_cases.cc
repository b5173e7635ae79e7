#include "cli/bench_cases.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "kernels/registry.h"

namespace ki::cli {
namespace {

// The tour: what is looked up first, in this order, as far as this program has it.
constexpr std::string_view kTour[] = {"rms-norm",
                                      "fused-add-rms-norm",
                                      "rope",
                                      "softmax",
                                      "swiglu",
                                      "geglu",
                                      "layer-norm",
                                      "cross-entropy",
                                      "geglu-mlp",
                                      "fused-neighborhood-attention",
                                      "sparse-multi-token-attention",
                                      "fused-linear-grpo-loss-token"};

std::unexpected<Error> wrong_axes(std::string message) {
  return fail(Code::invalid, std::move(message), "axes");
}

Result<std::int64_t> number_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) {
    return wrong_axes("a size is a whole number above 0: " + excerpt(text));
  }
  return value;
}

// "512", "512..8192*2" or "512..2048+512".
Result<std::vector<std::int64_t>> values_of(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    const std::int64_t value = TRY(number_of(text));
    return std::vector<std::int64_t>{value};
  }
  const std::size_t sign = text.find_first_of("*+", dots);
  if (sign == std::string_view::npos) {
    return wrong_axes("a range ends with its step, as 512..8192*2 or 512..2048+512: " +
                      excerpt(text));
  }
  const std::int64_t first = TRY(number_of(text.substr(0, dots)));
  const std::int64_t last = TRY(number_of(text.substr(dots + 2, sign - dots - 2)));
  const std::int64_t step = TRY(number_of(text.substr(sign + 1)));
  if (text[sign] == '*' && step < 2) return wrong_axes("a factor is at least 2: " + excerpt(text));
  std::vector<std::int64_t> values;
  for (std::int64_t value = first; value <= last;) {
    if (values.size() == kBenchCasesMax) return wrong_axes("a range has at most 200 values");
    values.push_back(value);
    if (value > INT64_MAX / step - step) break;
    value = text[sign] == '*' ? value * step : value + step;
  }
  if (values.empty()) return wrong_axes("this range is empty: " + excerpt(text));
  return values;
}

Result<std::vector<BenchAsk>> cases_of(const kernels::Operation& operation,
                                       const BenchOptions& options) {
  if (operation.cases.empty()) return std::vector<BenchAsk>{};
  const kernels::NamedCase& named = operation.cases.front();
  BenchAsk first;
  first.operation = operation.slug;
  first.pass = options.pass;
  first.dtype = options.dtype.empty() ? std::string(kernels::name_of(named.dtype)) : options.dtype;
  first.axes = {named.axes.begin(), named.axes.end()};
  std::vector<BenchAsk> all = {first};
  const auto sweep = TRY(read_sweep(options.axes));
  for (const auto& [axis, values] : sweep) {
    if (!first.axes.contains(axis)) {
      return wrong_axes(operation.slug + " has no axis " + axis + "; it has " +
                        join(operation.axes, ", "));
    }
    std::vector<BenchAsk> next;
    for (const BenchAsk& ask : all) {
      for (const std::int64_t value : values) {
        next.push_back(ask);
        next.back().axes[axis] = value;
      }
    }
    all = std::move(next);
    if (all.size() > kBenchCasesMax) return wrong_axes("a sweep has at most 200 cases");
  }
  return all;
}

}  // namespace

std::string BenchAsk::title() const {
  std::string text = operation + ' ' + pass + ' ' + dtype;
  for (const auto& [axis, value] : axes) text += ' ' + axis + '=' + std::to_string(value);
  return text;
}

Result<std::map<std::string, std::vector<std::int64_t>>> read_sweep(const std::string& text) {
  std::map<std::string, std::vector<std::int64_t>> sweep;
  if (trim(text).empty()) return sweep;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t at = part.find('=');
    if (at == std::string_view::npos) {
      return wrong_axes("an axis is written name=value: " + excerpt(part));
    }
    const std::string name(trim(part.substr(0, at)));
    auto values = TRY(values_of(trim(part.substr(at + 1))));
    if (!sweep.emplace(name, std::move(values)).second) {
      return wrong_axes("the axis " + name + " is given twice");
    }
  }
  return sweep;
}

Result<std::vector<BenchAsk>> bench_cases(const BenchOptions& options) {
  std::vector<std::string> names = options.operations;
  if (names.empty()) names.assign(std::begin(kTour), std::end(kTour));
  std::vector<BenchAsk> all;
  for (const std::string& name : names) {
    // As people write it: rmsnorm, RMSNorm and rms-norm are one.
    const auto flat = [](std::string_view text) {
      std::string out = ascii_lower(text);
      std::erase_if(out, [](char c) { return c == '-' || c == '_' || c == ' '; });
      return out;
    };
    const auto& operations = kernels::operations();
    const auto found = std::ranges::find_if(
        operations, [&](const auto& one) { return flat(one.slug) == flat(name); });
    if (found == operations.end()) {
      if (options.operations.empty()) continue;
      std::vector<std::string> known;
      for (const auto& one : operations) known.push_back(one.slug);
      return fail(Code::not_found,
                  "no operation is called " + excerpt(name) + "; there are " + join(known, ", "),
                  "operation");
    }
    auto cases = TRY(cases_of(*found, options));
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

}  // namespace ki::cli
