// Resolver's overviews of one product and of all projects.
#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"
#include "catalog/read_coverage.h"
#include "catalog/read_overview.h"
#include "policy/names.h"
#include "query/resolver_impl.h"

namespace ki::query {
namespace {

// The product that a slug or a name in any case stands for among those of `list`.
const HardwareItem* find_product(const HardwareList& list, std::string_view name) {
  const auto found = std::ranges::find_if(list.hardware, [&](const HardwareItem& item) {
    return item.slug == name || equals_ignoring_case(item.model, name);
  });
  return found == list.hardware.end() ? nullptr : &*found;
}

void add_operations(HardwareDossier& out, const std::vector<catalog::CoverageLine>& lines,
                    const OperationIndex& index) {
  std::map<std::string_view, ProductFamily> families;
  for (const auto& line : lines) {
    if (line.hardware_model != out.product.model) continue;
    const auto at = index.by_id(line.operation_id);
    if (!at) continue;
    const OperationEntry& entry = index.entries()[*at];
    out.operations.push_back({.operation = {.name = entry.display_name, .slug = entry.slug},
                              .family = entry.family,
                              .runs = line.runs,
                              .last_observed_at = line.last_observed_at});
    ProductFamily& family = families[entry.family];
    ++family.operations;
    family.runs += line.runs;
  }
  for (auto& [name, family] : families) {
    family.family = name;
    out.families.push_back(std::move(family));
  }
  std::ranges::stable_sort(out.families, std::greater{}, &ProductFamily::runs);
  std::ranges::sort(out.operations, {}, [](const ProductOperation& one) {
    return std::tuple(-one.runs, std::string_view(one.operation.slug));
  });
}

}  // namespace

Result<HardwareDossier> Resolver::product(std::string_view name,
                                          const RecordsOptions& records) const {
  TRY(check_limit(records.limit));
  const auto state = TRY(impl_->steady());  // the page and its version agree
  db::Connection& connection = impl_->connection();
  HardwareList list = TRY(hardware_list());
  const HardwareItem* found = find_product(list, name);
  if (found == nullptr) {
    return fail(Code::not_found, "nothing was measured on '" + excerpt(name) + "'",
                std::string(kHardwareNotFound));
  }
  HardwareDossier out;
  const Instant now = impl_->clock.now();
  out.generated_at = to_iso(now);
  out.product = *found;
  const auto index = TRY(impl_->index());
  const auto lines = TRY(catalog::read_coverage(connection));
  add_operations(out, lines, *index);
  const std::string& model = out.product.model;
  const CursorScope scope{.list = {"product", model}, .version = TRY(version())};
  const catalog::HolderPosition after = TRY(holder_position_of(records.cursor, scope));
  auto held = TRY(catalog::list_product_holders(connection, model, after, records.limit + 1));
  const bool more = std::ssize(held) > records.limit;
  if (more) held.pop_back();
  for (const auto& line : held) {
    auto record = TRY(impl_->holder(line, now, records.history));
    if (record) out.records.push_back(std::move(*record));
  }
  if (more) out.next_cursor = cursor_after(held.back(), scope);
  out.records_total = TRY(catalog::count_product_holders(connection, model));
  return out;
}

Result<ProjectsList> Resolver::projects(ProjectOrder order) const {
  ProjectsList out;
  out.generated_at = to_iso(impl_->clock.now());
  auto lines = TRY(catalog::list_projects(impl_->connection()));
  for (auto& line : lines) {
    ProjectItem& item = out.projects.emplace_back();
    item = {.slug = std::move(line.slug),
            .name = std::move(line.name),
            .kind = std::move(line.kind),
            .implementations = line.implementations,
            .runs = line.runs,
            .hardware = line.products,
            .records = line.records,
            .last_observed_at = {}};
    if (!line.last_observed_at.empty()) item.last_observed_at = std::move(line.last_observed_at);
  }
  switch (order) {
    case ProjectOrder::runs:
      std::ranges::stable_sort(out.projects, std::greater{}, &ProjectItem::runs);
      break;
    case ProjectOrder::records:
      std::ranges::stable_sort(out.projects, std::greater{}, &ProjectItem::records);
      break;
    case ProjectOrder::name:
      break;
  }
  return out;
}

}  // namespace ki::query
