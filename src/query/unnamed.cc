#include "query/unnamed.h"

#include <algorithm>

#include "base/text.h"
#include "policy/taxonomy.h"

namespace ki::query {
namespace {

std::vector<std::string> near_names(std::string_view typed, const std::vector<std::string>& known) {
  constexpr std::size_t kNear = 4;
  const auto reading = policy::read_gpu(typed);
  const std::string lower = ascii_lower(typed);
  std::vector<std::string> lowered;
  std::vector<std::string> near;
  for (const std::string& name : known) {
    lowered.push_back(ascii_lower(name));
    const bool meant = reading && policy::gpu_matches(*reading, name);
    if (near.size() < kNear && (meant || lowered.back().contains(lower))) near.push_back(name);
  }
  if (!near.empty()) return near;
  const auto found = nearest(lower, {lowered.begin(), lowered.end()});
  if (found.empty()) return near;
  const auto at = std::ranges::find(lowered, found) - lowered.begin();
  near.push_back(known[static_cast<std::size_t>(at)]);
  return near;
}

}  // namespace

std::string near_text(const std::vector<std::string>& near) {
  return near.empty() ? "" : "; near it: " + join(near, ", ");
}

std::string near_text(std::string_view typed, const std::vector<std::string>& known) {
  constexpr std::size_t kListed = 10;
  std::string text = near_text(near_names(typed, known));
  if (!text.empty() || known.empty()) return text;
  const std::size_t listed = std::min(known.size(), kListed);
  text = "; there is " +
         join({known.begin(), known.begin() + static_cast<std::ptrdiff_t>(listed)}, ", ");
  if (known.size() > listed) text += " and " + std::to_string(known.size() - listed) + " more";
  return text;
}

NotApplied names_nothing(std::string_view parameter, const std::string& value,
                         std::string_view what, std::string_view near) {
  return {.parameter = std::string(parameter),
          .value = value,
          .text = std::string(what) + ", so nothing is listed" + std::string(near)};
}

}  // namespace ki::query
