// The query reader. Whatever is asked, every reading comes from the query, removing one never makes
// the query longer (but for blanks between words that stood without one, as after a quotation), and
// the text that stands for a narrowed request reads without a new issue.
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "base/text.h"
#include "query/find_operation.h"
#include "query/parse.h"
#include "query/resolver.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ki::query;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (!ki::is_utf8(text) || ki::utf16_length(text) > kQueryLengthMax) return 0;
  const Request request = parse_query(text);
  for (const Reading& reading : request.readings) {
    KI_CHECK(!reading.kind.empty());
    KI_CHECK(reading.query_without.size() <= size + request.tokens.size());
  }
  for (const QueryIssue& issue : request.issues) {
    KI_CHECK(!issue.code.empty() && !issue.message.empty());
  }
  KI_CHECK(!interpretation_of(request, "").empty());
  const Request narrowed = parse_query(narrowed_query(request, "gemm"));
  KI_CHECK(narrowed.operation_key == "gemm");
  KI_CHECK(narrowed.issues.empty());

  static const OperationIndex kIndex({{.id = "1",
                                       .slug = "gemm",
                                       .name = "gemm",
                                       .display_name = "GEMM",
                                       .family = "gemm",
                                       .semantic_digest = "",
                                       .aliases = {"mm"},
                                       .tags = {"model:m"},
                                       .last_observed_at = {}}});
  Request found = request;
  const Found answer = find_operation(found, kIndex);
  KI_CHECK(!answer.operation || *answer.operation == 0);
  return 0;
}
