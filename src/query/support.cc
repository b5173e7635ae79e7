#include "query/support.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "manifest/axis_expression.h"
#include "query/select.h"
#include "query/stored.h"

namespace ki::query {
namespace {

struct Comparison {
  std::string_view sign;
  bool (*holds)(double, double);
};

// The longer signs first: "<=" starts with "<".
constexpr std::array kComparisons = {Comparison{"<=", [](double a, double b) { return a <= b; }},
                                     Comparison{">=", [](double a, double b) { return a >= b; }},
                                     Comparison{"==", [](double a, double b) { return a == b; }},
                                     Comparison{"!=", [](double a, double b) { return a != b; }},
                                     Comparison{"<", [](double a, double b) { return a < b; }},
                                     Comparison{">", [](double a, double b) { return a > b; }},
                                     Comparison{"=", [](double a, double b) { return a == b; }}};

using Bindings = std::vector<manifest::AxisBinding>;

// Whether a predicate holds; nullopt when that cannot be told.
std::optional<bool> holds(std::string_view predicate, const Bindings& bindings) {
  for (const Comparison& comparison : kComparisons) {
    const auto at = predicate.find(comparison.sign);
    if (at == std::string_view::npos) continue;
    const auto left = manifest::evaluate(predicate.substr(0, at), bindings);
    const auto right = manifest::evaluate(predicate.substr(at + comparison.sign.size()), bindings);
    if (!left || !right) return std::nullopt;
    return comparison.holds(*left, *right);
  }
  return std::nullopt;
}

bool excludes(const std::vector<std::string>& declared, std::string_view asked) {
  return !declared.empty() && std::ranges::find(declared, asked) == declared.end();
}

std::string text_of(const Bindings& bindings) {
  std::vector<std::string> parts;
  for (const auto& binding : bindings) {
    parts.push_back(std::string(binding.name) + " = " +
                    std::to_string(static_cast<std::int64_t>(binding.value)));
  }
  return join(parts, ", ");
}

}  // namespace

Support support_of(const json::Value& spec) {
  return {.dtypes = list_at(spec, "support.dtypes"),
          .layouts = list_at(spec, "support.layouts"),
          .architectures = list_at(spec, "support.hardwareArchitectures"),
          .products = list_at(spec, "support.productsTested"),
          .axes = list_at(spec, "support.axes")};
}

std::vector<Mismatch> unsupported(const Facets& facets, const Support& support) {
  std::vector<Mismatch> out;
  const auto add = [&](std::string field, std::string requested, std::string observed) {
    out.push_back({.field = std::move(field),
                   .requested = std::move(requested),
                   .observed = std::move(observed)});
  };
  if (facets.architecture && !support.architectures.empty() &&
      std::ranges::none_of(support.architectures,
                           [&](const auto& one) { return satisfies(*facets.architecture, one); })) {
    add("support.architectures", facets.architecture->requested, join(support.architectures, "/"));
  }
  for (const DtypeFacet& dtype : facets.dtypes) {
    if (support.dtypes.empty() || satisfies(dtype, support.dtypes)) continue;
    add("support.dtypes", dtype.requested, join(support.dtypes, "/"));
  }
  if (facets.layout && excludes(support.layouts, *facets.layout)) {
    add("support.layouts", *facets.layout, join(support.layouts, "/"));
  }
  Bindings bindings;
  for (const AxisFacet& axis : facets.axes) {
    bindings.push_back({.name = axis.name, .value = static_cast<double>(axis.value)});
  }
  for (const std::string& predicate : support.axes) {
    if (holds(predicate, bindings) == false) add("support.axes", text_of(bindings), predicate);
  }
  return out;
}

}  // namespace ki::query
