#include "catalog/update.h"
#include "publish/derive.h"
#include "publish/rows.h"
#include "publish/verifier.h"

namespace ki::publish {
namespace {

using db::Sql;
using manifest::Manifest;

// Whole tables in the order of an index, a row at a time.
constexpr Sql kAllById{"verify_by_id", "ORDER BY id"};
constexpr Sql kAllByDigest{"verify_by_digest", "ORDER BY digest"};
constexpr Sql kAllByOperation{"verify_by_operation", "ORDER BY operation_id, id"};
// Served by workload_axis_by_workload.
constexpr Sql kAxes{"verify_axes", "WHERE workload_id = $1 ORDER BY name"};
constexpr std::int64_t kProgressEvery = 512;

}  // namespace

void Verifier::count(std::string_view entity) {
  ++report.checked[std::string(entity)];
  if (++rows_ % kProgressEvery == 0 && progress_) progress_(rows_);
}

void Verifier::add(std::string_view entity, std::string_view id, std::string_view field,
                   std::string_view stored, std::string_view expected) {
  ++report.found;
  if (report.findings.size() >= kFindingsMax) return;
  report.findings.push_back({.entity = std::string(entity),
                             .id = std::string(id),
                             .field = std::string(field),
                             .stored = std::string(stored),
                             .expected = std::string(expected)});
}

std::optional<Manifest> Verifier::decode(std::string_view entity, std::string_view id,
                                         std::string_view text, std::string_view digest) {
  auto decoded = decode_stored(text, digest);
  if (!decoded) {
    add(entity, id, "manifest", decoded.error().message, "a valid manifest");
    return std::nullopt;
  }
  const std::string computed = to_string(decoded->digest());
  if (computed != digest) add(entity, id, "digest", digest, computed);
  return std::move(*decoded);
}

Status Verifier::check_projects() {
  return catalog::select<catalog::ProjectRow>(
      connection_, kAllById, [&](const catalog::ProjectRow& row) {
        count("project");
        const auto manifest = decode("project", row.id, row.manifest, row.manifest_digest);
        if (!manifest) return;
        // A catalog may show a project under a name of later; the log guards it like all evidence.
        catalog::ProjectRow expected = project_row(*manifest, row.slug, row.name);
        expected.id = row.id;
        expected.created_at = row.created_at;
        compare("project", row.id, row, expected);
      });
}

Status Verifier::check_operations() {
  return catalog::select<catalog::OperationRow>(
      connection_, kAllById, [&](const catalog::OperationRow& row) -> Status {
        count("operation");
        const auto manifest = decode("operation", row.id, row.manifest, row.semantic_digest);
        if (manifest) {
          catalog::OperationRow expected = operation_row(*manifest, row.slug);
          expected.id = row.id;
          expected.created_at = row.created_at;
          expected.supersedes_id = row.supersedes_id;
          compare("operation", row.id, row, expected);
          TRY(check_equivalence(row, *manifest));
        }
        return check_search_terms(row);
      });
}

Status Verifier::check_equivalence(const catalog::OperationRow& row, const Manifest& manifest) {
  const auto stored = TRY(catalog::equivalence_key_of(connection_, row.id));
  const std::string expected = to_string(policy::equivalence_key(row.slug, manifest.spec()));
  if (stored != expected) {
    add("operation_equivalence", row.id, stored ? "equivalence_key" : "row",
        stored.value_or("none"), expected);
  }
  return {};
}

Status Verifier::check_search_terms(const catalog::OperationRow& row) {
  const auto aliases = TRY(catalog::aliases_of(connection_, row.id));
  const auto tags = TRY(catalog::tags_of(connection_, row.id));
  const auto stored = TRY(catalog::search_terms(connection_, row.id));
  const auto expected = derive_search_terms(row, aliases, tags);
  const auto texts = [](const std::vector<catalog::SearchTermRow>& rows) {
    std::vector<std::string> out;
    for (const auto& term : rows) out.push_back(term.term + ":" + term.field);
    return json_list(out);
  };
  if (texts(stored) != texts(expected)) {
    add("search_term", row.id, "row", texts(stored), texts(expected));
  }
  return {};
}

Status Verifier::check_workloads() {
  std::optional<catalog::OperationRow> operation;
  std::optional<Manifest> spec;
  return catalog::select<catalog::WorkloadRow>(
      connection_, kAllByOperation, [&](const catalog::WorkloadRow& row) -> Status {
        count("workload");
        if (!operation || operation->id != row.operation_id) {
          operation = TRY(catalog::find_operation_by_id(connection_, row.operation_id));
          spec.reset();
          if (!operation) return {};  // check_file reports the broken reference
          auto decoded = decode_stored(operation->manifest, operation->semantic_digest);
          if (decoded) spec = std::move(*decoded);
        }
        const auto manifest = decode("workload", row.id, row.manifest, row.workload_digest);
        if (!manifest || !spec) return {};
        const auto facts = policy::derive_workload_facts(manifest->spec(), spec->spec());
        catalog::WorkloadRow expected = workload_row(*manifest, facts);
        expected.id = row.id;
        expected.operation_id = row.operation_id;
        expected.created_at = row.created_at;
        compare("workload", row.id, row, expected);
        if (to_string(facts.operation) != operation->semantic_digest) {
          add("workload", row.id, "operation_id", operation->semantic_digest,
              to_string(facts.operation));
        }
        return check_axes(row, facts);
      });
}

Status Verifier::check_axes(const catalog::WorkloadRow& row, const policy::WorkloadFacts& facts) {
  std::map<std::string, std::int64_t> stored;
  TRY(catalog::select<catalog::WorkloadAxisRow>(
      connection_, kAxes,
      [&](const catalog::WorkloadAxisRow& axis) {
        count("workload_axis");
        stored.emplace(axis.name, axis.value);
        if (axis.operation_id != row.operation_id) {
          add("workload_axis", row.id, "operation_id", axis.operation_id, row.operation_id);
        }
      },
      row.id));
  const std::map<std::string, std::int64_t> expected(facts.axes.begin(), facts.axes.end());
  const auto text = [](const std::map<std::string, std::int64_t>& axes) {
    std::string out;
    for (const auto& [name, value] : axes) out += name + "=" + std::to_string(value) + " ";
    return out;
  };
  if (stored != expected) add("workload_axis", row.id, "row", text(stored), text(expected));
  return {};
}

Status Verifier::check_implementations() {
  return catalog::select<catalog::ImplementationRow>(
      connection_, kAllById, [&](const catalog::ImplementationRow& row) -> Status {
        count("implementation");
        const auto manifest =
            decode("implementation", row.id, row.manifest, row.implementation_digest);
        if (!manifest) return {};
        catalog::ImplementationRow expected = implementation_row(
            *manifest, policy::derive_implementation_facts(manifest->spec()), row.slug);
        expected.id = row.id;
        expected.project_id = row.project_id;
        expected.operation_id = row.operation_id;
        expected.created_at = row.created_at;
        expected.supersedes_id = row.supersedes_id;
        compare("implementation", row.id, row, expected);
        const std::string named = to_string(digest_at(manifest->spec(), "operation/specDigest"));
        const auto operation = TRY(catalog::operation_id(connection_, named));
        if (operation != row.operation_id) {
          add("implementation", row.id, "operation_id", row.operation_id,
              operation.value_or("the operation " + named));
        }
        return {};
      });
}

Status Verifier::check_settings() {
  TRY(catalog::select<catalog::ProtocolRow>(
      connection_, kAllByDigest, [&](const catalog::ProtocolRow& row) {
        count("protocol");
        const auto manifest = decode("protocol", row.digest, row.manifest, row.digest);
        if (!manifest) return;
        catalog::ProtocolRow expected = protocol_row(*manifest);
        expected.created_at = row.created_at;
        compare("protocol", row.digest, row, expected);
      }));
  return catalog::select<catalog::EnvironmentRow>(
      connection_, kAllByDigest, [&](const catalog::EnvironmentRow& row) {
        count("environment");
        const auto manifest = decode("environment", row.digest, row.manifest, row.digest);
        if (!manifest) return;
        catalog::EnvironmentRow expected = environment_row(*manifest);
        expected.created_at = row.created_at;
        compare("environment", row.digest, row, expected);
      });
}

}  // namespace ki::publish
