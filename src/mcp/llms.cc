#include "api/routes.h"
#include "mcp/tools.h"

namespace ki::mcp {

std::string llms_text() {
  std::string out =
      "# KernelIndex\n\n"
      "> Which implementation of a GPU or CPU kernel is fastest for an exact workload, and why to\n"
      "> believe it. Every number leads to the evidence behind it.\n\n"
      "## Rules for claims\n\n"
      "- A rank exists only inside one comparison group (same operation, workload, protocol,\n"
      "  environment, correctness policy and metric). Never compare numbers of two groups.\n"
      "- A verdict of tie or not_enough_evidence is an answer: name no winner then.\n"
      "- Evidence is reported, reproducible, verified or replicated. Say which when you quote a "
      "number.\n"
      "- Whether something may be used (licence, source, install command) is a separate answer.\n"
      "- Quote a run with its digest, so that others can look it up.\n\n"
      "## JSON API\n\n"
      "OpenAPI 3.1: /openapi.json. Failures are problem documents (RFC 9457).\n\n";
  for (const api::Route& route : api::routes()) {
    out += route.method == http::Method::post ? "- POST " : "- GET ";
    out += std::string(api::kBase) + std::string(route.pattern) + ": " + std::string(route.doc);
    out += '\n';
  }
  out +=
      "\n## Tools (Model Context Protocol)\n\n"
      "POST /mcp (streamable HTTP), or `ki mcp` over standard input and output. Read-only. An "
      "answer\n"
      "has at most " +
      std::to_string(kAnswerBytes) + " bytes unless maxBytes asks for more.\n\n";
  for (const Tool& tool : tools()) {
    out += "- " + std::string(tool.name) + ": " + std::string(tool.doc) + '\n';
  }
  out +=
      "\n## Command line\n\n"
      "`ki search WORDS...`, `ki resolve WORDS...`, `ki show run|operation|implementation ID`,\n"
      "`ki compare RUN RUN`, `ki records`, `ki runs`, `ki changes`, `ki hardware`, `ki models "
      "[NAME]`,\n"
      "`ki projects SLUG`, `ki sources`; `--json` and `--jsonl` everywhere.\n";
  return out;
}

}  // namespace ki::mcp
