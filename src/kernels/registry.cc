#include "kernels/registry.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "kernels/suite.h"

namespace ki::kernels {

namespace {

[[noreturn]] void malformed(std::string_view text) {
  std::fprintf(stderr, "malformed text of an operation: %.*s\n", static_cast<int>(text.size()),
               text.data());
  std::abort();
}

// The parts between separators, without blanks around them and without empty ones.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

Argument read_argument(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::size_t bracket = text.find('[');
  if (colon == std::string::npos || bracket == std::string::npos || text.back() != ']') {
    malformed(text);
  }
  Argument argument;
  argument.name = text.substr(0, colon);
  argument.dtype = text.substr(colon + 1, bracket - colon - 1);
  argument.is_open = argument.dtype.front() == '*';
  if (argument.is_open && argument.dtype.size() > 1) argument.dtype.erase(0, 1);
  argument.dims = split(text.substr(bracket + 1, text.size() - bracket - 2), ',');
  return argument;
}

std::vector<Argument> read_arguments(std::string_view text) {
  std::vector<Argument> arguments;
  for (const std::string& part : split(text, ' ')) arguments.push_back(read_argument(part));
  return arguments;
}

// Those of the backward pass may name an argument of the forward pass alone.
std::vector<Argument> read_back_inputs(std::string_view text, const Operation& operation) {
  std::vector<Argument> arguments;
  for (const std::string& part : split(text, ' ')) {
    if (part.find(':') != std::string::npos) {
      arguments.push_back(read_argument(part));
      continue;
    }
    const std::size_t before = arguments.size();
    for (const auto* known : {&operation.inputs, &operation.tables, &operation.outputs}) {
      for (const Argument& argument : *known) {
        if (argument.name == part) arguments.push_back(argument);
      }
    }
    if (arguments.size() != before + 1) malformed(text);
  }
  return arguments;
}

std::vector<DerivedAxis> read_derived(std::string_view text) {
  std::vector<DerivedAxis> derived;
  for (const std::string& part : split(text, ';')) {
    const std::vector<std::string> words = split(part, ' ');  // name = left OP right
    if (words.size() != 5 || words[1] != "=" || (words[3] != "*" && words[3] != "//")) {
      malformed(text);
    }
    derived.push_back({words[0], words[2], words[4], words[3][0]});
  }
  return derived;
}

void set_fill(std::vector<Argument>& arguments, const std::vector<std::string>& words) {
  static constexpr std::pair<std::string_view, Fill> kFills[] = {
      {"near_one", Fill::near_one}, {"scaled", Fill::scaled}, {"below", Fill::below},
      {"softmax", Fill::softmax},   {"cosine", Fill::cosine}, {"log_softmax", Fill::log_softmax},
      {"sine", Fill::sine},         {"weight", Fill::weight},
  };
  for (Argument& argument : arguments) {
    if (argument.name != words[0]) continue;
    for (const auto& [name, fill] : kFills) {
      if (name == words[1]) argument.fill = fill;
    }
    if (words.size() > 2) argument.axis = words[2];
  }
}

void read_fills(std::string_view text, Operation& operation) {
  for (const std::string& part : split(text, ';')) {
    const std::vector<std::string> words = split(part, ' ');
    if (words.size() < 2) malformed(text);
    for (auto* arguments : {&operation.inputs, &operation.tables, &operation.back_inputs}) {
      set_fill(*arguments, words);
    }
  }
}

// "NAME=VALUE" of axes and scalars.
std::pair<std::string, std::string> read_assignment(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) malformed(text);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<NamedCase> read_cases(std::string_view text) {
  std::vector<NamedCase> cases;
  for (const std::string& part : split(text, ';')) {
    const std::vector<std::string> words = split(part, ' ');  // name dtype axis=value ...
    NamedCase one;
    if (words.size() < 3 || !read_dtype(words[1], one.dtype)) malformed(part);
    one.name = words[0];
    for (std::size_t i = 2; i < words.size(); ++i) {
      const auto [axis, value] = read_assignment(words[i]);
      one.axes.emplace_back(axis, std::stoll(value));
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

// The axes that arguments name and that nothing derives, in order of first appearance, then the
// operands of derived axes that no argument names, then the further ones.
std::vector<std::string> variables_of(const Operation& operation, std::string_view further) {
  std::vector<std::string> axes;
  const auto add = [&](const std::string& name) {
    const bool is_number = name.find_first_not_of("0123456789") == std::string::npos;
    const bool is_derived =
        std::any_of(operation.derived.begin(), operation.derived.end(),
                    [&](const DerivedAxis& derived) { return derived.name == name; });
    if (is_number || is_derived) return;
    if (std::find(axes.begin(), axes.end(), name) == axes.end()) axes.push_back(name);
  };
  for (const auto* arguments : {&operation.inputs, &operation.outputs}) {
    for (const Argument& argument : *arguments) {
      for (const std::string& dim : argument.dims) add(dim);
    }
  }
  for (const DerivedAxis& derived : operation.derived) {
    add(derived.left);
    add(derived.right);
  }
  for (const std::string& axis : split(further, ' ')) add(axis);
  return axes;
}

}  // namespace

Operation read_operation(const OperationText& text) {
  Operation operation;
  operation.slug = text.slug;
  operation.family = text.family;
  operation.title = text.title;
  operation.expression = text.expression;
  operation.inputs = read_arguments(text.inputs);
  operation.outputs = read_arguments(text.outputs);
  operation.tables = read_arguments(text.tables);
  operation.derived = read_derived(text.derived);
  operation.back_inputs = read_back_inputs(text.back_inputs, operation);
  operation.back_outputs = read_arguments(text.back_outputs);
  for (const std::string& part : split(text.scalars, ' ')) {
    const auto [name, value] = read_assignment(part);
    operation.scalars.push_back({name, std::stod(value)});
  }
  for (const std::string& part : split(text.dtypes, ' ')) {
    if (!read_dtype(part, operation.dtypes.emplace_back())) malformed(text.dtypes);
  }
  operation.axes = variables_of(operation, text.further_axes);
  read_fills(text.fills, operation);
  operation.cases = read_cases(text.cases);
  return operation;
}

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = make_operations();
  return all;
}

const Operation* find_operation(std::string_view slug) {
  for (const Operation& operation : operations()) {
    if (operation.slug == slug) return &operation;
  }
  return nullptr;
}

const std::vector<const ki_kernel*>& built_in_kernels() {
  static const std::vector<const ki_kernel*> all = [] {
    std::vector<const ki_kernel*> list = reference_kernels();
    const std::vector<const ki_kernel*> native = native_kernels();
    list.insert(list.end(), native.begin(), native.end());
    const std::vector<const ki_kernel*> full = full_kernels(native);
    list.insert(list.end(), full.begin(), full.end());
    return list;
  }();
  return all;
}

}  // namespace ki::kernels
