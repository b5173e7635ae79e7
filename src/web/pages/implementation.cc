#include <algorithm>

#include <fmt/format.h>

#include "query/describe.h"
#include "web/pages/pages.h"
#include "web/parts.h"

namespace ki::web {
namespace {

using query::ImplementationDossier;

// Together they keep the page below 100 KB; the JSON has all.
constexpr std::size_t kBestResultsShown = 25;
constexpr std::size_t kSourceBytesShown = 32 * 1024;
constexpr std::size_t kChangesShown = 200;  // lines

std::string_view use_text(const ImplementationDossier& dossier) {
  if (dossier.deployability.empty()) return "Usable as it is";
  if (dossier.usage.install) return "Installable";
  return dossier.source.available ? "Source available" : "Reported results only";
}

Html use(const ImplementationDossier& dossier) {
  Html html;
  html.add(R"(<section><h2>Use it</h2><p class="verdict"><strong>{}</strong></p>)",
           use_text(dossier));
  if (!dossier.deployability.empty()) {
    html.add(R"(<p class="meta">What is missing to use it as it is:</p>{})",
             reasons(dossier.deployability));
  }
  if (dossier.usage.install) {
    html.add(R"(<pre class="command" tabindex="0">{}</pre>)", dossier.usage.install->command);
  } else if (dossier.usage.recipe) {
    html.add(R"(<p class="meta">Install recipe: {}. No command is stated.</p>)",
             query::recipe_text(*dossier.usage.recipe));
  }
  if (dossier.usage.invocation_example) {
    html.add(R"(<pre class="copyable" tabindex="0">{}</pre>)", *dossier.usage.invocation_example);
  }
  std::string requirements;
  for (const query::Requirement& one : dossier.usage.requirements) {
    requirements += (requirements.empty() ? "" : ", ") + one.name +
                    (one.constraint.empty() ? "" : " " + one.constraint);
  }
  const query::CallableFacts& callable = dossier.callable;
  const query::SupportFacts& support = dossier.support;
  html.add("{}</section>",
           facts(std::vector<Fact>{{"language", text_value(callable.language)},
                                   {"framework", text_value(callable.framework.value_or(""))},
                                   {"symbol", text_value(callable.symbol.value_or(""))},
                                   {"path", text_value(callable.source_path.value_or(""))},
                                   {"requires", text_value(requirements)},
                                   {"hardware", text_value(join(support.hardware, ", "))},
                                   {"architectures", text_value(join(support.architectures, ", "))},
                                   {"dtypes", text_value(join(support.dtypes, ", "))},
                                   {"layouts", text_value(join(support.layouts, ", "))},
                                   {"axes", text_value(join(support.axes, ", "))}}));
  return html;
}

Html evidence(const ImplementationDossier& dossier) {
  Html html;
  html.add("<section><h2>Benchmark evidence</h2><p>{}</p>", dossier.trust.summary);
  const std::size_t shown = std::min(dossier.best_results.size(), kBestResultsShown);
  if (shown == 0) {
    html.add(R"(<p class="empty">No eligible run has been published.</p></section>)");
    return html;
  }
  html.add("{}", rows_table(std::span(dossier.best_results).first(shown),
                            {.caption = fmt::format("{} of {} eligible runs, across workloads",
                                                    shown, dossier.best_results.size()),
                             .show_operation = true}));
  if (shown < dossier.best_results.size()) {
    html.add(R"(<p class="meta">All {} are in the JSON.</p>)", dossier.best_results.size());
  }
  html.add("</section>");
  return html;
}

Html source(const ImplementationDossier& dossier) {
  const query::SourceFacts& source = dossier.source;
  Html place;
  if (source.url) place.add("{}", outside_link(*source.url, *source.url));
  Html imported;
  if (dossier.provenance.imported_at) imported.add("{}", date(*dossier.provenance.imported_at));
  Html html;
  html.add(
      "<section><h2>Source and licence</h2>{}</section>",
      facts(std::vector<Fact>{
          {"source", source.available ? place : text_value("not available")},
          {"commit", identifier(source.commit.value_or(""))},
          {"tree digest", identifier(source.tree_digest.value_or(""))},
          {"licence, concluded", text_value(dossier.license.concluded.value_or("unknown"))},
          {"licence, declared", text_value(dossier.license.declared.value_or("not stated"))},
          {"licence note", dossier.license.why.empty()
                               ? Html()
                               : text_value(dossier.license.verdict + ": " + dossier.license.why)},
          {"licence file", text_value(dossier.license.evidence_path.value_or(""))},
          {"authors", text_value(join(dossier.provenance.authors, ", "))},
          {"indexed", imported}}));
  return html;
}

Html source_code(const ImplementationDossier& dossier) {
  Html html;
  if (!dossier.source_code) return html;
  const query::SourceCode& code = *dossier.source_code;
  html.add("<section><h2>Kernel source</h2>{}",
           facts(std::vector<Fact>{{"file", text_value(code.file_name.value_or(""))},
                                   {"language", text_value(code.language)},
                                   {"licence", text_value(code.license.value_or("unknown"))}}));
  if (code.attribution) {
    html.add("<p>{}</p>", outside_link(code.attribution->url.value_or(""), code.attribution->text));
  }
  if (code.content && code.content->size() <= kSourceBytesShown) {
    html.add(R"(<details><summary>Show source</summary><pre class="copyable" tabindex="0">{}</pre>)"
             R"(</details>)",
             *code.content);
  } else if (code.content) {
    html.add(R"(<details><summary>Show source</summary><pre tabindex="0">{}</pre><p class="meta">)"
             R"(The first {} of {} bytes; the JSON has all.</p></details>)",
             excerpt(*code.content, kSourceBytesShown), kSourceBytesShown, code.content->size());
  }
  html.add("</section>");
  return html;
}

// Against the submission before it, line by line; a sign says what colour repeats.
Html changes(const ImplementationDossier& dossier) {
  Html html;
  if (!dossier.source_code || !dossier.source_code->diff) return html;
  const query::SourceDiff& diff = *dossier.source_code->diff;
  Html lines;
  const std::size_t shown = std::min(diff.lines.size(), kChangesShown);
  for (const query::DiffLine& line : std::span(diff.lines).first(shown)) {
    const std::string_view sign = line.kind == "add" ? "+" : line.kind == "del" ? "-" : " ";
    lines.add("<span class=\"{}\">{}{}</span>\n", line.kind, sign, line.text);
  }
  if (shown < diff.lines.size()) lines.add("… {} more lines\n", diff.lines.size() - shown);
  return html.add(R"(<section><h2>Changes from the submission before</h2><p>Against )"
                  R"(<a href="{}">{}</a></p><details><summary>Show changes</summary>)"
                  R"(<pre class="diff" tabindex="0">{}</pre></details></section>)",
                  implementation_url(diff.previous_slug), diff.previous_name, lines);
}

Html limitations(const ImplementationDossier& dossier) {
  Html html;
  if (dossier.limitations.empty()) return html;
  html.add(R"(<section><h2>Limitations</h2><ul class="plain">)");
  for (const std::string& one : dossier.limitations) html.add("<li>{}</li>", one);
  html.add("</ul></section>");
  return html;
}

}  // namespace

Page implementation_page(const ImplementationDossier& dossier, const Context& context) {
  const query::ImplementationIdentity& self = dossier.implementation;
  const Html project = link(project_url(dossier.project.slug), dossier.project.name);
  Html body;
  body.add("<h1>{}</h1>{}", self.name,
           facts(std::vector<Fact>{
               {"project", project},
               {"operation", link(operation_url(dossier.operation.slug), dossier.operation.name)},
               {"revision", text_value(self.revision.value_or("unknown"))},
               {"records held", text_value(std::to_string(dossier.standing.records))},
               {"digest", identifier(self.digest)}}));
  body.add("{}{}{}{}{}{}", use(dossier), evidence(dossier), source(dossier), source_code(dossier),
           changes(dossier), limitations(dossier));
  body.add("{}",
           badge_snippet(context,
                         {.image = Url::local({"badges", "implementations", self.slug + ".svg"}),
                          .page = implementation_url(self.slug)}));
  const Url json = api_url({"implementations", self.slug});
  return {.title = self.name + " · " + dossier.operation.name,
          .body = std::move(body),
          .description = self.name + " of " + dossier.project.name + ", an implementation of " +
                         dossier.operation.name + ": how to use it and where it stands.",
          .canonical = implementation_url(self.slug),
          .card = Url::local({"implementations", self.slug, "card.png"}),
          .json = json,
          .commands = {curl_command(context, json),
                       "ki show implementation " + shell_quoted(self.slug)},
          .illustrative = dossier.illustrative};
}

}  // namespace ki::web
