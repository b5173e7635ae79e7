#include "catalog/run_samples.h"

#include <algorithm>

#include "json/read.h"

namespace ki::catalog {
namespace {

// Served by artifact_link's primary key and by artifact's.
constexpr db::Sql kContent{
    "samples_of_run",
    "SELECT a.content FROM artifact_link l JOIN artifact a ON a.id = l.artifact_id "
    "WHERE l.entity_kind = 'run' AND l.entity_id = $1 AND l.role = $2 AND a.media_type = $3 "
    "AND a.content IS NOT NULL ORDER BY a.content_digest LIMIT 1"};

}  // namespace

std::string to_content(const RunSamples& samples) {
  std::string out;
  json::Writer writer(out);
  json::write(writer, samples);
  return out;
}

Result<RunSamples> samples_of_content(std::string_view content) {
  const auto document = json::parse(content, json::kBundleLimits);
  if (!document) return std::unexpected(to_error(document.error()));
  auto read = json::read<RunSamples>(document->root);
  if (!read) return std::unexpected(to_error(read.error()));
  std::size_t count = 0;
  for (const LaunchSamples& launch : read->launches) {
    count += launch.values.size();
    if (std::ranges::any_of(launch.values, [](double value) { return value <= 0; })) {
      return fail(Code::invalid, "a sample is not above 0", "/launches");
    }
  }
  if (count == 0 || count > kRunSamplesMax) {
    return fail(Code::invalid,
                "it holds " + std::to_string(count) + " samples, not 1 to " +
                    std::to_string(kRunSamplesMax),
                "/launches");
  }
  return std::move(*read);
}

bool holds_samples(const LinkedArtifact& linked) {
  return linked.role == kSamplesRole && linked.artifact.media_type == kSamplesMediaType &&
         linked.artifact.storage == "inline";
}

Result<std::optional<RunSamples>> read_samples(db::Connection& connection,
                                               std::string_view run_id) {
  auto rows = TRY(connection.query(kContent, run_id, kSamplesRole, kSamplesMediaType));
  const bool any = TRY(rows.next());
  if (!any) return std::optional<RunSamples>();
  auto samples = samples_of_content(rows.string(0));
  if (samples) return std::optional(std::move(*samples));
  return fail(Code::internal, "stored samples are damaged: " + samples.error().message,
              std::string(run_id));
}

}  // namespace ki::catalog
