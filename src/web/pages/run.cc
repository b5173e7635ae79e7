#include <fmt/format.h>

#include "json/write.h"
#include "policy/names.h"
#include "web/chart_samples.h"
#include "web/pages/pages.h"
#include "web/parts.h"

namespace ki::web {
namespace {

using query::RunDossier;

std::string number_text(double number) {
  std::string text;
  json::append_number(text, number);
  return text;
}

std::string profile_text(std::string_view profile) {
  if (profile == "source_native") return "source-native comparison";
  if (profile == "strict_exact") return "strict comparison";
  return std::string(profile);
}

// What was done to the run, also what was undone.
Html correction_history(const query::Lifecycle& life) {
  Html html;
  if (life.corrections.empty()) return html;
  html.add(R"(<details><summary>Corrections</summary><ul class="reasons">)");
  for (const query::CorrectionStep& step : life.corrections) {
    html.add("<li>{}: {}</li>", date(step.at), step.text);
  }
  html.add("</ul></details>");
  return html;
}

// What a reader must know before the number: retracted, superseded, waiting, old.
Html state_notes(const RunDossier& dossier) {
  const query::Lifecycle& life = dossier.lifecycle;
  Html html;
  if (dossier.pending) {
    html.add(R"(<div class="notice"><p><strong>Pending evidence.</strong> Published, shown and )"
             R"(counted, but not ranked until what it refers to is published too.</p>{}</div>)",
             reasons(dossier.pending_reasons));
  }
  for (const std::string& warning : dossier.warnings) {
    html.add(R"(<p class="notice"><strong>Warning</strong> {}</p>)", warning);
  }
  if (life.retracted) {
    html.add(R"(<p class="notice"><strong>Retracted</strong> {}: {}</p>)", date(life.retracted->at),
             life.retracted->reason);
  }
  if (life.held) {
    html.add(R"(<p class="notice"><strong>Held for review</strong> {}: {}</p>)",
             date(life.held->at), life.held->reason);
  }
  if (life.superseded_by_id) {
    html.add(
        R"(<p class="notice"><strong>Superseded</strong> by <a href="{}">a newer run</a>.</p>)",
        run_url(*life.superseded_by_id));
  }
  if (life.supersedes_id) {
    html.add(R"(<p class="meta">Supersedes <a href="{}">an earlier run</a>.</p>)",
             run_url(*life.supersedes_id));
  }
  if (life.disputed) {
    html.add(R"(<p class="notice"><strong>Disputed</strong>: {}</p>)", life.disputed->reason);
  }
  if (life.stale) html.add(R"(<p class="meta">Not observed again recently.</p>)");
  html.add("{}", correction_history(life));
  return html;
}

// "Rank 2 of 4 in its comparison group · source-native comparison · observed 2025-05-27"
Html standing(const RunDossier& dossier) {
  const query::RunCohort& cohort = dossier.cohort;
  Html html;
  html.add("<p>");
  if (cohort.rank) {
    html.add(R"(<a href="{}">Rank {} of {}</a> in its comparison group · {} · )",
             operation_url(dossier.operation.slug, dossier.workload.id, cohort.comparison_key),
             *cohort.rank, cohort.size, profile_text(cohort.profile));
  } else if (!dossier.pending) {
    html.add("Not ranked: {} · ", join(cohort.ineligible_reasons, ", "));
  }
  html.add("observed {}</p>", date(dossier.run.observed_at));
  if (cohort.head_run_id && *cohort.head_run_id != dossier.run.id) {
    html.add(R"(<p><a class="button" href="{}">Compare with #1</a></p>)",
             compare_url({*cohort.head_run_id, dossier.run.id}));
  }
  if (!cohort.rank_reasons.empty()) {
    html.add("<details><summary>{}</summary>{}</details>",
             cohort.rank ? "Why this rank" : "Why no rank", reasons(cohort.rank_reasons));
  }
  html.add("{}", verdict(cohort.verdict));
  return html;
}

Html source_metrics(const RunDossier& dossier) {
  Html html;
  if (!dossier.source_native_metrics || dossier.source_native_metrics->empty()) return html;
  html.add(R"(<p class="meta">As the source states it:)");
  for (const auto& [name, number] : *dossier.source_native_metrics) {
    html.add(R"( <span class="native">{} {}</span>)", name, number_text(number));
  }
  html.add("</p>");
  return html;
}

Html primary(const RunDossier& dossier) {
  Html html;
  html.add("<section><h2>Primary measurement</h2>");
  if (dossier.has_primary) {
    html.add(R"(<p class="figure">{} <span class="meta">{} {}</span></p><p class="meta">{}{}</p>)",
             value(dossier.primary), dossier.primary.metric, dossier.primary.statistic,
             spread_text(dossier.primary),
             dossier.primary.sample_count
                 ? fmt::format(", {} samples", *dossier.primary.sample_count)
                 : std::string(", number of samples not stated"));
  } else {
    html.add(R"(<p class="figure">No value <span class="meta">status {}</span></p>)",
             dossier.run.status);
  }
  html.add("{}{}</section>", standing(dossier), source_metrics(dossier));
  return html;
}

Html full_id(std::string_view text) {
  Html html;
  if (!text.empty()) html.add(R"(<code class="full">{}</code>)", text);
  return html;
}

Html identity(const RunDossier& dossier) {
  const query::RunProvenance& from = dossier.provenance;
  Html implementation;
  if (dossier.implementation.slug.empty()) {
    implementation.add("{}", dossier.implementation.name);
  } else {
    implementation.add(
        "{}", link(implementation_url(dossier.implementation.slug), dossier.implementation.name));
  }
  Html operation;
  if (!dossier.operation.slug.empty()) {
    operation.add("{}", link(operation_url(dossier.operation.slug), dossier.operation.name));
  }
  Html origin;
  origin.add("{}", outside_link(from.source.url.value_or(""), from.source.name));
  std::string place = from.snapshot_locator.value_or("");
  if (from.source_row) place += fmt::format(", row {}", *from.source_row);
  if (from.source_line) place += fmt::format(", line {}", *from.source_line);
  Html html;
  html.add("<section><h2>Identity</h2>{}</section>",
           facts(std::vector<Fact>{
               {"implementation", implementation},
               {"project", text_value(dossier.project.name)},
               {"revision", text_value(dossier.implementation.revision.value_or("unknown"))},
               {"operation", operation},
               {"workload", text_value(dossier.workload.label)},
               {"comparison key", identifier(dossier.cohort.comparison_key)},
               {"source", origin},
               {"external id", full_id(from.external_id.value_or(""))},
               {"source place", text_value(place)},
               {"snapshot", identifier(from.snapshot_digest.value_or(""))},
               {"parser", text_value(from.parser_version.value_or(""))},
               {"evidence", text_value(evidence_text(dossier.evidence))},
               {"licence", text_value(license_text(dossier.license))},
               {"run id", full_id(dossier.run.id)},
               {"digest", full_id(dossier.run.digest)}}));
  return html;
}

Html correctness(const RunDossier& dossier) {
  Html html;
  html.add("<section><h2>Correctness</h2>");
  if (!dossier.correctness) {
    const bool passed = dossier.run.status == "passed";
    html.add("<p>{}</p></section>",
             passed ? "Marked passed by the source; the correctness policy was not published."
                    : "Nothing was published about correctness.");
    return html;
  }
  const query::Correctness& checked = *dossier.correctness;
  const auto error = [](const std::optional<double>& number) {
    return text_value(number ? number_text(*number) : std::string());
  };
  html.add("{}</section>",
           facts(std::vector<Fact>{{"result", text_value(checked.passed ? "passed" : "failed")},
                                   {"comparator", text_value(checked.comparator)},
                                   {"largest absolute error", error(checked.max_absolute_error)},
                                   {"largest relative error", error(checked.max_relative_error)},
                                   {"share that matched", error(checked.matched_ratio)}}));
  return html;
}

Html workload(const RunDossier& dossier) {
  const query::RunWorkload& workload = dossier.workload;
  Html html;
  html.add("<section><h2>Workload</h2>{}{}{}{}</section>", facts(workload.axis_list),
           facts(workload.tensors), facts(workload.tolerance),
           facts(std::vector<Fact>{{"digest", identifier(workload.digest)}}));
  return html;
}

Html measurements(const RunDossier& dossier) {
  Html html;
  if (dossier.measurements.empty()) return html;
  html.add(
      R"(<section><h2>Measurements</h2><table><caption class="hidden">Measurements)"
      R"(</caption><thead><tr><th scope="col">Metric</th><th scope="col">Statistic</th>)"
      R"(<th scope="col">Value</th><th scope="col" class="wide">Exact</th></tr></thead><tbody>)");
  for (const query::MeasurementItem& one : dossier.measurements) {
    html.add(R"(<tr><th scope="row">{}</th><td>{}</td><td class="latency">{}</td>)", one.metric,
             one.statistic, policy::measured_text(one.value, one.unit));
    html.add(R"(<td class="wide">{} {}</td></tr>)", number_text(one.value), one.unit);
  }
  html.add("</tbody></table></section>");
  return html;
}

Html raw_samples(const std::optional<query::SamplesReport>& report) {
  Html html;
  if (!report) return html;
  std::vector<double> values;
  for (const catalog::LaunchSamples& launch : report->samples.launches) {
    values.insert(values.end(), launch.values.begin(), launch.values.end());
  }
  const auto rate_text = [](const std::optional<double>& rate, std::string_view unit) {
    return text_value(rate ? policy::measured_text(*rate, unit) : std::string());
  };
  html.add("<section><h2>Samples</h2>{}{}</section>",
           svg::samples_chart({.values = values,
                               .unit = report->samples.unit,
                               .metric = report->samples.metric,
                               .median = report->median,
                               .spread = report->spread,
                               .trend = report->trend,
                               .modes = report->modes},
                              {.title = "Samples of this run", .id = "samples"}),
           facts(std::vector<Fact>{
               {"launches", text_value(std::to_string(report->samples.launches.size()))},
               {"median absolute deviation",
                text_value(policy::measured_text(report->mad, report->samples.unit))},
               {"bytes that a call has to move", rate_text(report->samples.call_bytes, "bytes")},
               {"so it moves", rate_text(report->bytes_per_s, "bytes_s")},
               {"operations of a call", rate_text(report->samples.call_flops, "flops")},
               {"so it computes", rate_text(report->flops_per_s, "flops_s")},
               {"values", link(api_url({"runs", report->run_id, "samples"}), "as JSON")}}));
  return html;
}

Html artifacts(const RunDossier& dossier) {
  Html html;
  html.add("<section><h2>Artifacts</h2>");
  if (dossier.artifacts.empty()) html.add("<p>No artifacts published with this run.</p>");
  for (const query::ArtifactItem& one : dossier.artifacts) {
    html.add(R"(<p>{} · {} · {}{} · {}</p>)", outside_link(one.uri.value_or(""), one.role),
             one.media_type, one.availability,
             one.size_bytes
                 ? " · " + policy::measured_text(static_cast<double>(*one.size_bytes), "bytes")
                 : std::string(),
             identifier(one.digest));
  }
  html.add("</section>");
  return html;
}

// Why it has its level, and who signed it.
Html trust(const RunDossier& dossier) {
  Html html;
  if (dossier.pending) return html;
  html.add(R"(<section><h2>Evidence</h2><p>{}.</p><ul>)", evidence_text(dossier.evidence));
  for (const query::Reason& reason : dossier.trust.reasons) {
    html.add("<li>{} <code>{}</code></li>", reason.text, reason.code);
  }
  html.add("</ul>");
  for (const query::RunSignatureItem& one : dossier.trust.signatures) {
    html.add(R"(<p>Signed under {} by the runner <code>{}</code>, {} here, on machine )"
             R"(<code>{}</code>.</p>)",
             one.protocol, shortened(one.key_id), one.runner, shortened(one.machine));
  }
  if (dossier.trust.agreeing_run_id) {
    html.add(R"(<p>Agrees with <a href="{}">a run of an independent approved runner</a>.</p>)",
             run_url(*dossier.trust.agreeing_run_id));
  }
  html.add(R"(<p class="meta"><a href="{}">How levels follow</a></p></section>)",
           docs_url("trust"));
  return html;
}

Html attestations(const RunDossier& dossier) {
  Html html;
  html.add("<section><h2>Replications and notes</h2>");
  if (dossier.attestations.empty()) html.add("<p>No attestations yet.</p>");
  for (const query::Attestation& one : dossier.attestations) {
    html.add(
        R"(<blockquote><p>{}</p><footer>{} · {} · {}{}{}{}</footer></blockquote>)", one.body,
        one.type, one.author, date(one.at),
        one.observed_ns ? " · observed " + policy::latency_text(*one.observed_ns) : std::string(),
        one.environment_summary ? " · " + *one.environment_summary : std::string(),
        one.evidence_url ? outside_link(*one.evidence_url, " · evidence") : Html());
  }
  html.add(
      R"(<p class="meta">Add one with <code>ki attest {} --type reproduced --note '...'</code>, )"
      R"(or with an API key over POST /api/v1/runs/{}/attestations. If this run is wrong, whoever )"
      R"(keeps the catalog retracts or supersedes it with a reason that stays visible )"
      R"((<code>ki correct</code>).</p>)",
      dossier.run.id, dossier.run.id);
  html.add(R"(<p class="meta">Notes of others never change the evidence level; only signed )"
           R"(measurements of approved runners do.</p></section>)");
  return html;
}

Html manifests(const RunDossier& dossier) {
  Html html;
  html.add("<section><h2>Canonical manifest</h2><details><summary>Show manifest</summary>");
  const auto one = [&](std::string_view name, const json::Raw& raw) {
    if (raw.text == "null") return;
    html.add(R"(<h3>{}</h3><pre tabindex="0">{}</pre>)", name, pretty_manifest(raw));
  };
  one("run", dossier.manifest.run);
  one("protocol", dossier.manifest.protocol);
  one("environment", dossier.manifest.environment);
  html.add("</details></section>");
  return html;
}

Html citation(const RunDossier& dossier, const Context& context) {
  const std::string key = dossier.run.id.empty() ? dossier.run.digest : dossier.run.id;
  const std::string text =
      fmt::format("{} on {} ({}). KernelIndex run {}, {}. {}{} Accessed {}.",
                  dossier.implementation.name, dossier.operation.name, dossier.workload.label, key,
                  dossier.run.digest, context.origin, run_url(key).text(), context.today);
  Html html;
  html.add("<details><summary>Cite this record</summary><pre tabindex=\"0\">{}</pre></details>",
           text);
  return html;
}

Html publication_line(const RunDossier& dossier) {
  Html html;
  html.add(R"(<p class="meta">)");
  if (dossier.run.published_at) html.add("Published {} · ", date(*dossier.run.published_at));
  html.add("{}", dossier.provenance.source.name);
  if (dossier.provenance.source.license) html.add(" · {}", *dossier.provenance.source.license);
  if (!dossier.operation.slug.empty()) {
    html.add(R"( · <a href="{}">All results for {}</a>)", operation_url(dossier.operation.slug),
             dossier.operation.name);
  }
  html.add("</p>");
  return html;
}

Html key_values(std::string_view heading, std::span<const query::KeyValue> all) {
  Html html;
  if (all.empty()) return html;
  html.add("<section><h2>{}</h2>{}</section>", heading, facts(all));
  return html;
}

// "24.1 ms median latency: Liger on RoPE, bf16 · [4, 2048], NVIDIA A100"
std::string described(const RunDossier& dossier) {
  std::string text = dossier.implementation.name + " on " + dossier.operation.name + ", " +
                     dossier.workload.label + ", " + dossier.hardware.model;
  if (!dossier.has_primary) return text;
  return policy::measured_text(dossier.primary.value, dossier.primary.unit) + " " +
         policy::metric_label(dossier.primary.metric, dossier.primary.statistic) + ": " + text;
}

}  // namespace

Page run_page(const RunDossier& dossier, const std::optional<query::SamplesReport>& samples,
              const Context& context) {
  const std::string& key = dossier.run.id.empty() ? dossier.run.digest : dossier.run.id;
  Html body;
  body.add("<h1>{}</h1>", dossier.implementation.name);
  body.add(R"(<p class="context">)");
  if (!dossier.operation.slug.empty()) {
    body.add("{} · ", link(operation_url(dossier.operation.slug), dossier.operation.name));
  }
  body.add(R"({} · {} · <span class="state {}">{}</span> · )", dossier.workload.label,
           dossier.hardware.model, dossier.run.status == "passed" ? "good" : "bad",
           dossier.run.status);
  body.add(R"(<span class="evidence {}">{}</span></p>)", dossier.evidence,
           evidence_text(dossier.evidence));
  body.add(R"({}<div class="dossier">{}{}{}{}{}{}{}{}{}{}{}{}</div>{}{}{})", state_notes(dossier),
           primary(dossier), raw_samples(samples), identity(dossier), correctness(dossier),
           workload(dossier), measurements(dossier), key_values("Protocol", dossier.protocol),
           key_values("Environment", dossier.environment),
           key_values("Labels of the source", dossier.labels), artifacts(dossier), trust(dossier),
           attestations(dossier), manifests(dossier), citation(dossier, context),
           publication_line(dossier));
  const Url json = api_url({"runs", key});
  return {.title = "Run " + shortened(key) + " · " + dossier.implementation.name,
          .body = std::move(body),
          .description = described(dossier),
          .canonical = run_url(key),
          .card = Url::local({"runs", key, "card.png"}),
          .json = json,
          .commands = {curl_command(context, json), "ki show run " + shell_quoted(key)},
          .illustrative = dossier.illustrative};
}

}  // namespace ki::web
