#include "web/assets.h"

#include <algorithm>
#include <span>

#include "base/digest.h"
#include "base/embedded.h"

namespace ki::embedded {
std::span<const File> web_static();  // made by ki_embed()
}

namespace ki::web {
namespace {

std::string_view bytes_of(std::string_view file) {
  const auto files = embedded::web_static();
  const auto found = std::ranges::find(files, file, &embedded::File::name);
  KI_CHECK(found != files.end());
  return found->bytes;
}

// "ki.<digest>.css" for the file "ki.css".
std::string served_name(std::string_view file) {
  const auto dot = file.find('.');
  const std::string digest = to_string(sha256(bytes_of(file)));
  return std::string(file.substr(0, dot)) + "." +
         digest.substr(std::string_view("sha256:").size(), 16) + std::string(file.substr(dot));
}

Url url_of(std::string_view file) { return Url::local({"static", served_name(file)}); }

void add_file(http::Router& router, std::string_view file, std::string_view content_type) {
  router.add({.method = http::Method::get,
              .pattern = "/static/" + served_name(file),
              .handler = [file, content_type](const http::Request&, const http::Captures&) {
                return http::Response{.status = 200,
                                      .content_type = std::string(content_type),
                                      .body = std::string(bytes_of(file)),
                                      .cache = http::Cache::immutable};
              }});
}

}  // namespace

const Url& style_sheet_url() {
  static const Url url = url_of("ki.css");
  return url;
}

const Url& script_url() {
  static const Url url = url_of("ki.js");
  return url;
}

const Url& icon_url() {
  static const Url url = url_of("icon.svg");
  return url;
}

void add_assets(http::Router& router) {
  add_file(router, "ki.css", "text/css; charset=utf-8");
  add_file(router, "ki.js", "text/javascript; charset=utf-8");
  add_file(router, "icon.svg", "image/svg+xml");
  router.add({.method = http::Method::get,
              .pattern = "/favicon.ico",
              .handler = [](const http::Request&, const http::Captures&) {
                return http::found(icon_url().text());
              }});
}

}  // namespace ki::web
