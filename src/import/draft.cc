#include "import/draft.h"

#include "base/digest.h"
#include "base/issue.h"
#include "base/text.h"

namespace ki::importer {

namespace {

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

Draft::Draft(manifest::Kind kind, const Metadata& metadata) {
  writer_.begin_object();
  writer_.key("apiVersion").string(manifest::kApiVersion);
  writer_.key("kind").string(manifest::name_of(kind));
  writer_.key("metadata").begin_object();
  writer_.key("name").string(kebab(metadata.name));
  if (!metadata.title.empty()) writer_.key("title").string(metadata.title);
  if (!metadata.description.empty()) writer_.key("description").string(metadata.description);
  if (!metadata.labels.empty()) {
    writer_.key("labels").begin_object();
    for (const auto& [key, value] : metadata.labels) writer_.key(key).string(value);
    writer_.end_object();
  }
  if (!metadata.source_url.empty()) {
    writer_.key("sourceRefs").begin_array().begin_object();
    writer_.key("url").string(metadata.source_url).end_object().end_array();
  }
  writer_.end_object().key("spec").begin_object();
}

Result<manifest::Manifest> Draft::finish() {
  writer_.end_object().end_object();
  auto decoded = manifest::decode_json(text_);
  if (!decoded) return std::unexpected(to_error(decoded.error()));
  return std::move(*decoded);
}

std::string tokenize(std::string_view text) {
  std::string token;
  for (const char c : ascii_lower(text)) {
    if (is_letter(c) || (is_digit(c) && !token.empty())) {
      token += c;
    } else if (!token.empty() && token.back() != '_') {
      token += '_';
    }
  }
  while (token.ends_with('_')) token.pop_back();
  return token.empty() ? "unknown" : token;
}

std::string marked_slug(std::string_view readable, std::string_view exact) {
  constexpr std::size_t kMark = 8;
  const std::string hex =
      to_string(sha256(exact)).substr(std::string_view("sha256:").size(), kMark);
  return kebab(kebab(readable).substr(0, kSlugMax - kMark - 1) + "-" + hex);
}

}  // namespace ki::importer
