// The addresses of this site, each made in one place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "web/html.h"

namespace ki::web {

Url home_url();
Url search_url(const std::vector<http::Parameter>& parameters);
Url search_url(std::string_view query);
Url run_url(std::string_view id_or_digest);
// Empty options are left out.
Url operation_url(std::string_view slug, std::string_view workload = {},
                  std::string_view cohort = {});
// Who leads it where.
Url winners_url(std::string_view slug, const std::vector<http::Parameter>& parameters = {});
// The list of operations.
Url operations_url(const std::vector<http::Parameter>& parameters);
Url implementation_url(std::string_view slug);
// Products; models; one model, on the product named if there is one.
Url hardware_url();
// One product; a later page of the records on it.
Url product_url(std::string_view slug, std::string_view cursor = {});
Url models_url();
Url model_url(std::string_view slug, std::string_view gpu = {});
Url project_url(std::string_view slug, std::string_view cursor = {});
Url records_url(const std::vector<http::Parameter>& parameters = {});
Url compare_url(const std::vector<std::string>& runs);
Url projects_url(const std::vector<http::Parameter>& parameters = {});
Url feed_url(const std::vector<http::Parameter>& parameters = {});
Url sources_url();
// The overview, or the answer to a request.
Url serving_url(const std::vector<http::Parameter>& parameters = {});
Url serving_run_url(std::string_view id);
// One document, or "" for the list of them.
Url docs_url(std::string_view name = {});
Url legal_url();
// Below /api/v1.
Url api_url(const std::vector<std::string_view>& segments,
            const std::vector<http::Parameter>& parameters = {});

// `parameters` without those whose value is "".
std::vector<http::Parameter> given(std::vector<http::Parameter> parameters);

}  // namespace ki::web
