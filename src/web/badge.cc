#include "web/badge.h"

#include <fmt/format.h>

#include "base/text.h"
#include "web/html.h"

namespace ki::web {
namespace {

constexpr std::size_t kTextBytesMax = 60;
constexpr double kPadding = 7;

// About as wide as the text is in 11 px of a common sans face; textLength makes it so.
double width_of(std::string_view text) { return 6.6 * static_cast<double>(utf16_length(text)); }

}  // namespace

std::string badge(std::string_view label, std::string_view text) {
  const std::string left = plain(excerpt(label, kTextBytesMax));
  const std::string right = plain(excerpt(text, kTextBytesMax));
  const double middle = width_of(left) + 2 * kPadding;
  const double all = middle + width_of(right) + 2 * kPadding;
  const auto number = [](double value) { return fmt::format("{:.1f}", value); };
  const std::string name = left + ": " + right;
  Html html;
  html.add(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="20" role="img" )"
      R"(aria-label="{}"><title>{}</title><rect width="{}" height="20" rx="3" fill="#3b4650"/>)"
      R"(<path d="M{} 0h{}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{}z" fill="#0b5a8c"/>)",
      number(all), name, name, number(all), number(middle), number(all - middle - 3),
      number(all - middle - 3));
  html.add(R"(<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">)"
           R"(<text x="{}" y="14" textLength="{}">{}</text>)",
           number(kPadding), number(width_of(left)), left);
  html.add(R"(<text x="{}" y="14" textLength="{}">{}</text></g></svg>)", number(middle + kPadding),
           number(width_of(right)), right);
  return html.take();
}

}  // namespace ki::web
