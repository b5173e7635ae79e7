#include "web/layout.h"

#include <array>

#include "base/text.h"
#include "web/assets.h"

namespace ki::web {
namespace {

struct NavigationEntry {
  std::string_view name;
  std::string_view segment;
};

constexpr std::array kNavigation = {
    NavigationEntry{"Search", "search"},     NavigationEntry{"Operations", "operations"},
    NavigationEntry{"Records", "records"},   NavigationEntry{"Hardware", "hardware"},
    NavigationEntry{"Models", "models"},     NavigationEntry{"Serving", "serving"},
    NavigationEntry{"Projects", "projects"}, NavigationEntry{"Docs", "docs"}};

constexpr std::size_t kTitleBytesMax = 200;
constexpr std::size_t kDescriptionBytesMax = 300;

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

// What previews and search engines read.
Html head_links(const Page& page, const std::string& title, const Context& context) {
  Html html;
  if (!page.description.empty()) {
    const std::string text = excerpt(page.description, kDescriptionBytesMax);
    html.add("<meta name=\"description\" content=\"{}\">\n", text);
    html.add("<meta property=\"og:description\" content=\"{}\">\n", text);
  }
  html.add("<meta property=\"og:title\" content=\"{}\">\n", title);
  html.add("<meta property=\"og:site_name\" content=\"KernelIndex\">\n");
  html.add("<meta property=\"og:type\" content=\"website\">\n");
  if (page.canonical) {
    const std::string address = absolute(context, *page.canonical);
    html.add("<link rel=\"canonical\" href=\"{}\">\n", Url::outside(address));
    html.add("<meta property=\"og:url\" content=\"{}\">\n", address);
  }
  if (page.card) {
    html.add("<meta property=\"og:image\" content=\"{}\">\n", absolute(context, *page.card));
    html.add("<meta property=\"og:image:width\" content=\"1200\">\n");
    html.add("<meta property=\"og:image:height\" content=\"630\">\n");
    html.add("<meta name=\"twitter:card\" content=\"summary_large_image\">\n");
  }
  if (page.json) {
    html.add("<link rel=\"alternate\" type=\"application/json\" href=\"{}\">\n", *page.json);
  }
  return html;
}

Html banner(const Page& page) {
  Html html;
  if (!page.illustrative) return html;
  return html.add(R"(<p class="notice"><strong>Made up.</strong> These figures come from an )"
                  R"(illustrative source: they show the form, nobody measured them.</p>)");
}

}  // namespace

std::string absolute(const Context& context, const Url& url) { return context.origin + url.text(); }

std::string curl_command(const Context& context, const Url& url) {
  return "curl -s " + shell_quoted(absolute(context, url));
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

std::string render(const Page& page, const Context& context) {
  const std::string title = excerpt(page.title, kTitleBytesMax);
  Html html;
  html.reserve(page.body.text().size() + 6144);
  html.add(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{} · KernelIndex</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<script src="{}"></script>
<link rel="stylesheet" href="{}">
<link rel="icon" type="image/svg+xml" href="{}">
<link rel="alternate" type="application/atom+xml" title="Records and changes" href="/feed.xml">
{}</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="site"><div class="bar">
<a class="brand" href="/">Kernel<b>Index</b></a>
{}<nav aria-label="Main"><ul>{}</ul></nav>
</div></header>
<main id="content" tabindex="-1">
{}{}{}</main>
<footer class="site"><nav aria-label="More"><ul>)"
           R"(<li><a href="/feed">Changes</a></li><li><a href="/feed.xml">Atom feed</a></li>)"
           R"(<li><a href="/sources">Sources and coverage</a></li>)"
           R"(<li><a href="/docs/ranking">How ranks are made</a></li>)"
           R"(<li><a href="/docs/api">API</a></li><li><a href="/llms.txt">llms.txt</a></li>)"
           R"(<li><a href="/legal">Legal</a></li></ul></nav>)"
           R"(<p>Measured results as their sources publish them, each identified by digest.</p>)"
           R"(</footer>
<p id="status" class="hidden" role="status"></p>
</body>
</html>
)",
           title, script_url(), style_sheet_url(), icon_url(), head_links(page, title, context),
           header_search(page), navigation(page.current), banner(page), page.body, elsewhere(page));
  return html.take();
}

}  // namespace ki::web
