// What other programs read of the site beside its pages: the list of pages, and what robots may.

#include "web/pages/pages.h"

namespace ki::web {
namespace {

void add_place(Html& html, const Context& context, const Url& url, std::string_view changed) {
  html.add("<url><loc>{}</loc>", absolute(context, url));
  if (!changed.empty()) html.add("<lastmod>{}</lastmod>", changed.substr(0, 10));
  html.add("</url>\n");
}

}  // namespace

std::string sitemap(const SitemapParts& parts, const Context& context) {
  Html places;
  for (const Url& url :
       {home_url(), search_url(""), operations_url({}), records_url(), hardware_url(), models_url(),
        projects_url(), serving_url(), feed_url(), sources_url(), docs_url(), legal_url()}) {
    add_place(places, context, url, "");
  }
  for (const std::string_view name : document_names()) {
    add_place(places, context, docs_url(name), "");
  }
  for (const query::ModelItem& one : parts.models.kernel) {
    add_place(places, context, model_url(one.model), "");
  }
  for (const query::HardwareItem& one : parts.hardware.hardware) {
    add_place(places, context, product_url(one.slug), one.last_observed_at.value_or(""));
  }
  for (const query::ProjectItem& one : parts.projects.projects) {
    if (one.runs == 0) continue;
    add_place(places, context, project_url(one.slug), one.last_observed_at.value_or(""));
  }
  for (const query::IndexEntry& one : parts.operations) {
    add_place(places, context, operation_url(one.slug), one.last_observed_at.value_or(""));
  }
  Html html;
  html.add(R"(<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
{}</urlset>
)",
           places);
  return html.take();
}

std::string robots(const Context& context) {
  return "User-agent: *\nDisallow: /api/\nDisallow: /compare\n\nSitemap: " +
         absolute(context, Url::local({"sitemap.xml"})) + "\n";
}

}  // namespace ki::web
