#include "import/liger/kernels.h"

#include <algorithm>

#include "base/result.h"
#include "base/text.h"
#include "import/liger/kernel_table.h"

namespace ki::importer::liger {

namespace {

// The parts of `text` between `separator`, trimmed, without empty ones.
std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (const auto part : split(text, separator)) {
    if (!trim(part).empty()) parts.push_back(trim(part));
  }
  return parts;
}

// "left SEPARATOR right", both trimmed.
std::pair<std::string, std::string> halves(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  KI_CHECK(at != std::string_view::npos);
  return {std::string(trim(text.substr(0, at))), std::string(trim(text.substr(at + 1)))};
}

std::vector<Argument> read_arguments(std::string_view text) {
  std::vector<Argument> arguments;
  for (const auto part : parts_of(text, ' ')) {
    const auto [name, type] = halves(part, ':');
    const auto [dtype, shape] = halves(type, '[');
    KI_CHECK(shape.ends_with(']'));
    Argument argument{.name = name, .dtype = dtype, .dims = {}};
    for (const auto dim : parts_of(std::string_view(shape).substr(0, shape.size() - 1), ',')) {
      argument.dims.emplace_back(dim);
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

std::vector<std::pair<std::string, std::string>> read_axes(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> axes;
  for (const auto part : parts_of(text, ' ')) axes.push_back(halves(part, '='));
  return axes;
}

Clause read_clause(std::string_view text) {
  struct Word {
    std::string_view word;
    Need need;
    std::size_t operands;
  };
  static constexpr Word kWords[] = {
      {"dtype", Need::config_dtype, 0}, {"fixed", Need::fixed_dtype, 1},
      {"positive", Need::positive, 1},  {"number", Need::number, 1},
      {"scalar", Need::scalar, 2},      {"equals", Need::equals, 2},
      {"divides", Need::divides, 2},    {"even", Need::even, 1},
  };
  const auto words = parts_of(text, ' ');
  const auto* const known = std::ranges::find(kWords, words[0], &Word::word);
  KI_CHECK(known != std::end(kWords) && words.size() == known->operands + 1);
  Clause clause{.need = known->need, .name = {}, .value = {}};
  if (known->need == Need::fixed_dtype) {
    clause.value = words[1];
  } else if (known->operands > 0) {
    clause.name = words[1];
    if (known->operands == 2) clause.value = words[2];
  }
  return clause;
}

Rule read_rule(std::string_view text) {
  const auto [names, rest] = halves(text, ':');
  Rule rule;
  for (const auto name : parts_of(names, ',')) {
    if (name != "*") rule.x_names.emplace_back(name);
  }
  const auto pieces = parts_of(rest, ';');
  rule.axes = read_axes(pieces[0]);
  for (std::size_t i = 1; i < pieces.size(); ++i) rule.clauses.push_back(read_clause(pieces[i]));
  return rule;
}

std::vector<std::string> words_of(std::string_view text) {
  const auto parts = parts_of(text, ' ');
  return {parts.begin(), parts.end()};
}

Kernel read_kernel(const KernelText& text) {
  Kernel kernel{.name = text.name,
                .public_slug = text.public_slug,
                .slug = text.slug,
                .family = text.family,
                .title = text.title,
                .expression = text.expression,
                .inputs = read_arguments(text.inputs),
                .outputs = read_arguments(text.outputs),
                .derived = {},
                .rules = {},
                .inputs_stated = read_arguments(text.inputs_stated),
                .axes_stated = read_axes(text.axes_stated),
                .scalars_stated = words_of(text.scalars_stated),
                .ignored = words_of(text.ignored)};
  if (!text.derived.empty()) {
    auto [axis, expression] = halves(text.derived, '=');
    kernel.derived.push_back({std::move(axis), std::move(expression)});
  }
  for (const auto line : parts_of(text.rules, '\n')) kernel.rules.push_back(read_rule(line));
  return kernel;
}

}  // namespace

std::span<const Kernel> kernels() {
  static const std::vector<Kernel> all = [] {
    std::vector<Kernel> list;
    for (const KernelText& text : kernel_table()) list.push_back(read_kernel(text));
    return list;
  }();
  return all;
}

const Kernel* find_kernel(std::string_view name) {
  const auto all = kernels();
  const auto found = std::ranges::find(all, name, &Kernel::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace ki::importer::liger
