// ki search, ki resolve: one resolver, printed for people or programs.

#include <ostream>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/documents.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "cli/table.h"
#include "json/read.h"
#include "query/listings.h"
#include "query/parse.h"

namespace ki::cli {
namespace {

using query::Envelope;

void heading(const Context& c, std::string_view text) {
  if (!c.quiet) c.out << '\n' << ink(c, Ink::bold, text) << '\n';
}

void print_issues(const Context& c, const Envelope& envelope) {
  for (const auto& issue : envelope.issues) {
    c.err << ink(c, Ink::yellow, "note: ") << printable(issue.message);
    if (issue.hint && !issue.message.contains(*issue.hint)) c.err << "; " << printable(*issue.hint);
    if (!issue.known.empty()) c.err << " (known: " << printable(join(issue.known, ", ")) << ')';
    c.err << '\n';
  }
  for (const auto& note : envelope.notes) c.err << "note: " << printable(note) << '\n';
}

void print_entries(const Context& c, const std::vector<query::IndexEntry>& entries,
                   std::int64_t limit) {
  Table table({{.heading = "operation"},  // to be typed after op:, so never cut
               {.heading = "name", .narrowest = kNarrowest, .spare = 3},
               {.heading = "family", .narrowest = kNarrowest, .spare = 2},
               {"runs", Align::right},
               {.heading = "matching", .spare = 1}});
  for (std::size_t i = 0; i < entries.size() && std::cmp_less(i, limit); ++i) {
    const auto& entry = entries[i];
    std::string match = "-";
    if (entry.match) {
      match = fmt::format("{} on {}", entry.match->matching, entry.match->facet_label);
    }
    table.add({entry.slug, entry.name, entry.family, std::to_string(entry.runs), match});
  }
  table.print(c.out, !c.quiet, c.width);
  if (!c.quiet && std::cmp_greater(entries.size(), limit)) {
    c.out << "... and " << entries.size() - static_cast<std::size_t>(limit) << " more (--limit)\n";
  }
}

// What has such runs where the operation found, or nothing at all, was named.
void print_measured(const Context& c, const Envelope& envelope, std::int64_t limit) {
  if (envelope.measured.empty()) return;
  heading(c, "Measured with this hardware or dtype; ask with op:SLUG");
  print_entries(c, envelope.measured, limit);
}

// What the words name besides operations, each with the command that shows it.
void print_named(const Context& c, const Envelope& envelope) {
  if (envelope.named.empty()) return;
  heading(c, "Called so, too");
  for (const query::NamedThing& one : envelope.named) {
    const std::string slug = shell_quoted(printable(one.slug));
    c.out << "  " << one.kind << ' ' << printable(one.name);
    if (one.operation) c.out << " of " << printable(one.operation->name);
    if (one.kind == "source") {
      c.out << "   ki runs --source " << slug;
    } else if (one.kind == "hardware") {
      c.out << "   ki search " << shell_quoted(printable(*one.query));
    } else if (one.kind == "model") {  // one without a query was only served
      c.out << (one.query ? "   ki models " : "   ki serving runs --model ") << slug;
    } else {
      c.out << "   ki show " << one.kind << ' ' << slug;
    }
    c.out << '\n';
  }
}

void print_group(const Context& c, std::string_view title, const std::vector<query::Row>& rows,
                 const RowsShown& how) {
  if (rows.empty()) return;
  heading(c, fmt::format("{} ({})", title, how.total));
  print_rows(c, rows, how);
}

// What else the request may have meant: groups that satisfy it as well as the ranked one.
void print_others(const Context& c, const Envelope& envelope) {
  if (!envelope.cohort || envelope.fitting_cohorts < 2) return;
  constexpr std::size_t kListed = 8;
  std::vector<const query::CohortOption*> others;
  for (const auto& option : envelope.cohort_options) {
    if (option.satisfies && option.key != envelope.cohort->comparison_key) {
      others.push_back(&option);
    }
  }
  const auto own = static_cast<std::int64_t>(others.size()) + 1;
  heading(c, fmt::format("{} comparison groups satisfy this request; one is ranked here",
                         envelope.fitting_cohorts));
  for (std::size_t i = 0; i < others.size() && i < kListed; ++i) {
    c.out << "  " << printable(others[i]->label) << ", "
          << (others[i]->head ? value_text(others[i]->head->primary) : std::string("no value"))
          << ": ki resolve " << shell_quoted(printable(others[i]->query)) << '\n';
  }
  if (others.size() > kListed) c.out << "  and " << others.size() - kListed << " more\n";
  if (envelope.fitting_cohorts > own) {
    c.out << "  " << envelope.fitting_cohorts - own
          << " are of other workloads: name axes, a shape or a dtype\n";
  }
}

void print_nearest(const Context& c, const query::Nearest& nearest) {
  heading(c, "Nobody measured exactly this. Nearest measured cases:");
  const auto line = [&](std::string_view side, const std::string& axis,
                        const std::optional<query::Near>& near) {
    if (!near) return;
    c.out << "  " << side << ' ' << axis << " = " << fmt::format("{}", near->value) << ": ";
    if (near->head) {
      c.out << printable(near->head->implementation.name) << ' ' << value_text(near->head->primary)
            << ", ";
    }
    c.out << query::counted(near->runs, "run") << "   ki search "
          << shell_quoted(printable(near->query)) << '\n';
  };
  for (const query::NearAxis& one : nearest.axes) {
    line("below", one.axis, one.below);
    line("above", one.axis, one.above);
  }
  for (const auto& near : nearest.cases) {
    c.out << "  " << printable(near.distance_text) << ": " << printable(near.label)
          << "   ki search " << shell_quoted(printable(near.query)) << '\n';
  }
}

std::string fastest_text(const query::Row& row) {
  return printable(row.implementation.name) + ", " + value_text(row.primary);
}

// The fastest known, verified, usable, and of each language: of the ranked group.
void print_fastest(const Context& c, const Envelope& envelope) {
  if (!envelope.fastest) return;
  const std::string_view claim = envelope.verdict ? query::claim_note(*envelope.verdict) : "";
  c.out << "Fastest known: " << fastest_text(*envelope.fastest)
        << (claim.empty() ? "" : fmt::format(" ({}: see the verdict)", claim)) << '\n';
  if (!envelope.fastest_blocked_by.empty()) {
    std::vector<std::string> missing;
    for (const auto& reason : envelope.fastest_blocked_by) {
      missing.push_back(printable(reason.text) + " [" + reason.code + ']');
    }
    c.out << "  what is missing to use it as it is: " << join(missing, ", ") << '\n';
  }
  c.out << "Fastest verified: "
        << (envelope.best_verified ? fastest_text(*envelope.best_verified)
                                   : "none; no ranked run was measured by an approved runner")
        << '\n';
  c.out << "Fastest you can use: "
        << (envelope.best_deployable
                ? fastest_text(*envelope.best_deployable)
                : "none; of no ranked row source, install command and licence are all stated and "
                  "allowed")
        << '\n';
  if (envelope.fastest_by_language.size() < 2) return;
  std::vector<std::string> languages;
  for (const query::Row& row : envelope.fastest_by_language) {
    languages.push_back(printable(*row.language) + " " + fastest_text(row));
  }
  c.out << "Fastest by language: " << join(languages, "; ") << '\n';
}

void print_claims(const Context& c, const Envelope& envelope, std::int64_t limit) {
  if (envelope.verdict) {
    heading(c, "Verdict: " + envelope.verdict->code);
    c.out << "  " << printable(envelope.verdict->text) << '\n';
  }
  heading(c, "Why these ranks");
  print_reasons(c, envelope.groups.exact, limit);
  print_fastest(c, envelope);
}

// The products that an ambiguous name means: those with runs, and how many have none.
void print_variants(const Context& c, const Envelope& envelope) {
  for (const auto& variant : envelope.variants) {
    if (variant.runs == 0) continue;
    c.out << "  " << printable(variant.label) << ": " << query::counted(variant.runs, "run")
          << "   ki search " << shell_quoted(printable(variant.query)) << '\n';
  }
  const auto unmeasured = query::unmeasured_note(envelope.variants);
  if (!unmeasured.empty()) c.out << "  " << unmeasured << '\n';
}

// What the requirements of the request leave out, and which of them.
void print_unmet(const Context& c, const Envelope& envelope, std::int64_t limit) {
  if (envelope.unmet.empty()) return;
  heading(c, fmt::format("Left out by what is required ({})", envelope.totals.unmet));
  Table table({{.heading = "implementation", .narrowest = kNarrowest},
               {.heading = "value", .align = Align::right},
               {.heading = "hardware", .narrowest = kProduct, .spare = 1},
               {.heading = "fails", .narrowest = 40},
               {.heading = "run"}});
  for (std::size_t i = 0; i < envelope.unmet.size() && std::cmp_less(i, limit); ++i) {
    const query::Row& row = envelope.unmet[i].row;
    std::vector<std::string> fails;
    for (const query::Mismatch& one : envelope.unmet[i].failed) {
      fails.push_back(one.field + " " + one.requested + " (is " + one.observed + ")");
    }
    table.add({row.implementation.name, value_text(row.primary), row.hardware.model,
               join(fails, ", "), short_run(row.run_digest)});
  }
  table.print(c.out, !c.quiet, c.width);
}

// The rows of the group that answers, and nothing else: one table for a program that reads columns.
void print_only_rows(const Context& c, const Envelope& envelope, std::int64_t limit) {
  const auto& groups = envelope.groups;
  const std::vector<query::Row>* const in_turn[] = {&groups.exact, &groups.compatible,
                                                    &groups.reported, &groups.supported_unmeasured};
  for (const auto* const rows : in_turn) {
    if (rows->empty()) continue;
    print_rows(c, *rows, {.ranked = rows == &groups.exact, .limit = limit});
    return;
  }
}

void print_exact(const Context& c, const Envelope& envelope, std::int64_t limit) {
  if (c.quiet) return print_only_rows(c, envelope, limit);
  const auto& groups = envelope.groups;
  if (envelope.cohort) {
    c.out << envelope.policy_version << " · " << printable(envelope.cohort->description) << '\n';
    if (envelope.workload) {
      c.out << "Workload chosen: " << printable(envelope.workload->selected_because) << '\n';
    }
  }
  print_variants(c, envelope);
  const auto& totals = envelope.totals;
  const auto unranked = [&](std::int64_t total) {
    return RowsShown{.ranked = false, .limit = limit, .total = total};
  };
  const bool ranked = !groups.exact.empty() && groups.exact.front().rank.has_value();
  print_group(c, ranked ? "Ranked" : "Measured as asked, without a rank", groups.exact,
              {.ranked = true, .limit = limit, .total = totals.exact});
  if (!groups.exact.empty()) print_claims(c, envelope, limit);
  print_excluded(c, envelope.excluded);
  if (envelope.nearest) print_nearest(c, *envelope.nearest);
  print_measured(c, envelope, limit);
  print_others(c, envelope);
  print_group(c, "Compatible, not ranked here; fewest differences first", groups.compatible,
              unranked(totals.compatible));
  print_group(c, "Same workload, other protocol or environment", groups.reported,
              unranked(totals.reported));
  print_group(c, "Supported, no run that passed", groups.supported_unmeasured,
              unranked(totals.supported_unmeasured));
  print_unmet(c, envelope, limit);
  if (envelope.pending_runs > 0) {
    c.out << query::counted(envelope.pending_runs, "run")
          << (envelope.pending_runs == 1 ? " waits" : " wait")
          << " for an object that is not in the catalog yet\n";
  }
}

int print_answer(const Context& c, const Envelope& envelope, std::int64_t limit) {
  print_issues(c, envelope);
  if (c.output == Output::json) {
    print_json(c, envelope);
    return kOk;
  }
  if (c.output == Output::jsonl) {
    if (envelope.matches) {
      print_json_lines(c, *envelope.matches);
    } else if (envelope.mode == query::Mode::none) {
      envelope.measured.empty() ? print_json_lines(c, envelope.named)
                                : print_json_lines(c, envelope.measured);
    } else {
      print_json_lines(c, envelope.groups.exact);
    }
    return kOk;
  }
  if (!c.quiet) {
    c.out << ink(c, Ink::bold, printable(envelope.interpretation)) << '\n';
    for (const std::string& line : query::readings_shown(envelope.readings)) {
      c.out << "read as " << printable(line) << '\n';
    }
  }
  switch (envelope.mode) {
    case query::Mode::exact:
      print_exact(c, envelope, limit);
      break;
    case query::Mode::chooser:
      if (!c.quiet) {
        c.out << "Several operations match (" << envelope.entries_total
              << "); name one with op:SLUG\n";
      }
      if (envelope.matches) print_entries(c, *envelope.matches, limit);
      break;
    case query::Mode::browse:
      if (envelope.index) print_entries(c, *envelope.index, limit);
      break;
    case query::Mode::none:
      if (!envelope.measured.empty() || !envelope.named.empty()) break;
      c.out << "Nothing found.";
      if (!envelope.suggestions.empty()) {
        c.out << " Measured families: " << join(envelope.suggestions, ", ");
      }
      c.out << '\n';
      break;
  }
  if (envelope.mode != query::Mode::exact) print_measured(c, envelope, limit);
  print_named(c, envelope);
  print_next(c, envelope.next_cursor);
  const bool found =
      envelope.mode != query::Mode::none || !envelope.measured.empty() || !envelope.named.empty();
  return found ? kOk : kFailed;
}

query::SearchOptions how(const SearchOptions& options) {
  return {.cohort = options.cohort, .cursor = options.cursor, .offset = 0, .limit = options.limit};
}

// The requests of a file: a document is one, or a list of them.
std::expected<query::KernelRequests, Issues> read_requests(const std::string& name,
                                                           std::string_view text, bool& several) {
  auto parsed = parse_documents(name, text);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  const std::vector<json::Document> documents = std::move(*parsed);
  query::KernelRequests out;
  Issues issues;
  const auto add = [&](const json::Value& value, const std::string& pointer) {
    auto request = json::read<query::KernelRequest>(value, text);
    if (request) {
      out.requests.push_back(std::move(*request));
      return;
    }
    for (Issue& issue : request.error()) {
      issue.pointer = pointer + issue.pointer;
      issues.push_back(std::move(issue));
    }
  };
  several = documents.size() > 1;
  for (const auto& document : documents) {
    if (!document.root.is_array()) {
      add(document.root, "");
      continue;
    }
    several = true;
    const auto items = document.root.items();
    for (std::size_t i = 0; i < items.size(); ++i) add(items[i], "/" + std::to_string(i));
  }
  if (!issues.empty()) return std::unexpected(std::move(issues));
  if (Issues faults =
          several || out.requests.empty() ? faults_of(out) : faults_of(out.requests.front());
      !faults.empty()) {
    return std::unexpected(std::move(faults));
  }
  return out;
}

int print_answers(const Context& c, const query::Envelopes& answers, std::int64_t limit) {
  if (c.output == Output::json) {
    print_json(c, answers);
    return kOk;
  }
  if (c.output == Output::jsonl) {
    print_json_lines(c, answers.results);
    return kOk;
  }
  int code = kOk;
  for (std::size_t i = 0; i < answers.results.size(); ++i) {
    heading(c, fmt::format("Request {} of {}", i + 1, answers.results.size()));
    code = std::max(code, print_answer(c, answers.results[i], limit));
  }
  return code;
}

int resolve_manifest(const Context& c, const SearchOptions& options) {
  const auto text = read_file(options.manifest, json::kManifestLimits.bytes_max);
  if (!text) return report(c, text.error());
  bool several = false;
  auto requests = read_requests(options.manifest, *text, several);
  if (!requests) {
    for (Issue& issue : requests.error()) issue.file = options.manifest;
    return report(c, requests.error());
  }
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  if (!several) {
    const auto envelope = resolver->resolve(requests->requests.front(), how(options));
    return envelope ? print_answer(c, *envelope, options.limit) : report(c, envelope.error());
  }
  if (!options.cohort.empty() || !options.cursor.empty()) {
    c.err << "ki: --cohort and --cursor are of one request, not of a list\n";
    return kUsage;
  }
  const auto answers = resolver->resolve(*requests, how(options));
  return answers ? print_answers(c, *answers, options.limit) : report(c, answers.error());
}

}  // namespace

int search(const Context& c, const SearchOptions& options) {
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  const auto envelope = resolver->search(join(options.words, " "), how(options));
  if (!envelope) return report(c, envelope.error());
  return print_answer(c, *envelope, options.limit);
}

int resolve(const Context& c, const SearchOptions& options) {
  if (!options.manifest.empty()) {
    if (options.words == std::vector<std::string>{"serving"}) return resolve_serving(c, options);
    if (!options.words.empty()) {
      c.err << "ki: give a query or --manifest, not both\n";
      return kUsage;
    }
    return resolve_manifest(c, options);
  }
  if (!options.words.empty() && options.words.front() == "serving") {
    c.err << "ki: resolve serving takes its request from --manifest FILE, as "
             "docs/method/serving.md has it; ki serving overview lists what was measured\n";
    return kUsage;
  }
  if (options.words.empty()) {
    c.err << "ki: resolve needs a query or --manifest FILE\n";
    return kUsage;
  }
  return search(c, options);
}

}  // namespace ki::cli
