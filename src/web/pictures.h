// Pictures about what pages show: cards for previews of links (PNG), badges for READMEs (SVG).
#pragma once

#include <memory>
#include <string>

#include "http/router.h"
#include "query/resolver.h"
#include "web/card.h"

namespace ki::web {

Card home_card();
Card run_card(const query::RunDossier& dossier);
Card operation_card(const query::OperationDossier& dossier);
Card implementation_card(const query::ImplementationDossier& dossier);
Card project_card(const query::ProjectDossier& dossier);

// What a badge says: "leads 2 comparison groups", "indexed".
std::string implementation_badge_text(const query::ImplementationDossier& dossier);
// "Liger 15.1 ms", "tie 15.1 ms", "15.1 ms, not claimed", "not measured".
std::string cohort_badge_text(const query::OperationDossier& dossier);

// /card.png, one below each run, operation, implementation and project, and
// /badges/implementations/SLUG.svg, /badges/operations/SLUG.svg?workload=&cohort=. As add_pages().
void add_pictures(http::Router& router, const std::shared_ptr<const query::Resolver>& resolver);

}  // namespace ki::web
