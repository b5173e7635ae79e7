#include "manifest/manifest.h"

#include "json/write.h"
#include "manifest/check.h"

namespace ki::manifest {
namespace {

std::string_view text_of(const json::Value& mapping, std::string_view key) {
  const json::Value* const value = mapping.find(key);
  return value == nullptr ? std::string_view{} : value->string();
}

void append_body(std::string& out, Kind kind, const json::Value& spec) {
  out += R"({"apiVersion":")";
  out += kApiVersion;
  out += R"(","kind":")";
  out += name_of(kind);
  out += R"(","spec":)";
  json::append_canonical(out, spec);
  out += '}';
}

Digest digest_of(Kind kind, const json::Value& spec) {
  constexpr std::size_t kKept = std::size_t{1} << 16;
  static thread_local std::string body;  // its memory is used again by the next document
  body.clear();
  append_body(body, kind, spec);
  const Digest digest = sha256(body);
  if (body.capacity() > kKept) body = {};
  return digest;
}

}  // namespace

std::string_view Manifest::title() const { return text_of(metadata(), "title"); }

std::string_view Manifest::description() const { return text_of(metadata(), "description"); }

std::string_view Manifest::label(std::string_view key) const {
  const json::Value* const labels = metadata().find("labels");
  return labels == nullptr ? std::string_view{} : text_of(*labels, key);
}

std::string Manifest::to_json() const {
  std::string out;
  json::append_compact(out, document_.root);
  return out;
}

std::string Manifest::canonical_body() const {
  std::string out;
  append_body(out, kind_, spec());
  return out;
}

std::expected<Manifest, Issues> decode(json::Document document, const Source& source) {
  std::optional<Kind> kind;
  const json::Value* const kind_name = document.root.find("kind");
  if (kind_name != nullptr && kind_name->is_string()) kind = parse_kind(kind_name->string());
  Complaints complaints(source.text, source.file, source.pointer, source.tally);
  Checker checker(document.arena, kind, complaints);
  checker.document(document.root);
  if (complaints.count() != 0) return std::unexpected(complaints.take());
  Manifest manifest;
  manifest.kind_ = *kind;
  manifest.document_ = std::move(document);
  manifest.changes_ = checker.take_changes();
  manifest.digest_ = digest_of(*kind, manifest.spec());
  return manifest;
}

std::expected<Manifest, Issues> decode_json(std::string_view text, std::string_view file) {
  auto document = json::parse(text, json::kManifestLimits);
  if (!document) {
    for (Issue& issue : document.error()) issue.file = file;
    return std::unexpected(std::move(document).error());
  }
  return decode(std::move(*document), {.text = text, .file = file});
}

Digest digest_of(const json::Value& value) { return sha256(json::canonical(value)); }

}  // namespace ki::manifest
