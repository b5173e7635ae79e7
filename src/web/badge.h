// Badges for READMEs: a small SVG with two texts.
#pragma once

#include <string>
#include <string_view>

namespace ki::web {

// `label` on the left, `text` on the right; each is cut to 60 bytes. Any text is safe.
std::string badge(std::string_view label, std::string_view text);

}  // namespace ki::web
