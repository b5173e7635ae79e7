#include "query/request.h"

#include <charconv>

#include "base/result.h"

namespace ki::query {
namespace {

// Digits, then nothing, k or M.
std::optional<std::int64_t> read_size(std::string_view text) {
  std::int64_t factor = 1;
  if (text.ends_with('k') || text.ends_with('K')) factor = 1024;
  if (text.ends_with('M')) factor = std::int64_t{1024} * 1024;
  if (factor > 1) text.remove_suffix(1);
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value > Range::kMax / factor ? std::nullopt : std::optional(value * factor);
}

}  // namespace

std::string Range::text() const {
  if (one()) return std::to_string(least);
  if (most == kMax) return ">= " + std::to_string(least);
  if (least == 0) return "<= " + std::to_string(most);
  return std::to_string(least) + ".." + std::to_string(most);
}

std::optional<Range> read_range(std::string_view text) {
  if (text.starts_with('<') || text.starts_with('>')) {
    const bool above = text[0] == '>';
    const bool with = text.size() > 1 && text[1] == '=';
    const auto bound = read_size(text.substr(with ? 2 : 1));
    if (!bound) return std::nullopt;
    if (above) return Range{.least = with ? *bound : *bound + 1};
    return Range{.least = 0, .most = with ? *bound : *bound - 1};
  }
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    const auto value = read_size(text);
    return value ? std::optional(Range{.least = *value, .most = *value}) : std::nullopt;
  }
  const std::string_view before = text.substr(0, dots);
  const std::string_view after = text.substr(dots + 2);
  Range out;
  if (!before.empty()) {
    const auto least = read_size(before);
    if (!least) return std::nullopt;
    out.least = *least;
  }
  if (!after.empty()) {
    const auto most = read_size(after);
    if (!most) return std::nullopt;
    out.most = *most;
  }
  if (before.empty() && after.empty()) return std::nullopt;
  return out;
}

std::string_view name_of(Text text) {
  switch (text) {
    case Text::driver:
      return "environment.driver";
    case Text::compiler:
      return "environment.compiler";
    case Text::protocol:
      return "protocol.name";
    case Text::statistic:
      return "protocol.statistic";
    case Text::project:
      return "project";
    case Text::package:
      return "package";
    case Text::author:
      return "author";
  }
  KI_UNREACHABLE();
}

bool Facets::binds_case() const {
  for (const AxisFacet& axis : axes) {
    if (!axis.soft) return true;
  }
  return shape.has_value();
}

bool Facets::has_hardware_or_dtype() const {
  return hardware || vendor || memory_gb || architecture || cuda || !dtypes.empty();
}

bool Facets::empty() const {
  return !has_hardware_or_dtype() && !device_count && !quantization && !layout && !framework &&
         !language && !shape && axes.empty() && !pass && !metric && texts.empty() &&
         cohort.empty() && !requires_anything();
}

bool Facets::requires_anything() const {
  return trust || license || source || installable || framework_version || toolkit_version;
}

void replace_reading(Request& request, std::size_t earlier, std::size_t later) {
  Reading& before = request.readings[earlier];
  const Reading& now = request.readings[later];
  const std::string text = "replaced by " + now.token;
  if (before.meaning != now.meaning || before.alternatives != now.alternatives) {
    request.notes.push_back(before.token + " is " + text);
  }
  before.kind = "replaced";
  before.meaning = text;
  before.alternatives.clear();
  before.display.clear();
}

}  // namespace ki::query
