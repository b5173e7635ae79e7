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

std::string_view style_sheet() {
  const auto files = embedded::web_static();
  const auto found = std::ranges::find(files, "ki.css", &embedded::File::name);
  KI_CHECK(found != files.end());
  return found->bytes;
}

const std::string& style_sheet_name() {
  static const std::string name =
      "ki." + to_string(sha256(style_sheet())).substr(std::string_view("sha256:").size(), 16) +
      ".css";
  return name;
}

}  // namespace

const Url& style_sheet_url() {
  static const Url url = Url::local({"static", style_sheet_name()});
  return url;
}

void add_assets(http::Router& router) {
  router.add({.method = http::Method::get,
              .pattern = "/static/" + style_sheet_name(),
              .handler = [](const http::Request&, const http::Captures&) {
                return http::Response{.status = 200,
                                      .content_type = "text/css; charset=utf-8",
                                      .body = std::string(style_sheet()),
                                      .cache = http::Cache::immutable};
              }});
}

}  // namespace ki::web
