#include "query/support.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text.h"
#include "manifest/axis_expression.h"
#include "policy/taxonomy.h"
#include "query/mismatch.h"
#include "query/predicate.h"
#include "query/stored.h"

namespace ki::query {
namespace {

constexpr std::string_view kNotSaid = "unknown";  // as declarations write it

}  // namespace

Support support_of(const json::Value& spec) {
  return {.dtypes = list_at(spec, "support.dtypes"),
          .layouts = list_at(spec, "support.layouts"),
          .architectures = list_at(spec, "support.hardwareArchitectures"),
          .products = list_at(spec, "support.productsTested"),
          .axes = list_at(spec, "support.axes")};
}

std::vector<DeclaredAxis> declared_axes(const json::Value& spec) {
  std::vector<DeclaredAxis> out;
  const json::Value* axes = spec.find("axes");
  if (axes == nullptr || !axes->is_object()) return out;
  for (const json::Member& member : axes->members()) {
    const auto value = text_at(member.value, "role") == "constant"
                           ? number_at(member.value, "value")
                           : std::nullopt;
    out.push_back({.name = std::string(member.key),
                   .value = value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt,
                   .expression = text_at(member.value, "expression").value_or("")});
  }
  return out;
}

std::string_view SupportCoverage::match() const {
  if (!excluded.empty()) return "incompatible";
  return unstated.empty() ? "supported_unobserved" : "unknown";
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

bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Whether a predicate holds a name as a whole word.
bool names(std::string_view predicate, std::string_view name) {
  for (std::size_t at = 0; at < predicate.size();) {
    std::size_t end = at;
    while (end < predicate.size() && is_of_name(predicate[end])) ++end;
    if (equals_ignoring_case(predicate.substr(at, end - at), name)) return true;
    at = end + 1;
  }
  return false;
}

// What the axes of an operation are bound to; names in lower case.
class Bound {
 public:
  Bound(const Facets& facets, std::span<const DeclaredAxis> declared) : declared_(declared) {
    for (const AxisFacet& axis : facets.axes) {
      if (axis.size.one()) {
        bind(axis.name, axis.size.least);
      } else {
        ranged_.push_back(ascii_lower(axis.name));
      }
    }
    for (const DeclaredAxis& axis : declared) {
      if (axis.value && !is_ranged(axis.name)) bind(axis.name, *axis.value);
    }
    for (const DeclaredAxis& axis : declared) {
      if (axis.expression.empty() || is_ranged(axis.name)) continue;
      const auto value = manifest::evaluate(axis.expression, bindings());
      if (value && std::abs(*value) < Range::kMax) {
        bind(axis.name, static_cast<std::int64_t>(*value));
      }
    }
  }

  std::vector<manifest::AxisBinding> bindings() const {
    std::vector<manifest::AxisBinding> out;
    for (const auto& [name, value] : values_) {
      out.push_back({.name = name, .value = static_cast<double>(value)});
    }
    return out;
  }

  bool is_ranged(std::string_view name) const {
    return std::ranges::find(ranged_, ascii_lower(name)) != ranged_.end();
  }
  bool is_axis(std::string_view name) const {
    return is_ranged(name) || std::ranges::any_of(declared_, [&](const DeclaredAxis& axis) {
             return equals_ignoring_case(axis.name, name);
           });
  }

  // Those that a predicate names: "d = 512, k = 64".
  std::string text(std::string_view predicate) const {
    std::vector<std::string> parts;
    for (const auto& [name, value] : values_) {
      if (names(predicate, name)) parts.push_back(name + " = " + std::to_string(value));
    }
    return join(parts, ", ");
  }

 private:
  // The first counts: what is asked for stands above what is declared.
  void bind(std::string_view name, std::int64_t value) {
    const auto known = [&](const auto& one) { return equals_ignoring_case(one.first, name); };
    if (std::ranges::none_of(values_, known)) values_.emplace_back(ascii_lower(name), value);
  }

  std::span<const DeclaredAxis> declared_;
  std::vector<std::pair<std::string, std::int64_t>> values_;
  std::vector<std::string> ranged_;
};

class Holder {
 public:
  Holder(const Facets& facets, const Support& support, std::span<const DeclaredAxis> declared)
      : facets_(facets), support_(support), bound_(facets, declared) {}

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
    const auto bindings = bound_.bindings();
    for (const std::string& text : support_.axes) {
      const Predicate predicate = evaluate_predicate(text, bindings);
      switch (predicate.truth) {
        case Truth::holds:
          break;
        case Truth::fails:
          out_.excluded.push_back(
              {.field = "support.axes", .requested = bound_.text(text), .observed = text});
          break;
        case Truth::open:
          open(text, predicate.open);
          break;
        case Truth::not_read:
          unstated(text, "is not understood");
          break;
      }
    }
  }

  // A predicate that could hold or not, for want of those axes.
  void open(const std::string& text, const std::vector<std::string>& names) {
    const auto no_axis = [&](const std::string& name) { return !bound_.is_axis(name); };
    const auto stranger = std::ranges::find_if(names, no_axis);
    if (stranger != names.end()) {
      return unstated(text, "names " + *stranger + ", which is no axis of the operation");
    }
    const auto ranged = [&](const std::string& name) { return bound_.is_ranged(name); };
    if (std::ranges::any_of(names, ranged)) return unstated(text, "is not decided by a range");
    if (facets_.shape) unstated(text, "is not decided by a shape");
  }

  void unstated(const std::string& predicate, std::string_view why) {
    out_.unstated.push_back("support.axes (\"" + excerpt(predicate) + "\" " + std::string(why) +
                            ")");
  }

  const Facets& facets_;
  const Support& support_;
  Bound bound_;
  SupportCoverage out_;
};

}  // namespace

SupportCoverage coverage_of(const Facets& facets, const Support& support,
                            std::span<const DeclaredAxis> axes) {
  return Holder(facets, support, axes).hold();
}

}  // namespace ki::query
