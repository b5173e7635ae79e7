// Files that pages refer to, compiled into the program. Their address holds the digest of their
// content, so a browser keeps them for ever and never shows an old one.
#pragma once

#include <string_view>

#include "http/router.h"
#include "web/html.h"

namespace ki::web {

// "/static/ki.<digest>.css"
const Url& style_sheet_url();

void add_assets(http::Router& router);

}  // namespace ki::web
