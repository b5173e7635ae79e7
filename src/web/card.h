// Pictures for previews of links: what a page is about on 1200 x 630 pixels.
#pragma once

#include <string>

#include "base/result.h"

namespace ki::web {

inline constexpr int kCardWidth = 1200;
inline constexpr int kCardHeight = 630;

// Text from outside is drawn as text: bytes that are no UTF-8, control characters and the marks
// that reorder text are replaced, and what does not fit is cut with "…".
struct Card {
  std::string kind;      // "Run", "Operation"; above the title
  std::string title;     // at most three lines
  std::string subtitle;  // at most two lines
  std::string figure;    // "15.1 ms"; "" = none
  std::string note;      // beside the figure: what it is
};

// A PNG; the same card gives the same bytes on one machine. Thread-safe. Errors:
// Code::unavailable without the library (libcairo2), Code::internal when it cannot draw.
Result<std::string> draw_card(const Card& card);

}  // namespace ki::web
