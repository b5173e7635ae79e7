#include "web/links.h"

#include <utility>

#include "base/text.h"

namespace ki::web {

std::vector<http::Parameter> given(std::vector<http::Parameter> parameters) {
  std::erase_if(parameters, [](const http::Parameter& p) { return p.second.empty(); });
  return parameters;
}

Url home_url() { return Url::local({}); }

Url search_url(const std::vector<http::Parameter>& parameters) {
  return Url::local({"search"}, given(parameters));
}

Url search_url(std::string_view query) { return search_url({{"q", std::string(query)}}); }

Url run_url(std::string_view id_or_digest) { return Url::local({"runs", id_or_digest}); }

Url operation_url(std::string_view slug, std::string_view workload, std::string_view cohort) {
  return Url::local({"operations", slug},
                    given({{"workload", std::string(workload)}, {"cohort", std::string(cohort)}}));
}

Url winners_url(std::string_view slug, const std::vector<http::Parameter>& parameters) {
  return Url::local({"operations", slug, "winners"}, given(parameters));
}

Url operations_url(const std::vector<http::Parameter>& parameters) {
  return Url::local({"operations"}, given(parameters));
}

Url implementation_url(std::string_view slug) { return Url::local({"implementations", slug}); }

Url hardware_url() { return Url::local({"hardware"}); }

Url product_url(std::string_view slug, std::string_view cursor) {
  return Url::local({"hardware", slug}, given({{"cursor", std::string(cursor)}}));
}

Url models_url() { return Url::local({"models"}); }

Url model_url(std::string_view slug, std::string_view gpu) {
  return Url::local({"models", slug}, given({{"gpu", std::string(gpu)}}));
}

Url project_url(std::string_view slug, std::string_view cursor) {
  return Url::local({"projects", slug}, given({{"cursor", std::string(cursor)}}));
}

Url records_url(const std::vector<http::Parameter>& parameters) {
  return Url::local({"records"}, given(parameters));
}

Url compare_url(const std::vector<std::string>& runs) {
  return Url::local({"compare"}, given({{"runs", join(runs, ",")}}));
}

Url projects_url(const std::vector<http::Parameter>& parameters) {
  return Url::local({"projects"}, given(parameters));
}

Url feed_url(const std::vector<http::Parameter>& parameters) {
  return Url::local({"feed"}, given(parameters));
}

Url sources_url() { return Url::local({"sources"}); }

Url serving_url(const std::vector<http::Parameter>& parameters) {
  return Url::local({"serving"}, given(parameters));
}

Url serving_run_url(std::string_view id) { return Url::local({"serving", "runs", id}); }

Url docs_url(std::string_view name) {
  return name.empty() ? Url::local({"docs"}) : Url::local({"docs", name});
}

Url legal_url() { return Url::local({"legal"}); }

Url api_url(const std::vector<std::string_view>& segments,
            const std::vector<http::Parameter>& parameters) {
  std::vector<std::string_view> all = {"api", "v1"};
  all.insert(all.end(), segments.begin(), segments.end());
  return Url::local(all, given(parameters));
}

}  // namespace ki::web
