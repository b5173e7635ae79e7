// Files that pages refer to, compiled into the program. Their address holds the digest of their
// content, so a browser keeps them for ever and never shows an old one.
#pragma once

#include <string_view>

#include "http/router.h"
#include "web/html.h"

namespace ki::web {

inline constexpr std::size_t kStyleBytesMax = 24 * 1024;
inline constexpr std::size_t kScriptBytesMax = 12 * 1024;

// "/static/ki.<digest>.css", "/static/ki.<digest>.js", "/static/icon.<digest>.svg"
const Url& style_sheet_url();
const Url& script_url();
const Url& icon_url();

// The files, and /favicon.ico, which browsers ask for by themselves.
void add_assets(http::Router& router);

}  // namespace ki::web
