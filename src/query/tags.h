// What the tags of operations say. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ki::query {

inline constexpr std::string_view kModelTag = "model:";

// "deepseek-v3" of "model:deepseek-v3"; "" of any other tag.
inline std::string_view model_of_tag(std::string_view tag) {
  return tag.starts_with(kModelTag) ? tag.substr(kModelTag.size()) : std::string_view();
}

// The models among the tags, in their order.
inline std::vector<std::string> models_of(const std::vector<std::string>& tags) {
  std::vector<std::string> out;
  for (const std::string& tag : tags) {
    if (const auto model = model_of_tag(tag); !model.empty()) out.emplace_back(model);
  }
  return out;
}

// Whether one of two names is the other with "-..." behind it.
inline bool extends(std::string_view longer, std::string_view shorter) {
  return longer.size() > shorter.size() && longer.starts_with(shorter) &&
         longer[shorter.size()] == '-';
}
inline bool related(std::string_view a, std::string_view b) {
  return extends(a, b) || extends(b, a);
}

}  // namespace ki::query
