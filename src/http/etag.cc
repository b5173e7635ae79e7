#include "http/etag.h"

#include "base/digest.h"
#include "base/text.h"

namespace ki::http {

std::string strong_tag(std::string_view bytes) {
  constexpr std::size_t kTagBytes = 16;
  const Digest digest = sha256(bytes);
  const std::string_view kept(reinterpret_cast<const char*>(digest.bytes.data()), kTagBytes);
  return "\"" + to_hex(kept) + "\"";
}

std::string coded_tag(std::string tag, std::string_view coding) {
  if (!coding.empty()) tag.insert(tag.size() - 1, "-" + std::string(coding));
  return tag;
}

bool names_tag(std::string_view if_none_match, std::string_view tag) {
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  std::string_view rest = trim(if_none_match);
  if (rest == "*") return true;
  while (!rest.empty()) {
    if (rest.starts_with("W/")) rest.remove_prefix(2);
    if (!rest.starts_with('"')) return false;
    const auto close = rest.find('"', 1);
    if (close == std::string_view::npos) return false;
    if (rest.substr(0, close + 1) == tag) return true;
    rest = trim(rest.substr(close + 1));
    if (rest.starts_with(',')) rest = trim(rest.substr(1));
  }
  return false;
}

}  // namespace ki::http
