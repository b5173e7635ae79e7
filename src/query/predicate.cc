#include "query/predicate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/text.h"

namespace ki::query {
namespace {

using manifest::AxisBinding;

struct Comparison {
  std::string_view sign;
  bool (*holds)(double, double);
};

// The longer signs first: "<=" starts with "<".
constexpr std::array kComparisons = {Comparison{"<=", [](double a, double b) { return a <= b; }},
                                     Comparison{">=", [](double a, double b) { return a >= b; }},
                                     Comparison{"==", [](double a, double b) { return a == b; }},
                                     Comparison{"!=", [](double a, double b) { return a != b; }},
                                     Comparison{"≤", [](double a, double b) { return a <= b; }},
                                     Comparison{"≥", [](double a, double b) { return a >= b; }},
                                     Comparison{"≠", [](double a, double b) { return a != b; }},
                                     Comparison{"<", [](double a, double b) { return a < b; }},
                                     Comparison{">", [](double a, double b) { return a > b; }},
                                     Comparison{"=", [](double a, double b) { return a == b; }}};

constexpr std::array<std::string_view, 2> kOr = {" or ", "||"};
constexpr std::array<std::string_view, 4> kAnd = {" and ", "&&", ",", ";"};
// The longer ones first: the rest of a longer one would be taken as part of an operand.
constexpr std::array<std::string_view, 6> kDivisible = {" is divisible by ", " is a multiple of ",
                                                        " is multiple of ",  " divisible by ",
                                                        " a multiple of ",   " multiple of "};

// The parts between separators that stand outside of brackets.
std::vector<std::string_view> parts_of(std::string_view text,
                                       std::span<const std::string_view> separators) {
  std::vector<std::string_view> out;
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (std::string_view("([{").contains(text[at])) ++depth;
    if (std::string_view(")]}").contains(text[at])) --depth;
    const auto starts = [&](std::string_view one) { return text.substr(at).starts_with(one); };
    const auto found = std::ranges::find_if(separators, starts);
    if (depth == 0 && found != separators.end()) {
      out.push_back(text.substr(from, at - from));
      from = at + found->size();
      at = from;
    } else {
      ++at;
    }
  }
  out.push_back(text.substr(from));
  return out;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

// What an expression is: a number, or open, or neither.
struct Operand {
  bool read = false;
  std::optional<double> value{};
};

class Evaluation {
 public:
  explicit Evaluation(std::span<const AxisBinding> bindings) : bindings_(bindings) {}

  Predicate whole(std::string_view text) {
    const Truth truth = any(text);
    if (truth != Truth::open) open_.clear();
    return {.truth = truth, .open = std::move(open_)};
  }

 private:
  Truth any(std::string_view text) {
    Truth out = Truth::fails;
    for (const std::string_view part : parts_of(text, kOr)) {
      const Truth truth = all(part);
      if (truth == Truth::not_read) return truth;
      if (truth == Truth::holds || out == Truth::fails) {
        out = out == Truth::holds ? out : truth;
      }
    }
    return out;
  }

  Truth all(std::string_view text) {
    Truth out = Truth::holds;
    for (const std::string_view part : parts_of(text, kAnd)) {
      const Truth truth = one(trim(part));
      if (truth == Truth::not_read) return truth;
      if (truth == Truth::fails || out == Truth::holds) {
        out = out == Truth::fails ? out : truth;
      }
    }
    return out;
  }

  Truth one(std::string_view text) {
    if (const auto truth = compared(text)) return *truth;
    for (const std::string_view words : kDivisible) {
      const auto at = text.find(words);
      if (at == std::string_view::npos) continue;
      return divisible(text.substr(0, at), text.substr(at + words.size()));
    }
    const auto at = text.find(" in ");
    if (at == std::string_view::npos) return Truth::not_read;
    return inside(text.substr(0, at), trim(text.substr(at + 4)));
  }

  // A chain of comparisons; nullopt where there is none.
  std::optional<Truth> compared(std::string_view text) {
    std::vector<Operand> operands;
    std::vector<const Comparison*> signs;
    std::size_t from = 0;
    for (std::size_t at = 0; at < text.size();) {
      const auto starts = [&](const Comparison& one) {
        return text.substr(at).starts_with(one.sign);
      };
      const auto* const found = std::ranges::find_if(kComparisons, starts);
      if (found == kComparisons.end()) {
        ++at;
        continue;
      }
      operands.push_back(operand(text.substr(from, at - from)));
      signs.push_back(found);
      at += found->sign.size();
      from = at;
    }
    if (signs.empty()) return std::nullopt;
    operands.push_back(operand(text.substr(from)));
    if (!std::ranges::all_of(operands, &Operand::read)) return Truth::not_read;
    Truth out = Truth::holds;
    for (std::size_t i = 0; i < signs.size(); ++i) {
      const auto& left = operands[i].value;
      const auto& right = operands[i + 1].value;
      if (!left || !right) {
        out = Truth::open;
      } else if (!signs[i]->holds(*left, *right)) {
        return Truth::fails;
      }
    }
    return out;
  }

  Truth divisible(std::string_view left, std::string_view right) {
    const Operand what = operand(left);
    const Operand by = operand(right);
    if (!what.read || !by.read || by.value == 0.0) return Truth::not_read;
    if (!what.value || !by.value) return Truth::open;
    return std::fmod(*what.value, *by.value) == 0 ? Truth::holds : Truth::fails;
  }

  Truth inside(std::string_view left, std::string_view set) {
    const Operand what = operand(left);
    if (!what.read) return Truth::not_read;
    if (const auto dots = set.find(".."); dots != std::string_view::npos) {
      const Operand least = operand(set.substr(0, dots));
      const Operand most = operand(set.substr(dots + 2));
      if (!least.read || !most.read) return Truth::not_read;
      if (!what.value || !least.value || !most.value) return Truth::open;
      return *least.value <= *what.value && *what.value <= *most.value ? Truth::holds
                                                                       : Truth::fails;
    }
    const bool braces = set.starts_with('{') && set.ends_with('}');
    const bool brackets = set.starts_with('[') && set.ends_with(']');
    if (!braces && !brackets) return Truth::not_read;
    const auto members = split(set.substr(1, set.size() - 2), ',');
    if (brackets && members.size() == 2) return Truth::not_read;
    return among(what, members);
  }

  Truth among(const Operand& what, std::span<const std::string_view> members) {
    Truth out = Truth::fails;
    for (const std::string_view member : members) {
      const Operand one = operand(member);
      if (!one.read) return Truth::not_read;
      if (!what.value || !one.value) {
        if (out == Truth::fails) out = Truth::open;
      } else if (*what.value == *one.value) {
        out = Truth::holds;
      }
    }
    return out;
  }

  // The evaluator of expressions skips what is no token; here nothing is skipped.
  Operand operand(std::string_view text) {
    constexpr std::string_view kOthers = "+-*%() ";
    std::vector<AxisBinding> with_open(bindings_.begin(), bindings_.end());
    bool open = false;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at + 1;
      if (is_name_start(text[at])) {
        while (end < text.size() && (is_name_start(text[end]) || is_digit(text[end]))) ++end;
        const std::string_view name = text.substr(at, end - at);
        if (std::ranges::find(with_open, name, &AxisBinding::name) == with_open.end()) {
          with_open.push_back({.name = name, .value = 1});
        }
        if (std::ranges::find(bindings_, name, &AxisBinding::name) == bindings_.end()) {
          open = true;
          if (std::ranges::find(open_, name) == open_.end()) open_.emplace_back(name);
        }
      } else if (text.substr(at).starts_with("//")) {
        end = at + 2;
      } else if (!is_digit(text[at]) && !kOthers.contains(text[at])) {
        return {};
      }
      at = end;
    }
    const auto value = manifest::evaluate(text, with_open);
    if (!value) return {};
    if (open) return {.read = true};
    if (!std::isfinite(*value)) return {};
    return {.read = true, .value = *value};
  }

  std::span<const AxisBinding> bindings_;
  std::vector<std::string> open_;
};

}  // namespace

Predicate evaluate_predicate(std::string_view text, std::span<const AxisBinding> bindings) {
  return Evaluation(bindings).whole(ascii_lower(text));
}

}  // namespace ki::query
