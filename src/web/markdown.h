// The project's own documents as pages. It reads the part of Markdown (CommonMark with tables) that
// they are written in: headings, paragraphs, lists, tables, fenced code, code, strong and
// emphasised text, links. Everything else is text, and all text is escaped as on every page.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "web/html.h"

namespace ki::web {

struct Heading {
  int level = 0;  // 1 to 4
  std::string text;
  std::string id;  // "how-a-cohort-is-ranked", unique in its document
};

struct Document {
  Html body;
  std::vector<Heading> headings;  // in their order
};

// Where a link of a document leads: an address, or an empty one for what has no page here. Then the
// link is its text alone.
using LinkTarget = std::function<Url(std::string_view target)>;

Document read_markdown(std::string_view text, const LinkTarget& target);

}  // namespace ki::web
