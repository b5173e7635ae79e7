// What a request about served models may hold.
#include <array>

#include "base/text.h"
#include "policy/serving_policy.h"
#include "query/model_serving_request.h"

namespace ki::query {
namespace {

constexpr std::size_t kNameMax = 200;  // UTF-16 units
constexpr std::size_t kMetricMax = 60;
constexpr std::size_t kStatisticMax = 30;

class Limits {
 public:
  void text(const std::string& pointer, const std::optional<std::string>& value,
            std::size_t length_max) {
    if (value && utf16_length(*value) > length_max) {
      add(pointer, "too_long", "at most " + std::to_string(length_max) + " characters");
    }
  }
  void metric(const std::string& pointer, const std::string& value) {
    if (value.empty()) add(pointer, "too_short", "name a metric, such as ttft_ms");
    text(pointer, value, kMetricMax);
  }
  void add(std::string pointer, std::string code, std::string message) {
    out.push_back({.code = std::move(code),
                   .message = std::move(message),
                   .pointer = std::move(pointer),
                   .file = {},
                   .place = {}});
  }
  Issues out;
};

// A metric of the vocabulary has one direction; the other would crown the worst.
void check_direction(Limits& limits, const ServingObjectiveAsked& objective) {
  const auto metric = policy::find_serving_metric(objective.metric);
  if (!metric) return;
  const ServingDirection right = metric->direction == policy::Direction::lower
                                     ? ServingDirection::minimize
                                     : ServingDirection::maximize;
  if (objective.direction == right) return;
  limits.add("/objective/direction", "invalid_value",
             "of " + objective.metric + " " +
                 (right == ServingDirection::minimize ? "smaller" : "larger") +
                 " values are better: ask to " + std::string(json::word(right)) + " it");
}

}  // namespace

std::span<const std::string_view> words(ServingDirection) {
  static constexpr std::array<std::string_view, 2> kWords = {"maximize", "minimize"};
  return kWords;
}

std::span<const std::string_view> words(ServingOperator) {
  static constexpr std::array<std::string_view, 2> kWords = {"<=", "<"};
  return kWords;
}

Issues faults_of(const ServingRequest& request) {
  Limits limits;
  limits.text("/model", request.model, kNameMax);
  limits.text("/workload", request.workload, kNameMax);
  if (request.hardware) {
    limits.text("/hardware/model", request.hardware->model, kNameMax);
    if (request.hardware->count_maximum.value_or(1) < 1) {
      limits.add("/hardware/countMaximum", "out_of_range", "at least 1");
    }
  }
  if (request.objective) {
    limits.metric("/objective/metric", request.objective->metric);
    limits.text("/objective/statistic", request.objective->statistic, kStatisticMax);
    check_direction(limits, *request.objective);
  }
  if (!request.constraints) return std::move(limits.out);
  if (request.constraints->size() > kServingConstraintsMax) {
    limits.add("/constraints", "out_of_range",
               "at most " + std::to_string(kServingConstraintsMax) + " constraints");
  }
  for (std::size_t i = 0; i < request.constraints->size(); ++i) {
    const ServingConstraintAsked& one = (*request.constraints)[i];
    const std::string at = "/constraints/" + std::to_string(i);
    limits.metric(at + "/metric", one.metric);
    limits.text(at + "/statistic", one.statistic, kStatisticMax);
    if (one.value <= 0) limits.add(at + "/value", "out_of_range", "above 0");
  }
  return std::move(limits.out);
}

}  // namespace ki::query
