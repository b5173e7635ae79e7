// ki show: the dossiers, as text or as JSON in the form of the API, whose lists are whole here.

#include <ostream>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "cli/table.h"
#include "json/write.h"
#include "policy/names.h"
#include "query/describe.h"
#include "query/listings.h"

namespace ki::cli {
namespace {

// A block of "name  value" lines under a heading; empty values are left out.
class Facts {
 public:
  Facts(const Context& context, std::string heading)
      : context_(context), heading_(std::move(heading)) {}
  void add(std::string name, const std::optional<std::string>& value) {
    if (value && !value->empty()) table_.add({"  " + std::move(name), *value});
  }
  void add(const std::vector<query::KeyValue>& pairs) {
    for (const auto& pair : pairs) add(pair.key, pair.value);
  }
  void print(std::string_view when_empty = {}) const {
    if (table_.empty() && when_empty.empty()) return;
    if (!context_.quiet) context_.out << '\n' << ink(context_, Ink::bold, heading_) << '\n';
    if (table_.empty()) context_.out << "  " << when_empty << '\n';
    table_.print(context_.out, false);
  }

 private:
  const Context& context_;
  std::string heading_;
  Table table_{{{""}, {""}}};
};

// Which interval the spread is, as " (p20 to p80)"; "" where none is known.
std::string spread_kind(const query::Primary& primary) {
  const auto known = query::known_interval(primary);
  if (!known) return "";
  return known->confidence ? " (95 % confidence)" : " (p20 to p80)";
}

// Where the figures stand: "benchmark.csv, row 12, line 13".
std::string source_place(const query::RunProvenance& from) {
  std::vector<std::string> parts;
  if (from.snapshot_locator) parts.push_back(*from.snapshot_locator);
  if (from.source_row) parts.push_back(fmt::format("row {}", *from.source_row));
  if (from.source_line) parts.push_back(fmt::format("line {}", *from.source_line));
  return join(parts, ", ");
}

// A number as it is stored, without the rounding of people's units.
std::string exact_text(double value) {
  std::string out;
  json::append_number(out, value);
  return out;
}

void print_standing(const Context& c, const query::RunDossier& run) {
  const auto& cohort = run.cohort;
  if (run.has_primary) {
    c.out << ink(c, Ink::bold, value_text(run.primary)) << ' ' << run.primary.statistic << " of "
          << run.primary.metric << ", spread " << spread_text(run.primary)
          << spread_kind(run.primary) << '\n';
  } else {
    c.out << "No primary value\n";
  }
  if (cohort.rank) {
    c.out << "Rank " << *cohort.rank << " of " << cohort.size << " in its comparison group";
    if (cohort.head_run_id && *cohort.head_run_id != run.run.id) {
      c.out << " (compare with #1: ki compare " << *cohort.head_run_id << ' ' << run.run.id << ')';
    }
    c.out << '\n';
  } else if (!run.pending) {
    c.out << "Not ranked: "
          << (cohort.ineligible_reasons.empty() ? std::string("no value")
                                                : join(cohort.ineligible_reasons, ", "))
          << '\n';
  }
  for (const auto& reason : cohort.rank_reasons) {
    c.out << "  " << printable(reason.text) << " [" << reason.code << "]\n";
  }
  for (const auto& warning : run.warnings) c.out << "Warning: " << printable(warning) << '\n';
  for (const auto& reason : run.pending_reasons) {
    c.out << "Pending evidence: " << printable(reason.text) << " [" << reason.code << "]\n";
  }
}

void print_run_facts(const Context& c, const query::RunDossier& run) {
  Facts identity(c, "Identity");
  identity.add("implementation", run.implementation.name);
  identity.add("project", run.project.name);
  identity.add("operation", run.operation.name);
  identity.add("revision", run.implementation.revision.value_or("unknown"));
  identity.add("workload", run.workload.label);
  identity.add("comparison key", run.cohort.comparison_key);
  identity.add("source", run.provenance.source.name);
  identity.add("external id", run.provenance.external_id);
  identity.add("source place", source_place(run.provenance));
  identity.add("snapshot", run.provenance.snapshot_digest);
  identity.add("digest", run.run.digest);
  identity.add("id", run.run.id);
  identity.add("status", run.run.status);
  identity.add("evidence", run.evidence);
  identity.add("observed", run.run.observed_at);
  identity.add("published", run.run.published_at);
  identity.add("supersedes", run.lifecycle.supersedes_id);
  identity.add("superseded by", run.lifecycle.superseded_by_id);
  if (run.lifecycle.retracted) {
    identity.add("retracted", run.lifecycle.retracted->at + ": " + run.lifecycle.retracted->reason);
  }
  if (run.lifecycle.held) {
    identity.add("held", run.lifecycle.held->at + ": " + run.lifecycle.held->reason);
  }
  identity.print();

  Facts trust(c, "Evidence: " + run.evidence);
  for (const auto& reason : run.trust.reasons) trust.add("because", reason.text);
  for (const auto& one : run.trust.signatures) {
    trust.add("signed by", one.key_id + " (" + one.runner + ") under " + one.protocol);
  }
  trust.add("agrees with", run.trust.agreeing_run_id);
  trust.print();

  Facts corrections(c, "Corrections");
  for (const auto& one : run.lifecycle.corrections) {
    corrections.add(one.at, one.text);
  }
  corrections.print();

  Facts attestations(c, "What others found");
  for (const auto& one : run.attestations) {
    std::string text = one.author + ", " + one.type + ": " + one.body;
    if (one.observed_ns) text += "; " + policy::latency_text(*one.observed_ns);
    if (one.environment_summary) text += "; " + *one.environment_summary;
    if (one.evidence_url) text += "; " + *one.evidence_url;
    attestations.add(one.at, text);
  }
  attestations.print();
}

void print_run_measurements(const Context& c, const query::RunDossier& run) {
  Facts workload(c, "Workload");
  workload.add(run.workload.axis_list);
  workload.add(run.workload.tensors);
  workload.add(run.workload.tolerance);
  workload.print("no axes or tensors stated");

  Facts measurements(c, "Measurements");
  for (const auto& m : run.measurements) {
    const std::string exact = exact_text(m.value) + ' ' + m.unit;
    const std::string shown = policy::measured_text(m.value, m.unit);
    measurements.add(m.metric + " · " + m.statistic,
                     shown == exact ? shown : shown + " (" + exact + ')');
  }
  measurements.print("none");
  if (run.source_native_metrics) {
    Facts stated(c, "Values as the source states them");
    for (const auto& [name, value] : *run.source_native_metrics)
      stated.add(name, exact_text(value));
    stated.print();
  }
  Facts protocol(c, "Protocol");
  protocol.add(run.protocol);
  protocol.print();
  Facts environment(c, "Environment");
  environment.add(run.environment);
  environment.print();
  if (!run.labels.empty()) {
    Facts labels(c, "Labels of the source");
    labels.add(run.labels);
    labels.print();
  }
  Facts artifacts(c, "Artifacts");
  for (const auto& artifact : run.artifacts) {
    artifacts.add(
        artifact.role,
        artifact.digest + " (" + artifact.availability +
            (artifact.size_bytes
                 ? ", " + policy::measured_text(static_cast<double>(*artifact.size_bytes), "bytes")
                 : "") +
            ')');
  }
  artifacts.print("none published with this run");
}

int show_run(const Context& c, const query::Resolver& resolver, const ShowOptions& options) {
  const auto run = resolver.run(options.id);
  if (!run) return report(c, run.error());
  if (c.output != Output::table) {
    print_json(c, *run);
    return kOk;
  }
  print_standing(c, *run);
  print_run_facts(c, *run);
  print_run_measurements(c, *run);
  return kOk;
}

int show_operation(const Context& c, const query::Resolver& resolver, const ShowOptions& options) {
  const auto dossier =
      resolver.operation(options.id, {.workload = options.workload, .cohort = options.cohort});
  if (!dossier) return report(c, dossier.error());
  if (c.output != Output::table) {
    print_json(c, *dossier);
    return kOk;
  }
  const auto& operation = dossier->operation;
  c.out << ink(c, Ink::bold, printable(operation.name)) << "  " << printable(operation.summary)
        << '\n';
  Facts facts(c, "Operation");
  facts.add("slug", operation.slug);
  facts.add("family", operation.family);
  facts.add("aliases", join(operation.aliases, ", "));
  std::vector<std::string> equivalents;
  for (const query::Ref& other : operation.equivalents) equivalents.push_back(other.slug);
  facts.add("united with", join(equivalents, ", "));
  facts.add("digest", operation.semantic_digest);
  facts.add("semantics", dossier->semantics.expression);
  const auto add_tensors = [&](std::string_view kind, const std::vector<query::TensorSpec>& specs) {
    for (const auto& spec : specs) {
      facts.add(std::string(kind), spec.name + ": " + spec.dtype + ' ' + spec.shape);
    }
  };
  add_tensors("input", dossier->semantics.inputs);
  add_tensors("output", dossier->semantics.outputs);
  facts.print();

  Facts workloads(c, fmt::format("Workloads ({})", dossier->workloads.size()));
  for (const auto& workload : dossier->workloads) {
    workloads.add(query::counted(workload.runs, "run"), workload.label + "  " + workload.digest);
  }
  workloads.print("none");
  if (dossier->cohort) {
    if (!c.quiet) {
      c.out << '\n' << ink(c, Ink::bold, printable(dossier->cohort->description)) << '\n';
    }
    print_rows(c, dossier->records, {.ranked = true, .limit = 200});
    if (dossier->verdict) c.out << "Verdict: " << printable(dossier->verdict->text) << '\n';
  }
  print_excluded(c, dossier->excluded);
  return kOk;
}

int show_implementation(const Context& c, const query::Resolver& resolver,
                        const ShowOptions& options) {
  const auto dossier = resolver.implementation(options.id);
  if (!dossier) return report(c, dossier.error());
  if (c.output != Output::table) {
    print_json(c, *dossier);
    return kOk;
  }
  c.out << ink(c, Ink::bold, printable(dossier->implementation.name)) << '\n';
  Facts facts(c, "Implementation");
  facts.add("slug", dossier->implementation.slug);
  facts.add("operation", dossier->operation.name);
  facts.add("project", dossier->project.name);
  facts.add("repository", dossier->project.repository_url);
  facts.add("revision", dossier->implementation.revision.value_or("unknown"));
  facts.add("language", dossier->callable.language);
  facts.add("framework", dossier->callable.framework);
  facts.add("symbol", dossier->callable.symbol);
  facts.add("licence declared", dossier->license.declared.value_or("unknown"));
  facts.add("licence concluded", dossier->license.concluded.value_or("unknown"));
  if (!dossier->license.why.empty()) {
    facts.add("licence note", dossier->license.verdict + ": " + dossier->license.why);
  }
  facts.add("source", dossier->source.available ? "available" : "not available");
  if (dossier->usage.recipe) {
    facts.add("install recipe", query::recipe_text(*dossier->usage.recipe));
  }
  if (dossier->usage.install) facts.add("install command", dossier->usage.install->command);
  facts.add("digest", dossier->implementation.digest);
  facts.print();
  Facts deployability(c, dossier->deployability.empty() ? "Can I use it?"
                                                        : "Can I use it? Not as it is described:");
  for (const auto& reason : dossier->deployability) deployability.add(reason.code, reason.text);
  const auto& usage = dossier->usage;
  deployability.print(usage.install || !usage.recipe
                          ? "yes: source, an install command and a licence are stated"
                          : "yes: source, an install recipe (" +
                                printable(query::recipe_text(*usage.recipe)) +
                                ") and a licence are stated; no command is stated");
  if (!c.quiet) c.out << '\n' << ink(c, Ink::bold, "Results") << '\n';
  print_results(c, dossier->best_results, 50);
  return kOk;
}

}  // namespace

int show(const Context& c, const ShowOptions& options) {
  if (options.entity == "project") return project(c, {.slug = options.id, .page = {}});
  if (options.entity == "record") return show_record(c, options.id);
  if (options.entity == "serving-run") return serving_run(c, options.id);
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  if (options.entity == "run") return show_run(c, *resolver, options);
  if (options.entity == "operation") return show_operation(c, *resolver, options);
  return show_implementation(c, *resolver, options);
}

}  // namespace ki::cli
