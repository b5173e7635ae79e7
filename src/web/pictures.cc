#include "web/pictures.h"

#include <fmt/format.h>

#include "policy/names.h"
#include "query/listings.h"
#include "web/badge.h"
#include "web/page_request.h"
#include "web/parts.h"

namespace ki::web {
namespace {

using http::Captures;
using http::Outcome;
using http::Request;

std::string measured(const query::Primary& primary) {
  return policy::measured_text(primary.value, primary.unit);
}

Outcome picture(std::string content_type, std::string body) {
  return http::Response{.status = 200,
                        .content_type = std::move(content_type),
                        .body = std::move(body),
                        .cache = http::Cache::moderate};
}

Outcome drawn(const Card& card) {
  auto png = draw_card(card);
  if (!png) return std::unexpected(http::problem_of(png.error()));
  return picture("image/png", std::move(*png));
}

Outcome badge_of(std::string_view text) {
  return picture("image/svg+xml", badge("KernelIndex", text));
}

// "name.svg" without its end; nullopt for another end.
std::optional<std::string_view> stem_of(std::string_view file) {
  constexpr std::string_view kEnd = ".svg";
  if (!file.ends_with(kEnd)) return std::nullopt;
  file.remove_suffix(kEnd.size());
  return file;
}

std::unexpected<http::Problem> no_badge() {
  return std::unexpected(http::make_problem(404, "NOT_FOUND", "a badge's address ends in .svg"));
}

// Who may be said to lead the group shown; "tie" or "not claimed" where nobody may. Requires a row.
std::string claim_of(const query::OperationDossier& dossier) {
  if (dossier.verdict && dossier.verdict->code == "tie") return "tie";
  if (dossier.verdict && !query::claim_note(*dossier.verdict).empty()) return "not claimed";
  return dossier.records.front().implementation.name;
}

// A card drawn from what `read` answers.
template <class Read, class Make>
http::RouteHandler card_of(const Read& read, Make make) {
  return [read, make](const Request&, const Captures& captures) -> Outcome {
    const auto dossier = read(captures[0]);
    if (!dossier) return std::unexpected(http::problem_of(dossier.error()));
    return drawn(make(*dossier));
  };
}

}  // namespace

Card home_card() {
  return {.kind = "A performance index for kernels",
          .title = "Which kernel is fastest for this exact workload?",
          .subtitle =
              "Published measurements, compared only where a comparison is fair, each with "
              "its evidence.",
          .figure = {},
          .note = {}};
}

Card run_card(const query::RunDossier& dossier) {
  Card card{.kind = dossier.operation.name,
            .title = dossier.implementation.name,
            .subtitle = dossier.workload.label + " · " + dossier.hardware.model,
            .figure = {},
            .note = {}};
  if (dossier.has_primary) {
    card.figure = measured(dossier.primary);
    card.note = policy::metric_label(dossier.primary.metric, dossier.primary.statistic);
    if (dossier.cohort.rank) {
      card.note += fmt::format(", rank {} of {}", *dossier.cohort.rank, dossier.cohort.size);
    }
  }
  return card;
}

Card operation_card(const query::OperationDossier& dossier) {
  Card card{.kind = "Operation · " + dossier.operation.family,
            .title = dossier.operation.name,
            .subtitle = dossier.operation.summary,
            .figure = {},
            .note = {}};
  if (!dossier.records.empty() && dossier.records.front().primary) {
    const query::Row& first = dossier.records.front();
    card.subtitle = first.workload_summary + " · " + first.hardware.model;
    card.figure = measured(*first.primary);
    card.note = claim_of(dossier) + ", " +
                policy::metric_label(first.primary->metric, first.primary->statistic);
  }
  return card;
}

Card implementation_card(const query::ImplementationDossier& dossier) {
  return {.kind = dossier.operation.name,
          .title = dossier.implementation.name,
          .subtitle = dossier.project.name + " · " + dossier.callable.language,
          .figure = std::to_string(dossier.standing.records),
          .note = dossier.standing.records == 1 ? "record held" : "records held"};
}

Card project_card(const query::ProjectDossier& dossier) {
  return {.kind = "Project",
          .title = dossier.project.name,
          .subtitle = query::counted(dossier.stats.implementations, "implementation") + " · " +
                      runs_text(dossier.stats.runs),
          .figure = std::to_string(dossier.records_total),
          .note = dossier.records_total == 1 ? "record held" : "records held"};
}

std::string implementation_badge_text(const query::ImplementationDossier& dossier) {
  const std::int64_t records = dossier.standing.records;
  return records == 0 ? "indexed" : "leads " + query::counted(records, "comparison group");
}

std::string cohort_badge_text(const query::OperationDossier& dossier) {
  if (dossier.records.empty() || !dossier.records.front().primary) return "not measured";
  const std::string value = measured(*dossier.records.front().primary);
  const std::string claim = claim_of(dossier);
  return claim == "not claimed" ? value + ", not claimed" : claim + " " + value;
}

void add_pictures(http::Router& router, const std::shared_ptr<const query::Resolver>& resolver) {
  const auto add = [&](std::string pattern, http::RouteHandler handler, bool is_costly) {
    router.add({.method = http::Method::get,
                .pattern = std::move(pattern),
                .handler = std::move(handler),
                .is_costly = is_costly});
  };
  add("/card.png", [](const Request&, const Captures&) { return drawn(home_card()); }, true);
  add("/runs/{run}/card.png",
      card_of([resolver](const std::string& name) { return resolver->run(name); }, run_card), true);
  add("/operations/{slug}/card.png",
      card_of([resolver](const std::string& name) { return resolver->operation(name); },
              operation_card),
      true);
  add("/implementations/{slug}/card.png",
      card_of([resolver](const std::string& name) { return resolver->implementation(name); },
              implementation_card),
      true);
  add("/projects/{slug}/card.png",
      card_of([resolver](const std::string& name) { return resolver->project(name, {.limit = 1}); },
              project_card),
      true);
  add(
      "/badges/implementations/{file}",
      [resolver](const Request&, const Captures& captures) -> Outcome {
        const auto slug = stem_of(captures[0]);
        if (!slug) return no_badge();
        const auto dossier = resolver->implementation(*slug);
        if (!dossier) return std::unexpected(http::problem_of(dossier.error()));
        return badge_of(implementation_badge_text(*dossier));
      },
      false);
  add(
      "/badges/operations/{file}",
      [resolver](const Request& request, const Captures& captures) -> Outcome {
        const auto slug = stem_of(captures[0]);
        if (!slug) return no_badge();
        const auto dossier = resolver->operation(*slug, {.workload = text_of(request, "workload"),
                                                         .cohort = text_of(request, "cohort")});
        if (!dossier) return std::unexpected(http::problem_of(dossier.error()));
        return badge_of(cohort_badge_text(*dossier));
      },
      false);
}

}  // namespace ki::web
