#include "cli/bench_cases.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "kernels/provider.h"
#include "kernels/registry.h"
#include "runner/cases.h"

namespace ki::cli {
namespace {

// The tour, as far as this program has it, and the axes that may be halved, in turn.
struct Stop {
  std::string_view operation;
  std::vector<std::string> halved;
};
const std::vector<Stop>& tour() {
  static const std::vector<Stop> all = {
      // of the public records
      {"sparse-multi-token-attention", {"batch", "seq"}},
      {"fused-linear-grpo-loss-token", {"seq", "vocab", "hidden", "batch"}},
      {"geglu-mlp", {"seq", "intermediate", "hidden", "batch"}},
      {"rope", {"seq"}},
      {"fused-neighborhood-attention", {"seq", "batch"}},
      // looked up first
      {"rms-norm", {"rows"}},
      {"layer-norm", {"rows"}},
      {"softmax", {"rows"}},
      {"swiglu", {"rows"}},
      {"cross-entropy", {"tokens"}},
      {"gemm", {"m", "n", "k"}},
  };
  return all;
}

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

bool bind_ask(const BenchAsk& ask, kernels::Bound& bound) {
  kernels::Case one;
  one.operation = ask.operation;
  one.axes.assign(ask.axes.begin(), ask.axes.end());
  std::string problem;
  return kernels::read_pass(ask.pass, one.pass) && kernels::read_dtype(ask.dtype, one.dtype) &&
         kernels::bind(one, bound, problem);
}

// Halves the axes in turn until the case is within the tour's limits, and says so.
void scale(const Stop& stop, BenchAsk& ask) {
  const BenchAsk whole = ask;
  std::vector<std::string> left = stop.halved;
  for (std::size_t turn = 0; !left.empty(); ++turn) {
    kernels::Bound bound;
    if (!bind_ask(ask, bound)) return;  // measuring it says what is wrong
    if (bound.bytes() <= kTourBytesMax && bound.flops() <= kTourOperationsMax) break;
    const std::string axis = left[turn % left.size()];
    BenchAsk smaller = ask;
    const auto found = smaller.axes.find(axis);
    const bool can = found != smaller.axes.end() && found->second >= 2;
    if (can) found->second /= 2;
    if (can && bind_ask(smaller, bound)) {
      ask = smaller;
    } else {
      std::erase(left, axis);
    }
  }
  for (const auto& [axis, value] : ask.axes) {
    const std::int64_t before = whole.axes.at(axis);
    if (value == before) continue;
    ask.scaled += (ask.scaled.empty() ? "" : ", ") + axis + ' ' + std::to_string(value) + " of " +
                  std::to_string(before);
  }
}

const kernels::NamedCase& first_case(const kernels::Operation& operation, bool is_tour) {
  const auto seed = std::ranges::find(operation.cases, "seed", &kernels::NamedCase::name);
  return is_tour && seed != operation.cases.end() ? *seed : operation.cases.front();
}

Result<std::vector<BenchAsk>> cases_of(const kernels::Operation& operation,
                                       const MeasureOptions& options) {
  if (operation.cases.empty()) return std::vector<BenchAsk>{};
  const kernels::NamedCase& named = first_case(operation, options.operations.empty());
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

const kernels::Operation* find_operation(std::string_view name) {
  // As people write it: rmsnorm, RMSNorm and rms-norm are one.
  const auto flat = [](std::string_view text) {
    std::string out = ascii_lower(text);
    std::erase_if(out, [](char c) { return c == '-' || c == '_' || c == ' '; });
    return out;
  };
  const auto& operations = kernels::operations();
  const auto found = std::ranges::find_if(
      operations, [&](const auto& one) { return flat(one.slug) == flat(name); });
  return found == operations.end() ? nullptr : &*found;
}

// The tour with the options that were given; what has no such pass or axis is left out, but not
// everything.
Result<std::vector<BenchAsk>> tour_cases(const MeasureOptions& options) {
  std::vector<BenchAsk> all;
  std::optional<Error> why;
  for (const Stop& stop : tour()) {
    const kernels::Operation* operation = find_operation(stop.operation);
    if (operation == nullptr) continue;
    auto cases = cases_of(*operation, options);
    if (!cases) {
      why = cases.error();
      continue;
    }
    for (BenchAsk& ask : *cases) {
      scale(stop, ask);
      kernels::Bound bound;
      if (bind_ask(ask, bound)) all.push_back(std::move(ask));
    }
  }
  if (!all.empty()) return all;
  if (why) return std::unexpected(*why);
  return fail(Code::invalid, "no operation of the tour has this pass and dtype", "dtype");
}

// A name that no provider of ours has would otherwise be measured as nothing, without a word.
Status require_providers(const std::vector<std::string>& asked) {
  std::vector<std::string_view> known;
  for (const ki_kernel* kernel : kernels::built_in_kernels()) {
    const std::string_view provider = kernel->provider;
    if (std::ranges::find(known, provider) == known.end()) known.push_back(provider);
  }
  for (const auto& companion : kernels::companions()) known.push_back(companion.provider);
  for (const std::string& name : asked) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string_view meant = nearest(name, known);
    return fail(Code::invalid,
                "no built-in provider is called " + excerpt(name) +
                    (meant.empty() ? "" : ", did you mean " + std::string(meant) + "?") +
                    "; there are " + join({known.begin(), known.end()}, ", ") +
                    ", and --provider takes a shared object with kernels of your own",
                "providers");
  }
  return {};
}

}  // namespace

std::string BenchAsk::title() const { return runner::title_of(operation, pass, dtype, axes); }

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

Result<std::vector<BenchAsk>> bench_cases(const MeasureOptions& options) {
  TRY(require_providers(options.providers));
  if (options.operations.empty()) return tour_cases(options);
  std::vector<BenchAsk> all;
  for (const std::string& name : options.operations) {
    const kernels::Operation* operation = find_operation(name);
    if (operation == nullptr) {
      std::vector<std::string> known;
      for (const auto& one : kernels::operations()) known.push_back(one.slug);
      return fail(Code::not_found,
                  "no operation is called " + excerpt(name) + "; there are " + join(known, ", "),
                  "operation");
    }
    auto cases = TRY(cases_of(*operation, options));
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

}  // namespace ki::cli
