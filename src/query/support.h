// What an implementation declares that it supports, held against a request. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "query/request.h"

namespace ki::query {

// An empty list says nothing, so it excludes nothing.
struct Support {
  std::vector<std::string> dtypes;
  std::vector<std::string> layouts;
  std::vector<std::string> architectures;
  std::vector<std::string> products;
  std::vector<std::string> axes;  // predicates: "head_dim <= 256", "k % 64 == 0"
};

// Takes the `spec` of an ImplementationRevision.
Support support_of(const json::Value& spec);

// What the request asks for and the declaration excludes. A predicate that names an axis the
// request does not bind, or that is no comparison, decides nothing.
std::vector<Mismatch> unsupported(const Facets& facets, const Support& support);

}  // namespace ki::query
