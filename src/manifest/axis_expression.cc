#include "manifest/axis_expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace ki::manifest {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }
constexpr bool is_name(char c) { return is_name_start(c) || is_digit(c); }

class Parser {
 public:
  Parser(std::string_view text, std::span<const AxisBinding> bindings)
      : rest_(text), bindings_(bindings) {
    advance();
  }

  Result<double> whole() {
    const double value = TRY(sum());
    if (!token_.empty()) return wrong("\"" + std::string(token_) + "\" follows a whole expression");
    return value;
  }

 private:
  static std::unexpected<Error> wrong(std::string message) {
    return fail(Code::invalid, std::move(message));
  }

  void take(bool (*matches)(char)) {
    const auto end = std::ranges::find_if_not(rest_, matches);
    take(static_cast<std::size_t>(end - rest_.begin()));
  }
  void take(std::size_t size) {
    token_ = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }

  // Moves to the next token, "" at the end.
  void advance() {
    token_ = {};
    while (!rest_.empty() && token_.empty()) {
      if (is_digit(rest_[0])) {
        take(is_digit);
      } else if (is_name_start(rest_[0])) {
        take(is_name);
      } else if (rest_.starts_with("//")) {
        take(2);
      } else if (std::string_view("+-*%()").find(rest_[0]) != std::string_view::npos) {
        take(1);
      } else {
        rest_.remove_prefix(1);
      }
    }
  }

  Result<double> sum() {
    double value = TRY(product());
    while (token_ == "+" || token_ == "-") {
      const bool plus = token_ == "+";
      advance();
      const double right = TRY(product());
      value = plus ? value + right : value - right;
    }
    return value;
  }

  Result<double> product() {
    double value = TRY(atom());
    while (token_ == "*" || token_ == "//" || token_ == "%") {
      const char op = token_[0];
      advance();
      const double right = TRY(atom());
      if (op == '*') {
        value *= right;
      } else if (op == '/') {
        value = std::floor(value / right);
      } else {
        value = std::fmod(value, right);
      }
    }
    return value;
  }

  Result<double> atom() {
    if (token_.empty()) return wrong("ends where a number, a name or ( is due");
    const std::string_view token = token_;
    advance();
    if (token == "(") {
      const double value = TRY(sum());
      if (token_ != ")") return wrong("a ) is missing");
      advance();
      return value;
    }
    if (is_digit(token[0])) {
      double value = 0;
      const auto read = std::from_chars(token.data(), token.data() + token.size(), value);
      return read.ec == std::errc{} ? value : HUGE_VAL;
    }
    if (!is_name_start(token[0])) {
      return wrong("\"" + std::string(token) + "\" stands where a number, a name or ( is due");
    }
    const auto bound = std::ranges::find(bindings_, token, &AxisBinding::name);
    if (bound == bindings_.end()) return wrong("no axis is named \"" + std::string(token) + "\"");
    return bound->value;
  }

  std::string_view rest_;
  std::string_view token_;
  std::span<const AxisBinding> bindings_;
};

}  // namespace

Result<double> evaluate(std::string_view expression, std::span<const AxisBinding> bindings) {
  if (expression.size() > kAxisExpressionBytesMax) {
    return fail(Code::too_large, "an axis expression has at most " +
                                     std::to_string(kAxisExpressionBytesMax) + " characters");
  }
  return Parser(expression, bindings).whole();
}

}  // namespace ki::manifest
