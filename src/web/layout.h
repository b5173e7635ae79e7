// The frame of every page: head, search field, landmarks, where else the same answer is.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/html.h"
#include "web/links.h"

namespace ki::web {

// What a page knows about the request besides the read model.
struct Context {
  std::string origin;  // "http://127.0.0.1:8080", for commands and permalinks
  std::string today;   // "2026-02-01", for citations
};

struct Page {
  std::string title;                       // before " · KernelIndex"
  Html body = {};                          // what stands in <main>
  std::string description = {};            // one sentence for search engines and previews
  std::string query = {};                  // in the header's search field
  bool own_search = false;                 // the body has the search field: none in the header
  std::string current = {};                // the navigation entry this page is
  std::optional<Url> canonical = {};       // the page without parameters that change no content
  std::optional<Url> card = {};            // a picture for previews: PNG, 1200 x 630
  std::optional<Url> json = {};            // the same answer from the API
  std::vector<std::string> commands = {};  // ready to paste into a shell
  bool illustrative = false;               // all it shows was made up to show the form
};

// The whole document.
std::string render(const Page& page, const Context& context);

// An address of this site with its origin, for those who read it elsewhere.
std::string absolute(const Context& context, const Url& url);

// "curl -s 'http://host/path'"
std::string curl_command(const Context& context, const Url& url);

// The large search form of home and search.
Html search_form(std::string_view query);

}  // namespace ki::web
