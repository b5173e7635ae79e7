#include "web/layout.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "web/assets.h"

namespace ki::web {
namespace {

struct NavigationEntry {
  std::string_view name;
  std::string_view segment;
};

constexpr std::array kNavigation = {
    NavigationEntry{"Search", "search"}, NavigationEntry{"Operations", "operations"},
    NavigationEntry{"Records", "records"}, NavigationEntry{"Hardware", "hardware"},
    NavigationEntry{"Models", "models"}};

Html navigation(std::string_view current) {
  Html html;
  for (const auto& [name, segment] : kNavigation) {
    const Url url = Url::local({segment});
    if (name == current) {
      html.add(R"(<li><a href="{}" aria-current="page">{}</a></li>)", url, name);
    } else {
      html.add(R"(<li><a href="{}">{}</a></li>)", url, name);
    }
  }
  return html;
}

Html header_search(const Page& page) {
  Html html;
  if (page.own_search) return html;
  html.add(R"(<form class="site-search" role="search" action="/search" method="get">)"
           R"(<label class="hidden" for="site-q">Search kernels</label>)"
           R"(<input id="site-q" name="q" type="search" maxlength="500" value="{}" )"
           R"(placeholder="operation, shape, dtype, GPU" autocomplete="off">)"
           R"(<button>Search</button></form>)",
           page.query);
  return html;
}

Html elsewhere(const Page& page) {
  Html html;
  if (!page.json && page.commands.empty()) return html;
  html.add(R"(<section class="elsewhere"><h2>The same answer elsewhere</h2>)");
  for (const std::string& command : page.commands) {
    html.add(R"(<pre class="command" tabindex="0">{}</pre>)", command);
  }
  if (page.json) html.add(R"(<p><a href="{}" type="application/json">JSON</a></p>)", *page.json);
  html.add("</section>");
  return html;
}

}  // namespace

std::string curl_command(const Context& context, const Url& url) {
  return "curl -s " + shell_quoted(context.origin + url.text());
}

Html search_form(std::string_view query) {
  Html html;
  html.add(R"(<form class="big-search" role="search" action="/search" method="get">)"
           R"(<label for="q">Operation, shape, dtype, hardware</label>)"
           R"(<div class="field"><input id="q" name="q" type="search" maxlength="500" value="{}" )"
           R"(placeholder="neighborhood attention backward 3090" autocomplete="off">)"
           R"(<button>Search</button></div></form>)",
           query);
  return html;
}

std::string render(const Page& page) {
  Html html;
  html.reserve(page.body.text().size() + 4096);
  html.add(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{} · KernelIndex</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="{}">
<link rel="icon" href="data:,">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="site"><div class="bar">
<a class="brand" href="/">Kernel<b>Index</b></a>
{}<nav aria-label="Main"><ul>{}</ul></nav>
</div></header>
<main id="content">
{}{}</main>
<footer class="site"><p>Measured results as their sources publish them, identified by digest. )"
           R"(<a href="/api/v1/openapi.json">API description</a></p></footer>
</body>
</html>
)",
           page.title, style_sheet_url(), header_search(page), navigation(page.current), page.body,
           elsewhere(page));
  return html.take();
}

}  // namespace ki::web
