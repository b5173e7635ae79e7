#include "query/source_code.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/table.h"
#include "policy/names.h"
#include "query/difference.h"
#include "query/stored.h"

namespace ki::query {
namespace {

constexpr std::int64_t kSubmissionsMax = 10'000;
constexpr std::size_t kTried = 20;  // earlier submissions whose text is looked for

constexpr db::Sql kArtifactContent{"artifact_content", "WHERE id = $1"};
// Served by implementation_by_operation (operation_id, id).
constexpr db::Sql kSubmissions{
    "submissions_of_project",
    "SELECT i.id, i.slug, i.title, i.source_revision, o.name, o.slug FROM implementation i "
    "JOIN operation o ON o.id = i.operation_id WHERE i.operation_id = $1 AND i.project_id = $2 "
    "AND i.source_revision LIKE 'submission-%' ORDER BY i.id LIMIT $3"};

std::string source_language(std::string_view file_name) {
  if (file_name.ends_with(".py")) return "python";
  for (const std::string_view ending : {".cu", ".cuh", ".cpp", ".cc", ".h", ".hpp", ".hip"}) {
    if (file_name.ends_with(ending)) return "cpp";
  }
  return "text";
}

std::optional<std::int64_t> submission_number(std::string_view revision) {
  constexpr std::string_view kPrefix = "submission-";
  if (!revision.starts_with(kPrefix)) return std::nullopt;
  revision.remove_prefix(kPrefix.size());
  std::int64_t number = 0;
  const auto [end, error] =
      std::from_chars(revision.data(), revision.data() + revision.size(), number);
  if (error != std::errc{} || end != revision.data() + revision.size()) return std::nullopt;
  return number;
}

Result<std::optional<catalog::ArtifactRow>> source_of(db::Connection& connection,
                                                      std::string_view implementation_id) {
  const auto artifacts =
      TRY(catalog::read_artifacts(connection, "implementation", implementation_id));
  const auto found = std::ranges::find(artifacts, "source", &catalog::LinkedArtifact::role);
  if (found == artifacts.end()) return std::optional<catalog::ArtifactRow>();
  return std::optional(found->artifact);
}

Result<std::optional<std::string>> content_of(db::Connection& connection,
                                              const std::string& artifact_id) {
  auto row = TRY(catalog::find<catalog::ArtifactRow>(connection, kArtifactContent, artifact_id));
  return row ? std::move(row->content) : std::nullopt;
}

struct Submission {
  std::int64_t number = 0;
  std::string id;
  std::string slug;
  std::string name;
};

// Those before `number`, the latest first.
Result<std::vector<Submission>> submissions_before(db::Connection& connection,
                                                   const catalog::ImplementationRow& row,
                                                   std::int64_t number) {
  std::vector<Submission> out;
  auto rows =
      TRY(connection.query(kSubmissions, row.operation_id, row.project_id, kSubmissionsMax));
  TRY(rows.each([&](const db::Rows& found) {
    const auto other = submission_number(found.text(3));
    if (!other || *other >= number) return;
    out.push_back({.number = *other,
                   .id = found.string(0),
                   .slug = found.string(1),
                   .name = policy::implementation_display_name({.title = found.text(2),
                                                                .slug = found.text(1),
                                                                .operation_name = found.text(4),
                                                                .operation_slug = found.text(5)})});
  }));
  std::ranges::sort(out, std::greater{}, &Submission::number);
  return out;
}

Result<std::optional<SourceDiff>> diff_of(db::Connection& connection,
                                          const catalog::ImplementationRow& row,
                                          const std::string& content) {
  const auto number = submission_number(row.source_revision.value_or(""));
  if (!number) return std::optional<SourceDiff>();
  const auto earlier = TRY(submissions_before(connection, row, *number));
  for (std::size_t i = 0; i < std::min(earlier.size(), kTried); ++i) {
    const auto artifact = TRY(source_of(connection, earlier[i].id));
    if (!artifact) continue;
    const auto before = TRY(content_of(connection, artifact->id));
    if (!before) continue;
    return std::optional(SourceDiff{.previous_slug = earlier[i].slug,
                                    .previous_name = earlier[i].name,
                                    .lines = difference(*before, content)});
  }
  return std::optional<SourceDiff>();
}

}  // namespace

Result<std::optional<SourceCode>> source_code_of(db::Connection& connection,
                                                 const catalog::ImplementationRow& row,
                                                 const json::Value& manifest,
                                                 const std::optional<catalog::SourceRow>& source,
                                                 bool with_content) {
  const auto artifact = TRY(source_of(connection, row.id));
  if (!artifact) return std::optional<SourceCode>();
  SourceCode code;
  code.file_name = text_at(manifest, "spec.source.fileName");
  code.language = source_language(code.file_name.value_or(""));
  code.license = artifact->license;
  if (source && source->policy) {
    const json::Document policy = TRY(parse_stored(*source->policy, "source " + source->slug));
    if (auto whom = text_at(policy.root, "attribution")) {
      code.attribution = Attribution{.text = std::move(*whom), .url = text_at(policy.root, "url")};
    }
  }
  if (with_content) {
    code.content = TRY(content_of(connection, artifact->id));
    if (code.content) code.diff = TRY(diff_of(connection, row, *code.content));
  }
  return std::optional(std::move(code));
}

}  // namespace ki::query
