// What the words of a query name besides operations.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "query/model_common.h"

namespace ki::query {

// A project, an implementation, hardware, a model or a source.
struct NamedThing {
  static constexpr std::string_view kWireName = "NamedThing";
  std::string kind;
  std::string slug;
  std::string name;
  std::optional<Ref> operation;
  std::optional<std::string> query;
  template <class V>
  static void describe(V& v) {
    v.field("kind", &NamedThing::kind, "project, implementation, hardware, model or source");
    v.field("slug", &NamedThing::slug, "by which its own page, route and command know it");
    v.field("name", &NamedThing::name, "");
    v.field("operation", &NamedThing::operation, "of an implementation");
    v.field("query", &NamedThing::query, "lists what is measured of it; null where none does");
  }
};

}  // namespace ki::query
