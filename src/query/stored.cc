#include "query/stored.h"

#include "base/text.h"
#include "json/read.h"
#include "json/write.h"

namespace ki::query {

Result<json::Document> parse_stored(std::string_view text, std::string_view where) {
  auto parsed = json::parse(text, json::kBundleLimits);
  if (!parsed) return fail(Code::internal, to_string(parsed.error()), std::string(where));
  return std::move(*parsed);
}

Result<std::vector<std::string>> parse_list(std::string_view text, std::string_view where) {
  std::vector<std::string> out;
  if (text == "[]") return out;
  const json::Document document = TRY(parse_stored(text, where));
  if (!document.root.is_array()) return fail(Code::internal, "not a list", std::string(where));
  for (const json::Value& item : document.root.items()) {
    if (item.is_string()) out.emplace_back(item.string());
  }
  return out;
}

const json::Value* at_path(const json::Value& value, std::string_view path) {
  const json::Value* at = &value;
  for (const auto part : split(path, '.')) {
    at = at->find(part);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::optional<std::string> text_at(const json::Value& value, std::string_view path) {
  const json::Value* at = at_path(value, path);
  if (at == nullptr || at->is_null()) return std::nullopt;
  if (at->is_string()) return std::string(at->string());
  std::string out;
  json::append_compact(out, *at);
  return out;
}

std::optional<double> number_at(const json::Value& value, std::string_view path) {
  const json::Value* at = at_path(value, path);
  return at != nullptr && at->is_number() ? std::optional(at->number()) : std::nullopt;
}

std::vector<std::string> list_at(const json::Value& value, std::string_view path) {
  std::vector<std::string> out;
  const json::Value* at = at_path(value, path);
  if (at == nullptr || !at->is_array()) return out;
  for (const json::Value& item : at->items()) {
    if (item.is_string()) out.emplace_back(item.string());
  }
  return out;
}

}  // namespace ki::query
