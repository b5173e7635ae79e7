#include "manifest/doubts.h"

#include <optional>

#include "base/text.h"
#include "json/write.h"

namespace ki::manifest {
namespace {

using json::Value;

const Value* at(const Value& from, std::initializer_list<std::string_view> path) {
  const Value* value = &from;
  for (const std::string_view key : path) {
    if (value == nullptr || !value->is_object()) return nullptr;
    value = value->find(key);
  }
  return value;
}

std::string number_text(double value) {
  std::string out;
  json::append_number(out, value);
  return out;
}

std::optional<double> number_of(const Value* value) {
  return value != nullptr && value->is_number() ? std::optional(value->number()) : std::nullopt;
}

// The size that a dimension of the operation has in a case; nullopt when nobody states it.
std::optional<double> size_of(const Value& dimension, const Value& axes, const Value& operation) {
  if (dimension.is_number()) return dimension.number();
  if (!dimension.is_string()) return std::nullopt;
  if (const auto stated = number_of(axes.find(dimension.string()))) return stated;
  return number_of(at(operation, {"axes", dimension.string(), "value"}));
}

const Value* declared_tensor(const Value& operation, std::string_view name) {
  for (const std::string_view side : {"inputs", "outputs"}) {
    const Value* const list = operation.find(side);
    if (list == nullptr || !list->is_array()) continue;
    for (const Value& argument : list->items()) {
      const Value* const called = argument.find("name");
      if (called != nullptr && called->is_string() && called->string() == name) {
        return argument.find("tensor");
      }
    }
  }
  return nullptr;
}

// The doubt about one shape: the first dimension that its axes contradict.
std::optional<std::string> doubt_of_shape(const Value& shape, const Value& declared,
                                          const Value& axes, const Value& operation) {
  if (!shape.is_array() || !declared.is_array()) return std::nullopt;
  const auto own = shape.items();
  const auto wanted = declared.items();
  if (own.size() != wanted.size()) {
    return "has " + std::to_string(own.size()) + " dimensions where the operation declares " +
           std::to_string(wanted.size());
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto size = size_of(wanted[i], axes, operation);
    const auto stated = number_of(&own[i]);
    if (!size || !stated || *size == *stated) continue;
    return "dimension " + std::to_string(i) + " is " + number_text(*stated) +
           " where the axes give " + number_text(*size);
  }
  return std::nullopt;
}

}  // namespace

std::string to_string(const Doubt& doubt) { return doubt.pointer + ": " + doubt.message; }

std::vector<Doubt> doubts_of_run(const Value& spec) {
  const Value* const pair = at(spec, {"timing", "latencyNs", "confidence95"});
  if (pair == nullptr || !pair->is_array() || pair->items().size() != 2) return {};
  const std::string pointer = "/spec/timing/latencyNs/confidence95";
  const double low = pair->items()[0].number();
  const double high = pair->items()[1].number();
  const std::string bounds = number_text(low) + " to " + number_text(high) + " ns";
  if (low > high) {
    return {{pointer, "the bounds " + bounds +
                          " are reversed, so it counts as unknown; state the lower one first"}};
  }
  const auto median = number_of(at(spec, {"timing", "latencyNs", "median"}));
  if (!median || (low <= *median && *median <= high)) return {};
  return {
      {pointer, "the median, " + number_text(*median) + " ns, lies outside " + bounds +
                    ", so it counts as unknown; state the interval of the median, or correct it"}};
}

std::vector<Doubt> doubts_of_case(const Value& spec, const Value& operation) {
  std::vector<Doubt> out;
  const Value* const axes = spec.find("axes");
  if (axes == nullptr || !axes->is_object()) return out;
  for (const json::Member& axis : axes->members()) {
    const auto fixed = number_of(at(operation, {"axes", axis.key, "value"}));
    const auto stated = number_of(&axis.value);
    if (!fixed || !stated || *fixed == *stated) continue;
    out.push_back({"/spec/axes/" + std::string(axis.key),
                   "is " + number_text(*stated) + " where the operation fixes " +
                       number_text(*fixed) + "; write that, or name another operation"});
  }
  const Value* const tensors = spec.find("tensors");
  if (tensors == nullptr || !tensors->is_object()) return out;
  for (const json::Member& tensor : tensors->members()) {
    const Value* const declared = declared_tensor(operation, tensor.key);
    const Value* const shape = tensor.value.find("shape");
    const Value* const wanted = declared == nullptr ? nullptr : declared->find("shape");
    if (shape == nullptr || wanted == nullptr) continue;
    if (const auto doubt = doubt_of_shape(*shape, *wanted, *axes, operation)) {
      out.push_back({"/spec/tensors/" + std::string(tensor.key) + "/shape",
                     *doubt + "; correct the shape or the axes"});
    }
  }
  return out;
}

namespace {

// The format takes every whole number; a size below 0 is none.
void add_sizes(std::vector<Doubt>& out, const Value* axes, const std::string& pointer) {
  if (axes == nullptr || !axes->is_object()) return;
  for (const json::Member& axis : axes->members()) {
    const auto size = number_of(&axis.value);
    if (!size || *size >= 0) continue;
    out.push_back({pointer + "/" + std::string(axis.key),
                   "is " + number_text(*size) + ", and no size is below 0; correct it"});
  }
}

}  // namespace

std::vector<Doubt> doubts_of_sizes(const Value& spec) {
  std::vector<Doubt> out;
  add_sizes(out, spec.find("axes"), "/spec/axes");
  const Value* const cases = spec.find("cases");
  if (cases == nullptr || !cases->is_array()) return out;
  for (std::size_t i = 0; i < cases->items().size(); ++i) {
    add_sizes(out, cases->items()[i].find("axes"), "/spec/cases/" + std::to_string(i) + "/axes");
  }
  return out;
}

std::vector<Doubt> doubts_of(const Manifest& manifest, const Manifest* operation) {
  if (manifest.kind() == Kind::benchmark_run) return doubts_of_run(manifest.spec());
  const bool is_case = manifest.kind() == Kind::workload_case;
  if (!is_case && manifest.kind() != Kind::workload_suite) return {};
  std::vector<Doubt> out = doubts_of_sizes(manifest.spec());
  if (is_case && operation != nullptr) {
    for (Doubt& one : doubts_of_case(manifest.spec(), operation->spec())) {
      out.push_back(std::move(one));
    }
  }
  return out;
}

}  // namespace ki::manifest
