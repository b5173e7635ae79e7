#include "query/support.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "manifest/axis_expression.h"
#include "policy/taxonomy.h"
#include "query/mismatch.h"
#include "query/stored.h"

namespace ki::query {
namespace {

constexpr std::string_view kNotSaid = "unknown";  // as declarations write it

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

namespace {

// The architectures that would do: those asked for, else those of the products asked for.
std::vector<std::string> architectures_of(const Facets& facets) {
  if (facets.architecture) return facets.architecture->reading.hardware;
  std::vector<std::string> out;
  if (!facets.hardware || !facets.hardware->gpu) return out;
  const policy::GpuReading& gpu = *facets.hardware->gpu;
  for (const policy::Gpu* variant : gpu.variants) out.emplace_back(variant->architecture);
  if (gpu.unspecified != nullptr) out.emplace_back(gpu.unspecified->architecture);
  return out;
}

bool overlap(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::any_of(a,
                             [&](const auto& one) { return std::ranges::find(b, one) != b.end(); });
}

// Whether what was asked for of the hardware is a product that the implementation was tested on.
bool was_tested(const Facets& facets, const std::vector<std::string>& products) {
  return std::ranges::any_of(products, [&](const std::string& product) {
    const policy::Gpu* gpu = policy::find_gpu(product);
    if (facets.hardware && !satisfies(*facets.hardware, gpu, product)) return false;
    return !facets.architecture ||
           satisfies(*facets.architecture, gpu == nullptr ? "" : gpu->architecture);
  });
}

class Holder {
 public:
  Holder(const Facets& facets, const Support& support) : facets_(facets), support_(support) {}

  SupportCoverage hold() {
    hardware();
    for (const DtypeFacet& dtype : facets_.dtypes) {
      list("support.dtypes", dtype.requested, support_.dtypes, satisfies(dtype, support_.dtypes));
    }
    if (facets_.layout) {
      list("support.layouts", *facets_.layout, support_.layouts,
           overlap(support_.layouts, {*facets_.layout}));
    }
    axes();
    return std::move(out_);
  }

 private:
  void hardware() {
    if (!facets_.architecture && !facets_.hardware) return;
    if (was_tested(facets_, support_.products)) return;
    const std::string& asked =
        facets_.architecture ? facets_.architecture->requested : facets_.hardware->requested;
    const auto architectures = architectures_of(facets_);
    // A product that nobody lists has no architecture to hold a declaration against.
    const auto& declared = architectures.empty() ? architectures : support_.architectures;
    list("support.architectures", asked, declared, overlap(declared, architectures));
  }

  // A list that holds the word "unknown" is not the whole of what is supported.
  void list(std::string field, const std::string& asked, const std::vector<std::string>& declared,
            bool covered) {
    if (covered) return;
    if (declared.empty() || std::ranges::find(declared, kNotSaid) != declared.end()) {
      out_.unstated.push_back(std::move(field));
    } else {
      out_.excluded.push_back(
          {.field = std::move(field), .requested = asked, .observed = join(declared, "/")});
    }
  }

  void axes() {
    Bindings bindings;
    std::vector<std::string_view> ranged;
    for (const AxisFacet& axis : facets_.axes) {
      if (!axis.size.one()) {
        ranged.push_back(axis.name);
        continue;
      }
      bindings.push_back({.name = axis.name, .value = static_cast<double>(axis.size.least)});
    }
    bool open = false;
    for (const std::string& predicate : support_.axes) {
      const auto known = holds(predicate, bindings);
      if (known == false) {
        out_.excluded.push_back(
            {.field = "support.axes", .requested = text_of(bindings), .observed = predicate});
      }
      const auto named = [&](std::string_view axis) { return predicate.contains(axis); };
      open = open || (!known && std::ranges::any_of(ranged, named));
    }
    if (open) out_.unstated.emplace_back("support.axes");
  }

  const Facets& facets_;
  const Support& support_;
  SupportCoverage out_;
};

}  // namespace

SupportCoverage coverage_of(const Facets& facets, const Support& support) {
  return Holder(facets, support).hold();
}

}  // namespace ki::query
