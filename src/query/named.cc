#include "query/named.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.h"
#include "policy/names.h"
#include "query/tags.h"

namespace ki::query {
namespace {

using catalog::NamedLine;
using catalog::Naming;

constexpr std::int64_t kRead = kNamedMax + 1;  // one more says that there are more

void add(Named& out, std::string_view kind, std::vector<NamedThing> found,
         const std::string& name) {
  std::string blanks = name;
  std::ranges::replace(blanks, '-', ' ');
  // What is called so, then what begins so, each by slug.
  std::ranges::stable_sort(found, {}, [&](const NamedThing& one) {
    const bool is_called = one.slug == name || ascii_lower(one.name) == blanks;
    return std::tuple(!is_called, !one.slug.starts_with(name), std::string_view(one.slug));
  });
  if (found.size() > kNamedMax) {
    found.resize(kNamedMax);
    if (std::ranges::find(out.more, kind) == out.more.end()) out.more.emplace_back(kind);
  }
  for (NamedThing& one : found) {
    const auto same = [&](const NamedThing& other) {
      return other.kind == one.kind && other.slug == one.slug;
    };
    if (std::ranges::none_of(out.things, same)) out.things.push_back(std::move(one));
  }
}

NamedThing thing_of(std::string_view kind, const NamedLine& line) {
  NamedThing out;
  out.kind = kind;
  out.slug = line.slug;
  out.name = line.name.empty() ? line.slug : line.name;
  return out;
}

std::vector<NamedThing> things_of(std::string_view kind, const std::vector<NamedLine>& lines) {
  std::vector<NamedThing> out;
  for (const NamedLine& line : lines) out.push_back(thing_of(kind, line));
  return out;
}

std::vector<NamedThing> implementations_of(const std::vector<NamedLine>& lines) {
  std::vector<NamedThing> out;
  for (const NamedLine& line : lines) {
    NamedThing& one = out.emplace_back(thing_of("implementation", line));
    one.name = policy::implementation_display_name({.title = line.name,
                                                    .slug = line.slug,
                                                    .operation_name = line.operation_name,
                                                    .operation_slug = line.operation_slug});
    one.operation = Ref{.name = policy::operation_display_name(line.operation_name),
                        .slug = line.operation_slug};
  }
  return out;
}

// Those that operations are tagged with, then those that were only served. Of the former the start
// of a name is enough, as for model:.
std::vector<NamedThing> models_of(const OperationIndex& index, const std::vector<NamedLine>& served,
                                  const std::string& name, Naming how) {
  std::set<std::string_view> slugs;
  for (const OperationEntry& entry : index.entries()) {
    for (const std::string& tag : entry.tags) {
      const std::string_view model = model_of_tag(tag);
      const bool is_called = model == name || extends(model, name);
      if (is_called || (how == Naming::part && model.contains(name))) slugs.insert(model);
    }
  }
  std::vector<NamedThing> out;
  for (const std::string_view slug : slugs) {
    out.push_back({.kind = "model",
                   .slug = std::string(slug),
                   .name = std::string(slug),
                   .operation = {},
                   .query = "model:" + std::string(slug)});
  }
  for (const NamedLine& line : served) {
    const auto known = std::ranges::find(out, line.slug, &NamedThing::slug);
    if (known == out.end()) {
      out.push_back(thing_of("model", line));
    } else {
      known->name = line.name.empty() ? known->name : line.name;
    }
  }
  return out;
}

Status add_by(Named& out, db::Connection& connection, const OperationIndex& index,
              const std::string& name, Naming how) {
  const auto projects = TRY(catalog::projects_named(connection, name, how, kRead));
  add(out, "project", things_of("project", projects), name);
  const auto implementations = TRY(catalog::implementations_named(connection, name, how, kRead));
  add(out, "implementation", implementations_of(implementations), name);
  const auto served = TRY(catalog::served_models_named(connection, name, how, kRead));
  add(out, "model", models_of(index, served, name, how), name);
  const auto sources = TRY(catalog::sources_named(connection, name, how, kRead));
  add(out, "source", things_of("source", sources), name);
  return {};
}

}  // namespace

Result<Named> find_named(db::Connection& connection, const OperationIndex& index,
                         const std::vector<std::string>& words, Naming how) {
  constexpr std::size_t kWordsMax = 8;  // that are looked for one by one
  constexpr std::size_t kPartMin = 3;   // letters
  Named out;
  std::vector<std::string> names;
  for (const std::string& word : words) {
    std::string name = word;
    std::ranges::replace(name, '_', '-');
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  if (names.empty()) return out;
  const std::string whole = join(names, "-");
  if (how == Naming::whole || whole.size() >= kPartMin) {
    TRY(add_by(out, connection, index, whole, how));
  }
  if (!out.things.empty() || names.size() == 1) return out;
  for (std::size_t i = 0; i < std::min(names.size(), kWordsMax); ++i) {
    if (how == Naming::part && names[i].size() < kPartMin) continue;
    TRY(add_by(out, connection, index, names[i], how));
  }
  return out;
}

std::vector<NamedThing> named_hardware(const HardwareFacet* facet,
                                       const std::vector<std::string>& words,
                                       const Measured& measured) {
  std::vector<std::string> models;
  if (facet != nullptr) models = measured.products(*facet);
  for (const std::string& word : words) {
    for (std::string& model : measured.products_named(word)) {
      if (std::ranges::find(models, model) == models.end()) models.push_back(std::move(model));
    }
  }
  std::vector<NamedThing> out;
  for (const std::string& model : models) {
    if (out.size() == kNamedMax) break;
    out.push_back({.kind = "hardware",
                   .slug = policy::hardware_slug(model),
                   .name = model,
                   .operation = {},
                   .query = "gpu:\"" + model + "\""});
  }
  return out;
}

}  // namespace ki::query
